//! Errors of assemblies and of journeys through them.

use heurt_geometry::{MotionError, PoseError};
use heurt_query::CastError;
use heurt_scene::describe::FieldError;
use thiserror::Error;

/// Errors of making or checking an assembly.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// A part has the number of no shape.
    #[error("part `{part}` has shape {shape}, and there are {shapes}: count them from 0")]
    NoSuchShape {
        /// Name of the part.
        part: String,
        /// The number that was given.
        shape: usize,
        /// Number of shapes.
        shapes: usize,
    },
    /// Two parts have one name.
    #[error("two parts are called `{name}`: give each a name of its own")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A length of a search is negative, infinite or no number.
    #[error("the {name} is {length:?}: give a finite length of at least 0")]
    BadLength {
        /// The name of the length: `clearance`, `tolerance` or `chord error`.
        name: &'static str,
        /// The value that was given.
        length: f64,
    },
    /// The placed coordinates of a part overflow.
    #[error("part `{part}` stands where no f64 reaches: move it nearer to the origin")]
    TooFar {
        /// Name of the part.
        part: String,
    },
    /// A pattern matches no part.
    #[error("{name}: no part has that name or matches that pattern; the parts are {known}")]
    NoSuchPart {
        /// The pattern.
        name: String,
        /// Names of the first parts.
        known: String,
    },
    /// Several parts end in a name that is not a pattern.
    #[error("{name}: several parts end so: {candidates}; give more of the path of one of them")]
    AmbiguousPart {
        /// The name.
        name: String,
        /// Names of the first of these parts.
        candidates: String,
    },
    /// The boxes of more than `most` pairs of parts meet.
    #[error(
        "more than {most} pairs of the {parts} parts may meet: their boxes overlap. Check their poses, or select some"
    )]
    TooManyPairs {
        /// Number of parts.
        parts: usize,
        /// The largest number of pairs.
        most: usize,
    },
}

/// Errors of a path, and of moving parts along it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum JourneyError {
    /// The path has no segment.
    #[error("the list is empty")]
    Empty,
    /// A moved part has the number of no part.
    #[error("part {part} is moved, and there are {parts} parts: count them from 0")]
    NoSuchPart {
        /// The number that was given.
        part: usize,
        /// Number of parts.
        parts: usize,
    },
    /// A field of the path is faulty.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A segment is no motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// A segment leads to no pose.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The time of a contact cannot be found.
    #[error(transparent)]
    Cast(#[from] CastError),
}
