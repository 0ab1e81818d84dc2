//! `response`: whole steps with a response of the same scenes, heurt with `soft-step` against rapier.
//!
//! Both get cubes of 1 m and 1 kg on a floor, friction 0.6, no restitution, steps of 1/60 s, their own defaults, and no
//! sleep. Both take each step in a pool of as many threads, and the first engine alternates. `--case pyramid|wall|pile`
//! chooses; `--case one` is one thread only. rapier has threads with `--features parallel`.

use crate::Options;
use crate::random::Random;
use crate::table::time;
use crate::timing::median;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Convex;
use heurt_world::{Body, Mass, Response, Settings, World};
use rapier3d::prelude as rp;
use std::time::Instant;

/// Steps before the clock counts: by then a pile lies.
const WARM_UP: usize = 180;
/// Steps that count.
const STEPS: usize = 120;
const DT: f64 = 1.0 / 60.0;
const FRICTION: f64 = 0.6;
/// Half of the width of the floor and of its height, in metres.
const FLOOR: [f64; 2] = [300.0, 1.0];

/// The centres of the cubes of a case.
fn centres(case: &str, seed: u64) -> Vec<[f64; 3]> {
    let mut centres = Vec::new();
    match case {
        "pyramid" => {
            for layer in 0..24 {
                let count = 24 - layer;
                let at = |k: i32| f64::from(k) - 0.5 * f64::from(count - 1);
                centres.extend((0..count * count).map(|k| [at(k / count), at(k % count), 0.5 + f64::from(layer)]));
            }
        }
        "wall" => {
            for row in 0..100 {
                let at = |k: i32| 1.05 * (f64::from(k) - 0.5 * f64::from(99 - row));
                centres.extend((0..100 - row).map(|k| [at(k), 0.0, 0.5 + f64::from(row)]));
            }
        }
        _ => {
            let mut random = Random(seed);
            for layer in 0..20 {
                for k in 0..250 {
                    let [x, y] = [f64::from(k % 25), f64::from(k / 25)];
                    let [dx, dy] = [random.unit(), random.unit()].map(|u| 0.2 * (u - 0.5));
                    centres.push([1.2 * x + dx, 1.2 * y + dy, 0.6 + 1.2 * f64::from(layer)]);
                }
            }
        }
    }
    centres
}

fn ours(centres: &[[f64; 3]]) -> World {
    let settings = Settings { response: Response::SoftStep, sleep: false, ..Settings::default() };
    let mut world = World::new(settings).expect("settings");
    let material = |body: Body| Body { friction: FRICTION, restitution: 0.0, ..body };
    let floor = Convex::cuboid(Vec3::new(FLOOR[0], FLOOR[0], FLOOR[1])).expect("lengths");
    let below = Pose::from_translation(Vec3::Z * -FLOOR[1]).expect("numbers");
    world.insert(material(Body::fixed(floor, below))).expect("a body");
    let cube = Convex::cuboid(Vec3::splat(0.5)).expect("lengths");
    let mass = Mass::of_total(&cube.clone().into(), 1.0).expect("a mass");
    for centre in centres {
        let pose = Pose::from_translation(Vec3::from_array(*centre)).expect("numbers");
        world.insert(material(Body::dynamic(cube.clone(), pose, mass))).expect("a body");
    }
    world
}

/// rapier's bodies and what its step needs.
#[derive(Default)]
struct Rapier {
    pipeline: rp::PhysicsPipeline,
    parameters: rp::IntegrationParameters,
    islands: rp::IslandManager,
    broad: rp::DefaultBroadPhase,
    narrow: rp::NarrowPhase,
    bodies: rp::RigidBodySet,
    colliders: rp::ColliderSet,
    joints: rp::ImpulseJointSet,
    multibody: rp::MultibodyJointSet,
    soft: rp::SoftBodySet,
    ccd: rp::CCDSolver,
}

impl Rapier {
    fn new(centres: &[[f64; 3]]) -> Self {
        let mut new = Self::default();
        let [width, height] = FLOOR.map(|x| x as f32);
        let cuboid = |x, y, z| rp::ColliderBuilder::cuboid(x, y, z).friction(FRICTION as f32).restitution(0.0);
        let below = rp::Vector::new(0.0, 0.0, -height);
        new.colliders.insert(cuboid(width, width, height).translation(below));
        for centre in centres {
            let at = rp::Vector::from_array(centre.map(|x| x as f32));
            let body = rp::RigidBodyBuilder::dynamic().translation(at).can_sleep(false);
            let body = new.bodies.insert(body);
            new.colliders.insert_with_parent(cuboid(0.5, 0.5, 0.5).mass(1.0), body, &mut new.bodies);
        }
        new
    }

    fn step(&mut self) {
        let Self { pipeline, parameters, islands, broad, narrow, bodies, colliders, joints, multibody, soft, ccd } =
            self;
        let gravity = rp::Vector::new(0.0, 0.0, -9.81);
        pipeline.step(
            gravity,
            parameters,
            islands,
            broad,
            narrow,
            bodies,
            colliders,
            joints,
            multibody,
            soft,
            ccd,
            &(),
            &(),
        );
    }
}

/// How a scene lies at the end.
#[derive(Default)]
struct State {
    contacts: usize,
    /// Mean and largest depth of points that touch, in metres.
    depth: [f64; 2],
    /// Mean speed, in m/s.
    speed: f64,
}

/// Mean and largest of depths, and their number.
fn state(depths: impl Iterator<Item = f64>, contacts: usize, speeds: impl Iterator<Item = f64>) -> State {
    let (mut sum, mut count, mut deepest) = (0.0, 0, 0.0f64);
    for depth in depths.filter(|depth| *depth > 0.0) {
        (sum, count, deepest) = (sum + depth, count + 1, deepest.max(depth));
    }
    let speeds: Vec<f64> = speeds.collect();
    let speed = speeds.iter().sum::<f64>() / speeds.len() as f64;
    State { contacts, depth: [sum / f64::from(count.max(1)), deepest], speed }
}

fn our_state(world: &World) -> State {
    let depths = world
        .contacts()
        .iter()
        .flat_map(|touch| &touch.contact)
        .flat_map(|contact| &contact.points)
        .map(|p| -p.separation);
    let speeds = world.view().bodies().skip(1).map(|(_, body)| body.velocity.length());
    state(depths, world.contacts().len(), speeds)
}

fn their_state(rapier: &Rapier) -> State {
    let manifolds = || rapier.narrow.contact_pairs().flat_map(|pair| pair.manifolds());
    let depths = manifolds().flat_map(|manifold| &manifold.points).map(|point| -f64::from(point.dist));
    let speeds = rapier.bodies.iter().map(|(_, body)| f64::from(body.linvel().length()));
    state(depths, manifolds().filter(|manifold| !manifold.points.is_empty()).count(), speeds)
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn run(case: &str, threads: usize, seed: u64) {
    let centres = centres(case, seed);
    let (mut world, mut rapier) = (ours(&centres), Rapier::new(&centres));
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..WARM_UP + STEPS {
        let mut measured = [0.0; 2];
        for turn in 0..2 {
            if (turn + number) % 2 == 0 {
                measured[0] = seconds(|| {
                    world.step(DT).expect("a step");
                });
            } else {
                measured[1] = seconds(|| rapier.step());
            }
        }
        if number >= WARM_UP {
            times.iter_mut().zip(measured).for_each(|(times, one)| times.push(one));
        }
    }
    println!("\n### response: {case}, {} cubes, {threads} thread(s)\n", centres.len());
    println!("| engine | median step | slowest | / heurt | contacts | mean depth | deepest | mean speed |");
    println!("|---|---|---|---|---|---|---|---|");
    let ours = median(&times[0]);
    let states = [our_state(&world), their_state(&rapier)];
    for ((name, times), state) in ["heurt soft-step", "rapier"].iter().zip(&times).zip(states) {
        let (spent, slowest) = (median(times), times.iter().copied().fold(0.0, f64::max));
        println!(
            "| {name} | {} | {} | {:.2} | {} | {:.2} mm | {:.2} mm | {:.4} m/s |",
            time(spent * 1e9),
            time(slowest * 1e9),
            spent / ours,
            state.contacts,
            1e3 * state.depth[0],
            1e3 * state.depth[1],
            state.speed
        );
    }
}

/// Runs the scenes on one thread, and on two where rapier was built with its own.
pub fn response(options: &Options) {
    let all = ["pyramid", "wall", "pile"];
    let chosen: Vec<&str> = all.into_iter().filter(|case| options.cases.iter().any(|name| name == case)).collect();
    for case in if chosen.is_empty() { all.to_vec() } else { chosen } {
        for threads in [1, 2] {
            if threads == 2 && (!cfg!(feature = "parallel") || options.cases.iter().any(|name| name == "one")) {
                continue;
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| run(case, threads, options.seed));
        }
    }
}
