//! What a world holds between steps: bodies as queries and readers see them, and how much memory that takes.

pub(crate) mod memory_report;
pub(crate) mod view;
