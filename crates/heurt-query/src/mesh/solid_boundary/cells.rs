//! Convex cells of a triangle, cut along the sections of other triangles.
//!
//! In: a triangle and segments in its plane, scaled to approximately 1. Out: [`Cells`]: convex polygons that cover the
//! triangle, none of which a segment crosses.
//! Method: a segment cuts each cell that it passes through, along its line, to the ends of the cell. So a cell may be
//! cut beyond the segment, which only adds cells; a chain of k segments makes k + 1 cells. A new corner is computed
//! between the original ends of its edge, however often the edge has been cut since, so that rounding errors do not add
//! up. Heights come from the plane of the triangle.
//! Guarantees: a cell is not crossed by a segment farther than the tolerance from its edges; cells are thicker than the
//! tolerance across each cut. `None` beyond the bound on cells. Not guaranteed: that a cell thinner than the tolerance
//! is found.
//! Cost: the product of segments and cells at worst, a test of two boxes each.

use super::exact::height_over;
use super::line::seen_along;
use heurt_geometry::{Triangle, Vec2, Vec3};
use smallvec::SmallVec;

/// A segment of a section, in the projection.
pub(crate) type Segment = [Vec2; 2];

/// A corner of a cell in the projection, and the edge that begins there.
#[derive(Debug, Clone, Copy)]
struct CellCorner {
    at: Vec2,
    /// The original ends of the edge, before any cut.
    edge: Segment,
}

/// A convex polygon, counter-clockwise in the projection.
#[derive(Debug, Clone)]
struct Cell {
    corners: SmallVec<[CellCorner; 6]>,
    low: Vec2,
    high: Vec2,
}

/// The cells of a triangle.
#[derive(Debug)]
pub(crate) struct Cells {
    /// The axis of the projection: the axis nearest to the triangle's normal.
    pub axis: usize,
    corners: Triangle,
    cells: Vec<Cell>,
    /// Lengths below this count as zero, in scaled coordinates.
    pub tolerance: f64,
}

impl Cells {
    /// Creates a single cell of the whole triangle, projected along `axis`; cuts that leave less than `tolerance` on a
    /// side are skipped.
    pub(crate) fn new(triangle: &Triangle, axis: usize, tolerance: f64) -> Self {
        let corners = triangle.map(|corner| seen_along(axis, corner));
        let [a, b, c] = corners.map(|corner| Vec2::new(corner.x, corner.y));
        let turn = if (b - a).perp_dot(c - a) < 0.0 { [a, c, b] } else { [a, b, c] };
        let corner = |k: usize| CellCorner { at: turn[k], edge: [turn[k], turn[(k + 1) % 3]] };
        let cell = Cell::new((0..3).map(corner).collect());
        Self { axis, corners, cells: vec![cell], tolerance }
    }

    /// Cuts all cells that the segment passes through; returns `false` if there are more than `most` cells afterwards.
    pub(crate) fn cut(&mut self, segment: &Segment, most: usize) -> bool {
        let [from, to] = *segment;
        let Some(along) = (to - from).try_normalize().filter(|_| (to - from).length() > self.tolerance) else {
            return true;
        };
        let (low, high) = (from.min(to), from.max(to));
        for number in 0..self.cells.len() {
            let cell = &self.cells[number];
            let is_beside = cell.low.cmpgt(high).any() || cell.high.cmplt(low).any();
            if is_beside || !cell.is_crossed(segment, along, self.tolerance) {
                continue;
            }
            let [left, right] = cell.halves(from, along, self.tolerance);
            self.cells[number] = left;
            self.cells.push(right);
        }
        self.cells.len() <= most
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns a point inside a cell, in the projection: its centroid, whose distance from each edge is at least a
    /// third of the thickness.
    pub(crate) fn middle(&self, cell: usize) -> Vec2 {
        let corners = &self.cells[cell].corners;
        let from = corners[0].at;
        let (mut area, mut moment) = (0.0, Vec2::ZERO);
        for k in 1..corners.len().saturating_sub(1) {
            let (u, v) = (corners[k].at - from, corners[k + 1].at - from);
            let twice = u.perp_dot(v).max(0.0);
            area += twice;
            moment += (u + v) * twice;
        }
        if area > 0.0 && area.is_normal() {
            return from + moment / (3.0 * area);
        }
        corners.iter().map(|corner| corner.at).sum::<Vec2>() / corners.len() as f64
    }

    /// Reports whether a point is inside a cell, farther from its edges than `room`.
    pub(crate) fn is_inside(&self, cell: usize, point: Vec2, room: f64) -> bool {
        let corners = &self.cells[cell].corners;
        (0..corners.len()).all(|k| {
            let (from, to) = (corners[k].at, corners[(k + 1) % corners.len()].at);
            // An edge without a length is redundant: it lies between two others.
            (to - from).try_normalize().is_none_or(|along| along.perp_dot(point - from) > room)
        })
    }

    /// Returns other points inside a cell, for use if the first is on a section.
    pub(crate) fn others(&self, cell: usize) -> impl Iterator<Item = Vec2> + '_ {
        let middle = self.middle(cell);
        // The share is no simple ratio, so that sections which meet in the middle are missed.
        self.cells[cell].corners.iter().map(move |corner| middle + (corner.at - middle) * 0.381_966_011_25)
    }

    /// Computes the thickness of the cell: the least of its heights over its edges.
    pub(crate) fn thickness(&self, cell: usize) -> f64 {
        let corners = &self.cells[cell].corners;
        let over = |k: usize| {
            let (from, to) = (corners[k].at, corners[(k + 1) % corners.len()].at);
            let inward = (to - from).perp().normalize_or_zero();
            corners.iter().map(|corner| inward.dot(corner.at - from)).fold(0.0, f64::max)
        };
        (0..corners.len()).map(over).fold(f64::INFINITY, f64::min)
    }

    /// Returns the triangles of a cell in space, with the orientation of the triangle.
    pub(crate) fn triangles(&self, cell: usize) -> impl Iterator<Item = Triangle> + '_ {
        let corners = &self.cells[cell].corners;
        let [a, b, c] = self.corners.map(|corner| Vec2::new(corner.x, corner.y));
        let is_turned = (b - a).perp_dot(c - a) < 0.0;
        let place = move |k: usize| self.in_space(corners[k].at);
        (1..corners.len().saturating_sub(1)).map(move |k| {
            let [p, q, r] = [place(0), place(k), place(k + 1)];
            if is_turned { [p, r, q] } else { [p, q, r] }
        })
    }

    /// Returns the point of the plane over a point of the projection.
    fn in_space(&self, at: Vec2) -> Vec3 {
        let known = self.corners.iter().find(|corner| corner.x == at.x && corner.y == at.y);
        let height = known.map_or_else(|| height_over(&self.corners, at), |corner| corner.z);
        let mut point = Vec3::ZERO;
        (point[(self.axis + 1) % 3], point[(self.axis + 2) % 3], point[self.axis]) = (at.x, at.y, height);
        point
    }
}

impl Cell {
    fn new(corners: SmallVec<[CellCorner; 6]>) -> Self {
        let first = corners[0].at;
        let low = corners.iter().fold(first, |low, corner| low.min(corner.at));
        let high = corners.iter().fold(first, |high, corner| high.max(corner.at));
        Self { corners, low, high }
    }

    /// Reports whether the segment passes through the cell, deeper than the tolerance, with more than the tolerance of
    /// the cell on both sides.
    fn is_crossed(&self, [from, to]: &Segment, along: Vec2, tolerance: f64) -> bool {
        let heights = self.corners.iter().map(|corner| along.perp_dot(corner.at - *from));
        let (low, high) = heights.fold((0.0f64, 0.0f64), |(low, high), height| (low.min(height), high.max(height)));
        if low >= -tolerance || high <= tolerance {
            return false;
        }
        let (mut first, mut last) = (0.0f64, (*to - *from).dot(along));
        for k in 0..self.corners.len() {
            let (start, end) = (self.corners[k].at, self.corners[(k + 1) % self.corners.len()].at);
            let Some(edge) = (end - start).try_normalize() else { continue };
            // `depth` is the depth of the segment's start inside the edge, `slope` its increase along the segment.
            let (depth, slope) = (edge.perp_dot(*from - start) - tolerance, edge.perp_dot(along));
            if slope > 0.0 {
                first = first.max(-depth / slope);
            } else if slope < 0.0 {
                last = last.min(depth / -slope);
            } else if depth < 0.0 {
                return false;
            }
        }
        last > first
    }

    /// Splits the cell into the part to the left of a line and the part to its right.
    fn halves(&self, from: Vec2, along: Vec2, tolerance: f64) -> [Self; 2] {
        // Corners nearly on the line are used for both parts as they are: new ones next to them would only make
        // slivers.
        let on_line = tolerance * 0.125;
        let side = |at: Vec2| {
            let height = along.perp_dot(at - from);
            if height.abs() <= on_line { 0.0 } else { height }
        };
        let count = self.corners.len();
        let heights: SmallVec<[f64; 6]> = self.corners.iter().map(|corner| side(corner.at)).collect();
        [1.0, -1.0].map(|sign| {
            let mut part: SmallVec<[CellCorner; 6]> = SmallVec::new();
            // The corner at which the part continues along the line.
            let mut leaves = None;
            for k in 0..count {
                let (here, next) = (self.corners[k], self.corners[(k + 1) % count]);
                let (at_here, at_next) = (heights[k] * sign, heights[(k + 1) % count] * sign);
                if at_here >= 0.0 {
                    if at_here == 0.0 && at_next < 0.0 {
                        leaves = Some(part.len());
                    }
                    part.push(here);
                }
                if at_here > 0.0 && at_next < 0.0 || at_here < 0.0 && at_next > 0.0 {
                    if at_here > 0.0 {
                        leaves = Some(part.len());
                    }
                    part.push(CellCorner {
                        at: crossing(here, next.at, |at| along.perp_dot(at - from)),
                        edge: here.edge,
                    });
                }
            }
            if let Some(number) = leaves {
                part[number].edge = [part[number].at, part[(number + 1) % part.len()].at];
            }
            Self::new(part)
        })
    }
}

/// Computes the point where an edge passes height 0 between a corner and the next one.
fn crossing(here: CellCorner, next: Vec2, height: impl Fn(Vec2) -> f64) -> Vec2 {
    let [start, end] = here.edge;
    let (at_start, at_end) = (height(start), height(end));
    let at = start + (end - start) * (at_start / (at_start - at_end));
    // Clamped between both corners, in case rounding changes the order along the edge.
    at.clamp(here.at.min(next), here.at.max(next))
}
