//! Kernels on triangle meshes: one file for each verb, on top of the walks over trees.
//!
//! Imports `triangle`, `numeric` and `answer`, no verb. The root of the crate and the verbs re-export what is public.

pub(crate) mod candidates;
pub(crate) mod closest;
pub(crate) mod contours;
pub(crate) mod distance;
pub(crate) mod fast_winding;
pub(crate) mod manifold;
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
