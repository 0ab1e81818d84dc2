//! Response `auto`: a solver for each island. Small islands, islands with extreme masses or with a precise body are
//! exact, next to heaps that are not; nothing is lost between both.

use crate::support::{at, dynamic};
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Detection, JointDesign, JointKind, Keyframes, Response, Settings, StepReport, World};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn world(response: Response) -> World {
    World::new(Settings { response, detection: Detection::Continuous, ..Settings::default() }).unwrap()
}

fn cube(x: f64, y: f64, z: f64, mass: f64) -> Body {
    dynamic(Convex::cuboid(Vec3::splat(0.5)).unwrap(), at(x, y, z), mass)
}

fn floor(world: &mut World) -> BodyId {
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { restitution: 0.0, friction: 0.6, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap()
}

/// A wall of ten rows, 55 boxes: one island.
fn insert_wall(world: &mut World) -> Vec<BodyId> {
    let mut ids = Vec::new();
    for row in 0..10 {
        for k in 0..10 - row {
            let x = 1.05 * (f64::from(k) + 0.5 * f64::from(row));
            ids.push(world.insert(cube(x, 0.0, 0.5 + f64::from(row), 1.0)).unwrap());
        }
    }
    ids
}

fn step(world: &mut World) -> StepReport {
    world.step(DT).unwrap()
}

fn place(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().pose.translation()
}

fn elastic_ball(x: f64, height: f64) -> Body {
    let ball = dynamic(Convex::sphere(0.5).unwrap(), at(x, 0.0, 0.5 + height), 1.0);
    Body { restitution: 1.0, ..ball }
}

#[test]
fn a_ball_next_to_a_heap_bounces_as_if_alone() {
    let mut both = world(Response::Auto);
    floor(&mut both);
    let ball = both.insert(elastic_ball(-5.0, 2.0)).unwrap();
    let wall = insert_wall(&mut both);
    let mut alone = world(Response::Auto);
    floor(&mut alone);
    let only = alone.insert(elastic_ball(-5.0, 2.0)).unwrap();
    let mut highest = 0.0f64;
    for number in 0..240 {
        let report = step(&mut both);
        step(&mut alone);
        assert_eq!(report.response.exact, 1, "step {number}");
        let (one, other) = (both.body(ball).unwrap(), alone.body(only).unwrap());
        assert_eq!((one.pose, one.velocity), (other.pose, other.velocity), "step {number}");
        if number > 60 {
            let energy = 0.5 * one.velocity.z * one.velocity.z / G + one.pose.translation().z - 0.5;
            highest = highest.max((energy - 2.0).abs());
        }
    }
    assert!(highest < 2e-6, "{highest}");
    for id in wall {
        assert!(both.is_asleep(id), "{id:?} at {}", place(&both, id));
    }
}

#[test]
fn a_heavy_body_on_a_large_island_does_not_sink() {
    let deepest = |response: Response| {
        let mut world = World::new(Settings { response, sleep: false, ..Settings::default() }).unwrap();
        floor(&mut world);
        let plate = Convex::cuboid(Vec3::new(3.5, 3.0, 0.1)).unwrap();
        world.insert(dynamic(plate, at(0.0, 0.0, 0.1), 2.0)).unwrap();
        for k in 0..40 {
            let (x, y) = (f64::from(k % 7) - 3.0, 1.1 * f64::from(k / 7) - 2.75);
            let mass = if k == 17 { 1000.0 } else { 1.0 };
            let shape = Convex::cuboid(Vec3::splat(0.4)).unwrap();
            world.insert(dynamic(shape, at(x, y, 0.6), mass)).unwrap();
        }
        let mut deepest = 0.0f64;
        for _ in 0..60 {
            let report = step(&mut world);
            assert_eq!(report.response.exact, if response == Response::Auto { 41 } else { 0 });
            let separations = world.contacts().iter().flat_map(|touch| &touch.contact).map(|found| found.separation);
            deepest = separations.fold(deepest, f64::min);
        }
        deepest
    };
    let [exact, soft] = [Response::Auto, Response::SoftStep].map(deepest);
    assert!(exact > -1e-6, "{exact}");
    assert!(soft < -1e-4, "{soft}: the case needs no exact solver");
}

#[test]
fn the_island_of_a_precise_body_is_exact() {
    for is_precise in [false, true] {
        let mut world = world(Response::Auto);
        floor(&mut world);
        let wall = insert_wall(&mut world);
        let tool = Body { is_precise, ..cube(-1.0, 0.0, 0.5, 1.0) };
        world.insert(tool).unwrap();
        // A second heap, far away, is no island of the tool.
        for k in 0..40 {
            world.insert(cube(f64::from(k), 50.0, 0.5, 1.0)).unwrap();
        }
        let report = step(&mut world);
        let expected = if is_precise { wall.len() as u32 + 1 } else { 0 };
        assert_eq!(report.response.exact, expected);
        assert!(report.response.residual <= 1e-10, "{:?}", report.response);
    }
}

#[test]
fn a_ball_that_falls_on_a_heap_changes_its_solver_and_comes_to_rest() {
    let mut world = world(Response::Auto);
    floor(&mut world);
    let wall = insert_wall(&mut world);
    let ball = dynamic(Convex::sphere(0.4).unwrap(), at(4.7, 0.05, 16.0), 0.5);
    let ball = world.insert(ball).unwrap();
    let (mut was_exact, mut was_soft) = (false, false);
    for _ in 0..900 {
        let report = step(&mut world);
        was_exact |= report.response.exact == 1;
        was_soft |= report.response.exact == 0 && report.response.asleep < 56;
        assert!(world.energy().kinetic.is_finite());
    }
    assert!(was_exact && was_soft);
    for id in wall.into_iter().chain([ball]) {
        assert!(place(&world, id).z > 0.3 && world.is_asleep(id), "{id:?} at {}", place(&world, id));
    }
}

#[test]
fn kinematic_bodies_move_once_in_a_step_of_both_solvers() {
    let mut world = world(Response::Auto);
    floor(&mut world);
    insert_wall(&mut world);
    let ball = world.insert(elastic_ball(-5.0, 2.0)).unwrap();
    let script = Keyframes::new(vec![(0.0, at(0.0, 20.0, 1.0)), (2.0, at(2.0, 20.0, 1.0))]).unwrap();
    let lift = world.insert(Body::scripted(Convex::cuboid(Vec3::splat(0.5)).unwrap(), script)).unwrap();
    for _ in 0..60 {
        assert_eq!(step(&mut world).response.exact, 1);
    }
    assert!((place(&world, lift) - Vec3::new(1.0, 20.0, 1.0)).length() < 1e-12, "{}", place(&world, lift));
    assert!((world.time() - 1.0).abs() < 1e-12);
    assert!(place(&world, ball).z > 0.4);
}

#[test]
fn a_mixed_world_has_the_same_bits_on_any_number_of_threads_and_after_a_restore() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world(Response::Auto);
            floor(&mut world);
            insert_wall(&mut world);
            for k in 0..5 {
                world.insert(elastic_ball(-5.0 - 1.5 * f64::from(k), 1.0 + f64::from(k))).unwrap();
            }
            insert_chain(&mut world, 40, -30.0);
            let mut saved = None;
            for number in 0..90 {
                step(&mut world);
                if number == 40 {
                    saved = Some(world.snapshot());
                }
            }
            let end = world.state_hash();
            world.restore(&saved.unwrap()).unwrap();
            (41..90).for_each(|_| {
                step(&mut world);
            });
            assert_eq!(world.state_hash(), end, "after the restore, {threads} threads");
            end
        })
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(4), one);
}

fn insert_chain(world: &mut World, count: u32, x: f64) -> Vec<BodyId> {
    insert_damped_chain(world, count, x, 0.0)
}

/// A chain of rods from the world along x.
fn insert_damped_chain(world: &mut World, count: u32, x: f64, damping: f64) -> Vec<BodyId> {
    let rod: Shape = Convex::cuboid(Vec3::new(0.1, 0.02, 0.02)).unwrap().into();
    let mut ids: Vec<BodyId> = Vec::new();
    for k in 0..count {
        let start = x + 0.2 * f64::from(k);
        let body = dynamic(rod.clone(), at(start + 0.1, 10.0, 12.0), 0.2);
        let id = world.insert(Body { linear_damping: damping, angular_damping: damping, ..body }).unwrap();
        let anchor = Vec3::new(start, 10.0, 12.0);
        let joint = JointDesign { b: ids.last().copied(), anchor, ..JointDesign::new(JointKind::Ball, id) };
        world.insert_joint(&joint).unwrap();
        ids.push(id);
    }
    ids
}

#[test]
fn a_long_chain_is_soft_and_a_short_one_exact() {
    let mut world = world(Response::Auto);
    let long = insert_chain(&mut world, 40, 0.0);
    let short = insert_chain(&mut world, 5, 20.0);
    let mut widest = 0.0f64;
    for _ in 0..240 {
        let report = step(&mut world);
        assert_eq!(report.response.exact, 5);
        for pair in long.windows(2) {
            let end = world.body(pair[0]).unwrap().pose.place(Vec3::X * 0.1);
            widest = widest.max(end.distance(world.body(pair[1]).unwrap().pose.place(Vec3::X * -0.1)));
        }
        for pair in short.windows(2) {
            let end = world.body(pair[0]).unwrap().pose.place(Vec3::X * 0.1);
            assert!(end.distance(world.body(pair[1]).unwrap().pose.place(Vec3::X * -0.1)) < 1e-8);
        }
    }
    // A whip: it opens by a tenth of a rod for a few steps.
    assert!(widest < 0.03, "{widest}");
}

#[test]
fn a_weight_on_a_rope_of_soft_joints_is_carried_and_breaks_it() {
    let mut world = world(Response::SoftStep);
    let rods = insert_damped_chain(&mut world, 40, 0.0, 1.0);
    let last = *rods.last().unwrap();
    for _ in 0..1200 {
        step(&mut world);
    }
    let joints: Vec<_> = world.joints().map(|(id, joint)| (id, *joint)).collect();
    let (first, top) = joints[0];
    let weight = 40.0 * 0.2 * G;
    assert!((top.load.force.length() - weight).abs() < 0.02 * weight, "{}", top.load.force);
    let weak =
        JointDesign { anchor: place(&world, last), break_at: Some(50.0), ..JointDesign::new(JointKind::Ball, last) };
    let weak = world.insert_joint(&weak).unwrap();
    world.apply_impulse(last, Vec3::X * 20.0, None).unwrap();
    for _ in 0..60 {
        step(&mut world);
        if world.broken_joints().contains(&weak) {
            break;
        }
    }
    assert!(world.joint(weak).is_none() && world.joint(first).is_some());
}

#[test]
fn joined_bodies_sleep_and_wake_together() {
    let mut world = world(Response::SoftStep);
    floor(&mut world);
    let a = world.insert(cube(0.0, 0.0, 0.5, 1.0)).unwrap();
    let b = world.insert(cube(1.5, 0.0, 0.5, 1.0)).unwrap();
    let joint = JointDesign { b: Some(b), anchor: Vec3::new(0.75, 0.0, 0.5), ..JointDesign::new(JointKind::Fixed, a) };
    let joint = world.insert_joint(&joint).unwrap();
    for _ in 0..120 {
        step(&mut world);
    }
    assert!(world.is_asleep(a) && world.is_asleep(b));
    world.apply_impulse(a, Vec3::Z * 5.0, None).unwrap();
    for _ in 0..6 {
        step(&mut world);
    }
    assert!(!world.is_asleep(a) && !world.is_asleep(b));
    assert!(place(&world, b).z > 0.55, "the joint lifts it: {}", place(&world, b));
    for _ in 0..240 {
        step(&mut world);
    }
    assert!(world.is_asleep(a) && world.is_asleep(b));
    world.remove_joint(joint).unwrap();
    assert!(!world.is_asleep(a) && !world.is_asleep(b));
}

#[test]
fn a_failed_step_leaves_bodies_contacts_and_joints() {
    for response in [Response::Auto, Response::SoftStep, Response::ImpulseLcp] {
        let mut world = world(response);
        floor(&mut world);
        insert_wall(&mut world);
        insert_chain(&mut world, 3, 0.0);
        for _ in 0..30 {
            step(&mut world);
        }
        let fast = Body { velocity: Vec3::X * 1e160, ..cube(0.0, 100.0, 100.0, 1.0) };
        let Ok(fast) = world.insert(fast) else { panic!("a body may have any finite velocity") };
        let before = (world.state_hash(), world.solved_contacts().to_vec(), world.contacts().len());
        let loads: Vec<_> = world.joints().map(|(id, joint)| (id, *joint)).collect();
        assert!(world.step(DT).is_err(), "{response:?}");
        assert_eq!((world.state_hash(), world.solved_contacts().to_vec(), world.contacts().len()), before);
        assert_eq!(world.joints().map(|(id, joint)| (id, *joint)).collect::<Vec<_>>(), loads);
        world.remove(fast).unwrap();
        step(&mut world);
    }
}

#[test]
fn a_fast_ball_does_not_pass_through_a_cube_that_sleeps() {
    let mut world = world(Response::Auto);
    floor(&mut world);
    let target = world.insert(cube(0.0, 0.0, 0.5, 1.0)).unwrap();
    while !world.is_asleep(target) {
        step(&mut world);
        assert!(world.time() < 2.0);
    }
    let ball = Body { velocity: Vec3::X * 100.0, ..dynamic(Convex::sphere(0.2).unwrap(), at(-1.5, 0.0, 0.5), 0.1) };
    let ball = world.insert(ball).unwrap();
    step(&mut world);
    step(&mut world);
    assert!(place(&world, ball).x < place(&world, target).x && !world.is_asleep(target));
    assert!(world.body(target).unwrap().velocity.x > 1.0);
}

#[test]
fn a_body_that_an_impact_drives_into_a_sleeper_stops_there() {
    for count in [1, 40] {
        let mut world = world(Response::Auto);
        floor(&mut world);
        // A sleeper, alone or at the end of a row that soft steps move.
        let row: Vec<BodyId> = (0..count).map(|k| world.insert(cube(f64::from(k), 0.0, 0.5, 1.0)).unwrap()).collect();
        // A ball of no gravity and no speed next to it, hit by a fast one in the middle of a step.
        let still = |x: f64, speed: f64| Body {
            gravity_scale: 0.0,
            velocity: Vec3::X * speed,
            ..dynamic(Convex::sphere(0.2).unwrap(), at(x, 0.0, 0.5), 1.0)
        };
        let target = world.insert(still(-0.8, 0.0)).unwrap();
        for _ in 0..90 {
            step(&mut world);
        }
        assert!(row.iter().all(|id| world.is_asleep(*id)));
        let hammer = world.insert(still(-1.7, 80.0)).unwrap();
        for number in 0..20 {
            step(&mut world);
            let places = [hammer, target, row[0]].map(|id| place(&world, id).x);
            assert!(places[0] < places[1] && places[1] < places[2], "step {number} of {count}: {places:?}");
        }
    }
}

#[test]
fn a_ball_rebounds_in_discrete_detection() {
    for response in [Response::ImpulseLcp, Response::Auto] {
        let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
        floor(&mut world);
        let ball = world.insert(elastic_ball(0.0, 2.0)).unwrap();
        let mut fastest = 0.0f64;
        for _ in 0..60 {
            step(&mut world);
            fastest = fastest.max(world.body(ball).unwrap().velocity.z);
        }
        // The impact is found within a step of its time.
        assert!((fastest - (2.0 * G * 2.0).sqrt()).abs() < 2.0 * G * DT, "{response:?}: {fastest}");
    }
}

#[test]
fn a_load_follows_a_lift_that_pauses() {
    for response in [Response::SoftStep, Response::Auto] {
        let mut world = world(response);
        let keys = vec![(0.0, at(0.0, 0.0, 0.0)), (3.0, at(0.0, 0.0, 0.0)), (5.0, at(0.0, 0.0, -1.0))];
        let lift = Body::scripted(Convex::cuboid(Vec3::new(2.0, 2.0, 0.1)).unwrap(), Keyframes::new(keys).unwrap());
        world.insert(Body { restitution: 0.0, ..lift }).unwrap();
        let load = world.insert(cube(0.0, 0.0, 0.6, 1.0)).unwrap();
        while world.time() < 2.9 {
            step(&mut world);
        }
        assert!(world.is_asleep(load));
        while world.time() < 6.0 {
            step(&mut world);
        }
        assert!((place(&world, load).z + 0.4).abs() < 0.01, "{response:?}: {}", place(&world, load));
    }
}

#[test]
fn a_slow_motor_and_a_pair_in_free_flight_stay_awake() {
    let mut world =
        World::new(Settings { response: Response::SoftStep, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let door = world.insert(cube(0.0, 0.0, 0.0, 1.0)).unwrap();
    let motor = heurt_world::Motor { velocity: 0.02, max_force: 10.0 };
    world.insert_joint(&JointDesign { motor: Some(motor), ..JointDesign::new(JointKind::Hinge, door) }).unwrap();
    let drifting = [5.0, 6.5].map(|x| {
        let body = Body { velocity: Vec3::Y * 0.01, ..cube(x, 0.0, 0.0, 1.0) };
        world.insert(body).unwrap()
    });
    let anchor = Vec3::new(5.75, 0.0, 0.0);
    let joint = JointDesign { b: Some(drifting[1]), anchor, ..JointDesign::new(JointKind::Ball, drifting[0]) };
    world.insert_joint(&joint).unwrap();
    for _ in 0..300 {
        step(&mut world);
    }
    let rate = world.body(door).unwrap().angular_velocity.z.abs();
    assert!((rate - 0.02).abs() < 1e-6, "{rate}");
    assert!((place(&world, drifting[0]).y - 0.05).abs() < 1e-6, "{}", place(&world, drifting[0]));
}

#[test]
fn a_support_removed_after_a_failed_step_lets_its_load_fall() {
    let mut world = world(Response::SoftStep);
    floor(&mut world);
    let [support, load] = [0.5, 1.5].map(|z| world.insert(cube(0.0, 0.0, z, 1.0)).unwrap());
    for _ in 0..90 {
        step(&mut world);
    }
    assert!(world.is_asleep(load));
    let fast = Body { velocity: Vec3::X * 1e160, ..cube(0.0, 100.0, 100.0, 1.0) };
    let fast = world.insert(fast).unwrap();
    assert!(world.step(DT).is_err());
    world.remove(fast).unwrap();
    world.remove(support).unwrap();
    for _ in 0..90 {
        step(&mut world);
    }
    assert!((place(&world, load).z - 0.5).abs() < 0.01, "{}", place(&world, load));
}

#[test]
fn a_joint_to_the_floor_wakes_no_sleepers_on_it() {
    let mut world = world(Response::SoftStep);
    let ground = floor(&mut world);
    let sleeper = world.insert(cube(0.0, 0.0, 0.5, 1.0)).unwrap();
    let door = world.insert(cube(10.0, 0.0, 0.6, 1.0)).unwrap();
    for _ in 0..90 {
        step(&mut world);
    }
    let joint =
        JointDesign { b: Some(ground), anchor: place(&world, door), ..JointDesign::new(JointKind::Hinge, door) };
    let joint = world.insert_joint(&joint).unwrap();
    step(&mut world);
    assert!(world.is_asleep(sleeper) && !world.is_asleep(door));
    world.remove_joint(joint).unwrap();
    step(&mut world);
    assert!(world.is_asleep(sleeper));
}

/// Boxes without gaps, and a stick that starts inside one of them: the exact solver does not solve the island within
/// its iterations.
#[test]
fn an_island_that_is_not_solved_is_left_to_soft_steps() {
    let mut world = world(Response::Auto);
    floor(&mut world);
    let mut boxes = vec![(-2.0, 0.5), (-1.0, 0.5), (0.0, 0.5), (-1.5, 1.5), (-0.5, 1.5), (0.5, 1.5)];
    boxes.extend([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0].map(|x| (x, 2.5)));
    for (x, z) in boxes {
        world.insert(Body { restitution: 0.5, ..cube(x, 0.0, z, 1000.0) }).unwrap();
    }
    let stick = Convex::cuboid(Vec3::new(0.08, 0.08, 0.35)).unwrap();
    let stick = dynamic(stick, at(-3.254424474897304, 0.3538338023676149, 3.33), 17.92);
    world.insert(Body { restitution: 0.5, ..stick }).unwrap();
    let (mut worst, mut soft) = (0.0f64, 0);
    for _ in 0..24 {
        let report = step(&mut world).response;
        (worst, soft) = (worst.max(report.residual), soft.max(report.soft));
        assert_eq!(report.approximate, 0);
    }
    assert!(worst <= 1e-10, "{worst}");
    assert!(soft > 0, "the exact solver solves the scene: it tests nothing");
}

/// Dominoes that are 2 cm from each other and rebound at any speed; the first one is pushed. Masses in kg.
fn dominoes(count: u32, first: Body) -> World {
    let settings = Settings { restitution_threshold: Some(0.0), ..*world(Response::Auto).settings() };
    let mut world = World::new(settings).unwrap();
    floor(&mut world);
    let bodies = (0..count).map(|k| {
        let body = if k == 0 { first.clone() } else { domino(0.02) };
        Body { pose: at(0.02 * f64::from(k), 0.0, 0.04), ..body }
    });
    for body in bodies {
        world.insert(body).unwrap();
    }
    world
}

fn domino(mass: f64) -> Body {
    let shape = Convex::cuboid(Vec3::new(0.005, 0.02, 0.04)).unwrap();
    Body { restitution: 0.3, friction: 0.3, ..dynamic(shape, Pose::IDENTITY, mass) }
}

fn pushed(mass: f64) -> Body {
    Body { velocity: Vec3::new(0.12, 0.0, 0.0), angular_velocity: Vec3::new(0.0, 3.0, 0.0), ..domino(mass) }
}

/// Units of work of the exact solver in a step: three times its length at 4 million a second.
const BUDGET: f64 = 3.0 * 4e6 * DT;

#[test]
fn dominoes_whose_exact_solves_exceed_the_budget_take_soft_steps() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = dominoes(60, pushed(0.02));
            let reports: Vec<_> = (0..90).map(|_| step(&mut world).response).collect();
            (world.state_hash(), reports)
        })
    };
    let (hash, reports) = run(1);
    // The attempt that exceeds the budget, up to the end of its solve, and those without the costly islands.
    let most = reports.iter().map(|report| report.work).max().unwrap_or_default() as f64;
    assert!(most > BUDGET && most <= 3.0 * BUDGET, "{most}");
    assert!(reports.iter().any(|report| report.over_budget > 0), "the budget was never exceeded");
    assert!(reports.iter().all(|report| report.over_budget <= report.soft + report.asleep));
    assert_eq!(run(3), (hash, reports), "the choice depends on the number of threads");
}

#[test]
fn small_islands_and_precise_ones_never_exceed_the_budget() {
    let mut few = dominoes(6, pushed(0.02));
    let mut many = dominoes(32, pushed(0.02));
    let mut precise = dominoes(32, Body { is_precise: true, ..pushed(0.02) });
    let mut is_exceeded = false;
    for _ in 0..60 {
        assert_eq!(step(&mut few).response.over_budget, 0);
        is_exceeded |= step(&mut many).response.over_budget > 0;
        assert_eq!(step(&mut precise).response.over_budget, 0);
    }
    assert!(is_exceeded, "the same dominoes without a precise body are within the budget");
}
