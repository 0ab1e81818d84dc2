//! Outlines of bounding volumes: boxes, polytopes by their half-spaces, rounded rectangles.
//!
//! In: shapes in the local units of a tree. Out: lines of a [`DrawSink`] in metres.
//! Method: an edge of a polytope is the line of two of its planes, cut off by all others. If more than two planes share
//! an edge, it is drawn for the first two of them only.
//! Cost: k³/2 products for a polytope of k faces; 28 lines for a rounded rectangle.

use crate::frame::tree_frame::TreeFrame;
use crate::volume::Aabb32;
use heurt_geometry::{Aabb, DrawSink, Meaning, Vec2, Vec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// The most lines of an outline: three rounded rectangles, and more than the 72 edges that 26 faces can have.
pub const MAX_LINES: usize = 3 * 4 * (QUARTER + 1);

/// The lines of a quarter of a circle: 15° each, within 1 % of the radius.
const QUARTER: usize = 6;

/// The cosines of multiples of 15°, from 0° to 90°.
const COSINES: [f64; QUARTER + 1] =
    [1.0, 0.965_925_826_289_068_3, 0.866_025_403_784_438_6, FRAC_1_SQRT_2, 0.5, 0.258_819_045_102_520_74, 0.0];

/// A pen for the outline of a volume, in the local units of its tree.
pub struct Outline<'a> {
    sink: &'a mut dyn DrawSink,
    meaning: Meaning,
    centre: Vec3,
    scale: f64,
}

impl<'a> Outline<'a> {
    /// Creates a pen in the local frame of a tree.
    pub(crate) fn new(frame: &TreeFrame, sink: &'a mut dyn DrawSink) -> Self {
        Self { sink, meaning: Meaning::Volume(0), centre: frame.centre(), scale: frame.scale() }
    }

    /// Replaces the meaning of what follows.
    pub(crate) fn set_meaning(&mut self, meaning: Meaning) {
        self.meaning = meaning;
    }

    /// Returns a point in metres.
    fn place(&self, local: Vec3) -> Vec3 {
        local * self.scale + self.centre
    }

    /// Draws a line.
    pub fn draw_line(&mut self, ends: [Vec3; 2]) {
        let ends = ends.map(|end| self.place(end));
        self.sink.draw_line(ends, self.meaning);
    }

    /// Draws lines that have a length in metres, or a point if none has.
    fn draw_lines_or_point(&mut self, lines: impl Iterator<Item = [Vec3; 2]>, point: Vec3) {
        let mut has_drawn = false;
        for ends in lines {
            let ends = ends.map(|end| self.place(end));
            if ends[0] != ends[1] {
                self.sink.draw_line(ends, self.meaning);
                has_drawn = true;
            }
        }
        if !has_drawn {
            self.sink.draw_point(self.place(point), self.meaning);
        }
    }

    /// Draws a box along the axes of the tree.
    pub fn draw_box(&mut self, bounds: &Aabb32) {
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vec3::from_array(corner.map(f64::from)));
        let metres = Aabb { min: self.place(min), max: self.place(max) };
        self.sink.draw_box(&metres, self.meaning);
    }

    /// Draws the edges of the box `centre ± sides[0] ± sides[1] ± sides[2]`.
    pub fn draw_sides(&mut self, centre: Vec3, sides: [Vec3; 3]) {
        let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |k: usize| centre + sides[0] * sign(k, 0) + sides[1] * sign(k, 1) + sides[2] * sign(k, 2);
        for low in 0..8 {
            for bit in 0..3 {
                if low >> bit & 1 == 0 {
                    self.draw_line([corner(low), corner(low | 1 << bit)]);
                }
            }
        }
    }

    /// Draws the outline of all points within the radius of a rectangle, in its plane. The rectangle is
    /// `centre ± sides[0] ± sides[1]`, and `radii` are its directions times the radius. Sides of zero give a circle; a
    /// shape without size gives a point.
    pub fn draw_rounded(&mut self, centre: Vec3, sides: [Vec3; 2], radii: [Vec3; 2]) {
        let count = 4 * (QUARTER + 1);
        let point = |k: usize| {
            let step = k % (QUARTER + 1);
            let direction = Vec2::new(COSINES[step], COSINES[QUARTER - step]);
            let (turned, signs) = match k / (QUARTER + 1) % 4 {
                0 => (direction, [1.0, 1.0]),
                1 => (direction.perp(), [-1.0, 1.0]),
                2 => (-direction, [-1.0, -1.0]),
                _ => (-direction.perp(), [1.0, -1.0]),
            };
            centre + sides[0] * signs[0] + sides[1] * signs[1] + radii[0] * turned.x + radii[1] * turned.y
        };
        self.draw_lines_or_point((0..count).map(|k| [point(k), point((k + 1) % count)]), centre);
    }

    /// Draws the edges of the polytope of all points p with `normal · p ≤ reach` for each of `faces`; a point if no
    /// edge is longer than roundings.
    pub fn draw_polytope(&mut self, faces: &[(Vec3, f64)], bounds: &Aabb32) {
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vec3::from_array(corner.map(f64::from)));
        // Several units in the last place of `f32` numbers, of the coordinates and of the size.
        let tolerance = 4e-6 * (max - min).max_element() + 4e-7 * min.abs().max(max.abs()).max_element();
        let pairs = (0..faces.len()).flat_map(|j| (0..j).map(move |i| [i, j]));
        let edges = pairs.filter_map(|pair| polytope_edge(faces, pair, tolerance));
        self.draw_lines_or_point(edges, (min + max) * 0.5);
    }
}

/// Returns the ends of the edge between two faces, if there is one, and if no face before the second shares it.
fn polytope_edge(faces: &[(Vec3, f64)], [i, j]: [usize; 2], tolerance: f64) -> Option<[Vec3; 2]> {
    let [(m, reach_m), (n, reach_n)] = [faces[i], faces[j]];
    let along = m.cross(n);
    let length_sq = along.length_squared();
    // Parallel planes have no line in common.
    if length_sq <= 1e-12 * m.length_squared() * n.length_squared() {
        return None;
    }
    let product = m.dot(n);
    let base = (m * (reach_m * n.length_squared() - reach_n * product)
        + n * (reach_n * m.length_squared() - reach_m * product))
        / length_sq;
    let direction = along / length_sq.sqrt();
    let (mut start, mut end) = (f64::NEG_INFINITY, f64::INFINITY);
    for (k, &(normal, reach)) in faces.iter().enumerate().filter(|&(k, _)| k != i && k != j) {
        let size = normal.length();
        let (rest, slope) = (reach - normal.dot(base), normal.dot(direction));
        if slope.abs() <= 1e-9 * size {
            if rest < -tolerance * size || k < j && rest <= 2.0 * tolerance * size {
                return None;
            }
        } else if slope > 0.0 {
            end = end.min(rest / slope);
        } else {
            start = start.max(rest / slope);
        }
    }
    let is_edge = end - start > 4.0 * tolerance && start.is_finite() && end.is_finite();
    is_edge.then(|| [base + direction * start, base + direction * end])
}
