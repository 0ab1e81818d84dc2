//! What a broad phase refuses. The state is then as it was.

use crate::broad_phase::ProxyId;
use heurt_geometry::{Aabb, DisplayNumber, Vec3};
use thiserror::Error;

/// Why an object, a move or a query is not taken.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// No object has this id.
    #[error("there is no object {id}: insert it first")]
    Unknown {
        /// The id.
        id: ProxyId,
    },
    /// An object has this id already.
    #[error("object {id} is there already: remove it first, or update it")]
    Taken {
        /// The id.
        id: ProxyId,
    },
    /// The id is too large for this kind.
    #[error("object {id}: this broad phase takes ids below {end}; give dense ids, or choose another kind")]
    IdTooLarge {
        /// The id.
        id: ProxyId,
        /// Ids are below.
        end: ProxyId,
    },
    /// A coordinate is NaN, the box holds no point, or none but points at infinity.
    #[error(
        "the box of object {id}, {} to {}, holds no finite point: give min ≤ max, without NaN",
        DisplayNumber(bounds.min),
        DisplayNumber(bounds.max)
    )]
    BadBox {
        /// Whose.
        id: ProxyId,
        /// The box.
        bounds: Aabb,
    },
    /// A region asked for has a NaN.
    #[error("the region {} to {} has a NaN: give numbers", DisplayNumber(bounds.min), DisplayNumber(bounds.max))]
    BadRegion {
        /// The region.
        bounds: Aabb,
    },
    /// Origin or direction are not finite, the direction is zero, or the end is NaN.
    #[error(
        "a ray from {} along {} to {}: give finite vectors, a direction that is not zero, an end ≥ 0",
        DisplayNumber(*origin),
        DisplayNumber(*direction),
        DisplayNumber(*max_t)
    )]
    BadRay {
        /// Its origin.
        origin: Vec3,
        /// Its direction.
        direction: Vec3,
        /// Its last parameter.
        max_t: f64,
    },
    /// A partition with dents, holes or slits, or that overlaps itself.
    #[error(
        "the partition is not convex as a whole: boxes may meet where it has no cells; fill its dents and holes, sew its slits"
    )]
    NotConvex,
    /// A partition in which something is registered already.
    #[error("{registered} entities are registered in the partition: give one that is empty")]
    NotEmpty {
        /// How many.
        registered: usize,
    },
    /// A kind's name is not known.
    #[error("there is no broad phase {name:?}: give one of {known}")]
    UnknownKind {
        /// What was given.
        name: String,
        /// The names there are.
        known: String,
    },
}
