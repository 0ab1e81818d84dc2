//! Two gears set too close, and a bolt in a plate: do they interfere, which triangles meet, and along which curves?
//!
//! Run: `cargo run -p heurt --example interference`

use heurt::mesh::generate;
use heurt::prelude::*;
use heurt::query::contours;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    gears()?;
    bolt_in_plate()
}

/// The same gear twice, 52 mm of centre distance wanted, 51.7 mm given. One shape serves both: only the poses differ.
fn gears() -> Result<(), Box<dyn Error>> {
    let module = 0.002;
    let gear = MeshShape::new(generate::gear(26, module, 20_f64.to_radians(), 0.0, 0.01, 0.01, 6)?)?;
    // Half a tooth further, so that teeth meet gaps.
    let half_tooth = std::f64::consts::PI / 26.0;
    let turned = [0.0, 0.0, (half_tooth / 2.0).sin(), (half_tooth / 2.0).cos()];

    println!("two gears of 26 teeth");
    for distance in [0.0517, 0.0565] {
        let pose_b = Pose::from_quaternion(turned, Vec3::new(distance, 0.0, 0.0))?;
        match overlap(&gear, &Pose::IDENTITY, &gear, &pose_b) {
            None => println!("  {:.1} mm apart: free", distance * 1e3),
            Some(_) => {
                let meeting = pairs(&gear, &Pose::IDENTITY, &gear, &pose_b);
                let curves = contours(&gear, &Pose::IDENTITY, &gear, &pose_b);
                println!("  {:.1} mm apart: {} pairs of triangles meet", distance * 1e3, meeting.len());
                println!("  along {} curves, {} of them closed", curves.len(), curves.iter().filter(|c| c.closed).count());
            }
        }
    }
    Ok(())
}

/// An M8 bolt through a 9 mm hole is free; a pin inside solid metal meets no triangle and interferes all the same.
fn bolt_in_plate() -> Result<(), Box<dyn Error>> {
    let plate = MeshShape::new(generate::plate([0.06, 0.06, 0.012], [1, 1], 0.009, 48)?)?;
    let bolt = MeshShape::new(generate::metric_bolt(0.008, 0.03, 48)?)?;
    let pin = MeshShape::new(generate::cylinder(0.002, 0.004, 48)?)?;

    // The underside of the head is the bolt's z = 0: it stands half a millimetre above the plate, the shank in the hole.
    let top = 0.0125;
    println!("\na bolt in a plate");
    report("in its hole", overlap(&plate, &Pose::IDENTITY, &bolt, &Pose::from_translation(Vec3::new(0.0, 0.0, top))));
    report("1 mm aside", overlap(&plate, &Pose::IDENTITY, &bolt, &Pose::from_translation(Vec3::new(0.001, 0.0, top))));
    report("a pin in the metal", overlap(&plate, &Pose::IDENTITY, &pin, &Pose::from_translation(Vec3::new(0.02, 0.0, 0.006))));
    Ok(())
}

fn report(what: &str, witness: Option<Witness>) {
    match witness {
        None => println!("  {what}: free"),
        Some(Witness::Primitives { a, b }) => println!("  {what}: triangle {a} of the plate meets triangle {b}"),
        Some(Witness::Contained(Side::A)) => println!("  {what}: the plate lies inside"),
        Some(Witness::Contained(Side::B)) => println!("  {what}: inside the plate, and no triangles meet"),
    }
}
