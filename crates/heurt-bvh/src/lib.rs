//! Bounding-volume hierarchies: one tree, generic over the volume and the degree, built once and walked by every query.
//!
//! In: primitives over `f64` points ([`PrimitiveSource`]). Out: leaves that a query or another tree may meet.
//! Method: S0 §4.5; wide nodes in struct-of-arrays form tested `W` children at a time; see the modules.
//! Guarantees: conservative (nothing that touches is dropped), deterministic for any number of threads and any
//! instruction set. Does not know shapes: it sees boxes and ranges of leaves.
//!
//! A traversal of two trees calls a visitor with each pair of leaves whose volumes meet:
//!
//! ```
//! use heurt_bvh::simd::WideIsa;
//! use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, PairVisitor, RelativePose, walk_pair};
//! use heurt_geometry::{Aabb, Pose, Vec3};
//! use std::ops::ControlFlow;
//!
//! struct LeafPairs(Vec<[Leaf; 2]>);
//!
//! impl PairVisitor for LeafPairs {
//!     fn cutoff(&self) -> f32 {
//!         0.0 // overlap
//!     }
//!     fn visit_leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
//!         self.0.push([a, b]);
//!         ControlFlow::Continue(())
//!     }
//! }
//!
//! let row = (0..1000).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 });
//! let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(row))?;
//! // The first boxes of B meet the last boxes of A.
//! let pose_b = Pose::from_translation(Vec3::X * 1990.0)?;
//! let mut pairs = LeafPairs(Vec::new());
//! let pose = RelativePose::new(tree.frame(), &Pose::IDENTITY, tree.frame(), &pose_b);
//! let work = walk_pair(&tree, &tree, &pose, &mut pairs);
//! assert!((1..=4).contains(&pairs.0.len()) && work.volumes < 300);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod builder;
mod draw;
mod frame;
pub mod simd;
pub(crate) mod tree;
pub mod volume;
pub mod walk;
mod work;

pub use crate::builder::{BuildOptions, Builder};
pub use crate::draw::{MAX_LINES, Outline, TreeLevel};
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
