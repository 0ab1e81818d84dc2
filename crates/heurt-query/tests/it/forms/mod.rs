//! Short forms of the verbs with options, for tests that call them often.

use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_query::{Answer, Budget, Budgeted, Closest, ClosestOptions, Distance, DistanceBounds, DistanceOptions};
use heurt_query::{closest_with, distance_with};
use heurt_shape::ShapeRef;

/// A limit of the distance.
pub fn within(max_distance: f64) -> DistanceOptions<'static> {
    DistanceOptions { max_distance, ..DistanceOptions::default() }
}

/// A complete answer and its work.
pub fn counted<T, P>(answer: Answer<T, P>) -> (T, Work) {
    let work = answer.work;
    (answer.complete().expect("no budget ends it"), work)
}

/// An outcome and its work.
pub fn outcome<T, P>(answer: Answer<T, P>) -> (Budgeted<T, P>, Work) {
    (answer.outcome, answer.work)
}

pub fn distance_within<'a>(
    a: impl Into<ShapeRef<'a>>,
    p: &Pose,
    b: impl Into<ShapeRef<'a>>,
    q: &Pose,
    max: f64,
) -> Option<Distance> {
    counted(distance_with(a, p, b, q, &within(max))).0
}

pub fn distance_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    p: &Pose,
    b: impl Into<ShapeRef<'a>>,
    q: &Pose,
) -> (Distance, Work) {
    let (found, work) = counted(distance_with(a, p, b, q, &DistanceOptions::default()));
    (found.expect("without a limit there is a distance"), work)
}

pub fn distance_in_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    p: &Pose,
    b: impl Into<ShapeRef<'a>>,
    q: &Pose,
    budget: &Budget<'_>,
) -> (Budgeted<Distance, DistanceBounds>, Work) {
    let options = DistanceOptions { budget: *budget, ..DistanceOptions::default() };
    match outcome(distance_with(a, p, b, q, &options)) {
        (Budgeted::Complete(found), work) => (Budgeted::Complete(found.expect("there is no limit")), work),
        (Budgeted::Partial(bounds), work) => (Budgeted::Partial(bounds), work),
    }
}

pub fn closest_within<'a>(a: impl Into<ShapeRef<'a>>, pose: &Pose, point: Vec3, max: f64) -> Option<Closest> {
    closest_with(a, pose, point, &ClosestOptions { max_distance: max }).value()
}
