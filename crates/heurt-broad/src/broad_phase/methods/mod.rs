//! Broad phases, a file or folder each: brute force, sweeps, grids, trees, separating planes, a partition of space.

pub(crate) mod brute_force;
mod create;
pub(crate) mod grid;
pub(crate) mod partition;
pub(crate) mod separating_planes;
pub(crate) mod spatial_hash;
pub(crate) mod sweep;
pub(crate) mod sweep_and_prune;
pub(crate) mod tree;
