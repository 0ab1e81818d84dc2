//! Quarter turns and mirrors of an octree through the centre of its root.
//!
//! In: an octree and an axis. Out: the moved octree, in canonical form.
//! Method: such a move permutes the children of every branch alike, so the nodes are read in permuted pre-order.
//! Slide 48 of S3 counts every turn as a reconstruction; these 48 moves are exact and need none.
//! Cost: O(n).

use super::Octree;
use crate::subdivision::permuted;

/// An axis of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The first.
    X = 0,
    /// The second.
    Y = 1,
    /// The third.
    Z = 2,
}

impl Octree {
    /// Turns the solid by quarter turns around an axis through the centre of the root, counter-clockwise seen against
    /// the axis.
    ///
    /// ```
    /// use heurt_solid::{Axis, Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 1.0, 1)?;
    /// let low = Octree::from_depth_first_code(root, "(RVVVVVVV")?;
    /// assert_eq!(low.turned(Axis::Z, 1).to_depth_first_code(), "(VRVVVVVV", "from (0, 0) to (1, 0)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn turned(&self, axis: Axis, quarter_turns: i32) -> Self {
        let (u, v) = ((axis as usize + 1) % 3, (axis as usize + 2) % 3);
        // A quarter turn takes u to v and v to −u: a moved child (u, v) was the child (v, 1 − u).
        let source = |digit: usize| {
            let (at_u, at_v) = (digit >> u & 1, digit >> v & 1);
            digit & (1 << axis as usize) | at_v << u | (1 - at_u) << v
        };
        let turns = quarter_turns.rem_euclid(4);
        self.permuted(|digit| (0..turns).fold(digit, |digit, _| source(digit)))
    }

    /// Mirrors the solid in the plane across an axis through the centre of the root.
    #[must_use]
    pub fn mirrored(&self, axis: Axis) -> Self {
        self.permuted(|digit| digit ^ 1 << axis as usize)
    }

    fn permuted(&self, source: impl Fn(usize) -> usize) -> Self {
        Self { root: self.root, nodes: permuted::<3>(&self.nodes, self.root.depth(), source) }
    }
}
