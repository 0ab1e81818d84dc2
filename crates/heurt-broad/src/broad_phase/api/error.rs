//! Errors of broad phases. The state is unchanged after an error.

use crate::broad_phase::ProxyId;
use heurt_geometry::{Aabb, DisplayNumber, Vec3};
use thiserror::Error;

/// Reason why an object, a move or a query is rejected.
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
        /// Ids must be below this.
        end: ProxyId,
    },
    /// A coordinate is NaN, or the box is empty or consists of points at infinity only.
    #[error(
        "the box of object {id}, {} to {}, holds no finite point: give min ≤ max, without NaN",
        DisplayNumber(bounds.min),
        DisplayNumber(bounds.max)
    )]
    BadBox {
        /// Id of the object.
        id: ProxyId,
        /// The box.
        bounds: Aabb,
    },
    /// A region of a query has a NaN.
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
    /// A partition that is not convex, has holes or slits, or overlaps itself.
    #[error(
        "the partition is not convex as a whole: boxes may meet where it has no cells; fill its dents and holes, sew its slits"
    )]
    NotConvex,
    /// A partition that already has registered entities.
    #[error("{registered} entities are registered in the partition: give one that is empty")]
    NotEmpty {
        /// Number of registered entities.
        registered: usize,
    },
    /// The name of a kind is unknown.
    #[error("there is no broad phase {name:?}: give one of {known}")]
    UnknownKind {
        /// The given name.
        name: String,
        /// The known names.
        known: String,
    },
}
