//! Removal of patches that hang on edges of three triangles: fins, and walls without thickness inside a solid.
//!
//! In: the incidences of a mesh. Out: the mesh without such patches, or nothing if there are none.
//! Method: patches are connected across edges of two triangles. A patch may go if each other edge of it is a border, or
//! an edge of three triangles of which the patch has one, and if it has the least area of the three patches there.
//! Patches are taken by ascending area; a patch whose edge has lost a triangle already stays.
//! Guarantees: every removal shortens the open border: edges of three triangles become edges of two, and the borders of
//! the patch vanish. Not guaranteed: that a patch was not meant as a wall; the report counts its triangles.
//! Cost: O(n log n).

use super::edit::Edit;
use crate::Topology;
use crate::topology::DisjointSets;

/// A patch that may go, with the edges of three triangles that it hangs on.
#[derive(Debug, Clone, Default)]
struct FinPatch {
    triangles: Vec<u32>,
    area: f64,
    joints: Vec<usize>,
    /// An edge forbids the removal.
    is_fixed: bool,
}

/// Removes fins.
pub(super) fn drop_fins(topology: &Topology) -> Option<Edit> {
    if topology.edges().all(|edge| edge.degree() != 3) {
        return None;
    }
    let mut patches = patches(topology);
    let number_of = patch_numbers(topology, &patches);
    for (number, edge) in topology.edges().enumerate().filter(|(_, edge)| edge.degree() > 2) {
        let at: Vec<u32> = edge.triangles().map(|triangle| number_of[triangle as usize]).collect();
        let least = at.iter().map(|&patch| patches[patch as usize].area).fold(f64::INFINITY, f64::min);
        for &number_here in &at {
            let is_alone = at.len() == 3 && at.iter().filter(|&&other| other == number_here).count() == 1;
            let patch = &mut patches[number_here as usize];
            patch.is_fixed |= !is_alone || patch.area > least;
            patch.joints.push(number);
        }
    }
    let mut order: Vec<usize> =
        (0..patches.len()).filter(|&patch| !patches[patch].is_fixed && !patches[patch].joints.is_empty()).collect();
    order.sort_by(|&a, &b| patches[a].area.total_cmp(&patches[b].area).then(a.cmp(&b)));
    let mut is_used = vec![false; topology.edge_count()];
    let mut drops = vec![false; topology.mesh().triangles().len()];
    for patch in order {
        let patch = &patches[patch];
        if patch.joints.iter().all(|&joint| !is_used[joint]) {
            patch.joints.iter().for_each(|&joint| is_used[joint] = true);
            patch.triangles.iter().for_each(|&triangle| drops[triangle as usize] = true);
        }
    }
    Edit::filtered(topology.mesh(), |triangle| !drops[triangle as usize])
}

/// The sets of triangles connected across edges of two triangles, in the order of their first triangles.
fn patches(topology: &Topology) -> Vec<FinPatch> {
    let mesh = topology.mesh();
    let count = mesh.triangles().len();
    let mut sets = DisjointSets::new(count);
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut triangles = edge.triangles();
        if let (Some(first), Some(second)) = (triangles.next(), triangles.next()) {
            sets.unite(first, second);
        }
    }
    let mut number = vec![usize::MAX; count];
    let mut patches: Vec<FinPatch> = Vec::new();
    for triangle in 0..count as u32 {
        let root = sets.find(triangle) as usize;
        if number[root] == usize::MAX {
            number[root] = patches.len();
            patches.push(FinPatch::default());
        }
        let patch = &mut patches[number[root]];
        let [a, b, c] = mesh.corners(triangle);
        patch.triangles.push(triangle);
        patch.area += (b - a).cross(c - a).length();
    }
    patches
}

/// By triangle, the number of its patch.
fn patch_numbers(topology: &Topology, patches: &[FinPatch]) -> Vec<u32> {
    let mut number_of = vec![0; topology.mesh().triangles().len()];
    for (number, patch) in (0..).zip(patches) {
        patch.triangles.iter().for_each(|&triangle| number_of[triangle as usize] = number);
    }
    number_of
}
