//! A placed compound and any shape: one of its parts overlaps, or none does.

use super::{Witness, overlap_counted};
use crate::algo::near_parts::PlacedCompound;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Compound, ShapeRef};
use std::ops::ControlFlow;

/// Tells whether they share a point. That a part lies in the other shape counts as containment.
pub(crate) fn compound_overlap(a: &Compound, pose_a: &Pose, b: ShapeRef<'_>, pose_b: &Pose) -> (Option<Witness>, Work) {
    let (mut found, mut work) = (None, Work::default());
    let placed = PlacedCompound { compound: a, pose: pose_a };
    let walked = placed.near_box(&b.bounds(), pose_b, 0.0, |number, pose| {
        let part = &a.parts()[number as usize];
        let (witness, done) = overlap_counted(&part.shape, pose, b, pose_b);
        work += done;
        found = witness.map(|witness| match witness {
            Witness::Primitives { a, b } => Witness::Primitives { a: part.first + a, b },
            contained => contained,
        });
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
    });
    work += walked;
    (found, work)
}
