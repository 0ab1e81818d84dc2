//! Constrained triangulation of a face that is cut: its corners, nodes on its edges and inside, segments across it.
//!
//! In: the nodes of a face, and segments that meet in nodes only. Out: triangles of nodes that cover the face, turning
//! as the face does, with every segment as a side.
//! Method: nodes are inserted one by one, each from the triangle of the last one (visibility walk); sides are flipped
//! while the circle around one triangle clearly contains the opposite corner (Lawson). A segment is inserted by flips
//! of the sides that it crosses (Sloan, "A fast algorithm for generating constrained Delaunay triangulations", 1993).
//! Guarantees: all sides and orders are exact; only the choice among valid triangulations uses rounded circles. Cost:
//! close to linear for nodes along curves, O(n²) at worst.

use super::arrangement::CutSegment;
use super::meet::{Projection, inverse_power};
use super::nodes::{FaceNodes, NodeId};
use heurt_geometry::{Sign, Vec2};
use std::collections::VecDeque;

/// No triangle.
const NONE: u32 = u32::MAX;

/// A triangle: its corners as places in the list of nodes, and for each corner the triangle across the opposite side.
#[derive(Debug, Clone, Copy)]
struct FaceCell {
    corners: [u32; 3],
    across: [u32; 3],
    /// Whether the side opposite each corner is a segment.
    is_fixed: [bool; 3],
}

/// The triangulation of a face.
struct Triangulation<'a, N> {
    nodes: &'a N,
    projection: Projection,
    /// The sign of the area of the face in the projection.
    turn: Sign,
    list: Vec<NodeId>,
    /// Rounded places in a frame in which the face has a size between 1 and 2, for circles.
    places: Vec<Vec2>,
    origin: Vec2,
    scale: f64,
    cells: Vec<FaceCell>,
    /// A triangle at each node.
    cell_at: Vec<u32>,
    /// The triangle at which the next walk begins.
    last: u32,
}

/// A face to be divided.
pub(super) struct CutFace<'a> {
    /// The corners in order.
    pub corners: [NodeId; 3],
    /// All nodes on the edges, then the nodes inside.
    pub inner: &'a [NodeId],
    pub segments: &'a [CutSegment],
}

/// Divides a face along its segments; `None` if they do not fit, which would be an error of this module.
pub(super) fn divide<N: FaceNodes>(
    nodes: &N,
    projection: Projection,
    turn: Sign,
    face: &CutFace<'_>,
) -> Option<Vec<[NodeId; 3]>> {
    let mut all = Triangulation::new(nodes, projection, turn, face.corners);
    for node in face.inner {
        all.insert(*node)?;
    }
    let mut place_of: Vec<(NodeId, u32)> = all.list.iter().copied().zip(0..).collect();
    place_of.sort_unstable();
    let find = |node: NodeId| place_of.binary_search_by_key(&node, |(known, _)| *known).ok().map(|at| place_of[at].1);
    for [a, b] in face.segments {
        all.fix(find(*a)?, find(*b)?)?;
    }
    Some(all.cells.iter().map(|cell| cell.corners.map(|corner| all.list[corner as usize])).collect())
}

impl<'a, N: FaceNodes> Triangulation<'a, N> {
    fn new(nodes: &'a N, projection: Projection, turn: Sign, corners: [NodeId; 3]) -> Self {
        let cell = FaceCell { corners: [0, 1, 2], across: [NONE; 3], is_fixed: [false; 3] };
        let [origin, b, c] = corners.map(|corner| projection.place(nodes.place(corner)));
        let size = (b - origin).abs().max((c - origin).abs()).max_element();
        let scale = inverse_power(size);
        let mut all = Self {
            nodes,
            projection,
            turn,
            list: Vec::new(),
            places: Vec::new(),
            origin,
            scale,
            cells: vec![cell],
            cell_at: vec![0; 3],
            last: 0,
        };
        corners.into_iter().for_each(|corner| all.add(corner));
        all
    }

    fn add(&mut self, node: NodeId) {
        self.list.push(node);
        self.places.push((self.projection.place(self.nodes.place(node)) - self.origin) * self.scale);
    }

    /// The side of a directed line on which a node lies: positive on the left, as seen from the front of the face.
    fn side(&self, a: u32, b: u32, c: u32) -> Sign {
        let nodes = [a, b, c].map(|at| self.list[at as usize]);
        self.nodes.orient(self.projection, nodes).times(self.turn)
    }

    /// Inserts a node that lies in the face.
    fn insert(&mut self, node: NodeId) -> Option<()> {
        let new = self.list.len() as u32;
        self.add(node);
        self.cell_at.push(NONE);
        let mut at = self.last;
        // A walk in a triangulation that is not Delaunay may turn in circles: then all triangles are tried.
        let mut patience = 4 * self.cells.len() + 16;
        let zeros = 'walk: loop {
            let FaceCell { corners, across, .. } = self.cells[at as usize];
            let mut zeros = [false; 3];
            for k in 0..3 {
                let side = self.side(corners[(k + 1) % 3], corners[(k + 2) % 3], new);
                if side == Sign::Negative {
                    patience -= 1;
                    at = if patience == 0 { self.find(new)? } else { across[k] };
                    if at == NONE {
                        return None;
                    }
                    continue 'walk;
                }
                zeros[k] = side.is_zero();
            }
            break zeros;
        };
        match zeros {
            [false, false, false] => self.split_cell(at, new),
            [true, false, false] => self.split_side(at, 0, new),
            [false, true, false] => self.split_side(at, 1, new),
            [false, false, true] => self.split_side(at, 2, new),
            // The place of a node that is there already: nodes are different points.
            _ => return None,
        }
        self.last = self.cell_at[new as usize];
        Some(())
    }

    /// Finds the triangle that contains a node by trying all.
    fn find(&self, node: u32) -> Option<u32> {
        let contains = |cell: &FaceCell| {
            (0..3).all(|k| self.side(cell.corners[(k + 1) % 3], cell.corners[(k + 2) % 3], node) != Sign::Negative)
        };
        self.cells.iter().position(contains).map(|at| at as u32)
    }

    /// Replaces the neighbour of a triangle across a side.
    fn relink(&mut self, cell: u32, old: u32, new: u32) {
        if cell != NONE {
            let across = &mut self.cells[cell as usize].across;
            across.iter_mut().filter(|one| **one == old).for_each(|one| *one = new);
        }
    }

    fn set(&mut self, at: u32, corners: [u32; 3], across: [u32; 3], is_fixed: [bool; 3]) {
        let cell = FaceCell { corners, across, is_fixed };
        match self.cells.get_mut(at as usize) {
            Some(known) => *known = cell,
            None => self.cells.push(cell),
        }
        corners.iter().for_each(|corner| self.cell_at[*corner as usize] = at);
    }

    /// Divides a triangle into three.
    fn split_cell(&mut self, at: u32, new: u32) {
        let FaceCell { corners: [a, b, c], across: [x, y, z], is_fixed: [p, q, r] } = self.cells[at as usize];
        let [second, third] = [0, 1].map(|k| self.cells.len() as u32 + k);
        // Opposite the new node lie the old sides: bc, ca, ab.
        self.set(at, [new, b, c], [x, second, third], [p, false, false]);
        self.set(second, [new, c, a], [y, third, at], [q, false, false]);
        self.set(third, [new, a, b], [z, at, second], [r, false, false]);
        self.relink(y, at, second);
        self.relink(z, at, third);
        self.legalize(vec![at, second, third], new);
    }

    /// Divides the side opposite corner `k` of a triangle, and both triangles at it.
    fn split_side(&mut self, at: u32, k: usize, new: u32) {
        let FaceCell { corners, across, is_fixed } = self.cells[at as usize];
        let [a, b, c] = [0, 1, 2].map(|j| corners[(k + j) % 3]);
        let [x, y, z] = [0, 1, 2].map(|j| across[(k + j) % 3]);
        let [p, q, r] = [0, 1, 2].map(|j| is_fixed[(k + j) % 3]);
        let second = self.cells.len() as u32;
        // abc becomes a-b-new and a-new-c.
        self.set(at, [new, a, b], [z, NONE, second], [r, p, false]);
        self.set(second, [new, c, a], [y, at, NONE], [q, false, p]);
        self.relink(y, at, second);
        let mut changed = vec![at, second];
        if x != NONE {
            let other = self.cells[x as usize];
            let j = (0..3).find(|j| other.corners[*j] != b && other.corners[*j] != c).unwrap_or(0);
            let d = other.corners[j];
            // The second triangle is d-c-b.
            let [_, on_b, on_c] = [0, 1, 2].map(|i| other.across[(j + i) % 3]);
            let [_, fixed_b, fixed_c] = [0, 1, 2].map(|i| other.is_fixed[(j + i) % 3]);
            let fourth = self.cells.len() as u32;
            // on_b lies across the side b-d, on_c across the side d-c.
            self.set(x, [new, b, d], [on_b, fourth, at], [fixed_b, false, p]);
            self.set(fourth, [new, d, c], [on_c, second, x], [fixed_c, p, false]);
            self.relink(on_c, x, fourth);
            self.cells[at as usize].across[1] = x;
            self.cells[second as usize].across[2] = fourth;
            changed.extend([x, fourth]);
        }
        self.legalize(changed, new);
    }

    /// Flips sides opposite a new node, while the circle around the triangle behind contains it.
    fn legalize(&mut self, mut waiting: Vec<u32>, new: u32) {
        // Rounded circles may contradict each other: an end that does not depend on them.
        let mut patience = 8 * self.list.len() + 64;
        while let Some(at) = waiting.pop() {
            let cell = self.cells[at as usize];
            let Some(k) = cell.corners.iter().position(|corner| *corner == new) else { continue };
            let other = cell.across[k];
            if other == NONE || cell.is_fixed[k] || patience == 0 {
                continue;
            }
            patience -= 1;
            let Some(far) = self.far_corner(other, at) else { continue };
            let far = self.cells[other as usize].corners[far];
            if self.is_in_circle(cell.corners, far) && self.flip(at, k) {
                waiting.extend([at, other]);
            }
        }
    }

    /// The corner of a triangle opposite its side at a neighbour.
    fn far_corner(&self, cell: u32, neighbour: u32) -> Option<usize> {
        self.cells[cell as usize].across.iter().position(|across| *across == neighbour)
    }

    /// Tests whether a node lies clearly inside the circle around a triangle, in rounded numbers.
    fn is_in_circle(&self, corners: [u32; 3], node: u32) -> bool {
        let d = self.places[node as usize];
        let [a, b, c] = corners.map(|corner| self.places[corner as usize] - d);
        let lift = |p: Vec2| p.x * p.x + p.y * p.y;
        let minor = |p: Vec2, q: Vec2| p.x * q.y - p.y * q.x;
        let terms = [lift(a) * minor(b, c), lift(b) * minor(c, a), lift(c) * minor(a, b)];
        let sum: f64 = terms.iter().sum();
        let size: f64 = lift(a) * minor(b, c).abs() + lift(b) * minor(c, a).abs() + lift(c) * minor(a, b).abs();
        let turned = if self.turn == Sign::Negative { -sum } else { sum };
        turned > 1e-9 * size
    }

    /// Flips the side opposite corner `k` of a triangle; reports whether the two triangles form a convex quadrangle, so
    /// that it could be flipped.
    fn flip(&mut self, at: u32, k: usize) -> bool {
        let FaceCell { corners, across, is_fixed } = self.cells[at as usize];
        let [a, b, c] = [0, 1, 2].map(|j| corners[(k + j) % 3]);
        let [other, y, z] = [0, 1, 2].map(|j| across[(k + j) % 3]);
        let [_, q, r] = [0, 1, 2].map(|j| is_fixed[(k + j) % 3]);
        let Some(j) = self.far_corner(other, at) else { return false };
        let second = self.cells[other as usize];
        let d = second.corners[j];
        if self.side(a, b, d) != Sign::Positive || self.side(a, d, c) != Sign::Positive {
            return false;
        }
        // The second triangle is d-c-b: across its second corner c lies the side b-d, across b the side d-c.
        let [_, on_bd, on_dc] = [0, 1, 2].map(|i| second.across[(j + i) % 3]);
        let [_, fixed_bd, fixed_dc] = [0, 1, 2].map(|i| second.is_fixed[(j + i) % 3]);
        self.set(at, [a, b, d], [on_bd, other, z], [fixed_bd, false, r]);
        self.set(other, [a, d, c], [on_dc, y, at], [fixed_dc, q, false]);
        self.relink(on_bd, other, at);
        self.relink(y, at, other);
        true
    }

    /// Makes the segment between two nodes a side that is not flipped any more.
    fn fix(&mut self, a: u32, b: u32) -> Option<()> {
        let mut crossed = match self.crossed(a, b)? {
            SegmentCourse::Side(cell, k) => {
                self.mark(cell, k);
                return Some(());
            }
            SegmentCourse::Sides(sides) => sides,
        };
        let mut patience = 64 + crossed.len() * crossed.len() * 4;
        while let Some([p, q]) = crossed.pop_front() {
            patience = patience.checked_sub(1)?;
            let (at, k) = self.cell_with_side(p, q)?;
            if self.cells[at as usize].is_fixed[k] {
                return None;
            }
            if !self.flip(at, k) {
                crossed.push_back([p, q]);
                continue;
            }
            // The new side runs from the first corner to the far one.
            let [first, far] = [0, 2].map(|j| self.cells[at as usize].corners[j]);
            let is_end = [first, far].iter().any(|node| *node == a || *node == b);
            if !is_end && self.side(a, b, first).times(self.side(a, b, far)) == Sign::Negative {
                crossed.push_back([first, far]);
            }
        }
        let (cell, k) = self.cell_with_side(a, b)?;
        self.mark(cell, k);
        Some(())
    }

    fn mark(&mut self, cell: u32, k: usize) {
        self.cells[cell as usize].is_fixed[k] = true;
        let other = self.cells[cell as usize].across[k];
        if other != NONE
            && let Some(j) = self.far_corner(other, cell)
        {
            self.cells[other as usize].is_fixed[j] = true;
        }
    }

    /// Lists the triangles around a node.
    fn around(&self, node: u32) -> Vec<u32> {
        let start = self.cell_at[node as usize];
        let mut found = vec![start];
        let corner = |at: u32| self.cells[at as usize].corners.iter().position(|corner| *corner == node);
        for turn in [1, 2] {
            let mut at = start;
            while let Some(k) = corner(at) {
                at = self.cells[at as usize].across[(k + turn) % 3];
                if at == NONE {
                    break;
                }
                if at == start {
                    return found;
                }
                found.push(at);
            }
        }
        found
    }

    /// The triangle and the corner opposite a side between two nodes.
    fn cell_with_side(&self, p: u32, q: u32) -> Option<(u32, usize)> {
        self.around(p).into_iter().find_map(|at| {
            let corners = self.cells[at as usize].corners;
            corners.contains(&q).then(|| (0..3).find(|k| corners[*k] != p && corners[*k] != q).map(|k| (at, k)))?
        })
    }

    /// Finds the sides of triangles between two nodes.
    fn crossed(&self, a: u32, b: u32) -> Option<SegmentCourse> {
        if let Some((cell, k)) = self.cell_with_side(a, b) {
            return Some(SegmentCourse::Side(cell, k));
        }
        let (mut at, mut k) = self.around(a).into_iter().find_map(|at| {
            let corners = self.cells[at as usize].corners;
            let k = corners.iter().position(|corner| *corner == a)?;
            let [p, q] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
            (self.side(a, b, p) == Sign::Negative && self.side(a, b, q) == Sign::Positive).then_some((at, k))
        })?;
        let mut sides = VecDeque::new();
        loop {
            let corners = self.cells[at as usize].corners;
            // p lies on the right of the segment, q on the left.
            let [p, q] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
            sides.push_back([p, q]);
            let next = self.cells[at as usize].across[k];
            if next == NONE {
                return None;
            }
            let far = self.far_corner(next, at)?;
            let d = self.cells[next as usize].corners[far];
            if d == b {
                return Some(SegmentCourse::Sides(sides));
            }
            // The segment leaves through the side that has d and the corner on its opposite side.
            let stays = match self.side(a, b, d) {
                Sign::Positive => p,
                Sign::Negative => q,
                Sign::Zero => return None,
            };
            at = next;
            k = (0..3).find(|k| ![d, stays].contains(&self.cells[at as usize].corners[*k]))?;
        }
    }
}

/// The sides of triangles between two nodes.
enum SegmentCourse {
    /// A side of a triangle, opposite its corner.
    Side(u32, usize),
    /// Sides that the segment crosses, by their ends.
    Sides(VecDeque<[u32; 2]>),
}
