//! The cost of a field of shortest paths: windows, seconds of the field, nanoseconds of a query.
//!
//! `cargo run --release -p heurt-map --example geodesic_field`

use heurt_geometry::{SplitMix64, Vec3};
use heurt_map::geodesic::{GeodesicGoal, GeodesicSurface};
use heurt_mesh::{TriMesh, generate};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:12} {:>7} {:>10} {:>9} {:>12} {:>12}",
        "mesh", "faces", "windows", "field s", "distance ns", "direction ns"
    );
    for levels in 3..=5 {
        measure("sphere", &generate::icosphere(1.0, levels)?, 0.0)?;
    }
    for segments in [96, 192, 384] {
        let knot = generate::torus_knot([2, 3], 1.0, 0.4, 0.15, segments, segments / 8)?;
        measure("torus knot", &knot, 0.0)?;
        measure("with walls", &knot, 0.05)?;
    }
    Ok(())
}

/// Prints a line for a mesh in which a share of the faces are obstacles.
fn measure(name: &str, mesh: &TriMesh, walls: f64) -> Result<(), Box<dyn std::error::Error>> {
    let mut random = SplitMix64::new(1);
    let count = mesh.triangles().len();
    let obstacles: Vec<u32> = (1..count as u32).filter(|_| random.unit() < walls).collect();
    let surface = GeodesicSurface::with_obstacles(mesh, &obstacles)?;
    let start = Instant::now();
    let field = surface.field(&GeodesicGoal { faces: vec![0], ..GeodesicGoal::default() })?;
    let seconds = start.elapsed().as_secs_f64();
    let places: Vec<(u32, Vec3)> = (0..100_000)
        .map(|_| {
            let face = random.below(count) as u32;
            let [a, b, c] = mesh.corners(face);
            (face, (a + b + c) / 3.0)
        })
        .collect();
    let start = Instant::now();
    let sum: f64 = places.iter().filter_map(|&(face, place)| field.distance_at(face, place)).sum();
    let distance = start.elapsed().as_nanos() as f64 / places.len() as f64;
    let start = Instant::now();
    let turned: Vec3 = places.iter().filter_map(|&(face, place)| field.direction_at(face, place)).sum();
    let direction = start.elapsed().as_nanos() as f64 / places.len() as f64;
    assert!(sum.is_finite() && turned.is_finite());
    println!("{name:12} {count:7} {:10} {seconds:9.3} {distance:12.0} {direction:12.0}", field.window_count());
    Ok(())
}
