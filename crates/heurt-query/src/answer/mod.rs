//! Result and request types of the queries; no code that searches.
//!
//! Imports nothing of the crate. The public names are re-exported by the queries and by the root of the crate.

pub(crate) mod budget;
pub(crate) mod cast;
pub(crate) mod closest;
pub(crate) mod contact;
pub(crate) mod distance;
pub(crate) mod feature;
pub(crate) mod options;
pub(crate) mod overlap;
pub(crate) mod patch;
pub(crate) mod placed;
pub(crate) mod ray;
