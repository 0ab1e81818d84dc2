//! Joints in a world with response `impulse-lcp`: pendulums, motors, limits, breaking, contacts of joined bodies.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{
    Body, BodyId, Detection, JointDesign, JointKind, Mass, Motor, Response, Settings, World, WorldError,
};

const DT: f64 = 1.0 / 240.0;
const G: f64 = 9.81;

fn world(gravity: f64) -> World {
    let settings = Settings { response: Response::ImpulseLcp, gravity: Vec3::Z * -gravity, ..Settings::default() };
    World::new(settings).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn insert(world: &mut World, shape: impl Into<Shape>, pose: Pose, mass: f64) -> BodyId {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    world.insert(Body::dynamic(shape, pose, mass)).unwrap()
}

fn place(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().pose.translation()
}

#[test]
fn a_small_pendulum_has_the_period_of_its_length() {
    let mut world = world(G);
    let length = 1.0;
    let angle = 0.02f64;
    let start = Vec3::new(length * angle.sin(), 0.0, -length * angle.cos());
    let bob = insert(&mut world, Convex::sphere(0.01).unwrap(), Pose::from_translation(start).unwrap(), 1.0);
    world.insert_joint(&JointDesign { anchor: Vec3::ZERO, ..JointDesign::new(JointKind::Ball, bob) }).unwrap();
    let (mut crossings, mut before) = (Vec::new(), start.x);
    while world.time() < 6.0 {
        world.step(DT).unwrap();
        let now = place(&world, bob);
        if before > 0.0 && now.x <= 0.0 {
            crossings.push(world.time() - DT * now.x / (now.x - before));
        }
        before = now.x;
        assert!((now.length() - length).abs() < 1e-6, "{}", now.length() - length);
    }
    let period = crossings[1] - crossings[0];
    let expected = 2.0 * std::f64::consts::PI * (length / G).sqrt() * (1.0 + 0.4 * 0.01 * 0.01 / length);
    assert!((period / expected - 1.0).abs() < 1e-3, "{period} for {expected}");
}

#[test]
fn a_chain_of_five_keeps_its_links_together() {
    let mut world = world(G);
    let rod: Shape = Convex::cuboid(Vec3::new(0.25, 0.02, 0.02)).unwrap().into();
    let rods: Vec<BodyId> =
        (0..5).map(|k| insert(&mut world, rod.clone(), at(0.25 + 0.5 * k as f64, 0.0, 0.0), 1.0)).collect();
    let top = JointDesign { anchor: Vec3::ZERO, ..JointDesign::new(JointKind::Ball, rods[0]) };
    world.insert_joint(&top).unwrap();
    for (k, pair) in rods.windows(2).enumerate() {
        let anchor = Vec3::X * (0.5 * (k + 1) as f64);
        let design = JointDesign { anchor, b: Some(pair[1]), ..JointDesign::new(JointKind::Ball, pair[0]) };
        world.insert_joint(&design).unwrap();
    }
    for _ in 0..(2.0 / DT) as usize {
        world.step(DT).unwrap();
        let mut end = Vec3::ZERO;
        for id in &rods {
            let pose = world.body(*id).unwrap().pose;
            let gap = (pose.place(Vec3::X * -0.25) - end).length();
            assert!(gap < 1e-6, "{gap}");
            end = pose.place(Vec3::X * 0.25);
        }
    }
    assert!(place(&world, rods[4]).z < -0.5);
}

#[test]
fn a_motor_turns_a_hinge_at_its_speed() {
    let mut world = world(0.0);
    let wheel = insert(&mut world, Convex::cylinder(0.3, 0.05).unwrap(), at(0.0, 0.0, 0.0), 2.0);
    let motor = Some(Motor { velocity: 3.0, max_force: 10.0 });
    world.insert_joint(&JointDesign { motor, ..JointDesign::new(JointKind::Hinge, wheel) }).unwrap();
    for _ in 0..240 {
        world.step(DT).unwrap();
    }
    let rate = world.body(wheel).unwrap().angular_velocity;
    // Measured as the angle of the world relative to the wheel.
    assert!((rate.z.abs() - 3.0).abs() < 1e-6 && rate.x.abs() < 1e-9, "{rate}");
    assert!(place(&world, wheel).length() < 1e-9);
}

#[test]
fn a_slider_stops_at_its_limit() {
    let mut world = world(G);
    let cart = insert(&mut world, Convex::cuboid(Vec3::splat(0.1)).unwrap(), at(0.0, 0.0, 0.0), 1.0);
    let limits = Some([-0.5, 0.5]);
    let design = JointDesign { limits, axis: Vec3::Z, ..JointDesign::new(JointKind::Slider, cart) };
    world.insert_joint(&design).unwrap();
    for _ in 0..480 {
        world.step(DT).unwrap();
    }
    let end = place(&world, cart);
    assert!((end.z + 0.5).abs() < 1e-3 && end.x.abs() < 1e-9 && end.y.abs() < 1e-9, "{end}");
}

#[test]
fn a_joint_breaks_at_its_force_and_reports_it() {
    let mut world = world(G);
    let weight = insert(&mut world, Convex::sphere(0.1).unwrap(), at(0.0, 0.0, -1.0), 2.0);
    let design = |force: f64| JointDesign { break_at: Some(force), ..JointDesign::new(JointKind::Ball, weight) };
    let strong = world.insert_joint(&design(25.0)).unwrap();
    world.step(DT).unwrap();
    let load = world.joint(strong).unwrap().load;
    // On B, the world, the weight pulls down.
    assert!((load.force.length() - 2.0 * G).abs() < 1e-6, "{load:?}");
    world.remove_joint(strong).unwrap();
    let weak = world.insert_joint(&design(15.0)).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.broken_joints(), [weak]);
    assert!(world.joint(weak).is_none());
    assert!(matches!(world.remove_joint(weak), Err(WorldError::NoSuchJoint { .. })));
    for _ in 0..24 {
        world.step(DT).unwrap();
    }
    assert!(place(&world, weight).z < -1.04, "it falls");
}

#[test]
fn joined_bodies_collide_only_if_they_shall() {
    for collide in [false, true] {
        let mut world = world(0.0);
        let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
        let a = insert(&mut world, cube.clone(), at(0.0, 0.0, 0.0), 1.0);
        let b = insert(&mut world, cube, at(0.9, 0.0, 0.0), 1.0);
        let anchor = Vec3::X * 0.45;
        world
            .insert_joint(&JointDesign { b: Some(b), anchor, collide, ..JointDesign::new(JointKind::Ball, a) })
            .unwrap();
        world.refresh_contacts().unwrap();
        assert_eq!(!world.contacts().is_empty(), collide);
    }
}

#[test]
fn wrong_joints_are_refused() {
    let mut world = world(G);
    let ball = insert(&mut world, Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 0.0), 1.0);
    let hinge = JointDesign::new(JointKind::Hinge, ball);
    assert!(world.insert_joint(&JointDesign { axis: Vec3::ZERO, ..hinge }).is_err());
    assert!(world.insert_joint(&JointDesign { limits: Some([1.0, -1.0]), ..hinge }).is_err());
    assert!(world.insert_joint(&JointDesign { b: Some(ball), ..hinge }).is_err());
    assert!(world.insert_joint(&JointDesign { anchor: Vec3::NAN, ..hinge }).is_err());
    world.insert_joint(&hinge).unwrap();
    world.remove(ball).unwrap();
    assert_eq!(world.joints().count(), 0, "joints go with their bodies");
    assert!(world.insert_joint(&hinge).is_err());
}

#[test]
fn forces_and_impulses_move_dynamic_bodies_only() {
    let mut world = world(0.0);
    let ball = insert(&mut world, Convex::sphere(0.5).unwrap(), at(0.0, 0.0, 0.0), 2.0);
    let wall = world.insert(Body::fixed(Convex::sphere(0.5).unwrap(), at(5.0, 0.0, 0.0))).unwrap();
    assert!(matches!(world.apply_force(wall, Vec3::X, None), Err(WorldError::NotDynamic { .. })));
    assert!(world.apply_force(ball, Vec3::NAN, None).is_err() && world.apply_torque(ball, Vec3::INFINITY).is_err());
    let before = world.state_hash();
    assert!(world.apply_impulse(ball, Vec3::X * f64::MAX, Some(Vec3::Y * f64::MAX)).is_err());
    assert_eq!(world.state_hash(), before);
    world.apply_impulse(ball, Vec3::X * 2.0, Some(Vec3::Y * 0.5)).unwrap();
    let body = world.body(ball).unwrap();
    let inertia = 0.4 * 2.0 * 0.25;
    assert!((body.velocity.x - 1.0).abs() < 1e-12 && (body.angular_velocity.z + 1.0 / inertia).abs() < 1e-9);
    world.apply_torque(ball, Vec3::Y * 0.3).unwrap();
    world.apply_angular_impulse(ball, Vec3::Z * 1.0).unwrap();
    for _ in 0..2 {
        world.step(0.5).unwrap();
    }
    let body = world.body(ball).unwrap();
    assert!(body.angular_velocity.z.abs() < 1e-9, "{:?}", body.angular_velocity);
    assert!((body.angular_velocity.y - 0.3 * 0.5 / inertia).abs() < 1e-9, "the torque acted in one step");
}

#[test]
fn a_chain_that_folds_gains_no_energy() {
    let settings = Settings { response: Response::ImpulseLcp, detection: Detection::Continuous, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let rod: Shape = Convex::cuboid(Vec3::new(0.09, 0.01, 0.01)).unwrap().into();
    let rods: Vec<BodyId> =
        (0..8).map(|k| insert(&mut world, rod.clone(), at(0.1 + 0.2 * k as f64, 0.0, 0.0), 0.1)).collect();
    world.insert_joint(&JointDesign::new(JointKind::Ball, rods[0])).unwrap();
    for (k, pair) in rods.windows(2).enumerate() {
        let anchor = Vec3::X * (0.2 * (k + 1) as f64);
        world
            .insert_joint(&JointDesign { anchor, b: Some(pair[0]), ..JointDesign::new(JointKind::Ball, pair[1]) })
            .unwrap();
    }
    for _ in 0..800 {
        world.step(0.005).unwrap();
        let energy = world.energy();
        assert!(energy.kinetic + energy.potential < 0.1, "{energy:?} at {}", world.time());
    }
}

#[test]
fn a_loop_of_four_bars_stays_closed() {
    // Hinges of a closed loop repeat some of their equations: the operator is singular.
    let mut world = world(G);
    let bar = |half: Vec3| Convex::cuboid(half).unwrap();
    let (long, high) = (Vec3::new(0.5, 0.05, 0.05), Vec3::new(0.05, 0.05, 0.5));
    let bars = [
        insert(&mut world, bar(long), at(0.5, 0.0, 0.0), 5.0),
        insert(&mut world, bar(high), at(1.0, 0.0, 0.5), 5.0),
        insert(&mut world, bar(long), at(0.5, 0.0, 1.0), 5.0),
        insert(&mut world, bar(high), at(0.0, 0.0, 0.5), 5.0),
    ];
    let corners = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 1.0), Vec3::Z, Vec3::ZERO];
    for k in 0..4 {
        let b = Some(bars[(k + 1) % 4]);
        let hinge = JointDesign::new(JointKind::Hinge, bars[k]);
        world.insert_joint(&JointDesign { b, anchor: corners[k], axis: Vec3::Y, ..hinge }).unwrap();
    }
    let hinge = JointDesign::new(JointKind::Hinge, bars[0]);
    world.insert_joint(&JointDesign { axis: Vec3::Y, ..hinge }).unwrap();
    let end = |world: &World, id: BodyId, offset: Vec3| world.body(id).unwrap().pose.place(offset);
    for _ in 0..192 {
        world.step(DT).unwrap();
        let gap = (end(&world, bars[1], Vec3::Z * 0.5) - end(&world, bars[2], Vec3::X * 0.5)).length();
        assert!(gap < 1e-5, "{gap} at {}", world.time());
    }
    // The loop collapses and its bars hit each other, in long steps: contacts and joints contradict each other there.
    // Of 196 J between the highest and the lowest position, less than a tenth is gained.
    let sum = |world: &World| world.energy().kinetic + world.energy().potential;
    let before = sum(&world);
    let mut hits = 0;
    for _ in 0..45 {
        world.step(1.0 / 60.0).unwrap();
        hits += usize::from(!world.solved_contacts().is_empty());
        assert!(sum(&world) < before + 19.0, "{} J of {before} J at {}", sum(&world), world.time());
    }
    assert!(hits > 10, "bars hit each other in {hits} steps");
}
