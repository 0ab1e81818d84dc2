//! Joints beyond their usual range: redundant equations, arms of many times the size of a body, twists past half a turn
//! of swing, stops in free space, joints that break.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{BalanceErrors, Body, BodyId, JointDesign, JointKind, Mass, Response, RunBalance, Settings, World};

const DT: f64 = 1.0 / 60.0;

fn world(response: Response, gravity: f64) -> World {
    World::new(Settings { response, gravity: Vec3::Z * -gravity, ..Settings::default() }).unwrap()
}

/// Inserts a body of 1000 kg/m³.
fn insert(world: &mut World, shape: impl Into<Shape>, pose: Pose, velocities: [Vec3; 2]) -> BodyId {
    let shape = shape.into();
    let mass = Mass::of_density(&shape, 1000.0).unwrap();
    let [velocity, angular_velocity] = velocities;
    world.insert(Body { velocity, angular_velocity, ..Body::dynamic(shape, pose, mass) }).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Convex {
    Convex::cuboid(Vec3::new(x, y, z)).unwrap()
}

fn run(world: &mut World, steps: usize) -> BalanceErrors {
    let mut balance = RunBalance::default();
    for _ in 0..steps {
        balance.begin_step(world);
        world.step(DT).unwrap();
        balance.end_step(world, DT);
    }
    balance.errors()
}

#[test]
fn two_hinges_of_one_axis_keep_the_energy_of_a_pendulum() {
    for response in [Response::ImpulseLcp, Response::SoftStep] {
        let mut world = world(response, 9.81);
        let a = insert(&mut world, cuboid(0.1, 0.1, 0.1), at(0.3, 0.0, 0.0), [Vec3::ZERO; 2]);
        for y in [0.0, 0.3] {
            let hinge = JointDesign { anchor: Vec3::Y * y, axis: Vec3::Y, ..JointDesign::new(JointKind::Hinge, a) };
            world.insert_joint(&hinge).unwrap();
        }
        let mut fastest = 0.0_f64;
        for _ in 0..120 {
            world.step(DT).unwrap();
            fastest = fastest.max(world.energy().kinetic);
        }
        let energy = world.energy();
        let off = energy.kinetic + energy.potential;
        assert!(fastest > 20.0 && off.abs() < 0.02 * fastest, "{response:?}: {off} of {fastest}");
    }
}

#[test]
fn long_arms_of_small_bodies_make_no_energy() {
    let mut world = world(Response::SoftStep, 0.0);
    let first = insert(&mut world, Convex::cone(0.04, 0.1).unwrap(), at(-0.05, -0.05, 0.95), [Vec3::ZERO; 2]);
    let wing = Convex::ellipsoid(Vec3::new(0.18, 0.1, 0.03)).unwrap();
    let second = insert(&mut world, wing, at(0.6, 0.01, 0.98), [Vec3::new(0.3, -0.5, 2.0), Vec3::ZERO]);
    let third = insert(&mut world, Convex::cylinder(0.11, 0.12).unwrap(), at(1.15, -0.02, 0.95), [Vec3::ZERO; 2]);
    let far = insert(&mut world, cuboid(0.08, 0.1, 0.06), at(3.64, 0.0, 1.01), [Vec3::new(0.6, 0.6, -0.2), Vec3::ZERO]);
    let joint = |kind, a, b, anchor: [f64; 3], axis: [f64; 3]| JointDesign {
        b: Some(b),
        anchor: anchor.into(),
        axis: axis.into(),
        ..JointDesign::new(kind, a)
    };
    let hinge = joint(JointKind::Hinge, second, first, [0.28, -0.02, 0.97], [-0.74, -0.67, -0.06]);
    let fixed = joint(JointKind::Fixed, third, second, [0.88, 0.0, 0.97], [0.0, 0.0, 1.0]);
    let ball = joint(JointKind::Ball, far, first, [1.79, -0.02, 0.98], [0.1, -0.18, 1.91]);
    for design in [hinge, fixed, JointDesign { twist: Some([-0.654, 1.946]), ..ball }] {
        world.insert_joint(&design).unwrap();
    }
    let before = world.energy().kinetic;
    let errors = run(&mut world, 60);
    assert!(errors.energy < 0.01 * before, "{errors:?}");
    assert!(errors.largest_opening.unwrap() < 2e-3, "{errors:?}");
}

#[test]
fn a_twist_beyond_its_limits_opens_no_joint() {
    for response in [Response::ImpulseLcp, Response::SoftStep] {
        for (spin, axis) in [([6.0, 3.0, -4.0], [0.0, 1.0, -1.0]), ([-7.0, -5.0, 4.0], [-0.6, 2.2, -0.5])] {
            let mut world = world(response, 0.0);
            let first = insert(&mut world, cuboid(0.1, 0.1, 0.1), at(0.0, 0.0, 0.0), [Vec3::ZERO, spin.into()]);
            let second = insert(&mut world, cuboid(0.1, 0.1, 0.1), at(0.6, 0.0, 0.0), [Vec3::ZERO; 2]);
            let design = JointDesign {
                b: Some(first),
                anchor: Vec3::X * 0.3,
                axis: axis.into(),
                twist: Some([-0.4, 1.4]),
                ..JointDesign::new(JointKind::Ball, second)
            };
            world.insert_joint(&design).unwrap();
            let errors = run(&mut world, 120);
            let most = 0.01 * errors.scale[1];
            assert!(errors.largest_opening.unwrap() < 1e-4 && errors.energy < most, "{response:?}: {errors:?}");
        }
    }
}

#[test]
fn stops_of_joints_keep_angular_momentum() {
    for kind in [JointKind::Slider, JointKind::Distance] {
        let mut world = world(Response::ImpulseLcp, 0.0);
        let bar = || cuboid(0.2, 0.05, 0.05);
        let a = insert(&mut world, bar(), at(0.0, 0.0, 0.0), [Vec3::Y, Vec3::ZERO]);
        let b = insert(&mut world, bar(), at(0.5, 0.0, 0.0), [Vec3::ZERO; 2]);
        let free = JointDesign { b: Some(b), ..JointDesign::new(kind, a) };
        let design = match kind {
            JointKind::Slider => {
                JointDesign { anchor: Vec3::X * 0.25, axis: Vec3::Y, limits: Some([-0.1, 0.1]), ..free }
            }
            _ => {
                JointDesign { anchor: Vec3::X * 0.1, anchor_b: Some(Vec3::X * 0.4), limits: Some([0.0, 0.35]), ..free }
            }
        };
        world.insert_joint(&design).unwrap();
        let errors = run(&mut world, 60);
        assert!(errors.angular_share < 1e-4, "{kind:?}: {errors:?}");
    }
}

#[test]
fn a_joint_that_breaks_leaves_the_balance_whole() {
    for response in [Response::ImpulseLcp, Response::SoftStep] {
        let mut world = world(response, 9.81);
        let a = insert(&mut world, cuboid(0.1, 0.05, 0.02), at(0.2, 0.0, 1.0), [Vec3::ZERO; 2]);
        let hinge = JointDesign {
            anchor: Vec3::Z,
            axis: Vec3::Y,
            break_at: Some(9.0),
            ..JointDesign::new(JointKind::Hinge, a)
        };
        world.insert_joint(&hinge).unwrap();
        let errors = run(&mut world, 60);
        assert_eq!(world.joints().count(), 0, "{response:?}");
        assert!(errors.momentum.unwrap() < 1e-9, "{response:?}: {errors:?}");
        assert_eq!(errors.warnings(response == Response::SoftStep), Vec::<String>::new());
    }
}

#[test]
fn bodies_at_rest_are_no_errors() {
    let mut world = world(Response::SoftStep, 0.0);
    let a = insert(&mut world, cuboid(0.1, 0.08, 0.05), at(0.3, 0.0, 1.0), [Vec3::ZERO; 2]);
    let b = insert(&mut world, cuboid(0.1, 0.08, 0.05), at(-0.3, 0.0, 1.0), [Vec3::ZERO; 2]);
    let hinge = JointDesign {
        b: Some(b),
        anchor: Vec3::Z,
        axis: Vec3::new(1.3, -0.2, -1.7),
        friction: Some(3.8),
        ..JointDesign::new(JointKind::Hinge, a)
    };
    world.insert_joint(&hinge).unwrap();
    assert_eq!(run(&mut world, 90).warnings(true), Vec::<String>::new());
}
