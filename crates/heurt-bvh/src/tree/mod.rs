//! The bounding volume hierarchy: nodes, cost, refits, rotations, the file format.

pub(crate) mod bvh;
pub(crate) mod cost;
pub(crate) mod leaf_vertices;
pub(crate) mod partial_refit;
pub(crate) mod refit;
pub(crate) mod rotate;
pub(crate) mod serial;
pub(crate) mod source;
