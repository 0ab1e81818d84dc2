//! Cutting a part in two along a plane.
//!
//! In: a closed part and a plane. Out: two closed parts whose sum it is.
//! Method: vertices are put on a side, those very near the plane on both; edges between the sides get a vertex at a
//! parameter in `f64`; triangles are split there. What is then open on one side is closed by a cap, and by the same cap
//! turned round on the other side.
//! Guarantees: the sum, whatever is rounded: the sides only have to be *some* sides and the new vertex *some* point of
//! its edge, the same for all triangles round it. Not guaranteed: that a cap stays within the solid, see `cap`.
//! Cost: O(n log n), and that of the caps.

use std::collections::HashMap;

use heurt_geometry::{Vec2, Vec3};

use super::cap::cap;
use super::part::{ConvexPart, Face, MADE, Vertex};

/// Bounds what three roundings move a point between two points of coordinates up to 1 by.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

/// Where to cut: the points p with `normal` · p = `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CutPlane {
    pub(super) normal: Vec3,
    pub(super) offset: f64,
}

impl CutPlane {
    /// The plane through `point` across a direction of any length; `None` where that has none.
    pub(super) fn through(point: Vec3, direction: Vec3) -> Option<Self> {
        let normal = direction.try_normalize()?;
        Some(Self { normal, offset: normal.dot(point) })
    }

    /// The rounded height of `point` above it.
    pub(super) fn height(&self, point: Vec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The axis that it is across, if any.
    fn axis(&self) -> Option<usize> {
        (0..3).find(|&axis| self.normal[axis].abs() == 1.0)
    }

    /// The heights of all vertices; those within `snap` are 0.
    pub(super) fn heights(&self, part: &ConvexPart, snap: f64) -> Vec<f64> {
        let height = |vertex: &Vertex| {
            let height = self.height(vertex.place);
            if height.abs() <= snap { 0.0 } else { height }
        };
        part.vertices.iter().map(height).collect()
    }

    /// The point at which the edge between two vertices on different sides is cut.
    pub(super) fn crossing(&self, ends: [&Vertex; 2], heights: [f64; 2]) -> Vertex {
        let share = (heights[0] / (heights[0] - heights[1])).clamp(0.0, 1.0);
        let mut place = ends[0].place + (ends[1].place - ends[0].place) * share;
        let mut doubt = ends[0].doubt.max(ends[1].doubt) + ROUNDING;
        if let Some(axis) = self.axis() {
            // All points of the cap in one plane, so that its hull has no crumbs.
            let level = self.offset * self.normal[axis];
            doubt += 2.0 * (place[axis] - level).abs();
            place[axis] = level;
        }
        Vertex { place, doubt, origin: MADE }
    }
}

/// The parts above and below `plane`; `None` where one of them would be empty, or where the triangles of the cap
/// overlap: then both sides would wind around what is outside, in opposite directions, and no further cut would mend
/// that.
pub(super) fn cut(part: &ConvexPart, plane: &CutPlane, snap: f64) -> Option<[ConvexPart; 2]> {
    let mut knife = Knife {
        plane,
        heights: plane.heights(part, snap),
        vertices: part.vertices.clone(),
        on_edge: HashMap::new(),
        sides: [Vec::new(), Vec::new()],
    };
    for face in &part.faces {
        knife.deal(face);
    }
    if knife.sides.iter().any(Vec::is_empty) {
        return None;
    }
    let loops = knife.loops();
    let (u, v) = plane.normal.any_orthonormal_pair();
    // Seen from above, what closes the upper side turns clockwise where there is solid.
    let seen = |vertex: u32| {
        let place = knife.vertices[vertex as usize].place;
        if u.cross(v).dot(plane.normal) > 0.0 {
            Vec2::new(v.dot(place), u.dot(place))
        } else {
            Vec2::new(u.dot(place), v.dot(place))
        }
    };
    let perimeter: f64 = loops.iter().map(|walk| length(walk, seen)).sum();
    let caps = cap(loops, seen);
    let areas = caps.iter().map(|&[a, b, c]| (seen(b) - seen(a)).perp_dot(seen(c) - seen(a)));
    let (net, all) = areas.fold((0.0, 0.0), |(net, all), area| (net + area, all + area.abs()));
    if all - net.abs() > 2.0 * snap * perimeter {
        return None;
    }
    let Knife { vertices, sides: [mut above, mut below], .. } = knife;
    above.extend(caps.iter().map(|&corners| Face { corners, is_cap: true }));
    below.extend(caps.iter().map(|&[a, b, c]| Face { corners: [a, c, b], is_cap: true }));
    Some([ConvexPart::new(&vertices, above), ConvexPart::new(&vertices, below)])
}

/// The length of a closed walk.
fn length(walk: &[u32], seen: impl Fn(u32) -> Vec2) -> f64 {
    walk.iter().zip(walk.iter().cycle().skip(1)).map(|(&a, &b)| (seen(b) - seen(a)).length()).sum()
}

struct Knife<'a> {
    plane: &'a CutPlane,
    /// Of the vertices so far; those on the plane have 0.
    heights: Vec<f64>,
    vertices: Vec<Vertex>,
    on_edge: HashMap<[u32; 2], u32>,
    /// The faces above and below.
    sides: [Vec<Face>; 2],
}

impl Knife<'_> {
    /// Gives a face to a side, or its pieces to both.
    fn deal(&mut self, face: &Face) {
        let heights = face.corners.map(|corner| self.heights[corner as usize]);
        let above = heights.iter().filter(|&&height| height > 0.0).count();
        let below = heights.iter().filter(|&&height| height < 0.0).count();
        match (above, below) {
            (0, 0) => {
                let [a, b, c] = face.corners.map(|corner| self.vertices[corner as usize].place);
                // What faces up bounds what is below.
                let side = usize::from((b - a).cross(c - a).dot(self.plane.normal) > 0.0);
                self.sides[side].push(*face);
            }
            (_, 0) => self.sides[0].push(*face),
            (0, _) => self.sides[1].push(*face),
            _ => self.split(face, heights),
        }
    }

    /// Splits a face with corners on both sides.
    fn split(&mut self, face: &Face, heights: [f64; 3]) {
        let mut pieces: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for k in 0..3 {
            let (from, to) = (face.corners[k], face.corners[(k + 1) % 3]);
            let (height, next) = (heights[k], heights[(k + 1) % 3]);
            if height >= 0.0 {
                pieces[0].push(from);
            }
            if height <= 0.0 {
                pieces[1].push(from);
            }
            if (height > 0.0 && next < 0.0) || (height < 0.0 && next > 0.0) {
                let middle = self.on_edge(from, to);
                pieces.iter_mut().for_each(|piece| piece.push(middle));
            }
        }
        for (side, piece) in self.sides.iter_mut().zip(pieces) {
            for k in 1..piece.len().saturating_sub(1) {
                side.push(Face { corners: [piece[0], piece[k], piece[k + 1]], is_cap: face.is_cap });
            }
        }
    }

    /// The vertex on an edge that is cut, made when it is first requested.
    fn on_edge(&mut self, from: u32, to: u32) -> u32 {
        let edge = [from.min(to), from.max(to)];
        let Self { plane, heights, vertices, on_edge, .. } = self;
        *on_edge.entry(edge).or_insert_with(|| {
            let ends = edge.map(|end| &vertices[end as usize]);
            let vertex = plane.crossing(ends, edge.map(|end| heights[end as usize]));
            vertices.push(vertex);
            heights.push(0.0);
            vertices.len() as u32 - 1
        })
    }

    /// The closed walks of edges that the cap above the plane must have as its border.
    fn loops(&self) -> Vec<Vec<u32>> {
        let lies_on = |vertex: u32| self.heights[vertex as usize] == 0.0;
        let mut edges: Vec<([u32; 2], i32)> = Vec::new();
        for Face { corners, .. } in &self.sides[0] {
            for k in 0..3 {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                if lies_on(from) && lies_on(to) {
                    edges.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
                }
            }
        }
        edges.sort_unstable();
        let mut open: Vec<[u32; 2]> = Vec::new();
        for run in edges.chunk_by(|a, b| a.0 == b.0) {
            let count: i32 = run.iter().map(|(_, direction)| direction).sum();
            let [low, high] = run[0].0;
            // The cap runs along them the other way.
            let edge = if count > 0 { [high, low] } else { [low, high] };
            open.extend(std::iter::repeat_n(edge, count.unsigned_abs() as usize));
        }
        open.sort_unstable();
        chained(&open)
    }
}

/// Joins directed edges, sorted, as many into as out of every vertex, to closed walks.
fn chained(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let first_from = |vertex: u32| edges.partition_point(|edge| edge[0] < vertex);
    // Per first edge from a vertex, how many of them are used up.
    let mut used = vec![0; edges.len()];
    let mut loops = Vec::new();
    for &[start, _] in edges {
        let (mut walk, mut vertex) = (Vec::new(), start);
        // Each round uses up an edge.
        loop {
            let first = first_from(vertex);
            let Some(edge) = edges.get(first..).and_then(|rest| rest.get(*used.get(first)?)) else { break };
            if edge[0] != vertex {
                break;
            }
            used[first] += 1;
            walk.push(vertex);
            vertex = edge[1];
            if vertex == start {
                break;
            }
        }
        if !walk.is_empty() {
            loops.push(walk);
        }
    }
    loops
}
