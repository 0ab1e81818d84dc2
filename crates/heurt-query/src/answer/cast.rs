//! Options, errors and results of `cast`.

use heurt_geometry::{DisplayNumber, Vec3};
use std::fmt::{Display, Formatter};
use thiserror::Error;

/// The time and place at which two shapes touch first, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// In seconds; never after the first contact. 0 if they touch at the start.
    pub time: f64,
    /// Upper bound of the time of the first contact, if there is one. One of three cases holds. At this time they share
    /// a point; or it is the end of the search; or the contact is not real or very short, and from then on they are
    /// farther from each other than the tolerance again. The last happens if shapes pass within rounding error, or if
    /// thin shapes pass through each other in less time than numbers resolve.
    pub time_upper: f64,
    /// The middle between the nearest points at `time`.
    pub point: Vec3,
    /// A unit vector from A to B across the gap at `time`; `None` if they overlap at the start, or if the gap is below
    /// the resolution of numbers.
    pub normal: Option<Vec3>,
    /// The primitives that touch; `None` if a shape lies inside the second shape at the start.
    pub primitives: Option<[u32; 2]>,
}

/// Duration and accuracy of a cast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CastOptions {
    /// In seconds, above 0; contacts exactly at this time count.
    pub max_time: f64,
    /// Largest distance of the shapes at the reported time, in metres, unless the bound of work is exhausted before;
    /// `None` for a millionth of the larger size.
    pub tolerance: Option<f64>,
}

impl Default for CastOptions {
    /// Returns a duration of one second.
    fn default() -> Self {
        Self { max_time: 1.0, tolerance: None }
    }
}

/// Errors of a cast.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CastError {
    /// A duration without a valid time.
    #[error("max_time is {} s: give a time above 0 and up to 1e150", DisplayNumber(*_0))]
    MaxTime(f64),
    /// A tolerance that is not a finite length above 0.
    #[error("tolerance is {} m: give a finite length above 0", DisplayNumber(*_0))]
    Tolerance(f64),
    /// Squares leave the range of numbers.
    #[error("{what} of shape {shape} is {} {}, beyond 1e150: {}", DisplayNumber(*value), what.unit(*time), what.remedy())]
    TooFar {
        /// `'A'` or `'B'`.
        shape: char,
        /// The quantity that exceeds the limit.
        what: CastLimit,
        /// Its value, in metres or in radians.
        value: f64,
        /// The duration, in seconds.
        time: f64,
    },
    /// A step that is too short for sampling.
    #[error("steps of {} m take {} samples, more than 1e9: give a longer step or a shorter time", DisplayNumber(*step), DisplayNumber(*samples))]
    TooManySamples {
        /// In metres.
        step: f64,
        /// The number of samples needed.
        samples: f64,
    },
    /// A pair without a bound on its approach speed.
    #[error("two half-spaces of which one turns: let both keep their direction")]
    TurningHalfSpaces,
}

/// The quantity of a shape that leaves the range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastLimit {
    /// The distance travelled.
    Flight,
    /// The distance of the pivot of the rotation from the shape's origin.
    Pivot,
    /// The angle of rotation.
    Turn,
    /// The distance of the start from the origin of the world.
    Start,
    /// The distance of the shape's points from its own origin.
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
