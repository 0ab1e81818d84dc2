//! Colours of findings by kind, the same in pictures, the report and mesh files; their order by severity.
//!
//! The palette has the colours; this module has which kind takes which.

use heurt::assembly::Findings;
use heurt::view::palette::{CLASH, Colour, INSIDE, NEAR, TOUCHING};
use std::collections::BTreeMap;

/// A rank, which ascends from near to clash, and the colour of a kind.
pub(super) type RankedColour = (u8, Colour);

/// Returns rank and colour of a kind by its word.
pub(super) fn of_word(kind: &str) -> RankedColour {
    match kind {
        "clash" | "duplicate" => (3, CLASH),
        "inside" => (2, INSIDE),
        "touching" => (1, TOUCHING),
        _ => (0, NEAR),
    }
}

/// Returns rank and colour of the worst kind of each part in the first `most` findings, in the order of the table:
/// interferences, then pairs that are near.
pub(super) fn worst_kinds(findings: &Findings, most: usize) -> BTreeMap<usize, RankedColour> {
    let mut worst: BTreeMap<usize, RankedColour> = BTreeMap::new();
    let interferences = findings.list.iter().map(|found| ([found.a, found.b], of_word(found.kind.word())));
    let near = findings.near.iter().map(|found| ([found.a, found.b], of_word(super::baseline::NEAR)));
    for (parts, ranked) in interferences.chain(near).take(most) {
        for part in parts {
            let entry = worst.entry(part).or_insert(ranked);
            *entry = ranked.max(*entry);
        }
    }
    worst
}
