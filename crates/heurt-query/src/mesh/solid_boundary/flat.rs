//! Coverage test for triangles without area: whether each of them lies on triangles with area.
//!
//! In: a mesh. Out: whether its degenerate triangles add nothing to the set of its points.
//! Method: such a triangle equals its longest edge. It is covered if a triangle with area, or another covered triangle,
//! has that edge; coverage spreads from the triangles with area. A triangle in a single point is covered by any other
//! there.
//! Guarantees: a positive result is exact. A pair of such triangles back to back, with no others, is not covered, and
//! coverage through chains longer than [`MAX_ROUNDS`] may not be found.
//! Cost: one test of each triangle. If some are degenerate: the topology, and at most [`MAX_ROUNDS`] tests of each of
//! them.

use heurt_geometry::is_degenerate;
use heurt_mesh::Topology;
use heurt_shape::MeshShape;

/// Limit of passes over the triangles that are not yet covered.
const MAX_ROUNDS: u32 = 64;

/// Reports whether all triangles without area lie on triangles with area.
pub(crate) fn are_covered(shape: &MeshShape) -> bool {
    let mesh = shape.mesh();
    let count = mesh.triangles().len() as u32;
    let flat: Vec<u32> = (0..count).filter(|&triangle| is_degenerate(&mesh.corners(triangle))).collect();
    if flat.is_empty() {
        return true;
    }
    let topology = Topology::new(mesh);
    let mut is_covered = vec![true; count as usize];
    flat.iter().for_each(|&triangle| is_covered[triangle as usize] = false);
    let mut is_used = vec![false; mesh.vertices().len()];
    for triangle in (0..count).filter(|&triangle| is_covered[triangle as usize]) {
        for vertex in mesh.triangles()[triangle as usize] {
            is_used[topology.representative(vertex) as usize] = true;
        }
    }
    let mut open = flat;
    for _ in 0..MAX_ROUNDS {
        open.retain(|&triangle| {
            let [from, to] = longest_edge(shape, triangle).map(|vertex| topology.representative(vertex));
            let on_edge = || {
                topology
                    .edge_between(from, to)
                    .is_some_and(|edge| edge.triangles().any(|other| is_covered[other as usize]))
            };
            let is_on_others = if from == to { is_used[from as usize] } else { on_edge() };
            is_covered[triangle as usize] = is_on_others;
            !is_on_others
        });
        if open.is_empty() {
            return true;
        }
    }
    false
}

/// Returns the ends of the longest edge of a triangle; for a triangle without area, the ends of its segment.
fn longest_edge(shape: &MeshShape, triangle: u32) -> [u32; 2] {
    let (corners, names) = (shape.mesh().corners(triangle), shape.mesh().triangles()[triangle as usize]);
    // On the axis of the segment's largest extent, which is exact, comparison finds the corner between the two ends.
    let extent = |axis: usize| {
        let along = corners.map(|corner| corner[axis]);
        along[0].max(along[1]).max(along[2]) - along[0].min(along[1]).min(along[2])
    };
    let axis = (0..3).max_by(|&i, &j| extent(i).total_cmp(&extent(j))).unwrap_or(0);
    let order = |&i: &usize, &j: &usize| corners[i][axis].total_cmp(&corners[j][axis]);
    let low = (0..3).min_by(order).unwrap_or(0);
    let high = (0..3).max_by(order).unwrap_or(0);
    [names[low], names[high]]
}
