//! Bodies on joints that tumble or spin: a joint at the centre of mass changes nothing, a gyroscope precesses, bodies
//! joined in free space keep their momentum and angular momentum, and a chain holds a weight.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, JointDesign, JointKind, Mass, Response, Settings, World};

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

#[test]
fn a_chain_holds_a_weight_of_a_hundred_times_its_links() {
    for response in [Response::ImpulseLcp, Response::Auto] {
        let mut world = world(response, 9.81);
        let link: Shape = Convex::capsule(0.02, 0.06).unwrap().into();
        let lying = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let mut last: Option<BodyId> = None;
        let mut join = |world: &mut World, id: BodyId, x: f64| {
            let anchor = Vec3::X * x;
            world.insert_joint(&JointDesign { anchor, b: last, ..JointDesign::new(JointKind::Ball, id) }).unwrap();
            last = Some(id);
        };
        for number in 0..10 {
            let pose = Pose::from_quaternion(lying.to_array(), Vec3::X * (0.1 + 0.2 * f64::from(number))).unwrap();
            let id = insert(&mut world, link.clone(), pose, 1.0, [Vec3::ZERO; 2]);
            join(&mut world, id, 0.2 * f64::from(number));
        }
        let ball = insert(&mut world, Convex::sphere(0.1).unwrap(), at(Vec3::X * 2.1), 100.0, [Vec3::ZERO; 2]);
        join(&mut world, ball, 2.0);
        for step in 0..240 {
            world.step(DT).unwrap();
            let place = world.body(ball).unwrap().pose.translation();
            assert!(place.length() < 2.2, "{response:?}, step {step}: {place}");
        }
    }
}
