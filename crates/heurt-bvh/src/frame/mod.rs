//! Frames of trees: local units, the placement of one frame in another, and its change in time.

pub mod cutoff;
pub mod relative;
pub(crate) mod relative_motion;
pub(crate) mod tree_frame;
