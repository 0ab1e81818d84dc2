//! Arithmetic that the kernels share: expansions, doubled precision, vectors of lanes, iteration limits.
//!
//! Imports nothing of the crate. Nothing here is public.

pub(crate) mod expansion;
pub(crate) mod iteration_limits;
pub(crate) mod lane_vectors;
pub(crate) mod twofold;
