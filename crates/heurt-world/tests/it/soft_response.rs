//! Response `soft-step` in a world, and properties that hold for both responses: bits, snapshots, sensors, kinematic
//! bodies, overlaps at the start, hostile numbers.

use crate::support::{at, dynamic};
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Detection, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;

fn world(response: Response) -> World {
    // Nothing sleeps: a body that a minute of steps does not move stands by its contacts.
    World::new(Settings { response, detection: Detection::Continuous, sleep: false, ..Settings::default() }).unwrap()
}

fn floor(world: &mut World) -> BodyId {
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { restitution: 0.0, friction: 0.6, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap()
}

fn place(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().pose.translation()
}

fn take_steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(DT).unwrap();
    }
}

const BOTH: [Response; 2] = [Response::ImpulseLcp, Response::SoftStep];

#[test]
fn a_stack_of_twenty_stands_for_a_minute() {
    let mut world = world(Response::SoftStep);
    floor(&mut world);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let ids: Vec<BodyId> =
        (0..20).map(|k| world.insert(dynamic(cube.clone(), at(0.0, 0.0, 0.5 + k as f64), 1.0)).unwrap()).collect();
    for _ in 0..3600 {
        world.step(DT).unwrap();
    }
    for (k, id) in ids.iter().enumerate() {
        let offset = place(&world, *id) - Vec3::Z * (0.5 + k as f64);
        // Springs add up to 39 mm at the top, and the stack sways by some millimetres.
        assert!(offset.abs().max_element() < 0.05, "{k}: {offset}");
    }
    assert!(world.energy().kinetic < 1e-2, "{:?}", world.energy());
}

/// Two corners of the box are 1 mm above the floor. They carry no load, and the floor holds the box at all four.
#[test]
fn a_box_that_leans_on_a_strip_does_not_creep() {
    let slope = Vec3::new(0.0, 9.81 * 20f64.to_radians().sin(), -9.81 * 20f64.to_radians().cos());
    let settings = Settings { gravity: slope, response: Response::SoftStep, sleep: false, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    floor(&mut world);
    let strip = Convex::cuboid(Vec3::new(0.1, 2.0, 0.0005)).unwrap();
    let strip = Body { restitution: 0.0, friction: 0.6, ..Body::fixed(strip, at(0.35, 0.0, 0.0005)) };
    world.insert(strip).unwrap();
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let id = world.insert(Body { friction: 0.6, ..dynamic(cube, at(0.0, 0.0, 0.501), 1.0) }).unwrap();
    take_steps(&mut world, 120);
    let before = place(&world, id);
    take_steps(&mut world, 300);
    let moved = (place(&world, id) - before).length();
    assert!(moved < 1e-4, "{moved}");
}

fn heap(response: Response, steps: usize) -> World {
    let mut world = world(response);
    floor(&mut world);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.2)).unwrap().into();
    for k in 0..8 {
        let pose = at(0.37 * (k % 3) as f64, 0.11 * (k % 2) as f64, 0.3 + 0.45 * (k / 3) as f64);
        world.insert(Body { restitution: 0.2, ..dynamic(cube.clone(), pose, 1.0) }).unwrap();
    }
    take_steps(&mut world, steps);
    world
}

#[test]
fn bits_do_not_depend_on_threads() {
    for response in BOTH {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| heap(response, 30).state_hash())
        };
        let one = run(1);
        assert!(one == run(2) && one == run(4), "{response:?}");
    }
}

#[test]
fn a_restored_state_has_the_same_future() {
    for response in BOTH {
        let mut world = heap(response, 20);
        let snapshot = world.snapshot();
        take_steps(&mut world, 10);
        let first = world.state_hash();
        world.restore(&snapshot).unwrap();
        take_steps(&mut world, 10);
        assert_eq!(world.state_hash(), first, "{response:?}");
    }
}

#[test]
fn a_heap_loses_energy_and_stays_above_the_floor() {
    for response in BOTH {
        let world = heap(response, 120);
        assert!(world.energy().kinetic < 1.0, "{response:?}: {:?}", world.energy());
        for (_, body) in world.bodies().skip(1) {
            // Half an edge, less the sag of springs.
            assert!(body.pose.translation().z > 0.19, "{response:?}: {}", body.pose.translation());
        }
    }
}

#[test]
fn bodies_that_overlap_at_the_start_are_separated_without_a_burst() {
    for response in BOTH {
        let mut world = world(response);
        floor(&mut world);
        let ball: Shape = Convex::sphere(0.5).unwrap().into();
        let ids = [0.0, 0.7].map(|x| world.insert(dynamic(ball.clone(), at(x, 0.0, 0.5), 1.0)).unwrap());
        let mut fastest = 0.0f64;
        for _ in 0..60 {
            world.step(DT).unwrap();
            fastest = fastest.max(world.energy().kinetic);
        }
        let gap = (place(&world, ids[0]) - place(&world, ids[1])).length() - 1.0;
        assert!(gap > -0.02 && fastest < 5.0, "{response:?}: gap {gap}, energy {fastest}");
    }
}

#[test]
fn a_sensor_reports_and_does_not_respond() {
    for response in BOTH {
        let mut world = world(response);
        let gate = Body { is_sensor: true, ..Body::fixed(Convex::cuboid(Vec3::splat(0.5)).unwrap(), Pose::IDENTITY) };
        let gate = world.insert(gate).unwrap();
        let ball = world.insert(dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 1.0), 1.0)).unwrap();
        let mut events = [0, 0];
        for _ in 0..60 {
            world.step(DT).unwrap();
            events[0] += world.events().begun.iter().filter(|pair| **pair == [gate, ball]).count();
            events[1] += world.events().ended.len();
        }
        assert_eq!(events, [1, 1], "{response:?}");
        let fallen = 1.0 - place(&world, ball).z;
        assert!((fallen - 0.5 * 9.81).abs() < 0.1, "{response:?}: {fallen}");
    }
}

#[test]
fn a_belt_carries_a_box() {
    for response in BOTH {
        let mut world = world(response);
        let belt = Body::kinematic(Convex::cuboid(Vec3::new(20.0, 1.0, 0.1)).unwrap(), at(0.0, 0.0, -0.1));
        world.insert(Body { velocity: Vec3::X, friction: 0.6, restitution: 0.0, ..belt }).unwrap();
        let cube = dynamic(Convex::cuboid(Vec3::splat(0.2)).unwrap(), at(0.0, 0.0, 0.2), 1.0);
        let cube = world.insert(Body { friction: 0.6, ..cube }).unwrap();
        for _ in 0..120 {
            world.step(DT).unwrap();
        }
        let velocity = world.body(cube).unwrap().velocity;
        assert!((velocity - Vec3::X).length() < 1e-2, "{response:?}: {velocity}");
    }
}

#[test]
fn auto_is_exact_for_few_bodies() {
    let mut few = world(Response::Auto);
    floor(&mut few);
    let ball = few.insert(dynamic(Convex::sphere(0.5).unwrap(), at(0.0, 0.0, 0.5), 1.0)).unwrap();
    for _ in 0..60 {
        few.step(DT).unwrap();
    }
    assert!((place(&few, ball).z - 0.5).abs() < 1e-9);
}

#[test]
fn hostile_numbers_leave_no_nan_in_a_state() {
    for response in BOTH {
        for (mass, speed) in [(1e-12, 1e3), (1e12, 1e3), (1.0, 1e8), (1e-3, 1e5)] {
            let mut world = world(response);
            floor(&mut world);
            let ball = dynamic(Convex::sphere(0.5).unwrap(), at(0.0, 0.0, 2.0), mass);
            world.insert(Body { velocity: Vec3::new(1.0, 0.0, -speed), restitution: 1.0, ..ball }).unwrap();
            let cube = dynamic(Convex::cuboid(Vec3::splat(0.5)).unwrap(), at(0.2, 0.0, 0.5), 1.0);
            world.insert(Body { angular_velocity: Vec3::splat(1e3), ..cube }).unwrap();
            for _ in 0..20 {
                if world.step(DT).is_err() {
                    break;
                }
                for (_, body) in world.bodies() {
                    let state = [body.pose.translation(), body.velocity, body.angular_velocity];
                    assert!(state.iter().all(|v| v.is_finite()), "{response:?} {mass} {speed}: {body:?}");
                }
            }
        }
    }
}

#[test]
fn a_fast_ball_does_not_pass_through_a_thin_wall() {
    for response in BOTH {
        let mut world = World::new(Settings {
            gravity: Vec3::ZERO,
            response,
            detection: Detection::Continuous,
            ..Settings::default()
        })
        .unwrap();
        let wall = Body::fixed(Convex::cuboid(Vec3::new(0.001, 5.0, 5.0)).unwrap(), Pose::IDENTITY);
        world.insert(Body { restitution: 0.0, ..wall }).unwrap();
        let ball = dynamic(Convex::sphere(0.05).unwrap(), at(-3.0, 0.0, 0.0), 1.0);
        let ball = world.insert(Body { velocity: Vec3::X * 500.0, ..ball }).unwrap();
        for _ in 0..30 {
            world.step(DT).unwrap();
        }
        assert!(place(&world, ball).x < -0.03, "{response:?}: {}", place(&world, ball));
    }
}

#[test]
fn an_error_leaves_the_world_as_it_was() {
    for response in BOTH {
        let mut world = heap(response, 10);
        let runaway = dynamic(Convex::sphere(0.1).unwrap(), at(50.0, 0.0, 5.0), 1.0);
        let runaway = world.insert(Body { velocity: Vec3::X * 1e149, ..runaway }).unwrap();
        let before = (world.state_hash(), world.steps(), world.time());
        let mut failed = false;
        for _ in 0..2 {
            if world.step(1e3).is_err() {
                failed = true;
                break;
            }
        }
        assert!(failed, "{response:?}");
        assert_eq!((world.state_hash(), world.steps(), world.time()), before, "{response:?}");
        world.remove(runaway).unwrap();
        world.step(DT).unwrap();
    }
}

#[test]
fn a_fast_spin_above_the_floor_keeps_its_energy() {
    for response in BOTH {
        let mut world = world(response);
        floor(&mut world);
        let slab = dynamic(Convex::cuboid(Vec3::new(0.5, 0.2, 0.1)).unwrap(), at(0.0, 0.0, 1.0), 80.0);
        world.insert(Body { angular_velocity: Vec3::new(3000.0, 1.0, 1500.0), ..slab }).unwrap();
        let before = world.energy().kinetic;
        for _ in 0..12 {
            world.step(DT).unwrap();
            assert!(world.energy().kinetic < 1.01 * before, "{response:?}: {:?} of {before}", world.energy());
        }
    }
}

#[test]
fn a_capsule_on_its_side_comes_to_rest_in_the_range_of_numbers() {
    let mut world = world(Response::ImpulseLcp);
    floor(&mut world);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let lying = Pose::from_quaternion([0.0, half, 0.0, half], Vec3::Z * 0.4).unwrap();
    let capsule = dynamic(Convex::capsule(0.2, 0.5).unwrap(), lying, 80.0);
    world.insert(Body { restitution: 0.5, ..capsule }).unwrap();
    for _ in 0..600 {
        world.step(DT).unwrap();
    }
    assert!(world.energy().kinetic < 1e-9, "{:?}", world.energy());
}
