//! Bounding-volume hierarchies: one tree, generic over the volume and the degree, built once and walked by every query.
//!
//! In: primitives over `f64` points ([`PrimitiveSource`]). Out: leaves that a query or another tree may meet.
//! Method: S0 §4.5; wide nodes in struct-of-arrays form tested `W` children at a time; see the modules.
//! Guarantees: conservative (nothing that touches is dropped), deterministic for any number of threads and any
//! instruction set. Does not know shapes: it sees boxes and ranges of leaves.

pub(crate) mod builder;
mod frame;
pub mod simd;
pub(crate) mod tree;
pub mod volume;
pub mod walk;
mod work;

pub use crate::builder::{BuildOptions, Builder};
pub use crate::frame::cutoff;
pub use crate::frame::relative;
pub use crate::frame::relative::{Placement, RelativePose};
pub use crate::frame::relative_motion::{BodyRates, LocalMotion, PairMotion, Point32, RelativeMotion, Rotation32};
pub use crate::frame::tree_frame::TreeFrame;
pub use crate::tree::bvh::{Bvh, BvhError, BvhStats, Child, Leaf, Node};
pub use crate::tree::cost::CostModel;
pub use crate::tree::partial_refit::PartialRefit;
pub use crate::tree::source::{Boxes, PrimitiveSource, check_boxes, check_point};
pub use crate::walk::moving::{MovingPairVisitor, walk_pair_moving};
pub use volume::{
    Aabb32, AabbSlab, BoundingVolume, BoxAxes, BoxVolume, KDop14, KDop18, KDop26, Obb, PointCloud, PointQuery,
    RayQuery, Rss, Sphere, VolumeKind,
};
pub use walk::{PairVisitor, Visitor, walk, walk_best_first, walk_pair, walk_pair_best_first, walk_self};
pub use work::Work;
