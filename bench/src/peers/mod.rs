//! Engines that are measured next to heurt, heurt itself through the same doors, and the referee that compares their answers.

pub(crate) mod obvhs;
pub(crate) mod ours;
pub(crate) mod parry;
pub(crate) mod referee;
