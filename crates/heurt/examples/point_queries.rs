//! How far is a point from a part, on which side, and what does a ray hit?
//!
//! `cargo run -p heurt --example point_queries`

use heurt::mesh::{generate, measures};
use heurt::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = MeshShape::new(generate::supertoroid(1.0, 0.3, 1.0, 0.4, 128)?)?;
    for point in [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0)] {
        let found = closest(&ring, &Pose::IDENTITY, point);
        let side = if found.inside == Some(true) { "inside" } else { "outside" };
        println!("{point} is {side}, {:.6} m from the surface at {}", found.distance, found.point);
    }
    let downward = Ray { origin: Vec3::new(1.0, 0.0, 5.0), direction: Vec3::NEG_Z, max_t: 10.0 };
    if let Some(hit) = ray(&ring, &Pose::IDENTITY, &downward) {
        println!("the ray hits triangle {} at {}", hit.primitive, hit.point);
    }
    println!("the ring holds {:.6} m³", measures(ring.mesh()).volume.unwrap_or(0.0));
    Ok(())
}
