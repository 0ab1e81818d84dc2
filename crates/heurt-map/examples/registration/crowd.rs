//! The corridor of S4 §8.3.2 and what its tasks cost on coarse, fine and adaptive cells (S4 fig. 8.18).
//!
//! In: a size of environment, agents, cars, cells. Out: a table. Two groups of agents cross a rectangle from its ends;
//! cars (rectangles: four edges and a fifth that looks ahead, S4 fig. 8.8) go to and fro across it in two columns. In
//! each step an agent looks at all that the lists of its cell hold and *selects* what is within the reach of its
//! forces; *behaves*: forces are those of S4 equation 8.1, about edges on ellipses; agents and cars *move* and are
//! registered; cells follow the density of agents: "4 to 1" refines cells of more than 4 and makes four cells one again
//! that have no more than 1 together. S4 does not tell its sizes; those here are metres.

use crate::grid;
use heurt_geometry::Vec2;
use heurt_map::multires::Multiresolution;
use heurt_map::registration::{Adapted, Density, Element, PlaneEnvironment, PointId, RegistrationMode};
use heurt_map::{CellIds, CombinatorialMap, Orbit};
use heurt_testkit::number::random::Random;
use std::time::{Duration, Instant};

/// How far forces reach: R of S4 equation 8.1, metres.
const REACH: f64 = 0.8;
/// Stiffness k, 1/(m·s²), and damping z, 1/s.
const STIFFNESS: f64 = 30.0;
const DAMPING: f64 = 1.0;
/// Speeds, m/s, and the time in which an agent takes up its speed, s.
const WALK: f64 = 1.3;
const RUN: f64 = 1.8;
const DRIVE: f64 = 1.5;
const TAKE_UP: f64 = 0.5;
/// Seconds.
const STEP: f64 = 0.05;
const STEPS: usize = 1000;
const ROUNDS: usize = 5;

/// What a crowd is and where.
#[derive(Clone, Copy)]
struct Scene {
    /// Along and across, metres.
    room: Vec2,
    agents: usize,
    /// Each group stands this far from the middle at first, from here to there, over this width.
    stand: [f64; 2],
    width: f64,
    cars: usize,
    /// Across and along their wanted, metres.
    car: [f64; 2],
}

struct Car {
    points: Vec<PointId>,
    at: Vec<Vec2>,
    speed: f64,
}

/// One thing that an agent reckons with: where the force comes from, how far away it is and how fast it comes nearer.
struct Chosen {
    away: Vec2,
    distance: f64,
    rate: f64,
}

struct Crowd {
    scene: Scene,
    env: PlaneEnvironment,
    /// Agents by number, which is that of their entity too.
    points: Vec<PointId>,
    at: Vec<Vec2>,
    velocity: Vec<Vec2>,
    goal: Vec<Vec2>,
    cars: Vec<Car>,
    /// Edges by number of entity less the number of agents: ends, speed.
    sides: Vec<([Vec2; 2], f64)>,
    /// Those within reach of one agent.
    near: Vec<u32>,
    chosen: Vec<Chosen>,
    /// Where the part of each agent ends in `chosen`.
    ends: Vec<usize>,
    density: Option<Density>,
    tally: Tally,
}

/// What happened in all steps.
#[derive(Default)]
struct Tally {
    /// Of each task in each step.
    times: Vec<[Duration; 5]>,
    seen: usize,
    chosen: usize,
    /// Agents and edges that changed their cells.
    changed: [u64; 2],
}

/// The edges of a car over its points: four corners, the middle, and ahead of it.
const SIDES: [[u32; 2]; 5] = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5]];

impl Crowd {
    fn new(scene: Scene, side: f64, density: Option<Density>) -> Self {
        let Scene { room, agents, stand: [from, to], width, .. } = scene;
        let mut crowd = Self {
            scene,
            env: grid(room.x, room.y, side),
            points: vec![],
            at: vec![],
            velocity: vec![Vec2::ZERO; agents],
            goal: vec![],
            cars: vec![],
            sides: vec![],
            near: vec![],
            chosen: vec![],
            ends: vec![],
            density,
            tally: Tally::default(),
        };
        let mut random = Random::new(1);
        for k in 0..agents {
            let across = room.y / 2.0 + (random.unit() - 0.5) * width;
            let away = from + random.unit() * (to - from);
            let away = if k % 2 == 0 { -away } else { away };
            let [x, goal] = [away, -away].map(|away| room.x / 2.0 + away);
            let at = Vec2::new(x, across);
            let entity = crowd.env.add_particle(at).expect("inside");
            assert_eq!(entity.0 as usize, k);
            crowd.points.push(crowd.env.points(entity).expect("registered").next().expect("a point"));
            crowd.at.push(at);
            crowd.goal.push(Vec2::new(goal, across));
        }
        for k in 0..scene.cars {
            crowd.add_car(k, &mut random);
        }
        crowd
    }

    fn add_car(&mut self, k: usize, random: &mut Random) {
        let (room, [wide, long]) = (self.scene.room, self.scene.car);
        let x = room.x / 2.0 + [-6.0, 4.0][k % 2] + random.unit() * 2.0;
        let y = 2.0 + random.unit() * (room.y - 5.0 - long);
        let speed = if k % 4 < 2 { DRIVE } else { -DRIVE };
        let front = if speed > 0.0 { long + DRIVE } else { -DRIVE };
        let corners =
            [[0.0, 0.0], [wide, 0.0], [wide, long], [0.0, long], [wide / 2.0, long / 2.0], [wide / 2.0, front]];
        let at: Vec<Vec2> = corners.iter().map(|&[dx, dy]| Vec2::new(x + dx, y + dy)).collect();
        let entities = self.env.add(&at, &SIDES.map(Element::Edge), RegistrationMode::default()).expect("inside");
        let points = (0..6_u32).map(|place| {
            let side = SIDES.iter().position(|side| side.contains(&place)).expect("of an edge");
            let end = usize::from(SIDES[side][1] == place);
            self.env.points(entities[side]).expect("registered").nth(end).expect("two ends")
        });
        self.cars.push(Car { points: points.collect(), at, speed });
        self.sides.extend([([Vec2::ZERO; 2], 0.0); 5]);
        self.place_sides(k);
    }

    /// Tells where the edges of a car are.
    fn place_sides(&mut self, k: usize) {
        let car = &self.cars[k];
        for (side, ends) in self.sides[5 * k..].iter_mut().zip(SIDES) {
            *side = (ends.map(|end| car.at[end as usize]), car.speed);
        }
    }

    fn step(&mut self) {
        let start = Instant::now();
        self.select();
        let selected = Instant::now();
        self.behave();
        let behaved = Instant::now();
        self.walk();
        let walked = Instant::now();
        self.drive();
        let driven = Instant::now();
        if let Some(density) = &mut self.density {
            let Adapted { refused, .. } = self.env.adapt(density, usize::MAX);
            assert!(refused.is_empty());
        }
        let times = [selected - start, behaved - selected, walked - behaved, driven - walked, driven.elapsed()];
        self.tally.times.push(times);
    }

    /// Finds what is within reach among what the lists of each agent's cell hold.
    fn select(&mut self) {
        self.chosen.clear();
        self.ends.clear();
        for k in 0..self.at.len() {
            let (at, velocity) = (self.at[k], self.velocity[k]);
            let around = self.env.surroundings(self.points[k]).expect("registered");
            // Whether something is within reach cannot be foretold, so no branch asks: each goes to the end of the row,
            // and stays if it is.
            let mut near = 0;
            for list in around.particles {
                self.tally.seen += list.len();
                self.near.resize(self.near.len().max(near + list.len() + 1), 0);
                for other in list {
                    self.near[near] = other.0;
                    near += usize::from((at - self.at[other.0 as usize]).length_squared() < REACH * REACH);
                }
            }
            for &other in &self.near[..near] {
                let other = other as usize;
                let away = at - self.at[other];
                let distance = away.length();
                if distance > 0.0 {
                    let away = away / distance;
                    self.chosen.push(Chosen { away, distance, rate: away.dot(velocity - self.velocity[other]) });
                }
            }
            for list in around.others {
                self.tally.seen += list.len();
                for edge in list {
                    let ([a, b], speed) = self.sides[edge.0 as usize - self.at.len()];
                    let [to_a, to_b] = [at - a, at - b];
                    let [far_a, far_b] = [to_a.length(), to_b.length()];
                    // Its lines of equal distance are ellipses about the ends.
                    let distance = 0.5 * (far_a + far_b - (b - a).length());
                    if distance < REACH {
                        let away = (to_a / far_a + to_b / far_b).normalize_or_zero();
                        let rate = away.dot(velocity - Vec2::new(0.0, speed));
                        self.chosen.push(Chosen { away, distance, rate });
                    }
                }
            }
            self.ends.push(self.chosen.len());
        }
        self.tally.chosen += self.chosen.len();
    }

    /// Takes agents to their goals, and away from what is near (S4 equation 8.1).
    fn behave(&mut self) {
        let mut first = 0;
        for k in 0..self.at.len() {
            let wanted = (self.goal[k] - self.at[k]).clamp_length_max(1.0) * WALK;
            let mut force = (wanted - self.velocity[k]) / TAKE_UP;
            for Chosen { away, distance, rate } in &self.chosen[first..self.ends[k]] {
                let depth = REACH - distance;
                force += *away * (STIFFNESS * depth * depth - DAMPING * rate);
            }
            first = self.ends[k];
            self.velocity[k] = (self.velocity[k] + force * STEP).clamp_length_max(RUN);
        }
    }

    fn walk(&mut self) {
        let room = self.scene.room - 0.01;
        for k in 0..self.at.len() {
            self.at[k] = (self.at[k] + self.velocity[k] * STEP).clamp(Vec2::splat(0.01), room);
            let moved = self.env.move_point(self.points[k], self.at[k]).expect("inside");
            self.tally.changed[0] += u64::from(moved.registered);
        }
    }

    /// Cars go across, and back before the walls; then they look the other wanted.
    fn drive(&mut self) {
        for k in 0..self.cars.len() {
            let (car, long) = (&mut self.cars[k], self.scene.car[1]);
            let by = Vec2::new(0.0, car.speed * STEP);
            car.at.iter_mut().for_each(|at| *at += by);
            let (low, high) = (car.at[0].y, car.at[0].y + long);
            if low < 2.0 && car.speed < 0.0 || high > self.scene.room.y - 2.0 && car.speed > 0.0 {
                car.speed = -car.speed;
                car.at[5].y = if car.speed > 0.0 { high + DRIVE } else { low - DRIVE };
            }
            let moves: [(PointId, Vec2); 6] = std::array::from_fn(|point| (car.points[point], car.at[point]));
            let moved = self.env.move_points(&moves).expect("registered");
            assert!(moved.failed.is_empty() && moved.stopped.is_empty());
            self.tally.changed[1] += u64::from(moved.registered);
            self.place_sides(k);
        }
    }
}

/// Bytes of a map, of the numbers of its cells and of their lists.
fn bytes(env: &PlaneEnvironment) -> usize {
    let ids = |orbit| env.map().map().cell_ids(orbit).map_or(0, CellIds::heap_bytes);
    env.map().link_bytes() + ids(Orbit::Vertex) + ids(Orbit::Face) + env.list_bytes()
}

/// Runs one table.
fn table(name: &str, scene: Scene, cells: &[(&str, f64, Option<Density>)]) {
    let Scene { room, agents, cars, car: [wide, long], .. } = scene;
    println!(
        "\n{name}, {} m × {} m, {agents} agents, {cars} cars of {wide} m × {long} m and five edges, {STEPS} steps of {STEP} s\n",
        room.x, room.y
    );
    println!(
        "| cells | select µs | behave µs | agents µs | cars µs | multiresolution µs | step µs | share of multiresolution | \
         seen | selected | agents registered a step | edges registered a step | refined, coarsened a step | cells at the end | MB |"
    );
    println!("|---|{}", "---:|".repeat(14));
    // All runs of a row have the same course: of each task of each step the quickest counts.
    let mut best: Vec<Option<Crowd>> = cells.iter().map(|_| None).collect();
    for _ in 0..ROUNDS {
        for (best, &(_, side, density)) in best.iter_mut().zip(cells) {
            let mut crowd = Crowd::new(scene, side, density);
            (0..STEPS).for_each(|_| crowd.step());
            if let Some(before) = best.take() {
                for (times, before) in crowd.tally.times.iter_mut().flatten().zip(before.tally.times.iter().flatten()) {
                    *times = (*times).min(*before);
                }
            }
            *best = Some(crowd);
        }
    }
    for (crowd, &(name, ..)) in best.iter().flatten().zip(cells) {
        let Tally { times, seen, chosen, changed } = &crowd.tally;
        let sum = |task: usize| times.iter().map(|times| times[task].as_secs_f64()).sum::<f64>();
        let micros = [0, 1, 2, 3, 4].map(|task| sum(task) * 1e6 / STEPS as f64);
        let sum: f64 = micros.iter().sum();
        let counts = crowd.env.counts();
        let each = |count: f64, of: usize| count / (of * STEPS) as f64;
        println!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1} | {sum:.0} | {:.1} % | {:.1} | {:.1} | {:.1} % | {:.1} % | {:.2}, {:.2} | {} | {:.1} |",
            micros[0],
            micros[1],
            micros[2],
            micros[3],
            micros[4],
            100.0 * micros[4] / sum,
            each(*seen as f64, agents),
            each(*chosen as f64, agents),
            100.0 * each(changed[0] as f64, agents),
            100.0 * each(changed[1] as f64, 5 * cars.max(1)),
            counts.refined as f64 / STEPS as f64,
            counts.coarsened as f64 / STEPS as f64,
            crowd.env.cells().count(),
            bytes(&crowd.env) as f64 * 1e-6,
        );
    }
}

/// Prints all tables; only rows whose name has `row` in it.
pub fn compare(row: &str) {
    let density = |most, least| Some(Density { most, least, finest: 4 });
    let cells = [
        ("coarse, 8 m", 8.0, None),
        ("2 m", 2.0, None),
        ("1 m", 1.0, None),
        ("fine, 0.5 m", 0.5, None),
        ("8 m to 0.5 m, 4 to 1", 8.0, density(4, 1)),
        ("8 m to 0.5 m, 6 to 1", 8.0, density(6, 1)),
        ("8 m to 0.5 m, 7 to 1", 8.0, density(7, 1)),
        ("8 m to 0.5 m, 8 to 2", 8.0, density(8, 2)),
    ];
    let cells: Vec<_> = cells.into_iter().filter(|(name, ..)| name.contains(row)).collect();
    let room = Vec2::new(64.0, 32.0);
    let corridor = Scene { room, agents: 1000, stand: [17.5, 31.5], width: 30.0, cars: 50, car: [1.8, 4.5] };
    table("Corridor of S4 fig. 8.18", corridor, &cells);
    table("Corridor, small cars", Scene { car: [1.0, 2.0], ..corridor }, &cells);
    table("Corridor, lorries", Scene { car: [2.5, 12.0], ..corridor }, &cells);
    table("Wide place, the same crowd amid it", Scene { room: Vec2::new(256.0, 128.0), ..corridor }, &cells);
}
