//! `overlap`: do two placed shapes share a point? Touching counts, and so does containment in a solid.

mod mesh_mesh;

pub(crate) use mesh_mesh::point_inside;
pub use mesh_mesh::{overlap, overlap_counted, overlap_with_trees};

/// One of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// What proves that two shapes overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// Two primitives that intersect.
    Primitives {
        /// The triangle of A.
        a: u32,
        /// The triangle of B.
        b: u32,
    },
    /// No surfaces meet, but a connected part of this shape lies inside the other, which is solid.
    Contained(Side),
}
