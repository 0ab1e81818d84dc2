//! `distance`: how far two placed shapes are from each other, with the points where they are nearest.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

use crate::answer::budget::Budget;
pub(crate) use crate::answer::distance::BudgetedDistance;
pub use crate::answer::distance::Distance;
pub use crate::mesh::distance::distance_with_trees;

pub(crate) use crate::mesh::distance::metered::mesh_distance_metered;
pub(crate) use superquadric::superquadric_clearance;

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::convex::distance::convex_distance_within;
use crate::convex::pair::ConvexPair;
use compound::compound_distance;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use mesh_convex::mesh_convex_distance;
use rounded::rounded_distance;
use superquadric::superquadric_distance;

/// Finds how far two placed shapes are disjoint.
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

/// [`distance`] if it is not above `max_distance` metres: what is farther is left out at once.
pub fn distance_within<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max_distance: f64,
) -> Option<Distance> {
    distance_within_counted(a, pose_a, b, pose_b, max_distance).0
}

/// [`distance_within`], with the work done.
pub fn distance_within_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max_distance: f64,
) -> (Option<Distance>, Work) {
    let spending = WorkMeter::default();
    match distance_metered((a.into(), pose_a), (b.into(), pose_b), max_distance, &spending) {
        Budgeted::Complete(found) => (found, spending.done()),
        Budgeted::Cut(_) => unreachable!("there is no budget to end"),
    }
}

/// Finds how far two placed shapes are disjoint; [`Budgeted::Cut`] with bounds of the distance where the budget ends
/// first.
pub fn distance_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Budgeted<Distance, DistanceBounds>, Work) {
    let spending = WorkMeter::of(budget);
    let told = match distance_metered((a.into(), pose_a), (b.into(), pose_b), f64::INFINITY, &spending) {
        Budgeted::Complete(found) => Budgeted::Complete(found.expect("without a limit there is a distance")),
        Budgeted::Cut(bounds) => Budgeted::Cut(bounds),
    };
    (told, spending.done())
}

/// [`distance_within`], as long as there is something to spend.
pub(crate) fn distance_metered(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    max: f64,
    spending: &WorkMeter<'_>,
) -> BudgetedDistance {
    if spending.is_exhausted() {
        return Budgeted::Cut(DistanceBounds::UNKNOWN);
    }
    // A limit that is not a number is none.
    let max = max.min(f64::INFINITY);
    if max < 0.0 {
        return Budgeted::Complete(None);
    }
    match (a, b) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_distance_metered((a, pose_a), (b, pose_b), max, spending),
        (ShapeRef::Mesh(a), ShapeRef::Convex(b)) => mesh_convex_distance((a, pose_a), (b, pose_b), max, spending),
        (ShapeRef::Convex(a), ShapeRef::Mesh(b)) => {
            mesh_convex_distance((b, pose_b), (a, pose_a), max, spending).map_found(Distance::swapped)
        }
        (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
            spending.add_pair();
            Budgeted::Complete(convex_distance_within(ConvexPair { a, pose_a, b, pose_b }, max))
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
