//! Kernels on triangles: eight at a time with a certified error, or one exactly.
//!
//! Imports `numeric` and `answer`. Nothing here is public; `mesh` and `convex` call these kernels.

pub(crate) mod closest_point;
pub(crate) mod distance;
pub(crate) mod distance_lanes;
pub(crate) mod neighbour_filter;
pub(crate) mod pair_filter;
pub(crate) mod pair_queue;
pub(crate) mod point_lanes;
pub(crate) mod ray_in_plane;
pub(crate) mod ray_lanes;
pub(crate) mod ray_side;
