//! A half-space and a convex shape: how far the farthest point of the shape is from the plane.
//!
//! Method: closed form; the plane {n · p = d} of a placed half-space has the normal R n and the offset d + R n · t.
//! Guarantees: a few ulp of the largest coordinate.

use super::convex_pair::{ConvexPair, Gap};
use super::placed_convex::{PlacedCore, Support};
use heurt_geometry::{Pose, Vec3, units_in_a_metre};
use heurt_shape::{Convex, Core, MeshShape};

/// A placed half-space: the outward unit normal, a point of the plane, and how far the half-space reaches beyond it.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: Vec3,
    /// A point of the plane.
    point: Vec3,
    margin: f64,
}

impl Plane {
    /// How far a point is beyond the plane, the margin left out.
    #[inline(always)]
    fn over(&self, point: Vec3) -> f64 {
        let between = point - self.point;
        if between.is_finite() {
            return self.normal.dot(between);
        }
        // An eighth of each is in range.
        8.0 * (self.normal.dot(point * 0.125) - self.normal.dot(self.point * 0.125))
    }
}

fn plane_of(shape: &Convex, pose: &Pose) -> Option<Plane> {
    let Core::HalfSpace { normal, offset } = *shape.core() else { return None };
    // Lengths far from 1 are brought near it first.
    let unit = units_in_a_metre(normal.abs().max_element());
    let scaled = normal * unit;
    let length_sq = scaled.length_squared();
    let foot = scaled * (offset * unit / length_sq);
    let normal = (*pose.rotation() * scaled).normalize_or_zero();
    Some(Plane { normal, point: *pose.rotation() * foot + pose.translation(), margin: shape.margin() })
}

/// The signed distance of two shapes of which one is a half-space (negative: depth), with `length` signed; `None` for others.
/// Two half-spaces overlap without end unless they face away from each other.
pub(crate) fn separation(pair: ConvexPair<'_>) -> Option<Gap> {
    match (plane_of(pair.a, pair.pose_a), plane_of(pair.b, pair.pose_b)) {
        (None, None) => None,
        (Some(plane), None) => Some(above(&plane, pair.b, pair.pose_b)),
        (None, Some(plane)) => {
            let gap = above(&plane, pair.a, pair.pose_a);
            Some(Gap { normal: -gap.normal, on_a: gap.on_b, on_b: gap.on_a, ..gap })
        }
        (Some(a), Some(b)) => Some(planes(&a, &b)),
    }
}

/// From a plane to the lowest point of a bounded shape.
fn above(plane: &Plane, shape: &Convex, pose: &Pose) -> Gap {
    let core = PlacedCore::new(shape, pose, 1.0).expect("the other one is the half-space");
    let lowest = core.support(-plane.normal).point;
    let height = plane.over(lowest);
    let length = height - plane.margin - shape.margin();
    let on_b = lowest - plane.normal * shape.margin();
    let on_a = lowest - plane.normal * (height - plane.margin);
    let largest =
        2.0 * shape.core().reach() + pose.span() + plane.point.abs().max_element() + plane.margin + shape.margin();
    let error = 8.0 * f64::EPSILON * largest;
    Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b }
}

fn planes(a: &Plane, b: &Plane) -> Gap {
    let largest = a.point.abs().max_element() + b.point.abs().max_element() + a.margin + b.margin;
    let error = 8.0 * f64::EPSILON * largest;
    let between = a.over(b.point) - a.margin - b.margin;
    let on_a = a.point + a.normal * a.margin;
    // Planes that are not parallel to the last bit meet somewhere.
    let is_facing_away = a.normal == -b.normal;
    let length = if is_facing_away { between } else { f64::NEG_INFINITY };
    Gap { length, at_least: length - error, error, normal: a.normal, on_a, on_b: on_a + a.normal * between }
}

/// The lowest vertex of a mesh over a half-space: what `length` is signed for, with a triangle that has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowest {
    pub gap: Gap,
    pub triangle: u32,
}

/// From a half-space (A) to the lowest vertex of a mesh (B).
pub(crate) fn below(half_space: &Convex, pose: &Pose, mesh: &MeshShape, pose_mesh: &Pose) -> Lowest {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let height = |vertex: u32| {
        let place = pose_mesh.place(mesh.mesh().vertices()[vertex as usize]);
        (plane.over(place), place)
    };
    let mut lowest = (0, height(mesh.mesh().triangles()[0][0]));
    for (triangle, corners) in (0u32..).zip(mesh.mesh().triangles()) {
        for &corner in corners {
            let here = height(corner);
            if here.0 < lowest.1.0 {
                lowest = (triangle, here);
            }
        }
    }
    let (triangle, (height, on_b)) = lowest;
    let largest = on_b.abs().max_element() + plane.point.abs().max_element() + plane.margin;
    let error = 8.0 * f64::EPSILON * largest;
    let on_a = on_b - plane.normal * (height - plane.margin);
    let length = height - plane.margin;
    Lowest { gap: Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b }, triangle }
}

/// How far a point is from a half-space (negative: inside), and which way is out.
pub(crate) fn height_over(half_space: &Convex, pose: &Pose, point: Vec3) -> (f64, Vec3) {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    (plane.over(point) - plane.margin, plane.normal)
}
