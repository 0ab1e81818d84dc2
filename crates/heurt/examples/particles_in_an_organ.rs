//! Particles in an organ of hexahedra that breathes: in which cell is each, and what an edge between two of them crosses.
//!
//! Run with `cargo run --release -p heurt --example particles_in_an_organ`.

use heurt::map::track::{Centres, MoveEnd, Probe, StarTracker};
use heurt::map::{CombinatorialMap, Map3, Orbit, grid_positions};
use heurt::prelude::*;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let counts = [8; 3];
    let mut map = Map3::hexahedral_grid(counts)?;
    map.enable_ids(Orbit::Face);
    let bounds = Aabb { min: Vec3::ZERO, max: Vec3::splat(8.0) };
    let rest = grid_positions(&bounds, counts);
    let mut points = rest.clone();
    let mut centres = Centres::new(&map, &points)?;

    // Sixty-four particles, found once.
    let mut particles = Vec::new();
    let tracker = StarTracker::new(&map, &points, &centres)?;
    for k in 0..64 {
        let place = Vec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16));
        particles.push(tracker.find(place * 1.9 + Vec3::splat(1.1))?.inside().ok_or("inside the organ")?);
    }

    let (mut left, mut walls) = (0, 0);
    for step in 0..200 {
        // The organ bends: faces are no longer plane, cells no longer convex.
        let time = f64::from(step) * 0.05;
        for (point, rest) in points.iter_mut().zip(&rest) {
            let wave = Vec3::new((rest.y + time).sin(), (rest.z + time).sin(), (rest.x - time).cos());
            *point = *rest + wave * 0.3;
        }
        centres.update(&map, &points)?;
        let tracker = StarTracker::new(&map, &points, &centres)?;
        assert!(tracker.check().is_empty(), "a cell is not seen whole from its centre any more");
        for (k, particle) in particles.iter_mut().enumerate() {
            let before = map.id(Orbit::Volume, particle.dart);
            let angle = 8.0 * time + k as f64;
            let target = particle.position + Vec3::new(angle.cos(), angle.sin(), (0.5 * angle).cos()) * 0.1;
            let end = tracker.move_to(particle, target, |_, _| ())?;
            walls += usize::from(end != MoveEnd::Arrived);
            left += usize::from(map.id(Orbit::Volume, particle.dart) != before);
        }
    }
    println!("{} moves: {left} into another cell, {walls} stopped at the border", 200 * particles.len());

    let tracker = StarTracker::new(&map, &points, &centres)?;
    let mut probe = Probe::new();
    probe.edge(&tracker, &particles[0], &particles[63])?;
    println!("the edge from the first particle to the last is in {} cells", probe.cells().len());
    let [a, b, c] = [0, 3, 60].map(|k| &particles[k]);
    probe.triangle_by_edges(&tracker, [a, b, c])?;
    let by_edges = probe.cells().len();
    probe.triangle(&tracker, [a, b, c])?;
    println!("a triangle of three particles is in {} cells, its edges in {by_edges}", probe.cells().len());
    Ok(())
}
