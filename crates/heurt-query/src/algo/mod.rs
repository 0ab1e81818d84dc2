//! Algorithms that verbs share.

pub(crate) mod closest_on_triangle;
pub(crate) mod expansion;
pub(crate) mod lane_vectors;
pub(crate) mod leaf_pairs;
pub(crate) mod local_ray;
pub(crate) mod pair_order;
pub(crate) mod placed;
pub(crate) mod point_triangles;
pub(crate) mod ray_in_plane;
pub(crate) mod ray_side;
pub(crate) mod ray_triangles;
pub(crate) mod tri_distances;
pub(crate) mod tri_pairs;
pub(crate) mod triangle_distance;
pub(crate) mod unit;
