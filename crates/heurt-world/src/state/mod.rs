//! State of a world between steps: bodies as queries and readers see them, their hash, copies and memory.

pub(crate) mod balance;
pub(crate) mod bodies;
pub(crate) mod energy;
pub(crate) mod hash;
pub(crate) mod memory_report;
pub(crate) mod saved;
pub(crate) mod snapshot;
pub(crate) mod view;
