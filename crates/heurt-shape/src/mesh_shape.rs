//! A triangle mesh ready to be asked: with its tree, its leaf blocks and what its topology says about an inside.
//!
//! Guarantees: a closed mesh (QUERY.md: bit-equal vertices merged, every edge shared by equally many opposite half-edges)
//! is a solid unless the caller says otherwise; an open one never is.
//! Cost: O(n log n) once; about 70 bytes a triangle beside vertices and indices.

use crate::TriBlock;
use heurt_bvh::{Aabb32, BuildOptions, Builder, Bvh, BvhError, PrimitiveSource};
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::{Component, Topology, TriMesh};
use thiserror::Error;

/// A mesh with everything that queries need.
#[derive(Debug, Clone)]
pub struct MeshShape {
    mesh: TriMesh,
    tree: Bvh<Aabb32, 8>,
    blocks: Vec<TriBlock>,
    bounds: Aabb,
    components: Vec<Component>,
    closed: bool,
    solid: bool,
}

/// Why a mesh does not make the shape asked for.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The tree could not be built.
    #[error(transparent)]
    Tree(#[from] BvhError),
    /// A solid was asked for, but the mesh has no inside.
    #[error(
        "the mesh is not closed, so it has no inside: mend it (`heurt inspect` lists the holes) or leave `solid` out"
    )]
    NotClosed,
}

/// The triangles of a mesh as primitives of a tree.
struct Triangles<'a>(&'a TriMesh);

impl PrimitiveSource for Triangles<'_> {
    fn len(&self) -> usize {
        self.0.triangles().len()
    }
    fn points(&self) -> &[Vec3] {
        self.0.vertices()
    }
    #[inline(always)]
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.0.triangles()[primitive as usize]
    }
}

impl MeshShape {
    /// Builds tree and blocks; a closed mesh becomes a solid.
    ///
    /// # Errors
    /// [`ShapeError::Tree`] for more triangles than a tree can hold.
    pub fn new(mesh: TriMesh) -> Result<Self, ShapeError> {
        Self::with_builder(mesh, Builder::default())
    }

    /// Builds with another split rule; answers are the same.
    ///
    /// # Errors
    /// As [`MeshShape::new`].
    pub fn with_builder(mesh: TriMesh, builder: Builder) -> Result<Self, ShapeError> {
        let options = BuildOptions { builder, leaf_size: TriBlock::LANES as u32, parallel: true };
        let tree = Bvh::with_options(&Triangles(&mesh), &options)?;
        let blocks = TriBlock::of_tree(&tree, &mesh);
        let topology = Topology::new(&mesh);
        let (closed, components) = (topology.is_closed(), topology.components());
        Ok(Self { bounds: mesh.bounds(), mesh, tree, blocks, components, closed, solid: closed })
    }

    /// Makes the shape a solid or a hollow surface.
    ///
    /// # Errors
    /// [`ShapeError::NotClosed`] when an open mesh is to be a solid.
    pub fn with_solid(mut self, solid: bool) -> Result<Self, ShapeError> {
        if solid && !self.closed {
            return Err(ShapeError::NotClosed);
        }
        self.solid = solid;
        Ok(self)
    }

    /// The mesh.
    #[inline(always)]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The tree over its triangles.
    #[inline(always)]
    pub fn tree(&self) -> &Bvh<Aabb32, 8> {
        &self.tree
    }

    /// The triangles of each leaf, by leaf ordinal.
    #[inline(always)]
    pub fn blocks(&self) -> &[TriBlock] {
        &self.blocks
    }

    /// The box of the used vertices, in the frame of the mesh.
    #[inline(always)]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The parts that hang together, each with a vertex of its own.
    #[inline(always)]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Tells whether the mesh is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Tells whether the inside belongs to the shape.
    #[inline(always)]
    pub fn is_solid(&self) -> bool {
        self.solid
    }

    /// Bytes beyond vertices and indices: of the tree, and of the leaf blocks.
    pub fn memory(&self) -> (usize, usize) {
        (self.tree.stats().bytes, self.blocks.len() * size_of::<TriBlock>())
    }

    /// Moves the vertices (in metres, as many as before) and refits tree and blocks in linear time.
    ///
    /// # Errors
    /// [`ShapeError::Tree`] when the number of triangles changed or a coordinate is not finite.
    pub fn refit(&mut self, mesh: TriMesh) -> Result<(), ShapeError> {
        self.tree.refit(&Triangles(&mesh))?;
        self.blocks = TriBlock::of_tree(&self.tree, &mesh);
        let topology = Topology::new(&mesh);
        (self.closed, self.components) = (topology.is_closed(), topology.components());
        self.solid = self.solid && self.closed;
        self.bounds = mesh.bounds();
        self.mesh = mesh;
        Ok(())
    }
}
