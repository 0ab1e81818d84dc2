//! Rays and shrinking balls from a sample into the solid.

use std::ops::ControlFlow;

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Bvh, Leaf, PointQuery, RayQuery, Visitor, walk};
use heurt_geometry::{Vec3, segment_intersects_triangle};

use super::samples::SurfaceSample;
use crate::TriMesh;
use crate::check::Faces;
use crate::decompose::nearest_on;

/// Largest cosine between the normals of the two sides of a wall: the angle is more than 100°.
pub(super) const OPPOSITE: f64 = -0.173_648_177_666_930_33;
/// Steps by which a ball shrinks; each step finds a point inside it. Ten are usual.
const MAX_STEPS: usize = 64;
/// A ball is final if the nearest point is this share of the radius inside it: rounding of the nearest point.
const SLACK: f64 = 1e-10;

/// A mesh with a tree and unit normals.
pub(super) struct Probe<'m> {
    mesh: &'m TriMesh,
    tree: Bvh<Aabb32, 8>,
    normals: Vec<Vec3>,
    /// Longer than any segment in the box of the mesh.
    reach: f64,
}

impl<'m> Probe<'m> {
    /// Builds the tree; `None` if the mesh is too large for one.
    pub(super) fn new(mesh: &'m TriMesh) -> Option<Self> {
        let tree = Bvh::new(&Faces(mesh)).ok()?;
        let normal = |triangle: u32| {
            let [a, b, c] = mesh.corners(triangle);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals = (0..mesh.triangles().len() as u32).map(normal).collect();
        let bounds = mesh.bounds();
        let reach = 1.01 * (bounds.max - bounds.min).length();
        (reach.is_finite() && reach > 0.0).then_some(Self { mesh, tree, normals, reach })
    }

    /// Computes the distance along the inward normal to the first triangle through which the ray leaves the solid.
    pub(super) fn ray(&self, sample: &SurfaceSample) -> Option<(f64, u32)> {
        let end = sample.point - sample.normal * self.reach;
        let frame = self.tree.frame();
        let to_local = frame.inverse_scale();
        let origin = (sample.point - frame.centre()) * to_local;
        let length = self.reach * to_local;
        let query = RayQuery::new(origin.to_array(), (-sample.normal).to_array(), 1e-12, length);
        let cutoff = (length as f32).next_up();
        let mut visitor = FirstExit { probe: self, sample, end, to_local, cutoff, best: None };
        walk(&self.tree, &query, &mut visitor);
        visitor.best
    }

    /// Computes the diameter of the largest ball at the sample without an opposite point inside.
    pub(super) fn ball(&self, sample: &SurfaceSample) -> Option<(f64, u32)> {
        let SurfaceSample { point, normal, .. } = *sample;
        // No ball is larger than the ray is long, because the ray ends on the surface.
        let (mut radius, mut opposite) = match self.ray(sample) {
            Some((length, triangle)) if self.is_opposite(sample, triangle) => (0.5 * length, Some(triangle)),
            _ => (0.5 * self.reach, None),
        };
        for _ in 0..MAX_STEPS {
            let centre = point - normal * radius;
            let Some((foot, triangle)) = self.nearest_opposite(sample, centre, radius * (1.0 - SLACK)) else { break };
            let offset = point - foot;
            let height = offset.dot(normal);
            let next = offset.length_squared() / (2.0 * height);
            // The foot lies inside the ball, so the next ball is smaller.
            if !(next < radius && next >= 0.0) {
                break;
            }
            (radius, opposite) = (next, Some(triangle));
        }
        opposite.map(|triangle| (2.0 * radius, triangle))
    }

    /// Returns the unit normal of a triangle; 0 if it has no area.
    pub(super) fn normal(&self, triangle: u32) -> Vec3 {
        self.normals[triangle as usize]
    }

    fn is_opposite(&self, sample: &SurfaceSample, triangle: u32) -> bool {
        self.normals[triangle as usize].dot(sample.normal) < OPPOSITE
            && !sample.is_on(triangle, &self.mesh.corners(triangle))
    }

    /// Finds the nearest point to `centre` on an opposite triangle within `radius`, if there is one.
    fn nearest_opposite(&self, sample: &SurfaceSample, centre: Vec3, radius: f64) -> Option<(Vec3, u32)> {
        let frame = self.tree.frame();
        let to_local = frame.inverse_scale();
        let local = (centre - frame.centre()) * to_local;
        let cutoff = |distance_sq: f64| ((distance_sq * to_local * to_local) as f32).next_up();
        let limit = radius * radius;
        let mut visitor =
            NearestOpposite { probe: self, sample, centre, to_local, limit, cutoff: cutoff(limit), best: None };
        walk(&self.tree, &PointQuery::new(local.to_array(), 1e-12), &mut visitor);
        visitor.best
    }
}

/// Finds the first triangle through which a ray leaves the solid.
struct FirstExit<'a> {
    probe: &'a Probe<'a>,
    sample: &'a SurfaceSample,
    end: Vec3,
    to_local: f64,
    /// The parameter of the nearest exit, in units of the tree.
    cutoff: f32,
    best: Option<(f64, u32)>,
}

impl Visitor for FirstExit<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.probe.tree.primitives(leaf) {
            let slope = -self.probe.normals[triangle as usize].dot(self.sample.normal);
            let corners = self.probe.mesh.corners(triangle);
            // A triangle on which the sample lies is left at the sample itself, or not at all.
            if slope <= 0.0 || self.sample.is_on(triangle, &corners) {
                continue;
            }
            if !segment_intersects_triangle(self.sample.point, self.end, &corners) {
                continue;
            }
            let height = self.probe.normals[triangle as usize].dot(corners[0] - self.sample.point);
            let length = (height / slope).max(0.0);
            let candidate = (length, triangle);
            if self.best.is_none_or(|best| candidate < best) {
                self.best = Some(candidate);
                // A margin for the rounding of the length.
                self.cutoff = self.cutoff.min((length * self.to_local * (1.0 + 1e-6)) as f32 + f32::EPSILON);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Finds the nearest point on an opposite triangle; distances are squared.
struct NearestOpposite<'a> {
    probe: &'a Probe<'a>,
    sample: &'a SurfaceSample,
    centre: Vec3,
    to_local: f64,
    limit: f64,
    cutoff: f32,
    best: Option<(Vec3, u32)>,
}

impl Visitor for NearestOpposite<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &triangle in self.probe.tree.primitives(leaf) {
            if !self.probe.is_opposite(self.sample, triangle) {
                continue;
            }
            let foot = nearest_on(&self.probe.mesh.corners(triangle), self.centre);
            let distance = (foot - self.centre).length_squared();
            // A ball in front of the plane of the sample cannot touch points behind it.
            let is_ahead = (self.sample.point - foot).dot(self.sample.normal) > 0.0;
            if distance < self.limit && is_ahead {
                (self.limit, self.best) = (distance, Some((foot, triangle)));
                self.cutoff = ((distance * self.to_local * self.to_local) as f32).next_up();
            }
        }
        ControlFlow::Continue(())
    }
}
