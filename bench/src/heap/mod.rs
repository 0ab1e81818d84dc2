//! `heap`: detection with manifolds in a heap of 10,000 tumbling convex parts, heurt's world against rapier's collision pipeline.
//!
//! Both get the same poses, which rapier's dynamics made, frame after frame, each in a pool of as many threads; who begins alternates.
//! What is timed is that the world is told the poses and finds all pairs, manifolds and events; of rapier, telling it the poses is timed
//! apart. rapier has threads with `--features parallel`. `--case 1000` chooses another size, `--case 0.02` a margin (rapier's prediction) in
//! metres, `--case one` one thread only.

mod peer;
mod scene;

use crate::Options;
use crate::table::time;
use crate::timing::median;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Convex;
use heurt_world::{Body, BodyId, Mass, Settings, World, WorldBytes};
use peer::{Count, Rapier};
use scene::{Heap, Part, Placed};
use std::time::Instant;

/// Frames before the clock counts.
const WARM_UP: usize = 5;

fn wide(v: [f32; 3]) -> Vec3 {
    Vec3::from_array(v.map(f64::from))
}

fn shape(part: &Part) -> Convex {
    let made = match part {
        Part::Cuboid(half) => Convex::cuboid(wide(*half)),
        Part::Hull(points) => Convex::hull(&points.iter().map(|&p| wide(p)).collect::<Vec<_>>()),
        Part::Ball(radius) => Convex::sphere(f64::from(*radius)),
        Part::Capsule(radius, half) => Convex::capsule(f64::from(*radius), f64::from(*half)),
    };
    made.expect("lengths above 0")
}

fn pose(&(rotation, translation): &Placed) -> Pose {
    // `f32` quaternions are unit to 1e-7 only.
    let [x, y, z, w] = rotation.map(f64::from);
    let norm = (x * x + y * y + z * z + w * w).sqrt();
    Pose::from_quaternion([x, y, z, w].map(|c| c / norm), wide(translation)).expect("a unit quaternion")
}

/// heurt's world.
struct Ours {
    world: World,
    ids: Vec<BodyId>,
    poses: Vec<(BodyId, Pose)>,
}

impl Ours {
    fn new(heap: &Heap, margin: f64) -> Self {
        let mut world = World::new(Settings { margin, ..Settings::default() }).expect("a margin");
        for (half, centre) in &heap.walls {
            let pose = Pose::from_translation(wide(*centre)).expect("numbers");
            let wall = Convex::cuboid(wide(*half)).expect("lengths");
            world.insert(Body::fixed(wall, pose)).expect("a body");
        }
        let mass = Mass::of_density(&Convex::sphere(0.1).expect("a radius").into(), 1.0).expect("a mass");
        let bodies = heap.parts.iter().zip(&heap.frames[0]);
        let ids = bodies.map(|(part, at)| world.insert(Body::dynamic(shape(part), pose(at), mass)).expect("a body"));
        let ids = ids.collect();
        Self { world, ids, poses: vec![] }
    }

    /// Copies the poses; conversion from `f32` is not part of it.
    fn hear(&mut self, frame: &[Pose]) {
        self.poses.clear();
        self.poses.extend(self.ids.iter().copied().zip(frame.iter().copied()));
    }

    fn step(&mut self) {
        self.world.detect(&self.poses).expect("poses within range");
    }

    fn count(&self) -> Count {
        let mut count = Count { pairs: self.world.broad_phase().pairs, ..Count::default() };
        for contact in self.world.contacts().iter().filter_map(|touch| touch.contact.as_ref()) {
            count.touching += 1;
            count.points += contact.points.len();
            count.overlapping += usize::from(contact.separation <= 0.0);
        }
        count
    }
}

/// Seconds of each frame.
#[derive(Default)]
struct Times {
    ours: Vec<f64>,
    placing: Vec<f64>,
    theirs: Vec<f64>,
    counts: Vec<[Count; 2]>,
    bytes: WorldBytes,
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn replay(heap: &Heap, poses: &[Vec<Pose>], margin: f64, begins: usize) -> Times {
    let (mut ours, mut theirs) = (Ours::new(heap, margin), Rapier::new(heap, margin as f32));
    let mut times = Times::default();
    for (number, frame) in heap.frames.iter().enumerate() {
        let mut measured = [0.0; 3];
        for turn in 0..2 {
            if (turn + number + begins) % 2 == 0 {
                ours.hear(&poses[number]);
                measured[0] = seconds(|| ours.step());
            } else {
                measured[1] = seconds(|| theirs.place(frame));
                measured[2] = seconds(|| theirs.step());
            }
        }
        if number >= WARM_UP {
            times.ours.push(measured[0]);
            times.placing.push(measured[1]);
            times.theirs.push(measured[2]);
            times.counts.push([ours.count(), theirs.count()]);
            times.bytes = ours.world.bytes();
        }
    }
    times
}

/// Of each frame the least of all rounds.
fn rounds(heap: &Heap, poses: &[Vec<Pose>], margin: f64, rounds: usize) -> Times {
    let mut best = replay(heap, poses, margin, 0);
    for round in 1..rounds {
        let now = replay(heap, poses, margin, round);
        let all = [(&mut best.ours, now.ours), (&mut best.placing, now.placing), (&mut best.theirs, now.theirs)];
        for (best, now) in all {
            best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
        }
    }
    best
}

fn run(heap: &Heap, poses: &[Vec<Pose>], margin: f64, threads: usize, options: &Options) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let times = pool.install(|| rounds(heap, poses, margin, options.rounds.max(1)));
    let of = |times: &[f64]| median(times) * 1e9;
    let (ours, placing, theirs) = (of(&times.ours), of(&times.placing), of(&times.theirs));
    let mean = |pick: &dyn Fn(&[Count; 2]) -> usize| times.counts.iter().map(pick).sum::<usize>() / times.counts.len();
    println!("\n### heap: {} parts, margin {margin}, {threads} thread(s)\n", heap.parts.len());
    println!("| who | median | slowest | / heurt | pairs | within the margin | of these overlapping | points |");
    println!("|---|---|---|---|---|---|---|---|");
    for (side, name, spent, all) in
        [(0, "heurt, poses included", ours, &times.ours), (1, "rapier, without its placing", theirs, &times.theirs)]
    {
        let slowest = all.iter().copied().fold(0.0, f64::max) * 1e9;
        println!(
            "| {name} | {} | {} | {:.2} | {} | {} | {} | {} |",
            time(spent),
            time(slowest),
            spent / ours,
            mean(&|count| count[side].pairs),
            mean(&|count| count[side].touching),
            mean(&|count| count[side].overlapping),
            mean(&|count| count[side].points),
        );
    }
    let of = |bytes: usize, each: usize| bytes / each.max(1);
    let (bytes, bodies, pairs) = (times.bytes, heap.parts.len(), mean(&|count| count[0].pairs));
    println!(
        "| rapier, with its placing ({}) | {} | | {:.2} | | | | |",
        time(placing),
        time(placing + theirs),
        (placing + theirs) / ours
    );
    println!(
        "\nheurt's bytes a body: {} of its own, {} in the broad phase; a pair {}; what is told {} a body",
        of(bytes.bodies, bodies),
        of(bytes.broad_phase, bodies),
        of(bytes.pairs, pairs),
        of(bytes.results, bodies),
    );
}

/// Runs the heap on one thread, and on two where rapier was built with its own.
pub fn heap(options: &Options) {
    let numbers: Vec<f64> = options.cases.iter().filter_map(|case| case.parse().ok()).collect();
    let count = numbers.iter().copied().find(|&n| n >= 2.0).map_or(10_000, |n| n as usize);
    let margins: Vec<f64> = numbers.into_iter().filter(|&n| n < 1.0).collect();
    let margins = if margins.is_empty() { vec![0.0, 0.02] } else { margins };
    let heap = Heap::new(count, options.seed);
    println!("{} frames, mean speed {:.2} m/s", heap.frames.len(), heap.speed);
    let poses: Vec<Vec<Pose>> = heap.frames.iter().map(|frame| frame.iter().map(pose).collect()).collect();
    for margin in margins {
        run(&heap, &poses, margin, 1, options);
        if cfg!(feature = "parallel") && !options.cases.iter().any(|case| case == "one") {
            run(&heap, &poses, margin, 2, options);
        }
    }
}
