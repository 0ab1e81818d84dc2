//! Floating-point filter of the overlap test of a triangle and boxes near it.
//!
//! In: a triangle once, then boxes. Out: whether both share a point, or that rounding does not decide.
//! Method: separating axes (Akenine-Möller 2001) in `f64`: the normal of the triangle, and the cross products of its
//! edges and the axes, each as a linear function whose values at the corners of the triangle are computed once. A box
//! is its centre and half extents. An axis separates if the gap between the intervals of box and triangle exceeds the
//! error bound, and does not if they overlap by more than the bound. Axes of the coordinates are the task of the
//! caller.
//! Guarantees: a decided answer is right. Let u = 2⁻⁵³ and M the largest coordinate. Centre and half extents have an
//! error of at most 2uM, differences of coordinates at most 3uM, and each of the at most 8 operations on them at most u
//! of the sum of the magnitudes of the terms, which is at most 3M times the sum s of the magnitudes of the
//! coefficients. Coefficients of the normal have an error of at most 4u of the products in them, which s counts. All in
//! all that is below 64·u·s·M per value, and three values are compared; the bound is 256·u·s·M. Coordinates are below
//! 10⁹⁰, so that nothing overflows, and underflow loses less than 10⁻²⁰⁰. `NaN` decides nothing.
//! Cost: 60 operations for a triangle, at most 120 for a box, most often fewer.

use heurt_geometry::{Aabb, Triangle, Vec3};

/// The largest coordinate for which the bounds hold, in metres.
const MAX_COORDINATE: f64 = 1e90;

/// 256·2⁻⁵³.
const ROUNDING: f64 = 128.0 * f64::EPSILON;

/// More than underflow loses.
const UNDERFLOW: f64 = 1e-200;

/// A linear function of points with its interval over the triangle.
#[derive(Clone, Copy)]
struct FilterAxis {
    coefficients: Vec3,
    base: Vec3,
    min: f64,
    max: f64,
    error: f64,
}

impl FilterAxis {
    fn new(coefficients: Vec3, sizes: Vec3, triangle: &Triangle, max_coordinate: f64) -> Self {
        let base = triangle[0];
        let values = triangle.map(|corner| coefficients.dot(corner - base));
        Self {
            coefficients,
            base,
            min: values[0].min(values[1]).min(values[2]),
            max: values[0].max(values[1]).max(values[2]),
            error: sizes.element_sum() * max_coordinate * ROUNDING + UNDERFLOW,
        }
    }
}

/// A triangle with the axes that may separate it from a box.
pub(super) struct TriangleFilter {
    axes: [FilterAxis; 10],
    is_usable: bool,
}

impl TriangleFilter {
    /// Prepares a triangle for boxes with coordinates up to `max_coordinate` in magnitude.
    pub fn new(triangle: &Triangle, max_coordinate: f64) -> Self {
        let largest = triangle.iter().fold(max_coordinate, |largest, corner| largest.max(corner.abs().max_element()));
        let &[a, b, c] = triangle;
        let edges = [b - a, c - b, a - c];
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        let (size_u, size_v) = (u.abs(), v.abs());
        let sizes = Vec3::new(
            size_u.y * size_v.z + size_u.z * size_v.y,
            size_u.z * size_v.x + size_u.x * size_v.z,
            size_u.x * size_v.y + size_u.y * size_v.x,
        );
        let axes = std::array::from_fn(|k| {
            if k == 0 {
                return FilterAxis::new(normal, sizes, triangle, largest);
            }
            let edge = edges[(k - 1) / 3];
            let across = match k % 3 {
                0 => Vec3::new(0.0, -edge.z, edge.y),
                1 => Vec3::new(edge.z, 0.0, -edge.x),
                _ => Vec3::new(-edge.y, edge.x, 0.0),
            };
            FilterAxis::new(across, across.abs(), triangle, largest)
        });
        Self { axes, is_usable: largest < MAX_COORDINATE }
    }

    /// Returns whether the triangle meets a box whose intervals on the three axes of coordinates it meets, if rounding
    /// does not matter.
    #[inline(always)]
    pub fn meets(&self, bounds: &Aabb) -> Option<bool> {
        if !self.is_usable {
            return None;
        }
        let (centre, half) = (0.5 * bounds.min + 0.5 * bounds.max, 0.5 * bounds.max - 0.5 * bounds.min);
        let mut is_sure = true;
        for axis in &self.axes {
            let middle = axis.coefficients.dot(centre - axis.base);
            let radius = axis.coefficients.abs().dot(half);
            let overlap = (axis.max - (middle - radius)).min(middle + radius - axis.min);
            if overlap < -axis.error {
                return Some(false);
            }
            is_sure &= overlap > axis.error;
        }
        is_sure.then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::octree::triangle_meets_box;
    use heurt_geometry::SplitMix64;

    #[test]
    fn decided_answers_are_exact() {
        let mut random = SplitMix64::new(13);
        let (mut decided, mut undecided) = ([0; 2], 0);
        for round in 0..200_000 {
            // Whole numbers, numbers in general position, and both far from the origin or tiny.
            let scale = [1.0, 1e-70, 1e-320, 1e85, 1e95][round % 5];
            let shift = [0.0, 1e9, 0.0][round % 3];
            let mut point = |size: f64| {
                let at = [0.0; 3].map(|_: f64| {
                    let unit = random.between(-1.0, 1.0);
                    if round % 2 == 0 { (unit * size).round() } else { unit * size }
                });
                (Vec3::from(at) + shift) * scale
            };
            let (bounds, triangle) =
                (Aabb::from_points([point(2.0), point(2.0)]), [point(4.0), point(4.0), point(4.0)]);
            if !Aabb::from_points(triangle).overlaps(&bounds) {
                continue;
            }
            let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
            match TriangleFilter::new(&triangle, largest).meets(&bounds) {
                Some(meets) => {
                    assert_eq!(meets, triangle_meets_box(&triangle, &bounds), "{triangle:?} {bounds:?}");
                    decided[usize::from(meets)] += 1;
                }
                None => undecided += 1,
            }
        }
        assert!(decided.iter().all(|&count| count > 10_000) && undecided > 10_000, "{decided:?} {undecided}");
    }
}
