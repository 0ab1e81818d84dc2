//! Result and request types of the verbs; no code that searches.
//!
//! Imports nothing of the crate. The public names are re-exported by the verbs and by the root of the crate.

pub(crate) mod feature;
