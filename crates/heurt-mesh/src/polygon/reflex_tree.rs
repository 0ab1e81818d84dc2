//! A k-d tree over the reflex corners of a polygon, from which corners are removed.
//!
//! In: points by corner, and the corners that do not turn counter-clockwise. Out: whether one of them lies in a closed
//! triangle.
//! Method: a complete binary tree, halved at the median along the longer axis of each box. Each node counts the corners
//! that are left below it. A node is skipped if it is empty, or if the extreme corner of its box to the inside of a
//! side of the triangle lies outside that side.
//! It is no `PointIndex` of heurt-broad: that crate is above this one, and the query is a triangle, not a ball.
//! Guarantees: exact. No memory is taken after the construction. Cost: O(n log n) for the construction, O(log n) for a
//! removal, O(√n + found) nodes for a triangle usually.

use heurt_geometry::{Sign, Vec2, orient2d};

/// Corners in a leaf: a leaf costs approximately as much as the nodes that it replaces.
const LEAF: usize = 8;

/// The leaf of a corner that is not in the tree.
const NONE: u32 = u32::MAX;

/// A node: its box and the number of corners left below it.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: Vec2,
    high: Vec2,
    left: u32,
    /// Its corners in the order of the tree.
    start: u32,
    end: u32,
}

/// The tree. Node i has the children 2 i + 1 and 2 i + 2.
#[derive(Debug, Default)]
pub(super) struct ReflexTree {
    nodes: Vec<Node>,
    /// The corners, grouped by leaf.
    order: Vec<u32>,
    /// By corner, its leaf.
    leaf_of: Vec<u32>,
}

impl ReflexTree {
    /// Builds the tree over the given corners.
    pub(super) fn new(points: &[Vec2], corners: Vec<u32>) -> Self {
        let mut order = corners;
        let leaves = order.len().div_ceil(LEAF).next_power_of_two();
        let mut nodes: Vec<Node> = Vec::with_capacity(2 * leaves - 1);
        let mut leaf_of = vec![NONE; points.len()];
        for number in 0..2 * leaves - 1 {
            let range = match number.checked_sub(1) {
                None => 0..order.len(),
                Some(above) => {
                    let parent = nodes[above / 2];
                    let (start, end) = (parent.start as usize, parent.end as usize);
                    let middle = start + (end - start) / 2;
                    if number % 2 == 1 { start..middle } else { middle..end }
                }
            };
            let own = &mut order[range.clone()];
            let at = |corner: &u32| points[*corner as usize];
            let low = own.iter().map(at).fold(Vec2::INFINITY, Vec2::min);
            let high = own.iter().map(at).fold(Vec2::NEG_INFINITY, Vec2::max);
            if number + 1 >= leaves {
                own.iter().for_each(|&corner| leaf_of[corner as usize] = number as u32);
            } else if own.len() > 1 {
                // Halves cannot overflow.
                let size = high * 0.5 - low * 0.5;
                let axis = usize::from(size.y > size.x);
                let by_axis = |a: &u32, b: &u32| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(b));
                own.select_nth_unstable_by(own.len() / 2, by_axis);
            }
            let (start, end, left) = (range.start as u32, range.end as u32, range.len() as u32);
            nodes.push(Node { low, high, left, start, end });
        }
        Self { nodes, order, leaf_of }
    }

    /// Reports whether a corner is in the tree.
    pub(super) fn contains(&self, corner: u32) -> bool {
        self.leaf_of[corner as usize] != NONE
    }

    /// Removes a corner, if it is in the tree.
    pub(super) fn remove(&mut self, corner: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[corner as usize], NONE);
        if leaf == NONE {
            return;
        }
        let mut number = leaf as usize;
        loop {
            self.nodes[number].left -= 1;
            let Some(above) = number.checked_sub(1) else { break };
            number = above / 2;
        }
    }

    /// Reports whether a corner of the tree lies in a closed counter-clockwise triangle, at another place than the
    /// corners of the triangle. Adds the number of nodes and corners that it examines to `work`.
    pub(super) fn meets(&self, points: &[Vec2], triangle: [Vec2; 3], work: &mut u64) -> bool {
        let [a, b, c] = triangle;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let sides = [(a, b), (b, c), (c, a)];
        // A node leaves one sibling for each level above it.
        let mut stack = [0; usize::BITS as usize + 1];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let number: usize = stack[count];
            let node = &self.nodes[number];
            *work += 1;
            let is_disjoint = node.left == 0 || node.high.cmplt(low).any() || node.low.cmpgt(high).any();
            if is_disjoint || sides.iter().any(|&(p, q)| orient2d(p, q, node.farthest_inside(p, q)) == Sign::Negative) {
                continue;
            }
            if 2 * number + 2 < self.nodes.len() {
                (stack[count], stack[count + 1]) = (2 * number + 2, 2 * number + 1);
                count += 2;
                continue;
            }
            for &corner in &self.order[node.start as usize..node.end as usize] {
                let point = points[corner as usize];
                *work += 1;
                let is_at_corner = point == a || point == b || point == c;
                let is_inside = || sides.iter().all(|&(p, q)| orient2d(p, q, point) != Sign::Negative);
                // Corners at the same place, as where a slit joins a hole to the outline, do not block.
                if self.contains(corner) && !is_at_corner && is_inside() {
                    return true;
                }
            }
        }
        false
    }
}

impl Node {
    /// The extreme corner of the box to the left of the line from p to q.
    fn farthest_inside(&self, p: Vec2, q: Vec2) -> Vec2 {
        let x = if q.y < p.y { self.high.x } else { self.low.x };
        let y = if q.x > p.x { self.high.y } else { self.low.y };
        Vec2::new(x, y)
    }
}
