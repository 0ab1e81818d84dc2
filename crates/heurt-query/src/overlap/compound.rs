//! A placed compound and any shape: one of its parts overlaps, or none does.

use super::overlap_metered;
use crate::answer::budget::WorkMeter;
use crate::answer::overlap::Witness;
use crate::compound::nearby_parts::PlacedCompound;
use heurt_geometry::Pose;
use heurt_shape::{Compound, ShapeRef};
use std::ops::ControlFlow;

/// Reports whether they share a point. A part inside the second shape counts as containment.
pub(crate) fn compound_overlap(
    a: &Compound,
    pose_a: &Pose,
    b: ShapeRef<'_>,
    pose_b: &Pose,
    meter: &WorkMeter<'_>,
) -> Option<Witness> {
    let mut found = None;
    let mut ask = |of_a: (ShapeRef<'_>, &Pose, u32), of_b: (ShapeRef<'_>, &Pose, u32)| {
        let witness = overlap_metered((of_a.0, of_a.1), (of_b.0, of_b.1), meter);
        found = witness.map(|witness| match witness {
            Witness::Primitives { a, b } => Witness::Primitives { a: of_a.2 + a, b: of_b.2 + b },
            contained => contained,
        });
        if found.is_some() || meter.was_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
    };
    let placed = PlacedCompound { compound: a, pose: pose_a };
    match b {
        ShapeRef::Compound(b) => {
            let other = PlacedCompound { compound: b, pose: pose_b };
            placed.visit_nearby_pairs(&other, 0.0, meter, |[i, j], [at_a, at_b], _| {
                let (of_a, of_b) = (&a.parts()[i as usize], &b.parts()[j as usize]);
                ask(((&of_a.shape).into(), at_a, of_a.first), ((&of_b.shape).into(), at_b, of_b.first))
            })
        }
        b => placed.near((b, pose_b), 0.0, meter, |number, pose, _| {
            let part = &a.parts()[number as usize];
            ask(((&part.shape).into(), pose, part.first), (b, pose_b, 0))
        }),
    };
    found
}
