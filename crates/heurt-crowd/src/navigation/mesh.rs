//! Navigation mesh: triangles of the part of a floor where centres of agents can be.
//!
//! In: eroded floors. Out: [`NavigationMesh`]: triangles, their neighbours, corners that paths bend around, whether a
//! segment is free.
//! Method: constrained Delaunay triangulation without added points, joined at passages ([`FloorMesh`]). Segments are
//! followed from triangle to triangle, so that floors over each other never mix.
//! Guarantees: a free segment is exact (`orient2d`). Cost: O(n log n); a segment O(triangles crossed).

use crate::ground::{FloorMesh, join, nearest_on};
use heurt_geometry::{FloorArea, Sign, Vec2, Vec3, orient2d};
use heurt_map::{CombinatorialMap, Dart};
use smallvec::SmallVec;

/// A place this near to a wall, in metres, counts as on it: goals are cut to the floor with rounding of 1e-9 m at most,
/// and no passage is so narrow.
const ON_WALL: f64 = 1e-6;

/// Lines whose angle has a sine below this cross at no definite place: rounding of corners.
const NEARLY_PARALLEL: f64 = 1e-9;

/// No triangle.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// A triangulated floor for discs of one radius.
#[derive(Debug, Clone)]
pub(crate) struct NavigationMesh {
    pub floor: FloorMesh,
    /// The triangle beyond the side from corner k to the next, or [`NO_TRIANGLE`] at a wall.
    pub beyond: Vec<[u32; 3]>,
    /// True for corners that shortest paths may bend around.
    pub is_bend: Vec<bool>,
    /// One triangle at each corner.
    pub triangle_at: Vec<u32>,
    /// By triangle: the number of the connected part that it belongs to.
    pub part: Vec<u32>,
}

impl NavigationMesh {
    /// Triangulates floors; `None` if they have no inside. With `side`, in metres, triangles are no larger than a
    /// square of that side.
    pub fn new(mut floors: Vec<FloorArea>, side: Option<f64>) -> Option<Self> {
        let passages = join(&mut floors);
        let (floor, built) = FloorMesh::new(floors, &passages, side).ok()?;
        if floor.triangles.is_empty() {
            return None;
        }
        let map = &built.map;
        let points = &floor.points;
        let opposite = |dart: u32| {
            let other = map.phi2(Dart(dart));
            if map.is_boundary(other) { NO_TRIANGLE } else { other.0 / 3 }
        };
        let triangles = &floor.triangles;
        let count = triangles.len() as u32;
        let beyond: Vec<[u32; 3]> = (0..count).map(|t| [0, 1, 2].map(|k| opposite(3 * t + k))).collect();
        // By corner: the next corner along its wall, with the floor to the left.
        let mut border: Vec<Option<u32>> = vec![None; points.len()];
        let mut triangle_at = vec![NO_TRIANGLE; points.len()];
        for (number, (triangle, beyond)) in triangles.iter().zip(&beyond).enumerate() {
            for k in 0..3 {
                triangle_at[triangle[k] as usize] = number as u32;
                if beyond[k] == NO_TRIANGLE {
                    border[triangle[k] as usize] = Some(triangle[(k + 1) % 3]);
                }
            }
        }
        let part = parts_of(&beyond);
        let is_bend = vec![false; floor.points.len()];
        let mut mesh = Self { floor, beyond, is_bend, triangle_at, part };
        mesh.is_bend = border.iter().enumerate().map(|(at, after)| mesh.is_wide(at as u32, *after)).collect();
        Some(mesh)
    }

    /// Reports whether the floor around a corner of a wall is wider than half a turn; `after` is the next corner of the
    /// wall, from which the floor begins counter-clockwise. On floors over each other it may be wider than a turn.
    fn is_wide(&self, corner: u32, after: Option<u32>) -> bool {
        let Some(after) = after else { return false };
        let (at, along) = (self.point(corner), self.point(after));
        // A triangle is narrower than half a turn, so that one of its sides lies in the second half of the turn.
        let is_past = |&(triangle, k): &(u32, usize)| {
            let last = self.corners(triangle)[(k + 2) % 3];
            orient2d(at, along, last) == Sign::Negative
        };
        self.fan(corner).iter().any(is_past)
    }

    /// Returns the triangle next to one in the fan around a corner, to the left (counter-clockwise) or to the right.
    pub fn next_in_fan(&self, triangle: u32, k: usize, is_left: bool) -> Option<(u32, usize)> {
        let next = self.beyond[triangle as usize][(k + if is_left { 2 } else { 0 }) % 3];
        let corner = self.triangle(triangle)[k];
        let place = (next != NO_TRIANGLE).then(|| self.triangle(next).iter().position(|&other| other == corner));
        place.flatten().map(|k| (next, k))
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [Vec2; 3] {
        self.floor.corners(triangle)
    }

    /// Returns the numbers of the corners of a triangle.
    pub fn triangle(&self, triangle: u32) -> [u32; 3] {
        self.floor.triangles[triangle as usize]
    }

    /// Returns the position of a corner.
    pub fn point(&self, corner: u32) -> Vec2 {
        self.floor.points[corner as usize]
    }

    /// Returns the position of a corner, with its height.
    pub fn place(&self, corner: u32) -> Vec3 {
        let (at, triangle) = (self.point(corner), self.triangle_at[corner as usize]);
        at.extend(if triangle == NO_TRIANGLE { 0.0 } else { self.floor.height(triangle, at) })
    }

    /// Reports whether the straight path from a point to a place is free, from a triangle that contains the point. It
    /// may touch walls and corners, and end on a wall up to rounding.
    pub fn sees(&self, triangle: u32, from: Vec2, to: Vec3) -> bool {
        self.first_seen(triangle, from, to).is_some()
    }

    /// Returns the first triangle of the straight path from a point to a place, if it is free.
    pub fn first_seen(&self, triangle: u32, from: Vec2, to: Vec3) -> Option<u32> {
        self.free_start(triangle, from, to).map(|(start, _)| start)
    }

    /// Returns the first triangle of a free straight path, and the side on which it passes corners.
    fn free_start(&self, triangle: u32, from: Vec2, to: Vec3) -> Option<(u32, Pivot)> {
        // From a corner the walk begins in a triangle around it that lies ahead.
        let Some(k) = self.corners(triangle).iter().position(|&corner| corner == from) else {
            return Some((triangle, self.free_side(triangle, from, to)?));
        };
        let is_ahead = |&(start, k): &(u32, usize)| {
            let corners = self.corners(start);
            let side = |corner: Vec2| orient2d(from, corner, to.truncate());
            side(corners[(k + 1) % 3]) != Sign::Negative && side(corners[(k + 2) % 3]) != Sign::Positive
        };
        if from == to.truncate() && self.floor.is_level_with(triangle, to) {
            return Some((triangle, Pivot::Left));
        }
        let fan = self.fan(self.triangle(triangle)[k]);
        let mut ahead = fan.iter().filter(|start| is_ahead(start)).map(|&(start, _)| start);
        ahead.find_map(|start| Some((start, self.free_side(start, from, to)?)))
    }

    /// Returns the side on which a free straight path passes corners; `None` if it is not free.
    fn free_side(&self, start: u32, from: Vec2, to: Vec3) -> Option<Pivot> {
        match self.walk(start, from, to, Pivot::Left, |_, _| {}) {
            WalkEnd::Inside => Some(Pivot::Left),
            // A second walk can differ only if there were corners on the line.
            WalkEnd::Wall { has_passed_corner } => {
                let second = || self.walk(start, from, to, Pivot::Right, |_, _| {});
                (has_passed_corner && matches!(second(), WalkEnd::Inside)).then_some(Pivot::Right)
            }
        }
    }

    /// Calls `visit` with each triangle that the straight path from a point of a triangle to a place crosses, and the
    /// length of the path in it, in metres; returns false, without a call, if the path is not free.
    pub fn for_each_crossed(&self, triangle: u32, from: Vec2, to: Vec3, mut visit: impl FnMut(u32, f64)) -> bool {
        let Some((start, side)) = self.free_start(triangle, from, to) else { return false };
        let along = to.truncate() - from;
        let (mut passed, mut here) = (0.0_f64, start);
        self.walk(start, from, to, side, |beyond, [a, b]| {
            let side = b - a;
            let across = along.perp_dot(side);
            // Along a side lines do not cross: the path comes to its end.
            let share = match across.abs() > NEARLY_PARALLEL * along.length() * side.length() {
                true => (a - from).perp_dot(side) / across,
                false => {
                    [a, b].map(|end| (end - from).dot(along)).into_iter().fold(0.0, f64::max) / along.length_squared()
                }
            };
            let share = if share.is_nan() { passed } else { share.clamp(passed, 1.0) };
            visit(here, (share - passed) * along.length());
            (passed, here) = (share, beyond);
        });
        visit(here, (1.0 - passed) * along.length());
        true
    }

    /// Lists the triangles around a corner, and which of their corners it is.
    pub fn fan(&self, corner: u32) -> SmallVec<[(u32, usize); 8]> {
        let mut all = SmallVec::new();
        let place = |triangle: u32| self.triangle(triangle).iter().position(|&k| k == corner);
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

    /// Walks along a segment. Corners on the segment are passed on the given side. Calls `enter` with each next
    /// triangle and the side through which it is entered.
    fn walk(&self, start: u32, from: Vec2, goal: Vec3, side: Pivot, mut enter: impl FnMut(u32, [Vec2; 2])) -> WalkEnd {
        let (mut here, mut has_passed_corner, to) = (start, false, goal.truncate());
        // A straight walk enters each triangle once; the bound guards against rounding of the start.
        for _ in 0..=self.beyond.len() {
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
                    exit = Some((beyond, [a, b]));
                }
            }
            match exit {
                _ if is_inside || is_at_wall => {
                    let is_there = self.floor.is_level_with(here, goal);
                    return if is_there { WalkEnd::Inside } else { WalkEnd::Wall { has_passed_corner } };
                }
                Some((beyond, side)) if beyond != NO_TRIANGLE => {
                    enter(beyond, side);
                    here = beyond;
                }
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
