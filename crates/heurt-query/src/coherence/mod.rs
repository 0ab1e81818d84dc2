//! Queries that reuse the answer of the step before: what a pair of shapes remembers from one call to the next.
//!
//! `PairCache` is the public door.

pub(crate) mod clearance;
pub(crate) mod pair_cache;
