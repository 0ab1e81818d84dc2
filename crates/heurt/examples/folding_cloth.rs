//! A cloth that folds onto itself: which triangles pass through which, step by step, and which features meet between two steps?
//!
//! `cargo run --release -p heurt --example folding_cloth`

use heurt::mesh::generate::Cloth;
use heurt::prelude::*;
use heurt::query::ccd::{CcdOptions, MovingMesh, self_impacts};
use heurt::query::{Neighbours, self_pairs};
use heurt::shape::{DeformingShape, Upkeep, UpkeepPolicy};

const STEPS: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cloth = Cloth::new(80, 4)?;
    println!("{} triangles in four layers", cloth.sheet().triangles().len());
    let mut body = DeformingShape::new(MeshShape::new(cloth.sheet().clone())?, UpkeepPolicy::default());
    let mut moving = MovingMesh::new(cloth.sheet())?;
    for step in 0..=STEPS {
        let folded = f64::from(step) / f64::from(STEPS);
        let upkeep = match body.step(&cloth.vertices(folded))? {
            Upkeep::Refitted => String::new(),
            Upkeep::Rotated { moved } => format!(", {moved} nodes moved"),
            Upkeep::Begun => ", a new tree begun".into(),
            Upkeep::Rebuilt => ", a new tree taken in".into(),
        };
        // Triangles with a vertex in common always touch: they are left out.
        let pairs = self_pairs(body.shape(), Neighbours::Skip);
        // On the way from the last state to this one, every vertex going straight.
        moving.step_to(body.shape().mesh().vertices())?;
        let met = self_impacts(&moving, &CcdOptions::default())?;
        println!(
            "{:3.0}% folded: {:4} pairs of features met on the way here, {:4} pairs of triangles meet; the tree is {:.2} times as \
             loose as new{upkeep}",
            100.0 * folded,
            met.len(),
            pairs.len(),
            body.degradation(),
        );
        if let Some(first) = met.first() {
            println!("              the first after {:.3} of the step: {:?}", first.time, first.meeting);
        }
    }
    // A finger lifts one corner: only what is above its triangles is refitted.
    let mut shape = body.into_shape();
    let corner = shape.mesh().vertices()[0];
    shape.deform_moved(&[0], &[corner + Vec3::Z * 0.01])?;
    println!("after one corner is lifted: {} pairs", self_pairs(&shape, Neighbours::Skip).len());
    Ok(())
}
