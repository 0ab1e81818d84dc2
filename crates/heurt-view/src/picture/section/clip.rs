//! Clipping of surfaces, triangles and lines at a plane (Sutherland and Hodgman 1974).
//!
//! Guarantees: triangles that share an edge share its cut point. A vertex in the plane is kept.

use super::SectionPlane;
use crate::Surface;
use heurt_geometry::{Pose, Triangle, Vec3};
use std::collections::BTreeMap;

/// Clips a placed surface: returns what is left, in the world, and the segments in which the plane meets triangles.
/// A segment has the solid on the same hand in all triangles of a surface with a consistent orientation.
pub(super) fn clip_surface(surface: &Surface, pose: &Pose, plane: &SectionPlane) -> (Surface, Vec<[Vec3; 2]>) {
    let placed: Vec<Vec3> = surface.vertices.iter().map(|vertex| pose.place(*vertex)).collect();
    let mut clipper = Clipper {
        heights: placed.iter().map(|vertex| plane.height(*vertex)).collect(),
        vertices: placed,
        cuts: BTreeMap::new(),
    };
    let mut segments = Vec::new();
    let mut triangles = Vec::with_capacity(surface.triangles.len());
    for corners in &surface.triangles {
        clipper.clip_triangle(*corners, &mut triangles, &mut segments);
    }
    let edges = surface.edges.iter().filter_map(|ends| clipper.clip_edge(*ends)).collect();
    let at = |index: u32| clipper.vertices[index as usize];
    let segments = segments.into_iter().map(|ends: [u32; 2]| ends.map(at)).collect();
    let Clipper { vertices, .. } = clipper;
    (used_only(Surface { vertices, triangles, edges }), segments)
}

/// Drops vertices that no triangle and no edge uses: they would widen the box.
fn used_only(surface: Surface) -> Surface {
    let mut number = vec![u32::MAX; surface.vertices.len()];
    let mut vertices = Vec::new();
    let mut renumber = |index: u32| {
        let slot = &mut number[index as usize];
        if *slot == u32::MAX {
            *slot = vertices.len() as u32;
            vertices.push(surface.vertices[index as usize]);
        }
        *slot
    };
    let triangles = surface.triangles.iter().map(|corners| corners.map(&mut renumber)).collect();
    let edges = surface.edges.iter().map(|ends| ends.map(&mut renumber)).collect();
    Surface { vertices, triangles, edges }
}

struct Clipper {
    vertices: Vec<Vec3>,
    heights: Vec<f64>,
    /// The cut point of each edge that crosses the plane, the lower vertex first.
    cuts: BTreeMap<[u32; 2], u32>,
}

impl Clipper {
    fn is_kept(&self, vertex: u32) -> bool {
        self.heights[vertex as usize] <= 0.0
    }

    fn cut(&mut self, a: u32, b: u32) -> u32 {
        let key = [a.min(b), a.max(b)];
        if let Some(known) = self.cuts.get(&key) {
            return *known;
        }
        let [low, high] = key.map(|vertex| (self.vertices[vertex as usize], self.heights[vertex as usize]));
        let number = self.vertices.len() as u32;
        self.vertices.push(cut_point(low, high));
        self.heights.push(0.0);
        self.cuts.insert(key, number);
        number
    }

    fn clip_triangle(&mut self, corners: [u32; 3], triangles: &mut Vec<[u32; 3]>, segments: &mut Vec<[u32; 2]>) {
        let mut polygon: Vec<u32> = Vec::with_capacity(4);
        let [mut leaves, mut enters] = [None; 2];
        for k in 0..3 {
            let (here, next) = (corners[k], corners[(k + 1) % 3]);
            if self.is_kept(here) {
                polygon.push(here);
            }
            if self.is_kept(here) != self.is_kept(next) {
                let cut = self.cut(here, next);
                polygon.push(cut);
                *(if self.is_kept(here) { &mut leaves } else { &mut enters }) = Some(cut);
            }
        }
        triangles.extend((2..polygon.len()).map(|k| [polygon[0], polygon[k - 1], polygon[k]]));
        if let (Some(leaves), Some(enters)) = (leaves, enters) {
            segments.push([leaves, enters]);
        }
    }

    fn clip_edge(&mut self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        match [self.is_kept(a), self.is_kept(b)] {
            [true, true] => Some([a, b]),
            [false, false] => None,
            [true, false] => Some([a, self.cut(a, b)]),
            [false, true] => Some([self.cut(a, b), b]),
        }
    }
}

/// Returns the point of an edge in the plane, from the heights of its ends, which differ in sign.
fn cut_point((a, height_a): (Vec3, f64), (b, height_b): (Vec3, f64)) -> Vec3 {
    let share = (height_a / (height_a - height_b)).clamp(0.0, 1.0);
    a + (b - a) * if share.is_nan() { 0.5 } else { share }
}

/// Clips a line; `None` if nothing is left. Heights up to `rounding` are kept.
pub(super) fn clip_line(ends: [Vec3; 2], plane: &SectionPlane, rounding: f64) -> Option<[Vec3; 2]> {
    let [a, b] = ends.map(|end| (end, plane.height(end)));
    match [a.1 <= rounding, b.1 <= rounding] {
        [true, true] => Some(ends),
        [false, false] => None,
        [true, false] => Some([a.0, cut_point(a, b)]),
        [false, true] => Some([cut_point(a, b), b.0]),
    }
}

/// Clips a triangle into at most two.
pub(super) fn clip_triangle(corners: Triangle, plane: &SectionPlane) -> Vec<Triangle> {
    let heights = corners.map(|corner| plane.height(corner));
    let mut polygon: Vec<Vec3> = Vec::with_capacity(4);
    for k in 0..3 {
        let next = (k + 1) % 3;
        if heights[k] <= 0.0 {
            polygon.push(corners[k]);
        }
        if (heights[k] <= 0.0) != (heights[next] <= 0.0) {
            polygon.push(cut_point((corners[k], heights[k]), (corners[next], heights[next])));
        }
    }
    (2..polygon.len()).map(|k| [polygon[0], polygon[k - 1], polygon[k]]).collect()
}
