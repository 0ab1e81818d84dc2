//! `inside`: parity against winding number.
use crate::Options;
pub fn inside(_: &Options) {}
