//! The balance of runs: what is conserved is, and what is not is found.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, Detection, JointDesign, JointKind, Mass, Motor, Response, RunBalance, Settings, World};

const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn dynamic(shape: impl Into<Shape>, pose: Pose) -> Body {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, 2.0).unwrap();
    Body::dynamic(shape, pose, mass)
}

fn run(world: &mut World, steps: u32, dt: f64, mut before: impl FnMut(&mut World)) -> RunBalance {
    let mut balance = RunBalance::default();
    for _ in 0..steps {
        before(world);
        balance.begin_step(world);
        world.step(dt).unwrap();
        balance.end_step(world, dt);
    }
    balance
}

fn world(response: Response) -> World {
    let detection = Detection::Continuous;
    let mut world = World::new(Settings { response, detection, ..Settings::default() }).unwrap();
    world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    world
}

/// Its centre of mass is not its origin, and its contact moves as it spins.
#[test]
fn a_cone_that_spins_on_a_floor_keeps_the_balance_of_its_momentum() {
    for response in RESPONSES {
        let mut world = world(response);
        let cone = dynamic(Convex::cone(0.1, 0.1).unwrap(), at(0.0, 0.0, 0.0));
        let pose =
            Pose::from_quaternion([0.0, 0.984807753012208, 0.0, -0.1736481776669303], Vec3::new(0.034, 0.0, 0.09397));
        let spin = Vec3::new(102.0, 0.0, 282.0);
        world.insert(Body { pose: pose.unwrap(), angular_velocity: spin, friction: 1.0, ..cone }).unwrap();
        let errors = run(&mut world, 200, 0.001, |_| ()).errors();
        let error = errors.momentum.unwrap();
        assert!(error < 1e-9, "{response:?}: {error}");
    }
}

#[test]
fn forces_motors_and_floors_that_move_are_no_errors() {
    for response in RESPONSES {
        let mut world = world(response);
        let pushed = world.insert(dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 0.1))).unwrap();
        let wheel = world.insert(dynamic(Convex::cylinder(0.3, 0.05).unwrap(), at(5.0, 0.0, 2.0))).unwrap();
        let motor = Some(Motor { velocity: 3.0, max_force: 2.0 });
        let hinge =
            JointDesign { motor, anchor: Vec3::new(5.0, 0.0, 2.0), ..JointDesign::new(JointKind::Hinge, wheel) };
        world.insert_joint(&hinge).unwrap();
        let lift = Body::kinematic(Convex::cuboid(Vec3::new(0.5, 0.5, 0.1)).unwrap(), at(-5.0, 0.0, 0.2));
        world.insert(Body { velocity: Vec3::Z * 0.5, restitution: 0.0, ..lift }).unwrap();
        let load = dynamic(Convex::cuboid(Vec3::splat(0.2)).unwrap(), at(-5.0, 0.0, 0.5));
        world.insert(Body { restitution: 0.0, ..load }).unwrap();
        let errors = run(&mut world, 120, 1.0 / 60.0, |world| world.apply_force(pushed, Vec3::X * 2.0, None).unwrap());
        let errors = errors.errors();
        assert!(errors.energy < 0.01 * errors.scale[1], "{response:?}: {errors:?}");
        assert!(errors.largest_opening.unwrap() < 1e-3, "{response:?}: {errors:?}");
    }
}

#[test]
fn belts_on_slopes_and_changes_between_steps_are_no_errors() {
    for response in RESPONSES {
        for belt in [Vec3::X, -Vec3::X, Vec3::Z, -Vec3::Z] {
            let mut world = world(response);
            let slope =
                Pose::from_quaternion([0.0, 0.25881904510252074, 0.0, 0.9659258262890683], Vec3::Z * 5.0).unwrap();
            let plate = Body::fixed(Convex::cuboid(Vec3::new(4.0, 1.0, 0.1)).unwrap(), slope);
            let belt = Some(belt.into());
            world.insert(Body { surface_velocity: belt, friction: 1.0, restitution: 0.0, ..plate }).unwrap();
            let load = dynamic(Convex::cuboid(Vec3::splat(0.2)).unwrap(), slope);
            let load = Body { pose: Pose::from_matrix(*slope.rotation(), slope.place(Vec3::Z * 0.3)).unwrap(), ..load };
            let load = world.insert(Body { friction: 1.0, restitution: 0.0, ..load }).unwrap();
            let errors = run(&mut world, 60, 1.0 / 60.0, |_| ()).errors();
            assert!(errors.energy < 0.01 * errors.scale[1], "{response:?}: {errors:?}");
            // A caller lifts it in each step.
            let lift = |world: &mut World| {
                let body = world.body(load).unwrap();
                let (pose, velocity) = (body.pose, body.velocity);
                let up = Pose::from_matrix(*pose.rotation(), pose.translation() + Vec3::Z * 0.1).unwrap();
                world.set_state(load, up, velocity, Vec3::ZERO).unwrap();
            };
            let errors = run(&mut world, 10, 1.0 / 60.0, lift).errors();
            assert!(errors.energy < 1e-9, "{response:?}: {errors:?}");
        }
    }
}

#[test]
fn a_fall_with_more_gravity_keeps_the_energy_of_the_world() {
    let mut world = world(Response::ImpulseLcp);
    let falling = dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 50.0));
    world.insert(Body { gravity_scale: 2.0, ..falling }).unwrap();
    let sum = |world: &World| world.energy().kinetic + world.energy().potential;
    let before = sum(&world);
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(world.energy().kinetic > 100.0 && (sum(&world) - before).abs() < 1e-9 * before, "{before} {}", sum(&world));
}

#[test]
fn what_an_impulse_from_nowhere_gives_is_an_error() {
    let mut world =
        World::new(Settings { gravity: Vec3::ZERO, response: Response::Auto, ..Settings::default() }).unwrap();
    let ball = world.insert(dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 1.0, 0.0))).unwrap();
    let mut balance = RunBalance::default();
    for _ in 0..10 {
        balance.begin_step(&world);
        // Between the two states that the balance sees.
        world.apply_impulse(ball, Vec3::X * 0.2, None).unwrap();
        world.step(0.01).unwrap();
        balance.end_step(&world, 0.01);
    }
    let errors = balance.errors();
    assert!((errors.momentum.unwrap() - 2.0).abs() < 1e-12, "{errors:?}");
    assert!((errors.angular_momentum.unwrap() - 2.0).abs() < 1e-12, "{errors:?}");
    assert!((errors.energy - 1.0).abs() < 1e-12, "{errors:?}");
}
