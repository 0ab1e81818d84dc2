//! A half-space and another shape: how far the support point of that is from the plane.
//!
//! Method: closed form; the plane {n · p = d} of a placed half-space has the normal R n and the offset d + R n · t. Of
//! meshes, and of compounds, the tree is walked by how low its boxes reach.
//! Guarantees: a few ulp of the largest coordinate.

use crate::answer::budget::{Budgeted, DistanceBounds, WorkMeter};
use crate::answer::distance::Distance;
use crate::convex::pair::{ConvexPair, Gap};
use crate::convex::support::{PlacedCore, Support, along_axes};
use crate::mesh::walk::nearby_triangles::near_triangles;
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::volume::{Query, WideAabb};
use heurt_bvh::{Aabb32, Leaf, TreeFrame, Visitor, Work, walk};
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

    /// Bounds what roundings leave open of that.
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

/// The normal of the plane {n · p = d} times a power of two that brings its length near 1, so that squares are in
/// range, and the point of the plane nearest to the origin.
pub(crate) fn foot_of_plane(normal: Vec3, offset: f64) -> (Vec3, Vec3) {
    let unit = power_of_two_scale(normal.abs().max_element());
    let scaled = normal * unit;
    (scaled, scaled * (offset * unit / scaled.length_squared()))
}

/// The signed distance of two shapes of which one is a half-space (negative: depth), with `length` signed; `None` for
/// others. Two half-spaces overlap without end unless they face away from each other.
#[inline(always)]
pub(crate) fn separation(pair: ConvexPair<'_>) -> Option<Gap> {
    let is_half_space = |shape: &Convex| matches!(shape.core(), Core::HalfSpace { .. });
    if is_half_space(pair.a) || is_half_space(pair.b) { separation_of(pair) } else { None }
}

/// A point of both shapes, where [`separation`] told that they overlap.
pub(crate) fn common(pair: ConvexPair<'_>, gap: &Gap) -> Vec3 {
    match (plane_of(pair.a, pair.pose_a), plane_of(pair.b, pair.pose_b)) {
        (Some(a), Some(b)) if a.normal != -b.normal => below_both(&a, &b),
        // The lowest point of the other shape.
        (Some(_), None) => gap.on_b,
        _ => gap.on_a,
    }
}

/// A point below two planes that meet somewhere.
fn below_both(a: &Plane, b: &Plane) -> Vec3 {
    // Down from A to below B: against both normals where they face roughly the same way, else within the plane of A.
    let sum = a.normal + b.normal;
    let is_alike = a.normal.dot(b.normal) >= 0.0;
    let out = if is_alike { sum * 0.5 } else { sum - a.normal * a.normal.dot(sum) };
    let over = b.over(a.point) - b.margin;
    if over <= 0.0 {
        return a.point;
    }
    // It is as short as the planes are near to facing away from each other.
    let unit = power_of_two_scale(out.abs().max_element());
    let out = out * unit;
    let point = a.point - out / out.length_squared() * (over * unit).min(f64::MAX);
    // Where they meet may be beyond the range of numbers.
    point.clamp(Vec3::splat(-f64::MAX), Vec3::splat(f64::MAX))
}

/// Bounds what roundings leave open of heights over a plane where coordinates are that large.
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

/// From a plane to the lowest point of a bounded shape.
fn above(plane: &Plane, shape: &Convex, pose: &Pose) -> Gap {
    let core = PlacedCore::new(shape, pose, 1.0).expect("the other one is the half-space");
    to_lowest(plane, core.support(-plane.normal).point, shape.margin(), 2.0 * shape.core().reach() + pose.span())
}

/// From a plane to a shape with such a lowest point of its core, and a margin.
fn to_lowest(plane: &Plane, lowest: Vec3, margin: f64, reach: f64) -> Gap {
    let height = plane.over(lowest);
    let length = height - plane.margin - margin;
    let on_b = lowest - plane.normal * margin;
    let on_a = lowest - plane.normal * (height - plane.margin);
    let error = rounding(reach + plane.point.abs().max_element() + plane.margin + margin);
    Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b }
}

/// From a half-space (A) to a superquadric (B), as [`separation`]; `None` where A is no half-space.
pub(crate) fn under(half_space: &Convex, pose: &Pose, shape: &SuperquadricShape, at: &Pose) -> Option<Gap> {
    let plane = plane_of(half_space, pose)?;
    let lowest = at.place(shape.surface().support(along_axes(at, -plane.normal)));
    Some(to_lowest(&plane, lowest, shape.margin(), 2.0 * ShapeRef::Superquadric(shape).reach() + at.span()))
}

fn planes(a: &Plane, b: &Plane) -> Gap {
    let largest = a.point.abs().max_element() + b.point.abs().max_element() + a.margin + b.margin;
    let error = rounding(largest);
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

/// From a half-space (A) to the lowest vertex of a mesh (B), as long as there is something to spend: of equally low
/// ones that of the first triangle.
pub(crate) fn below(
    half_space: &Convex,
    pose: &Pose,
    mesh: &MeshShape,
    pose_mesh: &Pose,
    spending: &WorkMeter<'_>,
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
        spending,
        left: f64::INFINITY,
    };
    spending.add(walk(tree, &heights, &mut search));
    let (height, triangle, on_b) = search.lowest;
    let error = plane.rounding_at(on_b).max(height - search.least);
    let on_a = on_b - plane.normal * (height - plane.margin);
    let length = height - plane.margin;
    if spending.was_interrupted() {
        let at_least = (height.min(search.left) - plane.margin - error).max(0.0);
        return Budgeted::Cut(DistanceBounds { at_least, at_most: (length + error).max(0.0) });
    }
    let gap = Gap { length, at_least: length - error, error, normal: plane.normal, on_a, on_b };
    Budgeted::Complete(Lowest { gap, triangle })
}

/// The search for the lowest vertex.
struct Descent<'a> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    plane: &'a Plane,
    heights: &'a HullHeights,
    lowest: (f64, u32, Vec3),
    /// No vertex that was looked at is lower: one that is reported to be higher may be known less well.
    least: f64,
    spending: &'a WorkMeter<'a>,
    /// No vertex that was not looked at is lower.
    left: f64,
}

impl Visitor for Descent<'_> {
    fn cutoff(&self) -> f32 {
        self.heights.cutoff(self.lowest.0)
    }

    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        !self.spending.is_exhausted_after(done)
    }

    fn on_interrupted(&mut self, bound: f32) {
        self.left = self.heights.at_least(bound);
    }

    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
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

/// Whether a mesh (B) has a vertex in a half-space (A), with the work done: the first one found ends the walk.
pub(crate) fn reaches_into(half_space: &Convex, pose: &Pose, mesh: &MeshShape, pose_mesh: &Pose) -> (bool, Work) {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let heights = HullHeights::over_plane(&plane, pose, mesh.tree().frame(), pose_mesh);
    let cutoff = heights.cutoff(plane.margin);
    let mut search = FirstBelow { mesh, pose: pose_mesh, plane: &plane, cutoff, is_found: false };
    let work = walk(mesh.tree(), &heights, &mut search);
    (search.is_found, work)
}

/// The search for any vertex in a half-space.
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

    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let triangles = self.mesh.tree().primitives(leaf).iter();
        let mut corners = triangles.flat_map(|&triangle| self.mesh.mesh().corners(triangle));
        self.is_found = corners.any(|corner| self.plane.over(self.pose.place(corner)) - self.plane.margin <= 0.0);
        if self.is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The triangles of a mesh (B) whose boxes come as near to a half-space (A) as `reach` metres, ascending; as many as
/// there is something to spend for.
pub(crate) fn triangles_near(
    half_space: &Convex,
    pose: &Pose,
    mesh: &MeshShape,
    pose_mesh: &Pose,
    reach: f64,
    spending: &WorkMeter<'_>,
) -> Vec<u32> {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    let heights = HullHeights::over_plane(&plane, pose, mesh.tree().frame(), pose_mesh);
    let cutoff = heights.cutoff(reach + plane.margin);
    let mut found = near_triangles(mesh, &heights, cutoff, usize::MAX, spending);
    found.sort_unstable();
    found
}

/// Boxes of a placed tree by how far they are over a plane, in units of the tree.
pub(crate) struct HullHeights {
    /// The normal along the axes of the tree.
    along: [f32; 3],
    /// How far the centre of the tree is over the plane, and what roundings leave open, in metres.
    base: f64,
    slack: f64,
    /// Units in a metre.
    unit: f64,
    /// How far the half-space reaches beyond the plane.
    pub margin: f64,
}

impl HullHeights {
    /// Over the plane of a half-space; `None` for what is none.
    pub(crate) fn over(half_space: &Convex, pose: &Pose, frame: &TreeFrame, pose_tree: &Pose) -> Option<Self> {
        Some(Self::over_plane(&plane_of(half_space, pose)?, pose, frame, pose_tree))
    }

    fn over_plane(plane: &Plane, pose: &Pose, frame: &TreeFrame, pose_tree: &Pose) -> Self {
        let largest = frame.reach() + pose_tree.span() + pose.span() + plane.point.abs().max_element();
        Self {
            along: along_axes(pose_tree, plane.normal).as_vec3().to_array(),
            base: plane.over(pose_tree.place(frame.centre())),
            slack: largest * ((1.0 / (1u64 << 42) as f64) + 8.0 * pose_tree.defect()),
            unit: frame.inverse_scale(),
            margin: plane.margin,
        }
    }

    /// A little above a height over the plane.
    pub(crate) fn cutoff(&self, height: f64) -> f32 {
        let local = (height - self.base + self.slack) * self.unit;
        (local + local.abs() * 1e-6) as f32 + 1e-37
    }

    /// A little below the height over the plane that a bound tells.
    pub(crate) fn at_least(&self, bound: f32) -> f64 {
        let local = f64::from(bound);
        (local - local.abs() * 2e-6 - 2e-37) / self.unit + self.base - self.slack
    }
}

/// What converting, multiplying and summing round, as a share of all that is summed.
const SUMMED: f32 = 1.0 / (1u32 << 20) as f32;

impl Query<Aabb32> for HullHeights {
    #[inline(always)]
    fn bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, volumes: &WideAabb<W>) -> I::F {
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

/// How far a point is from a half-space (negative: inside), and which way is out.
pub(crate) fn height_over(half_space: &Convex, pose: &Pose, point: Vec3) -> (f64, Vec3) {
    let plane = plane_of(half_space, pose).expect("it is a half-space");
    (plane.over(point) - plane.margin, plane.normal)
}

impl Distance {
    /// What is reported for a shape and a half-space (B), of which the gap is reported from the half-space.
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
