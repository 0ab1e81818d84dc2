//! Radial sort of the triangles around an edge, and pairs of them across material.
//!
//! In: an edge of four or more triangles. Out: pairs of triangles with material between them: solids that touch along
//! the edge are separated, while the material of each stays connected.
//! Method: triangles are sorted by angle around the edge, from the first one; in an oriented solid their directions
//! alternate. Guarantees: angles are compared exactly. Cost: O(k log k) for k triangles.

use std::cmp::Ordering;

use heurt_geometry::{Sign, Vec2, Vec3, is_degenerate, orient2d, orient3d};

use crate::{Edge, Topology};

/// A triangle at an edge: its half-edge, and its opposite corner.
#[derive(Debug, Clone, Copy)]
struct Leaf {
    half_edge: (u32, bool),
    apex: Vec3,
}

/// The triangles at an edge in pairs.
#[derive(Debug)]
pub(crate) struct RadialPairs {
    /// Half-edges, and whether they run from the lower to the upper vertex.
    pub(crate) pairs: Vec<[(u32, bool); 2]>,
    /// Triangles of different pairs coincide in angle, as where two solids share a face.
    pub(crate) has_ties: bool,
}

/// Pairs the triangles at an edge across material; `None` if they do not alternate in direction, or if one has no area.
pub(crate) fn pair_across_material(topology: &Topology, edge: &Edge) -> Option<RadialPairs> {
    let mesh = topology.mesh();
    let [p, q] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
    let leaf = |(half_edge, forward): (u32, bool)| {
        let apex = mesh.corners(half_edge / 3)[(half_edge as usize + 2) % 3];
        Leaf { half_edge: (half_edge, forward), apex }
    };
    let mut leaves: Vec<Leaf> = edge.half_edges().map(leaf).collect();
    if leaves.len() % 2 == 1 || edge.imbalance() != 0 || leaves.iter().any(|leaf| is_degenerate(&[p, q, leaf.apex])) {
        return None;
    }
    let reference = leaves[0].apex;
    // Among coincident triangles the forward ones come first: touching faces have a gap of no width between them.
    let angle = |a: &Leaf, b: &Leaf| by_angle([p, q], reference, a.apex, b.apex);
    leaves.sort_by(|a, b| angle(a, b).then(b.half_edge.1.cmp(&a.half_edge.1)));
    let has_ties = leaves.windows(2).any(|pair| angle(&pair[0], &pair[1]).is_eq());
    let alternates = leaves.windows(2).all(|pair| pair[0].half_edge.1 != pair[1].half_edge.1);
    if !alternates {
        return None;
    }
    // Material lies behind a forward triangle and ahead of a backward one, in the direction of growing angle.
    let start = usize::from(leaves[0].half_edge.1);
    let count = leaves.len();
    let pair = |k: usize| [leaves[(start + 2 * k) % count].half_edge, leaves[(start + 2 * k + 1) % count].half_edge];
    Some(RadialPairs { pairs: (0..count / 2).map(pair).collect(), has_ties })
}

/// Compares two points by the angle around the line from p to q, counter-clockwise from the half-plane of `reference`.
pub(crate) fn by_angle([p, q]: [Vec3; 2], reference: Vec3, a: Vec3, b: Vec3) -> Ordering {
    // 0: the half-plane itself; 1: up to a half turn; 2: the opposite half-plane; 3: beyond.
    let quarter = |point: Vec3| match orient3d(p, q, reference, point) {
        Sign::Positive => 1,
        Sign::Negative => 3,
        Sign::Zero if is_same_side(p, q, reference, point) => 0,
        Sign::Zero => 2,
    };
    let order = quarter(a).cmp(&quarter(b));
    if order.is_ne() || quarter(a) % 2 == 0 { order } else { orient3d(p, q, b, a).cmp(&Sign::Zero) }
}

/// Reports whether two points in a plane with the line through p and q lie on the same side of it.
fn is_same_side(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> bool {
    let views: [fn(Vec3) -> Vec2; 3] = [|v| Vec2::new(v.y, v.z), |v| Vec2::new(v.z, v.x), |v| Vec2::new(v.x, v.y)];
    views.iter().any(|view| {
        let side = orient2d(view(p), view(q), view(a));
        side != Sign::Zero && side == orient2d(view(p), view(q), view(b))
    })
}
