//! A placed compound of convex parts and a convex shape.
//!
//! Method: every pair of a part and the shape on its own. Apart, the nearest pair tells. Overlapping, no translation shorter than
//! the depth of the deepest pair separates all; from above, the ways out of all pairs are tried, each as far as it takes until
//! no part overlaps, which `overlap` verifies.
//! Guarantees: the separation is verified, its bound proved; `error` reaches from one to the other, and is small where one pair
//! overlaps. Not guaranteed: the shortest translation, which may be along no way out of a pair.

use super::{Contact, contact};
use crate::algo::near_parts::PlacedCompound;
use crate::overlap::overlap;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Compound, Convex, Shape, ShapeRef};
use std::ops::ControlFlow;
use thiserror::Error;

/// Why a compound cannot be asked for contacts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompoundContactError {
    /// A part that is not convex.
    #[error("part {part} is a mesh: give it as convex pieces (`heurt decompose`)")]
    Mesh {
        /// By number.
        part: u32,
    },
}

/// Ways out that are tried at most, the deepest first.
const MOST_WAYS: usize = 32;
/// Steps on a way out at most; each leaves a part behind.
const MOST_STEPS: usize = 64;

/// Finds how a placed compound (A) and a convex shape (B) touch; `None` where they are farther apart than `margin` metres.
///
/// # Errors
/// [`CompoundContactError`] for a compound with a mesh in it.
pub fn compound_contact(
    a: &Compound,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    margin: f64,
) -> Result<Option<Contact>, CompoundContactError> {
    for (number, part) in (0u32..).zip(a.parts()) {
        if !matches!(part.shape, Shape::Convex(_)) {
            return Err(CompoundContactError::Mesh { part: number });
        }
    }
    let mut pairs = with_parts(a, pose_a, b, pose_b, margin);
    pairs.sort_by(|x, y| x.separation.total_cmp(&y.separation));
    let Some(deepest) = pairs.first() else { return Ok(None) };
    let mut all = deepest.clone();
    all.points = pairs.iter().flat_map(|pair| pair.points.iter().copied()).collect();
    if deepest.separation > 0.0 {
        all.separation_bound = pairs.iter().map(|pair| pair.separation_bound).fold(f64::INFINITY, f64::min);
        return Ok(Some(all));
    }
    let bound = pairs.iter().map(|pair| pair.separation_bound).fold(0.0, f64::min);
    let overlapping = pairs.iter().take_while(|pair| pair.separation <= 0.0).take(MOST_WAYS);
    let mut best: Option<(f64, Vec3)> = None;
    for pair in overlapping {
        let shortest = best.map_or(f64::INFINITY, |(length, _)| length);
        if let Some(length) = way_out(a, pose_a, b, pose_b, pair, shortest) {
            best = Some((length, pair.normal));
        }
    }
    // Where no way of a pair ends, one out of the whole box does, or is at least as long as it takes.
    let (length, normal) = best.unwrap_or_else(|| out_of_box(a, pose_a, b, pose_b));
    (all.separation, all.normal, all.separation_bound) = (-length, normal, bound);
    all.error = (length + bound).max(0.0) + deepest.error;
    Ok(Some(all))
}

/// The contacts of all parts within `margin`, primitives counted through the parts.
fn with_parts(a: &Compound, pose_a: &Pose, b: &Convex, pose_b: &Pose, margin: f64) -> Vec<Contact> {
    let mut found = Vec::new();
    let placed = PlacedCompound { compound: a, pose: pose_a };
    placed.near_box(&b.bounds(), pose_b, margin, |number, pose| {
        let part = &a.parts()[number as usize];
        if let Shape::Convex(convex) = &part.shape
            && let Some(mut contact) = contact(convex, pose, b, pose_b, margin)
        {
            contact.points.iter_mut().for_each(|point| point.primitives[0] += part.first);
            found.push(contact);
        }
        ControlFlow::Continue(margin)
    });
    found
}

fn moved(pose: &Pose, by: Vec3) -> Pose {
    Pose::from_translation(by).map_or(*pose, |shift| shift.compose(pose))
}

/// How far B has to go along the normal of a pair until no part overlaps, if that is shorter than `shortest`.
fn way_out(a: &Compound, pose_a: &Pose, b: &Convex, pose_b: &Pose, pair: &Contact, shortest: f64) -> Option<f64> {
    let normal = pair.normal;
    let mut length = -pair.separation;
    for _ in 0..MOST_STEPS {
        if length >= shortest || !length.is_finite() {
            return None;
        }
        let there = moved(pose_b, normal * length);
        if overlap(a, pose_a, b, &there).is_none() {
            return Some(length);
        }
        // Each part in the way is left by its own way, which goes off this one by some angle.
        let more = with_parts(a, pose_a, b, &there, 0.0).into_iter().map(|left| {
            let along = left.normal.dot(normal);
            if along > 0.05 { -left.separation / along } else { f64::INFINITY }
        });
        length += more.fold(f64::INFINITY, f64::min).max(4.0 * f64::EPSILON * length);
    }
    None
}

/// The shortest way out of the box of all parts along an axis of the world.
fn out_of_box(a: &Compound, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> (f64, Vec3) {
    let reach = |shape: ShapeRef<'_>, pose: &Pose| {
        let bounds = shape.bounds();
        (pose.place(bounds.centre()), bounds.half_extents().length())
    };
    let ((middle_a, radius_a), (middle_b, radius_b)) = (reach(a.into(), pose_a), reach(b.into(), pose_b));
    let between = middle_b - middle_a;
    let normal = between.try_normalize().unwrap_or(Vec3::Z);
    let length = (radius_a + radius_b) * (1.0 + 1e-9) - between.dot(normal);
    (if length.is_nan() { f64::INFINITY } else { length }, normal)
}
