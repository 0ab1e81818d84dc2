//! Drawing of meshes: triangles, tetrahedra by their edges, feature edges and faults.
//!
//! In: a mesh, its feature edges or faults. Out: items of a [`DrawSink`], in metres in the frame of the mesh.
//! Guarantees: items come in the order of the triangles, edges or faults, the same in every run. Elements that the mesh
//! does not have are left out. Cost: O(items), for faults with the elements of each.

use crate::{Fault, FeatureEdge, FeatureKind, TetMesh, TriMesh};
use heurt_geometry::{Draw, DrawSink, Meaning, Section, Vec3, section};

/// Feature edges of a mesh, to be drawn: boundaries and creases as edges, edges of more than two triangles as faults.
///
/// ```
/// use heurt_geometry::{Draw, DrawSink, Meaning, Triangle, Vec3};
/// use heurt_mesh::{FeatureLines, feature_edges, generate};
/// struct Lines(usize);
/// impl DrawSink for Lines {
///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
///     fn draw_line(&mut self, _: [Vec3; 2], meaning: Meaning) {
///         assert_eq!(meaning, Meaning::Edge);
///         self.0 += 1;
///     }
///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
/// }
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// let mut lines = Lines(0);
/// FeatureLines { mesh: &cube, edges: &feature_edges(&cube, 0.5)? }.draw(&mut lines);
/// assert_eq!(lines.0, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FeatureLines<'a> {
    /// The mesh.
    pub mesh: &'a TriMesh,
    /// Its edges, from [`feature_edges`](crate::feature_edges).
    pub edges: &'a [FeatureEdge],
}

/// Faults of a mesh, to be drawn: the triangles, edges and vertices of each, and its kind as a text at its place.
#[derive(Debug, Clone, Copy)]
pub struct FaultMarks<'a> {
    /// The mesh.
    pub mesh: &'a TriMesh,
    /// Its faults, from [`check()`](crate::check()).
    pub faults: &'a [Fault],
}

impl Draw for TriMesh {
    /// Draws the triangles as a surface.
    fn draw(&self, sink: &mut dyn DrawSink) {
        (0..self.triangles().len() as u32).for_each(|index| sink.draw_triangle(self.corners(index), Meaning::Surface));
    }
}

impl Draw for TetMesh {
    /// Draws every edge once, by lower and then by upper vertex.
    fn draw(&self, sink: &mut dyn DrawSink) {
        const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let ends = |tet: &[u32; 4], [a, b]: [usize; 2]| [tet[a].min(tet[b]), tet[a].max(tet[b])];
        let mut edges: Vec<[u32; 2]> =
            self.tets().iter().flat_map(|tet| EDGES.map(|edge| ends(tet, edge))).filter(|[a, b]| a != b).collect();
        edges.sort_unstable();
        edges.dedup();
        let at = |vertex: u32| self.vertices()[vertex as usize];
        edges.iter().for_each(|&[a, b]| sink.draw_line([at(a), at(b)], Meaning::Edge));
    }
}

impl Draw for FeatureLines<'_> {
    /// Draws the edges.
    fn draw(&self, sink: &mut dyn DrawSink) {
        for edge in self.edges {
            let meaning = match edge.kind {
                FeatureKind::NonManifold => Meaning::Fault,
                _ => Meaning::Edge,
            };
            draw_path(sink, self.mesh, &edge.vertices, meaning);
        }
    }
}

impl Draw for FaultMarks<'_> {
    /// Draws the faults one after another.
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.faults.iter().for_each(|fault| draw_fault(sink, self.mesh, fault));
    }
}

/// Draws the elements of one fault.
fn draw_fault(sink: &mut dyn DrawSink, mesh: &TriMesh, fault: &Fault) {
    let place = fault.place(mesh);
    if place.bounds.is_empty() {
        return;
    }
    match fault {
        Fault::SelfIntersection { triangles } => {
            draw_triangles(sink, mesh, triangles, Meaning::Intersecting);
            draw_section(sink, mesh, *triangles);
        }
        Fault::Hole { vertices, is_loop, .. } => {
            draw_path(sink, mesh, vertices, Meaning::Fault);
            if let (true, Some(&first), Some(&last)) = (*is_loop, vertices.first(), vertices.last()) {
                draw_path(sink, mesh, &[last, first], Meaning::Fault);
            }
        }
        Fault::NonManifoldEdge { vertices, .. } | Fault::InconsistentOrientation { vertices, .. } => {
            draw_path(sink, mesh, vertices, Meaning::Fault);
        }
        Fault::IsolatedVertex { .. } | Fault::NonManifoldVertex { .. } => sink.draw_point(place.centre, Meaning::Fault),
        Fault::DegenerateFace { .. } | Fault::DuplicateFace { .. } | Fault::InwardShell { .. } => {
            draw_triangles(sink, mesh, &fault.triangles(), Meaning::Fault);
        }
    }
    sink.draw_text(place.centre, fault.kind(), Meaning::Fault);
}

/// Draws the lines between consecutive vertices, as far as the mesh has them.
fn draw_path(sink: &mut dyn DrawSink, mesh: &TriMesh, vertices: &[u32], meaning: Meaning) {
    let at = |vertex: u32| mesh.vertices().get(vertex as usize).copied();
    for ends in vertices.windows(2) {
        if let (Some(a), Some(b)) = (at(ends[0]), at(ends[1])) {
            sink.draw_line([a, b], meaning);
        }
    }
}

fn draw_triangles(sink: &mut dyn DrawSink, mesh: &TriMesh, triangles: &[u32], meaning: Meaning) {
    let count = mesh.triangles().len() as u32;
    triangles
        .iter()
        .filter(|&&index| index < count)
        .for_each(|&index| sink.draw_triangle(mesh.corners(index), meaning));
}

/// Draws the points that two triangles share, rounded.
fn draw_section(sink: &mut dyn DrawSink, mesh: &TriMesh, [a, b]: [u32; 2]) {
    let count = mesh.triangles().len() as u32;
    if a >= count || b >= count {
        return;
    }
    let mut draw_line = |ends: [Vec3; 2]| {
        if ends.iter().all(|end| end.is_finite()) {
            sink.draw_line(ends, Meaning::Fault);
        }
    };
    match section(&mesh.corners(a), &mesh.corners(b)) {
        Section::None => {}
        Section::Point(point) => {
            if point.position.is_finite() {
                sink.draw_point(point.position, Meaning::Fault);
            }
        }
        Section::Segment(ends) => draw_line(ends.map(|end| end.position)),
        Section::Coplanar(corners) => {
            (0..corners.len()).for_each(|k| draw_line([corners[k], corners[(k + 1) % corners.len()]]));
        }
    }
}
