//! Points and rays against a solid: inside or not, how far, and what a ray meets first.
//!
//! Run: `cargo run -p heurt --example closest_and_ray`

use heurt::mesh::{generate, measures};
use heurt::prelude::*;
use heurt::query::{Ray, closest, ray};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // A ring of radius 1 m with a tube of 0.3 m, laid flat at a height of 2 m.
    let ring = MeshShape::new(generate::torus(1.0, 0.3, 96, 48)?)?;
    let pose = Pose::from_translation(Vec3::new(0.0, 0.0, 2.0));

    println!("points against a ring");
    for (what, point) in [
        ("in the tube", Vec3::new(1.0, 0.0, 2.0)),
        ("in the hole", Vec3::new(0.0, 0.0, 2.0)),
        ("far above", Vec3::new(0.0, 1.0, 5.0)),
    ] {
        let found = closest(&ring, &pose, point);
        let side = if found.inside == Some(true) { "inside" } else { "outside" };
        println!("  {what}: {side}, {:.4} m from the surface, at most {:.0e} m off", found.distance, found.error);
    }

    println!("\nrays from above");
    for x in [0.0, 1.0] {
        let down = Ray { origin: Vec3::new(x, 0.0, 5.0), direction: Vec3::NEG_Z, max_distance: 10.0 };
        match ray(&ring, &pose, &down) {
            None => println!("  at x = {x}: through the hole"),
            Some(hit) => println!("  at x = {x}: triangle {} after {:.4} m", hit.primitive, hit.distance),
        }
    }

    let measured = measures(ring.mesh());
    println!("\nvolume {:.4} m³, genus {}", measured.volume.unwrap_or(0.0), measured.genus.unwrap_or(0));
    Ok(())
}
