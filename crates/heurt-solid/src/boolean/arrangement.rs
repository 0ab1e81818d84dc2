//! Arrangement of two meshes: the points and segments in which their faces cut each other.
//!
//! In: two solids and the pairs of their triangles that intersect. Out: for each face that meets the second mesh the
//! nodes on its edges and inside it, and the segments along which it is cut; triangles that faces of both share.
//! Method: each pair contributes the meetings of its features (`meet`). Since no mesh intersects itself, segments of
//! one face meet in their ends only. The polygon that two faces of one plane share is convex; both are cut along the
//! same diagonals of it, so that both have the same triangles there.
//! Guarantees: exact; the same in every run.

use super::exact_point::Lattice;
use super::feature::{Feature, LocalFeature, Meeting};
use super::meet::{Intersection, intersect};
use super::nodes::{NodeId, Nodes};
use super::solid_mesh::SolidMesh;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Two nodes, the lower first.
pub(super) type CutSegment = [NodeId; 2];

/// The cuts of one mesh.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Nodes inside edges.
    pub on_edges: Vec<(u32, NodeId)>,
    /// Nodes inside faces.
    pub in_faces: Vec<(u32, NodeId)>,
    /// Segments across faces, which are not on their edges.
    pub across_faces: Vec<(u32, CutSegment)>,
    /// The faces that meet the second mesh.
    pub faces: Vec<u32>,
    /// The vertices on the surface of the second mesh.
    pub vertices: Vec<u32>,
}

/// The arrangement of two meshes.
#[derive(Debug)]
pub(super) struct Arrangement<'a> {
    pub nodes: Nodes<'a>,
    /// The cuts of A and of B.
    pub cuts: [Cuts; 2],
    /// The segments that lie on both surfaces, sorted.
    pub segments: Vec<CutSegment>,
    /// Triangles of faces that lie on each other, by their sorted nodes, and whether the faces face the same side.
    pub shared: HashMap<[NodeId; 3], bool>,
}

/// Returns a segment with the lower node first.
pub(super) fn segment([a, b]: [NodeId; 2]) -> CutSegment {
    [a.min(b), a.max(b)]
}

/// A pair of triangles, and their intersection.
struct Met {
    pair: [u32; 2],
    found: Intersection,
}

impl<'a> Arrangement<'a> {
    /// Computes the arrangement from the pairs of triangles that intersect.
    pub(super) fn new(a: &'a SolidMesh, b: &'a SolidMesh, pairs: &[[u32; 2]]) -> Self {
        let meet = |&pair: &[u32; 2]| {
            let found = intersect(&a.triangle(pair[0]), &b.triangle(pair[1]))?;
            Some(Met { pair, found })
        };
        let met: Vec<Met> = pairs.par_iter().with_min_len(64).filter_map(meet).collect();
        let mut meetings: Vec<Meeting> = met.iter().flat_map(|met| met.meetings(a, b)).collect();
        meetings.par_sort_unstable_by_key(|meeting| meeting.key());
        meetings.dedup();
        let places = met.iter().flat_map(|met| a.triangle(met.pair[0]).into_iter().chain(b.triangle(met.pair[1])));
        let nodes = Nodes::new(a, b, Lattice::of(places), &meetings);
        let mut all = Self { nodes, cuts: Default::default(), segments: Vec::new(), shared: HashMap::new() };
        for met in &met {
            all.add(met);
        }
        for meeting in meetings {
            let Some(node) = all.nodes.of_meeting(meeting) else { continue };
            for (cuts, feature) in all.cuts.iter_mut().zip([meeting.on_a, meeting.on_b]) {
                match feature {
                    Feature::Vertex(vertex) => cuts.vertices.push(vertex),
                    Feature::Edge(edge) => cuts.on_edges.push((edge, node)),
                    Feature::Face(face) => cuts.in_faces.push((face, node)),
                }
            }
        }
        for cuts in &mut all.cuts {
            sort_once(&mut cuts.on_edges);
            sort_once(&mut cuts.in_faces);
            sort_once(&mut cuts.across_faces);
            sort_once(&mut cuts.faces);
            sort_once(&mut cuts.vertices);
        }
        sort_once(&mut all.segments);
        all
    }

    /// Adds the segments of a pair.
    fn add(&mut self, met: &Met) {
        let Met { pair, found } = met;
        for (cuts, face) in self.cuts.iter_mut().zip(pair) {
            cuts.faces.push(*face);
        }
        let nodes: SmallVec<[NodeId; 6]> =
            met.meetings(self.nodes.a, self.nodes.b).filter_map(|meeting| self.nodes.of_meeting(meeting)).collect();
        if found.coplanar.is_none() {
            if let [first, second] = nodes[..] {
                self.cut(pair, [first, second], [&found.points[0], &found.points[1]]);
            }
            return;
        }
        let mut sides: SmallVec<[CutSegment; 6]> = SmallVec::new();
        for [first, second] in found.along_sides(nodes.len()) {
            let along = [nodes[first], nodes[second]];
            self.cut(pair, along, [&found.points[first], &found.points[second]]);
            sides.push(segment(along));
        }
        sides.sort_unstable();
        sides.dedup();
        if let Some(polygon) = chain(&sides).filter(|polygon| polygon.len() == nodes.len()) {
            self.share(pair, &polygon, found.coplanar == Some(true));
        }
    }

    /// Adds a segment on both surfaces; on each face it is a cut unless it lies on an edge of the face.
    fn cut(&mut self, pair: &[u32; 2], ends: [NodeId; 2], points: [&[LocalFeature; 2]; 2]) {
        self.segments.push(segment(ends));
        for side in 0..2 {
            let is_on_edge = (0..3).any(|k| points.iter().all(|point| point[side].is_in_closed_edge(k)));
            if !is_on_edge {
                self.cuts[side].across_faces.push((pair[side], segment(ends)));
            }
        }
    }

    /// Divides the polygon that two faces share into triangles around its lowest node.
    fn share(&mut self, pair: &[u32; 2], polygon: &[NodeId], same_side: bool) {
        let count = polygon.len();
        let lowest = (0..count).min_by_key(|at| polygon[*at]).unwrap_or(0);
        let at = |k: usize| polygon[(lowest + k) % count];
        for k in 1..count - 1 {
            let mut triangle = [at(0), at(k), at(k + 1)];
            triangle.sort_unstable();
            self.shared.insert(triangle, same_side);
            if k > 1 {
                let diagonal = segment([at(0), at(k)]);
                self.segments.push(diagonal);
                for (cuts, face) in self.cuts.iter_mut().zip(pair) {
                    cuts.across_faces.push((*face, diagonal));
                }
            }
        }
    }
}

impl Met {
    fn meetings<'m>(&'m self, a: &'m SolidMesh, b: &'m SolidMesh) -> impl Iterator<Item = Meeting> + 'm {
        let [of_a, of_b] = self.pair;
        self.found.points.iter().map(move |[on_a, on_b]| Meeting {
            on_a: a.edges().feature(of_a, a.corners(of_a), *on_a),
            on_b: b.edges().feature(of_b, b.corners(of_b), *on_b),
        })
    }
}

/// Orders the sides of a polygon into a cycle of its corners; `None` if they are no single cycle.
fn chain(sides: &[CutSegment]) -> Option<SmallVec<[NodeId; 6]>> {
    let mut polygon: SmallVec<[NodeId; 6]> = SmallVec::new();
    let [first, mut at] = *sides.first()?;
    let mut used = vec![false; sides.len()];
    used[0] = true;
    polygon.push(first);
    while at != first {
        polygon.push(at);
        let next = (0..sides.len()).find(|k| !used[*k] && sides[*k].contains(&at))?;
        used[next] = true;
        at = if sides[next][0] == at { sides[next][1] } else { sides[next][0] };
    }
    (used.iter().all(|used| *used) && polygon.len() >= 3).then_some(polygon)
}

/// Sorts a list and keeps each item once.
fn sort_once<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}
