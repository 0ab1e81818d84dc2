//! The answer of `distance`: how far two shapes are disjoint, the nearest points, and what is known when the budget
//! ends.

use super::budget::{Budgeted, DistanceBounds};
use heurt_geometry::Vec3;
use heurt_shape::ShapeRef;

/// How far two shapes are disjoint, in metres and the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// 0 where they overlap.
    pub distance: f64,
    /// A point of A nearest to B; where they overlap a common point.
    pub point_a: Vec3,
    /// The point of B nearest to it; where they overlap the same point.
    pub point_b: Vec3,
    /// A unit vector from A to B: both lie on either side of a gap of width `distance` across it, as far as the nearest
    /// primitives are concerned. `None` where they overlap.
    pub normal: Option<Vec3>,
    /// The triangles that hold the points; `None` if one shape contains its partner.
    pub primitives: Option<[u32; 2]>,
    /// Bounds the absolute error of `distance`; 0 only where they provably overlap.
    pub error: f64,
}

impl Distance {
    /// The answer for shapes that have `point` in common.
    pub(crate) fn common(point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { distance: 0.0, point_a: point, point_b: point, normal: None, primitives, error: 0.0 }
    }

    /// The same where a gap decides that, which is at most so wide: of what only just touches roundings leave open
    /// whether it does.
    pub(crate) fn common_within(gap_at_most: f64, point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { error: gap_at_most.max(0.0), ..Self::common(point, primitives) }
    }

    /// The same, seen from B.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            point_a: self.point_b,
            point_b: self.point_a,
            normal: self.normal.map(|normal| -normal),
            primitives: self.primitives.map(|[a, b]| [b, a]),
            ..self
        }
    }
}

/// A distance, if it is within what was requested; bounds of it, where the search was cut short.
pub(crate) type BudgetedDistance = Budgeted<Option<Distance>, DistanceBounds>;

impl BudgetedDistance {
    /// Converts the distance that was found.
    pub(crate) fn map_found(self, tell: impl FnOnce(Distance) -> Distance) -> Self {
        match self {
            Self::Complete(found) => Self::Complete(found.map(tell)),
            cut => cut,
        }
    }

    /// Converts a distance of cores, searched within `max` and the margins, to the distance of all points within the
    /// margins, if it is at most `max`.
    pub(crate) fn less_margins(self, [margin_a, margin_b]: [f64; 2], max: f64) -> Self {
        let margin = margin_a + margin_b;
        // The difference is rounded.
        let rounding = |bound: f64| 4.0 * f64::EPSILON * (bound.min(f64::MAX) + margin);
        match self.map_found(|found| less_margins(found, [margin_a, margin_b])) {
            Self::Complete(found) => Self::Complete(found.filter(|found| found.distance <= max)),
            Self::Cut(DistanceBounds { at_least, at_most }) if margin > 0.0 => Self::Cut(DistanceBounds {
                at_least: (at_least - margin - rounding(at_least)).max(0.0),
                at_most: (at_most - margin + rounding(at_most)).max(0.0),
            }),
            cut => cut,
        }
    }
}

/// The mesh within a margin, and the margin; a superquadric, which is requested its surface, with its margin; other
/// shapes as they are.
pub(crate) fn without_margin(shape: ShapeRef<'_>) -> (ShapeRef<'_>, f64) {
    match shape {
        ShapeRef::Rounded(rounded) => (ShapeRef::Mesh(rounded.mesh()), rounded.margin()),
        ShapeRef::Superquadric(exact) => (shape, exact.margin()),
        other => (other, 0.0),
    }
}

/// The distance to all points within a margin of A and of all within one of B.
pub(crate) fn less_margins(found: Distance, [margin_a, margin_b]: [f64; 2]) -> Distance {
    let margin = margin_a + margin_b;
    let Some(normal) = found.normal.filter(|_| margin > 0.0 && found.distance > 0.0) else { return found };
    if found.distance <= margin {
        let common = found.point_a + (found.point_b - found.point_a) * (margin_a / margin);
        let gap_at_most = found.distance - margin + found.error + 4.0 * f64::EPSILON * margin;
        return Distance::common_within(gap_at_most, common, found.primitives);
    }
    Distance {
        distance: found.distance - margin,
        point_a: found.point_a + normal * margin_a,
        point_b: found.point_b - normal * margin_b,
        error: found.error + 4.0 * f64::EPSILON * margin,
        ..found
    }
}
