//! T-vertices: vertices of an open chain that runs along the inside of an open edge.
//!
//! In: a topology with open edges, a tolerance. Out: the number of such vertices.
//! Method: an open edge from p to q is matched with a walk along open edges from q to p that stays within the tolerance
//! of the segment and comes nearer to p with each step.
//! Guarantees: an exact seam and a hole wider than the tolerance count 0. Not guaranteed: chains that branch are
//! followed along one branch, and at most [`LONGEST`] steps. Cost: O(n log n) with a factor of at most [`LONGEST`].

use heurt_geometry::Vec3;

use crate::Topology;

/// Steps along a chain: more T-vertices on one edge are rare, and a fan of open edges must not cost its square.
const LONGEST: usize = 64;

/// Counts the T-vertices on open edges.
pub(super) fn count(topology: &Topology, tolerance: f64) -> usize {
    let mut open: Vec<[u32; 2]> = topology
        .edges()
        .filter(|edge| edge.imbalance() != 0 && edge.degree() % 2 == 1)
        .map(|edge| if edge.imbalance() > 0 { edge.vertices } else { [edge.vertices[1], edge.vertices[0]] })
        .collect();
    open.sort_unstable();
    let mut found: Vec<u32> = open.iter().flat_map(|&edge| chain_along(topology, &open, edge, tolerance)).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

/// Returns the vertices between the ends of the chain that closes the edge from p to q; none if there is no such chain.
fn chain_along(topology: &Topology, open: &[[u32; 2]], [p, q]: [u32; 2], tolerance: f64) -> Vec<u32> {
    let position = |vertex: u32| topology.mesh().vertices()[vertex as usize];
    let (start, end) = (position(q), position(p));
    let share = |vertex: u32| share_along(position(vertex), start, end, tolerance);
    let mut chain = Vec::new();
    let (mut at, mut reached) = (q, 0.0);
    while chain.len() < LONGEST {
        let first = open.partition_point(|edge| edge[0] < at);
        let ahead = open[first..].iter().take_while(|edge| edge[0] == at).take(LONGEST).map(|edge| edge[1]);
        let mut next = None;
        for vertex in ahead {
            if vertex == p {
                return chain;
            }
            match share(vertex) {
                Some(along) if along > reached && along < 1.0 && next.is_none() => next = Some((vertex, along)),
                _ => {}
            }
        }
        let Some((vertex, along)) = next else { break };
        chain.push(vertex);
        (at, reached) = (vertex, along);
    }
    Vec::new()
}

/// Computes the share of the segment at the foot of `point`, if the point is within the tolerance of the foot.
fn share_along(point: Vec3, start: Vec3, end: Vec3, tolerance: f64) -> Option<f64> {
    let (along, to_point) = ((end - start) * 0.5, (point - start) * 0.5);
    let share = to_point.dot(along) / along.length_squared();
    let distance = (to_point - along * share).length() * 2.0;
    (share > 0.0 && share < 1.0 && distance <= tolerance).then_some(share)
}
