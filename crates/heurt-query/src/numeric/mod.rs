//! Arithmetic that the kernels share: expansions, doubled precision, vectors of lanes, iteration limits.
//!
//! Imports nothing of the crate. Nothing here is public, except the counts of [`iteration_limits`] in builds with debug
//! assertions, for tests.

pub(crate) mod expansion;
pub mod iteration_limits;
pub(crate) mod lane_vectors;
pub(crate) mod twofold;
