//! Separation of hulls over the facets of their Minkowski difference (Gregorius 2013).
//!
//! Imports `convex::support` and `numeric`. `convex::separation` calls these kernels.

pub(crate) mod facet;
pub(crate) mod small_hulls;
