//! Point in closed mesh: signed crossings of a ray, counted exactly.
//!
//! In: a placed mesh and a world point. Out: on the boundary, or the winding number of the surface around the point. A
//! winding number other than 0 means inside; the parity of S0 §4.3 is the parity of the same crossings.
//! Method: S0 §4.3 shoots random rays and discards rays that meet an edge or a corner. Here the ray runs along +x and
//! is moved by (ε², ε) in y and z with ε → 0. Seen along x, edges through the point fall to one side by a fixed rule,
//! so every ray is generic and none is discarded. Dropping x rounds nothing, so the signs are exact on the placed `f64`
//! vertices. A mesh of `Solidity::Winding` is located by its generalised winding number instead (`fast_winding`): 1 if
//! that is at least ½ in magnitude, else 0, which is not exact.
//! Cost: O(log n) walks over the boxes along the ray.

pub use crate::answer::closest::Location;
use crate::mesh::fast_winding::is_wound_half;
use crate::mesh::walk::local_ray::local_ray;
use crate::mesh::walk::pair_walk::place;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, Visitor, Work, walk};
use heurt_geometry::{Aabb, Pose, Sign, Triangle, Vec2, Vec3, orient2d, orient3d, point_on_triangle};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Returns where `point` (world frame, finite) lies with respect to the placed mesh. Exact and meaningful for closed
/// meshes; meshes of `Solidity::Winding` have a winding of 1 where the generalised one is at least ½ in magnitude.
pub fn winding_number(a: &MeshShape, pose: &Pose, point: Vec3) -> Location {
    locate(a, pose, point, &mut Work::default())
}

/// [`winding_number`], adding to `work`.
pub(crate) fn locate(a: &MeshShape, pose: &Pose, point: Vec3, work: &mut Work) -> Location {
    if !box_may_hold(a, pose, point) {
        return Location::Winding(0);
    }
    let Some(ray) = local_ray(a.tree().frame(), pose, point, Vec3::X, f64::INFINITY, 0.0) else {
        return Location::Winding(0);
    };
    let mut crossings = WindingCrossings { shape: a, pose, point, winding: 0, boundary: None };
    *work += walk(a.tree(), &ray.query, &mut crossings);
    match crossings.boundary {
        Some(triangle) => Location::Boundary { triangle },
        None if a.is_exact() => Location::Winding(crossings.winding),
        None => Location::Winding(i32::from(is_wound_half(a, pose, point, work))),
    }
}

/// Reports whether the box of the mesh may contain a world point; false only if it provably does not.
#[inline(always)]
fn box_may_hold(shape: &MeshShape, pose: &Pose, point: Vec3) -> bool {
    let bounds = shape.bounds();
    let local = pose.rotation().transpose() * (point - pose.translation());
    let reach = shape.tree().frame().max_coordinate();
    let world = reach + point.abs().max_element() + pose.translation().abs().max_element();
    // The slack covers rounding here and in the placement; the transpose of a rotation that deviates from
    // orthonormality is off by its defect.
    let slack =
        Vec3::splat(world * (1.0 / (1u64 << 44) as f64) + 4.0 * pose.defect() * (reach + local.abs().max_element()));
    Aabb { min: bounds.min - slack, max: bounds.max + slack }.contains(local)
}

struct WindingCrossings<'a> {
    shape: &'a MeshShape,
    pose: &'a Pose,
    point: Vec3,
    winding: i32,
    boundary: Option<u32>,
}

impl Visitor for WindingCrossings<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        f32::MAX
    }

    #[inline(always)]
    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.shape.tree().primitives(leaf) {
            let placed = place(self.shape, self.pose, triangle);
            match crossing(self.point, &placed) {
                Crossing::None => {}
                Crossing::Through(sign) => self.winding += sign,
                Crossing::At => {
                    self.boundary = Some(self.boundary.map_or(triangle, |lowest| lowest.min(triangle)));
                }
            }
        }
        ControlFlow::Continue(())
    }
}

enum Crossing {
    None,
    /// +1 when the ray leaves through the triangle, −1 when it enters.
    Through(i32),
    /// The point is on the triangle.
    At,
}

/// Classifies how the perturbed ray from `p` along +x meets the triangle.
fn crossing(p: Vec3, t: &Triangle) -> Crossing {
    let behind = t.iter().all(|c| c.x < p.x);
    let aside = |k: usize| t.iter().all(|c| c[k] < p[k]) || t.iter().all(|c| c[k] > p[k]);
    if behind || aside(1) || aside(2) {
        return Crossing::None;
    }
    if point_on_triangle(p, t) {
        return Crossing::At;
    }
    let seen = |c: Vec3| Vec2::new(c.y, c.z);
    let turn = winding_of_shadow(seen(p), &t.map(seen));
    if turn == 0 {
        return Crossing::None;
    }
    // The shadow contains the ray, so the triangle is not parallel to it: it lies ahead if the point is on its inner
    // side as seen along the ray. Zero is impossible here: the point would be on the triangle, or on its plane next to
    // it.
    let ahead = match orient3d(t[0], t[1], t[2], p) {
        Sign::Negative => turn > 0,
        Sign::Positive => turn < 0,
        Sign::Zero => false,
    };
    if ahead { Crossing::Through(turn) } else { Crossing::None }
}

/// Counts how often the shadow of a triangle winds around the point moved by (ε², ε): 1 counter-clockwise, −1
/// clockwise, else 0. An edge counts if it passes the height of the moved point, upward edges on its right as +1.
pub(crate) fn winding_of_shadow(p: Vec2, t: &[Vec2; 3]) -> i32 {
    let mut winding = 0;
    for k in 0..3 {
        let (a, b) = (t[k], t[(k + 1) % 3]);
        // The point is moved up by ε, so corners at its height are below.
        let (a_above, b_above) = (a.y > p.y, b.y > p.y);
        if a_above == b_above {
            continue;
        }
        let (low, high) = if b_above { (a, b) } else { (b, a) };
        let left_of_edge = match orient2d(low, high, p) {
            Sign::Positive => true,
            Sign::Negative => false,
            // On the line: moving up by ε dominates moving right by ε²; an edge leaning right leaves the point on its
            // left.
            Sign::Zero => high.x > low.x,
        };
        if left_of_edge {
            winding += if b_above { 1 } else { -1 };
        }
    }
    winding
}
