//! Floors that overlap at one height: the part that both have belongs to the first of them.
//!
//! In: floors. Out: floors that share no part at heights within a doorstep of each other.
//! Method: the shared parts of each pair are cut out of the second floor (`overlay`). Guarantees: floors without such
//! a part keep their bits. Not guaranteed: parts of less than 10 cm², which are rounding. Cost: O(n log n + pairs of
//! floors whose boxes overlap).

use super::join::DOORSTEP;
use super::overlay::{intersect, rings_of, subtract};
use super::{OVERLAP_ROUNDING, pairs_over_each_other};
use heurt_geometry::{FloorArea, PlanArea};
use std::slice::from_ref;

/// Cuts what two floors share out of the second of them.
pub(super) fn trim(floors: Vec<FloorArea>) -> Vec<FloorArea> {
    let mut cuts: Vec<Vec<PlanArea>> = vec![Vec::new(); floors.len()];
    pairs_over_each_other(&floors, |first, second| {
        let (a, b) = (&floors[first], &floors[second]);
        let ([low, high], [least, most]) = (a.heights(), b.heights());
        if low - most > DOORSTEP || least - high > DOORSTEP {
            return;
        }
        let is_level = |part: &PlanArea| {
            let mut corners = part.rings().flatten();
            corners.all(|&corner| (a.height_at(corner) - b.height_at(corner)).abs() <= DOORSTEP)
        };
        let parts = intersect(from_ref(&a.area), from_ref(&b.area)).into_iter();
        cuts[second].extend(parts.filter(|part| part.area() > OVERLAP_ROUNDING && is_level(part)));
    });
    let mut trimmed = Vec::new();
    for (floor, cuts) in floors.into_iter().zip(cuts) {
        if cuts.is_empty() {
            trimmed.push(floor);
            continue;
        }
        let left = subtract(from_ref(&floor.area), &cuts.iter().map(rings_of).collect());
        trimmed
            .extend(left.into_iter().filter(|area| area.area() > OVERLAP_ROUNDING).map(|area| floor.with_area(area)));
    }
    trimmed
}
