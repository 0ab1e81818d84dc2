//! Result of `distance`: the distance of two shapes, the nearest points, and the bounds known when the budget ends.

use super::budget::{Budgeted, DistanceBounds};
use heurt_geometry::Vec3;
use heurt_shape::ShapeRef;

/// The distance of two shapes, in metres and the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// 0 if they overlap.
    pub distance: f64,
    /// A point of A nearest to B; a common point if they overlap.
    pub point_a: Vec3,
    /// The point of B nearest to it; the same point if they overlap.
    pub point_b: Vec3,
    /// A unit vector from A to B: the nearest primitives lie on either side of a gap of width `distance` across it.
    /// `None` if they overlap.
    pub normal: Option<Vec3>,
    /// The triangles that contain the points; `None` if a shape lies inside the second shape.
    pub primitives: Option<[u32; 2]>,
    /// Bounds the absolute error of `distance`; 0 only if they provably overlap.
    pub error: f64,
}

impl Distance {
    /// Returns the distance of shapes that have `point` in common.
    pub(crate) fn common(point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { distance: 0.0, point_a: point, point_b: point, normal: None, primitives, error: 0.0 }
    }

    /// Returns [`Self::common`] for shapes with a gap of at most `gap_at_most`: rounding leaves undecided whether they
    /// touch.
    pub(crate) fn common_within(gap_at_most: f64, point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { error: gap_at_most.max(0.0), ..Self::common(point, primitives) }
    }

    /// Returns the distance with A and B swapped.
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

/// A distance, if it is within the maximum; bounds of it, if the search was interrupted.
pub(crate) type BudgetedDistance = Budgeted<Option<Distance>, DistanceBounds>;

impl BudgetedDistance {
    /// Applies a function to the found distance.
    pub(crate) fn map_found(self, change: impl FnOnce(Distance) -> Distance) -> Self {
        match self {
            Self::Complete(found) => Self::Complete(found.map(change)),
            cut => cut,
        }
    }

    /// Subtracts the margins: the distance of all points within margins, if at most `max`, from a distance within `max`
    /// plus the margins.
    pub(crate) fn less_margins(self, [margin_a, margin_b]: [f64; 2], max: f64) -> Self {
        let margin = margin_a + margin_b;
        // The subtracted margin is rounded.
        let rounding = |bound: f64| 4.0 * f64::EPSILON * (bound.min(f64::MAX) + margin);
        match self.map_found(|found| less_margins(found, [margin_a, margin_b])) {
            Self::Complete(found) => Self::Complete(found.filter(|found| found.distance <= max)),
            Self::Partial(DistanceBounds { at_least, at_most }) if margin > 0.0 => Self::Partial(DistanceBounds {
                at_least: (at_least - margin - rounding(at_least)).max(0.0),
                at_most: (at_most - margin + rounding(at_most)).max(0.0),
            }),
            cut => cut,
        }
    }
}

/// Splits a shape with a margin: the mesh and its margin for a rounded mesh; for a superquadric, the superquadric and
/// its margin; other shapes as they are.
pub(crate) fn without_margin(shape: ShapeRef<'_>) -> (ShapeRef<'_>, f64) {
    match shape {
        ShapeRef::Rounded(rounded) => (ShapeRef::Mesh(rounded.mesh()), rounded.margin()),
        ShapeRef::Superquadric(exact) => (shape, exact.margin()),
        other => (other, 0.0),
    }
}

/// Computes the distance of all points within a margin of A from all points within a margin of B.
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
