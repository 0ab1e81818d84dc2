//! Cut of a closed part in two along a plane.
//!
//! In: a closed part and a plane. Out: two closed parts whose sum is the part.
//! Method: vertices are assigned to a side, vertices very near the plane to both. Edges between the sides get a vertex
//! at a parameter in `f64`; triangles are split there. The open border of one side is closed by a cap, the opposite
//! side by the reversed cap.
//! Guarantees: the sum is exact in spite of rounding: any assignment to sides is valid, and any point of its edge is a
//! valid new vertex, if it is the same for all triangles around the edge. Not guaranteed: that a cap stays within the
//! solid, see `cap`.
//! Cost: O(n log n), and the cost of the caps.

use std::collections::HashMap;

use heurt_geometry::{Vec2, Vec3};

use super::cap::cap;
use super::part::{ConvexPart, Face, MADE, Vertex};

/// Bound on the displacement by three roundings of a point between two points of coordinates up to 1.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

/// The plane of a cut: the points p with `normal` · p = `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CutPlane {
    pub(super) normal: Vec3,
    pub(super) offset: f64,
}

impl CutPlane {
    /// Returns the plane through `point` perpendicular to a direction of any length; `None` if that is zero.
    pub(super) fn through(point: Vec3, direction: Vec3) -> Option<Self> {
        let normal = direction.try_normalize()?;
        Some(Self { normal, offset: normal.dot(point) })
    }

    /// Computes the rounded height of `point` above the plane.
    pub(super) fn height(&self, point: Vec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Returns the coordinate axis to which the plane is perpendicular, if any.
    fn axis(&self) -> Option<usize> {
        (0..3).find(|&axis| self.normal[axis].abs() == 1.0)
    }

    /// Computes the heights of all vertices; heights within `snap` are 0.
    pub(super) fn heights(&self, part: &ConvexPart, snap: f64) -> Vec<f64> {
        let height = |vertex: &Vertex| {
            let height = self.height(vertex.place);
            if height.abs() <= snap { 0.0 } else { height }
        };
        part.vertices.iter().map(height).collect()
    }

    /// Computes the point at which the edge between two vertices on different sides is cut.
    pub(super) fn crossing(&self, ends: [&Vertex; 2], heights: [f64; 2]) -> Vertex {
        let share = (heights[0] / (heights[0] - heights[1])).clamp(0.0, 1.0);
        let mut place = ends[0].place + (ends[1].place - ends[0].place) * share;
        let mut doubt = ends[0].doubt.max(ends[1].doubt) + ROUNDING;
        if let Some(axis) = self.axis() {
            // All points of the cap are put in one plane, so that its hull has no superfluous corners.
            let level = self.offset * self.normal[axis];
            doubt += 2.0 * (place[axis] - level).abs();
            place[axis] = level;
        }
        Vertex { place, doubt, origin: MADE }
    }
}

/// Computes the parts above and below `plane`. Returns `None` if one of them would be empty, or if the triangles of the
/// cap overlap. In the latter case both sides would wind around outside points, in opposite directions, and no further
/// cut could repair that.
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
    // Seen from above, the cap of the upper side turns clockwise where there is solid.
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

/// Computes the length of a closed walk.
fn length(walk: &[u32], seen: impl Fn(u32) -> Vec2) -> f64 {
    walk.iter().zip(walk.iter().cycle().skip(1)).map(|(&a, &b)| (seen(b) - seen(a)).length()).sum()
}

struct Knife<'a> {
    plane: &'a CutPlane,
    /// Heights of the current vertices; 0 for vertices on the plane.
    heights: Vec<f64>,
    vertices: Vec<Vertex>,
    on_edge: HashMap<[u32; 2], u32>,
    /// The faces above and below.
    sides: [Vec<Face>; 2],
}

impl Knife<'_> {
    /// Assigns a face to a side, or its pieces to both.
    fn deal(&mut self, face: &Face) {
        let heights = face.corners.map(|corner| self.heights[corner as usize]);
        let above = heights.iter().filter(|&&height| height > 0.0).count();
        let below = heights.iter().filter(|&&height| height < 0.0).count();
        match (above, below) {
            (0, 0) => {
                let [a, b, c] = face.corners.map(|corner| self.vertices[corner as usize].place);
                // A face that is oriented upward bounds the part below.
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

    /// Returns the vertex on an edge that is cut, created at the first request.
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

    /// Returns the closed walks of edges that must be the border of the cap above the plane.
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
            // The cap runs along them in the opposite direction.
            let edge = if count > 0 { [high, low] } else { [low, high] };
            open.extend(std::iter::repeat_n(edge, count.unsigned_abs() as usize));
        }
        open.sort_unstable();
        chained(&open)
    }
}

/// Joins directed, sorted edges, equally many into and out of every vertex, to closed walks.
fn chained(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let first_from = |vertex: u32| edges.partition_point(|edge| edge[0] < vertex);
    // For each first edge from a vertex, the number of used edges.
    let mut used = vec![0; edges.len()];
    let mut loops = Vec::new();
    for &[start, _] in edges {
        let (mut walk, mut vertex) = (Vec::new(), start);
        // Each iteration uses up an edge.
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
