//! The clash check: which parts of an assembly interfere, how deep and where, and what a moved part meets.
//!
//! [`Assembly`] has parts in memory; [`find_interferences`] decides every pair of them that a [`Selection`] selects;
//! [`compute_shared_solids`] adds the volumes that two parts share; [`travel`] moves parts along a [`JourneyPath`].
//! [`Assembly`] begins with a whole example.
//!
//! In: shapes and poses. Out: [`Findings`] or a [`Journey`]. Guarantees: kinds are decided exactly, depths and times
//! are bounds that hold; the same result for any number of threads. Not included: files, tables, progress, which are
//! those of `heurt check`.

mod assembly;
mod chord_errors;
mod depth;
mod duplicate;
mod error;
mod interference;
mod journey;
mod meeting_pairs;
mod path;
mod selection;
mod shared_solid;

pub use assembly::{Assembly, AssemblyPart, bounds_at};
pub use depth::{Certainty, InterferenceDepth};
pub use error::{AssemblyError, JourneyError};
pub use interference::{
    Findings, Interference, InterferenceKind, LeftOut, NearPair, Search, decide_pairs, find_candidates,
    find_interferences, seek_translations,
};
pub use journey::{Encounter, Journey, poses_at, travel};
pub use meeting_pairs::{MAX_PAIRS, meeting_pairs};
pub use path::JourneyPath;
pub use selection::{IgnoreFault, Selection, match_parts};
pub use shared_solid::{SharedSolid, compute_shared_solids};
