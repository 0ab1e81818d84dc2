//! Kernels on two convex shapes: the algorithms (GJK, EPA, SAT, portal refinement, …) and one file for each verb.
//!
//! Imports `triangle`, `numeric` and `answer`, no verb. `separation` chooses the algorithm; the verbs and `algorithm`
//! are the public entry points.

pub(crate) mod boundary;
pub(crate) mod closed_forms;
pub(crate) mod closest;
pub(crate) mod closest_features;
pub(crate) mod common_point;
pub(crate) mod contact;
pub(crate) mod contact_cache;
pub(crate) mod contains;
pub(crate) mod curved;
pub(crate) mod distance;
pub(crate) mod epa;
pub(crate) mod exact;
pub(crate) mod face_contact;
pub(crate) mod gjk;
pub(crate) mod half_space;
pub(crate) mod manifold;
pub(crate) mod minkowski;
pub(crate) mod nearest_triangle;
pub(crate) mod overlap;
pub(crate) mod pair;
pub(crate) mod portal;
pub(crate) mod ray;
pub(crate) mod sat;
pub(crate) mod separating_plane;
pub(crate) mod separation;
pub(crate) mod support;
