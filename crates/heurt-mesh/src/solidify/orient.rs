//! Consistent orientation of shells that have no hole.
//!
//! In: a topology. Out: the triangles to reverse so that the half-edges on every edge of these shells cancel.
//! Method: the triangles at an edge of two are related: equal directions mean that one of them is to be reversed.
//! Union-find with parity propagates the relations over *patches*; each patch takes the orientation that reverses fewer
//! triangles. If four or more triangles meet and do not cancel by then, they are sorted around the edge by exact
//! predicates and must alternate, as the boundary of a solid does; these relations join patches, and again the smaller
//! side is reversed.
//! Guarantees: a shell is changed only if it has no edge with an odd number of triangles and if afterwards all its
//! edges cancel and it bounds a volume; a shell that is not orientable (a Klein bottle) stays as it is, and so does a
//! sheet with its copy.
//! Not guaranteed: the least number of reversed triangles over all orientations. Cost: O(n log n).

use heurt_geometry::is_degenerate;

use crate::radial::by_angle;
use crate::shells::ClosedShells;
use crate::{Edge, Topology};

/// Rounds in which crowded edges add relations: one is usual, more are needed if a relation unbalances another such
/// edge.
const ROUNDS: usize = 4;

/// Finds the triangles to reverse, ascending.
pub(super) fn triangles_to_reverse(topology: &Topology) -> Vec<u32> {
    if topology.is_closed() {
        return Vec::new();
    }
    let count = topology.mesh().triangles().len();
    let mut sets = ParitySets::new(count);
    let mut is_fixed = vec![false; count];
    let shells = topology.shells();
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut uses = edge.half_edges();
        let (Some((a, forward)), Some((b, other))) = (uses.next(), uses.next()) else { continue };
        if !sets.relate(a / 3, b / 3, forward == other) {
            is_fixed[shells[a as usize / 3] as usize] = true;
        }
    }
    let mut reversed = sets.smaller_sides();
    for _ in 0..ROUNDS {
        let crowded = topology.edges().filter(|edge| edge.degree() > 2 && edge.degree() % 2 == 0);
        let unbalanced: Vec<Edge> = crowded.filter(|edge| balance(edge, &reversed) != 0).collect();
        if unbalanced.is_empty() {
            break;
        }
        for edge in unbalanced {
            for pair in sorted_around(topology, &edge).windows(2) {
                let [(a, forward), (b, other)] = [pair[0], pair[1]];
                // A contradiction leaves an edge unbalanced, which is tested below.
                sets.relate(a / 3, b / 3, forward == other);
            }
        }
        reversed = sets.smaller_sides();
    }
    for edge in topology.edges().filter(|edge| balance(edge, &reversed) != 0) {
        is_fixed[shells[edge.first().0 as usize / 3] as usize] = true;
    }
    for (reversed, &shell) in reversed.iter_mut().zip(&shells) {
        *reversed &= !is_fixed[shell as usize];
    }
    keep_flat_shells(topology, &mut reversed);
    (0..count as u32).filter(|&triangle| reversed[triangle as usize]).collect()
}

/// Leaves the shells as they are whose volume, once reversed, is 0 within rounding: a sheet and its copy bound nothing.
fn keep_flat_shells(topology: &Topology, reversed: &mut [bool]) {
    let closed = ClosedShells::reversed(topology, reversed);
    let flat = closed.shells.iter().filter(|shell| !shell.is_inward() && !shell.is_outward());
    for &triangle in flat.flat_map(|shell| closed.triangles(shell)) {
        reversed[triangle as usize] = false;
    }
}

/// Counts the half-edges upward less the ones downward, after the reversal of some triangles.
fn balance(edge: &Edge, reversed: &[bool]) -> i64 {
    let sign = |(half_edge, forward): (u32, bool)| if forward != reversed[half_edge as usize / 3] { 1 } else { -1 };
    edge.half_edges().map(sign).sum()
}

/// Sorts the half-edges of an edge by the angle of their triangles around it; by number if angles are equal.
fn sorted_around(topology: &Topology, edge: &Edge) -> Vec<(u32, bool)> {
    let position = |vertex: u32| topology.mesh().vertices()[vertex as usize];
    let apex = |half_edge: u32| position(topology.corners(half_edge / 3)[(half_edge as usize + 2) % 3]);
    let ends = edge.vertices.map(position);
    // The first triangle with area, if there is one: the line of the edge itself has no angle.
    let half_edges = || edge.half_edges().map(|(half_edge, _)| half_edge);
    let first = half_edges().find(|&half_edge| !is_degenerate(&[ends[0], ends[1], apex(half_edge)]));
    let reference = apex(first.unwrap_or(edge.first().0));
    let mut uses: Vec<(u32, bool)> = edge.half_edges().collect();
    uses.sort_by(|&(a, _), &(b, _)| by_angle(ends, reference, apex(a), apex(b)).then(a.cmp(&b)));
    uses
}

/// Union-find in which each member is equal or opposite to the root of its set, which is its lowest member.
struct ParitySets {
    parent: Vec<u32>,
    /// By member: whether it is opposite to its parent.
    is_opposite: Vec<bool>,
}

impl ParitySets {
    fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), is_opposite: vec![false; count] }
    }

    /// Finds the root of a member and whether the member is opposite to it; halves the path.
    fn find(&mut self, mut member: u32) -> (u32, bool) {
        let mut is_opposite = false;
        while self.parent[member as usize] != member {
            let parent = self.parent[member as usize];
            self.is_opposite[member as usize] ^= self.is_opposite[parent as usize];
            self.parent[member as usize] = self.parent[parent as usize];
            is_opposite ^= self.is_opposite[member as usize];
            member = self.parent[member as usize];
        }
        (member, is_opposite)
    }

    /// Makes two members opposite or equal; returns false if they already have the contrary relation.
    fn relate(&mut self, a: u32, b: u32, are_opposite: bool) -> bool {
        let ((root, a), (other, b)) = (self.find(a), self.find(b));
        if root == other {
            return (a != b) == are_opposite;
        }
        let (low, high) = (root.min(other), root.max(other));
        self.parent[high as usize] = low;
        self.is_opposite[high as usize] = (a != b) != are_opposite;
        true
    }

    /// Returns by member whether it is on the smaller side of its set; of equal sides, the side without the root.
    fn smaller_sides(&mut self) -> Vec<bool> {
        let count = self.parent.len();
        let mut excess = vec![0i64; count];
        let found: Vec<(u32, bool)> = (0..count as u32).map(|member| self.find(member)).collect();
        found.iter().for_each(|&(root, is_opposite)| excess[root as usize] += if is_opposite { 1 } else { -1 });
        found.into_iter().map(|(root, is_opposite)| is_opposite == (excess[root as usize] <= 0)).collect()
    }
}
