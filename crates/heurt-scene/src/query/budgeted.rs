//! Answers within a budget: a result that is unknown at its end is reported as unknown.

use super::answer::{Body, placed, report_distance, report_overlap};
use super::request::Limit;
use crate::describe::fields::FieldError;
use crate::describe::resolved_shape::ResolvedShape;
use heurt_bvh::Work;
use heurt_query::{Budget, Budgeted, DistanceBounds, DistanceOptions, OverlapOptions, distance_with, overlap_with};
use std::time::Instant;

/// Runs a query within a limit, the time of which begins now.
fn within<T>(limit: Limit, search: impl FnOnce(&Budget<'_>) -> T) -> T {
    let begun = Instant::now();
    let (work, micros) = match limit {
        Limit::Work(work) => (Some(work), None),
        Limit::Micros(micros) => (None, Some(micros)),
    };
    let is_over = move || micros.is_some_and(|micros| begun.elapsed().as_secs_f64() * 1e6 >= micros);
    let is_over = micros.is_some().then_some(&is_over as &dyn Fn() -> bool);
    search(&Budget { work, is_over })
}

pub(super) fn overlap_within(limit: Limit, [a, b]: [&ResolvedShape; 2], work: &mut Work) -> Result<Body, FieldError> {
    let ((shape_a, pose_a), (shape_b, pose_b)) = placed(a, b)?;
    let answer =
        within(limit, |budget| overlap_with(shape_a, pose_a, shape_b, pose_b, &OverlapOptions { budget: *budget }));
    *work += answer.work;
    Ok(match answer.outcome {
        Budgeted::Complete(witness) => report_overlap(witness, [a, b], Some(true)),
        Budgeted::Partial(()) => Body::Unproven { overlap: "unknown", complete: Some(false) },
    })
}

pub(super) fn distance_within(
    limit: Limit,
    [a, b]: [&ResolvedShape; 2],
    max: f64,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let ((shape_a, pose_a), (shape_b, pose_b)) = placed(a, b)?;
    let answer = within(limit, |budget| {
        let options = DistanceOptions { budget: *budget, ..DistanceOptions::default() };
        distance_with(shape_a, pose_a, shape_b, pose_b, &options)
    });
    *work += answer.work;
    match answer.outcome {
        Budgeted::Complete(found) => report_distance(found, max, Some(true)),
        Budgeted::Partial(DistanceBounds { at_least, .. }) if at_least > max => report_distance(None, max, Some(true)),
        Budgeted::Partial(DistanceBounds { at_least, at_most }) => {
            let distance_upper = Some(at_most).filter(|most| most.is_finite());
            Ok(Body::AtLeast { distance: at_least, distance_upper, complete: false })
        }
    }
}
