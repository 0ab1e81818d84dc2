//! Adaptively sampled signed distance field of a closed mesh: an octree with a proved bound of the error.
//!
//! In: a closed mesh and a tolerance in metres. Out: [`DistanceOctree`], whose [`DistanceOctree::sample`] returns the
//! signed distance, negative inside, its gradient and a bound of its error, without allocation.
//! Method: Frisken et al. 2000 ("Adaptively sampled distance fields"): each leaf of an octree keeps the distances at
//! its eight corners, and trilinear interpolation fills the leaf. The source divides a leaf if the error at 19 points
//! exceeds the tolerance; here a bound over the whole leaf decides (`cell_bound`). The source leaves gaps between
//! leaves of different size; here the corners of small leaves follow their larger neighbours (`hanging_corners`), so
//! that the field is continuous.
//! Guarantees: |sampled − exact| ≤ [`DistanceSample::error`] at every point. Results do not depend on the number of
//! threads.

mod build;
mod cell_bound;
mod error;
mod exact;
mod hanging_corners;
mod octree;

pub use build::{DistanceOptions, MAX_DISTANCE_CELLS, MAX_DISTANCE_DEPTH};
pub use error::DistanceError;
pub use octree::{DistanceOctree, DistanceSample};
