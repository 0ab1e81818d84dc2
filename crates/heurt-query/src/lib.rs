//! The verbs: what can be queried placed shapes, answered exactly where the answer is yes or no.
//!
//! In: shapes and poses. Out: witnesses, pairs, curves, points, distances, in the world frame.
//! Method: every query on meshes is a visitor of a walk over trees (`heurt-bvh`); `f32` volumes only ever dismiss,
//! `f32` filters settle what their error bound certifies, and what is left is decided by the exact predicates of
//! `heurt-geometry` on the placed `f64` vertices.
//! Guarantees: touching is overlapping; closed meshes are solid; same input, same bits, on any machine and with any
//! number of threads.

pub mod algorithm;
pub(crate) mod answer;
mod batch;
pub mod budget;
pub mod cast;
pub mod ccd;
pub mod closest;
pub(crate) mod coherence;
pub(crate) mod compound;
pub mod contact;
pub mod contact_kind;
pub(crate) mod contains;
pub(crate) mod convex;
pub(crate) mod depth;
pub mod distance;
pub mod local_depth;
pub(crate) mod mesh;
pub(crate) mod motion;
pub(crate) mod numeric;
pub mod overlap;
pub mod pairs;
pub mod ray;
pub(crate) mod superquadric;
pub(crate) mod triangle;

pub use answer::budget::{Answer, Budget, Budgeted, DistanceBounds};
pub use answer::options::{
    CandidatesOptions, ClosestOptions, ContactOptions, DistanceOptions, Neighbours, OverlapOptions, PairsOptions,
    RayOptions, SelfPairsOptions,
};
pub use batch::{Batch, BatchError};
pub use cast::{
    CastError, CastLimit, CastOptions, Impact, Swept, SweptError, cast, cast_by_samples, cast_with, swept_overlap,
};
pub use closest::{Closest, closest, closest_with};
pub use coherence::pair_cache::PairCache;
pub use contact::{
    Contact, ContactPatch, ContactPoint, Feature, Separation, contact, contact_manifold, contact_manifold_with,
    contact_with, separation,
};
pub use contact_kind::{ContactKind, contact_kind, contact_kind_of};
pub use contains::contains;
pub use depth::inner_pieces::convex_pieces;
pub use distance::{Distance, distance, distance_with};
pub use local_depth::{LocalDepth, local_depth};
pub use mesh::candidates::{candidates, candidates_with};
pub use mesh::contours::{Polyline, contours};
pub use mesh::fast_winding::{WindingEstimate, generalised_winding};
pub use mesh::samples;
pub use mesh::self_pairs::{self_intersects, self_pairs, self_pairs_up_to, self_pairs_with};
pub use mesh::solid_angle::solid_angle_winding;
pub use mesh::solid_boundary::{
    CountedOnce, SharedSpace, SolidMeasures, has_inner_faces, measure_counted_once, measure_shared_space,
    solid_measures,
};
pub use mesh::tree_pair::{TreePair, TreePairError};
pub use mesh::winding::{Location, winding_number};
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use numeric::iteration_limits;
pub use overlap::{Side, Witness, overlap, overlap_with};
pub use pairs::{pairs, pairs_with};
pub use ray::{Ray, RayCrossing, RayError, RayHit, RayHits, RayPassage, ray, ray_all, ray_all_with, ray_with};
