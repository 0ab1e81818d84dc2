//! `overlap`: do two placed shapes share a point? Touching counts, and so does containment in a solid.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

use crate::answer::budget::{Answer, Budgeted};
pub use crate::answer::options::OverlapOptions;
pub use crate::answer::overlap::{Side, Witness};

pub(crate) use crate::mesh::overlap::{mesh_overlap, mesh_overlap_metered};
pub(crate) use mesh_convex::hull_of_placed_points;

use crate::answer::budget::WorkMeter;
use crate::answer::placed::{Placed, PlacedShape};
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
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Side, Witness, overlap};
/// use heurt_shape::{Convex, MeshShape};
/// let room = MeshShape::new(heurt_mesh::generate::cuboid([3.0, 3.0, 1.5])?)?;
/// let lamp = Convex::sphere(0.2)?;
/// let [inside, outside] = [1.0, 2.0].map(|z| Pose::from_translation(Vec3::Z * z).unwrap());
/// let witness = overlap(&room, &Pose::IDENTITY, &lamp, &inside);
/// assert_eq!(witness, Some(Witness::Contained(Side::B)), "a closed mesh is solid");
/// assert_eq!(overlap(&room, &Pose::IDENTITY, &lamp, &outside), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> Option<Witness> {
    match (a.into(), b.into()) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_overlap(Placed::new(a, pose_a), Placed::new(b, pose_b)),
        (a, b) => overlap_metered(Placed::new(a, pose_a), Placed::new(b, pose_b), &WorkMeter::default()),
    }
}

/// Computes [`overlap`] within a budget, with the work done; [`Budgeted::Partial`] if the budget ends first.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Budget, Budgeted, OverlapOptions, overlap_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::octasphere(1.0, 40)?)?;
/// let near = Pose::from_translation(Vec3::new(1.2, 1.2, 0.0))?;
/// let few = OverlapOptions { budget: Budget { work: Some(20), ..Budget::default() } };
/// let answer = overlap_with(&ball, &Pose::IDENTITY, &ball, &near, &few);
/// assert_eq!(answer.outcome, Budgeted::Partial(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    options: &OverlapOptions<'_>,
) -> Answer<Option<Witness>, ()> {
    let meter = WorkMeter::of(&options.budget);
    let found = overlap_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), &meter);
    let was_interrupted = meter.was_interrupted() && found.is_none();
    Answer {
        outcome: if was_interrupted { Budgeted::Partial(()) } else { Budgeted::Complete(found) },
        work: meter.done(),
    }
}

/// [`overlap`] of a query that is a part of another, with the work done.
pub(crate) fn overlap_counted(a: PlacedShape<'_>, b: PlacedShape<'_>) -> (Option<Witness>, Work) {
    let meter = WorkMeter::default();
    let witness = overlap_metered(a, b, &meter);
    (witness, meter.done())
}

/// [`overlap()`]; without a witness if nothing is left to spend before one is found.
pub(crate) fn overlap_metered(a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Option<Witness> {
    if meter.is_exhausted() {
        return None;
    }
    match (a.shape, b.shape) {
        (ShapeRef::Mesh(of_a), ShapeRef::Mesh(of_b)) => mesh_overlap_metered(a.with(of_a), b.with(of_b), meter),
        (ShapeRef::Mesh(of_a), ShapeRef::Convex(of_b)) => mesh_convex_overlap(a.with(of_a), b.with(of_b), meter),
        (ShapeRef::Convex(of_a), ShapeRef::Mesh(of_b)) => {
            mesh_convex_overlap(b.with(of_b), a.with(of_a), meter).map(Witness::swapped)
        }
        (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
            meter.add_pair();
            let pair = ConvexPair::new(a.with(of_a), b.with(of_b));
            convex_overlap(pair).then_some(Witness::Primitives { a: 0, b: 0 })
        }
        (ShapeRef::Compound(of_a), _) => compound_overlap(a.with(of_a), b, meter),
        (_, ShapeRef::Compound(of_b)) => compound_overlap(b.with(of_b), a, meter).map(Witness::swapped),
        (ShapeRef::Superquadric(of_a), _) => superquadric_overlap(a.with(of_a), b, meter),
        (_, ShapeRef::Superquadric(of_b)) => superquadric_overlap(b.with(of_b), a, meter).map(Witness::swapped),
        (ShapeRef::Rounded(_), _) | (_, ShapeRef::Rounded(_)) => rounded_overlap(a, b, meter),
    }
}
