//! Navigation mesh: triangles of the part of a floor where centres of agents can be.
//!
//! In: eroded areas. Out: [`NavigationMesh`]: triangles, their neighbours, corners that paths bend around, the triangle
//! of a point, whether a segment is free.
//! Method: constrained Delaunay triangulation without added points; a grid of squares over the triangles.
//! Guarantees: the triangle of a point is exact (`orient2d`), and so is a free segment. Cost: O(n log n); a segment
//! O(triangles crossed).

use crate::ground::nearest_on;
use heurt_geometry::{PlanArea, Sign, Vec2, orient2d};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit};
use smallvec::SmallVec;

/// A place this near to a wall, in metres, counts as on it: goals are cut to the floor with rounding of 1e-9 m at most,
/// and no passage is so narrow.
const ON_WALL: f64 = 1e-6;

/// No triangle.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// A triangulated floor for discs of one radius.
#[derive(Debug, Clone)]
pub(crate) struct NavigationMesh {
    pub points: Vec<Vec2>,
    /// Counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
    /// The triangle beyond the side from corner k to the next, or [`NO_TRIANGLE`] at a wall.
    pub beyond: Vec<[u32; 3]>,
    /// True for corners that shortest paths may bend around.
    pub is_bend: Vec<bool>,
    /// The walls at each corner: previous and next corner along the border, with the floor to the left.
    pub border: Vec<Option<[u32; 2]>>,
    /// One triangle at each corner.
    pub triangle_at: Vec<u32>,
    /// By triangle: the number of the connected part that it belongs to.
    pub part: Vec<u32>,
    grid: TriangleGrid,
}

impl NavigationMesh {
    /// Triangulates areas; `None` if they have no inside.
    pub fn new(areas: &[PlanArea]) -> Option<Self> {
        let rings: Vec<&[Vec2]> = areas.iter().flat_map(PlanArea::rings).collect();
        let plan = Map2::from_outlines(&rings).ok()?;
        let map = &plan.built.map;
        let points: Vec<Vec2> = plan.built.vertex_of.iter().map(|&vertex| plan.points[vertex as usize]).collect();
        let count = map.cell_counts()[2] as u32;
        // Darts of a built map are the corners of its faces, laid end to end.
        let corner = |dart: u32| map.id(Orbit::Vertex, Dart(dart));
        let opposite = |dart: u32| {
            let other = map.phi2(Dart(dart));
            if map.is_boundary(other) { NO_TRIANGLE } else { other.0 / 3 }
        };
        let triangles: Vec<[u32; 3]> = (0..count).map(|t| [0, 1, 2].map(|k| corner(3 * t + k))).collect();
        let beyond: Vec<[u32; 3]> = (0..count).map(|t| [0, 1, 2].map(|k| opposite(3 * t + k))).collect();
        let mut border: Vec<Option<[u32; 2]>> = vec![None; points.len()];
        let mut triangle_at = vec![NO_TRIANGLE; points.len()];
        for (number, (triangle, beyond)) in triangles.iter().zip(&beyond).enumerate() {
            for k in 0..3 {
                triangle_at[triangle[k] as usize] = number as u32;
                if beyond[k] == NO_TRIANGLE {
                    let [a, b] = [triangle[k], triangle[(k + 1) % 3]];
                    border[a as usize].get_or_insert([a, a])[1] = b;
                    border[b as usize].get_or_insert([b, b])[0] = a;
                }
            }
        }
        let is_bend = |(at, border): (usize, &Option<[u32; 2]>)| {
            let turn = |[before, after]: [u32; 2]| {
                orient2d(points[before as usize], points[at], points[after as usize]) == Sign::Negative
            };
            border.is_some_and(turn)
        };
        let is_bend = border.iter().enumerate().map(is_bend).collect();
        let grid = TriangleGrid::new(&points, &triangles);
        let part = parts_of(&beyond);
        Some(Self { points, triangles, beyond, is_bend, border, triangle_at, part, grid })
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [Vec2; 3] {
        self.triangles[triangle as usize].map(|corner| self.points[corner as usize])
    }

    /// Finds a triangle that contains a point.
    pub fn triangle_of(&self, point: Vec2) -> Option<u32> {
        let is_in = |&triangle: &u32| {
            let [a, b, c] = self.corners(triangle);
            [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| orient2d(from, to, point) != Sign::Negative)
        };
        self.grid.triangles_at(point).iter().copied().find(is_in)
    }

    /// Finds a triangle that contains a point, or the nearest point of the mesh within `reach` metres and its triangle.
    pub fn nearest(&self, point: Vec2, reach: f64) -> Option<(u32, Vec2)> {
        if let Some(triangle) = self.triangle_of(point) {
            return Some((triangle, point));
        }
        let mut best: Option<(f64, u32, Vec2)> = None;
        self.grid.for_each_in([point - reach, point + reach], |triangle| {
            let [a, b, c] = self.corners(triangle);
            for side in [[a, b], [b, c], [c, a]] {
                let place = nearest_on(side, point);
                let distance = place.distance(point);
                let is_nearer = |&(least, number, _): &(f64, u32, Vec2)| (distance, triangle) < (least, number);
                if distance <= reach && best.as_ref().is_none_or(is_nearer) {
                    best = Some((distance, triangle, place));
                }
            }
        });
        best.map(|(_, triangle, place)| (triangle, place))
    }

    /// Reports whether the segment between two points is free, from a triangle that contains the first. It may
    /// touch walls and corners, and end on a wall up to rounding.
    pub fn sees(&self, triangle: u32, from: Vec2, to: Vec2) -> bool {
        // From a corner the walk begins in a triangle around it that lies ahead.
        let Some(k) = self.corners(triangle).iter().position(|&corner| corner == from) else {
            return self.sees_from(triangle, from, to);
        };
        let is_ahead = |&(start, k): &(u32, usize)| {
            let corners = self.corners(start);
            let side = |corner: Vec2| orient2d(from, corner, to);
            side(corners[(k + 1) % 3]) != Sign::Negative && side(corners[(k + 2) % 3]) != Sign::Positive
        };
        let fan = self.fan(self.triangles[triangle as usize][k]);
        from == to || fan.iter().filter(|start| is_ahead(start)).any(|&(start, _)| self.sees_from(start, from, to))
    }

    fn sees_from(&self, start: u32, from: Vec2, to: Vec2) -> bool {
        match self.walk(start, from, to, Pivot::Left) {
            WalkEnd::Inside => true,
            // A second walk can differ only if there were corners on the line.
            WalkEnd::Wall { has_passed_corner } => {
                has_passed_corner && matches!(self.walk(start, from, to, Pivot::Right), WalkEnd::Inside)
            }
        }
    }

    /// Lists the triangles around a corner, and which of their corners it is.
    pub fn fan(&self, corner: u32) -> SmallVec<[(u32, usize); 8]> {
        let mut all = SmallVec::new();
        let place = |triangle: u32| self.triangles[triangle as usize].iter().position(|&k| k == corner);
        let start = self.triangle_at[corner as usize];
        let Some(first) = (start != NO_TRIANGLE).then(|| place(start)).flatten() else { return all };
        all.push((start, first));
        for turn in [0, 2] {
            // Side k leads clockwise, side k + 2 counter-clockwise.
            let (mut here, mut k) = (start, first);
            loop {
                here = self.beyond[here as usize][(k + turn) % 3];
                if here == NO_TRIANGLE || here == start {
                    break;
                }
                let Some(next) = place(here) else { break };
                k = next;
                all.push((here, k));
            }
            if here == start {
                break;
            }
        }
        all
    }

    /// Walks along a segment. Corners on the segment are passed on the given side.
    fn walk(&self, start: u32, from: Vec2, to: Vec2, side: Pivot) -> WalkEnd {
        let (mut here, mut has_passed_corner) = (start, false);
        // A straight walk enters each triangle once; the bound guards against rounding of the start.
        for _ in 0..=self.triangles.len() {
            let corners = self.corners(here);
            let mut exit = None;
            let mut is_inside = true;
            let mut is_at_wall = false;
            for k in 0..3 {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                if orient2d(a, b, to) != Sign::Negative {
                    continue;
                }
                is_inside = false;
                // Leaves through a side that the line crosses: its first corner to the right of the line.
                let (at_a, at_b) = (orient2d(from, to, a), orient2d(from, to, b));
                let pivot = match (at_a, at_b) {
                    (Sign::Negative, Sign::Positive) => None,
                    (Sign::Zero, Sign::Positive | Sign::Zero) => Some(Pivot::Left),
                    (Sign::Negative, Sign::Zero) => Some(Pivot::Right),
                    _ => continue,
                };
                let beyond = self.beyond[here as usize][k];
                is_at_wall |= beyond == NO_TRIANGLE && nearest_on([a, b], to).distance(to) <= ON_WALL;
                has_passed_corner |= pivot.is_some();
                if pivot.is_none() || pivot == Some(side) || exit.is_none() {
                    exit = Some(beyond);
                }
            }
            match exit {
                _ if is_inside || is_at_wall => return WalkEnd::Inside,
                Some(beyond) if beyond != NO_TRIANGLE => here = beyond,
                _ => return WalkEnd::Wall { has_passed_corner },
            }
        }
        WalkEnd::Wall { has_passed_corner }
    }
}

/// Numbers the connected parts of triangles.
fn parts_of(beyond: &[[u32; 3]]) -> Vec<u32> {
    let mut part = vec![NO_TRIANGLE; beyond.len()];
    let mut count = 0;
    for start in 0..beyond.len() {
        if part[start] != NO_TRIANGLE {
            continue;
        }
        part[start] = count;
        let mut queue = vec![start];
        while let Some(here) = queue.pop() {
            for next in beyond[here].into_iter().filter(|&next| next != NO_TRIANGLE) {
                if std::mem::replace(&mut part[next as usize], count) == NO_TRIANGLE {
                    queue.push(next as usize);
                }
            }
        }
        count += 1;
    }
    part
}

/// The end of a walk.
enum WalkEnd {
    Inside,
    Wall { has_passed_corner: bool },
}

/// The side on which a walk passes a corner on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pivot {
    Left,
    Right,
}

/// Triangles by the squares of a grid.
#[derive(Debug, Clone)]
struct TriangleGrid {
    low: Vec2,
    side: f64,
    size: [usize; 2],
    begin: Vec<u32>,
    triangles: Vec<u32>,
}

impl TriangleGrid {
    fn new(points: &[Vec2], triangles: &[[u32; 3]]) -> Self {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let [low, high] = points.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)]);
        let extent = (high - low).max(Vec2::splat(f64::MIN_POSITIVE));
        // Two squares a triangle, at most four million.
        let wanted = (2.0 * triangles.len() as f64).clamp(1.0, 4e6);
        let side = (extent.element_product() / wanted).sqrt().max(extent.max_element() / 4096.0);
        let size = [extent.x, extent.y].map(|length| (length / side).ceil().max(1.0) as usize);
        let mut grid = Self { low, side, size, begin: vec![0; size[0] * size[1] + 1], triangles: Vec::new() };
        let bounds = |triangle: &[u32; 3]| {
            let corners = triangle.map(|corner| points[corner as usize]);
            corners.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)])
        };
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (number, triangle) in triangles.iter().enumerate() {
            let [[x0, y0], [x1, y1]] = bounds(triangle).map(|corner| grid.square(corner));
            for y in y0..=y1 {
                entries.extend((x0..=x1).map(|x| ((y * size[0] + x) as u32, number as u32)));
            }
        }
        entries.sort_unstable();
        for &(square, _) in &entries {
            grid.begin[square as usize + 1] += 1;
        }
        for square in 1..grid.begin.len() {
            grid.begin[square] += grid.begin[square - 1];
        }
        grid.triangles = entries.into_iter().map(|(_, triangle)| triangle).collect();
        grid
    }

    fn square(&self, point: Vec2) -> [usize; 2] {
        let place = (point - self.low) / self.side;
        [(place.x as usize).min(self.size[0] - 1), (place.y as usize).min(self.size[1] - 1)]
    }

    fn triangles_at(&self, point: Vec2) -> &[u32] {
        let [x, y] = self.square(point);
        let square = y * self.size[0] + x;
        &self.triangles[self.begin[square] as usize..self.begin[square + 1] as usize]
    }

    fn for_each_in(&self, [low, high]: [Vec2; 2], mut visit: impl FnMut(u32)) {
        let ([x0, y0], [x1, y1]) = (self.square(low), self.square(high));
        for y in y0..=y1 {
            let row = y * self.size[0];
            let (from, to) = (self.begin[row + x0] as usize, self.begin[row + x1 + 1] as usize);
            self.triangles[from..to].iter().for_each(|&triangle| visit(triangle));
        }
    }
}
