//! Binary tree between a builder and the wide tree, and the primitive references that builders reorder.

use crate::simd::Lanes;
use crate::volume::Aabb32;

/// A primitive while a tree is built: its box with the least corner negated, so that one `max` over eight lanes merges
/// boxes, and its number in the unused lane.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Reference(pub [f32; 8]);

impl Reference {
    /// The neutral element of [`Reference::merge`].
    pub const EMPTY: Self = Self([f32::NEG_INFINITY; 8]);

    /// Creates a reference to `primitive` from its box as `LocalPoints::box_of` returns it.
    #[inline(always)]
    pub fn new(box_: impl Lanes<8>, primitive: u32) -> Self {
        let mut lanes = box_.to_array();
        lanes[3] = f32::from_bits(primitive);
        Self(lanes)
    }

    #[inline(always)]
    pub fn primitive(&self) -> u32 {
        self.0[3].to_bits()
    }

    /// Returns twice the centre along `axis`.
    #[inline(always)]
    pub fn centre2(&self, axis: usize) -> f32 {
        self.0[4 + axis] - self.0[axis]
    }

    /// Returns the doubled centre as a box of one point.
    #[inline(always)]
    pub fn centre_as_box(&self) -> Self {
        let [x, y, z] = [self.centre2(0), self.centre2(1), self.centre2(2)];
        Self([-x, -y, -z, 0.0, x, y, z, 0.0])
    }

    #[inline(always)]
    pub fn merge(&mut self, other: &Self) {
        let mut k = 0;
        while k < 8 {
            self.0[k] = if other.0[k] > self.0[k] { other.0[k] } else { self.0[k] };
            k += 1;
        }
    }

    #[inline(always)]
    pub fn to_box(self) -> Aabb32 {
        let [a, b, c, _, d, e, f, _] = self.0;
        Aabb32 { min: [-a, -b, -c], max: [d, e, f] }
    }

    #[inline(always)]
    pub fn half_area(&self) -> f32 {
        let [x, y, z] = [self.0[0] + self.0[4], self.0[1] + self.0[5], self.0[2] + self.0[6]];
        x * y + y * z + z * x
    }
}

/// Limits at which splitting stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum number of primitives in a leaf.
    pub leaf_size: u32,
    /// Maximum number of primitives that fit into the leaves of one wide node.
    pub capacity: u32,
}

/// A node of a binary tree; a leaf where `left` is 0 (no node's left child is the root).
#[derive(Debug, Clone, Copy)]
pub(crate) struct BinaryNode {
    pub bounds: Aabb32,
    pub first: u32,
    pub count: u32,
    /// The left child; the right one follows it.
    pub left: u32,
}

/// Nodes with children after their parents; the root is node 0.
#[derive(Debug, Default)]
pub(crate) struct BinaryTree {
    pub nodes: Vec<BinaryNode>,
}
