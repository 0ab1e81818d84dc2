//! Times of set operations of two meshes of some 82,000 triangles each.
//!
//! `cargo run --release -p heurt-solid --example boolean_times`

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{check, generate, measures};
use heurt_solid::{SetOperation, SolidMesh, combine};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = generate::icosphere(1.0, 6)?;
    let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let moved = ball.transformed(&Pose::from_quaternion(turn.to_array(), Vec3::new(0.5, 0.3, 0.2))?)?;
    let fastest = |work: &mut dyn FnMut()| {
        let time = |_| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64() * 1e3
        };
        (0..5).map(time).fold(f64::INFINITY, f64::min)
    };
    let mut solids = Vec::new();
    let ms = fastest(&mut || {
        solids = [&ball, &moved].into_iter().filter_map(|mesh| SolidMesh::new(mesh).ok()).collect();
    });
    println!("check and prepare both: {ms:.1} ms");
    for operation in SetOperation::ALL {
        let mut result = None;
        let ms =
            fastest(&mut || result = combine(&solids[0], &solids[1], operation).ok().and_then(|result| result.mesh));
        let Some(mesh) = result else { continue };
        let report = check(&mesh);
        println!(
            "{operation:?}: {ms:.1} ms, {} triangles, volume {:?}, {:?}, faults {:?}",
            mesh.triangles().len(),
            measures(&mesh).volume,
            report.class,
            report.counts.iter().map(ToString::to_string).collect::<Vec<_>>()
        );
    }
    Ok(())
}
