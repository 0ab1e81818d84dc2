//! Kernels on triangle meshes: one file for each query, on top of the walks over trees.
//!
//! Imports `triangle`, `numeric` and `answer`, no query. The root of the crate and the queries re-export the public
//! names.

pub(crate) mod candidates;
pub(crate) mod closest;
pub(crate) mod contours;
pub(crate) mod distance;
pub(crate) mod fast_winding;
pub(crate) mod manifold;
pub(crate) mod near_pairs;
pub(crate) mod overlap;
pub(crate) mod pairs;
pub(crate) mod ray;
pub(crate) mod ray_exit;
pub mod samples;
pub(crate) mod section_nodes;
pub(crate) mod self_pairs;
pub(crate) mod solid_angle;
pub(crate) mod solid_boundary;
pub(crate) mod tree_pair;
pub(crate) mod walk;
pub(crate) mod winding;
