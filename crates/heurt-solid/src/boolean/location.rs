//! The side of a second solid on which a piece of a surface lies.
//!
//! In: a triangle of a piece that does not cross the surface of the solid. Out: whether the piece lies inside.
//! Method: in this order, until one decides: 1. the winding number at a vertex off the surface; 2. the winding
//! number at the rounded centroid of a triangle, if the surface is farther than the rounding; 3. the winding number
//! at the exact centroid: the crossings of a ray along x, each decided by signs of exact areas, where the ray is
//! moved aside by less than any number.
//! Guarantees: exact. Cost: O(log n) for 1 and 2, O(n) for 3.

use super::exact_point::{ExactPoint, Lattice, compare, orient};
use super::nodes::{FaceNodes, NodeId, Nodes};
use super::solid_mesh::SolidMesh;
use crate::exact_number::{cross, dot, minus, sign_of};
use heurt_geometry::{Pose, Sign, Vec3};
use heurt_query::{Location, closest, winding_number};

/// Reports whether a point, which need not be off the surface, lies inside; `None` on the surface.
pub(super) fn is_vertex_inside(solid: &SolidMesh, point: Vec3) -> Option<bool> {
    if !solid.bounds().contains(point) {
        return Some(false);
    }
    match winding_number(solid.shape(), &Pose::IDENTITY, point) {
        Location::Winding(number) => Some(number != 0),
        Location::Boundary { .. } => None,
    }
}

/// Reports whether the centroid of a triangle off the surface lies inside.
pub(super) fn is_triangle_inside(nodes: &Nodes<'_>, solid: &SolidMesh, triangle: [NodeId; 3]) -> bool {
    let places = triangle.map(|node| nodes.place(node));
    let centroid = places[0] / 3.0 + places[1] / 3.0 + places[2] / 3.0;
    let largest = places.iter().fold(0.0, |most: f64, place| most.max(place.abs().max_element()));
    // The rounding of a coordinate of the centroid is below 4 ulp of the largest one.
    let rounding = 16.0 * f64::EPSILON * largest + 1e-300;
    let bounds = solid.bounds();
    if centroid.cmplt(bounds.min - rounding).any() || centroid.cmpgt(bounds.max + rounding).any() {
        return false;
    }
    let near = closest(solid.shape(), &Pose::IDENTITY, centroid);
    // The distance itself is rounded, too.
    if near.distance > 4.0 * rounding
        && let Some(inside) = is_vertex_inside(solid, centroid)
    {
        return inside;
    }
    let exact = triangle.map(|node| nodes.exact(node));
    winding_at(nodes.lattice, solid, &Lattice::centroid([&exact[0], &exact[1], &exact[2]])) != 0
}

/// The winding number of a solid around a point off its surface: crossings of the ray along x, upward in sign.
fn winding_at(lattice: Lattice, solid: &SolidMesh, point: &ExactPoint) -> i32 {
    let near = lattice.round(point);
    let may_cross = |face: &u32| {
        let corners = solid.triangle(*face);
        let (min, max) = corners.iter().fold((corners[0], corners[0]), |(min, max), p| (min.min(*p), max.max(*p)));
        // The rounded point is the nearest number: a coordinate beyond it is beyond the exact one or equal to it.
        !(max.x < near.x || max.y < near.y || max.z < near.z || min.y > near.y || min.z > near.z)
    };
    let faces: Vec<u32> = (0..solid.mesh().triangles().len() as u32).filter(may_cross).collect();
    let fine = lattice.finer(Lattice::of(faces.iter().flat_map(|face| solid.triangle(*face))));
    let point = lattice.refine(point, fine);
    faces.into_iter().map(|face| crossing(fine, solid, face, &point)).sum()
}

/// 1 or −1 if the ray from the point along x crosses the triangle, against or along its normal; else 0.
fn crossing(lattice: Lattice, solid: &SolidMesh, face: u32, point: &ExactPoint) -> i32 {
    let corners = solid.corners(face);
    let exact = corners.map(|vertex| lattice.point(solid.vertex(vertex)));
    crossing_along(0, corners, &exact, point)
}

/// 1 or −1 if the ray from the point along an axis crosses the triangle of these corners, against or along its normal;
/// 0 if it does not, or if the point lies in the plane of the triangle. The numbers of the corners decide for both
/// triangles at an edge alike.
pub(super) fn crossing_along(axis: usize, corners: [u32; 3], exact: &[ExactPoint; 3], point: &ExactPoint) -> i32 {
    let across = [(axis + 1) % 3, (axis + 2) % 3];
    let area = orient([&exact[0], &exact[1], &exact[2]], across);
    if area.is_zero() {
        return 0;
    }
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        // The same sign for both triangles at the edge: from the lower vertex to the upper one.
        let is_turned = corners[i] > corners[j];
        let [low, high] = if is_turned { [&exact[j], &exact[i]] } else { [&exact[i], &exact[j]] };
        let side = side_of_moved(point, low, high, across);
        let side = if is_turned { side.flipped() } else { side };
        if side != area {
            return 0;
        }
    }
    // The ray meets the plane ahead of the point if the point lies on the side that the axis leads away from.
    let side = side_of_plane(exact, point);
    match (area, side) {
        (Sign::Positive, Sign::Negative) => 1,
        (Sign::Negative, Sign::Positive) => -1,
        _ => 0,
    }
}

/// The side of a line in the plane of two axes on which a point lies that is moved by ε along the first and by ε² along
/// the second.
fn side_of_moved(point: &ExactPoint, low: &ExactPoint, high: &ExactPoint, [u, v]: [usize; 2]) -> Sign {
    let side = orient([low, high, point], [u, v]);
    if !side.is_zero() {
        return side;
    }
    // The derivative of the area by u is −(high.v − low.v), by v it is high.u − low.u.
    let rise = |axis: usize| compare(high, low, axis);
    let by_u = rise(v).flipped();
    if by_u.is_zero() { rise(u) } else { by_u }
}

/// The sign of (point − a) · ((b − a) × (c − a)).
fn side_of_plane([a, b, c]: &[ExactPoint; 3], point: &ExactPoint) -> Sign {
    let (u, v) = (minus(&b.place, &a.place), minus(&c.place, &a.place));
    let normal = cross(u.each_ref(), v.each_ref());
    let offset = minus(&point.place, &a.place.each_ref().map(|x| x * &point.w));
    sign_of(&dot(&normal, &offset))
}
