//! Springs, position motors, friction, cones and twists of joints in worlds, with each response.

use heurt_geometry::{Pose, Vec3};
use heurt_rigid::JointError;
use heurt_shape::{Convex, Shape};
use heurt_world::{
    Body, BodyId, JointDesign, JointKind, JointSpring, Mass, Motor, PositionMotor, Recorder, Response, RunBalance,
    Settings, World, WorldError, replay,
};
use std::f64::consts::TAU;

const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];
const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn cube(pose: Pose, mass: f64) -> Body {
    let shape: Shape = Convex::cuboid(Vec3::splat(0.1)).unwrap().into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    Body::dynamic(shape, pose, mass)
}

fn world(response: Response, gravity: f64) -> World {
    World::new(Settings { response, gravity: Vec3::Z * -gravity, ..Settings::default() }).unwrap()
}

/// A cube on a slider along an axis through the origin, with what `design` adds.
fn slide(
    response: Response,
    gravity: f64,
    axis: Vec3,
    mass: f64,
    design: impl Fn(JointDesign) -> JointDesign,
) -> (World, BodyId) {
    let mut world = world(response, gravity);
    let id = world.insert(cube(Pose::IDENTITY, mass)).unwrap();
    // The coordinate belongs to the world relative to the body.
    let joint = JointDesign { axis: -axis, ..design(JointDesign::new(JointKind::Slider, id)) };
    world.insert_joint(&joint).unwrap();
    (world, id)
}

fn place(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().pose.translation()
}

fn run(world: &mut World, seconds: f64) -> RunBalance {
    let mut balance = RunBalance::default();
    for _ in 0..(seconds / DT).round() as usize {
        balance.begin_step(world);
        world.step(DT).unwrap();
        balance.end_step(world, DT);
    }
    balance
}

/// The mean time between rises of a coordinate through 0.
fn period(world: &mut World, seconds: f64, value: impl Fn(&World) -> f64) -> f64 {
    let (mut rises, mut last) = (Vec::new(), value(world));
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
        let now = value(world);
        if last < 0.0 && now >= 0.0 {
            rises.push(world.time() - DT * now / (now - last));
        }
        last = now;
    }
    (rises[rises.len() - 1] - rises[0]) / (rises.len() - 1) as f64
}

fn spring(stiffness: f64, damping: f64, rest: f64) -> Option<JointSpring> {
    Some(JointSpring { stiffness, damping, rest: Some(rest) })
}

#[test]
fn a_mass_on_a_spring_has_the_period_of_its_mass_and_stiffness() {
    for response in RESPONSES {
        for stiffness in [50.0, 400.0, 2000.0] {
            let design = |joint: JointDesign| JointDesign { spring: spring(stiffness, 0.0, 0.2), ..joint };
            let (mut world, id) = slide(response, 0.0, Vec3::X, 2.0, design);
            let wanted = TAU * f64::sqrt(2.0 / stiffness);
            let found = period(&mut world, 100.0 * wanted, |world| place(world, id).x - 0.2);
            assert!((found / wanted - 1.0).abs() < 0.01, "{response:?} {stiffness}: {found} {wanted}");
            // After 100 periods it swings as far as at the start.
            let most = (0..(4.0 * wanted / DT) as usize).map(|_| {
                world.step(DT).unwrap();
                (place(&world, id).x - 0.2).abs()
            });
            let most = most.fold(0.0, f64::max);
            assert!((0.9..1.06).contains(&(most / 0.2)), "{response:?} {stiffness}: {most}");
        }
    }
}

#[test]
fn a_weight_hangs_on_its_spring_and_a_motor_holds_it_beside_its_target() {
    for response in RESPONSES {
        let hangs = |joint: JointDesign| JointDesign { spring: spring(200.0, 40.0, 0.0), ..joint };
        let (mut world, id) = slide(response, G, Vec3::Z, 2.0, hangs);
        let errors = run(&mut world, 10.0).errors();
        assert!((place(&world, id).z + 2.0 * G / 200.0).abs() < 1e-4, "{response:?}: {}", place(&world, id).z);
        assert!(errors.warnings(response == Response::SoftStep).is_empty(), "{response:?}: {errors:?}");
        let lifts = |joint: JointDesign| {
            let motor = PositionMotor { position: 0.5, stiffness: 2000.0, damping: 200.0, max_force: 40.0 };
            JointDesign { position_motor: Some(motor), ..joint }
        };
        let (mut world, id) = slide(response, G, Vec3::Z, 2.0, lifts);
        let errors = run(&mut world, 10.0).errors();
        assert!((place(&world, id).z - (0.5 - 2.0 * G / 2000.0)).abs() < 1e-4, "{response:?}: {}", place(&world, id));
        assert!(errors.warnings(response == Response::SoftStep).is_empty(), "{response:?}: {errors:?}");
        let weak = |joint: JointDesign| {
            let motor = PositionMotor { position: 0.5, stiffness: 2000.0, damping: 200.0, max_force: 10.0 };
            JointDesign { position_motor: Some(motor), ..joint }
        };
        let (mut world, id) = slide(response, G, Vec3::Z, 2.0, weak);
        run(&mut world, 1.0);
        let speed = world.body(id).unwrap().velocity.z;
        assert!((speed + G - 5.0).abs() < 1e-6, "{response:?}: {speed}");
    }
}

#[test]
fn a_torsion_spring_swings_a_rod_about_its_end() {
    for response in RESPONSES {
        let mut world = world(response, 0.0);
        let id = world.insert(cube(at(1.0, 0.0, 0.0), 1.0)).unwrap();
        let inertia = 1.0 + 0.08 / 12.0;
        let joint = JointDesign { axis: -Vec3::Z, ..JointDesign::new(JointKind::Hinge, id) };
        world.insert_joint(&JointDesign { spring: spring(16.0 * inertia, 0.0, 0.2), ..joint }).unwrap();
        let angle = |world: &World| libm::atan2(place(world, id).y, place(world, id).x) - 0.2;
        let found = period(&mut world, 60.0, angle);
        assert!((found / (TAU / 4.0) - 1.0).abs() < 0.01, "{response:?}: {found}");
    }
}

#[test]
fn friction_of_a_slider_holds_or_lets_slide() {
    let down = Vec3::new(f64::sqrt(0.75), 0.0, -0.5);
    for response in RESPONSES {
        let holds = |joint: JointDesign| JointDesign { friction: Some(12.0), ..joint };
        let (mut world, id) = slide(response, G, down, 2.0, holds);
        run(&mut world, 2.0);
        assert!(place(&world, id).dot(down).abs() < 1e-9, "{response:?}: {}", place(&world, id));
        let slides = |joint: JointDesign| JointDesign { friction: Some(4.0), ..joint };
        let (mut world, id) = slide(response, G, down, 2.0, slides);
        let errors = run(&mut world, 2.0).errors();
        let speed = world.body(id).unwrap().velocity.dot(down);
        assert!((speed - (G - 4.0)).abs() < 1e-6, "{response:?}: {speed}");
        assert!(errors.warnings(response == Response::SoftStep).is_empty(), "{response:?}: {errors:?}");
    }
}

#[test]
fn friction_of_a_hinge_stops_a_wheel_and_holds_it() {
    for response in RESPONSES {
        let mut world = world(response, 0.0);
        let wheel = Body { angular_velocity: Vec3::Z * 3.0, ..cube(Pose::IDENTITY, 1.0) };
        let id = world.insert(wheel).unwrap();
        let joint = JointDesign { friction: Some(0.01), ..JointDesign::new(JointKind::Hinge, id) };
        world.insert_joint(&joint).unwrap();
        run(&mut world, 1.0);
        let rate = world.body(id).unwrap().angular_velocity.z;
        assert!((rate - 1.5).abs() < 1e-9, "{response:?}: {rate}");
        run(&mut world, 1.1);
        let stopped = *world.body(id).unwrap().pose.rotation();
        assert!(world.body(id).unwrap().angular_velocity.length() < 1e-12, "{response:?}");
        run(&mut world, 5.0);
        let turned = *world.body(id).unwrap().pose.rotation() - stopped;
        assert!(turned.to_cols_array().iter().all(|x| x.abs() < 1e-12), "{response:?}: {turned}");
    }
}

#[test]
fn a_shoulder_stops_at_its_cone_and_at_its_twist() {
    for response in RESPONSES {
        let mut world = world(response, G);
        let arm: Shape = Convex::cuboid(Vec3::new(0.03, 0.04, 0.15)).unwrap().into();
        let mass = Mass::of_total(&arm, 2.0).unwrap();
        let body = Body::dynamic(arm, at(0.0, 0.0, -0.15), mass);
        let rate = Vec3::new(0.0, -8.0, 5.0);
        let body = Body { velocity: rate.cross(Vec3::Z * -0.15), angular_velocity: rate, ..body };
        let id = world.insert(body).unwrap();
        let (cone, twist) = (Some(1.0), Some([-0.4, 0.4]));
        let joint = JointDesign { axis: -Vec3::Z, cone, twist, ..JointDesign::new(JointKind::Ball, id) };
        world.insert_joint(&joint).unwrap();
        let [mut swing, mut turn] = [0.0_f64; 2];
        for _ in 0..240 {
            world.step(DT).unwrap();
            let rotation = *world.body(id).unwrap().pose.rotation();
            swing = swing.max(rotation.z_axis.z.clamp(-1.0, 1.0).acos());
            let twist = libm::atan2(rotation.x_axis.y - rotation.y_axis.x, rotation.x_axis.x + rotation.y_axis.y);
            turn = turn.max(twist.abs());
        }
        assert!((0.95..1.02).contains(&swing) && (0.39..0.42).contains(&turn), "{response:?}: {swing} {turn}");
    }
}

#[test]
fn a_spring_that_creeps_stays_awake_and_one_at_rest_sleeps() {
    for response in [Response::SoftStep, Response::Auto] {
        // It creeps with a time constant of 10 s, from 0.1 m: less than 1 % of the radius in half a second after 30 s.
        let creeps = |joint: JointDesign| JointDesign { spring: spring(10.0, 100.0, 0.1), ..joint };
        let (mut world, id) = slide(response, 0.0, Vec3::X, 1.0, creeps);
        run(&mut world, 40.0);
        assert!(!world.is_asleep(id), "{response:?}: {}", place(&world, id).x);
        run(&mut world, 80.0);
        assert!(world.is_asleep(id), "{response:?}");
        assert!((place(&world, id).x - 0.1).abs() < 1e-3, "{response:?}: {}", place(&world, id).x);
        let pulls = |joint: JointDesign| {
            let motor = PositionMotor { position: 0.3, stiffness: 100.0, damping: 20.0, max_force: 50.0 };
            JointDesign { position_motor: Some(motor), ..joint }
        };
        let (mut world, id) = slide(response, 0.0, Vec3::X, 1.0, pulls);
        run(&mut world, 10.0);
        assert!(world.is_asleep(id) && (place(&world, id).x - 0.3).abs() < 1e-4, "{response:?}: {}", place(&world, id));
        world.apply_impulse(id, Vec3::X, None).unwrap();
        run(&mut world, 0.1);
        assert!(!world.is_asleep(id) && place(&world, id).x > 0.33, "{response:?}: {}", place(&world, id));
    }
}

fn all_forces(id: BodyId, kind: JointKind) -> JointDesign {
    let design = JointDesign { friction: Some(0.25), ..JointDesign::new(kind, id) };
    match kind {
        JointKind::Ball => JointDesign { cone: Some(0.7), twist: Some([-0.3, 0.1]), ..design },
        JointKind::Distance => {
            let spring = Some(JointSpring { stiffness: 30.0, damping: 0.1, rest: None });
            JointDesign { spring, anchor_b: Some(Vec3::Z * 2.0), ..design }
        }
        _ => {
            let motor = PositionMotor { position: 0.3, stiffness: 7.0, damping: 0.5, max_force: 2.0 };
            JointDesign { spring: spring(3.0, 0.2, -0.1), position_motor: Some(motor), ..design }
        }
    }
}

#[test]
fn springs_bounds_and_friction_are_recorded_and_replayed() {
    for response in RESPONSES {
        let settings = Settings { response, ..Settings::default() };
        let mut recorder = Recorder::new(settings).unwrap();
        for (model, kind) in JointKind::ALL.into_iter().skip(1).enumerate() {
            let id = recorder.insert(model as u64, cube(at(2.0 * model as f64, 0.0, 0.0), 1.0)).unwrap();
            recorder.insert_joint(&all_forces(id, kind)).unwrap();
        }
        for _ in 0..60 {
            recorder.step(DT).unwrap();
        }
        let text = recorder.take();
        let replayed = replay(&text, |_| Some(cube(Pose::IDENTITY, 1.0))).unwrap();
        assert!(replayed.differs.is_none(), "{response:?}");
    }
}

#[test]
fn snapshots_bring_springs_back() {
    for response in RESPONSES {
        let mut world = world(response, G);
        let id = world.insert(cube(at(0.0, 0.0, 0.5), 1.0)).unwrap();
        world.insert_joint(&all_forces(id, JointKind::Distance)).unwrap();
        run(&mut world, 0.5);
        let saved = world.snapshot();
        run(&mut world, 1.0);
        let hash = world.state_hash();
        world.restore(&saved).unwrap();
        run(&mut world, 1.0);
        assert_eq!(world.state_hash(), hash, "{response:?}");
    }
}

#[test]
fn joints_that_contradict_themselves_are_refused() {
    let mut world = world(Response::Auto, G);
    let id = world.insert(cube(Pose::IDENTITY, 1.0)).unwrap();
    let mut refuse = |design: JointDesign, error: JointError| {
        assert_eq!(world.insert_joint(&design), Err(WorldError::Joint(error)));
    };
    let ball = JointDesign::new(JointKind::Ball, id);
    let hinge = JointDesign::new(JointKind::Hinge, id);
    refuse(JointDesign { cone: Some(0.0), ..ball }, JointError::Cone(0.0));
    refuse(JointDesign { twist: Some([0.5, -0.5]), ..ball }, JointError::Twist([0.5, -0.5]));
    let what = JointError::NotSupported { kind: JointKind::Hinge, what: "cone" };
    refuse(JointDesign { cone: Some(1.0), ..hinge }, what);
    refuse(JointDesign { friction: Some(f64::NAN), ..hinge }, JointError::NotFinite("friction"));
    let motor = Some(Motor { velocity: 1.0, max_force: 1.0 });
    let position_motor = Some(PositionMotor { position: 1.0, stiffness: 1.0, damping: 0.0, max_force: 1.0 });
    refuse(JointDesign { motor, position_motor, ..hinge }, JointError::TwoMotors);
}

#[test]
fn a_spring_and_a_motor_of_a_velocity_make_no_energy_that_is_named() {
    for response in RESPONSES {
        let both = |joint: JointDesign| {
            let motor = Some(Motor { velocity: 0.5, max_force: 8.0 });
            JointDesign { spring: spring(30.0, 1.0, 0.0), motor, friction: Some(1.0), ..joint }
        };
        let (mut world, _) = slide(response, G, Vec3::X, 2.0, both);
        let errors = run(&mut world, 5.0).errors();
        assert!(errors.warnings(response == Response::SoftStep).is_empty(), "{response:?}: {errors:?}");
    }
}
