//! `distance`: how far two placed shapes are from each other, with the points where they are nearest.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

pub use crate::mesh::distance::distance_with_trees;

pub(crate) use crate::mesh::distance::metered::mesh_distance_asked;
pub(crate) use crate::mesh::distance::{
    OnPose, Surroundings, clearance, mesh_distance_since, nearest_within, pairs_near, surfaces_within,
};
pub(crate) use rounded::{less_margins, without_margin};
pub(crate) use superquadric::superquadric_clearance;

use crate::budget::{Bounds, Spending, Within};
use crate::convex::distance::convex_distance_within;
use crate::convex::separation::{ConvexPair, Gap};
use compound::compound_distance;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::ShapeRef;
use mesh_convex::mesh_convex_distance;
use rounded::rounded_distance;
use superquadric::superquadric_distance;

/// How far two shapes are apart, in metres and the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// The triangles that hold the points; `None` where one shape lies inside the other.
    pub primitives: Option<[u32; 2]>,
    /// Bounds the absolute error of `distance`; 0 only where they surely overlap.
    pub error: f64,
}

impl Distance {
    /// What is told of shapes that have `point` in common.
    pub(crate) fn common(point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { distance: 0.0, point_a: point, point_b: point, normal: None, primitives, error: 0.0 }
    }

    /// The same where a gap decides that, which is at most so wide: of what only just touches roundings leave open whether it does.
    pub(crate) fn common_within(gap_at_most: f64, point: Vec3, primitives: Option<[u32; 2]>) -> Self {
        Self { error: gap_at_most.max(0.0), ..Self::common(point, primitives) }
    }

    /// What is told of a shape and a half-space (B), of which the gap is told from the half-space.
    pub(crate) fn over_half_space(gap: &Gap, primitives: Option<[u32; 2]>) -> Self {
        match gap.length > 0.0 {
            true => Self {
                distance: gap.length,
                point_a: gap.on_b,
                point_b: gap.on_a,
                normal: Some(-gap.normal),
                primitives,
                error: gap.error,
            },
            false => Self::common_within(gap.length + gap.error, gap.on_b, primitives),
        }
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

/// Finds how far two placed shapes are apart.
pub fn distance<'a>(a: impl Into<ShapeRef<'a>>, pose_a: &Pose, b: impl Into<ShapeRef<'a>>, pose_b: &Pose) -> Distance {
    distance_counted(a, pose_a, b, pose_b).0
}

/// [`distance`], with the work done.
pub fn distance_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> (Distance, Work) {
    let (found, work) = distance_within_counted(a, pose_a, b, pose_b, f64::INFINITY);
    (found.expect("without a limit there is a distance"), work)
}

/// [`distance`] if it is not above `max` metres: what is farther is left out at once.
pub fn distance_within<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max: f64,
) -> Option<Distance> {
    distance_within_counted(a, pose_a, b, pose_b, max).0
}

/// [`distance_within`], with the work done.
pub fn distance_within_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max: f64,
) -> (Option<Distance>, Work) {
    let spending = Spending::default();
    match distance_asked((a.into(), pose_a), (b.into(), pose_b), max, &spending) {
        Within::Complete(found) => (found, spending.done()),
        Within::Cut(_) => unreachable!("there is no budget to end"),
    }
}

/// [`distance_within`], as long as there is something to spend.
pub(crate) fn distance_asked(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    max: f64,
    spending: &Spending<'_>,
) -> DistanceInTime {
    if spending.ends() {
        return Within::Cut(Bounds::UNKNOWN);
    }
    // A limit that is not a number is none.
    let max = max.min(f64::INFINITY);
    if max < 0.0 {
        return Within::Complete(None);
    }
    match (a, b) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_distance_asked((a, pose_a), (b, pose_b), max, spending),
        (ShapeRef::Mesh(a), ShapeRef::Convex(b)) => mesh_convex_distance((a, pose_a), (b, pose_b), max, spending),
        (ShapeRef::Convex(a), ShapeRef::Mesh(b)) => {
            mesh_convex_distance((b, pose_b), (a, pose_a), max, spending).map_found(Distance::swapped)
        }
        (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
            spending.add_pair();
            Within::Complete(convex_distance_within(ConvexPair { a, pose_a, b, pose_b }, max))
        }
        (ShapeRef::Compound(a), b) => compound_distance((a, pose_a), (b, pose_b), max, spending),
        (a, ShapeRef::Compound(b)) => {
            compound_distance((b, pose_b), (a, pose_a), max, spending).map_found(Distance::swapped)
        }
        (ShapeRef::Superquadric(a), b) => superquadric_distance((a, pose_a), (b, pose_b), max, spending),
        (a, ShapeRef::Superquadric(b)) => {
            superquadric_distance((b, pose_b), (a, pose_a), max, spending).map_found(Distance::swapped)
        }
        (a @ ShapeRef::Rounded(_), b) | (a, b @ ShapeRef::Rounded(_)) => {
            rounded_distance((a, pose_a), (b, pose_b), max, spending)
        }
    }
}

/// A distance, if it is within what was asked for; bounds of it, where the search was cut short.
pub(crate) type DistanceInTime = Within<Option<Distance>, Bounds>;

impl DistanceInTime {
    /// The same with another way to tell what was found.
    fn map_found(self, tell: impl FnOnce(Distance) -> Distance) -> Self {
        match self {
            Self::Complete(found) => Self::Complete(found.map(tell)),
            cut => cut,
        }
    }

    /// That of all points within margins, if it is not above `max`, of what was asked for within the margins more.
    fn less_margins(self, [margin_a, margin_b]: [f64; 2], max: f64) -> Self {
        let margin = margin_a + margin_b;
        // What is taken off is rounded.
        let rounding = |bound: f64| 4.0 * f64::EPSILON * (bound.min(f64::MAX) + margin);
        match self.map_found(|found| less_margins(found, [margin_a, margin_b])) {
            Self::Complete(found) => Self::Complete(found.filter(|found| found.distance <= max)),
            Self::Cut(Bounds { at_least, at_most }) if margin > 0.0 => Self::Cut(Bounds {
                at_least: (at_least - margin - rounding(at_least)).max(0.0),
                at_most: (at_most - margin + rounding(at_most)).max(0.0),
            }),
            cut => cut,
        }
    }
}
