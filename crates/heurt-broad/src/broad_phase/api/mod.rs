//! Types of the public interface of broad phases: bodies, pairs, rays, kinds of methods, errors.

pub(crate) mod error;
pub(crate) mod kind;
pub(crate) mod types;
