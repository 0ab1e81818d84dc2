//! Pieces of a mesh that a second mesh cuts: triangles that are connected without crossing the second surface.
//!
//! In: a mesh and its cuts. Out: its triangles as nodes, divided where they are cut, and the piece of each.
//! Method: union-find. Triangles at a side are united unless the side lies on both surfaces. Only cut faces and their
//! neighbours take sides by their nodes; all other triangles are united edge by edge.
//! Guarantees: exact; pieces lie wholly inside, outside or on the second surface. Cost: O(n) plus O(m log m) for m
//! triangles of cut faces.

use super::arrangement::{Arrangement, CutSegment, segment};
use super::error::SetOperationError;
use super::meet::Projection;
use super::nodes::{FaceNodes, NodeId};
use super::solid_mesh::SolidMesh;
use super::triangulation::{CutFace, divide};
use heurt_geometry::Sign;
use heurt_mesh::DisjointSets;
use rayon::prelude::*;
use std::ops::Range;

/// The triangles of a mesh after the cut.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Nodes of each triangle, outward as in the mesh.
    pub triangles: Vec<[NodeId; 3]>,
    /// The face that each triangle is a piece of.
    pub face_of: Vec<u32>,
    /// The triangles from here on are pieces of cut faces.
    pub first_cut: usize,
    /// A triangle of the piece of each triangle, the same for all of one piece.
    pub piece_of: Vec<u32>,
}

impl Pieces {
    /// Divides the mesh of one side, 0 or 1.
    pub(super) fn new(all: &Arrangement<'_>, side: usize) -> Result<Self, SetOperationError> {
        let mesh = if side == 0 { all.nodes.a } else { all.nodes.b };
        let cut = &all.cuts[side].faces;
        let parallel = |face: &u32| divide_face(all, side, mesh, *face);
        let divided: Option<Vec<Vec<[NodeId; 3]>>> = cut.par_iter().with_min_len(16).map(parallel).collect();
        let divided = divided.ok_or(SetOperationError::Inconsistent)?;
        let mut is_cut = vec![false; mesh.mesh().triangles().len()];
        cut.iter().for_each(|face| is_cut[*face as usize] = true);
        let mut number_of = vec![u32::MAX; is_cut.len()];
        let mut triangles = Vec::with_capacity(is_cut.len() + 2 * cut.len());
        let mut face_of = Vec::with_capacity(triangles.capacity());
        for (face, corners) in mesh.mesh().triangles().iter().enumerate().filter(|(face, _)| !is_cut[*face]) {
            number_of[face] = triangles.len() as u32;
            triangles.push(corners.map(|corner| all.nodes.of_vertex(side, corner)));
            face_of.push(face as u32);
        }
        let first_cut = triangles.len();
        for (face, divided) in cut.iter().zip(divided) {
            face_of.extend(divided.iter().map(|_| *face));
            triangles.extend(divided);
        }
        let mut sets = DisjointSets::new(triangles.len());
        let bordering = unite_whole_faces(mesh, &number_of, &mut sets);
        unite_by_sides(&triangles, &bordering, first_cut, &all.segments, &mut sets);
        let piece_of = (0..triangles.len() as u32).map(|triangle| sets.find(triangle)).collect();
        Ok(Self { triangles, face_of, first_cut, piece_of })
    }
}

/// Unites faces that are not cut along common edges; returns those next to cut faces.
fn unite_whole_faces(mesh: &SolidMesh, number_of: &[u32], sets: &mut DisjointSets) -> Vec<u32> {
    let mut first_of = vec![u32::MAX; mesh.edges().len()];
    let mut touches_cut = vec![false; mesh.edges().len()];
    for (face, number) in number_of.iter().enumerate() {
        for k in 0..3 {
            let edge = mesh.edges().of(face as u32, k) as usize;
            match (*number, first_of[edge]) {
                (u32::MAX, _) => touches_cut[edge] = true,
                (number, u32::MAX) => first_of[edge] = number,
                (number, first) => sets.unite(first, number),
            }
        }
    }
    let is_next = |face: usize| (0..3).any(|k| touches_cut[mesh.edges().of(face as u32, k) as usize]);
    let next = number_of.iter().enumerate().filter(|(face, number)| **number != u32::MAX && is_next(*face));
    next.map(|(_, number)| *number).collect()
}

/// Unites triangles at sides that do not lie on both surfaces.
fn unite_by_sides(
    triangles: &[[NodeId; 3]],
    bordering: &[u32],
    first_cut: usize,
    on_both: &[CutSegment],
    sets: &mut DisjointSets,
) {
    let numbers = bordering.iter().copied().chain(first_cut as u32..triangles.len() as u32);
    let mut sides: Vec<(CutSegment, u32)> = numbers
        .flat_map(|number| {
            let [a, b, c] = triangles[number as usize];
            [[a, b], [b, c], [c, a]].map(|side| (segment(side), number))
        })
        .collect();
    sides.par_sort_unstable();
    let mut on_both = on_both.iter().peekable();
    for at_side in sides.chunk_by(|a, b| a.0 == b.0) {
        let side = &at_side[0].0;
        while on_both.next_if(|known| *known < side).is_some() {}
        if on_both.peek() != Some(&side) {
            at_side[1..].iter().for_each(|(_, number)| sets.unite(at_side[0].1, *number));
        }
    }
}

/// Divides a face that meets the second mesh.
fn divide_face(all: &Arrangement<'_>, side: usize, mesh: &SolidMesh, face: u32) -> Option<Vec<[NodeId; 3]>> {
    let (nodes, cuts) = (&all.nodes, &all.cuts[side]);
    let vertices = mesh.corners(face);
    let corners = vertices.map(|vertex| nodes.of_vertex(side, vertex));
    let mut inner: Vec<NodeId> = Vec::new();
    for k in 0..3 {
        let on_edge = &cuts.on_edges[range_of(&cuts.on_edges, mesh.edges().of(face, k))];
        let start = inner.len();
        inner.extend(on_edge.iter().map(|(_, node)| *node));
        sort_along(all, [corners[k], corners[(k + 1) % 3]], &mut inner[start..]);
    }
    inner.extend(cuts.in_faces[range_of(&cuts.in_faces, face)].iter().map(|(_, node)| *node));
    let across = &cuts.across_faces[range_of(&cuts.across_faces, face)];
    if inner.is_empty() && across.is_empty() {
        return Some(vec![corners]);
    }
    let segments: Vec<CutSegment> = across.iter().map(|(_, segment)| *segment).collect();
    let (projection, turn) = Projection::of(&mesh.triangle(face))?;
    divide(nodes, projection, turn, &CutFace { corners, inner: &inner, segments: &segments })
}

/// The range of the items of one element, in a list sorted by elements.
fn range_of<T>(list: &[(u32, T)], element: u32) -> Range<usize> {
    list.partition_point(|(of, _)| *of < element)..list.partition_point(|(of, _)| *of <= element)
}

/// Sorts nodes along an edge, so that each is inserted next to the last one.
fn sort_along(all: &Arrangement<'_>, [from, to]: [NodeId; 2], list: &mut [NodeId]) {
    let path = all.nodes.place(to) - all.nodes.place(from);
    let size = path.abs();
    let axis = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    list.sort_by(|a, b| {
        let sign = all.nodes.compare(axis, *a, *b);
        let forward = if path[axis] < 0.0 { sign.flipped() } else { sign };
        forward.cmp(&Sign::Zero).then(a.cmp(b))
    });
}
