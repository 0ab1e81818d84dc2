//! List of what a picture shows: placed surfaces, triangles, lines, points.

use super::shading::{CornerNormals, corner_normals};
use crate::Surface;
use crate::palette::{Colour, meaning_colour};
use heurt_geometry::{Aabb, DrawSink, Meaning, Pose, Triangle, Vec3};

/// A surface at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// The number of its surface in the drawing.
    pub surface: usize,
    /// Its pose in the world.
    pub pose: Pose,
    /// Its colour.
    pub colour: Colour,
    /// Opacity from 0 to 1, drawn in steps of a quarter.
    pub opacity: f64,
}

/// A surface and the normals of its corners.
#[derive(Debug, Clone)]
pub(super) struct ShadedSurface {
    pub surface: Surface,
    pub normals: CornerNormals,
    pub bounds: Aabb,
}

/// Everything that a picture shows. Items drawn through [`DrawSink`] are in the world frame.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    pub(super) surfaces: Vec<ShadedSurface>,
    pub(super) instances: Vec<Instance>,
    pub(super) triangles: Vec<(Triangle, Colour)>,
    pub(super) lines: Vec<([Vec3; 2], Colour)>,
    /// Points and lines that nothing hides.
    pub(super) marks: Vec<(Vec3, Colour)>,
    pub(super) arrows: Vec<([Vec3; 2], Colour)>,
    pub(super) texts: Vec<(Vec3, String, Colour)>,
}

impl Drawing {
    /// Adds a surface and returns its number; [`Drawing::add_instance`] places it.
    pub fn add_surface(&mut self, surface: Surface) -> usize {
        let bounds = Aabb::from_points(surface.vertices.iter().copied());
        let normals = corner_normals(&surface);
        self.surfaces.push(ShadedSurface { surface, normals, bounds });
        self.surfaces.len() - 1
    }

    /// Places a surface. A number without a surface draws nothing.
    pub fn add_instance(&mut self, surface: usize, pose: Pose, colour: Colour) {
        self.instances.push(Instance { surface, pose, colour, opacity: 1.0 });
    }

    /// Places a translucent surface.
    pub fn add_translucent(&mut self, surface: usize, pose: Pose, colour: Colour, opacity: f64) {
        self.instances.push(Instance { surface, pose, colour, opacity });
    }

    /// Adds a line that nothing hides, in the world frame.
    pub fn add_arrow(&mut self, ends: [Vec3; 2], colour: Colour) {
        self.arrows.push((ends, colour));
    }

    /// Returns the box of all placed surfaces and items; empty for none.
    pub fn bounds(&self) -> Aabb {
        let placed = self.instances.iter().filter_map(|instance| {
            let bounds = self.surfaces.get(instance.surface)?.bounds;
            (!bounds.is_empty()).then(|| Aabb::from_points(bounds.corners().map(|corner| instance.pose.place(corner))))
        });
        let surfaces = placed.fold(Aabb::EMPTY, Aabb::union);
        let triangles = self.triangles.iter().flat_map(|(corners, _)| corners);
        let lines = self.lines.iter().chain(&self.arrows).flat_map(|(ends, _)| ends);
        let points = self.marks.iter().map(|(point, _)| point);
        surfaces.union(Aabb::from_points(triangles.chain(lines).chain(points).copied()))
    }
}

impl DrawSink for Drawing {
    fn draw_point(&mut self, at: Vec3, meaning: Meaning) {
        self.marks.push((at, meaning_colour(meaning)));
    }

    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning) {
        match meaning {
            Meaning::Normal | Meaning::Impulse => self.arrows.push((ends, meaning_colour(meaning))),
            _ => self.lines.push((ends, meaning_colour(meaning))),
        }
    }

    fn draw_triangle(&mut self, corners: Triangle, meaning: Meaning) {
        self.triangles.push((corners, meaning_colour(meaning)));
    }

    fn draw_text(&mut self, at: Vec3, text: &str, meaning: Meaning) {
        self.texts.push((at, text.to_owned(), meaning_colour(meaning)));
    }
}
