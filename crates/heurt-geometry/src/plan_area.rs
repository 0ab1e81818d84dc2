//! Plan area: a polygon with holes in the plane, as floors, rooms and exits have it.
//!
//! In: rings of points, in metres. Out: measures, whether a point is inside.
//! Method: a point is inside if a ray from it crosses an odd number of edges; each crossing is decided by `orient2d`.
//! Guarantees: inside, outside and on the border are exact. Not guaranteed: that the rings are simple or closed in on
//! each other; a triangulation (`Map2::from_outlines`) reports crossings. Cost: O(corners).

use crate::{Sign, Vec2, orient2d};

/// A polygon with holes in the plane. Rings are not repeated at their end and may run in either direction.
///
/// ```
/// use heurt_geometry::{PlanArea, Vec2};
/// let corners = |a: f64, b: f64| [[a, a], [b, a], [b, b], [a, b]];
/// let square = |low: f64, high: f64| corners(low, high).map(Vec2::from_array).to_vec();
/// let room = PlanArea { outline: square(0.0, 4.0), holes: vec![square(1.0, 2.0)] };
/// assert_eq!(room.area(), 15.0);
/// assert!(room.contains(Vec2::new(3.0, 3.0)) && !room.contains(Vec2::new(1.5, 1.5)));
/// assert!(room.contains(Vec2::new(1.0, 1.5)), "the border is inside");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanArea {
    /// The outer ring.
    pub outline: Vec<Vec2>,
    /// The rings of the holes.
    pub holes: Vec<Vec<Vec2>>,
}

impl PlanArea {
    /// Returns the area between two corners of a rectangle.
    pub fn rectangle(min: Vec2, max: Vec2) -> Self {
        Self { outline: vec![min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)], holes: Vec::new() }
    }

    /// Returns all rings: the outline first, then the holes.
    pub fn rings(&self) -> impl Iterator<Item = &[Vec2]> {
        std::iter::once(&self.outline).chain(&self.holes).map(Vec::as_slice)
    }

    /// Reports whether a point is inside or on the border.
    pub fn contains(&self, point: Vec2) -> bool {
        let mut is_inside = false;
        for [a, b] in self.rings().flat_map(ring_edges) {
            let side = orient2d(a, b, point);
            let is_between = point.x >= a.x.min(b.x) && point.x <= a.x.max(b.x);
            if side.is_zero() && is_between && point.y >= a.y.min(b.y) && point.y <= a.y.max(b.y) {
                return true;
            }
            // The ray runs along +x: an upward edge is crossed if the point lies to its left.
            if (a.y > point.y) != (b.y > point.y) && (side == Sign::Positive) == (b.y > a.y) {
                is_inside = !is_inside;
            }
        }
        is_inside
    }

    /// Computes the area, in square metres: the outline less the holes.
    pub fn area(&self) -> f64 {
        let holes: f64 = self.holes.iter().map(|ring| ring_area(ring).abs()).sum();
        ring_area(&self.outline).abs() - holes
    }

    /// Returns the lower and the upper corner of the box around the outline; infinite and crossed without corners.
    pub fn bounds(&self) -> [Vec2; 2] {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        self.outline.iter().fold(empty, |[low, high], &corner| [low.min(corner), high.max(corner)])
    }

    /// Computes the centroid of the area, or the mean of the corners if the area is zero.
    pub fn centroid(&self) -> Vec2 {
        let Some(&from) = self.outline.first() else { return Vec2::ZERO };
        let (mut sum, mut weight) = (Vec2::ZERO, 0.0);
        for (number, ring) in self.rings().enumerate() {
            let (mut moment, mut doubled) = (Vec2::ZERO, 0.0);
            for [a, b] in ring_edges(ring) {
                let (a, b) = (a - from, b - from);
                doubled += a.perp_dot(b);
                moment += (a + b) * a.perp_dot(b);
            }
            // The outline adds and holes subtract, for each direction of both.
            let sign = doubled.signum() * if number == 0 { 1.0 } else { -1.0 };
            (sum, weight) = (sum + moment * sign, weight + doubled * sign);
        }
        let count = self.outline.len() as f64;
        let mean = self.outline.iter().map(|&corner| (corner - from) / count).sum::<Vec2>();
        from + if weight > 0.0 { sum / (3.0 * weight) } else { mean }
    }
}

/// Returns the edges of a closed ring whose ends differ.
pub fn ring_edges(ring: &[Vec2]) -> impl Iterator<Item = [Vec2; 2]> + '_ {
    let next = move |place: usize| ring[(place + 1) % ring.len()];
    ring.iter().enumerate().map(move |(place, &a)| [a, next(place)]).filter(|[a, b]| a != b)
}

/// Computes the signed area of a ring: positive if it runs counter-clockwise.
fn ring_area(ring: &[Vec2]) -> f64 {
    let Some(&from) = ring.first() else { return 0.0 };
    0.5 * ring_edges(ring).map(|[a, b]| (a - from).perp_dot(b - from)).sum::<f64>()
}
