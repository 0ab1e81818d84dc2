//! Blocks of triangles and vertices in lanes, as kernels read them.

pub(crate) mod leaf_blocks;
pub(crate) mod leaf_corners;
pub(crate) mod tri_block;
pub(crate) mod vertex_block;
