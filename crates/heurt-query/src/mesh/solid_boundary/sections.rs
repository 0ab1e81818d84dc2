//! Segments along which other triangles meet a triangle, with ends that are correct within an ulp.
//!
//! In: two triangles of a mesh that meet. Out: segments in the plane of the first, scaled to approximately 1.
//! Method: the exact `section` gives the features on which an end lies; the end is then computed from these, in
//! double-double arithmetic. Coplanar triangles cut each other along all their edges.

use super::exact::point_on_plane;
use heurt_geometry::{Section, SectionPoint, Triangle, TriangleFeature, Vec3, orient3d, section};
use smallvec::SmallVec;

/// Computes the segments of `y` in the plane of `x`, in space, with coordinates times `unit`, a power of two that
/// brings the coordinates of `x` near 1.
pub(crate) fn segments_on(x: &Triangle, y: &Triangle, unit: f64) -> SmallVec<[[Vec3; 2]; 3]> {
    match section(x, y) {
        Section::None | Section::Point(_) => SmallVec::new(),
        Section::Segment(ends) => SmallVec::from_iter([ends.map(|end| place(&end, [x, y], unit))]),
        Section::Coplanar(_) => (0..3).map(|k| [y[k] * unit, y[(k + 1) % 3] * unit]).collect(),
    }
}

/// Computes the position of an end of a section.
fn place(end: &SectionPoint, [x, y]: [&Triangle; 2], unit: f64) -> Vec3 {
    let crosses = |t: &Triangle, k: u8, plane: &Triangle| {
        let side = |corner: usize| orient3d(plane[0], plane[1], plane[2], t[corner % 3]);
        side(k.into()) != side(usize::from(k) + 1)
    };
    let on_edge = |t: &Triangle, k: u8, plane: &Triangle| {
        let (k, next) = (usize::from(k), (usize::from(k) + 1) % 3);
        point_on_plane(t[k], t[next], plane, unit)
    };
    match (end.a, end.b) {
        (TriangleFeature::Vertex(k), _) => x[usize::from(k)] * unit,
        (_, TriangleFeature::Vertex(k)) => y[usize::from(k)] * unit,
        (TriangleFeature::Edge(k), _) if crosses(x, k, y) => on_edge(x, k, y),
        (_, TriangleFeature::Edge(k)) => on_edge(y, k, x),
        (TriangleFeature::Edge(k), _) => on_edge(x, k, y),
        (TriangleFeature::Face, TriangleFeature::Face) => end.position * unit,
    }
}
