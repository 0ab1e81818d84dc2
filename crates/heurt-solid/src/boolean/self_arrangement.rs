//! Arrangement of one mesh with itself: its faces, divided so that they meet in common corners and sides only.
//!
//! In: a mesh whose vertices are at different places, without degenerate and repeated triangles, and the pairs of its
//! triangles that meet elsewhere than in a common vertex or edge. Out: triangles of nodes, each with its face, and the
//! pairs of faces that lie in one plane.
//! Method: each pair contributes the points in which its features meet (`meet`), and the segments between them. In a
//! face, segments may cross each other: three faces meet there. Such a crossing is the same point in all three faces,
//! as nodes are equal exactly if their coordinates are (`self_nodes`). Segments are cut at all nodes on them, and each
//! face is divided along them (`triangulation`).
//! Guarantees: exact. Two faces that lie on each other have the same sides around their common area, but may be
//! divided differently inside. Cost: O(s²) for s segments in a face.

use super::arrangement::{CutSegment, segment};
use super::exact_point::{ExactPoint, Lattice, PlacedFeature, crossing_of};
use super::feature::LocalFeature;
use super::meet::{Projection, intersect};
use super::nodes::{FaceNodes, NodeId};
use super::self_nodes::{SelfNodes, key_of};
use super::triangulation::{CutFace, divide};
use heurt_geometry::{Sign, Triangle};
use heurt_mesh::TriMesh;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Segments of all faces that are tested against each other, at most: some seconds.
const MAX_SEGMENT_PAIRS: usize = 1 << 24;

/// The squares of the numbers of pairs of each face, summed, at most: they bound the tests of segments. Two triangles
/// at an edge may give the same segment, so that this is more than [`MAX_SEGMENT_PAIRS`].
const MAX_SQUARED_PAIRS: usize = 1 << 26;

/// The arrangement of a mesh with itself.
pub(super) struct SelfArrangement<'m> {
    pub(super) nodes: SelfNodes<'m>,
    /// Triangles of nodes.
    pub(super) triangles: Vec<[NodeId; 3]>,
    /// The face of each.
    pub(super) face_of: Vec<u32>,
    /// By face: the faces that lie in its plane and share an area or a point with it, and whether they face the same
    /// side.
    coplanar: BTreeMap<u32, Vec<(u32, bool)>>,
}

/// Why a mesh is not arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrangementError {
    /// More segments meet in faces than the limit.
    TooMany,
    /// Segments of a face do not fit: an error of this module.
    Inconsistent,
}

/// Points and segments of a pair of triangles.
struct MetPair {
    points: Vec<ExactPoint>,
    /// The segments in both triangles, as places in `points`.
    segments: SmallVec<[[usize; 2]; 6]>,
    coplanar: Option<bool>,
}

/// Nodes and segments that cut a face.
#[derive(Default)]
struct FaceCuts {
    nodes: Vec<NodeId>,
    segments: Vec<CutSegment>,
}

impl FaceCuts {
    fn sort(&mut self) {
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.segments.sort_unstable();
        self.segments.dedup();
    }
}

impl<'m> SelfArrangement<'m> {
    /// Divides the faces of a mesh, given the pairs that meet.
    pub(super) fn new(mesh: &'m TriMesh, pairs: &[[u32; 2]]) -> Result<Self, ArrangementError> {
        if squared_pairs(mesh.triangles().len(), pairs) > MAX_SQUARED_PAIRS {
            return Err(ArrangementError::TooMany);
        }
        let mut listed: Vec<u32> = pairs.iter().flatten().flat_map(|&face| mesh.triangles()[face as usize]).collect();
        listed.sort_unstable();
        listed.dedup();
        let lattice = Lattice::of(mesh.vertices().iter().copied());
        let met: Vec<Option<MetPair>> = pairs.par_iter().map(|&pair| meet(mesh, lattice, pair)).collect();
        let mut nodes = SelfNodes::new(mesh, lattice, &listed);
        let mut cuts: BTreeMap<u32, FaceCuts> = BTreeMap::new();
        let mut coplanar: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
        for (pair, met) in pairs.iter().zip(met) {
            let Some(met) = met else { continue };
            let numbers: Vec<NodeId> = met.points.into_iter().map(|point| nodes.add(key_of(&point), point)).collect();
            for face in pair {
                let cuts = cuts.entry(*face).or_default();
                cuts.nodes.extend(&numbers);
                cuts.segments.extend(met.segments.iter().map(|ends| segment(ends.map(|at| numbers[at]))));
            }
            if let Some(same_side) = met.coplanar {
                coplanar.entry(pair[0]).or_default().push((pair[1], same_side));
                coplanar.entry(pair[1]).or_default().push((pair[0], same_side));
            }
        }
        cuts.values_mut().for_each(FaceCuts::sort);
        let tests: usize = cuts.values().map(|cuts| cuts.segments.len() * cuts.segments.len()).sum();
        if tests > MAX_SEGMENT_PAIRS {
            return Err(ArrangementError::TooMany);
        }
        add_crossings(mesh, &mut nodes, &mut cuts);
        let divided: Vec<Option<Vec<[NodeId; 3]>>> =
            cuts.par_iter().map(|(face, cuts)| divide_face(mesh, &nodes, *face, cuts)).collect();
        let (mut triangles, mut face_of) = (Vec::new(), Vec::new());
        for (face, corners) in (0..).zip(mesh.triangles()).filter(|(face, _)| !cuts.contains_key(face)) {
            triangles.push(*corners);
            face_of.push(face);
        }
        for (face, divided) in cuts.keys().zip(divided) {
            let divided = divided.ok_or(ArrangementError::Inconsistent)?;
            face_of.resize(face_of.len() + divided.len(), *face);
            triangles.extend(divided);
        }
        Ok(Self { nodes, triangles, face_of, coplanar })
    }

    /// Lists the faces that lie in the plane of a face, and whether they face the same side.
    pub(super) fn in_plane_of(&self, face: u32) -> &[(u32, bool)] {
        self.coplanar.get(&face).map_or(&[], Vec::as_slice)
    }
}

/// Sums the squares of the numbers of pairs of each face.
fn squared_pairs(faces: usize, pairs: &[[u32; 2]]) -> usize {
    let mut counts = vec![0usize; faces];
    pairs.iter().flatten().for_each(|&face| counts[face as usize] += 1);
    counts.iter().fold(0, |sum, count| sum.saturating_add(count.saturating_mul(*count)))
}

/// Intersects a pair of triangles.
fn meet(mesh: &TriMesh, lattice: Lattice, pair: [u32; 2]) -> Option<MetPair> {
    let [a, b] = pair.map(|face| mesh.corners(face));
    let found = intersect(&a, &b)?;
    let points = found.points.iter().map(|&[of_a, of_b]| lattice.meeting(placed(&a, of_a), placed(&b, of_b))).collect();
    let mut segments: SmallVec<[[usize; 2]; 6]> = SmallVec::new();
    match found.coplanar {
        None if found.points.len() == 2 => segments.push([0, 1]),
        None => {}
        Some(_) => segments.extend(found.along_sides(found.points.len())),
    }
    Some(MetPair { points, segments, coplanar: found.coplanar })
}

/// Returns a feature of a triangle with its place.
fn placed(triangle: &Triangle, feature: LocalFeature) -> PlacedFeature {
    let corner = |k: usize| triangle[k % 3];
    match usize::from(feature.0) {
        k @ 0..=2 => PlacedFeature::Vertex(corner(k)),
        k @ 3..=5 => PlacedFeature::Edge([corner(k - 3), corner(k - 2)]),
        _ => PlacedFeature::Face(*triangle),
    }
}

/// Adds the crossings of segments inside faces as nodes.
fn add_crossings(mesh: &TriMesh, nodes: &mut SelfNodes<'_>, cuts: &mut BTreeMap<u32, FaceCuts>) {
    let of_face = |(face, cuts): (&u32, &FaceCuts)| {
        let Some((projection, _)) = Projection::of(&mesh.corners(*face)) else { return Vec::new() };
        let mut found = Vec::new();
        for (number, first) in cuts.segments.iter().enumerate() {
            for second in &cuts.segments[number + 1..] {
                if cross(nodes, projection, *first, *second) {
                    let [a, b, c, d] = [first[0], first[1], second[0], second[1]].map(|node| nodes.exact(node));
                    let point = crossing_of([&a, &b], [&c, &d], projection.axes());
                    found.push((key_of(&point), point));
                }
            }
        }
        found
    };
    let found: Vec<_> = cuts.par_iter().map(of_face).collect();
    for (cuts, found) in cuts.values_mut().zip(found) {
        cuts.nodes.extend(found.into_iter().map(|(key, point)| nodes.add(key, point)));
        cuts.nodes.sort_unstable();
        cuts.nodes.dedup();
    }
}

/// Tests whether two segments of a plane cross in a point inside both.
fn cross(nodes: &SelfNodes<'_>, projection: Projection, [a, b]: CutSegment, [c, d]: CutSegment) -> bool {
    if a == c || a == d || b == c || b == d || are_disjoint(nodes, projection, [a, b], [c, d]) {
        return false;
    }
    let side = |from, to, node| nodes.orient(projection, [from, to, node]);
    side(c, d, a).times(side(c, d, b)) == Sign::Negative && side(a, b, c).times(side(a, b, d)) == Sign::Negative
}

/// Tests whether the rounded boxes of two segments are disjoint: rounding keeps the order of coordinates.
fn are_disjoint(nodes: &SelfNodes<'_>, projection: Projection, first: CutSegment, second: CutSegment) -> bool {
    let [[a, b], [c, d]] = [first, second].map(|ends| ends.map(|node| projection.place(nodes.place(node))));
    a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any()
}

/// Divides a face along its segments.
fn divide_face(mesh: &TriMesh, nodes: &SelfNodes<'_>, face: u32, cuts: &FaceCuts) -> Option<Vec<[NodeId; 3]>> {
    let corners = mesh.triangles()[face as usize];
    let (projection, turn) = Projection::of(&mesh.corners(face))?;
    let inner: Vec<NodeId> = cuts.nodes.iter().copied().filter(|node| !corners.contains(node)).collect();
    let mut segments: Vec<CutSegment> = Vec::new();
    for &[a, b] in &cuts.segments {
        let mut on: Vec<NodeId> =
            cuts.nodes.iter().copied().filter(|&node| is_inside(nodes, projection, node, [a, b])).collect();
        sort_along(nodes, projection, [a, b], &mut on);
        let chain: Vec<NodeId> = std::iter::once(a).chain(on).chain([b]).collect();
        segments.extend(chain.windows(2).map(|ends| segment([ends[0], ends[1]])));
    }
    segments.sort_unstable();
    segments.dedup();
    if inner.is_empty() {
        return Some(vec![corners]);
    }
    // Nodes on the edges first.
    let mut sorted: Vec<NodeId> = Vec::with_capacity(inner.len());
    for k in 0..3 {
        let ends = [corners[k], corners[(k + 1) % 3]];
        let mut on: Vec<NodeId> =
            inner.iter().copied().filter(|&node| is_inside(nodes, projection, node, ends)).collect();
        sort_along(nodes, projection, ends, &mut on);
        sorted.extend(on);
    }
    let on_edges: Vec<NodeId> = sorted.clone();
    sorted.extend(inner.into_iter().filter(|node| !on_edges.contains(node)));
    divide(nodes, projection, turn, &CutFace { corners, inner: &sorted, segments: &segments })
}

/// Tests whether a node lies inside a segment.
fn is_inside(nodes: &SelfNodes<'_>, projection: Projection, node: NodeId, [a, b]: CutSegment) -> bool {
    if node == a || node == b || are_disjoint(nodes, projection, [node, node], [a, b]) {
        return false;
    }
    if !nodes.orient(projection, [a, b, node]).is_zero() {
        return false;
    }
    let axis = longest_axis(nodes, projection, [a, b]);
    nodes.compare(axis, a, node).times(nodes.compare(axis, node, b)) == Sign::Positive
}

/// An axis of the projection along which a segment is not level, exactly.
fn longest_axis(nodes: &SelfNodes<'_>, projection: Projection, [a, b]: CutSegment) -> usize {
    let [u, v] = projection.axes();
    let path = (nodes.place(b) - nodes.place(a)).abs();
    let [first, second] = if path[u] >= path[v] { [u, v] } else { [v, u] };
    if nodes.compare(first, a, b).is_zero() { second } else { first }
}

/// Sorts nodes on a segment from its first end to its second.
fn sort_along(nodes: &SelfNodes<'_>, projection: Projection, [a, b]: CutSegment, list: &mut [NodeId]) {
    let axis = longest_axis(nodes, projection, [a, b]);
    let forward = nodes.compare(axis, b, a);
    list.sort_by(|p, q| nodes.compare(axis, *p, *q).times(forward).cmp(&Sign::Zero).then(p.cmp(q)));
}
