//! Drawing of meshes prepared for queries: the mesh, and single levels of its trees.
//!
//! In: a [`MeshShape`] or a chosen tree, and a level. Out: triangles, and outlines of volumes with the meaning
//! [`Meaning::Volume`](heurt_geometry::Meaning::Volume), in metres in the frame of the shape.
//! Guarantees: the same items in the same order in every run. Cost: as [`TreeLevel`]; oriented boxes and 26-DOPs are
//! built at the first request.

use crate::{AnyTree, MeshShape, PairVolume};
use heurt_bvh::TreeLevel;
use heurt_geometry::{Draw, DrawSink};

/// One level of a default tree of a mesh, to be drawn; leaves above the level are drawn, too.
///
/// ```
/// use heurt_geometry::{Draw, DrawSink, Meaning, Triangle, Vec3};
/// use heurt_mesh::generate;
/// use heurt_shape::{MeshLevel, MeshShape, PairVolume};
/// struct Lines(usize);
/// impl DrawSink for Lines {
///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
///     fn draw_line(&mut self, _: [Vec3; 2], meaning: Meaning) {
///         assert_eq!(meaning, Meaning::Volume(0));
///         self.0 += 1;
///     }
///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
/// }
/// let shape = MeshShape::new(generate::icosphere(1.0, 2)?)?;
/// let mut lines = Lines(0);
/// MeshLevel { shape: &shape, volume: PairVolume::Oriented, level: 0 }.draw(&mut lines);
/// assert_eq!(lines.0, 12, "the oriented box of the whole mesh");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MeshLevel<'a> {
    /// The mesh.
    pub shape: &'a MeshShape,
    /// The volumes of the tree.
    pub volume: PairVolume,
    /// The depth, from 0 to [`MeshShape::levels`] − 1; a greater one draws the leaves.
    pub level: u32,
}

/// One level of a tree that was chosen ([`MeshShape::chosen_tree`]), to be drawn; leaves above the level are drawn,
/// too.
#[derive(Debug, Clone, Copy)]
pub struct AnyTreeLevel<'a> {
    /// The tree.
    pub tree: &'a AnyTree,
    /// The depth, from 0 to [`AnyTree::levels`] − 1; a greater one draws the leaves.
    pub level: u32,
}

impl MeshShape {
    /// Returns the number of levels of volumes of a default tree, at least 1.
    pub fn levels(&self, volume: PairVolume) -> u32 {
        match volume {
            PairVolume::Aligned => self.tree().levels(),
            PairVolume::Oriented => self.oriented_tree().levels(),
            PairVolume::Polytope => self.polytope_tree().levels(),
        }
    }
}

impl Draw for MeshShape {
    /// Draws the triangles of the mesh.
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.mesh().draw(sink);
    }
}

impl Draw for MeshLevel<'_> {
    /// Draws the outlines of the volumes.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let level = self.level;
        match self.volume {
            PairVolume::Aligned => TreeLevel { tree: self.shape.tree(), level }.draw(sink),
            PairVolume::Oriented => TreeLevel { tree: self.shape.oriented_tree(), level }.draw(sink),
            PairVolume::Polytope => TreeLevel { tree: self.shape.polytope_tree(), level }.draw(sink),
        }
    }
}

impl Draw for AnyTreeLevel<'_> {
    /// Draws the outlines of the volumes.
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.tree.draw_level(self.level, sink);
    }
}
