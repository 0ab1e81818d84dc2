//! Choice of the tree for pair queries on a shape, by the user or by `heurt tune`.

use heurt_bvh::simd::{HasLanes, Machine};
use heurt_bvh::{
    Aabb32, AabbSlab, BoxAxes, BuildOptions, Builder, BvhError, BvhStats, KDop14, KDop18, KDop26, Obb, Rss, Sphere,
    TreeFrame, TreeLevel, VolumeKind,
};
use heurt_geometry::{Draw, DrawSink};
use heurt_mesh::TriMesh;

use crate::mesh::trees::mesh_tree::Triangles;
use crate::{MeshTree, TriBlock};

/// Number of children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Degree {
    /// Binary trees.
    Two,
    /// Four children.
    Four,
    /// Eight children, one register of AVX2: the default.
    #[default]
    Eight,
}

impl Degree {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];

    /// Returns the number.
    pub fn children(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// A kind of tree. Every choice gives the same query results; they differ in speed and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeChoice {
    /// The bounding volume.
    pub volume: VolumeKind,
    /// Children a node.
    pub degree: Degree,
    /// The split rule.
    pub builder: Builder,
    /// Maximum number of triangles in a leaf, 1 to 8.
    pub leaf_size: u32,
    /// Method to choose the axes of oriented volumes; no effect on all other volumes.
    pub axes: BoxAxes,
}

impl Default for TreeChoice {
    /// Returns the defaults for values that a request or a file omits: oriented boxes, eight children, full leaves. A
    /// shape without a choice decides by itself: [`MeshShape::pair_volume`](crate::MeshShape::pair_volume).
    fn default() -> Self {
        Self {
            volume: VolumeKind::Obb,
            degree: Degree::Eight,
            builder: Builder::default(),
            leaf_size: TriBlock::LANES as u32,
            axes: BoxAxes::default(),
        }
    }
}

/// A tree of `W` children a node over any kind of volume.
#[derive(Debug, Clone)]
pub enum AnyVolumeTree<const W: usize> {
    /// Axis-aligned boxes.
    Aabb(MeshTree<Aabb32, W>),
    /// Axis-aligned boxes with slabs.
    AabbSlab(MeshTree<AabbSlab, W>),
    /// Spheres.
    Sphere(MeshTree<Sphere, W>),
    /// Oriented boxes.
    Obb(MeshTree<Obb, W>),
    /// 14-DOPs.
    KDop14(MeshTree<KDop14, W>),
    /// 18-DOPs.
    KDop18(MeshTree<KDop18, W>),
    /// 26-DOPs.
    KDop26(MeshTree<KDop26, W>),
    /// Swept rectangles.
    Rss(MeshTree<Rss, W>),
}

/// A tree of any kind.
#[derive(Debug, Clone)]
pub enum AnyTree {
    /// Binary.
    Two(AnyVolumeTree<2>),
    /// Four children.
    Four(AnyVolumeTree<4>),
    /// Eight children.
    Eight(AnyVolumeTree<8>),
}

/// Runs an expression with the tree inside, for any kind.
macro_rules! with_tree {
    ($any:expr, $tree:ident => $value:expr) => {
        match $any {
            AnyVolumeTree::Aabb($tree) => $value,
            AnyVolumeTree::AabbSlab($tree) => $value,
            AnyVolumeTree::Sphere($tree) => $value,
            AnyVolumeTree::Obb($tree) => $value,
            AnyVolumeTree::KDop14($tree) => $value,
            AnyVolumeTree::KDop18($tree) => $value,
            AnyVolumeTree::KDop26($tree) => $value,
            AnyVolumeTree::Rss($tree) => $value,
        }
    };
}

impl<const W: usize> AnyVolumeTree<W>
where
    Machine: HasLanes<W>,
{
    fn new(mesh: &TriMesh, volume: VolumeKind, options: &BuildOptions) -> Result<Self, BvhError> {
        Ok(match volume {
            VolumeKind::Aabb => Self::Aabb(MeshTree::with_options(mesh, options)?),
            VolumeKind::AabbSlab => Self::AabbSlab(MeshTree::with_options(mesh, options)?),
            VolumeKind::Sphere => Self::Sphere(MeshTree::with_options(mesh, options)?),
            VolumeKind::Obb => Self::Obb(MeshTree::with_options(mesh, options)?),
            VolumeKind::KDop14 => Self::KDop14(MeshTree::with_options(mesh, options)?),
            VolumeKind::KDop18 => Self::KDop18(MeshTree::with_options(mesh, options)?),
            VolumeKind::KDop26 => Self::KDop26(MeshTree::with_options(mesh, options)?),
            VolumeKind::Rss => Self::Rss(MeshTree::with_options(mesh, options)?),
        })
    }

    fn move_to(&mut self, moved: Triangles<'_>) -> Result<(), BvhError> {
        with_tree!(self, tree => tree.move_to(moved))
    }

    fn move_some(&mut self, source: Triangles<'_>, triangles: &[u32]) -> Result<(), BvhError> {
        with_tree!(self, tree => tree.move_some(source, triangles))
    }

    fn frame(&self) -> &TreeFrame {
        with_tree!(self, tree => tree.bvh().frame())
    }

    fn stats(&self) -> BvhStats {
        with_tree!(self, tree => tree.bvh().stats())
    }

    fn triangle_count(&self) -> usize {
        with_tree!(self, tree => tree.bvh().len())
    }

    fn draw_level(&self, level: u32, sink: &mut dyn DrawSink) {
        with_tree!(self, tree => TreeLevel { tree: tree.bvh(), level }.draw(sink));
    }

    fn block_count(&self) -> usize {
        with_tree!(self, tree => tree.blocks().len())
    }
}

impl AnyTree {
    /// Builds the chosen tree over `mesh`, on the current `rayon` pool if `parallel` is set.
    ///
    /// # Errors
    /// [`BvhError`] for more triangles than a tree can hold, and for a leaf size out of range.
    pub fn new(mesh: &TriMesh, choice: &TreeChoice, parallel: bool) -> Result<Self, BvhError> {
        let TreeChoice { volume, degree, builder, leaf_size, axes } = *choice;
        let options = BuildOptions { builder, leaf_size, axes, parallel };
        Ok(match degree {
            Degree::Two => Self::Two(AnyVolumeTree::new(mesh, volume, &options)?),
            Degree::Four => Self::Four(AnyVolumeTree::new(mesh, volume, &options)?),
            Degree::Eight => Self::Eight(AnyVolumeTree::new(mesh, volume, &options)?),
        })
    }

    /// Fits tree and blocks to moved vertices.
    ///
    /// # Errors
    /// [`BvhError`] when the number of triangles changed or a coordinate is not finite; all is then as before.
    pub fn refit(&mut self, mesh: &TriMesh) -> Result<(), BvhError> {
        self.move_to(mesh.into())
    }

    /// Performs [`AnyTree::refit`] to a source with the same triangles.
    pub(crate) fn move_to(&mut self, moved: Triangles<'_>) -> Result<(), BvhError> {
        match self {
            Self::Two(tree) => tree.move_to(moved),
            Self::Four(tree) => tree.move_to(moved),
            Self::Eight(tree) => tree.move_to(moved),
        }
    }

    /// Performs [`AnyTree::move_to`] if only `triangles` have moved.
    pub(crate) fn move_some(&mut self, source: Triangles<'_>, triangles: &[u32]) -> Result<(), BvhError> {
        match self {
            Self::Two(tree) => tree.move_some(source, triangles),
            Self::Four(tree) => tree.move_some(source, triangles),
            Self::Eight(tree) => tree.move_some(source, triangles),
        }
    }

    /// Returns the local frame of the tree.
    pub fn frame(&self) -> &TreeFrame {
        match self {
            Self::Two(tree) => tree.frame(),
            Self::Four(tree) => tree.frame(),
            Self::Eight(tree) => tree.frame(),
        }
    }

    /// Returns the number of triangles in the tree.
    pub fn triangle_count(&self) -> usize {
        match self {
            Self::Two(tree) => tree.triangle_count(),
            Self::Four(tree) => tree.triangle_count(),
            Self::Eight(tree) => tree.triangle_count(),
        }
    }

    /// Returns counts and sizes of the tree.
    pub fn stats(&self) -> BvhStats {
        match self {
            Self::Two(tree) => tree.stats(),
            Self::Four(tree) => tree.stats(),
            Self::Eight(tree) => tree.stats(),
        }
    }

    /// Returns the number of levels of volumes, at least 1.
    pub fn levels(&self) -> u32 {
        self.stats().depth as u32
    }

    /// Draws a level and the leaves above it.
    pub(crate) fn draw_level(&self, level: u32, sink: &mut dyn DrawSink) {
        match self {
            Self::Two(tree) => tree.draw_level(level, sink),
            Self::Four(tree) => tree.draw_level(level, sink),
            Self::Eight(tree) => tree.draw_level(level, sink),
        }
    }

    /// Returns the bytes of the tree and of its leaf blocks.
    pub fn memory(&self) -> (usize, usize) {
        let blocks = match self {
            Self::Two(tree) => tree.block_count(),
            Self::Four(tree) => tree.block_count(),
            Self::Eight(tree) => tree.block_count(),
        };
        (self.stats().bytes, blocks * size_of::<TriBlock>())
    }
}
