//! Topological nodes of the section of two meshes: ends of sections of neighbouring pairs of triangles are one node if
//! they lie on the same features, independent of rounded coordinates.
//!
//! In: triangles of both meshes and the features on which an end lies. Out: [`Node`]s, equal if the ends are one.
//! Bit-equal vertices of a mesh count as one.

use heurt_geometry::{Triangle, TriangleFeature, Vec3, point_on_segment, point_on_triangle, segments_intersect};
use heurt_mesh::TriMesh;
use smallvec::SmallVec;

/// A vertex by the bits of its position in the mesh.
type VertexKey = [u64; 3];

/// The element of a mesh on which an end lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    Vertex(VertexKey),
    Edge(VertexKey, VertexKey),
    Triangle(u32),
}

/// An end of a section, by the elements on which it lies in both meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    a: Element,
    b: Element,
}

/// A part of a triangle of a mesh.
pub(crate) type SectionPart<'a> = (&'a TriMesh, u32, TriangleFeature);

impl Node {
    #[inline(always)]
    pub(crate) fn new(a: SectionPart<'_>, b: SectionPart<'_>) -> Self {
        Self { a: element(a), b: element(b) }
    }
}

#[inline(always)]
fn element((mesh, triangle, feature): SectionPart<'_>) -> Element {
    let corners = mesh.corners(triangle);
    // Adding zero gives −0 and 0 the same bits.
    let key = |k: usize| corners[k % 3].to_array().map(|x| (x + 0.0).to_bits());
    match feature {
        TriangleFeature::Vertex(k) => Element::Vertex(key(k.into())),
        TriangleFeature::Edge(k) => {
            let (p, q) = (key(k.into()), key(usize::from(k) + 1));
            Element::Edge(p.min(q), p.max(q))
        }
        TriangleFeature::Face => Element::Triangle(triangle),
    }
}

/// Finds the feature of `t` on which the point, given to be on `t`, lies.
pub(crate) fn feature_at(p: Vec3, t: &Triangle) -> TriangleFeature {
    let edge = (0..3).find(|&k| point_on_segment(p, t[k], t[(k + 1) % 3])).map(|k| TriangleFeature::Edge(k as u8));
    let corner = t.iter().position(|c| *c == p).map(|k| TriangleFeature::Vertex(k as u8));
    corner.or(edge).unwrap_or(TriangleFeature::Face)
}

/// Lists pairs of features of two coplanar triangles that meet; every triangle that shares a part of the outline of
/// their intersection has one of these pairs, too.
pub(crate) fn coplanar_features(x: &Triangle, y: &Triangle) -> SmallVec<[[TriangleFeature; 2]; 8]> {
    let mut found = SmallVec::new();
    for k in 0..3u8 {
        let (of_x, of_y) = (x[usize::from(k)], y[usize::from(k)]);
        if point_on_triangle(of_x, y) {
            found.push([TriangleFeature::Vertex(k), feature_at(of_x, y)]);
        }
        if point_on_triangle(of_y, x) {
            found.push([feature_at(of_y, x), TriangleFeature::Vertex(k)]);
        }
        for l in 0..3u8 {
            let edge = |t: &Triangle, k: u8| [t[usize::from(k)], t[(usize::from(k) + 1) % 3]];
            let ([a, b], [c, d]) = (edge(x, k), edge(y, l));
            if segments_intersect(a, b, c, d) {
                found.push([TriangleFeature::Edge(k), TriangleFeature::Edge(l)]);
            }
        }
    }
    found
}
