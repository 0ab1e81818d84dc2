//! Triangulation of a long loop in space by cutting ears, smallest area first.
//!
//! In: the places of the vertices of a loop, and the diagonals that may not be used. Out: n − 2 triangles.
//! Method: a heap holds the ears, which are the triangles of three consecutive vertices. The ear of least area whose
//! cut is allowed goes; its two neighbours get new ears.
//! Guarantees: no triangle is degenerate, no diagonal is forbidden. The same result in every run.
//! Not guaranteed: least area; triangles that do not intersect each other; that an ear is left that may be cut.
//! Cost: O(n log n).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use heurt_geometry::{Vec3, is_degenerate};

/// An ear, by its middle vertex; out of date if its neighbours have changed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ear {
    area: f64,
    corners: [usize; 3],
}

impl Eq for Ear {}

impl PartialOrd for Ear {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The ear of least area is the greatest, because the heap pops the greatest first.
impl Ord for Ear {
    fn cmp(&self, other: &Self) -> Ordering {
        other.area.total_cmp(&self.area).then(other.corners.cmp(&self.corners))
    }
}

/// Triangulates a loop; `None` if no ear is left that may be cut.
pub(super) fn triangulate(points: &[Vec3], is_forbidden: impl Fn(usize, usize) -> bool) -> Option<Vec<[usize; 3]>> {
    let count = points.len();
    let mut next: Vec<usize> = (1..count).chain([0]).collect();
    let mut previous: Vec<usize> = [count - 1].into_iter().chain(0..count - 1).collect();
    let ear = |corners: [usize; 3]| {
        let [a, b, c] = corners.map(|corner| points[corner]);
        let is_proper = !is_degenerate(&[a, b, c]) && !is_forbidden(corners[0], corners[2]);
        is_proper.then(|| Ear { area: (b - a).cross(c - a).length(), corners })
    };
    let mut heap: BinaryHeap<Ear> = (0..count).filter_map(|k| ear([previous[k], k, next[k]])).collect();
    let mut is_cut = vec![false; count];
    let mut triangles = Vec::with_capacity(count - 2);
    while triangles.len() + 3 < count {
        let Ear { corners: [p, k, q], .. } = heap.pop()?;
        if is_cut[k] || previous[k] != p || next[k] != q {
            continue;
        }
        triangles.push([p, k, q]);
        is_cut[k] = true;
        (next[p], previous[q]) = (q, p);
        heap.extend([p, q].into_iter().filter_map(|at| ear([previous[at], at, next[at]])));
    }
    let last = is_cut.iter().position(|&is_cut| !is_cut)?;
    let corners = [last, next[last], next[next[last]]];
    (!is_degenerate(&corners.map(|corner| points[corner]))).then(|| {
        triangles.push(corners);
        triangles
    })
}
