//! `distance`: how far two placed shapes are from each other, with the points where they are nearest.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

use crate::answer::budget::Answer;
pub(crate) use crate::answer::distance::BudgetedDistance;
pub use crate::answer::distance::Distance;
pub use crate::answer::options::DistanceOptions;

pub(crate) use crate::mesh::distance::metered::mesh_distance_metered;
pub(crate) use superquadric::superquadric_clearance;

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::options::limit;
use crate::answer::placed::{Placed, PlacedShape};
use crate::convex::distance::convex_distance_within;
use crate::convex::pair::ConvexPair;
use compound::compound_distance;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use mesh_convex::mesh_convex_distance;
use rounded::rounded_distance;
use superquadric::superquadric_distance;

/// Finds how far two placed shapes are disjoint, with the points where they are nearest.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::distance;
/// use heurt_shape::{Convex, MeshShape};
/// let gear = MeshShape::new(heurt_mesh::generate::torus(1.0, 0.25, 32, 16)?)?;
/// let block = Convex::cuboid(Vec3::splat(0.5))?;
/// let beside = Pose::from_translation(Vec3::X * 2.0)?;
/// let found = distance(&gear, &Pose::IDENTITY, &block, &beside);
/// assert!((found.distance - 0.25).abs() <= found.error + 1e-12, "from 1.25 to 1.5");
/// assert!((found.point_b.x - 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance<'a>(a: impl Into<ShapeRef<'a>>, pose_a: &Pose, b: impl Into<ShapeRef<'a>>, pose_b: &Pose) -> Distance {
    let (found, _) = distance_counted(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), f64::INFINITY);
    found.expect("without a limit there is a distance")
}

/// Computes [`distance`] within a limit and a budget, with the work done. The answer is `None` if the shapes are
/// farther from each other than the limit; [`Budgeted::Partial`] has bounds of the distance if the budget ends first.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Budget, Budgeted, DistanceBounds, DistanceOptions, distance_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::octasphere(1.0, 40)?)?;
/// let distant = Pose::from_translation(Vec3::new(1.42, 1.42, 0.0))?;
/// let query = |options| distance_with(&ball, &Pose::IDENTITY, &ball, &distant, &options).outcome;
/// assert_eq!(query(DistanceOptions { max_distance: 1e-3, ..Default::default() }), Budgeted::Complete(None));
/// let few = Budget { work: Some(20), ..Budget::default() };
/// let Budgeted::Partial(bounds) = query(DistanceOptions { budget: few, ..Default::default() }) else { panic!() };
/// assert!(bounds.at_least < 0.01 && bounds.at_most > 0.008);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    options: &DistanceOptions<'_>,
) -> Answer<Option<Distance>, DistanceBounds> {
    let meter = WorkMeter::of(&options.budget);
    let outcome =
        distance_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), options.max_distance, &meter);
    Answer { outcome, work: meter.done() }
}

/// [`distance`] of a query that is a part of another, if it is at most `max`, with the work done.
pub(crate) fn distance_counted(a: PlacedShape<'_>, b: PlacedShape<'_>, max: f64) -> (Option<Distance>, Work) {
    let meter = WorkMeter::default();
    match distance_metered(a, b, max, &meter) {
        Budgeted::Complete(found) => (found, meter.done()),
        Budgeted::Partial(_) => unreachable!("there is no budget to end"),
    }
}

/// [`distance`] if it is at most `max`, as long as there is something to spend.
pub(crate) fn distance_metered(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    max: f64,
    meter: &WorkMeter<'_>,
) -> BudgetedDistance {
    if meter.is_exhausted() {
        return Budgeted::Partial(DistanceBounds::UNKNOWN);
    }
    let max = limit(max);
    if max < 0.0 {
        return Budgeted::Complete(None);
    }
    match (a.shape, b.shape) {
        (ShapeRef::Mesh(of_a), ShapeRef::Mesh(of_b)) => mesh_distance_metered(a.with(of_a), b.with(of_b), max, meter),
        (ShapeRef::Mesh(of_a), ShapeRef::Convex(of_b)) => mesh_convex_distance(a.with(of_a), b.with(of_b), max, meter),
        (ShapeRef::Convex(of_a), ShapeRef::Mesh(of_b)) => {
            mesh_convex_distance(b.with(of_b), a.with(of_a), max, meter).map_found(Distance::swapped)
        }
        (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
            meter.add_pair();
            let pair = ConvexPair::new(a.with(of_a), b.with(of_b));
            Budgeted::Complete(convex_distance_within(pair, max))
        }
        (ShapeRef::Compound(of_a), _) => compound_distance(a.with(of_a), b, max, meter),
        (_, ShapeRef::Compound(of_b)) => compound_distance(b.with(of_b), a, max, meter).map_found(Distance::swapped),
        (ShapeRef::Superquadric(of_a), _) => superquadric_distance(a.with(of_a), b, max, meter),
        (_, ShapeRef::Superquadric(of_b)) => {
            superquadric_distance(b.with(of_b), a, max, meter).map_found(Distance::swapped)
        }
        (ShapeRef::Rounded(_), _) | (_, ShapeRef::Rounded(_)) => rounded_distance(a, b, max, meter),
    }
}
