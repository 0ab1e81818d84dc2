//! `overlap`: do two placed shapes share a point? Touching counts, and so does containment in a solid.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

use crate::answer::budget::{Budget, Budgeted};
pub use crate::answer::overlap::{Side, Witness};
pub use crate::mesh::overlap::overlap_with_trees;

pub(crate) use crate::mesh::overlap::{mesh_overlap, mesh_overlap_metered};
pub(crate) use mesh_convex::hull_of_placed_points;

use crate::answer::budget::WorkMeter;
use crate::convex::overlap::convex_overlap;
use crate::convex::pair::ConvexPair;
use compound::compound_overlap;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use mesh_convex::mesh_convex_overlap;
use rounded::rounded_overlap;
use superquadric::superquadric_overlap;

/// Reports whether two placed shapes share a point, with a witness.
pub fn overlap<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> Option<Witness> {
    match (a.into(), b.into()) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_overlap(a, pose_a, b, pose_b),
        (a, b) => overlap_counted(a, pose_a, b, pose_b).0,
    }
}

/// [`overlap`], with the work done.
pub fn overlap_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> (Option<Witness>, Work) {
    let spending = WorkMeter::default();
    let witness = overlap_metered((a.into(), pose_a), (b.into(), pose_b), &spending);
    (witness, spending.done())
}

/// Reports whether two placed shapes share a point, with a witness; [`Budgeted::Cut`] where the budget ends first.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::octasphere;
/// use heurt_query::budget::{DistanceBounds, Budget, Budgeted, distance_within_budget, overlap_within_budget};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(octasphere(1.0, 40)?)?;
/// let [near, apart] = [1.2, 1.42].map(|x| Pose::from_translation(Vec3::new(x, x, 0.0)).unwrap());
/// let a_little = Budget { work: Some(20), ..Budget::default() };
/// let found = overlap_within_budget(&ball, &Pose::IDENTITY, &ball, &near, &a_little).0;
/// assert_eq!(found, Budgeted::Cut(()));
/// let found = distance_within_budget(&ball, &Pose::IDENTITY, &ball, &apart, &a_little).0;
/// assert!(matches!(found, Budgeted::Cut(DistanceBounds { at_least, .. }) if at_least < 0.01));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Budgeted<Option<Witness>, ()>, Work) {
    let spending = WorkMeter::of(budget);
    let found = overlap_metered((a.into(), pose_a), (b.into(), pose_b), &spending);
    let told =
        if spending.was_interrupted() && found.is_none() { Budgeted::Cut(()) } else { Budgeted::Complete(found) };
    (told, spending.done())
}

/// [`overlap()`]; where nothing is left to spend before it is reported, there is no witness.
pub(crate) fn overlap_metered(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    spending: &WorkMeter<'_>,
) -> Option<Witness> {
    if spending.is_exhausted() {
        return None;
    }
    match (a, b) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_overlap_metered((a, pose_a), (b, pose_b), spending),
        (ShapeRef::Mesh(a), ShapeRef::Convex(b)) => mesh_convex_overlap(a, pose_a, b, pose_b, spending),
        (ShapeRef::Convex(a), ShapeRef::Mesh(b)) => {
            mesh_convex_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped)
        }
        (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
            spending.add_pair();
            convex_overlap(ConvexPair { a, pose_a, b, pose_b }).then_some(Witness::Primitives { a: 0, b: 0 })
        }
        (ShapeRef::Compound(a), b) => compound_overlap(a, pose_a, b, pose_b, spending),
        (a, ShapeRef::Compound(b)) => compound_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped),
        (ShapeRef::Superquadric(a), b) => superquadric_overlap(a, pose_a, b, pose_b, spending),
        (a, ShapeRef::Superquadric(b)) => superquadric_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped),
        (a @ ShapeRef::Rounded(_), b) | (a, b @ ShapeRef::Rounded(_)) => {
            rounded_overlap((a, pose_a), (b, pose_b), spending)
        }
    }
}
