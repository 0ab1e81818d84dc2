//! Points and segments as given, to sites: each place once, each segment once, none crossed.
//!
//! In: points and segments, in metres. Out: sites in a local frame, the site of each element; or the first fault.
//! Method: coordinates move to a local frame by subtractions that are exact. A constrained Delaunay triangulation
//! (crate `spade`) finds segments that cross, or that pass through a point. Guarantees: exact. Cost: O(n log n).

use super::SegmentVoronoiError;
use super::site::Wall;
use heurt_geometry::{Sign, Vec2, orient2d};
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use std::collections::HashMap;

/// The largest number of points and segments.
const MAX_SITES: usize = u32::MAX as usize / 16;
/// Distance of the frame from the middle, in extents of the sites. Arcs through the frame are 7 extents clear.
const FRAME: f64 = 32.0;

/// The least distance between a point and a segment, as a share of the extent. A narrower parabola is as wide as its
/// rounding.
const LEAST_GAP: f64 = 1e-12;

/// Places and segments in the local frame.
pub(super) struct Input {
    pub(super) centre: Vec2,
    /// Lower and upper corner of the box, local.
    pub(super) bounds: [Vec2; 2],
    pub(super) points: Vec<Vec2>,
    pub(super) frame: [Vec2; 3],
    pub(super) size: f64,
    pub(super) segments: Vec<[u32; 2]>,
    pub(super) site_of_point: Vec<u32>,
    pub(super) site_of_segment: Vec<u32>,
}

impl Input {
    pub(super) fn new(points: &[Vec2], segments: &[[Vec2; 2]]) -> Result<Self, SegmentVoronoiError> {
        let count = points.len() + segments.len();
        if count == 0 {
            return Err(SegmentVoronoiError::Empty);
        }
        if count > MAX_SITES {
            return Err(SegmentVoronoiError::TooLarge { count, max: MAX_SITES });
        }
        let given = || points.iter().copied().chain(segments.iter().flatten().copied());
        for point in given() {
            check_range(point, point)?;
        }
        let low = given().fold(Vec2::INFINITY, Vec2::min);
        let high = given().fold(Vec2::NEG_INFINITY, Vec2::max);
        let centre = Vec2::new(origin(low.x, high.x), origin(low.y, high.y));
        let bounds = [low - centre, high - centre];
        let extent = (high - low).length();
        let size = if extent > 0.0 { extent } else { 1.0 };
        let middle = 0.5 * (bounds[0] + bounds[1]);
        let [far, half, wide] = [FRAME * size, 0.5 * FRAME * size, 0.75f64.sqrt() * FRAME * size];
        let frame = [Vec2::new(0.0, far), Vec2::new(-wide, -half), Vec2::new(wide, -half)].map(|c| middle + c);
        let mut input = Self {
            centre,
            bounds,
            points: Vec::new(),
            frame,
            size,
            segments: Vec::new(),
            site_of_point: Vec::new(),
            site_of_segment: Vec::new(),
        };
        input.collect(points, segments)?;
        input.check_segments()?;
        Ok(input)
    }

    /// Numbers places in the order of their first use, then segments.
    fn collect(&mut self, points: &[Vec2], segments: &[[Vec2; 2]]) -> Result<(), SegmentVoronoiError> {
        let mut known: HashMap<[u64; 2], u32> = HashMap::new();
        let mut number = |point: Vec2| {
            let local = point - self.centre + Vec2::ZERO;
            check_range(local, point)?;
            let fresh = self.points.len() as u32;
            let number = *known.entry(local.to_array().map(f64::to_bits)).or_insert(fresh);
            if number == fresh {
                self.points.push(local);
            }
            Ok(number)
        };
        for &point in points {
            self.site_of_point.push(number(point)?);
        }
        let ends: Result<Vec<[u32; 2]>, _> = segments.iter().map(|&[a, b]| Ok([number(a)?, number(b)?])).collect();
        let mut known: HashMap<[u32; 2], u32> = HashMap::new();
        for [a, b] in ends? {
            if a == b {
                self.site_of_segment.push(a);
                continue;
            }
            let fresh = (self.points.len() + self.segments.len()) as u32;
            let number = *known.entry([a.min(b), a.max(b)]).or_insert(fresh);
            if number == fresh {
                self.segments.push([a, b]);
            }
            self.site_of_segment.push(number);
        }
        Ok(())
    }

    /// Finds segments that cross, overlap or pass through a point.
    fn check_segments(&self) -> Result<(), SegmentVoronoiError> {
        if self.segments.is_empty() {
            return Ok(());
        }
        let corners = self.points.iter().chain(&self.frame).map(|point| Point2::new(point.x, point.y)).collect();
        let edges = self.segments.iter().map(|ends| ends.map(|end| end as usize)).collect();
        let mut crossing = Vec::new();
        let plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::try_bulk_load_cdt(corners, edges, |edge| {
            crossing.push(edge.map(|end| end as u32));
        });
        // The range has been checked: no other error is possible.
        let Ok(plane) = plane else { return Err(SegmentVoronoiError::Empty) };
        let handle = |end: u32| FixedVertexHandle::from_index(end as usize);
        let is_whole = |ends: &[u32; 2]| plane.exists_constraint(handle(ends[0]), handle(ends[1]));
        for &ends in self.segments.iter().filter(|ends| !is_whole(ends)) {
            if let Some(fault) = self.fault_of(ends) {
                return Err(fault);
            }
        }
        // The apex over a segment sees it at the largest angle: a point next to its inside is an apex.
        for &ends in &self.segments {
            let Some(edge) = plane.get_edge_from_neighbors(handle(ends[0]), handle(ends[1])) else { continue };
            for apex in [edge.opposite_vertex(), edge.rev().opposite_vertex()].into_iter().flatten() {
                let [a, b] = ends.map(|end| self.points[end as usize]);
                let at = Vec2::new(apex.position().x, apex.position().y);
                self.check_apex(&Wall::new(ends, a, b), at)?;
            }
        }
        Ok(())
    }

    /// Refuses a point that is next to the inside of a segment.
    pub(super) fn check_apex(&self, wall: &Wall, at: Vec2) -> Result<(), SegmentVoronoiError> {
        let is_over = wall.along(at) > 0.0 && wall.along(at) < wall.length;
        if !(is_over && wall.side(at).abs() < LEAST_GAP * self.size) {
            return Ok(());
        }
        let global = |local: Vec2| (local + self.centre).to_array();
        Err(SegmentVoronoiError::TooNear { segment: [wall.start, wall.stop].map(global), at: global(at) })
    }

    /// Finds the point that a segment passes through, or the segment that it crosses.
    fn fault_of(&self, ends: [u32; 2]) -> Option<SegmentVoronoiError> {
        let place = |number: u32| self.points[number as usize];
        let global = |local: Vec2| (local + self.centre).to_array();
        let [a, b] = ends.map(place);
        let segment = ends.map(|end| global(place(end)));
        let (low, high) = (a.min(b), a.max(b));
        let is_inside =
            |c: Vec2| c.cmpge(low).all() && c.cmple(high).all() && orient2d(a, b, c).is_zero() && c != a && c != b;
        if let Some(&c) = self.points.iter().find(|&&c| is_inside(c)) {
            return Some(SegmentVoronoiError::Touching { segment, at: global(c) });
        }
        let crosses = |&&[c, d]: &&[u32; 2]| {
            let [c, d] = [place(c), place(d)];
            let sides = [orient2d(a, b, c).times(orient2d(a, b, d)), orient2d(c, d, a).times(orient2d(c, d, b))];
            sides == [Sign::Negative; 2]
        };
        let other = self.segments.iter().find(crosses)?;
        let [c, d] = other.map(place);
        let at = a + (b - a) * ((c - a).perp_dot(d - c) / (b - a).perp_dot(d - c)).clamp(0.0, 1.0);
        Some(SegmentVoronoiError::Crossing { segment, other: other.map(|end| global(place(end))), at: global(at) })
    }
}

/// The origin of an axis: 0, or a middle from which all differences are exact (Sterbenz 1974).
fn origin(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    if middle.abs() >= high - low { middle } else { 0.0 }
}

fn check_range(local: Vec2, point: Vec2) -> Result<(), SegmentVoronoiError> {
    let coordinates = point.to_array();
    if !point.is_finite() {
        return Err(SegmentVoronoiError::NotFinite { coordinates });
    }
    // The frame is larger by a factor below 100.
    let is_in_range = crate::dim2::is_in_range(local) && crate::dim2::is_in_range(local * 128.0);
    if is_in_range { Ok(()) } else { Err(SegmentVoronoiError::OutOfRange { coordinates }) }
}
