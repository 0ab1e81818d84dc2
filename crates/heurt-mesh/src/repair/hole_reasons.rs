//! Why holes stay open, by the places of their borders.
//!
//! In: the holes that the step `fill` tried and left, over all passes. Out: the reason of a hole of the final mesh.
//! Method: a map from the places along a border, from its lowest place on, so that later steps may renumber vertices.
//! Guarantees: a hole that was tried keeps its last reason, even if the work ends afterwards.

use std::collections::BTreeMap;

use super::fill::{self, Unfilled};
use super::report::HoleReason;
use crate::{Topology, TriMesh};

/// The reasons that are known.
#[derive(Debug, Clone, Default)]
pub(super) struct HoleReasons {
    by_places: BTreeMap<Vec<[u64; 3]>, HoleReason>,
    /// The step `fill` was switched off because it made a fault more frequent.
    pub(super) is_undone: bool,
}

impl HoleReasons {
    /// Adds the holes that a filling left; a lack of work is no reason of the hole.
    pub(super) fn add(&mut self, mesh: &TriMesh, unfilled: &[Unfilled]) {
        for Unfilled { vertices, reason } in unfilled.iter().filter(|hole| hole.reason != HoleReason::WorkSpent) {
            self.by_places.insert(places(mesh, vertices), *reason);
        }
    }

    /// Notes that a filling was undone that left the holes in `unfilled` only.
    pub(super) fn add_undone(&mut self, mesh: &TriMesh, unfilled: &[Unfilled]) {
        let borders = fill::loops::borders(&Topology::new(mesh));
        let all = borders.cycles.iter().map(|vertices| (places(mesh, vertices), HoleReason::Undone));
        self.by_places.extend(all);
        self.add(mesh, unfilled);
    }

    /// Adds the reasons of a later run, which count more.
    pub(super) fn extend(&mut self, later: Self) {
        self.by_places.extend(later.by_places);
        self.is_undone |= later.is_undone;
    }

    /// The reason of a hole, if it was tried.
    pub(super) fn reason(&self, mesh: &TriMesh, vertices: &[u32]) -> Option<HoleReason> {
        self.by_places.get(&places(mesh, vertices)).copied()
    }
}

/// The places along a border, from the lowest one on.
fn places(mesh: &TriMesh, vertices: &[u32]) -> Vec<[u64; 3]> {
    let bits = |&vertex: &u32| mesh.vertices()[vertex as usize].to_array().map(f64::to_bits);
    let mut places: Vec<[u64; 3]> = vertices.iter().map(bits).collect();
    let lowest = (0..places.len()).min_by_key(|&number| places[number]);
    places.rotate_left(lowest.unwrap_or(0));
    places
}
