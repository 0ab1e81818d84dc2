//! Reader warnings: ignored contents, their number, and the first place.
//!
//! Contents that change the meaning of a file never give a warning, but a [`ReadError`](crate::ReadError).

use crate::Place;
use std::fmt;

/// Contents that a reader ignored; a model has at most one warning of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The kind, as a plural: `unknown statements`, `faces of fewer than 3 corners`.
    pub what: &'static str,
    /// The number of times; for bytes, their number.
    pub count: u64,
    /// The first place.
    pub place: Place,
    /// The text at the first place, shortened and quoted; empty if there is none.
    pub found: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, count, place, found } = self;
        write!(out, "{what}: {count} ignored, the first at {place}")?;
        if found.is_empty() { Ok(()) } else { write!(out, ": {found}") }
    }
}
