//! Public collections of hard input.

pub mod ccd;
