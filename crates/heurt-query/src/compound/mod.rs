//! Traversal of the parts of compounds.
//!
//! The files `compound.rs` of the verbs use it.

pub(crate) mod nearby_parts;
