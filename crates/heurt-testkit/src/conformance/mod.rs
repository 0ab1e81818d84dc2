//! Checks that every implementation of an interface has to pass.

pub mod broad_phase;
