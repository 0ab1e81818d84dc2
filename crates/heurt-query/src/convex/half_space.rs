//! Separation of a half-space and another shape: the distance of the support point of the shape from the plane.
//!
//! Method: closed form; the plane {n · p = d} of a placed half-space has the normal R n and the offset d + R n · t. For
//! meshes and compounds, the tree is traversed by the lowest heights of its boxes.
//! Guarantees: a few ulp of the largest coordinate.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::Distance;
use crate::convex::pair::{ConvexPair, Gap};
use crate::convex::support::{PlacedCore, Support, along_axes};
use crate::mesh::walk::nearby_triangles::near_triangles;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::volume::{Query, WideAabb};
use heurt_bvh::{Aabb32, Leaf, TreeFrame, Visitor, Work, cutoff, walk};
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core, MeshShape, ShapeRef, SuperquadricShape};
use std::ops::ControlFlow;

/// A placed half-space: the outward unit normal, a point of the plane, and how far the half-space reaches beyond it.
#[derive(Debug, Clone, Copy)]
struct Plane {
    normal: Vec3,
    /// A point of the plane.
    point: Vec3,
    margin: f64,
}

impl Plane {
    /// Returns the height of a point over the plane, without the margin.
    #[inline(always)]
    fn over(&self, point: Vec3) -> f64 {
        let between = point - self.point;
        if between.is_finite() {
            return self.normal.dot(between);
        }
        // An eighth of each point is in range.
        8.0 * (self.normal.dot(point * 0.125) - self.normal.dot(self.point * 0.125))
    }

    /// Bounds the rounding error of `over`.
    #[inline(always)]
    fn rounding_at(&self, point: Vec3) -> f64 {
        rounding(point.abs().max_element() + self.point.abs().max_element() + self.margin)
    }
}

fn plane_of(shape: &Convex, pose: &Pose) -> Option<Plane> {
    let Core::HalfSpace { normal, offset } = *shape.core() else { return None };
    let (scaled, foot) = foot_of_plane(normal, offset);
    let normal = (*pose.rotation() * scaled).normalize_or_zero();
    Some(Plane { normal, point: *pose.rotation() * foot + pose.translation(), margin: shape.margin() })
}

/// Returns the scaled normal of the plane {n · p = d}, and the point of the plane nearest to the origin. A power of two
/// brings the length of the normal near 1, so that squares are in range.
pub(crate) fn foot_of_plane(normal: Vec3, offset: f64) -> (Vec3, Vec3) {
    let unit = power_of_two_scale(normal.abs().max_element());
    let scaled = normal * unit;
    (scaled, scaled * (offset * unit / scaled.length_squared()))
}

/// Returns the signed distance of two shapes of which one is a half-space (negative: depth), with `length` signed;
/// `None` for other pairs. Two half-spaces overlap without end unless they face away from each other.
#[inline(always)]
pub(crate) fn separation(pair: ConvexPair<'_>) -> Option<Gap> {
    if pair.a.is_half_space() || pair.b.is_half_space() { separation_of(pair) } else { None }
}

/// Returns a point of both shapes, if [`separation`] found an overlap.
pub(crate) fn common(pair: ConvexPair<'_>, gap: &Gap) -> Vec3 {
    match (plane_of(pair.a, pair.pose_a), plane_of(pair.b, pair.pose_b)) {
        (Some(a), Some(b)) if a.normal != -b.normal => below_both(&a, &b),
        // The lowest point of the bounded shape.
        (Some(_), None) => gap.on_b,
        _ => gap.on_a,
    }
}

/// Returns a point below two planes that intersect.
fn below_both(a: &Plane, b: &Plane) -> Vec3 {
    // Down from A to below B: against both normals if they face roughly the same direction, else within the plane of A.
    let sum = a.normal + b.normal;
    let is_alike = a.normal.dot(b.normal) >= 0.0;
    let out = if is_alike { sum * 0.5 } else { sum - a.normal * a.normal.dot(sum) };
    let over = b.over(a.point) - b.margin;
    if over <= 0.0 {
        return a.point;
    }
    // The nearer the planes are to facing away from each other, the shorter is `out`.
    let unit = power_of_two_scale(out.abs().max_element());
    let out = out * unit;
    let point = a.point - out / out.length_squared() * (over * unit).min(f64::MAX);
    // The intersection may be beyond the range of numbers.
    point.clamp(Vec3::splat(-f64::MAX), Vec3::splat(f64::MAX))
}

/// Bounds the rounding error of heights over a plane, for the given largest coordinate.
fn rounding(largest: f64) -> f64 {
    8.0 * (f64::EPSILON * largest + f64::from_bits(1))
}

fn separation_of(pair: ConvexPair<'_>) -> Option<Gap> {
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

/// Returns the gap from a plane to the lowest point of a bounded shape.
fn above(plane: &Plane, shape: &Convex, pose: &Pose) -> Gap {
    let core = PlacedCore::new(shape, pose, 1.0).expect("the other one is the half-space");
    to_lowest(
        plane,
        core.support(-plane.normal).point,
        shape.margin(),
        2.0 * shape.core().max_coordinate() + pose.max_translation(),
    )
}

/// Returns the gap from a plane to a shape, by the lowest point of its core and its margin.
fn to_lowest(plane: &Plane, lowest: Vec3, margin: f64, reach: f64) -> Gap {
    let height = plane.over(lowest);
    let length = height - plane.margin - margin;
    let on_b = lowest - plane.normal * margin;
    let on_a = lowest - plane.normal * (height - plane.margin);
    let error = rounding(reach + plane.point.abs().max_element() + plane.margin + margin);
    Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b }
}

/// Returns the gap from a half-space (A) to a superquadric (B), as [`separation`]; `None` if A is no half-space.
pub(crate) fn under(half_space: &Convex, pose: &Pose, shape: &SuperquadricShape, at: &Pose) -> Option<Gap> {
    let plane = plane_of(half_space, pose)?;
    let lowest = at.place(shape.surface().support(along_axes(at, -plane.normal)));
    Some(to_lowest(
        &plane,
        lowest,
        shape.margin(),
        2.0 * ShapeRef::Superquadric(shape).max_coordinate() + at.max_translation(),
    ))
}

fn planes(a: &Plane, b: &Plane) -> Gap {
    let largest = a.point.abs().max_element() + b.point.abs().max_element() + a.margin + b.margin;
    let error = rounding(largest);
    let between = a.over(b.point) - a.margin - b.margin;
    let on_a = a.point + a.normal * a.margin;
    // Planes that are not parallel to the last bit intersect.
    let is_facing_away = a.normal == -b.normal;
    let length = if is_facing_away { between } else { f64::NEG_INFINITY };
    Gap { length, at_least: length - error, error, normal: a.normal, on_a, on_b: on_a + a.normal * between }
}

/// The lowest vertex of a mesh over a half-space, with signed `length`, and a triangle that has the vertex.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowest {
    pub gap: Gap,
    pub triangle: u32,
}

/// Finds the gap from a half-space (A) to the lowest vertex of a mesh (B), within the budget. The first triangle counts
/// among equally low vertices.
pub(crate) fn below(
    half_space: &Convex,
    pose: &Pose,
    mesh: &MeshShape,
    pose_mesh: &Pose,
    meter: &WorkMeter<'_>,
) -> Budgeted<Lowest, DistanceBounds> {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let tree = mesh.tree();
    let heights = HullHeights::over_plane(&plane, pose, tree.frame(), pose_mesh);
    let place = pose_mesh.place(mesh.mesh().corners(0)[0]);
    let mut search = Descent {
        mesh,
        pose: pose_mesh,
        plane: &plane,
        heights: &heights,
        lowest: (plane.over(place), 0, place),
        least: f64::INFINITY,
        meter,
        left: f64::INFINITY,
    };
    meter.add(walk(tree, &heights, &mut search));
    let (height, triangle, on_b) = search.lowest;
    let error = plane.rounding_at(on_b).max(height - search.least);
    let on_a = on_b - plane.normal * (height - plane.margin);
    let length = height - plane.margin;
    if meter.was_interrupted() {
        let at_least = (height.min(search.left) - plane.margin - error).max(0.0);
        return Budgeted::Partial(DistanceBounds { at_least, at_most: (length + error).max(0.0) });
    }
    let gap = Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b };
    Budgeted::Complete(Lowest { gap, triangle })
}

/// A visitor that searches for the lowest vertex.
struct Descent<'a> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    plane: &'a Plane,
    heights: &'a HullHeights,
    lowest: (f64, u32, Vec3),
    /// Lower bound of the heights of the tested vertices: a vertex that is reported to be higher may be less exact.
    least: f64,
    meter: &'a WorkMeter<'a>,
    /// Lower bound of the heights of the vertices that were not tested.
    left: f64,
}

impl Visitor for Descent<'_> {
    fn cutoff(&self) -> f32 {
        self.heights.cutoff(self.lowest.0)
    }

    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        !self.meter.is_exhausted_after(done)
    }

    fn on_interrupted(&mut self, bound: f32) {
        self.left = self.heights.at_least(bound);
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.mesh.tree().primitives(leaf) {
            for corner in self.mesh.mesh().corners(triangle) {
                let place = self.pose.place(corner);
                let height = self.plane.over(place);
                let (lowest, first, _) = self.lowest;
                self.least = self.least.min(height - self.plane.rounding_at(place));
                if height < lowest || height == lowest && triangle < first {
                    self.lowest = (height, triangle, place);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Tests whether a mesh (B) has a vertex in a half-space (A), with the work done; the first vertex found ends the
/// traversal.
pub(crate) fn reaches_into(half_space: &Convex, pose: &Pose, mesh: &MeshShape, pose_mesh: &Pose) -> (bool, Work) {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let heights = HullHeights::over_plane(&plane, pose, mesh.tree().frame(), pose_mesh);
    let cutoff = heights.cutoff(plane.margin);
    let mut search = FirstBelow { mesh, pose: pose_mesh, plane: &plane, cutoff, is_found: false };
    let work = walk(mesh.tree(), &heights, &mut search);
    (search.is_found, work)
}

/// A visitor that searches for any vertex in a half-space.
struct FirstBelow<'a> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    plane: &'a Plane,
    cutoff: f32,
    is_found: bool,
}

impl Visitor for FirstBelow<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let triangles = self.mesh.tree().primitives(leaf).iter();
        let mut corners = triangles.flat_map(|&triangle| self.mesh.mesh().corners(triangle));
        self.is_found = corners.any(|corner| self.plane.over(self.pose.place(corner)) - self.plane.margin <= 0.0);
        if self.is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Lists the triangles of a mesh (B) whose boxes come as near to a half-space (A) as `reach` metres, ascending, within
/// the budget.
pub(crate) fn triangles_near(
    half_space: &Convex,
    pose: &Pose,
    mesh: &MeshShape,
    pose_mesh: &Pose,
    reach: f64,
    meter: &WorkMeter<'_>,
) -> Vec<u32> {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let heights = HullHeights::over_plane(&plane, pose, mesh.tree().frame(), pose_mesh);
    let cutoff = heights.cutoff(reach + plane.margin);
    let mut found = near_triangles(mesh, &heights, cutoff, usize::MAX, meter);
    found.sort_unstable();
    found
}

/// Heights of the boxes of a placed tree over a plane, in units of the tree.
pub(crate) struct HullHeights {
    /// The normal along the axes of the tree.
    along: [f32; 3],
    /// Height of the centre of the tree over the plane; `slack` bounds its rounding error; both in metres.
    base: f64,
    slack: f64,
    /// Units in a metre.
    unit: f64,
    /// Margin of the half-space beyond the plane, in metres.
    pub margin: f64,
}

impl HullHeights {
    /// Builds the heights over the plane of a half-space; returns `None` for other shapes.
    pub(crate) fn over(half_space: &Convex, pose: &Pose, frame: &TreeFrame, pose_tree: &Pose) -> Option<Self> {
        Some(Self::over_plane(&plane_of(half_space, pose)?, pose, frame, pose_tree))
    }

    fn over_plane(plane: &Plane, pose: &Pose, frame: &TreeFrame, pose_tree: &Pose) -> Self {
        let largest = frame.max_coordinate()
            + pose_tree.max_translation()
            + pose.max_translation()
            + plane.point.abs().max_element();
        Self {
            along: along_axes(pose_tree, plane.normal).as_vec3().to_array(),
            base: plane.over(pose_tree.place(frame.centre())),
            slack: largest * ((1.0 / (1u64 << 42) as f64) + 8.0 * pose_tree.defect()),
            unit: frame.inverse_scale(),
            margin: plane.margin,
        }
    }

    /// Returns a cutoff a little above a height over the plane.
    pub(crate) fn cutoff(&self, height: f64) -> f32 {
        cutoff::signed(height - self.base + self.slack, self.unit)
    }

    /// Returns a height over the plane a little below the height of a bound.
    pub(crate) fn at_least(&self, bound: f32) -> f64 {
        let local = f64::from(bound);
        (local - local.abs() * 2e-6 - 2e-37) / self.unit + self.base - self.slack
    }
}

/// Rounding error of conversion, products and sums, as a share of the sum of all magnitudes.
const SUMMED: f32 = 1.0 / (1u32 << 20) as f32;

impl Query<Aabb32> for HullHeights {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, volumes: &WideAabb<W>) -> I::F {
        let (mut height, mut summed) = (I::F::splat(0.0), I::F::splat(0.0));
        let mut k = 0;
        while k < 3 {
            let along = I::F::splat(self.along[k]);
            let (min, max) = (I::F::load(&volumes.min[k]), I::F::load(&volumes.max[k]));
            let lowest = if self.along[k] < 0.0 { max } else { min };
            height = height.add(lowest.mul(along));
            summed = summed.add(lowest.mul(along).abs());
            k += 1;
        }
        height.sub(summed.mul(I::F::splat(SUMMED)))
    }
}

/// Returns the height of a point over a half-space (negative: inside), and the outward normal.
pub(crate) fn height_over(half_space: &Convex, pose: &Pose, point: Vec3) -> (f64, Vec3) {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    (plane.over(point) - plane.margin, plane.normal)
}

impl Distance {
    /// Builds the distance of a shape and a half-space (B), for a gap that is given from the half-space.
    pub(crate) fn over_half_space(gap: &Gap, primitives: Option<[u32; 2]>) -> Self {
        match gap.length > 0.0 {
            true => Self {
                distance: gap.length,
                point_a: gap.on_b,
                point_b: gap.on_a,
                normal: Some(-gap.normal),
                primitives,
                error: gap.error,
            },
            false => Self::common_within(gap.length + gap.error, gap.on_b, primitives),
        }
    }
}
