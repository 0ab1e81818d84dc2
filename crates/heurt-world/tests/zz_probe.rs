//! probe
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::*;
const DT: f64 = 1.0 / 60.0;
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
fn floor(world: &mut World, friction: f64, restitution: f64) {
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { friction, restitution, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap();
}
#[test]
fn stack() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.5, 0.0);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let ids: Vec<BodyId> = (0..40)
        .map(|k| {
            world.insert(Body { restitution: 0.0, ..dynamic(cube.clone(), at(0.0, 0.0, 0.5 + k as f64), 1.0) }).unwrap()
        })
        .collect();
    for s in 0..5 {
        let t = std::time::Instant::now();
        let r = world.step(DT).unwrap();
        let sinks: Vec<f64> = ids
            .iter()
            .map(|i| world.body(*i).unwrap().pose.translation().z)
            .enumerate()
            .map(|(k, z)| z - 0.5 - k as f64)
            .collect();
        println!("{s} {:?} {:?} solved {} {:?}", t.elapsed(), r.response, world.solved_contacts().len(), &sinks[..]);
    }
}
#[test]
fn roll() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.3, 0.0);
    let ball = dynamic(Convex::sphere(0.1).unwrap(), at(0.0, 0.0, 0.1), 1.0);
    let ball = world.insert(Body { velocity: Vec3::X * 2.0, friction: 0.3, restitution: 0.0, ..ball }).unwrap();
    for s in 0..60 {
        let r = world.step(DT).unwrap();
        let b = world.body(ball).unwrap();
        println!(
            "{s} {:?} v {:?} w {:?} slip {:e} z {:e}",
            r.response,
            b.velocity.to_array(),
            b.angular_velocity.to_array(),
            b.angular_velocity.y * 0.1 - b.velocity.x,
            b.pose.translation().z - 0.1
        );
    }
}
#[test]
fn heap() {
    let mut world = World::new(settings()).unwrap();
    floor(&mut world, 0.5, 0.3);
    let cube: Shape = Convex::cuboid(Vec3::splat(0.2)).unwrap().into();
    for k in 0..12 {
        let pose = at(0.37 * (k % 3) as f64, 0.11 * (k % 2) as f64, 0.5 + 0.45 * (k / 3) as f64);
        world.insert(Body { restitution: 0.3, ..dynamic(cube.clone(), pose, 1.0) }).unwrap();
    }
    for s in 0..60 {
        let t = std::time::Instant::now();
        let r = world.step(DT).unwrap();
        println!("{s} {:?} {:?} E {:?}", t.elapsed(), r.response, world.energy());
    }
}
