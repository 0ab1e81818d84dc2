//! Footprints: the outline of a mesh on the ground (S4 §8.1: the cage of an agent, seen from above).
//!
//! In: vertices in the frame of the agent, z up, in metres; triangles. Out: [`Outline`].
//! Method: the union of the triangles in plan (crate `i_overlay`); holes are filled.
//! Cost: O(triangles log triangles).

use super::outline::{Outline, OutlineError};
use heurt_geometry::{Vec2, Vec3};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;

/// Triangles of less area in plan than this are upright, in square metres.
const UPRIGHT: f64 = 1e-12;

/// Corners further from the line between their neighbours than this count, in metres.
const STRAIGHT: f64 = 1e-6;

impl Outline {
    /// Computes the footprint of a mesh, such as the cage of a vehicle: x forward, z up, in metres.
    ///
    /// ```
    /// use heurt_crowd::Outline;
    /// use heurt_geometry::Vec3;
    /// let corner = |k: u32| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    /// let cube: Vec<Vec3> = (0..8).map(corner).collect();
    /// // Floor and one side are enough.
    /// let outline = Outline::footprint(&cube, &[[0, 2, 1], [1, 2, 3], [0, 1, 5]])?;
    /// assert_eq!((outline.corners().len(), outline.width()), (4, 1.0));
    /// # Ok::<(), heurt_crowd::OutlineError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutlineError`]; [`OutlineError::Pieces`] for none or several separate parts. Triangles over vertices that do
    /// not exist are left out.
    pub fn footprint(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, OutlineError> {
        if let Some(corner) = vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(OutlineError::BadCorner { corner, at: vertices[corner].truncate() });
        }
        let ring = |triangle: &[u32; 3]| {
            let corner = |&vertex: &u32| vertices.get(vertex as usize).map(|vertex| vertex.truncate());
            let [a, b, c] = [corner(&triangle[0])?, corner(&triangle[1])?, corner(&triangle[2])?];
            let doubled = (b - a).perp_dot(c - a);
            let ring = if doubled > 0.0 { [a, b, c] } else { [a, c, b] };
            (doubled.abs() > UPRIGHT).then(|| vec![ring.map(|corner| corner.to_array()).to_vec()])
        };
        let shapes: Vec<Vec<Vec<[f64; 2]>>> = triangles.iter().filter_map(ring).collect();
        let none: Vec<Vec<Vec<[f64; 2]>>> = Vec::new();
        let union = shapes.overlay_as::<i64>(&none, OverlayRule::Union, FillRule::NonZero);
        let [shape] = union.as_slice() else { return Err(OutlineError::Pieces { count: union.len() }) };
        let outline = shape.first().map(Vec::as_slice).unwrap_or_default();
        Self::new(without_straight(outline.iter().map(|&corner| Vec2::from_array(corner)).collect()))
    }
}

/// Leaves out corners on the line between their neighbours.
fn without_straight(mut corners: Vec<Vec2>) -> Vec<Vec2> {
    let mut place = 0;
    while place < corners.len() && corners.len() > 3 {
        let count = corners.len();
        let [before, at, after] = [corners[(place + count - 1) % count], corners[place], corners[(place + 1) % count]];
        let along = (after - before).normalize_or_zero();
        if along.perp_dot(at - before).abs() <= STRAIGHT && along.dot(at - before) >= 0.0 {
            corners.remove(place);
        } else {
            place += 1;
        }
    }
    corners
}
