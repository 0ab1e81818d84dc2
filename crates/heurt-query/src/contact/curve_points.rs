//! Contact points of two meshes that overlap: one for each curve in which their surfaces meet.
//!
//! In: placed meshes and their pairs of triangles that meet. Out: [`ContactPoint`]s in the order of the curves' first
//! pairs.
//! Method: the sections of two pairs belong to one curve where they have an end on the same features
//! (`mesh/section_nodes`): what a large triangle shares with others in several places is several curves. Sections are
//! directed along the cross product of both normals, so that the vector area of a closed curve, ½ ∮ p × dp, equals the
//! vector area of the part of either surface that it bounds and points from A to B. That direction is the normal of the
//! curve. Its middle is as deep as two caps over its area that meet at the angle seen on it, d = 2·r·tan(θ/4). Sums are
//! made in a unit in which squares of lengths are numbers, however large or small the meshes are.
//! Guarantees: which pairs are of one curve is exact. Not guaranteed: depths, which are estimates; they are too small
//! where the triangles are smaller than the depth. Cost: O(pairs · log pairs).

use crate::answer::contact::ContactPoint;
use crate::answer::feature::Feature;
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::mesh::section_nodes::{Node, coplanar_features};
use crate::mesh::walk::pair_walk::place;
use heurt_geometry::{
    Pose, Section, SectionPoint, Triangle, TriangleFeature as Part, Vec3, power_of_two_scale, section,
};
use heurt_mesh::DisjointSets;
use heurt_shape::{MeshShape, ShapeRef};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Returns a contact point for each curve of `pairs`; `otherwise` is the normal if a curve defines none, and none is
/// deeper than `most` metres.
pub(super) fn curve_contacts(
    on_a: PlacedMeshShape<'_>,
    on_b: PlacedMeshShape<'_>,
    pairs: &[[u32; 2]],
    otherwise: Vec3,
    most: f64,
) -> Vec<ContactPoint> {
    let (Placed { shape: a, pose: pose_a }, Placed { shape: b, pose: pose_b }) = (on_a, on_b);
    let (mut nodes, mut shared) = (Vec::with_capacity(2 * pairs.len()), Vec::with_capacity(pairs.len()));
    for (number, &[i, j]) in (0u32..).zip(pairs) {
        let found = PairSection::of([place(a, pose_a, i), place(b, pose_b, j)], [i, j]);
        let node = |&[of_a, of_b]: &[Part; 2]| (Node::new((a.mesh(), i, of_a), (b.mesh(), j, of_b)), number);
        nodes.extend(found.section.nodes.iter().map(node));
        shared.push(found);
    }
    let reach = |mesh: &MeshShape, pose: &Pose| ShapeRef::Mesh(mesh).max_coordinate() + pose.max_translation();
    let unit = power_of_two_scale(reach(a, pose_a).max(reach(b, pose_b)));
    let point = |members: Vec<u32>| -> ContactPoint {
        let mut curve = Curve::new(unit);
        members.iter().for_each(|&number| curve.add(&shared[number as usize]));
        curve.middle_point(shared[members[0] as usize].primitives, otherwise, most)
    };
    chained(pairs.len(), nodes).into_iter().map(point).collect()
}

/// Divides numbers into sets linked by common nodes, in the order of their first members.
fn chained(count: usize, mut nodes: Vec<(Node, u32)>) -> Vec<Vec<u32>> {
    nodes.sort_unstable();
    let mut sets = DisjointSets::new(count);
    for pair in nodes.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.unite(pair[0].1, pair[1].1);
    }
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    let mut chains: Vec<Vec<u32>> = Vec::new();
    for number in 0..count as u32 {
        let chain = *first.entry(sets.find(number)).or_insert(chains.len());
        if chain == chains.len() {
            chains.push(Vec::new());
        }
        chains[chain].push(number);
    }
    chains
}

/// The section of two placed triangles that intersect.
struct PairSection {
    section: SharedPoints,
    /// Both unit normals.
    normals: [Vec3; 2],
    /// The numbers of the triangles.
    primitives: [u32; 2],
}

impl PairSection {
    fn of([a, b]: [Triangle; 2], primitives: [u32; 2]) -> Self {
        let normals = [unit_normal(&a), unit_normal(&b)];
        let section = crossing([&a, &b], normals).unwrap_or_else(|| by_signs(&a, &b));
        Self { section, normals, primitives }
    }
}

/// Zero for a triangle without area.
fn unit_normal(of: &Triangle) -> Vec3 {
    let (first, second) = (of[1] - of[0], of[2] - of[0]);
    let unit = power_of_two_scale(first.abs().max(second.abs()).max_element());
    (first * unit).cross(second * unit).normalize_or_zero()
}

/// The points that two triangles share.
#[derive(Default)]
struct SharedPoints {
    /// Segments, of coplanar triangles the rim.
    segments: SmallVec<[[Vec3; 2]; 1]>,
    /// Pairs of features that meet; sections with a common pair belong to one curve.
    nodes: SmallVec<[[Part; 2]; 2]>,
}

/// The segment that two triangles share which cross each other clear of corners and edges; `None` where only exact
/// signs decide.
fn crossing([a, b]: [&Triangle; 2], [of_a, of_b]: [Vec3; 2]) -> Option<SharedPoints> {
    /// Heights, sines and distances of ends below this, relative to the triangles, are left to exact signs.
    const CLEAR: f64 = 1e-9;
    let along = of_a.cross(of_b);
    let size = (b[0] - a[0]).abs().max((a[1] - a[0]).abs()).max((b[1] - b[0]).abs()).max_element();
    let coordinates = a[0].abs().max(b[0].abs()).max_element() + size;
    if along.length_squared() < CLEAR || coordinates * CLEAR > size {
        return None;
    }
    // Two edges of a triangle cross the plane of the second triangle: the first along the common line first.
    let on_line = |t: &Triangle, origin: Vec3, normal: Vec3| -> Option<[(Vec3, Part); 2]> {
        let heights = t.map(|corner| (corner - origin).dot(normal));
        if heights.iter().any(|height| height.abs() <= CLEAR * size) {
            return None;
        }
        let above = heights.map(|height| height > 0.0);
        let lone = (0..3).find(|&k| above[k] != above[(k + 1) % 3] && above[k] != above[(k + 2) % 3])?;
        let (next, last) = ((lone + 1) % 3, (lone + 2) % 3);
        let cross = |far: usize| t[lone] + (t[far] - t[lone]) * (heights[lone] / (heights[lone] - heights[far]));
        let (p, q) = ((cross(next), Part::Edge(lone as u8)), (cross(last), Part::Edge(last as u8)));
        Some(if (q.0 - p.0).dot(along) < 0.0 { [q, p] } else { [p, q] })
    };
    let (on_a, on_b) = (on_line(a, b[0], of_b)?, on_line(b, a[0], of_a)?);
    // The inner one of two ends, one of each triangle.
    let inner = |(at_a, edge_a): (Vec3, Part), (at_b, edge_b): (Vec3, Part), inward: Vec3| {
        let ahead = (at_b - at_a).dot(inward);
        let is_clear = ahead.abs() > CLEAR * size;
        is_clear.then_some(if ahead > 0.0 { (at_b, [Part::Face, edge_b]) } else { (at_a, [edge_a, Part::Face]) })
    };
    let (from, to) = (inner(on_a[0], on_b[0], along)?, inner(on_a[1], on_b[1], -along)?);
    ((to.0 - from.0).dot(along) > 0.0)
        .then(|| SharedPoints { segments: smallvec![[from.0, to.0]], nodes: smallvec![from.1, to.1] })
}

/// The segments that two triangles share, by exact signs: of coplanar ones the rim of what they do.
fn by_signs(a: &Triangle, b: &Triangle) -> SharedPoints {
    let of_ends = |segments, points: &[SectionPoint]| SharedPoints {
        segments,
        nodes: points.iter().map(|point| [point.a, point.b]).collect(),
    };
    match section(a, b) {
        Section::None => SharedPoints::default(),
        Section::Point(point) => of_ends(smallvec![[point.position; 2]], &[point]),
        Section::Segment([from, to]) => of_ends(smallvec![[from.position, to.position]], &[from, to]),
        Section::Coplanar(points) => {
            let rim = (0..points.len()).map(|k| [points[k], points[(k + 1) % points.len()]]);
            SharedPoints { segments: rim.collect(), nodes: coplanar_features(a, b).into_iter().collect() }
        }
    }
}

/// Sums along a curve, in units.
#[derive(Debug, Default)]
struct Curve {
    /// Units in a metre.
    unit: f64,
    /// The first point, in metres: places are taken from there.
    start: Option<Vec3>,
    /// Twice the vector area.
    area: Vec3,
    /// Lengths, and places weighted with them.
    length: f64,
    middle: Vec3,
    /// The normals of A less those of B, and their cosines, weighted with lengths.
    normal_difference: Vec3,
    cosines: f64,
}

impl Curve {
    fn new(unit: f64) -> Self {
        Self { unit, ..Self::default() }
    }

    fn add(&mut self, shared: &PairSection) {
        let [of_a, of_b] = shared.normals;
        let along = of_a.cross(of_b);
        for &[from, to] in &shared.section.segments {
            let start = *self.start.get_or_insert(from);
            let [first, last] = [from, to].map(|end| (end - start) * self.unit);
            let (p, q) = if along.dot(last - first) < 0.0 { (last, first) } else { (first, last) };
            // A touch in a point counts a little, so that its place and normal are those of the triangles.
            let length = (q - p).length() + f64::MIN_POSITIVE;
            self.area += p.cross(q);
            self.length += length;
            self.middle += (p + q) * (0.5 * length);
            self.normal_difference += (of_a - of_b) * length;
            self.cosines -= of_a.dot(of_b) * length;
        }
    }

    /// Returns the contact in the middle of the curve. An area that is small against the curve, as where faces lie on
    /// each other, has no direction: the normals define it.
    fn middle_point(&self, primitives: [u32; 2], otherwise: Vec3, most: f64) -> ContactPoint {
        const FLAT: f64 = 1e-3;
        let of_area = self.area.length() * 0.5;
        let is_open = of_area <= FLAT * self.length * self.length / (4.0 * PI);
        let normal = if is_open { self.normal_difference } else { self.area };
        let normal = normal.normalize_or(otherwise);
        let deep = if is_open { 0.0 } else { self.depth_of_caps((of_area / PI).sqrt()) };
        let point = self.start.unwrap_or_default() + self.middle / self.length / self.unit;
        let features = primitives.map(Feature::Face);
        ContactPoint { point, normal, separation: -deep.min(most), features, primitives }
    }

    /// The angle that both surfaces make along the curve, in radians.
    fn angle(&self) -> f64 {
        libm::acos((self.cosines / self.length).clamp(-1.0, 1.0))
    }

    /// The depth of two caps over a circle, in metres; its radius in units.
    fn depth_of_caps(&self, radius: f64) -> f64 {
        2.0 * radius * libm::tan(0.25 * self.angle()) / self.unit
    }
}
