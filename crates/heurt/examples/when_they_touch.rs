//! When do two moving parts touch? A turning arm, a fast bullet, and the disassembly question: how far does a bolt come out?
//!
//! `cargo run --release -p heurt --example when_they_touch`

use heurt::mesh::generate;
use heurt::prelude::*;
use heurt::query::Impact;

fn print_impact(what: &str, found: Option<Impact>) {
    match found {
        Some(found) => println!("{what}: {:.9} … {:.9} s, at {:.4}", found.time, found.time_upper, found.point),
        None => println!("{what}: never"),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = CastOptions { max_time: 2.0, tolerance: Some(1e-6) };

    // An arm turns about its end and meets a post.
    let arm = Convex::cuboid(Vec3::new(0.5, 0.02, 0.02))?;
    let post = Convex::cylinder(0.05, 1.0)?;
    let turning = Motion::screw(Vec3::ZERO, Vec3::Z)?.about(Vec3::new(-0.5, 0.0, 0.0))?;
    let place = Pose::from_translation(Vec3::new(-0.1, 0.3, 0.0))?;
    print_impact(
        "the arm meets the post",
        cast(&arm, &Pose::IDENTITY, &turning, &post, &place, &Motion::STILL, &options)?,
    );

    // A bullet of 5 mm and 900 m/s does not pass through a sheet of a tenth of a millimetre.
    let sheet = MeshShape::new(generate::cuboid([1.0, 1.0, 0.000_05])?)?;
    let bullet = Convex::capsule(0.0025, 0.005)?;
    let (above, shot) = (Pose::from_translation(Vec3::Z)?, Motion::linear(Vec3::new(50.0, 0.0, -900.0))?);
    print_impact(
        "the bullet meets the sheet",
        cast(&bullet, &above, &shot, &sheet, &Pose::IDENTITY, &Motion::STILL, &options)?,
    );

    // A bolt is screwed out of a plate: it turns and rises, and meets the cover above it.
    let bolt = MeshShape::new(generate::cylinder(0.004, 0.02, 48)?)?;
    let cover = MeshShape::new(generate::cuboid([0.05, 0.05, 0.001])?)?;
    let above = Pose::from_translation(Vec3::new(0.0, 0.0, 0.045))?;
    let out = Motion::screw(0.01 * Vec3::Z, 50.0 * Vec3::Z)?;
    print_impact(
        "the bolt meets the cover",
        cast(&bolt, &Pose::IDENTITY, &out, &cover, &above, &Motion::STILL, &options)?,
    );
    let aside = Pose::from_translation(Vec3::new(0.06, 0.0, 0.045))?;
    print_impact("with the cover aside", cast(&bolt, &Pose::IDENTITY, &out, &cover, &aside, &Motion::STILL, &options)?);
    Ok(())
}
