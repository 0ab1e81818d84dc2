//! Walks over the trees of two meshes, and the queues and batches of triangles that the walks fill.
//!
//! Imports `triangle` and `numeric`. Nothing here is public; the kernels of `mesh` use these walks.

pub(crate) mod intersecting_pairs;
pub(crate) mod leaf_batch;
pub(crate) mod local_ray;
pub(crate) mod nearby_triangles;
pub(crate) mod pair_sort;
pub(crate) mod pair_walk;
