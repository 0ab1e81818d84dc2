//! Answers for pairs of shapes in many configurations (`batch`).
//!
//! In: shapes, pairs of them, and poses written out or in a file of NumPy. Out: a list for each configuration.
//! Method: [`Batch`], which remembers each pair from one configuration to the next within runs of fixed length, so that
//! the answers are the same for any number of threads.

use super::answer::{Body, beyond};
use super::npy;
use super::request::{BatchPoses, BatchRequest, BatchVerb};
use crate::describe::fields::FieldError;
use crate::describe::resolved_shape::ResolvedShape;
use crate::describe::shape_cache::SharedShape;
use crate::describe::shape_store::ShapeStore;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_query::{Batch, BatchError};
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

/// A row for each configuration.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum BatchAnswers {
    Overlaps(Vec<Vec<bool>>),
    /// Distances, or separations; null beyond the limit.
    Lengths(Vec<Vec<Option<f64>>>),
}

/// Answers a batch. Its work is the number of pairs that were tested, each counted as one primitive.
pub(super) fn batch_answers(batch: &BatchRequest, store: &ShapeStore, work: &mut Work) -> Result<Body, FieldError> {
    let count = batch.shapes.len();
    let poses = match &batch.poses {
        BatchPoses::Written(poses) => Cow::Borrowed(poses),
        BatchPoses::Npy(path) => Cow::Owned(npy::poses(store.source(), path, count)?),
    };
    let ready = |(number, shape): (usize, &Arc<SharedShape>)| {
        let resolved = store.resolved(&format!("shapes[{number}]"), shape)?;
        store.ready_of(&format!("shapes[{number}]"), shape, resolved)
    };
    let shapes: Vec<ResolvedShape> = batch.shapes.iter().enumerate().map(ready).collect::<Result<_, FieldError>>()?;
    let refs = shapes.iter().map(|shape| shape.described().0);
    let refused = |error: BatchError| FieldError::refused("pairs", "given", error);
    let shape_batch = Batch::new(refs, batch.pairs.iter().copied()).map_err(refused)?;
    check_range(&shapes, &poses)?;
    let width = batch.pairs.len();
    match batch.operation {
        BatchVerb::Overlap if batch.first => {
            let found = shape_batch.first_overlaps(&poses).map_err(refused)?;
            let rows = found.iter().map(|first| match first {
                Some(pair) => (0..=*pair).map(|number| number == *pair).collect(),
                None => vec![false; width],
            });
            work.primitives +=
                found.iter().map(|first| first.map_or(width as u64, |pair| u64::from(pair) + 1)).sum::<u64>();
            let answers = BatchAnswers::Overlaps(rows.collect());
            Ok(Body::Batch { answers, count: found.iter().flatten().count() })
        }
        BatchVerb::Overlap => {
            let found = shape_batch.overlaps(&poses).map_err(refused)?;
            work.primitives += found.len() as u64;
            let count = found.iter().filter(|&&overlaps| overlaps).count();
            Ok(Body::Batch { answers: BatchAnswers::Overlaps(rows(found, width, poses.len(), shapes.len())), count })
        }
        BatchVerb::Distance(max) => {
            let found = shape_batch.distances(&poses, max).map_err(refused)?;
            work.primitives += found.len() as u64;
            let lengths: Vec<Option<f64>> =
                found.iter().map(|found| found.as_ref().map(|found| found.distance)).collect();
            lengths_body(lengths, |length| length == 0.0, width, poses.len(), shapes.len())
        }
        BatchVerb::Contact(margin) => {
            let found = shape_batch.contacts(&poses, margin).map_err(refused)?;
            work.primitives += found.len() as u64;
            let lengths = found.iter().map(|found| found.as_ref().map(|found| found.separation)).collect();
            lengths_body(lengths, |length| length <= 0.0, width, poses.len(), shapes.len())
        }
    }
}

fn lengths_body(
    lengths: Vec<Option<f64>>,
    overlaps: impl Fn(f64) -> bool,
    width: usize,
    poses: usize,
    shapes: usize,
) -> Result<Body, FieldError> {
    if lengths.iter().flatten().any(|length| !length.is_finite()) {
        return Err(beyond("poses", "given".to_owned(), "a length"));
    }
    let count = lengths.iter().flatten().filter(|&&length| overlaps(length)).count();
    Ok(Body::Batch { answers: BatchAnswers::Lengths(rows(lengths, width, poses, shapes)), count })
}

/// Cuts answers into a row for each configuration.
fn rows<T: Clone>(answers: Vec<T>, width: usize, poses: usize, shapes: usize) -> Vec<Vec<T>> {
    match width {
        0 => vec![Vec::new(); poses.checked_div(shapes).unwrap_or(0)],
        _ => answers.chunks(width).map(<[T]>::to_vec).collect(),
    }
}

/// Refuses poses that place a shape beyond the range of numbers.
fn check_range(shapes: &[ResolvedShape], poses: &[Pose]) -> Result<(), FieldError> {
    for (row, configuration) in poses.chunks(shapes.len().max(1)).enumerate() {
        for (number, (shape, pose)) in shapes.iter().zip(configuration).enumerate() {
            if !shape.is_finite_at(pose) {
                return Err(beyond(&format!("poses[{row}][{number}]"), "the pose".to_owned(), "the placed shape"));
            }
        }
    }
    Ok(())
}
