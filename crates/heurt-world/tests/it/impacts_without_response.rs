//! Fast bodies of which no response acts on both: a sensor, a script, a cloth. With a dynamic body elsewhere, each
//! response finds the first impact at the time at which a world without a response finds it.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::Cloth;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, BodyId, Detection, Keyframes, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn world(response: Response) -> World {
    let detection = Detection::Continuous;
    World::new(Settings { response, detection, gravity: Vec3::ZERO, ..Settings::default() }).unwrap()
}

fn dynamic_ball(radius: f64, pose: Pose) -> Body {
    let ball: Shape = Convex::sphere(radius).unwrap().into();
    let mass = Mass::of_density(&ball, 1000.0).unwrap();
    Body::dynamic(ball, pose, mass)
}

/// A wall of 2 cm across x, whose near side is at x = `near`.
fn wall(near: f64) -> Body {
    Body::fixed(Convex::cuboid(Vec3::new(0.01, 2.0, 2.0)).unwrap(), at(near + 0.01, 0.0, 0.0))
}

/// A sheet across x that flies at a velocity.
fn sheet(x: f64, speed: f64) -> Body {
    let cloth = Cloth::new(6, 1).unwrap().sheet().clone();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let upright = Pose::from_quaternion([0.0, half, 0.0, half], Vec3::X * x).unwrap();
    Body { velocity: Vec3::X * speed, ..Body::soft(MeshShape::new(cloth).unwrap(), upright) }
}

/// Steps until the bodies meet; returns the time, and how often they met.
fn time_of_impact(world: &mut World, [a, b]: [BodyId; 2]) -> Option<(f64, usize)> {
    let mut times = Vec::new();
    for step in 0..60 {
        world.step(DT).unwrap();
        assert!(world.unproven().is_empty());
        let touch = world.contacts().iter().find(|touch| [touch.a, touch.b] == [a.min(b), a.max(b)]);
        times.extend(touch.and_then(|touch| touch.impact).map(|impact| f64::from(step) * DT + impact.time));
    }
    times.first().map(|first| (*first, times.len()))
}

/// Counts of dynamic bodies elsewhere: none, one that `Auto` solves exactly, and enough for soft steps.
const CROWDS: [u32; 3] = [0, 1, 70];

/// Tests that each response finds one impact of two bodies, at a time.
fn assert_impact(bodies: [Body; 2], time: f64) {
    for response in Response::ALL {
        for count in CROWDS {
            let mut world = world(response);
            let ids = bodies.clone().map(|body| world.insert(body).unwrap());
            for number in 0..count {
                world.insert(dynamic_ball(0.1, at(f64::from(number), 50.0, 0.0))).unwrap();
            }
            let (found, times) = time_of_impact(&mut world, ids).unwrap_or_else(|| panic!("{response:?}, {count}"));
            assert!((found - time).abs() < 1e-6, "{response:?}, {count} bodies: {found} s");
            assert!(found <= time + 1e-12 && times == 1, "{response:?}, {count} bodies: {found} s, {times} times");
        }
    }
}

#[test]
fn a_fast_ball_passes_through_a_sensor() {
    let gate = Body { is_sensor: true, ..wall(3.29) };
    let ball = Body { velocity: Vec3::X * 60.0, ..dynamic_ball(0.05, Pose::IDENTITY) };
    assert_impact([gate.clone(), ball.clone()], 0.054);
    assert_impact([ball, gate], 0.054);
}

#[test]
fn a_sensor_that_flies_meets_a_body_at_rest() {
    let probe = Body { is_sensor: true, velocity: Vec3::X * 60.0, ..dynamic_ball(0.05, Pose::IDENTITY) };
    assert_impact([probe.clone(), dynamic_ball(0.02, at(3.31, 0.0, 0.0))], 0.054);
    assert_impact([probe, wall(3.29)], 0.054);
}

#[test]
fn a_tool_that_moves_passes_through_a_wall() {
    let ball = Convex::sphere(0.05).unwrap();
    let tool = Body { velocity: Vec3::X * 40.0, ..Body::kinematic(ball.clone(), Pose::IDENTITY) };
    assert_impact([tool, wall(1.03)], 0.0245);
    // It rests until the second key.
    let keys = vec![(0.0, Pose::IDENTITY), (0.02, Pose::IDENTITY), (0.03, at(1.0, 0.0, 0.0))];
    let hand = Body::scripted(ball.clone(), Keyframes::new(keys).unwrap());
    assert_impact([hand, wall(0.5)], 0.0245);
    let towards =
        |x: f64, speed: f64| Body { velocity: Vec3::X * speed, ..Body::kinematic(ball.clone(), at(x, 0.0, 0.0)) };
    assert_impact([towards(0.0, 30.0), towards(0.835, -30.0)], 0.735 / 60.0);
}

#[test]
fn a_sheet_passes_through_a_wall_and_through_another_sheet() {
    assert_impact([sheet(0.0, 100.0), wall(39.95)], 0.3995);
    assert_impact([sheet(0.0, 50.0), sheet(52.5, -50.0)], 0.525);
    let gate = Body { is_sensor: true, ..sheet(52.5, -50.0) };
    let ball = Body { velocity: Vec3::X * 50.0, ..dynamic_ball(0.05, at(-0.05, 0.0, 0.0)) };
    assert_impact([ball, gate], 0.525);
}

#[test]
fn a_ball_of_a_heap_passes_through_a_sensor_while_another_island_is_solved_exactly() {
    let mut world = world(Response::Auto);
    let gate = world.insert(Body { is_sensor: true, ..wall(3.29) }).unwrap();
    let ball = Body { velocity: Vec3::X * 60.0, ..dynamic_ball(0.05, Pose::IDENTITY) };
    let ball = world.insert(ball).unwrap();
    for number in 0..70 {
        world.insert(dynamic_ball(0.1, at(f64::from(number), 50.0, 0.0))).unwrap();
    }
    let pen = Body { is_precise: true, ..dynamic_ball(0.1, at(0.0, -50.0, 0.0)) };
    world.insert(pen).unwrap();
    let (time, times) = time_of_impact(&mut world, [gate, ball]).expect("it passes");
    assert!((time - 0.054).abs() < 1e-6 && times == 1, "{time} s, {times} times");
    let report = world.step(DT).unwrap().response;
    assert_eq!((report.exact, report.soft > 70), (1, true));
}

#[test]
fn what_overlaps_as_a_step_begins_has_no_impact() {
    for response in [Response::ImpulseLcp, Response::SoftStep, Response::Auto] {
        let mut world = world(response);
        let gate = Body { is_sensor: true, ..Body::fixed(Convex::sphere(1.0).unwrap(), Pose::IDENTITY) };
        let gate = world.insert(gate).unwrap();
        let ball = world.insert(Body { velocity: Vec3::X * 600.0, ..dynamic_ball(0.05, Pose::IDENTITY) }).unwrap();
        assert_eq!(time_of_impact(&mut world, [gate, ball]), None, "{response:?}");
    }
}
