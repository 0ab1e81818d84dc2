//! The response by penalty next to the exact and the soft one: rebound, stack, slope, energy, stiffness, joints.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Detection, JointDesign, JointKind, Mass, Response, Settings, World, WorldError};

const DT: f64 = 1.0 / 60.0;
/// The rows of the table in docs/response.md.
const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Penalty];

fn world_of(response: Response) -> World {
    let settings = Settings { response, detection: Detection::Continuous, ..Settings::default() };
    World::new(settings).expect("settings")
}

fn insert(world: &mut World, shape: impl Into<Shape>, at: Vec3, restitution: f64, friction: f64) -> BodyId {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, 1.0).expect("a mass");
    let body = Body::dynamic(shape, Pose::from_translation(at).expect("a pose"), mass);
    world.insert(Body { restitution, friction, ..body }).expect("a body")
}

fn floor(world: &mut World, normal: Vec3, friction: f64) {
    let plane = Convex::half_space(normal, 0.0).expect("a plane");
    let body = Body { restitution: 0.0, friction, ..Body::fixed(plane, Pose::IDENTITY) };
    world.insert(body).expect("a body");
}

fn height(world: &World, body: BodyId) -> f64 {
    world.body(body).expect("a body").pose.translation().z
}

/// A ball of 1 kg and radius 0.1 m falls from 1 m onto a floor in steps of `dt` seconds: the height of its rebound, and
/// its deepest overlap at the end of a step.
fn drop_ball(response: Response, restitution: f64, dt: f64) -> [f64; 2] {
    let mut world = world_of(response);
    floor(&mut world, Vec3::Z, 0.5);
    let ball = insert(&mut world, Convex::sphere(0.1).expect("a ball"), Vec3::Z * 1.1, restitution, 0.5);
    let (mut has_fallen, mut top, mut deepest) = (false, 0.0f64, 0.0f64);
    for _ in 0..(1.0 / dt) as u32 {
        let before = world.body(ball).expect("a body").velocity.z;
        world.step(dt).expect("a step");
        has_fallen |= before < 0.0 && world.body(ball).expect("a body").velocity.z > 0.0;
        if has_fallen {
            top = top.max(height(&world, ball) - 0.1);
        }
        deepest = deepest.max(0.1 - height(&world, ball));
    }
    [top, deepest]
}

/// Five boxes of 1 kg on each other for 5 s: the fall of the top one, the deepest overlap and the kinetic energy at the
/// end, and microseconds for a step.
fn hold_stack(response: Response) -> [f64; 4] {
    let mut world = world_of(response);
    floor(&mut world, Vec3::Z, 0.5);
    let cube = Convex::cuboid(Vec3::splat(0.5)).expect("a box");
    let boxes: Vec<BodyId> =
        (0..5).map(|level| insert(&mut world, cube.clone(), Vec3::Z * (0.5 + f64::from(level)), 0.0, 0.5)).collect();
    let begun = std::time::Instant::now();
    for _ in 0..300 {
        world.step(DT).expect("a step");
    }
    let micros = begun.elapsed().as_secs_f64() * 1e6 / 300.0;
    let overlap = |contact: &heurt_world::BodyContact| contact.contact.as_ref().map_or(0.0, |found| -found.separation);
    let deepest = world.contacts().iter().map(overlap).fold(0.0, f64::max);
    [4.5 - height(&world, boxes[4]), deepest, world.energy().kinetic, micros]
}

/// A box with friction 0.5 at rest on a slope of 20° for 5 s: the distance that it creeps.
fn rest_on_slope(response: Response) -> f64 {
    let mut world = world_of(response);
    let angle = 20f64.to_radians();
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    floor(&mut world, normal, 0.5);
    let half = 0.5 * angle;
    let pose = Pose::from_quaternion([0.0, half.sin(), 0.0, half.cos()], normal * 0.5).expect("a pose");
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).expect("a box").into();
    let mass = Mass::of_total(&cube, 1.0).expect("a mass");
    let body = Body { restitution: 0.0, friction: 0.5, ..Body::dynamic(cube, pose, mass) };
    let body = world.insert(body).expect("a body");
    for _ in 0..300 {
        world.step(DT).expect("a step");
    }
    (world.body(body).expect("a body").pose.translation() - normal * 0.5).length()
}

#[test]
fn the_table_of_the_page_holds() {
    let mut rows = Vec::new();
    for response in RESPONSES {
        let [elastic, _] = drop_ball(response, 1.0, DT);
        let [half, _] = drop_ball(response, 0.5, DT);
        let [_, deep] = drop_ball(response, 0.5, 1e-4);
        let [sunk, overlap, energy, micros] = hold_stack(response);
        rows.push([elastic, half, deep, sunk, overlap, rest_on_slope(response), energy]);
        println!("{} {:?}, {micros:.0} µs a step", response.name(), rows[rows.len() - 1]);
    }
    let [exact, soft, springs] = [rows[0], rows[1], rows[2]];
    // Rebounds from 1 m: 1 m and 0.25 m.
    assert!((exact[0] - 1.0).abs() < 0.01 && (exact[1] - 0.25).abs() < 0.01, "{exact:?}");
    assert!((soft[0] - 1.0).abs() < 0.05 && (soft[1] - 0.25).abs() < 0.02, "{soft:?}");
    assert!((springs[0] - 1.0).abs() < 0.01 && (springs[1] - 0.25).abs() < 0.01, "{springs:?}");
    // Overlaps: none, less than 1 mm, and the centimetre of a fast ball on a spring.
    assert!(exact[2] < 1e-6 && exact[4] < 1e-6 && exact[3].abs() < 1e-6, "{exact:?}");
    assert!(soft[2] < 1e-3 && soft[4] < 1e-3 && soft[3] < 3e-3, "{soft:?}");
    // 0.1 mm for the weight of one box on a spring: the lowest four carry five.
    assert!(springs[2] > 5e-3 && springs[2] < 2e-2, "{springs:?}");
    assert!((springs[4] - 1.25e-4).abs() < 1e-6 && (springs[3] - 3.75e-4).abs() < 1e-6, "{springs:?}");
    assert!(rows.iter().all(|row| row[6] < 1e-6), "all stand: {rows:?}");
    // Dampers are no friction at rest: the box creeps.
    assert!(exact[5] < 1e-6 && soft[5] < 1e-3, "{exact:?} {soft:?}");
    assert!(springs[5] > 1e-3 && springs[5] < 0.05, "{springs:?}");
}

#[test]
fn a_weight_sinks_by_its_weight_through_the_stiffness() {
    for (stiffness, due) in [(None, 1e-4), (Some(9.81e3), 1e-3)] {
        let settings = Settings { response: Response::Penalty, penalty_stiffness: stiffness, ..Settings::default() };
        let mut world = World::new(settings).expect("settings");
        floor(&mut world, Vec3::Z, 0.5);
        let ball = insert(&mut world, Convex::sphere(0.5).expect("a ball"), Vec3::Z * 0.5, 0.0, 0.5);
        for _ in 0..120 {
            world.step(DT).expect("a step");
        }
        let sunk = 0.5 - height(&world, ball);
        assert!((sunk - due).abs() < 1e-6, "{sunk} for {due}");
        let carried = world.solved_contacts()[0].impulse();
        assert!((carried - 9.81 * DT).abs() < 1e-6, "{carried}");
    }
}

#[test]
fn springs_keep_momentum_between_bodies_and_repeat_their_bits() {
    let run = || {
        let settings = Settings { response: Response::Penalty, gravity: Vec3::ZERO, ..Settings::default() };
        let mut world = World::new(settings).expect("settings");
        let cube = Convex::cuboid(Vec3::splat(0.5)).expect("a box");
        let a = insert(&mut world, cube.clone(), Vec3::ZERO, 1.0, 0.5);
        insert(&mut world, cube, Vec3::new(1.3, 0.4, 0.2), 1.0, 0.5);
        world.set_state(a, Pose::IDENTITY, Vec3::X * 3.0, Vec3::new(0.1, 0.2, 0.3)).expect("a state");
        let [before, _] = world.momentum();
        for _ in 0..60 {
            world.step(DT).expect("a step");
        }
        let [after, _] = world.momentum();
        assert!((after - before).length() < 1e-9, "{before} {after}");
        assert!(world.body(a).expect("a body").velocity.x < 2.5, "they met");
        world.state_hash()
    };
    assert_eq!(run(), run());
}

#[test]
fn joints_and_springs_too_stiff_are_typed_errors() {
    let mut world = world_of(Response::Penalty);
    floor(&mut world, Vec3::Z, 0.5);
    let ball = insert(&mut world, Convex::sphere(0.5).expect("a ball"), Vec3::Z * 0.5, 0.0, 0.5);
    let design = JointDesign::new(JointKind::Ball, ball);
    assert_eq!(world.insert_joint(&design), Err(WorldError::NoJoints));
    for stiffness in [1e30, f64::MAX] {
        let settings =
            Settings { response: Response::Penalty, penalty_stiffness: Some(stiffness), ..Settings::default() };
        let mut world = World::new(settings).expect("settings");
        floor(&mut world, Vec3::Z, 0.5);
        insert(&mut world, Convex::sphere(0.5).expect("a ball"), Vec3::Z * 0.4, 0.0, 0.5);
        let hash = world.state_hash();
        assert!(matches!(world.step(DT), Err(WorldError::TooStiff { .. })), "{stiffness}");
        assert_eq!(world.state_hash(), hash, "the world is as it was");
    }
    let negative = Settings { penalty_stiffness: Some(-1.0), ..Settings::default() };
    assert!(World::new(negative).is_err());
}
