//! Registration measured: a crowd in a corridor on coarse, fine and adaptive cells; what refining and coarsening cost;
//! neighbours beside a uniform grid, a spatial hash and a kd-tree.
//!
//! `cargo run --release -p heurt-map --example registration`

mod peers;

use heurt_geometry::Vec2;
use heurt_map::Map2;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Density, Element, EntityId, Environment, Manner, Plane, PlaneEnvironment, PointId};
use heurt_testkit::random::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Metres.
const LENGTH: f64 = 64.0;
const WIDTH: f64 = 32.0;
/// How far agents push each other, metres.
const REACH: f64 = 0.8;
/// Seconds.
const STEP: f64 = 0.05;
const STEPS: usize = 1000;

fn main() {
    corridor([1.0, 2.0]);
    corridor([2.5, 12.0]);
    changes();
    peers::compare();
}

/// Rectangles of a side over a corridor.
pub fn grid(length: f64, width: f64, side: f64) -> PlaneEnvironment {
    let [nx, ny] = [length, width].map(|along| (along / side).round() as u32);
    let map = Map2::grid(nx, ny).expect("a grid");
    let at = |k: u32| Vec2::new(f64::from(k % (nx + 1)), f64::from(k / (nx + 1))) * side;
    let points = (0..(nx + 1) * (ny + 1)).map(at).collect();
    Environment::new(ImplicitMap::new(map), Plane::new(points).expect("finite")).expect("squares")
}

/// What an entity is to those who meet it.
#[derive(Clone, Copy)]
enum Body {
    Agent(usize),
    Side([PointId; 2]),
}

struct Agent {
    point: PointId,
    at: Vec2,
    velocity: Vec2,
    goal: Vec2,
}

struct Crowd {
    env: PlaneEnvironment,
    agents: Vec<Agent>,
    /// By number of entity.
    bodies: Vec<Body>,
    cars: Vec<(Vec<PointId>, f64)>,
    density: Option<Density>,
    times: [Duration; 4],
    seen: u64,
    /// Agents that changed their cell, all steps together.
    changed: u64,
}

impl Crowd {
    /// Two groups of agents, one at each end, and cars in two columns that go to and fro across (S4 fig. 8.9).
    fn new(side: f64, density: Option<Density>, agents: usize, cars: usize, [wide, long]: [f64; 2]) -> Self {
        let env = grid(LENGTH, WIDTH, side);
        let mut crowd = Self {
            env,
            agents: vec![],
            bodies: vec![],
            cars: vec![],
            density,
            times: Default::default(),
            seen: 0,
            changed: 0,
        };
        let mut random = Random::new(1);
        for k in 0..agents {
            let across = 1.0 + random.unit() * (WIDTH - 2.0);
            let depth = 0.5 + random.unit() * 14.0;
            let (x, goal) = if k % 2 == 0 { (depth, LENGTH - depth) } else { (LENGTH - depth, depth) };
            let at = Vec2::new(x, across);
            let entity = crowd.env.add_particle(at).expect("inside");
            let point = crowd.env.points(entity).expect("registered").next().expect("a point");
            crowd.agents.push(Agent { point, at, velocity: Vec2::ZERO, goal: Vec2::new(goal, across) });
            crowd.know(entity, Body::Agent(k));
        }
        for k in 0..cars {
            let x = if k % 2 == 0 { 26.0 } else { 36.0 } + random.unit() * 2.0;
            let y = 2.0 + random.unit() * (WIDTH - 5.0 - long);
            let corners = [[0.0, 0.0], [wide, 0.0], [wide, long], [0.0, long]];
            let corners = corners.map(|[dx, dy]| Vec2::new(x + dx, y + dy));
            // The fifth edge looks ahead (S4 fig. 8.8).
            let ahead = Vec2::new(x + wide / 2.0, y + long + 1.0);
            let middle = Vec2::new(x + wide / 2.0, y + long / 2.0);
            let points = [corners[0], corners[1], corners[2], corners[3], middle, ahead];
            let sides = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5]].map(Element::Edge);
            let entities = crowd.env.add(&points, &sides, Manner::default()).expect("inside");
            let mut all = Vec::new();
            for &entity in &entities {
                let ends: Vec<PointId> = crowd.env.points(entity).expect("registered").collect();
                all.extend(ends.iter().copied().filter(|end| !all.contains(end)).collect::<Vec<_>>());
                crowd.know(entity, Body::Side([ends[0], ends[1]]));
            }
            crowd.cars.push((all, if k % 4 < 2 { 1.5 } else { -1.5 }));
        }
        crowd
    }

    fn know(&mut self, entity: EntityId, body: Body) {
        assert_eq!(entity.0 as usize, self.bodies.len());
        self.bodies.push(body);
    }

    fn step(&mut self) {
        let start = Instant::now();
        self.steer();
        let steered = Instant::now();
        for agent in &mut self.agents {
            let room = Vec2::new(LENGTH, WIDTH) - 0.01;
            agent.at = (agent.at + agent.velocity * STEP).clamp(Vec2::splat(0.01), room);
            self.changed += u64::from(self.env.move_point(agent.point, agent.at).expect("inside").registered);
        }
        let moved = Instant::now();
        self.drive();
        let driven = Instant::now();
        if let Some(density) = &mut self.density {
            black_box(self.env.adapt(density, usize::MAX));
        }
        let times = [steered - start, moved - steered, driven - moved, driven.elapsed()];
        for (sum, time) in self.times.iter_mut().zip(times) {
            *sum += time;
        }
    }

    /// Agents go to their goals and are pushed by those near (S4 equation 8.1).
    fn steer(&mut self) {
        for k in 0..self.agents.len() {
            let Agent { point, at, goal, .. } = self.agents[k];
            let mut force = (goal - at).normalize_or_zero() * 1.3;
            for &other in self.env.surroundings(point).expect("registered").into_iter().flatten() {
                self.seen += 1;
                let nearest = match self.bodies[other.0 as usize] {
                    Body::Agent(other) if other == k => continue,
                    Body::Agent(other) => self.agents[other].at,
                    Body::Side(ends) => {
                        let [a, b] = ends.map(|end| self.env.particle(end).expect("registered").position);
                        a + (b - a) * ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0)
                    }
                };
                let away = at - nearest;
                let distance = away.length();
                if distance < REACH && distance > 0.0 {
                    force += away / distance * (6.0 * (REACH - distance) * (REACH - distance));
                }
            }
            self.agents[k].velocity = force.clamp_length_max(1.8);
        }
    }

    /// Cars go across, and turn round before the walls.
    fn drive(&mut self) {
        let mut moves = Vec::new();
        for (points, speed) in &mut self.cars {
            let at: Vec<Vec2> =
                points.iter().map(|&end| self.env.particle(end).expect("registered").position).collect();
            let high = at.iter().map(|at| at.y).fold(0.0, f64::max);
            let low = at.iter().map(|at| at.y).fold(f64::INFINITY, f64::min);
            if high + *speed * STEP > WIDTH - 0.5 || low + *speed * STEP < 0.5 {
                *speed = -*speed;
            }
            let by = Vec2::new(0.0, *speed * STEP);
            moves.extend(points.iter().zip(at).map(|(&end, at)| (end, at + by)));
        }
        assert!(self.env.move_points(&moves).expect("registered").failed.is_empty());
    }
}

fn corridor(car: [f64; 2]) {
    let density = |most, finest| Some(Density { most, least: most / 4, finest });
    println!(
        "\nCorridor {LENGTH} m × {WIDTH} m, 1000 agents, 50 cars of {} m × {} m and five edges, {STEPS} steps of {STEP} s\n",
        car[0], car[1]
    );
    println!(
        "| cells | steer µs | agents µs | cars µs | multiresolution µs | step µs | share of multiresolution | \
         neighbours seen | agents registered a step | refined, coarsened a step | cells at the end |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (name, side, density) in [
        ("coarse, 8 m", 8.0, None),
        ("2 m", 2.0, None),
        ("1 m", 1.0, None),
        ("fine, 0.5 m", 0.5, None),
        ("8 m to 1 m, more than 8", 8.0, density(8, 3)),
        ("8 m to 1 m, more than 4", 8.0, density(4, 3)),
        ("8 m to 0.5 m, more than 8", 8.0, density(8, 4)),
        ("8 m to 0.5 m, more than 4", 8.0, density(4, 4)),
    ] {
        // The quickest of three runs, all with the same course.
        let runs = (0..3).map(|_| run(Crowd::new(side, density, 1000, 50, car)));
        let crowd = runs.min_by_key(|run| run.times.iter().sum::<Duration>()).expect("three runs");
        let micros = crowd.times.map(|time| time.as_secs_f64() * 1e6 / STEPS as f64);
        let sum: f64 = micros.iter().sum();
        let counts = crowd.env.counts();
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.1} | {sum:.0} | {:.1} % | {:.1} | {:.1} % | {:.2}, {:.2} | {} |",
            micros[0],
            micros[1],
            micros[2],
            micros[3],
            100.0 * micros[3] / sum,
            crowd.seen as f64 / (1000 * STEPS) as f64,
            100.0 * crowd.changed as f64 / (1000 * STEPS) as f64,
            counts.refined as f64 / STEPS as f64,
            counts.coarsened as f64 / STEPS as f64,
            crowd.env.cells().count(),
        );
    }
}

/// Runs a crowd.
fn run(mut crowd: Crowd) -> Crowd {
    (0..STEPS).for_each(|_| crowd.step());
    crowd
}

/// What refining and coarsening one cell with ten particles cost, beside moves.
fn changes() {
    let mut random = Random::new(3);
    let mut env = grid(16.0, 16.0, 1.0);
    let mut all = Vec::new();
    for k in 0..2560 {
        let cell = k / 10;
        let corner = Vec2::new(f64::from(cell % 16), f64::from(cell / 16));
        let at = corner + Vec2::new(random.unit(), random.unit());
        let entity = env.add_particle(at).expect("inside");
        all.push((env.points(entity).expect("registered").next().expect("a point"), at));
    }
    let amid = env.cell_of(all[10 * (8 * 16 + 8)].0).expect("registered");
    assert_eq!(env.present(amid).expect("a cell").len(), 10);
    let (mut refine, mut coarsen, mut moves, mut crossing) = (vec![], vec![], vec![], vec![]);
    let mut cell = amid;
    for _ in 0..2000 {
        let start = Instant::now();
        let pieces = env.refine(cell).expect("a square").after;
        refine.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        cell = env.coarsen(pieces[0]).expect("pieces").after[0];
        coarsen.push(start.elapsed().as_secs_f64());
        // A tenth of a cell, in any direction, by a hundred particles.
        let first = (random.unit() * 12.0) as usize * 100; // not those about the cell
        let registered = env.counts().registrations;
        let start = Instant::now();
        for (point, at) in &mut all[first..first + 100] {
            let way = Vec2::from_angle(random.unit() * std::f64::consts::TAU) * 0.1;
            *at = (*at + way).clamp(Vec2::splat(0.001), Vec2::splat(15.999));
            env.move_point(*point, *at).expect("inside");
        }
        moves.push(start.elapsed().as_secs_f64());
        crossing.push((env.counts().registrations - registered) as f64);
    }
    let median = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2] * 1e6
    };
    let share = crossing.iter().sum::<f64>() / (100 * crossing.len()) as f64;
    let held = env.present(cell).expect("a cell").len();
    let [refine, coarsen, moves] = [&mut refine, &mut coarsen, &mut moves].map(median);
    println!("\nOne square among others, about ten particles in each ({held} in it at the end)\n");
    println!("| operation | median µs |\n|---|---:|");
    println!("| refine | {refine:.2} |\n| coarsen | {coarsen:.2} |");
    println!("| 100 moves of a tenth of a cell, {:.0} % into other cells | {moves:.2} |", 100.0 * share);
}
