//! Bounding-volume hierarchies: one tree, generic over the volume and the degree, built once and walked by every query.
//!
//! In: primitives over `f64` points ([`PrimitiveSource`]). Out: leaves that a query or another tree may meet.
//! Method: S0 §4.5; wide nodes in struct-of-arrays form tested `W` children at a time; see the modules.
//! Guarantees: conservative (nothing that touches is dropped), deterministic for any number of threads and any
//! instruction set. Does not know shapes: it sees boxes and ranges of leaves.

mod build;
mod bvh;
mod cost;
mod drift;
mod frame;
mod frontier;
mod leaf_points;
mod refit;
mod refit_near;
pub mod relative;
mod rotate;
mod runs;
mod serial;
pub mod simd;
mod source;
pub mod volume;
pub mod walk;
mod walk_in_time;
mod work;

pub use build::{BuildOptions, Builder};
pub use bvh::{Bvh, BvhError, BvhStats, Child, Leaf, Node};
pub use cost::CostModel;
pub use drift::{Drift, PairInTime, Point32, Rates, Swing, Turning};
pub use frame::TreeFrame;
pub use refit_near::MovedNear;
pub use relative::{Placement, RelativePose};
pub use source::{Boxes, PrimitiveSource, check_boxes, check_point};
pub use volume::{
    Aabb32, AabbSlab, BoundingVolume, BoxAxes, BoxVolume, Cloud, KDop14, KDop18, KDop26, Obb, PointQuery, RayQuery,
    Rss, Sphere, VolumeKind,
};
pub use walk::{PairVisitor, Visitor, walk, walk_best_first, walk_pair, walk_pair_best_first, walk_self};
pub use walk_in_time::{TimedVisitor, walk_pair_in_time};
pub use work::Work;
