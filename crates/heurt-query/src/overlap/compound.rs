//! A placed compound and any shape: one of its parts overlaps, or none does.

use super::overlap_metered;
use crate::answer::budget::WorkMeter;
use crate::answer::overlap::Witness;
use crate::answer::placed::PlacedShape;
use crate::compound::nearby_parts::{PlacedCompound, visit_pairs};
use std::ops::ControlFlow;

/// Reports whether they share a point. A part inside the second shape counts as containment.
pub(crate) fn compound_overlap(a: PlacedCompound<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Option<Witness> {
    let mut found = None;
    visit_pairs(a, b, 0.0, meter, |[on_a, on_b], _| {
        let witness = overlap_metered(on_a.placed, on_b.placed, meter);
        found = witness.map(|witness| match witness {
            Witness::Primitives { a, b } => {
                Witness::Primitives { a: on_a.first_primitive + a, b: on_b.first_primitive + b }
            }
            contained => contained,
        });
        if found.is_some() || meter.was_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(0.0) }
    });
    found
}
