//! When two convex sets that move past each other at constant velocities touch first and last, by their projections.
//!
//! In: intervals that two sets fill along directions, and how fast the second moves along them against the first. Out:
//! [`ContactInterval`].
//! Method: S1, "objects moving at constant linear velocity": along each potential direction the sets overlap in a
//! window of time; they touch from the latest beginning of any window to the earliest end. The course prints the case
//! of the second set on the left as max₁ < max₀; what is meant, and right, is max₁ < min₀.
//! Guarantees: times are within a few ulp of what the projections give, where speeds are not themselves rounding.

use crate::{ConvexPolygon, Vec2};

/// The time in which two sets touch, as far as the directions asked so far tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactInterval<D> {
    /// Not before, in seconds; 0 where they touch at the start.
    pub first: f64,
    /// Not after.
    pub last: f64,
    /// The direction, from the first set to the second, along which they were disjoint longest; `None` where they touch
    /// at the start.
    pub direction: Option<D>,
}

impl<D> Default for ContactInterval<D> {
    /// From now on.
    fn default() -> Self {
        Self { first: 0.0, last: f64::INFINITY, direction: None }
    }
}

impl<D: std::ops::Neg<Output = D> + Copy> ContactInterval<D> {
    /// Asks one more direction, along which the sets fill the intervals `[min, max]` and the second moves with `speed`
    /// against the first; `false` where they never touch.
    pub fn ask(&mut self, direction: D, [min_a, max_a]: [f64; 2], [min_b, max_b]: [f64; 2], speed: f64) -> bool {
        if max_b < min_a {
            // B is on the left, and must come to the right.
            if speed <= 0.0 {
                return false;
            }
            self.begin((min_a - max_b) / speed, -direction);
            self.end((max_a - min_b) / speed);
        } else if max_a < min_b {
            if speed >= 0.0 {
                return false;
            }
            self.begin((max_a - min_b) / speed, direction);
            self.end((min_a - max_b) / speed);
        } else if speed > 0.0 {
            self.end((max_a - min_b) / speed);
        } else if speed < 0.0 {
            self.end((min_a - max_b) / speed);
        }
        self.first <= self.last && self.first.is_finite()
    }

    fn begin(&mut self, time: f64, direction: D) {
        if time > self.first {
            (self.first, self.direction) = (time, Some(direction));
        }
    }

    fn end(&mut self, time: f64) {
        self.last = self.last.min(time);
    }
}

/// When two convex polygons touch first and last, and what of them touches first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolygonContactInterval {
    /// In seconds; 0 where they touch at the start.
    pub first: f64,
    /// In seconds.
    pub last: f64,
    /// A unit vector from the first polygon to the second, along which they were disjoint until then; `None` where they
    /// touch at the start.
    pub normal: Option<Vec2>,
    /// The corner of each that is most distant towards the other, or the edge, where all of it is as far but for
    /// roundings; `None` where they touch at the start.
    pub features: Option<[PolygonFeature; 2]>,
}

/// A corner or an edge of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolygonFeature {
    /// By number.
    Corner(usize),
    /// From the corner of that number to the next.
    Edge(usize),
}

impl ConvexPolygon {
    /// Finds when `other`, which moves with `velocity` against this polygon, touches it first and last (S1); `None`
    /// where it never does.
    ///
    /// ```
    /// use heurt_geometry::{ConvexPolygon, PolygonFeature, Vec2};
    /// let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    /// let square = |x: f64, y: f64| ConvexPolygon::new(&corners.map(|(u, v)| Vec2::new(x + u, y + v)));
    /// let above = square(0.0, 1.5)?;
    /// let found = square(0.0, 0.0)?.passage(&above, Vec2::new(1.0, -1.0)).expect("it touches");
    /// assert_eq!((found.first, found.last, found.normal), (0.5, 1.0, Some(Vec2::Y)));
    /// // The top of one, the bottom of the other.
    /// assert_eq!(found.features, Some([PolygonFeature::Edge(2), PolygonFeature::Edge(0)]));
    /// assert_eq!(square(0.0, 0.0)?.passage(&square(0.0, 2.5)?, Vec2::new(1.0, -1.0)), None, "it passes by");
    /// # Ok::<(), heurt_geometry::HullError>(())
    /// ```
    pub fn passage(&self, other: &Self, velocity: Vec2) -> Option<PolygonContactInterval> {
        let mut passage = ContactInterval::default();
        let mut directions: Vec<Vec2> = self.edge_normals().chain(other.edge_normals()).collect();
        if self.corners().len() <= 2 && other.corners().len() <= 2 {
            // Segments on one line meet along it, points along what is between them.
            let ways = [
                self.corners()[0] - self.corners()[self.corners().len() - 1],
                other.corners()[0] - self.corners()[0],
                velocity,
            ];
            directions.extend(ways.into_iter().flat_map(|way| [way, way.perp()]).filter(|way| *way != Vec2::ZERO));
        }
        for direction in directions {
            if !passage.ask(direction, self.interval(direction), other.interval(direction), velocity.dot(direction)) {
                return None;
            }
        }
        let normal = passage.direction.map(Vec2::normalize_or_zero);
        let features = normal.map(|normal| [self.feature_towards(normal), other.feature_towards(-normal)]);
        Some(PolygonContactInterval { first: passage.first, last: passage.last, normal, features })
    }

    /// Outward, as long as the edges.
    fn edge_normals(&self) -> impl Iterator<Item = Vec2> + '_ {
        let count = self.corners().len();
        let edge = move |k: usize| self.corners()[(k + 1) % count] - self.corners()[k];
        (0..if count > 1 { count } else { 0 }).map(move |k| -edge(k).perp())
    }

    /// What the polygon fills along a direction.
    fn interval(&self, direction: Vec2) -> [f64; 2] {
        [-direction, direction].map(|way| self.corners()[self.extremal(way)].dot(direction))
    }

    /// What is most distant along a unit vector.
    fn feature_towards(&self, direction: Vec2) -> PolygonFeature {
        let (corner, count) = (self.extremal(direction), self.corners().len());
        let at = |k: usize| self.corners()[k % count];
        let drop = |k: &usize| (at(*k) - at(k + 1)).dot(direction).abs();
        // Heights are off by roundings of coordinates. Both ends count as level within the mean of those and of the
        // length: then a point that roundings hide from the most distant corner is, for its length, as near to what is
        // reported.
        let is_level = |k: &usize| {
            let coordinates = at(*k).abs().max(at(k + 1).abs()).max_element();
            let rounding = ROUNDING * coordinates;
            count > 1 && drop(k) <= (rounding.sqrt() * (at(k + 1) - at(*k)).length().sqrt()).max(rounding)
        };
        let beside = [corner, (corner + count - 1) % count];
        match beside.into_iter().filter(is_level).min_by(|j, k| drop(j).total_cmp(&drop(k))) {
            Some(edge) => PolygonFeature::Edge(edge),
            None => PolygonFeature::Corner(corner),
        }
    }
}

/// Roundings of a height along a unit vector, in the largest coordinate.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
