//! State of a world between steps: bodies as queries and readers see them, and their memory.

pub(crate) mod memory_report;
pub(crate) mod view;
