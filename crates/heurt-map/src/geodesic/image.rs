//! Image: the goal, unfolded into the plane of a face, seen through an edge.
//!
//! In: the frame of a half-edge: its start at the origin, its end on the x axis, the face above. Out: distances and
//! crossings. A point image is a vertex or a goal point below the x axis; a front is an edge of a goal face, which
//! sends parallel rays. Guarantees: distances are 1-Lipschitz, which the filters of windows need. Cost: O(1).

use heurt_geometry::Vec2;

/// The unfolded goal, or part of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Image {
    /// A point and its distance to the goal.
    Point { at: Vec2, distance: f64 },
    /// A straight front: the unit direction away from the goal, and the distance at the origin.
    Front { direction: Vec2, distance: f64 },
}

impl Image {
    /// Computes the distance of a point in straight line.
    pub(super) fn distance_to(&self, point: Vec2) -> f64 {
        match *self {
            Self::Point { at, distance } => distance + at.distance(point),
            Self::Front { direction, distance } => distance + direction.dot(point),
        }
    }

    /// Computes where the ray to a point above the x axis crosses it.
    pub(super) fn crossing(&self, point: Vec2) -> f64 {
        match *self {
            Self::Point { at, .. } => at.x + (point.x - at.x) * (-at.y / (point.y - at.y)),
            Self::Front { direction, .. } => point.x - direction.x * (point.y / direction.y),
        }
    }

    /// Computes the distance of a point above the x axis over the nearest crossing within an interval, and the
    /// crossing.
    pub(super) fn distance_within(&self, point: Vec2, [a, b]: [f64; 2]) -> (f64, f64) {
        let crossing = self.crossing(point);
        if crossing >= a && crossing <= b {
            return (self.distance_to(point), crossing);
        }
        // NaN, from an image on the axis, becomes an end of the interval.
        let bent = if crossing > b { b } else { a };
        let at = Vec2::new(bent, 0.0);
        (self.distance_to(at) + at.distance(point), bent)
    }

    /// Computes the least distance of an interval of the x axis.
    pub(super) fn least_distance(&self, [a, b]: [f64; 2]) -> f64 {
        match *self {
            Self::Point { at, .. } => self.distance_to(Vec2::new(at.x.clamp(a, b), 0.0)),
            Self::Front { .. } => self.distance_to(Vec2::new(a, 0.0)).min(self.distance_to(Vec2::new(b, 0.0))),
        }
    }

    /// Expresses the image in the frame of an edge that starts at `origin` in the unit direction `along`.
    pub(super) fn seen_from(&self, origin: Vec2, along: Vec2) -> Self {
        let local = |vector: Vec2| Vec2::new(vector.dot(along), along.perp_dot(vector));
        match *self {
            // Rounding may put a point on an edge at its wrong side.
            Self::Point { at, distance } => {
                let at = local(at - origin);
                Self::Point { at: Vec2::new(at.x, at.y.min(0.0)), distance }
            }
            Self::Front { direction, distance } => {
                Self::Front { direction: local(direction), distance: distance + direction.dot(origin) }
            }
        }
    }

    /// Computes where the ray that crosses the x axis at `x` meets the line from `origin` in the direction `along`, as
    /// a length along the line; `None` if they do not meet in front of it.
    pub(super) fn hit(&self, x: f64, origin: Vec2, along: Vec2) -> Option<f64> {
        let start = Vec2::new(x, 0.0);
        let ray = match *self {
            Self::Point { at, .. } => start - at,
            Self::Front { direction, .. } => direction,
        };
        let area = ray.perp_dot(along);
        let length = (start - origin).perp_dot(ray) / -area;
        (length.is_finite() && area != 0.0).then_some(length)
    }
}
