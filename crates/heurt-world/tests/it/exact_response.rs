//! Response `impulse-lcp` against closed forms: bounces, resting, stacks, slopes, sliding, rolling, mass ratios.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Detection, ImpactRule, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn settings() -> Settings {
    Settings { detection: Detection::Continuous, response: Response::ImpulseLcp, ..Settings::default() }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn dynamic(shape: impl Into<Shape>, pose: Pose, mass: f64) -> Body {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    Body::dynamic(shape, pose, mass)
}

fn floor(world: &mut World, friction: f64, restitution: f64) -> BodyId {
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { friction, restitution, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap()
}

fn height(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().pose.translation().z
}

fn kinetic(world: &World) -> f64 {
    world.energy().kinetic
}

/// The highest points of a body between impacts, from the energy of its centre.
fn apexes(world: &mut World, id: BodyId, seconds: f64) -> Vec<f64> {
    let mut apexes: Vec<f64> = Vec::new();
    let mut rising = false;
    for _ in 0..(seconds / DT) as usize {
        world.step(DT).unwrap();
        let body = world.body(id).unwrap();
        let (z, v) = (body.pose.translation().z, body.velocity.z);
        if rising && v <= 0.0 {
            apexes.push(z + v * v / (2.0 * G));
        }
        rising = v > 0.0;
    }
    apexes
}

#[test]
fn a_ball_bounces_to_the_height_that_restitution_leaves() {
    let (e, h, r) = (0.8, 1.0, 0.1);
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.0, 0.0);
    let ball = Body { restitution: e, ..dynamic(Convex::sphere(r).unwrap(), at(0.0, 0.0, h + r), 1.0) };
    let ball = world.insert(ball).unwrap();
    let found = apexes(&mut world, ball, 3.0);
    assert!(found.len() >= 4, "{found:?}");
    for (k, apex) in found.iter().enumerate().take(5) {
        let expected = e.powi(2 * (k as i32 + 1)) * h;
        assert!((apex - r - expected).abs() < 1e-6 * h, "bounce {k}: {} for {expected}", apex - r);
    }
}

#[test]
fn a_ball_comes_to_rest_when_the_sum_of_its_bounces_ends() {
    let (e, h, r) = (0.5f64, 1.0, 0.1);
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.0, 0.0);
    let ball = Body { restitution: e, ..dynamic(Convex::sphere(r).unwrap(), at(0.0, 0.0, h + r), 1.0) };
    let ball = world.insert(ball).unwrap();
    let end = (2.0 * h / G).sqrt() * (1.0 + e) / (1.0 - e);
    while world.time() < end - 2.0 * DT {
        world.step(DT).unwrap();
    }
    while world.time() < end + DT {
        world.step(DT).unwrap();
    }
    let before = height(&world, ball);
    assert!(kinetic(&world) < 1e-18, "{}", kinetic(&world));
    for _ in 0..600 {
        world.step(DT).unwrap();
        assert!((height(&world, ball) - before).abs() < 1e-9);
    }
    assert!((before - r).abs() < 1e-8, "{}", before - r);
}

#[test]
fn a_flat_box_bounces_without_spin() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.5, 1.0);
    let cube = Convex::cuboid(Vec3::splat(0.1)).unwrap();
    let cube = world.insert(Body { restitution: 1.0, ..dynamic(cube, at(0.0, 0.0, 1.1), 1.0) }).unwrap();
    let found = apexes(&mut world, cube, 3.0);
    assert!(found.len() >= 2);
    for apex in found {
        assert!((apex - 1.1).abs() < 1e-6, "{apex}");
    }
    let spin = world.body(cube).unwrap().angular_velocity.length();
    assert!(spin < 1e-6, "{spin}");
}

#[test]
fn a_stack_of_forty_boxes_does_not_sink() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.5, 0.0);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let ids: Vec<BodyId> = (0..40)
        .map(|k| {
            let body = dynamic(cube.clone(), at(0.0, 0.0, 0.5 + k as f64), 1.0);
            world.insert(Body { restitution: 0.0, ..body }).unwrap()
        })
        .collect();
    for _ in 0..120 {
        let report = world.step(DT).unwrap();
        assert!(report.response.residual <= 1e-9, "{:?}", report.response);
    }
    for (k, id) in ids.iter().enumerate() {
        let z = height(&world, *id);
        assert!((z - 0.5 - k as f64).abs() < 1e-6, "{k}: {z}");
    }
}

#[test]
fn a_heavy_box_stands_on_a_light_one() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.5, 0.0);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let mut insert = |z: f64, mass: f64| {
        let body = dynamic(cube.clone(), at(0.0, 0.0, z), mass);
        world.insert(Body { restitution: 0.0, ..body }).unwrap()
    };
    let (light, heavy) = (insert(0.5, 1.0), insert(1.5, 1000.0));
    for _ in 0..300 {
        world.step(DT).unwrap();
    }
    assert!((height(&world, light) - 0.5).abs() < 1e-4 && (height(&world, heavy) - 1.5).abs() < 1e-4);
}

/// A box on a slope of 30°; the path along the slope after some seconds.
fn slide(friction: f64, seconds: f64) -> f64 {
    let angle = 30f64.to_radians();
    let tilt = Quat::from_rotation_y(angle);
    let mut world = World::new(settings()).unwrap();
    let normal = tilt * Vec3::Z;
    let plane = Convex::half_space(normal, 0.0).unwrap();
    world.insert(Body { friction, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap();
    let cube = Convex::cuboid(Vec3::splat(0.1)).unwrap();
    let pose = Pose::from_quaternion(tilt.to_array(), normal * 0.1).unwrap();
    let body = Body { friction, restitution: 0.0, ..dynamic(cube, pose, 1.0) };
    let id = world.insert(body).unwrap();
    let steps = (seconds / DT).round() as usize;
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
    let down = tilt * Vec3::X;
    (world.body(id).unwrap().pose.translation() - pose.translation()).dot(down)
}

#[test]
fn a_box_slips_on_a_slope_if_its_friction_is_below_the_tangent() {
    let angle = 30f64.to_radians();
    let (below, above) = (angle.tan() - 0.001, angle.tan() + 0.001);
    assert!(slide(above, 60.0).abs() < 1e-6, "{}", slide(above, 60.0));
    let expected = |mu: f64, t: f64| 0.5 * G * (angle.sin() - mu * angle.cos()) * t * t;
    let slow = slide(below, 2.0);
    assert!(slow > 0.9 * expected(below, 2.0), "{slow}");
    let fast = slide(0.3, 2.0);
    assert!((fast / expected(0.3, 2.0) - 1.0).abs() < 1e-3, "{fast} for {}", expected(0.3, 2.0));
}

#[test]
fn a_sliding_box_stops_after_the_path_of_coulomb() {
    let (mu, v) = (0.4, 3.0);
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, mu, 0.0);
    let plate = Convex::cuboid(Vec3::new(0.5, 0.5, 0.01)).unwrap();
    let body =
        Body { velocity: Vec3::X * v, friction: mu, restitution: 0.0, ..dynamic(plate, at(0.0, 0.0, 0.01), 1.0) };
    let id = world.insert(body).unwrap();
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    let x = world.body(id).unwrap().pose.translation().x;
    let expected = v * v / (2.0 * mu * G);
    assert!((x / expected - 1.0).abs() < 2e-3, "{x} for {expected}");
    assert!(kinetic(&world) < 1e-18);
}

#[test]
fn a_sliding_ball_rolls_at_five_sevenths_of_its_speed() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.3, 0.0);
    let ball = dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 0.1), 1.0);
    let ball = world.insert(Body { velocity: Vec3::X * 2.0, friction: 0.3, restitution: 0.0, ..ball }).unwrap();
    for _ in 0..180 {
        world.step(DT).unwrap();
    }
    let body = world.body(ball).unwrap();
    let expected = 2.0 * 5.0 / 7.0;
    assert!((body.velocity.x / expected - 1.0).abs() < 2e-3, "{}", body.velocity.x);
    assert!((body.angular_velocity.y * 0.1 - body.velocity.x).abs() < 1e-6);
}

fn cradle(rule: ImpactRule) -> Vec<f64> {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, impact_rule: rule, ..settings() }).unwrap();
    let ball: Shape = Convex::sphere(0.5).unwrap().into();
    let ids: Vec<BodyId> = (0..5)
        .map(|k| {
            let x = if k == 0 { -0.3 } else { k as f64 };
            let velocity = if k == 0 { Vec3::X } else { Vec3::ZERO };
            let body = dynamic(ball.clone(), at(x, 0.0, 0.0), 1.0);
            world.insert(Body { velocity, restitution: 1.0, friction: 0.0, ..body }).unwrap()
        })
        .collect();
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    ids.iter().map(|id| world.body(*id).unwrap().velocity.x).collect()
}

#[test]
fn five_balls_obey_either_rule_of_impacts() {
    let at_once = cradle(ImpactRule::AtOnce);
    for (found, expected) in at_once.iter().zip([-0.6, 0.4, 0.4, 0.4, 0.4]) {
        assert!((found - expected).abs() < 1e-9, "{at_once:?}");
    }
    let in_sequence = cradle(ImpactRule::InSequence);
    for (found, expected) in in_sequence.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((found - expected).abs() < 1e-9, "{in_sequence:?}");
    }
}

#[test]
fn two_spheres_exchange_momentum_by_newtons_rule() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..settings() }).unwrap();
    let ball: Shape = Convex::sphere(0.5).unwrap().into();
    let mut insert = |x: f64, mass: f64, speed: f64| {
        let body = dynamic(ball.clone(), at(x, 0.0, 0.0), mass);
        world.insert(Body { velocity: Vec3::X * speed, restitution: 0.5, ..body }).unwrap()
    };
    let ids = [insert(0.0, 1.0, 2.0), insert(1.7, 3.0, -1.0)];
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    let speeds = ids.map(|id| world.body(id).unwrap().velocity.x);
    assert!((speeds[0] + 1.375).abs() < 1e-9 && (speeds[1] - 0.125).abs() < 1e-9, "{speeds:?}");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(settings()).unwrap();
            floor(&mut world, 0.5, 0.3);
            let cube: Shape = Convex::cuboid(Vec3::splat(0.2)).unwrap().into();
            for k in 0..6 {
                let pose = at(0.37 * (k % 3) as f64, 0.11 * (k % 2) as f64, 0.4 + 0.45 * (k / 3) as f64);
                world.insert(Body { restitution: 0.3, ..dynamic(cube.clone(), pose, 1.0) }).unwrap();
            }
            for _ in 0..40 {
                world.step(DT).unwrap();
            }
            world.state_hash()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(4));
}

#[test]
fn a_discrete_step_stops_a_ball_before_it_enters_the_floor() {
    let settings = Settings { response: Response::ImpulseLcp, detection: Detection::Discrete, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { restitution: 0.0, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap();
    let ball: Shape = Convex::sphere(0.5).unwrap().into();
    let mass = Mass::of_total(&ball, 1.0).unwrap();
    let pose = Pose::from_translation(Vec3::Z * 3.0).unwrap();
    let ball = world.insert(Body { restitution: 0.0, ..Body::dynamic(ball, pose, mass) }).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
        assert!(world.body(ball).unwrap().pose.translation().z > 0.5 - 1e-9);
    }
    assert!(world.body(ball).unwrap().velocity.length() < 1e-9);
}
