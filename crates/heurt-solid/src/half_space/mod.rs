//! Half-spaces, linear and quadric, and their intersections; f ≤ 0 is inside everywhere.
//!
//! In: coefficients. Out: membership, intervals of rays, boundedness, bounds.
//! Method: S3 slides 14 to 18; see the modules. Unions and differences are nodes of [`Csg`](crate::Csg).
//! Guarantees: the sign convention is the same in all modules; see each module for exactness.

mod error;
mod exact_sum;
mod intersection;
mod interval;
mod linear;
mod quadric;
mod quadric_bounds;
mod quadric_intersection;

pub use error::HalfSpaceError;
pub use intersection::HalfSpaceIntersection;
pub(crate) use interval::Interval;
pub use linear::HalfSpace;
pub use quadric::Quadric;
pub use quadric_intersection::{Boundedness, QuadricIntersection};
