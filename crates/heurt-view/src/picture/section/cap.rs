//! Cut faces: which parts of a plane lie in solids, from the segments in which it meets their surfaces.
//!
//! Method: the plane is divided into strips along one axis. In the middle of a strip, the segments that cross it are
//! sorted; from one to the next the winding number of each solid is counted. A piece between two of them that lies in
//! one solid has its colour, and one that lies in two or more has the colour of an overlap. Pieces are trapezoids, so
//! that slanted sides are straight.
//! Guarantees: no two pieces overlap. Not guaranteed: corners within a strip are cut off.

use super::SectionPlane;
use crate::palette::Colour;
use crate::picture::Drawing;
use heurt_geometry::Vec3;
use std::collections::BTreeMap;

/// Strips of all cut faces: a picture of 1,000 pixels in height has 2,000 rows of samples.
const STRIPS: usize = 2048;

/// A segment in the plane, its lower end first.
#[derive(Debug, Clone, Copy)]
struct CutSegment {
    solid: usize,
    /// The change of the winding number from left to right.
    turn: i32,
    low: [f64; 2],
    high: [f64; 2],
}

impl CutSegment {
    /// Returns the place along the strip at a height; beyond the ends, the place of the nearer end.
    fn at(&self, height: f64) -> f64 {
        let share = ((height - self.low[1]) / (self.high[1] - self.low[1])).clamp(0.0, 1.0);
        self.low[0] + (self.high[0] - self.low[0]) * share
    }
}

/// The segments of all solids that a plane cuts.
pub(super) struct CutFaces {
    origin: Vec3,
    axes: [Vec3; 2],
    colours: BTreeMap<usize, Colour>,
    segments: Vec<CutSegment>,
}

impl CutFaces {
    /// Begins without solids.
    pub(super) fn new(plane: &SectionPlane) -> Self {
        let (right, up) = plane.normal.any_orthonormal_pair();
        Self { origin: plane.normal * plane.offset, axes: [right, up], colours: BTreeMap::new(), segments: Vec::new() }
    }

    /// Adds the segments of a solid.
    pub(super) fn add(&mut self, solid: usize, colour: Colour, segments: &[[Vec3; 2]]) {
        self.colours.insert(solid, colour);
        let flat = |point: Vec3| self.axes.map(|axis| axis.dot(point - self.origin));
        self.segments.extend(segments.iter().filter_map(|ends| {
            let [a, b] = ends.map(flat);
            let is_finite = a.iter().chain(&b).all(|value| value.is_finite());
            match b[1] - a[1] {
                rise if !is_finite || rise == 0.0 => None,
                rise if rise > 0.0 => Some(CutSegment { solid, turn: 1, low: a, high: b }),
                _ => Some(CutSegment { solid, turn: -1, low: b, high: a }),
            }
        }));
    }

    /// Draws all cut faces. An overlap has a line along its middle, so that a thin one is seen.
    pub(super) fn fill(&self, overlap: &dyn Fn(usize, usize) -> Colour, drawing: &mut Drawing) {
        let least = self.segments.iter().map(|segment| segment.low[1]).fold(f64::INFINITY, f64::min);
        let most = self.segments.iter().map(|segment| segment.high[1]).fold(f64::NEG_INFINITY, f64::max);
        let height = (most - least) / STRIPS as f64;
        // Without segments it is negative.
        if height <= 0.0 || !height.is_finite() {
            return;
        }
        let mut of_strip = vec![Vec::new(); STRIPS];
        let strip_of = |at: f64| ((at - least) / height).clamp(0.0, (STRIPS - 1) as f64) as usize;
        for (number, segment) in self.segments.iter().enumerate() {
            let strips = &mut of_strip[strip_of(segment.low[1])..=strip_of(segment.high[1])];
            strips.iter_mut().for_each(|strip| strip.push(number));
        }
        for (strip, numbers) in of_strip.iter().enumerate() {
            let [low, high] = [strip, strip + 1].map(|strip| least + height * strip as f64);
            self.fill_strip([low, high], numbers, overlap, drawing);
        }
    }

    fn fill_strip(
        &self,
        [low, high]: [f64; 2],
        numbers: &[usize],
        overlap: &dyn Fn(usize, usize) -> Colour,
        drawing: &mut Drawing,
    ) {
        let middle = 0.5 * (low + high);
        let crosses = |segment: &&CutSegment| segment.low[1] <= middle && middle < segment.high[1];
        let mut crossing: Vec<&CutSegment> = numbers.iter().map(|&at| &self.segments[at]).filter(crosses).collect();
        crossing.sort_by(|a, b| a.at(middle).total_cmp(&b.at(middle)));
        // A solid whose winding number does not return to 0 has a hole here.
        let mut sums: BTreeMap<usize, i32> = BTreeMap::new();
        crossing.iter().for_each(|segment| *sums.entry(segment.solid).or_default() += segment.turn);
        crossing.retain(|segment| sums.get(&segment.solid) == Some(&0));
        let mut windings: BTreeMap<usize, i32> = BTreeMap::new();
        for pair in crossing.windows(2) {
            let [left, right] = [pair[0], pair[1]];
            let winding = windings.entry(left.solid).or_default();
            *winding += left.turn;
            if *winding == 0 {
                windings.remove(&left.solid);
            }
            let mut inside = windings.keys();
            let (colour, overlaps) = match (inside.next(), inside.next()) {
                (Some(one), Some(other)) => (overlap(*one, *other), true),
                (Some(one), None) => (self.colours[one], false),
                _ => continue,
            };
            let place = |segment: &CutSegment, at: f64| self.origin + self.axes[0] * segment.at(at) + self.axes[1] * at;
            let [a, b, c, d] = [place(left, low), place(right, low), place(right, high), place(left, high)];
            drawing.flat.extend([([a, b, c], colour), ([a, c, d], colour)]);
            if overlaps {
                drawing.lines.push(([0.5 * (a + b), 0.5 * (c + d)], colour));
            }
        }
    }
}
