//! Two hundred boxes fall on a wavy floor of 3,200 triangles, pile up and fall asleep.
//!
//! `cargo run --release -p heurt --example boxes_on_a_mesh`

use heurt::mesh::generate;
use heurt::prelude::*;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() })?;

    let height = |x: usize, y: usize| 0.1 * (0.5 * x as f64).sin() * (0.4 * y as f64).cos();
    let heights: Vec<Vec<f64>> = (0..41).map(|y| (0..41).map(|x| height(x, y)).collect()).collect();
    let floor = MeshShape::new(generate::height_field([-10.0, -10.0], [0.5, 0.5], &heights)?)?;
    world.insert(Body { restitution: 0.0, friction: 0.8, ..Body::fixed(floor, Pose::IDENTITY) })?;

    let shape: Shape = Convex::cuboid(Vec3::splat(0.15))?.into();
    let mass = std::sync::Arc::new(Mass::of_density(&shape, 500.0)?);
    for k in 0..200i32 {
        let [column, row, layer] = [k % 5, k / 5 % 5, k / 25].map(f64::from);
        let pose = Pose::from_translation(Vec3::new(0.4 * column - 0.8, 0.4 * row - 0.8, 1.0 + 0.4 * layer))?;
        let falling = Body::dynamic(shape.clone(), pose, mass.clone());
        world.insert(Body { restitution: 0.0, friction: 0.8, ..falling })?;
    }

    for step in 1..=600 {
        let report = world.step(1.0 / 60.0)?;
        if step % 100 == 0 {
            let contacts = world.contacts().iter().filter_map(|touch| touch.contact.as_ref());
            let points = contacts.flat_map(|contact| &contact.points);
            let deepest = points.map(|point| -1e3 * point.separation).fold(0.0, f64::max);
            let (time, moving, asleep) = (world.time(), world.energy().kinetic, report.response.asleep);
            println!(
                "{time:5.2} s: {} touch, deepest {deepest:.1} mm, {moving:.3} J, {asleep} asleep",
                report.touching
            );
        }
    }
    assert_eq!(world.bodies().filter(|(id, _)| world.is_asleep(*id)).count(), 200);
    Ok(())
}
