//! The result of one repair step: a changed mesh, the source of each of its triangles, and counts of what changed.
//!
//! The source of a triangle is the triangle of the mesh before the step that it is, or is a piece of.

use heurt_geometry::Vec3;

use crate::TriMesh;

/// The source of a triangle that fills a hole.
pub(super) const NEW: u32 = u32::MAX;

/// The changes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    /// Triangles that are new, or are pieces of a triangle that was cut.
    pub triangles_added: usize,
    /// Triangles that were dropped, or were cut in pieces.
    pub triangles_removed: usize,
    /// Triangles whose orientation was reversed.
    pub triangles_turned: usize,
    /// Vertices that were merged into another vertex.
    pub vertices_merged: usize,
    /// Copies made of vertices where separate fans of triangles met.
    pub vertices_doubled: usize,
    /// Vertices that no triangle used and that were dropped.
    pub vertices_dropped: usize,
    /// Holes that were filled.
    pub holes_filled: usize,
    /// The largest distance by which the surface moved, in the unit of the mesh.
    pub deviation: f64,
    /// A bound on the change of the enclosed volume, for a mesh that is closed before and after.
    pub volume_bound: f64,
}

impl Change {
    /// Reports whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the counts of a second change made after this one.
    pub(super) fn add(&mut self, other: &Self) {
        self.triangles_added += other.triangles_added;
        self.triangles_removed += other.triangles_removed;
        self.triangles_turned += other.triangles_turned;
        self.vertices_merged += other.vertices_merged;
        self.vertices_doubled += other.vertices_doubled;
        self.vertices_dropped += other.vertices_dropped;
        self.holes_filled += other.holes_filled;
        self.deviation += other.deviation;
        self.volume_bound += other.volume_bound;
    }
}

/// A mesh that a step made.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) mesh: TriMesh,
    /// For each triangle of `mesh` its source, or [`NEW`].
    pub(super) source: Vec<u32>,
    pub(super) change: Change,
}

impl Edit {
    /// Takes vertices, and triangles with their sources; returns `None` if no triangle is left.
    pub(super) fn new(vertices: Vec<Vec3>, sourced: Vec<([u32; 3], u32)>, change: Change) -> Option<Self> {
        if sourced.is_empty() {
            return None;
        }
        let (triangles, source) = sourced.into_iter().unzip();
        Some(Self { mesh: TriMesh::from_valid(vertices, triangles), source, change })
    }

    /// Keeps the triangles of `mesh` for which `keep` holds; `None` if it holds for all of them or for none.
    pub(super) fn filtered(mesh: &TriMesh, keep: impl Fn(u32) -> bool) -> Option<Self> {
        let all = (0..).zip(mesh.triangles());
        let kept: Vec<([u32; 3], u32)> =
            all.filter(|&(number, _)| keep(number)).map(|(number, &corners)| (corners, number)).collect();
        let triangles_removed = mesh.triangles().len() - kept.len();
        if triangles_removed == 0 {
            return None;
        }
        Self::new(mesh.vertices().to_vec(), kept, Change { triangles_removed, ..Change::default() })
    }

    /// Carries a property of the triangles before the edit over to the pieces after it.
    pub(super) fn carried(&self, property: &[bool]) -> Vec<bool> {
        self.source.iter().map(|&of| of != NEW && property[of as usize]).collect()
    }

    /// Joins this edit and a later one that was made on its result.
    pub(super) fn then(self, later: Option<Self>) -> Self {
        let Some(later) = later else { return self };
        let source = later.source.iter().map(|&of| if of == NEW { NEW } else { self.source[of as usize] }).collect();
        let mut change = self.change;
        change.add(&later.change);
        Self { mesh: later.mesh, source, change }
    }
}
