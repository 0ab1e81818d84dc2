//! List of drawn items, as the sections `LEFT`, `LINE`, `BOXS`, `PNTS` and `FACE` of a frame.

use super::frame::FrameWriter;
use super::{put_point, put_u32};
use heurt_geometry::{Aabb, DrawSink, Meaning, Triangle, Vec3};

/// Items drawn by structures, up to a limit.
#[derive(Debug, Clone)]
pub struct DrawnItems {
    lines: Vec<([Vec3; 2], Meaning)>,
    boxes: Vec<(Aabb, Meaning)>,
    points: Vec<(Vec3, Meaning)>,
    faces: Vec<(Triangle, Meaning)>,
    limit: usize,
    left_out: usize,
}

impl DrawnItems {
    /// Makes an empty list that takes at most `limit` items; further ones are counted and left out.
    pub fn new(limit: usize) -> Self {
        Self { lines: Vec::new(), boxes: Vec::new(), points: Vec::new(), faces: Vec::new(), limit, left_out: 0 }
    }

    /// Returns the number of items that were left out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Reports whether another item has room, and counts it if it has none.
    /// Counts items that are not drawn, for the reader of the frame.
    pub fn leave_out(&mut self, count: usize) {
        self.left_out += count;
    }

    fn has_room(&mut self) -> bool {
        let has = self.lines.len() + self.boxes.len() + self.points.len() + self.faces.len() < self.limit;
        self.left_out += usize::from(!has);
        has
    }

    /// Writes the sections of all kinds of items that are there, and the number of items that were left out.
    pub fn write(&self, frame: &mut FrameWriter) {
        if self.left_out > 0 {
            frame.section(b"LEFT", 1, |bytes| put_u32(bytes, u32::try_from(self.left_out).unwrap_or(u32::MAX)));
        }
        if !self.lines.is_empty() {
            frame.section(b"LINE", self.lines.len(), |bytes| {
                for (ends, meaning) in &self.lines {
                    ends.iter().for_each(|end| put_point(bytes, *end));
                    put_u32(bytes, code_of(*meaning));
                }
            });
        }
        if !self.boxes.is_empty() {
            frame.section(b"BOXS", self.boxes.len(), |bytes| {
                for (bounds, meaning) in &self.boxes {
                    put_point(bytes, bounds.min);
                    put_point(bytes, bounds.max);
                    put_u32(bytes, code_of(*meaning));
                }
            });
        }
        if !self.points.is_empty() {
            frame.section(b"PNTS", self.points.len(), |bytes| {
                for (point, meaning) in &self.points {
                    put_point(bytes, *point);
                    put_u32(bytes, code_of(*meaning));
                }
            });
        }
        if !self.faces.is_empty() {
            frame.section(b"FACE", self.faces.len(), |bytes| {
                for (corners, meaning) in &self.faces {
                    corners.iter().for_each(|corner| put_point(bytes, *corner));
                    put_u32(bytes, code_of(*meaning));
                }
            });
        }
    }
}

impl DrawSink for DrawnItems {
    fn draw_point(&mut self, at: Vec3, meaning: Meaning) {
        if self.has_room() {
            self.points.push((at, meaning));
        }
    }

    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning) {
        if self.has_room() {
            self.lines.push((ends, meaning));
        }
    }

    fn draw_triangle(&mut self, corners: Triangle, meaning: Meaning) {
        if self.has_room() {
            self.faces.push((corners, meaning));
        }
    }

    /// Texts are not drawn on the page.
    fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}

    fn draw_box(&mut self, bounds: &Aabb, meaning: Meaning) {
        if !bounds.is_empty() && self.has_room() {
            self.boxes.push((*bounds, meaning));
        }
    }
}

/// Returns the number of a meaning: its kind in the low byte, its level above.
fn code_of(meaning: Meaning) -> u32 {
    match meaning {
        Meaning::Surface => 0,
        Meaning::Edge => 1,
        Meaning::Colliding => 2,
        Meaning::Resting => 3,
        Meaning::Separating => 4,
        Meaning::Intersecting => 5,
        Meaning::Normal => 6,
        Meaning::Impulse => 7,
        Meaning::Volume(depth) => 8 | depth.min(0xff_ffff) << 8,
        Meaning::BroadPhase => 9,
        Meaning::Swept => 10,
        Meaning::Separation => 11,
        Meaning::Cell => 12,
        Meaning::Fault => 13,
        Meaning::Bounds => 15,
        Meaning::Level(level) => 16 | level.min(0xff_ffff) << 8,
        Meaning::Present => 17,
        Meaning::Ring => 18,
        Meaning::Velocity => 19,
        Meaning::Path => 20,
        Meaning::Reach => 21,
        _ => 14,
    }
}
