//! Tree over the triangles of a mesh, with the triangles of each leaf in struct-of-arrays form.
//!
//! The default degree is 8, which matches SIMD; 2 and 4 give the same results and exist for comparison.

use crate::TriBlock;
use heurt_bvh::simd::{HasLanes, Machine};
use heurt_bvh::{BoundingVolume, BuildOptions, Builder, Bvh, BvhError, PrimitiveSource};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;

/// Tree and leaf blocks of a mesh, with `W` children a node.
#[derive(Debug, Clone)]
pub struct MeshTree<V: BoundingVolume, const W: usize> {
    tree: Bvh<V, W>,
    blocks: Vec<TriBlock>,
}

/// The triangles of a mesh as primitives of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Triangles<'a> {
    pub vertices: &'a [Vec3],
    pub triangles: &'a [[u32; 3]],
}

impl<'a> From<&'a TriMesh> for Triangles<'a> {
    #[inline(always)]
    fn from(mesh: &'a TriMesh) -> Self {
        Self { vertices: mesh.vertices(), triangles: mesh.triangles() }
    }
}

impl PrimitiveSource for Triangles<'_> {
    fn len(&self) -> usize {
        self.triangles.len()
    }
    fn points(&self) -> &[Vec3] {
        self.vertices
    }
    #[inline(always)]
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.triangles[primitive as usize]
    }
    #[inline(always)]
    fn prefetch<I: heurt_bvh::simd::WideIsa>(&self, isa: I, primitive: u32) {
        isa.prefetch(&self.triangles[primitive as usize]);
    }
}

impl<V: BoundingVolume, const W: usize> MeshTree<V, W>
where
    Machine: HasLanes<W>,
{
    /// Builds tree and blocks over `mesh`, with leaves of up to eight triangles.
    ///
    /// # Errors
    /// [`BvhError`] for more triangles than a tree can hold.
    pub fn new(mesh: &TriMesh, builder: Builder) -> Result<Self, BvhError> {
        Self::with_options(mesh, &BuildOptions { builder, leaf_size: TriBlock::LANES as u32, ..Default::default() })
    }

    /// Builds tree and blocks over `mesh` with the given options.
    ///
    /// # Errors
    /// [`BvhError`] for more triangles than a tree can hold, and for a leaf size out of range.
    pub fn with_options(mesh: &TriMesh, options: &BuildOptions) -> Result<Self, BvhError> {
        let tree = Bvh::with_options(&Triangles::from(mesh), options)?;
        let blocks = TriBlock::of_tree(&tree, mesh.into());
        Ok(Self { tree, blocks })
    }

    /// Fits tree and blocks to moved vertices.
    ///
    /// # Errors
    /// [`BvhError`] when the number of triangles changed or a coordinate is not finite; all is then as before.
    pub fn refit(&mut self, mesh: &TriMesh) -> Result<(), BvhError> {
        self.move_to(mesh.into())
    }

    /// Performs [`MeshTree::refit`] to a source with the same triangles.
    pub(crate) fn move_to(&mut self, moved: Triangles<'_>) -> Result<(), BvhError> {
        self.tree.refit(&moved)?;
        TriBlock::refill(&mut self.blocks, &self.tree, moved);
        Ok(())
    }

    /// Performs [`MeshTree::move_to`] if only `triangles` have moved.
    pub(crate) fn move_some(&mut self, source: Triangles<'_>, triangles: &[u32]) -> Result<(), BvhError> {
        let frame = *self.tree.frame();
        self.tree.refit_moved(&source, triangles)?;
        TriBlock::refill_above(&mut self.blocks, &mut self.tree, &frame, source, triangles);
        Ok(())
    }
}

impl<V: BoundingVolume, const W: usize> MeshTree<V, W> {
    /// Returns the tree.
    #[inline(always)]
    pub fn bvh(&self) -> &Bvh<V, W> {
        &self.tree
    }

    /// Returns the triangles of each leaf, by leaf ordinal.
    #[inline(always)]
    pub fn blocks(&self) -> &[TriBlock] {
        &self.blocks
    }
}
