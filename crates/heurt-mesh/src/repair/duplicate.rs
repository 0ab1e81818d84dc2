//! Removal of duplicate triangles by sorting their corners.
//!
//! In: the incidences of a mesh. Out: the mesh in which at most one triangle spans three given places, or nothing if
//! that holds already.
//! Method: triangles are sorted by their corners. In a group of equal corners opposite triangles cancel in pairs. If
//! more triangles face one direction than the other, the first one of that direction stays; otherwise the whole group
//! goes. A component of such groups alone is a surface with two sides, as renderers draw it: if one side of it has no
//! border, that side stays.
//! Guarantees: a cancelled pair contributes nothing to any edge, so its removal opens nothing that was closed.
//! Not guaranteed: that the removal of a repeated triangle opens nothing; the caller compares the borders.
//! Cost: O(n log n).

use heurt_geometry::Aabb;

use super::edit::Edit;
use crate::Topology;
use crate::topology::DisjointSets;

/// Removes duplicate triangles.
pub(super) fn drop_duplicates(topology: &Topology) -> Option<Edit> {
    let count = topology.mesh().triangles().len() as u32;
    let mut sorted: Vec<([u32; 3], u32)> =
        (0..count).map(|triangle| (sorted_corners(topology, triangle), triangle)).collect();
    sorted.sort_unstable();
    let two_sided = two_sided(topology, &sorted);
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
        let kept = match even == odd {
            true => two_sided[group[0].1 as usize].then_some(0),
            false => is_even.iter().position(|&is_even| is_even == (even > odd)),
        };
        for (place, &(_, triangle)) in group.iter().enumerate() {
            drops[triangle as usize] = Some(place) != kept;
        }
    }
    let mut edit = Edit::filtered(topology.mesh(), |triangle| !drops[triangle as usize])?;
    // What one side of a surface encloses was 0 while both sides were there.
    let kept = (0..count).filter(|&triangle| two_sided[triangle as usize]);
    let bounds = Aabb::from_points(kept.flat_map(|triangle| topology.mesh().corners(triangle)));
    if !bounds.is_empty() {
        edit.change.volume_bound = (bounds.max - bounds.min).to_array().iter().product();
    }
    Some(edit)
}

/// By triangle, whether it belongs to a component in which every group cancels, and one triangle of each group together
/// have no border.
fn two_sided(topology: &Topology, sorted: &[([u32; 3], u32)]) -> Vec<bool> {
    let count = sorted.len();
    let mut sets = DisjointSets::new(topology.mesh().vertices().len());
    for (corners, _) in sorted {
        sets.unite(corners[0], corners[1]);
        sets.unite(corners[0], corners[2]);
    }
    let mut is_good = vec![true; topology.mesh().vertices().len()];
    // Per edge, the component and how many groups have the edge: an odd number is a border of one side.
    let mut sides: Vec<[u32; 2]> = Vec::new();
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let [a, b, c] = group[0].0;
        let even = group.iter().filter(|&&(_, triangle)| is_even(topology, triangle)).count();
        is_good[sets.find(a) as usize] &= a != b && b != c && 2 * even == group.len();
        sides.extend([[a, b], [b, c], [a, c]]);
    }
    sides.sort_unstable();
    for edge in sides.chunk_by(|a, b| a == b).filter(|edge| edge.len() % 2 == 1) {
        is_good[sets.find(edge[0][0]) as usize] = false;
    }
    let mut two_sided = vec![false; count];
    for &(corners, triangle) in sorted {
        two_sided[triangle as usize] = is_good[sets.find(corners[0]) as usize];
    }
    two_sided
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
