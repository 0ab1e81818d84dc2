//! Winding numbers on both sides of a triangle, by the triangles that a line along an axis meets.
//!
//! In: a mesh in its own frame, a triangle, a point inside its projection along an axis. Out: [`Sides`].
//! Method: the line through the point, moved by an infinitesimal as in `mesh/winding`, meets each triangle whose
//! projection winds around the point. Triangles beyond the given triangle contribute to the winding number of the space
//! in front of it. Triangles at the same height, which are coplanar, add their turns: the winding behind less the
//! winding in front is the signed number of coincident triangles.
//! Guarantees: exact on the `f64` vertices. [`None`] if a triangle that is not coplanar is met at the same height: the
//! point is then on a section, and another point is needed.
//! Cost: O(log n) for the walk, and a comparison of heights for each triangle on the line.

use super::exact::compare_heights;
use crate::mesh::walk::local_ray::local_ray;
use crate::mesh::winding::winding_of_shadow;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, Visitor, walk};
use heurt_geometry::{Pose, Triangle, Vec2, Vec3, orient3d};
use heurt_shape::MeshShape;
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// The winding numbers on both sides of a triangle at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sides {
    /// The winding number on the side to which the normal points.
    pub front: i32,
    pub back: i32,
    /// Whether no triangle of a lower number is at the same place.
    pub is_lowest: bool,
}

/// Returns a point with its coordinates in cyclic order, `axis` last.
#[inline(always)]
pub(crate) fn seen_along(axis: usize, point: Vec3) -> Vec3 {
    Vec3::new(point[(axis + 1) % 3], point[(axis + 2) % 3], point[axis])
}

/// Finds the winding numbers on both sides of `triangle` at its intersection with the line along `axis` through `at`.
/// Returns `None` if that point is on a section or not on the triangle. `unit` brings the coordinates of the triangle
/// near 1.
pub(crate) fn sides_at(shape: &MeshShape, triangle: u32, axis: usize, at: Vec2, unit: f64) -> Option<Sides> {
    let bounds = shape.bounds();
    let below = bounds.min[axis] - bounds.half_extents().max_element();
    let mut origin = Vec3::ZERO;
    (origin[(axis + 1) % 3], origin[(axis + 2) % 3], origin[axis]) = (at.x, at.y, below);
    let ray = local_ray(shape.tree().frame(), &Pose::IDENTITY, origin, Vec3::AXES[axis], f64::INFINITY, 0.0)?;
    let mut met = Met { shape, axis, at, found: Vec::new() };
    walk(shape.tree(), &ray.query, &mut met);
    let seen = |triangle: u32| shape.mesh().corners(triangle).map(|corner| seen_along(axis, corner));
    let own = seen(triangle);
    let (mut beyond, mut coincident, mut turn, mut is_lowest) = (0, 0, 0, true);
    for (other, sign) in met.found {
        if other == triangle {
            turn = sign;
            coincident += sign;
            continue;
        }
        match compare_heights(&seen(other), &own, at, unit) {
            Ordering::Less => {}
            Ordering::Greater => beyond += sign,
            Ordering::Equal if is_coplanar(shape, triangle, other) => {
                coincident += sign;
                is_lowest &= triangle < other;
            }
            Ordering::Equal => return None,
        }
    }
    // Along the axis, the winding number falls by one where the line leaves through a triangle.
    let (before, after) = (beyond + coincident, beyond);
    match turn {
        0 => None,
        1.. => Some(Sides { front: after, back: before, is_lowest }),
        _ => Some(Sides { front: before, back: after, is_lowest }),
    }
}

fn is_coplanar(shape: &MeshShape, triangle: u32, other: u32) -> bool {
    let [a, b, c] = shape.mesh().corners(triangle);
    shape.mesh().corners(other).iter().all(|&corner| orient3d(a, b, c, corner).is_zero())
}

/// Collects the triangles that a line meets, with the signs of their turns around it.
struct Met<'a> {
    shape: &'a MeshShape,
    axis: usize,
    at: Vec2,
    found: Vec<(u32, i32)>,
}

impl Visitor for Met<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        f32::MAX
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.shape.tree().primitives(leaf) {
            let seen: Triangle = self.shape.mesh().corners(triangle).map(|corner| seen_along(self.axis, corner));
            let turn = winding_of_shadow(self.at, &seen.map(|corner| Vec2::new(corner.x, corner.y)));
            if turn != 0 {
                self.found.push((triangle, turn));
            }
        }
        ControlFlow::Continue(())
    }
}
