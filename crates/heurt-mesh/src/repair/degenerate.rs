//! Removal of degenerate triangles by edge splits, without opening the mesh.
//!
//! In: the incidences of a mesh. Out: the same point set with fewer degenerate triangles, or nothing if there is none.
//! Method: a triangle with two corners at one place is dropped. A needle is a triangle whose three corners lie at
//! distinct places of one line. Let m be its middle corner and ab its long edge. All other triangles at ab are split at
//! m, and the needle is dropped. Needles are processed in rounds, longest first; triangles changed in a round are left
//! for the next one. In a second pass a triangle at an intersection or border counts as a needle if its middle corner
//! lies within a tolerance of its long edge: rounding turns needles into such triangles.
//! Guarantees: which triangle is degenerate and which corner is in the middle is decided exactly, so no point of the
//! surface moves in the first pass, and none by more than the tolerance in the second. At every edge the difference
//! between the numbers of half-edges in both directions stays the same: a split moves the contribution of the needle
//! from ab to am and mb, where it was already counted with the opposite sign. So a closed mesh stays closed.
//! Not guaranteed: that all needles go; the number of rounds and of pieces is limited.
//! Cost: O(n log n) a round. Every split makes the longest needle of a line shorter, and few rounds suffice in
//! practice.

use heurt_geometry::{is_degenerate, point_on_segment};
use rayon::prelude::*;

use super::edit::{Change, Edit};
use crate::{Topology, TriMesh};

/// Maximum number of rounds. Needles of one line need one round for each level of nesting; CAD faces have up to 10
/// levels.
const MAX_ROUNDS: usize = 64;
/// Maximum number of pieces for each needle at the start, so that lines with many needles cannot grow without bound.
const MAX_PIECES_PER_NEEDLE: usize = 8;

/// A triangle whose middle corner lies on its long edge, or within a tolerance of it.
#[derive(Debug, Clone, Copy)]
struct Needle {
    triangle: u32,
    /// The ends of its long edge: representatives.
    ends: [u32; 2],
    /// Its middle corner: a vertex of the mesh, not a representative.
    middle: u32,
    length_sq: f64,
    /// The distance of the middle corner from the long edge.
    height: f64,
}

/// Which triangles are needles, and which ones may be split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a> {
    /// Triangles that are not split.
    pub(super) fixed: &'a [bool],
    /// Triangles that are needles if they are flat within the tolerance; `None`: only exact needles.
    pub(super) flat_within: Option<(&'a [bool], f64)>,
}

/// Removes degenerate triangles. If triangles count as needles that are flat within a tolerance, the result has fewer
/// of them; else nothing is returned: removing such a needle can make its neighbour one.
pub(super) fn drop_degenerate(topology: &Topology, rules: &Rules) -> Option<Edit> {
    let edit = all_rounds(topology, rules)?;
    let Some((_, tolerance)) = rules.flat_within else { return Some(edit) };
    let count = |topology: &Topology| {
        let is_flat = |triangle: u32| flat_needle(topology, topology.mesh(), triangle, tolerance).is_some();
        (0..topology.mesh().triangles().len() as u32).into_par_iter().filter(|&triangle| is_flat(triangle)).count()
    };
    (count(&Topology::new(&edit.mesh)) < count(topology)).then_some(edit)
}

/// Removes degenerate triangles until none is left that may go, or the limits are reached.
fn all_rounds(topology: &Topology, rules: &Rules) -> Option<Edit> {
    let mut edit = one_round(topology, rules)?;
    let mut budget = MAX_PIECES_PER_NEEDLE * (edit.change.triangles_removed + 8);
    for _ in 1..MAX_ROUNDS {
        let fixed = edit.carried(rules.fixed);
        let flat = rules.flat_within.map(|(flat, tolerance)| (edit.carried(flat), tolerance));
        let flat_within = flat.as_ref().map(|(flat, tolerance)| (flat.as_slice(), *tolerance));
        let later = Rules { fixed: &fixed, flat_within };
        let Some(next) = one_round(&Topology::new(&edit.mesh), &later) else { break };
        if next.change.triangles_added > budget {
            break;
        }
        budget -= next.change.triangles_added;
        edit = edit.then(Some(next));
    }
    Some(edit)
}

/// Drops collapsed triangles, and needles that do not share a triangle with a longer one.
fn one_round(topology: &Topology, rules: &Rules) -> Option<Edit> {
    let mesh = topology.mesh();
    let mut needles = needles(topology, rules);
    let collapsed = topology.collapsed();
    if needles.is_empty() && collapsed.is_empty() {
        return None;
    }
    needles.sort_by(|a, b| b.length_sq.total_cmp(&a.length_sq).then(a.triangle.cmp(&b.triangle)));
    // By triangle, the length of the needle that it is; 0 for proper triangles.
    let mut length_sq = vec![0.0; mesh.triangles().len()];
    needles.iter().for_each(|needle| length_sq[needle.triangle as usize] = needle.length_sq);
    let mut is_busy = vec![false; mesh.triangles().len()];
    collapsed.iter().for_each(|&triangle| is_busy[triangle as usize] = true);
    let mut drops = vec![false; mesh.triangles().len()];
    collapsed.iter().for_each(|&triangle| drops[triangle as usize] = true);
    let mut pieces: Vec<([u32; 3], u32)> = Vec::new();
    for needle in &needles {
        let others = others_at(topology, needle);
        let is_longest = others.iter().all(|&(other, _)| length_sq[other as usize] <= needle.length_sq);
        let is_free = others.iter().all(|&(other, _)| !is_busy[other as usize] && !rules.fixed[other as usize]);
        if is_busy[needle.triangle as usize] || !is_longest || !is_free {
            continue;
        }
        for &(triangle, corner) in &others {
            is_busy[triangle as usize] = true;
            drops[triangle as usize] = true;
            let corners = mesh.triangles()[triangle as usize];
            let [p, q, r] = [0, 1, 2].map(|k| corners[(corner + k) % 3]);
            let is_proper = topology.representative(r) != topology.representative(needle.middle);
            // A duplicate of the needle has the same middle corner and vanishes with it.
            if is_proper {
                pieces.extend([[p, needle.middle, r], [needle.middle, q, r]].map(|piece| (piece, triangle)));
            }
        }
        is_busy[needle.triangle as usize] = true;
        drops[needle.triangle as usize] = true;
    }
    let taken = needles.iter().filter(|needle| drops[needle.triangle as usize]);
    let change = Change {
        deviation: taken.map(|needle| needle.height).fold(0.0, f64::max),
        triangles_removed: drops.iter().filter(|&&drops| drops).count(),
        triangles_added: pieces.len(),
        ..Change::default()
    };
    if change.is_empty() {
        return None;
    }
    let all = (0..).zip(mesh.triangles());
    let mut kept: Vec<([u32; 3], u32)> =
        all.filter(|&(number, _)| !drops[number as usize]).map(|(number, &corners)| (corners, number)).collect();
    kept.append(&mut pieces);
    Edit::new(mesh.vertices().to_vec(), kept, change)
}

/// The needles of a mesh, in the order of their triangles.
fn needles(topology: &Topology, rules: &Rules) -> Vec<Needle> {
    let mesh = topology.mesh();
    let is_whole = |triangle: u32| {
        let [a, b, c] = topology.corners(triangle);
        a != b && b != c && c != a
    };
    let find = |triangle: u32| {
        if !is_whole(triangle) {
            return None;
        }
        let exact = || needle(topology, mesh, triangle);
        let tolerance = rules.flat_within.filter(|(flat, _)| flat[triangle as usize]).map(|(_, tolerance)| tolerance);
        match tolerance {
            _ if is_degenerate(&mesh.corners(triangle)) => exact(),
            Some(tolerance) => flat_needle(topology, mesh, triangle, tolerance),
            None => None,
        }
    };
    (0..mesh.triangles().len() as u32).into_par_iter().filter_map(find).collect()
}

/// Finds the middle corner of an exact needle. Three distinct collinear points have one.
fn needle(topology: &Topology, mesh: &TriMesh, triangle: u32) -> Option<Needle> {
    let places = mesh.corners(triangle);
    let middle = (0..3).find(|&k| point_on_segment(places[k], places[(k + 1) % 3], places[(k + 2) % 3]))?;
    Some(needle_with(topology, mesh, triangle, middle, 0.0))
}

/// Finds the corner within `tolerance` of the opposite edge whose foot lies between its ends.
fn flat_needle(topology: &Topology, mesh: &TriMesh, triangle: u32, tolerance: f64) -> Option<Needle> {
    let places = mesh.corners(triangle);
    let height = |k: usize| {
        let (point, a, b) = (places[k], places[(k + 1) % 3], places[(k + 2) % 3]);
        let along = b - a;
        let share = (point - a).dot(along) / along.length_squared();
        (share > 0.0 && share < 1.0).then(|| (a + along * share - point).length())
    };
    let heights = (0..3).filter_map(|k| height(k).map(|height| (height, k)));
    let (height, middle) = heights.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
    (height <= tolerance).then(|| needle_with(topology, mesh, triangle, middle, height))
}

fn needle_with(topology: &Topology, mesh: &TriMesh, triangle: u32, middle: usize, height: f64) -> Needle {
    let places = mesh.corners(triangle);
    let ends = [(middle + 1) % 3, (middle + 2) % 3];
    let half_length = places[ends[0]] * 0.5 - places[ends[1]] * 0.5;
    Needle {
        triangle,
        ends: ends.map(|k| topology.corners(triangle)[k]),
        middle: mesh.triangles()[triangle as usize][middle],
        length_sq: half_length.length_squared(),
        height,
    }
}

/// Returns the neighbours of a needle at its long edge, each with the corner at which its half-edge starts.
fn others_at(topology: &Topology, needle: &Needle) -> Vec<(u32, usize)> {
    let [a, b] = needle.ends;
    let edge = topology.edge_between(a, b);
    let half_edges = edge.iter().flat_map(|edge| edge.half_edges());
    let others = half_edges.map(|(half_edge, _)| (half_edge / 3, half_edge as usize % 3));
    others.filter(|&(triangle, _)| triangle != needle.triangle).collect()
}
