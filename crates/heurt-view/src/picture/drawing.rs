//! List of what a picture shows: placed surfaces, triangles, lines, points.

use super::floor::Floor;
use super::label::Label;
use super::shading::CornerNormals;
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
    /// Triangles that have their colour in any light.
    pub(super) flat: Vec<(Triangle, Colour)>,
    pub(super) lines: Vec<([Vec3; 2], Colour)>,
    /// Points and lines that nothing hides.
    pub(super) marks: Vec<(Vec3, Colour)>,
    pub(super) arrows: Vec<([Vec3; 2], Colour)>,
    pub(super) texts: Vec<(Vec3, String, Colour)>,
    pub(super) labels: Vec<Label>,
    pub(super) floors: Vec<Floor>,
}

impl Drawing {
    /// Adds a surface and returns its number; [`Drawing::add_instance`] places it.
    pub fn add_surface(&mut self, surface: Surface) -> usize {
        self.surfaces.push(ShadedSurface::new(surface));
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

    /// Adds a plane without an edge. It is behind everything that it does not hide.
    pub fn add_floor(&mut self, floor: Floor) {
        self.floors.push(floor);
    }

    /// Adds a line that nearer surfaces hide, in the world frame.
    pub fn add_line(&mut self, ends: [Vec3; 2], colour: Colour) {
        self.lines.push((ends, colour));
    }

    /// Adds a line that nothing hides, in the world frame.
    pub fn add_arrow(&mut self, ends: [Vec3; 2], colour: Colour) {
        self.arrows.push((ends, colour));
    }

    /// Adds a label of a place in the world: a text in a capsule of a colour, with a line to the place. Nothing hides
    /// it. Labels keep clear of each other; the first ones are nearest to their places.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::generate;
    /// use heurt_view::picture::{Caption, Direction, Drawing, draw_picture, frame_bounds};
    /// use heurt_view::{Surface, palette::CLASH};
    /// let mut drawing = Drawing::default();
    /// let ball = drawing.add_surface(Surface::of_mesh(&generate::icosphere(1.0, 2)?));
    /// drawing.add_instance(ball, Pose::IDENTITY, [160; 3]);
    /// drawing.add_label(Vec3::ZERO, "1", CLASH);
    /// let camera = frame_bounds(&drawing.bounds(), Direction::Front, Vec3::Z, 1.5)?;
    /// let image = draw_picture(&drawing, &camera, [300, 200], &Caption::default());
    /// assert_eq!(image.pixel(150, 100), CLASH, "the place in the middle of the ball has a dot");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_label(&mut self, at: Vec3, text: impl Into<String>, colour: Colour) {
        self.labels.push(Label { at, text: text.into(), colour });
    }

    /// Returns the box of all placed surfaces and items, without floors; empty for none.
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
