//! Bodies on joints that tumble or spin: a joint at the centre of mass changes nothing, a gyroscope precesses, bodies
//! joined in free space keep their momentum and angular momentum, fall as free ones, and chains keep their energy and
//! hold weights.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, JointDesign, JointId, JointKind, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;

fn world(response: Response, gravity: f64) -> World {
    World::new(Settings { response, gravity: Vec3::Z * -gravity, ..Settings::default() }).unwrap()
}

fn insert(world: &mut World, shape: impl Into<Shape>, pose: Pose, mass: f64, velocities: [Vec3; 2]) -> BodyId {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    let [velocity, angular_velocity] = velocities;
    world.insert(Body { velocity, angular_velocity, ..Body::dynamic(shape, pose, mass) }).unwrap()
}

fn at(place: Vec3) -> Pose {
    Pose::from_translation(place).unwrap()
}

/// A box of three different moments of inertia, as in public reports on gyroscopic torque.
fn tumbler() -> (Convex, Vec3) {
    (Convex::cuboid(Vec3::new(0.3, 0.1, 0.05)).unwrap(), Vec3::new(1.0, 10.0, 0.5))
}

#[test]
fn a_box_that_hangs_at_its_centre_keeps_its_energy_for_a_minute() {
    for response in [Response::ImpulseLcp, Response::Auto] {
        let mut world = world(response, 0.0);
        let (shape, spin) = tumbler();
        let id = insert(&mut world, shape, Pose::IDENTITY, 1.0, [Vec3::ZERO, spin]);
        world.insert_joint(&JointDesign { anchor: Vec3::ZERO, ..JointDesign::new(JointKind::Ball, id) }).unwrap();
        let before = world.energy().kinetic;
        assert!((before - 1.5479).abs() < 1e-4, "{before}");
        for step in 0..3600 {
            world.step(DT).unwrap();
            let energy = world.energy().kinetic;
            assert!((energy / before - 1.0).abs() < 1e-9, "step {step}: {energy} of {before}");
        }
        assert!(world.body(id).unwrap().pose.translation().length() < 1e-9);
    }
}

#[test]
fn a_disc_that_spins_on_an_axle_precesses_level() {
    let mut world = world(Response::Auto, 9.81);
    let disc = Convex::cylinder(0.2, 0.02).unwrap();
    let lying = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let pose = Pose::from_quaternion(lying.to_array(), Vec3::X * 0.3).unwrap();
    // m·g·l/(I·ω) with I = ½·m·r².
    let rate = 9.81 * 0.3 / (0.5 * 0.2 * 0.2 * 100.0);
    let velocities = [Vec3::Y * (0.3 * rate), Vec3::new(100.0, 0.0, rate)];
    let id = insert(&mut world, disc, pose, 2.0, velocities);
    world.insert_joint(&JointDesign { anchor: Vec3::ZERO, ..JointDesign::new(JointKind::Ball, id) }).unwrap();
    let (mut angle, mut before) = (0.0, Vec3::X * 0.3);
    for _ in 0..240 {
        world.step(DT).unwrap();
        let now = world.body(id).unwrap().pose.translation();
        angle += (before.x * now.y - before.y * now.x).atan2(before.x * now.x + before.y * now.y);
        assert!(now.z.abs() < 0.02 && (now.length() - 0.3).abs() < 1e-6, "{now}");
        before = now;
    }
    assert!((angle / (4.0 * rate) - 1.0).abs() < 0.01, "{angle} for {}", 4.0 * rate);
}

#[test]
fn joined_bodies_in_free_space_keep_momentum_and_angular_momentum() {
    for kind in [JointKind::Ball, JointKind::Hinge, JointKind::Fixed] {
        let mut world = world(Response::ImpulseLcp, 0.0);
        let (shape, spin) = tumbler();
        let velocities = [Vec3::new(0.3, -0.2, 0.1), spin * 0.3];
        let a = insert(&mut world, shape.clone(), Pose::IDENTITY, 1.0, velocities);
        let b = insert(&mut world, shape, at(Vec3::X * 0.6), 3.0, [Vec3::ZERO, Vec3::ZERO]);
        let design = JointDesign { anchor: Vec3::X * 0.3, b: Some(b), ..JointDesign::new(kind, a) };
        world.insert_joint(&design).unwrap();
        let before = world.momentum();
        for step in 0..600 {
            world.step(DT).unwrap();
            let now = world.momentum();
            let off = (now[0] - before[0]).length().max((now[1] - before[1]).length());
            assert!(off < 1e-9, "{kind:?}, step {step}: {now:?} of {before:?}");
        }
    }
}

/// Links of 0.2 m on ball joints, level from the world on, and a ball at the end if it has a mass. Links do not touch
/// each other.
fn level_chain(response: Response, links: u32, link_mass: f64, ball_mass: Option<f64>) -> (World, Vec<JointId>) {
    let mut world = world(response, 9.81);
    let link: Shape = Convex::capsule(0.02, 0.06).unwrap().into();
    let lying = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let mut last: Option<BodyId> = None;
    let mut joints = Vec::new();
    let mut add = |world: &mut World, shape: Shape, pose: Pose, mass: f64, x: f64| {
        let mass = Mass::of_total(&shape, mass).unwrap();
        let id = world.insert(Body { mask: 0, ..Body::dynamic(shape, pose, mass) }).unwrap();
        let design = JointDesign { anchor: Vec3::X * x, b: last, ..JointDesign::new(JointKind::Ball, id) };
        joints.push(world.insert_joint(&design).unwrap());
        last = Some(id);
    };
    for number in 0..links {
        let x = 0.2 * f64::from(number);
        let pose = Pose::from_quaternion(lying.to_array(), Vec3::X * (x + 0.1)).unwrap();
        add(&mut world, link.clone(), pose, link_mass, x);
    }
    if let Some(mass) = ball_mass {
        let x = 0.2 * f64::from(links);
        add(&mut world, Convex::sphere(0.1).unwrap().into(), at(Vec3::X * (x + 0.1)), mass, x);
    }
    (world, joints)
}

/// Steps a world, and returns the largest change of its energy as a share of its largest kinetic energy, and the
/// largest opening of a joint.
fn run_chain(world: &mut World, joints: &[JointId], dt: f64, steps: u32) -> [f64; 2] {
    let sum = |world: &World| world.energy().kinetic + world.energy().potential;
    let before = sum(world);
    let (mut change, mut fastest, mut opening): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for _ in 0..steps {
        world.step(dt).unwrap();
        change = change.max((sum(world) - before).abs());
        fastest = fastest.max(world.energy().kinetic);
        opening = joints.iter().filter_map(|id| world.joint_opening(*id)).fold(opening, f64::max);
    }
    [change / fastest, opening]
}

#[test]
fn a_chain_of_eight_keeps_its_energy_within_a_hundredth() {
    let cases = [(Response::ImpulseLcp, DT, 600), (Response::ImpulseLcp, 0.005, 600), (Response::Auto, DT, 180)];
    for (response, dt, steps) in cases {
        let (mut world, joints) = level_chain(response, 8, 0.1, None);
        let [change, opening] = run_chain(&mut world, &joints, dt, steps);
        assert!(change < 0.01 && opening < 1e-4, "{response:?}, {dt} s: {change}, {opening} m");
    }
}

#[test]
fn chains_hold_weights_of_a_hundred_and_of_a_thousand_times_their_links() {
    let cases = [(Response::ImpulseLcp, 100.0, 120), (Response::Auto, 100.0, 120), (Response::Auto, 1000.0, 72)];
    for (response, weight, steps) in cases {
        let (mut world, joints) = level_chain(response, 10, 1.0, Some(weight));
        let [change, opening] = run_chain(&mut world, &joints, DT, steps);
        // One per cent of a link would be 2 mm.
        assert!(change < 0.01 && opening < 1e-6, "{response:?}, {weight} kg: {change}, {opening} m");
        let (_, ball) = world.bodies().last().unwrap();
        assert!(ball.pose.translation().length() < 2.2);
    }
}

#[test]
fn joined_bodies_fall_as_free_ones() {
    for response in [Response::ImpulseLcp, Response::Auto] {
        let mut world = world(response, 9.81);
        let shape = Convex::cuboid(Vec3::new(0.1, 0.05, 0.02)).unwrap();
        let [a, b] = [0.0, 0.2].map(|x| insert(&mut world, shape.clone(), at(Vec3::X * x), 1.0, [Vec3::X; 2]));
        let design = JointDesign { anchor: Vec3::X * 0.1, b: Some(b), ..JointDesign::new(JointKind::Ball, a) };
        world.insert_joint(&design).unwrap();
        for step in 1..=60 {
            world.step(DT).unwrap();
            let time = f64::from(step) * DT;
            let centre = [a, b].map(|id| world.body(id).unwrap().pose.translation()).iter().sum::<Vec3>() * 0.5;
            let velocity = world.momentum()[0] * 0.5;
            let [place, speed] = [centre.z + 0.5 * 9.81 * time * time, velocity.z + 9.81 * time];
            assert!(place.abs() < 1e-9 && speed.abs() < 1e-9, "{response:?}, step {step}: {place}, {speed}");
        }
    }
}
