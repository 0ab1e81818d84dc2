//! Typed reasons why numbers are not a contact problem.
//!
//! In: the place of a number. Out: a message with the problem, the value and the remedy.

use thiserror::Error;

/// Reasons why numbers are not a contact problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An index beyond the bodies.
    #[error("{what} {index} names body {body}, but there are {count} bodies")]
    NoSuchBody {
        /// `"contact"` or `"row"`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The index of the body.
        body: u32,
        /// The number of bodies.
        count: usize,
    },
    /// A contact or a row between a body and itself.
    #[error("{what} {index} joins body {body} with itself: name two different bodies")]
    SameBody {
        /// `"contact"` or `"row"`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The index of the body.
        body: u32,
    },
    /// A number that is infinite or not a number.
    #[error("{field} of {what} {index} is not finite: give a finite number")]
    NotFinite {
        /// `"body"`, `"contact"` or `"row"`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// Name of the field.
        field: &'static str,
    },
    /// An inverse mass below 0.
    #[error("body {index} has the inverse mass {value}: it must be at least 0, and 0 for a fixed body")]
    NegativeMass {
        /// Index of the body.
        index: usize,
        /// The inverse mass.
        value: f64,
    },
    /// An inverse inertia that is not symmetric or has a negative eigenvalue.
    #[error("the inverse inertia of body {index} is not symmetric and positive: compute it as R·J⁻¹·Rᵀ")]
    BadInertia {
        /// Index of the body.
        index: usize,
    },
    /// A normal whose length is not 1.
    #[error("the normal of contact {index} has length {length}: divide it by its length")]
    NormalNotUnit {
        /// Index of the contact.
        index: usize,
        /// Length of the normal.
        length: f64,
    },
    /// A restitution outside [0, 1].
    #[error("contact {index} has the restitution {value}: it must be between 0 and 1")]
    BadRestitution {
        /// Index of the contact.
        index: usize,
        /// The restitution.
        value: f64,
    },
    /// A compliance below 0.
    #[error("row {index} has the compliance {value}: it must be at least 0")]
    NegativeCompliance {
        /// Index of the row.
        index: usize,
        /// The compliance.
        value: f64,
    },
    /// A friction coefficient below 0.
    #[error("contact {index} has the friction coefficient {value}: it must be at least 0")]
    NegativeFriction {
        /// Index of the contact.
        index: usize,
        /// The coefficient.
        value: f64,
    },
    /// Bounds of a row that are not a number or whose lower bound exceeds the upper bound.
    #[error("row {index} has the bounds {low} and {high}: the first must not exceed the second")]
    CrossedBounds {
        /// Index of the row.
        index: usize,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// A time step that is not positive and finite.
    #[error("the time step is {value} s: give a positive number")]
    BadTimeStep {
        /// The time step.
        value: f64,
    },
    /// Options that no solver can follow.
    #[error("the tolerance {value} is not a number of at least 0")]
    BadTolerance {
        /// The tolerance.
        value: f64,
    },
    /// Initial impulses of another problem.
    #[error("the initial impulses are of {found} contacts and rows, but the problem has {expected}")]
    BadStart {
        /// Number of contacts and rows of the problem.
        expected: usize,
        /// Number of contacts and rows of the start.
        found: usize,
    },
    /// Numbers so large that sums or products overflow.
    #[error("masses, velocities or gaps are so large that the solution overflows: choose other units")]
    Overflow,
}
