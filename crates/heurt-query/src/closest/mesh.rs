//! The nearest point of a placed mesh, and whether the given one is inside.
//!
//! Method: a walk by squared distance to boxes; in a leaf, the distance to each triangle's box and plane, four at a time in
//! `f32`, dismisses most; the rest is computed in `f64` on the placed vertices. The side is the exact winding number.
//! Guarantees: ties go to the lowest triangle. `error` bounds the absolute error of `distance`: the placed vertices are
//! exact by contract, differences, the foot and the length round a handful of times each, which stays below 32 ulp of the
//! largest coordinate.
//! Cost: O(log n) for points near the surface.

use crate::algo::closest_on_triangle::closest_on_triangle;
use crate::algo::leaf_pairs::place;
use crate::inside::{Location, locate};
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::{Leaf, PointQuery, Visitor, Work, walk};
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{MeshShape, TriBlock};
use std::ops::ControlFlow;

/// The nearest point of a boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// On the boundary, in the world frame.
    pub point: Vec3,
    /// From the given point, in metres.
    pub distance: f64,
    /// Negative inside; `None` when the shape is not solid.
    pub signed_distance: Option<f64>,
    /// Whether the given point is inside or on the boundary; `None` when the shape is not solid.
    pub inside: Option<bool>,
    /// The triangle that holds `point`.
    pub primitive: u32,
    /// Bounds the absolute error of the distance, in metres.
    pub error: f64,
}

/// Finds the point of the placed mesh nearest to `point` (world frame).
pub fn closest(a: &MeshShape, pose: &Pose, point: Vec3) -> Closest {
    closest_counted(a, pose, point).0
}

/// [`closest`], with the work done.
pub fn closest_counted(a: &MeshShape, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let mut work = Work::default();
    let nearest = nearest(a, pose, point, f64::INFINITY, &mut work);
    // Without a limit there is always one; the first triangle stands in where distances overflow.
    let (primitive, foot) = nearest.unwrap_or_else(|| (0, closest_on_triangle(point, &place(a, pose, 0))));
    (finish(a, pose, point, primitive, foot, &mut work), work)
}

/// Finds the nearest point if it is not farther than `max` metres.
pub fn closest_within(a: &MeshShape, pose: &Pose, point: Vec3, max: f64) -> Option<Closest> {
    let mut work = Work::default();
    let (primitive, foot) = nearest(a, pose, point, max, &mut work)?;
    let found = finish(a, pose, point, primitive, foot, &mut work);
    (found.distance <= max).then_some(found)
}

fn finish(a: &MeshShape, pose: &Pose, point: Vec3, primitive: u32, foot: Vec3, work: &mut Work) -> Closest {
    let corners = place(a, pose, primitive);
    let largest = corners.iter().fold(point.abs().max_element(), |m, c| m.max(c.abs().max_element()));
    let error = 32.0 * f64::EPSILON * largest;
    let mut found = Closest {
        point: foot,
        distance: (foot - point).length(),
        signed_distance: None,
        inside: None,
        primitive,
        error,
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

/// The nearest triangle within `max` and its nearest point.
fn nearest(a: &MeshShape, pose: &Pose, point: Vec3, max: f64, work: &mut Work) -> Option<(u32, Vec3)> {
    let frame = a.tree().frame();
    let offset = point - pose.place(frame.centre());
    let local = pose.rotation().transpose() * offset * frame.inverse_scale();
    let world = frame.reach() + point.abs().max_element() + pose.translation().abs().max_element();
    // Placement rounds in the world; a rotation that is not quite one stretches what lies between.
    let slack = world * frame.inverse_scale() * (1.0 / (1u64 << 44) as f64)
        + 4.0 * pose.defect() * (local.abs().max_element() + frame.reach() * frame.inverse_scale());
    let far = local.abs().max_element();
    let error = (slack + (1.0 + far) * (4.0 / (1u64 << 24) as f64)) as f32;
    let mut visitor = Nearest {
        shape: a,
        pose,
        point,
        local: [local.x as f32, local.y as f32, local.z as f32],
        error,
        scale_sq: frame.inverse_scale() * frame.inverse_scale(),
        best_sq: f64::INFINITY,
        cutoff: f32::INFINITY,
        found: None,
    };
    if max < f64::INFINITY {
        visitor.set_best(max * max);
    }
    *work += walk(a.tree(), &PointQuery::new(local.to_array(), slack), &mut visitor);
    visitor.found
}

struct Nearest<'a> {
    shape: &'a MeshShape,
    pose: &'a Pose,
    point: Vec3,
    local: [f32; 3],
    error: f32,
    scale_sq: f64,
    best_sq: f64,
    cutoff: f32,
    found: Option<(u32, Vec3)>,
}

impl Nearest<'_> {
    #[inline(always)]
    fn set_best(&mut self, best_sq: f64) {
        self.best_sq = best_sq;
        // A little above, so that an equally near triangle of a lower number is still seen.
        self.cutoff = (best_sq * self.scale_sq * (1.0 + 1e-6)) as f32 + 1e-37;
    }

    #[inline(always)]
    fn consider(&mut self, triangle: u32) {
        let foot = closest_on_triangle(self.point, &place(self.shape, self.pose, triangle));
        let distance_sq = (foot - self.point).length_squared();
        let lower = self.found.is_some_and(|(best, _)| triangle < best);
        if distance_sq < self.best_sq || distance_sq == self.best_sq && (lower || self.found.is_none()) {
            self.found = Some((triangle, foot));
            self.set_best(distance_sq);
        }
    }
}

impl Visitor for Nearest<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let shape = self.shape;
        let block = &shape.blocks()[leaf.ordinal as usize];
        let bounds = distances_sq_below::<<I as LanesFor<4>>::F>(block, self.local, self.error).to_array();
        for (lane, &triangle) in shape.tree().primitives(leaf).iter().enumerate() {
            // Written so that `NaN` is considered.
            let dismissed = bounds[lane & 3] > self.cutoff;
            if !dismissed {
                self.consider(triangle);
            }
        }
        ControlFlow::Continue(())
    }
}

/// For four triangles a number that is not above the squared distance of `point`, in local units: the larger of the
/// distances to the box and to the plane. With every coordinate off by at most `error`, box gaps are taken less `error`
/// each; the height over the plane is off by at most 3·error plus its own rounding, 16u of the distances involved over the
/// sine of the triangle's corner, which the divisor bounds: needles are left to their boxes.
#[inline(always)]
fn distances_sq_below<F: Lanes<4>>(block: &TriBlock, point: [f32; 3], error: f32) -> F {
    let [a, b, c] = block.corners.each_ref().map(
        #[inline(always)]
        |corner| [F::load(&corner[0]), F::load(&corner[1]), F::load(&corner[2])],
    );
    let zero = F::splat(0.0);
    let two_errors = F::splat(error + error);
    let mut box_sq = zero;
    let (mut u, mut v, mut w) = ([zero; 3], [zero; 3], [zero; 3]);
    let mut k = 0;
    while k < 3 {
        let p = F::splat(point[k]);
        let under = a[k].min(b[k]).min(c[k]).sub(p);
        let over = p.sub(a[k].max(b[k]).max(c[k]));
        let gap = under.max(over).sub(two_errors).max(zero);
        box_sq = gap.mul(gap).add(box_sq);
        u[k] = b[k].sub(a[k]);
        v[k] = c[k].sub(a[k]);
        w[k] = p.sub(a[k]);
        k += 1;
    }
    let n =
        [u[1].mul(v[2]).sub(u[2].mul(v[1])), u[2].mul(v[0]).sub(u[0].mul(v[2])), u[0].mul(v[1]).sub(u[1].mul(v[0]))];
    let dot = |x: &[F; 3], y: &[F; 3]| x[0].mul(y[0]).add(x[1].mul(y[1])).add(x[2].mul(y[2]));
    let (uu, vv, ww, nn) = (dot(&u, &u), dot(&v, &v), dot(&w, &w), dot(&n, &n));
    let height = dot(&n, &w).abs();
    // (|n|·h)² against |n|²: only where the corner's sine is above 1/16, the edges are far above the error, and the height
    // is far above what rounding makes of it.
    let doubt_sq = ww.add(uu).add(vv).mul(F::splat(1.0 / (1u32 << 14) as f32)).mul(F::splat(1.0 / (1u32 << 14) as f32));
    let errors_sq = F::splat(error * error * 16384.0);
    let plane_sq = height.mul(height).div(nn);
    let sharp = uu.mul(vv).mul(F::splat(1.0 / 256.0)).gt(nn);
    let small = errors_sq.gt(uu.min(vv));
    let near = doubt_sq.add(errors_sq).gt(plane_sq);
    let plane_sq = sharp.or(small).or(near).select(zero, plane_sq.mul(F::splat(0.9)));
    box_sq.max(plane_sq).mul(F::splat(1.0 - 1.0 / (1u32 << 18) as f32))
}
