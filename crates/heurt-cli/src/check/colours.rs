//! Colours of findings by kind, the same in pictures, the report and mesh files; their order by severity.
//!
//! The palette has the colours; this module has which kind takes which.

use heurt::assembly::{Findings, InterferenceKind};
use heurt::view::palette::{CLASH, Colour, INSIDE, NEAR, TOUCHING};
use std::collections::BTreeMap;

/// A rank, which ascends from near to clash, and the colour of a kind.
pub(super) type RankedColour = (u8, Colour);

/// Rank and colour of pairs that are nearer than the clearance.
pub(super) const NEAR_PAIR: RankedColour = (0, NEAR);

/// Returns rank and colour of a kind.
pub(super) fn of_kind(kind: InterferenceKind) -> RankedColour {
    match kind {
        InterferenceKind::Clash | InterferenceKind::Duplicate => (3, CLASH),
        InterferenceKind::Inside { .. } => (2, INSIDE),
        InterferenceKind::Touching => (1, TOUCHING),
    }
}

/// Returns the colour of a kind by its word.
pub(super) fn of_word(kind: &str) -> Colour {
    match kind {
        "clash" | "duplicate" => CLASH,
        "inside" => INSIDE,
        "touching" => TOUCHING,
        _ => NEAR,
    }
}

/// Returns rank and colour of the worst kind of each part in the first `most` findings, in the order of the table:
/// interferences, then pairs that are near.
pub(super) fn worst_kinds(findings: &Findings, most: usize) -> BTreeMap<usize, RankedColour> {
    let mut worst: BTreeMap<usize, RankedColour> = BTreeMap::new();
    let interferences = findings.list.iter().map(|found| ([found.a, found.b], of_kind(found.kind)));
    let near = findings.near.iter().map(|found| ([found.a, found.b], NEAR_PAIR));
    for (parts, ranked) in interferences.chain(near).take(most) {
        for part in parts {
            let entry = worst.entry(part).or_insert(ranked);
            *entry = ranked.max(*entry);
        }
    }
    worst
}
