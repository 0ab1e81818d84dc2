//! Which parts interfere, and where, or how far they are apart: from meshes to curves and distances.
//!
//! `cargo run -p heurt --example interference`

use heurt::mesh::generate;
use heurt::prelude::*;
use heurt::query::contours;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A shape is a mesh with everything that queries need; parts that look alike share one.
    let gear = MeshShape::new(generate::gear(24, 0.002, 20_f64.to_radians(), 0.0001, 0.01, 0.01, 6)?)?;
    let bolt = MeshShape::new(generate::metric_bolt(0.0102, 0.04, 48)?)?;
    // Half a tooth turned, so that teeth of one gear stand in the gaps of the other.
    let half_tooth = std::f64::consts::PI / 48.0;
    let turned = [0.0, 0.0, half_tooth.sin(), half_tooth.cos()];
    let parts = [
        ("wheel", &gear, Pose::IDENTITY),
        ("pinion", &gear, Pose::from_quaternion(turned, Vec3::new(0.048, 0.0, 0.0))?),
        ("bolt", &bolt, Pose::from_translation(Vec3::new(0.0, 0.0, 0.015))?),
    ];
    for (i, (name_a, a, pose_a)) in parts.iter().enumerate() {
        for (name_b, b, pose_b) in &parts[i + 1..] {
            match overlap(a, pose_a, b, pose_b) {
                None => {
                    let gap = distance(a, pose_a, b, pose_b);
                    println!("{name_a} and {name_b} are {:.2} mm apart", 1e3 * gap.distance);
                }
                Some(Witness::Contained(side)) => println!("{name_a} and {name_b}: {side:?} lies inside the other"),
                Some(Witness::Primitives { .. }) => {
                    let count = pairs(a, pose_a, b, pose_b).len();
                    let curves = contours(a, pose_a, b, pose_b);
                    println!("{name_a} and {name_b}: {count} pairs of triangles meet, along {} curves", curves.len());
                }
            }
        }
    }
    Ok(())
}
