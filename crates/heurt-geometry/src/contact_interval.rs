//! Contact interval of two convex sets that translate at constant velocities: first and last contact time, by
//! projections.
//!
//! In: the intervals of two sets along directions, and the speed of the second relative to the first along them. Out:
//! [`ContactInterval`].
//! Method: S1, "objects moving at constant linear velocity": along each potential direction the sets overlap in a
//! window of time; they touch from the latest beginning of any window to the earliest end. The course prints the case
//! of the second set on the left as max₁ < max₀; the correct condition is max₁ < min₀.
//! Guarantees: times are within a few ulp of the exact times of the projections, unless speeds are themselves rounding
//! errors.

use crate::{ConvexPolygon, Vec2};

/// Time interval in which two sets touch, as bounded by the directions clipped by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactInterval<D> {
    /// First contact time, in seconds; 0 if they touch at the start.
    pub first: f64,
    /// Last contact time, in seconds.
    pub last: f64,
    /// The direction, from the first set to the second, along which they were disjoint longest; `None` if they touch at
    /// the start.
    pub direction: Option<D>,
}

impl<D> Default for ContactInterval<D> {
    /// Returns the interval from 0 to infinity.
    fn default() -> Self {
        Self { first: 0.0, last: f64::INFINITY, direction: None }
    }
}

impl<D: std::ops::Neg<Output = D> + Copy> ContactInterval<D> {
    /// Clips the interval by one more direction, along which the sets have the intervals `[min, max]` and the second
    /// moves with `speed` relative to the first. Returns `false` if they never touch.
    pub fn clip_by_axis(
        &mut self,
        direction: D,
        [min_a, max_a]: [f64; 2],
        [min_b, max_b]: [f64; 2],
        speed: f64,
    ) -> bool {
        if max_b < min_a {
            // B is on the left, and must move to the right.
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

/// First and last contact time of two convex polygons, and their first touching features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolygonContactInterval {
    /// First contact time, in seconds; 0 if they touch at the start.
    pub first: f64,
    /// Last contact time, in seconds.
    pub last: f64,
    /// A unit vector from the first polygon to the second, along which they were disjoint until then; `None` if they
    /// touch at the start.
    pub normal: Option<Vec2>,
    /// The support corner of each polygon towards the opposite polygon, or the support edge, if it is level up to
    /// roundings; `None` if they touch at the start.
    pub features: Option<[PolygonFeature; 2]>,
}

/// A corner or an edge of a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolygonFeature {
    /// The corner of this number.
    Corner(usize),
    /// The edge from the corner of this number to the next.
    Edge(usize),
}

impl ConvexPolygon {
    /// Finds the first and last contact time with `other`, which moves with `velocity` relative to this polygon (S1);
    /// returns `None` if they never touch.
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
            // Collinear segments meet along their line, points along their difference.
            let sides = [
                self.corners()[0] - self.corners()[self.corners().len() - 1],
                other.corners()[0] - self.corners()[0],
                velocity,
            ];
            directions
                .extend(sides.into_iter().flat_map(|line| [line, line.perp()]).filter(|line| *line != Vec2::ZERO));
        }
        for direction in directions {
            if !passage.clip_by_axis(
                direction,
                self.interval(direction),
                other.interval(direction),
                velocity.dot(direction),
            ) {
                return None;
            }
        }
        let normal = passage.direction.map(Vec2::normalize_or_zero);
        let features = normal.map(|normal| [self.feature_towards(normal), other.feature_towards(-normal)]);
        Some(PolygonContactInterval { first: passage.first, last: passage.last, normal, features })
    }

    /// Returns the outward normals, as long as the edges.
    fn edge_normals(&self) -> impl Iterator<Item = Vec2> + '_ {
        let count = self.corners().len();
        let edge = move |k: usize| self.corners()[(k + 1) % count] - self.corners()[k];
        (0..if count > 1 { count } else { 0 }).map(move |k| -edge(k).perp())
    }

    /// Returns the interval of the polygon along a direction.
    fn interval(&self, direction: Vec2) -> [f64; 2] {
        [-direction, direction].map(|line| self.corners()[self.extremal(line)].dot(direction))
    }

    /// Returns the support feature along a unit vector.
    fn feature_towards(&self, direction: Vec2) -> PolygonFeature {
        let (corner, count) = (self.extremal(direction), self.corners().len());
        let at = |k: usize| self.corners()[k % count];
        let drop = |k: &usize| (at(*k) - at(k + 1)).dot(direction).abs();
        // Heights have rounding errors of coordinates. Both ends count as level if they differ by at most the geometric
        // mean of the height error and the length. A point that roundings hide from the support corner is then, for its
        // length, as near to the reported feature.
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

/// Rounding error of a height along a unit vector, relative to the largest coordinate.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
