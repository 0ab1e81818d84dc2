//! Clusters of vertices that become one, bounded in diameter and free of edges.
//!
//! In: points, the edges between them that must not collapse, a tolerance. Out: the lowest vertex of the cluster of
//! each vertex.
//! Method: union-find. Each cluster keeps its box and a circular list of its members; a union is refused if the
//! diagonal of the common box exceeds the tolerance, or if an edge joins a member of one to a member of the second. The
//! edges of the cluster with fewer of them are examined, and refused pairs are cached.
//! Guarantees: no two members are farther from each other than the tolerance; no protected edge has both ends in one
//! cluster.
//! Cost: O(log n) examinations per edge for accepted unions; one examination per refused pair of clusters.

use std::collections::HashSet;

use heurt_geometry::Aabb;

use crate::topology::DisjointSets;
use crate::weld::within;

/// A partition of vertices, each a cluster of its own at the start.
pub(super) struct Clusters {
    sets: DisjointSets,
    /// The next member of the same cluster, in a circle.
    next: Vec<u32>,
    /// By root: the box of the original positions of all members.
    boxes: Vec<Aabb>,
    /// By root: the number of entries in `neighbours` of all members.
    weight: Vec<u32>,
    /// The start of the neighbours of each vertex; one more entry for the end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// Pairs of roots that are refused; looked up only.
    refused: HashSet<[u32; 2]>,
    tolerance: f64,
}

impl Clusters {
    /// Starts with one cluster per box; `edges` protects edges from collapse.
    pub(super) fn new(boxes: Vec<Aabb>, edges: &[[u32; 2]], tolerance: f64) -> Self {
        let count = boxes.len();
        let mut starts = vec![0u32; count + 1];
        edges.iter().flatten().for_each(|&end| starts[end as usize + 1] += 1);
        for vertex in 0..count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut slots = starts.clone();
        let mut neighbours = vec![0; 2 * edges.len()];
        for &[a, b] in edges {
            for (end, other) in [(a, b), (b, a)] {
                let slot = &mut slots[end as usize];
                neighbours[*slot as usize] = other;
                *slot += 1;
            }
        }
        Self {
            sets: DisjointSets::new(count),
            next: (0..count as u32).collect(),
            boxes,
            weight: starts.windows(2).map(|ends| ends[1] - ends[0]).collect(),
            starts,
            neighbours,
            refused: HashSet::new(),
            tolerance,
        }
    }

    /// Returns the lowest member of the cluster of `vertex`.
    pub(super) fn find(&mut self, vertex: u32) -> u32 {
        self.sets.find(vertex)
    }

    /// Unites the clusters of each of two pairs of vertices, where `pairs[0]` and `pairs[1]` are joined by edges; both
    /// or none.
    pub(super) fn unite_both(&mut self, pairs: [[u32; 2]; 2]) -> bool {
        let [[a, b], [c, d]] = pairs.map(|pair| pair.map(|vertex| self.find(vertex)));
        // One cluster for both ends of an edge would collapse it.
        let overlap = a == c || a == d || b == c || b == d;
        if overlap || !self.can_unite(a, b) || !self.can_unite(c, d) {
            return false;
        }
        self.unite(a, b);
        self.unite(c, d);
        true
    }

    /// Tests whether the clusters of two roots may become one.
    fn can_unite(&mut self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let bounds = self.boxes[a as usize].union(self.boxes[b as usize]);
        if !within(bounds.min, bounds.max, self.tolerance) {
            return false;
        }
        let key = [a.min(b), a.max(b)];
        if self.refused.contains(&key) {
            return false;
        }
        let is_adjacent = self.are_adjacent(a, b);
        if is_adjacent {
            self.refused.insert(key);
        }
        !is_adjacent
    }

    /// Tests whether an edge joins the clusters of two roots.
    fn are_adjacent(&mut self, a: u32, b: u32) -> bool {
        let (light, heavy) = if self.weight[a as usize] <= self.weight[b as usize] { (a, b) } else { (b, a) };
        let mut member = light;
        loop {
            for slot in self.starts[member as usize]..self.starts[member as usize + 1] {
                if self.sets.find(self.neighbours[slot as usize]) == heavy {
                    return true;
                }
            }
            member = self.next[member as usize];
            if member == light {
                return false;
            }
        }
    }

    fn unite(&mut self, a: u32, b: u32) {
        if a == b {
            return;
        }
        let (root, other) = (a.min(b), a.max(b));
        self.boxes[root as usize] = self.boxes[root as usize].union(self.boxes[other as usize]);
        self.weight[root as usize] += self.weight[other as usize];
        self.sets.unite(a, b);
        self.next.swap(a as usize, b as usize);
    }
}
