//! probe
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::*;
const DT: f64 = 1.0 / 60.0;
fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}
fn dynamic(shape: impl Into<Shape>, pose: Pose, mass: f64) -> Body {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    Body::dynamic(shape, pose, mass)
}
#[test]
fn pyramid() {
    for n in [20i32, 60] {
        let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
        let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
        world.insert(Body { friction: 0.6, restitution: 0.0, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap();
        let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
        let mut ids = vec![];
        for row in 0..n {
            for k in 0..n - row {
                let x = (k as f64 - 0.5 * (n - row) as f64) * 1.05;
                ids.push(
                    world
                        .insert(Body {
                            restitution: 0.0,
                            friction: 0.6,
                            ..dynamic(cube.clone(), at(x, 0.0, 0.5 + row as f64), 1.0)
                        })
                        .unwrap(),
                );
            }
        }
        let mut total = 0.0;
        for s in 0..240 {
            let t = std::time::Instant::now();
            let r = world.step(DT).unwrap();
            let e = t.elapsed().as_secs_f64();
            total += e;
            if s % 40 == 0 {
                let top = world.body(*ids.last().unwrap()).unwrap().pose.translation();
                println!(
                    "{n} {s} {:.2} ms contacts {} touching {} top {:?} ke {:e}",
                    e * 1e3,
                    r.response.contacts,
                    r.touching,
                    top.to_array(),
                    world.energy().kinetic
                );
            }
        }
        println!("{n}: {} bodies {:.3} ms a step", ids.len(), total / 240.0 * 1e3);
    }
}
#[test]
fn drop_heap() {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    world.insert(Body { friction: 0.6, restitution: 0.3, ..Body::fixed(plane, Pose::IDENTITY) }).unwrap();
    let cube: Shape = Convex::cuboid(Vec3::splat(0.2)).unwrap().into();
    for k in 0..200 {
        let pose =
            at(0.37 * (k % 5) as f64 + 0.01 * (k / 25) as f64, 0.41 * (k / 5 % 5) as f64, 0.5 + 0.45 * (k / 25) as f64);
        world.insert(Body { restitution: 0.3, ..dynamic(cube.clone(), pose, 1.0) }).unwrap();
    }
    for s in 0..600 {
        let t = std::time::Instant::now();
        let r = world.step(DT).unwrap();
        let deepest =
            world.touches().iter().filter_map(|t| t.contact.as_ref()).map(|c| c.separation).fold(0.0, f64::min);
        if s % 60 == 0 {
            println!(
                "{s} {:?} contacts {} touching {} E {:?} deepest {deepest:e}",
                t.elapsed(),
                r.response.contacts,
                r.touching,
                world.energy()
            );
        }
    }
}
