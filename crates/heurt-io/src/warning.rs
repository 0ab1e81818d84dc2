//! Reader warnings: contents that are ignored or simplified, their number, and the first place.
//!
//! Contents that change the meaning of a file in another manner never give a warning, but a
//! [`ReadError`](crate::ReadError).

use crate::Place;
use std::fmt;

/// The treatment of the contents of a warning by a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Treatment {
    /// Left out.
    #[default]
    Ignored,
    /// Read as linear cells or faces over their corners: nodes on edges, faces and in the interior are left out.
    ReadByCorners,
    /// A unit of length, left out because the format defines another one.
    UnitIgnored,
}

/// Contents that a reader ignored or simplified; a model has at most one warning of each kind.
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
    /// Their treatment by the reader.
    pub treatment: Treatment,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, count, place, found, treatment } = self;
        let treated = match treatment {
            Treatment::Ignored => "ignored",
            Treatment::ReadByCorners => "read by their corners",
            Treatment::UnitIgnored => return write!(out, "{place}: the unit {found} is ignored: {what}"),
        };
        write!(out, "{what}: {count} {treated}, the first at {place}")?;
        if found.is_empty() { Ok(()) } else { write!(out, ": {found}") }
    }
}
