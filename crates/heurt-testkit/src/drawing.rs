//! Recorder of drawn items, for tests of structures that can be drawn.
//!
//! In: the calls of a [`Draw`]. Out: the items in their order, each with its meaning. Boxes arrive as their edges.

use heurt_geometry::{Draw, DrawSink, Meaning, Triangle, Vec3};

/// Drawn items in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Points.
    pub points: Vec<(Vec3, Meaning)>,
    /// Lines.
    pub lines: Vec<([Vec3; 2], Meaning)>,
    /// Triangles.
    pub triangles: Vec<(Triangle, Meaning)>,
    /// Texts.
    pub texts: Vec<(Vec3, String, Meaning)>,
}

impl Drawing {
    /// Records what a structure draws.
    pub fn of(structure: &(impl Draw + ?Sized)) -> Self {
        let mut drawing = Self::default();
        structure.draw(&mut drawing);
        drawing
    }

    /// Returns all points, ends of lines and corners of triangles.
    pub fn places(&self) -> Vec<Vec3> {
        let ends = self.lines.iter().flat_map(|(ends, _)| *ends);
        let corners = self.triangles.iter().flat_map(|(corners, _)| *corners);
        self.points.iter().map(|(at, _)| *at).chain(ends).chain(corners).collect()
    }

    /// Counts the lines with a meaning.
    pub fn lines_of(&self, meaning: Meaning) -> usize {
        self.lines.iter().filter(|(_, found)| *found == meaning).count()
    }

    /// Counts the points with a meaning.
    pub fn points_of(&self, meaning: Meaning) -> usize {
        self.points.iter().filter(|(_, found)| *found == meaning).count()
    }
}

impl DrawSink for Drawing {
    fn draw_point(&mut self, at: Vec3, meaning: Meaning) {
        self.points.push((at, meaning));
    }

    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning) {
        self.lines.push((ends, meaning));
    }

    fn draw_triangle(&mut self, corners: Triangle, meaning: Meaning) {
        self.triangles.push((corners, meaning));
    }

    fn draw_text(&mut self, at: Vec3, text: &str, meaning: Meaning) {
        self.texts.push((at, text.to_owned(), meaning));
    }
}
