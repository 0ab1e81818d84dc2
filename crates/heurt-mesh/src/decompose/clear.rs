//! Clearance test of a flat convex polygon against the surface of a solid: separating axes against triangles of a tree.
//!
//! In: the solid and the corners of a polygon. Out: the polygon is clear, or a plane along which to cut it, or too many
//! triangles meet it.
//! Method: the triangles whose boxes meet the polygon's box are tested with the separating axis theorem: normals, edge
//! normals in the planes, cross products of edges. If few triangles meet the polygon, the plane of one of them, or a
//! side of one in the plane of the polygon, divides it: both halves then meet that triangle at most in their border.
//! Guarantees: `Clear` only if an axis separates every triangle from the polygon by more than [`GAP`].
//! Cost: O(log n) and O(corners) for each triangle near the polygon.

use std::ops::ControlFlow;

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Leaf, Visitor, walk};
use heurt_geometry::{Aabb, Triangle, Vec3};

use super::solid::Solid;

/// Least gap of a separating axis, in a frame of coordinates up to 1: some roundings.
const GAP: f64 = 1.0 / (1u64 << 46) as f64;
/// Limit of triangles along which a polygon is cut: for more, halving ends earlier.
const FEW: usize = 8;

/// The result of the clearance test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clearance {
    /// No triangle meets the polygon.
    Clear,
    /// Triangles meet it: the plane with this normal and offset divides the polygon.
    Cut(Vec3, f64),
    /// Many triangles meet it, or their planes do not divide it.
    Blocked,
}

/// Tests a polygon; cuts into halves narrower than `least` are not proposed.
pub(super) fn clearance(solid: &Solid, corners: &[Vec3], least: f64) -> Clearance {
    let bounds = Aabb::from_points(corners.iter().copied());
    let mut visitor = Meeting { solid, corners, bounds, found: Vec::new() };
    walk(&solid.tree, &Aabb32::in_frame(solid.tree.frame(), &bounds), &mut visitor);
    let found = visitor.found;
    match found.len() {
        0 => Clearance::Clear,
        1..=FEW => {
            let planes = found.iter().flat_map(|&triangle| planes(&solid.corners(triangle), corners));
            let dividing = planes.filter_map(|plane| Some((narrower(plane, corners, least)?, plane)));
            let best = dividing.max_by(|a, b| a.0.total_cmp(&b.0));
            best.map_or(Clearance::Blocked, |(_, (normal, offset))| Clearance::Cut(normal, offset))
        }
        _ => Clearance::Blocked,
    }
}

/// Collects the triangles that no axis separates from a polygon, at most `FEW` + 1.
struct Meeting<'a> {
    solid: &'a Solid<'a>,
    corners: &'a [Vec3],
    bounds: Aabb,
    found: Vec<u32>,
}

impl Visitor for Meeting<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &number in self.solid.tree.primitives(leaf) {
            let triangle = self.solid.corners(number);
            if Aabb::from_points(triangle).overlaps(&self.bounds) && !are_separated(self.corners, &triangle) {
                self.found.push(number);
                if self.found.len() > FEW {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Reports whether one of the axes of a polygon and a triangle separates them.
fn are_separated(polygon: &[Vec3], triangle: &Triangle) -> bool {
    let sides = |corners: &[Vec3]| -> Vec<Vec3> {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(&from, &to)| (to - from).normalize_or_zero()).collect()
    };
    let (ours, theirs) = (sides(polygon), sides(triangle));
    let normals = [normal_of(polygon), normal_of(triangle)];
    let in_planes = normals.iter().zip([&ours, &theirs]).flat_map(|(n, sides)| sides.iter().map(|side| n.cross(*side)));
    let crossed = ours.iter().flat_map(|one| theirs.iter().map(|other| one.cross(*other)));
    normals.into_iter().chain(in_planes).chain(crossed).any(|axis| separates(axis, polygon, triangle))
}

fn separates(axis: Vec3, polygon: &[Vec3], triangle: &Triangle) -> bool {
    // The heights along a short axis are rounding errors.
    let Some(axis) = (if axis.length_squared() > 1e-12 { axis.try_normalize() } else { None }) else { return false };
    let span = |corners: &[Vec3]| {
        let heights = corners.iter().map(|corner| axis.dot(*corner));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (f64::min(low, h), f64::max(high, h)))
    };
    let (ours, theirs) = (span(polygon), span(triangle));
    ours.0 > theirs.1 + GAP || theirs.0 > ours.1 + GAP
}

/// Computes the unit normal of a convex polygon: the sum over its triangles; 0 if it has no area.
fn normal_of(corners: &[Vec3]) -> Vec3 {
    let fan = corners.windows(2).map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0]));
    fan.fold(Vec3::ZERO, |sum, normal| sum + normal).normalize_or_zero()
}

/// Returns the plane of a triangle, and the planes through its sides perpendicular to it.
fn planes(triangle: &Triangle, polygon: &[Vec3]) -> Vec<(Vec3, f64)> {
    let normal = normal_of(triangle);
    // A triangle in the plane of the polygon divides it along its sides only.
    let is_in_plane = normal.dot(normal_of(polygon)).abs() > 1.0 - 1e-9;
    let [a, b, c] = *triangle;
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| ((to - from).cross(normal).normalize_or_zero(), from));
    let all = [(normal, a), sides[0], sides[1], sides[2]];
    let chosen = if is_in_plane { &all[1..] } else { &all[..1] };
    chosen.iter().map(|&(normal, point)| (normal, normal.dot(point))).collect()
}

/// Computes the width of the narrower half across a plane; `None` if it is less than `least`.
fn narrower((normal, offset): (Vec3, f64), corners: &[Vec3], least: f64) -> Option<f64> {
    let heights = corners.iter().map(|corner| normal.dot(*corner) - offset);
    let (low, high) = heights.fold((0.0, 0.0), |(low, high), h| (f64::min(low, h), f64::max(high, h)));
    let width = f64::min(-low, high);
    (width > least).then_some(width)
}
