//! The verbs: what can be asked about placed shapes, answered exactly where the answer is yes or no.
//!
//! In: shapes and poses. Out: witnesses, pairs, curves, points, distances, in the world frame.
//! Method: every query on meshes is a visitor of a walk over trees (`heurt-bvh`); `f32` volumes only ever dismiss, `f32` filters
//! settle what their error bound certifies, and what is left is decided by the exact predicates of `heurt-geometry` on the
//! placed `f64` vertices.
//! Guarantees: touching is overlapping; closed meshes are solid; same input, same bits, on any machine and with any
//! number of threads.

mod algo;
mod batch;
pub mod budget;
pub mod candidates;
pub mod cast;
pub mod ccd;
pub mod closest;
pub mod contact;
pub mod contact_kind;
pub mod contours;
pub mod distance;
pub mod inside;
pub mod method;
pub mod overlap;
mod pair_cache;
pub mod pairs;
pub mod ray;
pub mod samples;
pub mod self_pairs;

pub use algo::inner_pieces::convex_pieces;
pub use algo::placed::WithTree;
pub use algo::solid_boundary::{SolidMeasures, has_inner_faces, solid_measures};
pub use batch::{Batch, BatchError};
pub use candidates::{candidates, candidates_counted};
pub use cast::{
    CastError, CastOptions, Impact, Swept, SweptError, TooFar, cast, cast_by_samples, cast_counted, swept_overlap,
};
pub use closest::{Closest, closest, closest_counted, closest_within};
pub use contact::{Contact, ContactPoint, Feature, Separation, contact, separation};
pub use contact_kind::{ContactKind, contact_kind, contact_kind_of};
pub use contours::{Polyline, contours};
pub use distance::{
    Distance, distance, distance_counted, distance_with_trees, distance_within, distance_within_counted,
};
pub use inside::{Location, WindingEstimate, contains, generalised_winding, solid_angle_winding, winding_number};
pub use overlap::{Side, Witness, overlap, overlap_counted, overlap_with_trees};
pub use pair_cache::PairCache;
pub use pairs::{pairs, pairs_counted, pairs_of_shapes, pairs_with_trees};
pub use ray::{Ray, RayCrossing, RayError, RayHit, RayHits, RayPassage, ray, ray_all, ray_all_counted, ray_counted};
pub use self_pairs::{Neighbours, self_pairs, self_pairs_counted};
