//! Distance and containment queries on the solid that a closed mesh bounds.
//!
//! In: the mesh in the frame of the decomposition. Out: the distance of a point from the surface, and whether the
//! surface winds around it.
//! Guarantees: the winding number is exact, on the mesh moved by infinitesimals if a line meets an edge of it. A
//! distance is the distance to a point of the reported triangle, so never less than the true distance up to a few ulp.
//! It exceeds the true distance by no more than [`BLUR`], which has the proof.
//! Cost: O(log n) as a rule.

use std::ops::ControlFlow;

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Bvh, BvhError, Leaf, PointQuery, Visitor, walk};
use heurt_geometry::{Aabb, Sign, Triangle, Vec2, Vec3, orient2d, orient3d};

use crate::TriMesh;
use crate::check::Faces;

/// Bound on the excess of a distance, as a share of the size of the mesh. Inside a triangle whose sines are above 1e-6,
/// the foot of a perpendicular is exact up to 1e-9 of its length. A thinner triangle has no point farther from its
/// edges than half of 1e-6 of its length, and edges are exact to a few ulp.
pub(super) const BLUR: f64 = 1e-6;

/// A closed mesh with a tree over its triangles.
pub(super) struct Solid<'m> {
    mesh: &'m TriMesh,
    pub(super) tree: Bvh<Aabb32, 8>,
    bounds: Aabb,
}

/// The nearest triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    pub(super) triangle: u32,
    /// Its nearest point.
    pub(super) foot: Vec3,
}

impl<'m> Solid<'m> {
    pub(super) fn new(mesh: &'m TriMesh) -> Result<Self, BvhError> {
        Ok(Self { mesh, tree: Bvh::new(&Faces(mesh))?, bounds: mesh.bounds() })
    }

    /// Returns the diagonal of the box of the mesh.
    pub(super) fn diagonal(&self) -> f64 {
        (self.bounds.max - self.bounds.min).length()
    }

    pub(super) fn corners(&self, triangle: u32) -> Triangle {
        self.mesh.corners(triangle)
    }

    /// Finds the triangle nearest to `point`; ties are broken deterministically.
    pub(super) fn nearest(&self, point: Vec3) -> Nearest {
        let frame = self.tree.frame();
        let local = (point - frame.centre()) * frame.inverse_scale();
        let best = Nearest { distance: f64::INFINITY, triangle: 0, foot: self.mesh.corners(0)[0] };
        let mut visitor = Closest { solid: self, point, to_local: frame.inverse_scale(), cutoff: f32::INFINITY, best };
        walk(&self.tree, &PointQuery::new(local.to_array(), 1e-12), &mut visitor);
        visitor.best.distance = visitor.best.distance.sqrt();
        visitor.best
    }

    /// Reports whether the surface winds around `point`, or contains it.
    pub(super) fn holds(&self, point: Vec3) -> bool {
        if !self.bounds.contains(point) {
            return false;
        }
        let ahead = Aabb { min: point, max: Vec3::new(self.bounds.max.x, point.y, point.z) };
        let mut visitor = Crossings { solid: self, point, winding: 0, touches: false };
        walk(&self.tree, &Aabb32::in_frame(self.tree.frame(), &ahead), &mut visitor);
        visitor.touches || visitor.winding != 0
    }
}

/// Finds the nearest triangle; distances are squared.
struct Closest<'a> {
    solid: &'a Solid<'a>,
    point: Vec3,
    to_local: f64,
    cutoff: f32,
    best: Nearest,
}

impl Visitor for Closest<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.solid.tree.primitives(leaf) {
            let foot = nearest_on(&self.solid.mesh.corners(triangle), self.point);
            let distance = (foot - self.point).length_squared();
            if distance < self.best.distance {
                self.best = Nearest { distance, triangle, foot };
                self.cutoff = ((distance * self.to_local * self.to_local) as f32).next_up();
            }
        }
        ControlFlow::Continue(())
    }
}

/// Finds the point of a triangle that is nearest to `p`.
pub(crate) fn nearest_on(&[a, b, c]: &Triangle, p: Vec3) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let area_sq = normal.length_squared();
    // Barycentric weights of the foot of the perpendicular, times `area_sq`.
    let (v, w) = (normal.dot(ap.cross(ac)), normal.dot(ab.cross(ap)));
    if v >= 0.0 && w >= 0.0 && v + w <= area_sq && area_sq.is_normal() {
        return a + ab * (v / area_sq) + ac * (w / area_sq);
    }
    let feet = [nearest_on_segment(p, a, b), nearest_on_segment(p, b, c), nearest_on_segment(p, c, a)];
    let nearer = |x: Vec3, y: Vec3| if (y - p).length_squared() < (x - p).length_squared() { y } else { x };
    nearer(nearer(feet[0], feet[1]), feet[2])
}

/// Finds the point of a segment that is nearest to `p`.
pub(crate) fn nearest_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared();
    // A segment without length gives a share that is not a number.
    if share >= 1.0 {
        b
    } else if share > 0.0 {
        a + along * share
    } else {
        a
    }
}

/// Counts how often the surface winds around a point, by its crossings with the line ahead of the point along x.
///
/// The line is moved by an infinitesimal along z and one of higher order along y, so that it meets no edge.
struct Crossings<'a> {
    solid: &'a Solid<'a>,
    point: Vec3,
    winding: i64,
    touches: bool,
}

impl Visitor for Crossings<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.solid.tree.primitives(leaf) {
            let [a, b, c] = self.solid.mesh.corners(triangle);
            let turns = edge_turn(a, b, self.point) + edge_turn(b, c, self.point) + edge_turn(c, a, self.point);
            if turns == 0 {
                continue;
            }
            match orient3d(a, b, c, self.point) {
                Sign::Zero => self.touches = true,
                Sign::Negative if turns > 0 => self.winding += 1,
                Sign::Positive if turns < 0 => self.winding -= 1,
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }
}

/// Classifies an edge seen along x: 1 if it passes the line upward on its right, −1 if downward, else 0.
fn edge_turn(from: Vec3, to: Vec3, point: Vec3) -> i32 {
    let (up, down) = (from.z <= point.z && to.z > point.z, to.z <= point.z && from.z > point.z);
    if !(up || down) {
        return 0;
    }
    let (low, high) = if up { (from, to) } else { (to, from) };
    let seen = |p: Vec3| Vec2::new(p.y, p.z);
    let is_left = match orient2d(seen(low), seen(high), seen(point)) {
        Sign::Positive => true,
        Sign::Negative => false,
        Sign::Zero => high.y > low.y,
    };
    if is_left { if up { 1 } else { -1 } } else { 0 }
}
