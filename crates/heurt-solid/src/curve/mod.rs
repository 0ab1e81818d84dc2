//! Regions of the plane with curved borders: superellipses and conics.
//!
//! In: half axes in metres and an exponent, or the parameters of a conic. Out: membership of points, areas, and
//! polygons to a stated bound.
//! Method: S0 annex B.1 and S3 slides 11 and 15: a region is the set of points with f ≤ 0. A border is divided until
//! the triangle of each chord and the tangents at its ends is low enough: a convex arc lies within that triangle
//! (`arc`).
//! Guarantees: the distance between polygon and border is at most the tolerance, in both directions, up to rounding of
//! coordinates. Corners of polygons lie on the border, counter-clockwise. Polygons of convex regions lie inside.
//! Not guaranteed: membership of points within rounding of the border.
//! Cost: O(corners).

mod arc;
mod conic;
mod error;
mod superellipse;

pub use conic::Conic;
pub use error::CurveError;
pub use superellipse::Superellipse;
