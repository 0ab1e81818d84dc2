//! Slow answers that are obviously right.

pub mod box_union;
pub mod ccd;
pub mod certificate;
pub mod convex;
pub mod map;
pub mod partition;
pub mod surface;
pub mod translation;
pub mod triangle;
