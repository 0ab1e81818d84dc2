//! Algorithms that verbs share.

pub(crate) mod closest_features;
pub(crate) mod closest_on_triangle;
pub(crate) mod convex_pair;
pub(crate) mod epa;
pub(crate) mod expansion;
pub(crate) mod gjk;
pub(crate) mod half_space;
pub(crate) mod lane_vectors;
pub(crate) mod leaf_pairs;
pub(crate) mod local_ray;
pub(crate) mod manifold;
pub(crate) mod pair_order;
pub(crate) mod placed;
pub(crate) mod placed_convex;
pub(crate) mod point_triangles;
pub(crate) mod ray_in_plane;
pub(crate) mod ray_side;
pub(crate) mod ray_triangles;
pub(crate) mod round_triangles;
pub(crate) mod sat;
pub(crate) mod separating_plane;
pub(crate) mod simplex;
pub(crate) mod space;
pub(crate) mod tri_distances;
pub(crate) mod tri_pairs;
pub(crate) mod triangle_distance;
