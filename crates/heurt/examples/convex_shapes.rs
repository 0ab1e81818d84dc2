//! A capsule comes down on a box: how far, how deep, where. `cargo run --release -p heurt --example convex_shapes`

use heurt::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let floor = Convex::cuboid(Vec3::new(2.0, 2.0, 0.5))?;
    let pill = Convex::capsule(0.25, 0.5)?;
    // Lying along x.
    let lying = |height: f64| {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        Pose::from_quaternion([0.0, half, 0.0, half], Vec3::new(0.0, 0.0, height))
    };
    let mut cache = PairCache::default();
    for height in [1.5, 1.0, 0.75, 0.625] {
        let pose = lying(height)?;
        let gap = cache.distance(&floor, &Pose::IDENTITY, &pill, &pose);
        print!("height {height}: distance {:.3}", gap.distance);
        if let Some(touch) = contact(&floor, &Pose::IDENTITY, &pill, &pose, 0.0) {
            print!(", separation {:.3} along {}, at", touch.separation, touch.normal);
            for point in &touch.points {
                print!(" [{:.3} {:.3} {:.3}]", point.point.x, point.point.y, point.point.z);
            }
        }
        println!();
    }
    Ok(())
}
