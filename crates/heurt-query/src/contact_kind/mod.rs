//! Query `contact_kind`: whether two shapes that meet merely touch, or a part of one lies in the opposite shape.

mod inscribed_depth;
mod mesh_mesh;
mod sampled_depth;
mod separating_translation;

pub use inscribed_depth::{InscribedDepth, inscribed_depth, inscribed_depth_at};
pub use mesh_mesh::{contact_kind, contact_kind_of};
pub use sampled_depth::sampled_depth;
pub use separating_translation::separating_translation;

use crate::answer::overlap::Side;

/// How two placed shapes meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactKind {
    /// They share no point.
    Disjoint,
    /// Their surfaces meet, and no part of a shape was found inside the opposite shape.
    Touching,
    /// Their surfaces meet, and pass through each other or bound insides that overlap.
    Crossing,
    /// No surfaces meet, but a connected part of one shape lies inside the opposite shape, which is solid.
    Contained {
        /// The shape with a part inside.
        inner: Side,
    },
}
