//! A triangle mesh ready to be asked: with its tree, its leaf blocks and what its topology says about an inside.
//!
//! Guarantees: a closed mesh (bit-equal vertices merged, every edge shared by equally many opposite half-edges)
//! is a solid unless the caller says otherwise; an open one never is.
//! Cost: O(n log n) once; about 70 bytes a triangle beside vertices and indices.

use crate::mesh_tree::Triangles;
use crate::{AnyTree, MeshTree, TreeChoice, TriBlock};
use heurt_bvh::{Aabb32, BoxAxes, Builder, Bvh, BvhError, Obb};
use heurt_geometry::Aabb;
use heurt_mesh::{Component, Topology, TriMesh};
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// A mesh with everything that queries need.
#[derive(Debug, Clone)]
pub struct MeshShape {
    mesh: TriMesh,
    tree: MeshTree<Aabb32, 8>,
    /// Oriented boxes over the same leaves, made when first asked for.
    oriented: OnceLock<Bvh<Obb, 8>>,
    /// The tree that the user chose for pairs.
    chosen: Option<Arc<AnyTree>>,
    /// The mesh has moved, and its axis-aligned boxes with it.
    deforms: bool,
    bounds: Aabb,
    components: Vec<Component>,
    closed: bool,
    solid: bool,
}

/// What pairs of shapes walk.
#[derive(Debug, Clone, Copy)]
pub enum PairTree<'a> {
    /// Axis-aligned boxes.
    Aligned(&'a Bvh<Aabb32, 8>),
    /// Oriented boxes over the same leaves.
    Oriented(&'a Bvh<Obb, 8>),
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
        let tree = MeshTree::new(&mesh, builder)?;
        let topology = Topology::new(&mesh);
        let (closed, components) = (topology.is_closed(), topology.components());
        Ok(Self {
            bounds: mesh.bounds(),
            mesh,
            tree,
            oriented: OnceLock::new(),
            chosen: None,
            deforms: false,
            components,
            closed,
            solid: closed,
        })
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

    /// Chooses the tree that questions about pairs walk; it serves where both shapes have chosen the same volume and degree.
    ///
    /// # Errors
    /// [`ShapeError::Tree`] for a leaf size out of range.
    pub fn with_tree(mut self, choice: &TreeChoice) -> Result<Self, ShapeError> {
        self.chosen = Some(Arc::new(AnyTree::new(&self.mesh, choice, true)?));
        Ok(self)
    }

    /// The tree that the user chose for pairs, if any.
    #[inline(always)]
    pub fn chosen_tree(&self) -> Option<&AnyTree> {
        self.chosen.as_deref()
    }

    /// What pairs of shapes walk where no tree was chosen: oriented boxes, tight and fitted once, when they are first asked
    /// for; axis-aligned ones for a mesh that has moved, since these follow it in linear time.
    #[inline(always)]
    pub fn pair_tree(&self) -> PairTree<'_> {
        if self.deforms { PairTree::Aligned(self.tree()) } else { PairTree::Oriented(self.oriented_tree()) }
    }

    /// The oriented boxes over the leaves of [`MeshShape::tree`].
    #[inline(always)]
    pub fn oriented_tree(&self) -> &Bvh<Obb, 8> {
        match self.oriented.get() {
            Some(tree) => tree,
            None => self.fit_oriented(),
        }
    }

    #[cold]
    fn fit_oriented(&self) -> &Bvh<Obb, 8> {
        self.oriented.get_or_init(|| {
            let fitted = self.tree().with_volumes(&Triangles(&self.mesh), BoxAxes::default(), false);
            fitted.expect("the tree is one over this very mesh")
        })
    }

    /// The mesh.
    #[inline(always)]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The tree over its triangles, with their blocks.
    #[inline(always)]
    pub fn mesh_tree(&self) -> &MeshTree<Aabb32, 8> {
        &self.tree
    }

    /// The tree over its triangles.
    #[inline(always)]
    pub fn tree(&self) -> &Bvh<Aabb32, 8> {
        self.tree.bvh()
    }

    /// The triangles of each leaf, by leaf ordinal.
    #[inline(always)]
    pub fn blocks(&self) -> &[TriBlock] {
        self.tree.blocks()
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

    /// Bytes beyond vertices and indices: of the trees made so far, and of the leaf blocks.
    pub fn memory(&self) -> (usize, usize) {
        let (chosen, chosen_blocks) = self.chosen.as_ref().map_or((0, 0), |tree| tree.memory());
        let oriented = self.oriented.get().map_or(0, |tree| tree.stats().bytes);
        (self.tree().stats().bytes + oriented + chosen, size_of_val(self.blocks()) + chosen_blocks)
    }

    /// Moves the vertices (in metres, as many as before) and refits tree and blocks in linear time. From then on pairs walk
    /// axis-aligned boxes, or the tree chosen, refitted.
    ///
    /// # Errors
    /// [`ShapeError::Tree`] when the number of triangles changed or a coordinate is not finite.
    pub fn refit(&mut self, mesh: TriMesh) -> Result<(), ShapeError> {
        self.tree.refit(&mesh)?;
        if let Some(chosen) = &mut self.chosen {
            Arc::make_mut(chosen).refit(&mesh)?;
        }
        self.oriented = OnceLock::new();
        self.deforms = true;
        let topology = Topology::new(&mesh);
        (self.closed, self.components) = (topology.is_closed(), topology.components());
        self.solid = self.solid && self.closed;
        self.bounds = mesh.bounds();
        self.mesh = mesh;
        Ok(())
    }
}
