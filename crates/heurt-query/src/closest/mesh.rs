//! The nearest point of a placed mesh, and whether the given one is inside.
//!
//! Method: a walk by squared distance to boxes; in a leaf, bounds of the distances to eight triangles at a time. The least upper
//! bound cuts the walk, so that `f64` is called upon only at the end, for the triangles whose lower bound is not above it: as
//! a rule one, on the placed vertices. The side is the exact winding number.
//! Guarantees: ties go to the lowest triangle. `error` bounds the absolute error of `distance`: the placed vertices are
//! exact by contract, differences, the foot and the length round a handful of times each, which stays below 32 ulp of the
//! largest coordinate of a triangle; it reaches down to triangles that are told to be farther and are known less well. Lengths are squared in
//! a unit in which the triangle measures about 1, whatever its size in metres.
//! Cost: O(log n) for points near the surface.

use super::Closest;
use crate::algo::closest_on_triangle::closest_on_triangle;
use crate::algo::placed::place;
use crate::algo::point_triangles::distances_sq;
use crate::inside::{Location, locate};
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::{Leaf, PointQuery, Visitor, Work, walk};
use heurt_geometry::{Pose, Vec3, units_in_a_metre};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Finds the point of the placed mesh nearest to `point`, with the work done.
pub(crate) fn mesh_closest(a: &MeshShape, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let mut work = Work::default();
    let nearest = nearest(a, pose, point, f64::INFINITY, &mut work);
    // Without a limit there is always one; the first triangle stands in where distances overflow.
    let foot = nearest.unwrap_or_else(|| Foot::new(a, pose, 0, point));
    (finish(a, pose, point, foot, &mut work), work)
}

/// [`mesh_closest`] if it is not farther than `max` metres.
pub(crate) fn mesh_closest_within(a: &MeshShape, pose: &Pose, point: Vec3, max: f64) -> (Option<Closest>, Work) {
    let mut work = Work::default();
    let foot = nearest(a, pose, point, max, &mut work);
    let found = foot.map(|foot| finish(a, pose, point, foot, &mut work));
    (found.filter(|found| found.distance <= max), work)
}

/// The nearest point of a triangle.
#[derive(Debug, Clone, Copy)]
struct Foot {
    triangle: u32,
    /// In the world frame.
    point: Vec3,
    /// In metres.
    distance: f64,
    /// A bound on what that is off by.
    error: f64,
}

impl Foot {
    fn new(a: &MeshShape, pose: &Pose, triangle: u32, point: Vec3) -> Self {
        let corners = place(a, pose, triangle);
        let farthest = |from: Vec3| corners.iter().map(|&c| (c - from).abs().max_element()).fold(0.0, f64::max);
        let largest = farthest(Vec3::ZERO).max(point.abs().max_element());
        // What is smaller than 2⁻⁶⁰ of a coordinate is rounding.
        let unit = units_in_a_metre(farthest(point).max(largest * (1.0 / (1u64 << 60) as f64)));
        let foot = closest_on_triangle(point * unit, &corners.map(|corner| corner * unit));
        Self {
            triangle,
            point: foot / unit,
            distance: (foot - point * unit).length() / unit,
            // Denormal numbers are rounded to the least of them.
            error: 32.0 * f64::EPSILON * largest + 8.0 * f64::from_bits(1),
        }
    }
}

fn finish(a: &MeshShape, pose: &Pose, point: Vec3, foot: Foot, work: &mut Work) -> Closest {
    let mut found = Closest {
        point: foot.point,
        distance: foot.distance,
        signed_distance: None,
        inside: None,
        primitive: foot.triangle,
        error: foot.error,
    };
    if a.is_solid() {
        let inside = match locate(a, pose, point, work) {
            Location::Boundary { triangle } => {
                found = Closest { point, distance: 0.0, primitive: triangle, ..found };
                true
            }
            Location::Winding(winding) => winding != 0,
        };
        found.inside = Some(inside);
        found.signed_distance = Some(if inside { -found.distance } else { found.distance });
    }
    found
}

/// The nearest point of the nearest triangle within `max`.
fn nearest(a: &MeshShape, pose: &Pose, point: Vec3, max: f64, work: &mut Work) -> Option<Foot> {
    let frame = a.tree().frame();
    let offset = point - pose.place(frame.centre());
    let local = pose.rotation().transpose() * offset * frame.inverse_scale();
    let world = frame.reach() + point.abs().max_element() + pose.translation().abs().max_element();
    // Placement rounds in the world; a rotation that is not quite one stretches what lies between.
    let slack = world * frame.inverse_scale() * (1.0 / (1u64 << 44) as f64)
        + 4.0 * pose.defect() * (local.abs().max_element() + frame.reach() * frame.inverse_scale());
    let mut visitor = Candidates {
        shape: a,
        local,
        slack: (slack as f32).next_up(),
        cutoff: if max < f64::INFINITY { cutoff(squared(max * frame.inverse_scale())) } else { f32::INFINITY },
        found: Vec::with_capacity(32),
    };
    *work += walk(a.tree(), &PointQuery::new(local.to_array(), slack), &mut visitor);
    let Candidates { cutoff: mut limit, found, .. } = visitor;
    let mut nearest: Option<Foot> = None;
    // One that is told to be farther may be known less well.
    let (mut best, mut least) = (max, f64::INFINITY);
    for (at_least, triangle) in found {
        if at_least > limit {
            continue;
        }
        let foot = Foot::new(a, pose, triangle, point);
        least = least.min(foot.distance - foot.error);
        let wins_tie = nearest.is_none_or(|nearest| triangle < nearest.triangle);
        if foot.distance < best || foot.distance == best && wins_tie {
            (nearest, best) = (Some(foot), foot.distance);
            limit = limit.min(cutoff(squared(best * frame.inverse_scale())));
        }
    }
    nearest.map(|foot| Foot { error: foot.error.max(foot.distance - least), ..foot })
}

fn squared(x: f64) -> f64 {
    x * x
}

/// A little above a squared distance, so that an equally near triangle of a lower number is still seen.
fn cutoff(distance_sq: f64) -> f32 {
    (distance_sq * (1.0 + 1e-6)) as f32 + 1e-37
}

/// Gathers the triangles that may be the nearest.
struct Candidates<'a> {
    shape: &'a MeshShape,
    /// The point in local units, off by at most `slack`.
    local: Vec3,
    slack: f32,
    /// The least upper bound of a squared distance so far, in local units.
    cutoff: f32,
    /// Lower bounds of squared distances, and triangles.
    found: Vec<(f32, u32)>,
}

impl Visitor for Candidates<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn expect<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        isa.expect(&self.shape.blocks()[leaf.ordinal as usize]);
    }

    #[inline(always)]
    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        type F8<I> = <I as LanesFor<8>>::F;
        let block = &self.shape.blocks()[leaf.ordinal as usize];
        let centre = block.centre.map(f64::from);
        let point = [0, 1, 2].map(
            #[inline(always)]
            |k| (self.local[k] - centre[k]) as f32,
        );
        let distances = distances_sq::<F8<I>>(block, point, self.slack);
        let nearer = F8::<I>::splat(self.cutoff).gt(distances.at_most).bits();
        if nearer != 0 {
            for at_most in distances.at_most.to_array() {
                self.cutoff = if at_most < self.cutoff { at_most } else { self.cutoff };
            }
        }
        // Written so that `NaN` is kept.
        let dismissed = distances.at_least.gt(F8::<I>::splat(self.cutoff)).bits();
        let mut kept = !dismissed & ((1 << leaf.count) - 1);
        if kept != 0 {
            let (at_least, triangles) = (distances.at_least.to_array(), self.shape.tree().primitives(leaf));
            while kept != 0 {
                let lane = kept.trailing_zeros() as usize;
                kept &= kept - 1;
                self.found.push((at_least[lane & 7], triangles[lane]));
            }
        }
        ControlFlow::Continue(())
    }
}
