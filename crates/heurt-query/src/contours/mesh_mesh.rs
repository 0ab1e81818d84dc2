//! The section of two placed meshes as polylines.
//!
//! Method: the section of every intersecting pair of triangles; their ends carry the features they lie on (a corner, an
//! edge, a triangle of each mesh), and ends on the same features are one: curves are chained by topology, not by comparing
//! rounded coordinates. Bit-equal vertices count as one.
//! Guarantees: deterministic; every segment once; a curve is closed when it comes back to its first feature pair, and ends
//! where another number than two of segments meet. Surfaces that coincide give the outline of each common polygon; a mere
//! touch gives a polyline of one point. Positions are rounded. Cost: O(pairs · log pairs).

use crate::algo::leaf_pairs::place;
use crate::pairs::pairs;
use heurt_geometry::{Feature, Pose, Section, SectionPoint, Vec3, section};
use heurt_mesh::TriMesh;
use heurt_shape::MeshShape;
use std::collections::{BTreeMap, BTreeSet};

/// A curve through points of the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    /// In order; one point for a touch.
    pub points: Vec<Vec3>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

/// Computes the curves in which the placed surfaces meet.
pub fn contours(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Vec<Polyline> {
    let mut graph = Graph::default();
    let mut outlines = Outlines::default();
    for [i, j] in pairs(a, pose_a, b, pose_b) {
        let name = |end: &SectionPoint| Node { a: element(a.mesh(), i, end.a), b: element(b.mesh(), j, end.b) };
        match section(&place(a, pose_a, i), &place(b, pose_b, j)) {
            Section::None => {}
            Section::Point(end) => {
                graph.position(name(&end), end.position);
            }
            Section::Segment([from, to]) => {
                let (p, q) = (graph.position(name(&from), from.position), graph.position(name(&to), to.position));
                graph.segments.insert((p.min(q), p.max(q)));
            }
            Section::Coplanar(points) => outlines.add(points),
        }
    }
    let mut curves = graph.curves();
    curves.extend(outlines.curves);
    curves
}

/// A vertex by the bits of its position in the mesh.
type VertexKey = [u64; 3];

/// What an end lies on in a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    Vertex(VertexKey),
    Edge(VertexKey, VertexKey),
    Triangle(u32),
}

/// An end, by what it lies on in both meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    a: Element,
    b: Element,
}

fn element(mesh: &TriMesh, triangle: u32, feature: Feature) -> Element {
    let corners = mesh.corners(triangle);
    // Adding zero makes −0 and 0 one.
    let key = |k: usize| corners[k % 3].to_array().map(|x| (x + 0.0).to_bits());
    match feature {
        Feature::Vertex(k) => Element::Vertex(key(k.into())),
        Feature::Edge(k) => {
            let (p, q) = (key(k.into()), key(usize::from(k) + 1));
            Element::Edge(p.min(q), p.max(q))
        }
        Feature::Face => Element::Triangle(triangle),
    }
}

/// Ends and the segments between them.
#[derive(Default)]
struct Graph {
    numbers: BTreeMap<Node, usize>,
    positions: Vec<Vec3>,
    segments: BTreeSet<(usize, usize)>,
}

impl Graph {
    /// The number of the end; the first position seen stays.
    fn position(&mut self, node: Node, position: Vec3) -> usize {
        let next = self.positions.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.positions.push(position);
        }
        number
    }

    /// Follows the segments: first from ends where not two of them meet, then round the loops that remain.
    fn curves(&self) -> Vec<Polyline> {
        let mut neighbours = vec![Vec::new(); self.positions.len()];
        for &(p, q) in self.segments.iter().filter(|(p, q)| p != q) {
            neighbours[p].push(q);
            neighbours[q].push(p);
        }
        let mut left = self.segments.clone();
        let mut curves = Vec::new();
        let starts = |two: bool| (0..neighbours.len()).map(move |p| (p, two));
        for (start, two) in starts(false).chain(starts(true)) {
            if (neighbours[start].len() == 2) != two {
                continue;
            }
            if neighbours[start].is_empty() {
                curves.push(Polyline { points: vec![self.positions[start]], closed: false });
            }
            for &next in &neighbours[start] {
                if let Some(curve) = self.follow(start, next, &neighbours, &mut left) {
                    curves.push(curve);
                }
            }
        }
        curves
    }

    /// The curve that leaves `start` for `next`, unless it has been followed already.
    fn follow(
        &self,
        start: usize,
        next: usize,
        neighbours: &[Vec<usize>],
        left: &mut BTreeSet<(usize, usize)>,
    ) -> Option<Polyline> {
        let (mut from, mut at) = (start, next);
        let mut points = vec![self.positions[start]];
        if !left.remove(&(from.min(at), from.max(at))) {
            return None;
        }
        while at != start && neighbours[at].len() == 2 {
            points.push(self.positions[at]);
            let onward = if neighbours[at][0] == from { neighbours[at][1] } else { neighbours[at][0] };
            (from, at) = (at, onward);
            left.remove(&(from.min(at), from.max(at)));
        }
        let closed = at == start;
        if !closed {
            points.push(self.positions[at]);
        }
        Some(Polyline { points, closed })
    }
}

/// Polygons that coplanar triangles share, each once.
#[derive(Default)]
struct Outlines {
    seen: BTreeSet<Vec<[u64; 3]>>,
    curves: Vec<Polyline>,
}

impl Outlines {
    fn add(&mut self, points: Vec<Vec3>) {
        let mut key: Vec<[u64; 3]> = points.iter().map(|p| p.to_array().map(|x| (x + 0.0).to_bits())).collect();
        key.sort_unstable();
        key.dedup();
        if !points.is_empty() && self.seen.insert(key) {
            let closed = points.len() > 2;
            self.curves.push(Polyline { points, closed });
        }
    }
}
