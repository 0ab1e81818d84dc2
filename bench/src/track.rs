//! `track`: particles that move a tenth of a cell at a time, in maps of 10⁴ to 10⁷ cells (S4 §4; goals: a million moves
//! a second in 2D, 300,000 in hexahedra, flat within a fifth whatever the size of the map).
//!
//! A million particles, each step into a direction of its own: a crowd in ten thousand cells of the map, which are the
//! same amount of memory whatever the size of the map; spread evenly over all cells, in their order; and spread and
//! shuffled, which makes every move a visit to a far corner of memory. One by one, and by `move_all`. One thread. A
//! figure is the least of the rounds, each of which moves every particle once. `--case quads|boxes|hexahedra|surface`,
//! `--case 10000`.

use crate::Options;
use crate::random::Random;
use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::track::{Centres, Particle, StarTracker, SurfaceParticle, SurfaceTracker, Tracker2, Tracker3};
use heurt_map::{CombinatorialMap, Dart, Map2, Map3, Orbit, grid_positions};
use std::time::Instant;

const PARTICLES: usize = 1_000_000;
const STEP: f64 = 0.1;
/// How many cells the crowd is in, whatever the size of the map.
const CROWDED: usize = 10_000;
const WARM_UP: usize = 3;
const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// How far vertices are moved, as a share of a cell.
const JITTER: f64 = 0.15;

/// Measures all kinds of maps.
pub fn track(options: &Options) {
    println!("\n### Particles tracked: {PARTICLES}, a step is {STEP} of a cell\n");
    println!(
        "| map | cells | build | leave their cell | crowd: ns a move / all at once | a second | spread | shuffled |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let kinds: [(&str, fn(&Options, usize)); 4] =
        [("quads", quads), ("surface", surface), ("boxes", boxes), ("hexahedra", hexahedra)];
    let names = kinds.map(|kind| kind.0);
    let by_name = options.cases.iter().any(|case| names.contains(&case.as_str()));
    let by_size = options.cases.iter().any(|case| case.parse::<usize>().is_ok());
    let wants = |case: &str| options.cases.iter().any(|wanted| wanted == case);
    for (name, measure) in kinds {
        for size in SIZES {
            if (!by_name || wants(name)) && (!by_size || wants(&size.to_string())) {
                measure(options, size);
            }
        }
    }
}

/// What one line says.
struct Line {
    name: &'static str,
    dimension: u32,
    cells: usize,
    build_s: f64,
}

/// Times sweeps over particles: a crowd in one corner of the map, spread in the order of their cells, and spread in no
/// order; one by one, and all at once. `aim` draws a target within a distance, `go` moves a particle and tells whether
/// it left its cell, `go_all` moves all.
fn sweep<P: Copy, T>(
    line: &Line,
    options: &Options,
    particle: impl Fn(u32) -> P,
    aim: impl Fn(&P, &mut Random, f64) -> T,
    go: impl Fn(&mut P, &T) -> bool,
    go_all: Option<&dyn Fn(&mut [P], &[T])>,
) {
    let mut random = Random(options.seed);
    let mut orders = [line.crowd(), line.spread(), line.spread()].map(|cells| {
        let mut particles: Vec<P> = cells.into_iter().map(&particle).collect();
        // Anywhere in their cells: some long steps from the middle, which are not timed.
        for particle in &mut particles {
            for _ in 0..WARM_UP {
                let target = aim(particle, &mut random, 0.5);
                go(particle, &target);
            }
        }
        particles
    });
    for place in (1..PARTICLES).rev() {
        orders[2].swap(place, (random.unit() * (place + 1) as f64) as usize);
    }
    let (mut least, mut left) = ([[f64::INFINITY; 2]; 3], 0);
    for _ in 0..options.rounds {
        for (particles, least) in orders.iter_mut().zip(&mut least) {
            for (method, least) in least.iter_mut().enumerate() {
                let targets: Vec<T> = particles.iter().map(|particle| aim(particle, &mut random, STEP)).collect();
                let start = Instant::now();
                match go_all {
                    Some(go_all) if method == 1 => go_all(particles, &targets),
                    None if method == 1 => continue,
                    _ => {
                        let moves = particles.iter_mut().zip(&targets);
                        left = moves.map(|(particle, target)| usize::from(go(particle, target))).sum();
                    }
                }
                *least = least.min(start.elapsed().as_nanos() as f64 / PARTICLES as f64);
            }
        }
    }
    let figure =
        |[one, all]: [f64; 2]| if all.is_finite() { format!("{one:.0} / {all:.0}") } else { format!("{one:.0}") };
    let [crowd, spread, shuffled] = least.map(figure);
    println!(
        "| {} | {} | {:.2} s | {:.1} % | {crowd} | {:.1} M | {spread} | {shuffled} |",
        line.name,
        line.cells,
        line.build_s,
        100.0 * left as f64 / PARTICLES as f64,
        1e3 / least[0][0],
    );
}

impl Line {
    /// The cells of a square or cube of [`CROWDED`] cells in the corner of the grid, each with its share of the crowd.
    fn crowd(&self) -> Vec<u32> {
        let side = |cells: usize| (cells as f64).powf(1.0 / f64::from(self.dimension)).round() as u32;
        let (n, window) = (side(self.cells), side(CROWDED.min(self.cells)));
        let count = window.pow(self.dimension) as usize;
        let cell = |k: u32| {
            let [i, j, l] = [k % window, k / window % window, k / window / window];
            i + n * (j + n * l)
        };
        (0..PARTICLES).map(|k| cell((k * count / PARTICLES) as u32)).collect()
    }

    /// All cells, each with its share of the particles.
    fn spread(&self) -> Vec<u32> {
        (0..PARTICLES).map(|k| (k as u128 * self.cells as u128 / PARTICLES as u128) as u32).collect()
    }
}

fn jittered(random: &mut Random) -> f64 {
    (2.0 * random.unit() - 1.0) * JITTER
}

fn plane_grid(cells: usize, random: &mut Random) -> (Map2, Vec<Vec2>) {
    let n = (cells as f64).sqrt().round() as u32;
    let map = Map2::grid(n, n).expect("fits");
    let mut at = |i: u32, j: u32| Vec2::new(f64::from(i) + jittered(random), f64::from(j) + jittered(random));
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))).map(|(i, j)| at(i, j)).collect();
    (map, points)
}

fn quads(options: &Options, cells: usize) {
    let start = Instant::now();
    let (map, points) = plane_grid(cells, &mut Random(options.seed));
    let faces = map.cell_ids(Orbit::Face).expect("numbered");
    let line = Line {
        name: "quadrilaterals, plane",
        dimension: 2,
        cells: faces.count(),
        build_s: start.elapsed().as_secs_f64(),
    };
    let tracker = Tracker2::new(&map, &points).expect("sound");
    let middle =
        |dart: Dart| map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize]).sum::<Vec2>() / 4.0;
    let particle = |face| {
        let dart = faces.dart(face).expect("a face");
        tracker.particle_in(dart, middle(dart)).expect("convex")
    };
    let aim = |particle: &Particle<Vec2>, random: &mut Random, step: f64| {
        particle.position + Vec2::from_angle(random.unit() * std::f64::consts::TAU) * step
    };
    let go = |particle: &mut Particle<Vec2>, target: &Vec2| {
        let before = faces.of(particle.dart);
        tracker.move_to(particle, *target, |_, _| ()).expect("convex");
        before != faces.of(particle.dart)
    };
    let go_all = |particles: &mut [Particle<Vec2>], targets: &[Vec2]| {
        tracker.move_all(particles, targets, |_, end| assert!(end.is_ok()));
    };
    sweep(&line, options, particle, aim, go, Some(&go_all));
}

fn surface(options: &Options, cells: usize) {
    let start = Instant::now();
    let (map, points) = plane_grid(cells, &mut Random(options.seed));
    let points: Vec<Vec3> = points.iter().map(|p| p.extend((p.x * 0.3).sin() + (p.y * 0.2).cos())).collect();
    let faces = map.cell_ids(Orbit::Face).expect("numbered");
    let tracker = SurfaceTracker::new(&map, &points).expect("sound");
    let line = Line {
        name: "quadrilaterals, hilly",
        dimension: 2,
        cells: faces.count(),
        build_s: start.elapsed().as_secs_f64(),
    };
    let particle = |face| tracker.particle_at(faces.dart(face).expect("a face")).expect("a face");
    let aim = |_: &SurfaceParticle, random: &mut Random, step: f64| {
        Vec2::from_angle(random.unit() * std::f64::consts::TAU).extend(0.0) * step
    };
    let go = |particle: &mut SurfaceParticle, by: &Vec3| {
        let before = faces.of(particle.dart());
        tracker.move_by(particle, *by, |_, _| ()).expect("sound");
        before != faces.of(particle.dart())
    };
    sweep(&line, options, particle, aim, go, None);
}

fn space_grid(cells: usize) -> (Map3, Vec<Vec3>) {
    let n = (cells as f64).cbrt().round() as u32;
    let map = Map3::hexahedral_grid([n; 3]).expect("fits");
    (map, grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) }, [n; 3]))
}

fn aim_in_space(particle: &Particle<Vec3>, random: &mut Random, step: f64) -> Vec3 {
    particle.position + random.direction() * step
}

fn boxes(options: &Options, cells: usize) {
    let start = Instant::now();
    let (map, points) = space_grid(cells);
    let volumes = map.cell_ids(Orbit::Volume).expect("numbered");
    let line =
        Line { name: "boxes, convex", dimension: 3, cells: volumes.count(), build_s: start.elapsed().as_secs_f64() };
    let tracker = Tracker3::new(&map, &points).expect("sound");
    let particle = |volume| {
        let dart = volumes.dart(volume).expect("a volume");
        let corner = points[map.id(Orbit::Vertex, dart) as usize];
        tracker.particle_in(dart, corner + Vec3::splat(0.5)).expect("convex")
    };
    let go = |particle: &mut Particle<Vec3>, target: &Vec3| {
        let before = volumes.of(particle.dart);
        tracker.move_to(particle, *target, |_, _| ()).expect("convex");
        before != volumes.of(particle.dart)
    };
    let go_all = |particles: &mut [Particle<Vec3>], targets: &[Vec3]| {
        tracker.move_all(particles, targets, |_, end| assert!(end.is_ok()));
    };
    sweep(&line, options, particle, aim_in_space, go, Some(&go_all));
}

fn hexahedra(options: &Options, cells: usize) {
    let start = Instant::now();
    let (mut map, mut points) = space_grid(cells);
    map.enable_ids(Orbit::Face);
    let mut random = Random(options.seed);
    for point in &mut points {
        *point += Vec3::new(jittered(&mut random), jittered(&mut random), jittered(&mut random));
    }
    let centres = Centres::new(&map, &points).expect("sound");
    let volumes = map.cell_ids(Orbit::Volume).expect("numbered");
    let line = Line {
        name: "hexahedra, star-shaped",
        dimension: 3,
        cells: volumes.count(),
        build_s: start.elapsed().as_secs_f64(),
    };
    let tracker = StarTracker::new(&map, &points, &centres).expect("sound");
    let particle = |volume| {
        let dart = volumes.dart(volume).expect("a volume");
        tracker.particle_in(dart, centres.volumes()[volume as usize]).expect("star-shaped")
    };
    let go = |particle: &mut Particle<Vec3>, target: &Vec3| {
        let before = volumes.of(particle.dart);
        tracker.move_to(particle, *target, |_, _| ()).expect("star-shaped");
        before != volumes.of(particle.dart)
    };
    let go_all = |particles: &mut [Particle<Vec3>], targets: &[Vec3]| {
        tracker.move_all(particles, targets, |_, end| assert!(end.is_ok()));
    };
    sweep(&line, options, particle, aim_in_space, go, Some(&go_all));
}
