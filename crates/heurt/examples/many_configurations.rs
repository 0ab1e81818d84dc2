//! An arm of three links sweeps over a bench, sampled at 2,000 configurations: which of them are free, and how near the nearest
//! of these comes. `cargo run --release -p heurt --example many_configurations`

use heurt::prelude::*;
use heurt::query::Batch;
use heurt::shape::ShapeRef;

const SAMPLES: u32 = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let link = Convex::capsule(0.06, 0.25)?;
    let bench = Convex::cuboid(Vec3::new(1.0, 0.6, 0.1))?;
    let vase = MeshShape::new(heurt::mesh::generate::torus(0.2, 0.08, 48, 24)?)?;
    // Three links, then what stands about.
    let shapes = [&link, &link, &link, &bench].map(ShapeRef::from).into_iter().chain([ShapeRef::from(&vase)]);
    let arm = Batch::new(shapes, (0..3).flat_map(|link| [[link, 3], [link, 4]]))?;
    let mut poses = Vec::new();
    for sample in 0..SAMPLES {
        let t = f64::from(sample) / f64::from(SAMPLES);
        poses.extend(links([0.2 + t, 0.9, 0.6 - 0.3 * t])?);
        poses.push(Pose::from_translation(Vec3::new(0.0, 0.0, -0.3))?);
        poses.push(Pose::from_translation(Vec3::new(0.9, 0.1, -0.12))?);
    }
    let hit = arm.first_overlaps(&poses)?;
    let free = hit.iter().filter(|first| first.is_none()).count();
    println!("{free} of {SAMPLES} configurations are free");
    let distances = arm.distances(&poses, 0.5)?;
    let rows = distances.chunks(arm.pairs()).zip(&hit).enumerate().filter(|(_, (_, hit))| hit.is_none());
    let clearance = rows.filter_map(|(sample, (row, _))| {
        let nearest = row.iter().flatten().map(|found| found.distance).min_by(f64::total_cmp);
        nearest.map(|distance| (sample, distance))
    });
    if let Some((sample, distance)) = clearance.min_by(|x, y| x.1.total_cmp(&y.1)) {
        println!("the tightest of them is number {sample}: {:.1} mm", 1e3 * distance);
    }
    Ok(())
}

/// The links of an arm that stands at the origin and bends about y, by the angles of its joints.
fn links(joints: [f64; 3]) -> Result<[Pose; 3], PoseError> {
    let (mut foot, mut angle) = (Vec3::ZERO, 0.0);
    let mut out = [Pose::IDENTITY; 3];
    for (pose, joint) in out.iter_mut().zip(joints) {
        angle += joint;
        let along = Vec3::new(angle.sin(), 0.0, angle.cos());
        *pose = Pose::from_quaternion([0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()], foot + along * 0.25)?;
        foot += along * 0.5;
    }
    Ok(out)
}
