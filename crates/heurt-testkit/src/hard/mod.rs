//! Generators of input that is hard on purpose.

pub mod ccd_queries;
pub mod concave;
pub mod convex_pairs;
pub mod solid_pairs;
pub mod tessellate;
pub mod triangles;
