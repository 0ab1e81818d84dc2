//! Removal of duplicate triangles by sorting their corners.
//!
//! In: the incidences of a mesh. Out: the mesh in which at most one triangle spans three given places, or nothing if
//! that holds already.
//! Method: triangles are sorted by their corners. In a group of equal corners opposite triangles cancel in pairs. If
//! more triangles face one direction than the other, the first one of that direction stays; otherwise the whole group
//! goes.
//! Guarantees: a cancelled pair contributes nothing to any edge, so its removal opens nothing that was closed.
//! Not guaranteed: that the removal of a repeated triangle opens nothing; the caller compares the borders.
//! Cost: O(n log n).

use super::edit::Edit;
use crate::Topology;

/// Removes duplicate triangles.
pub(super) fn drop_duplicates(topology: &Topology) -> Option<Edit> {
    let count = topology.mesh().triangles().len() as u32;
    let mut sorted: Vec<([u32; 3], u32)> =
        (0..count).map(|triangle| (sorted_corners(topology, triangle), triangle)).collect();
    sorted.sort_unstable();
    let mut drops = vec![false; count as usize];
    for group in sorted.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let [a, b, c] = group[0].0;
        // Collapsed triangles have no orientation: another step drops them.
        if a == b || b == c {
            continue;
        }
        let is_even: Vec<bool> = group.iter().map(|&(_, triangle)| is_even(topology, triangle)).collect();
        let even = is_even.iter().filter(|&&is_even| is_even).count();
        let odd = group.len() - even;
        let kept = if even == odd { None } else { is_even.iter().position(|&is_even| is_even == (even > odd)) };
        for (place, &(_, triangle)) in group.iter().enumerate() {
            drops[triangle as usize] = Some(place) != kept;
        }
    }
    Edit::filtered(topology.mesh(), |triangle| !drops[triangle as usize])
}

fn sorted_corners(topology: &Topology, triangle: u32) -> [u32; 3] {
    let mut corners = topology.corners(triangle);
    corners.sort_unstable();
    corners
}

/// Reports whether the corners run upward, up to rotation.
fn is_even(topology: &Topology, triangle: u32) -> bool {
    let [a, b, c] = topology.corners(triangle);
    [a < b, b < c, c < a].into_iter().filter(|&ascends| ascends).count() == 2
}
