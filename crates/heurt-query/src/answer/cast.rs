//! The request and the answer of `cast`: options, errors, the first impact.

use heurt_geometry::{DisplayNumber, Vec3};
use std::fmt::{Display, Formatter};
use thiserror::Error;

/// When and where two shapes touch first, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// In seconds; never after the first contact. 0 where they touch at the start.
    pub time: f64,
    /// The first contact, if there is one, is not later. At that time they share a point; or it is the last that was
    /// requested; or shapes that pass each other within what roundings leave, or pass through each other in less time
    /// than numbers resolve, as thin ones do, are farther from each other than the tolerance again from then on.
    pub time_upper: f64,
    /// Between the points that are nearest at `time`.
    pub point: Vec3,
    /// A unit vector from A to B across the gap at `time`; `None` where they overlap at the start, and where no gap is
    /// left that numbers resolve.
    pub normal: Option<Vec3>,
    /// The primitives that touch; `None` if one shape contains its partner at the start.
    pub primitives: Option<[u32; 2]>,
}

/// How long and how closely to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CastOptions {
    /// In seconds, above 0; contacts at this very time count.
    pub max_time: f64,
    /// How far they may still be disjoint at the time that is reported, in metres, unless the bound of work runs out
    /// before; `None` for a millionth of the larger size.
    pub tolerance: Option<f64>,
}

impl Default for CastOptions {
    /// A second.
    fn default() -> Self {
        Self { max_time: 1.0, tolerance: None }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CastError {
    /// No time to search.
    #[error("max_time is {} s: give a time above 0 and up to 1e150", DisplayNumber(*_0))]
    MaxTime(f64),
    /// A tolerance that nothing is within.
    #[error("tolerance is {} m: give a finite length above 0", DisplayNumber(*_0))]
    Tolerance(f64),
    /// Squares leave the range of numbers.
    #[error("{what} of shape {shape} is {} {}, beyond 1e150: {}", DisplayNumber(*way), what.unit(*time), what.remedy())]
    TooFar {
        /// `'A'` or `'B'`.
        shape: char,
        /// The quantity that is too large.
        what: CastLimit,
        /// In metres, or in radians.
        way: f64,
        /// In what time, in seconds.
        time: f64,
    },
    /// A step that is too short for sampling.
    #[error("steps of {} m take {} samples, more than 1e9: give a longer step or a shorter time", DisplayNumber(*step), DisplayNumber(*samples))]
    TooManySamples {
        /// In metres.
        step: f64,
        /// As many as it would take.
        samples: f64,
    },
    /// No bound limits how fast they come nearer.
    #[error("two half-spaces of which one turns: let both keep their direction")]
    TurningHalfSpaces,
}

/// A quantity of a shape that leaves the range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastLimit {
    /// How far it flies.
    Flight,
    /// The distance of its centre of rotation from its origin.
    Pivot,
    /// By how much it turns.
    Turn,
    /// How far from the origin of the world it starts.
    Start,
    /// How far it reaches from its own origin.
    Reach,
}

impl CastLimit {
    fn unit(self, time: f64) -> String {
        match self {
            Self::Flight => format!("m in {} s", DisplayNumber(time)),
            Self::Turn => format!("rad in {} s", DisplayNumber(time)),
            Self::Pivot | Self::Start | Self::Reach => "m".to_owned(),
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Flight | Self::Turn => "look at a shorter time or choose other units",
            Self::Pivot | Self::Start | Self::Reach => "choose other units",
        }
    }
}

impl Display for CastLimit {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::Flight => "the flight",
            Self::Pivot => "the distance of the pivot",
            Self::Turn => "the turn",
            Self::Start => "the distance of the start",
            Self::Reach => "the reach",
        })
    }
}
