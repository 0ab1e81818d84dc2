//! Bounds on how fast points of moving shapes approach each other.
//!
//! Imports `numeric`. `cast` and `ccd` use these bounds.

pub(crate) mod approach;
