//! Triangle mesh prepared for queries: with its tree, its leaf blocks and the solidity given by its topology.
//!
//! Guarantees: a closed mesh (bit-equal vertices merged, every edge shared by equally many opposite half-edges)
//! is a solid unless the caller states otherwise; an open one never is.
//! Cost: O(n log n) once; approximately 70 bytes a triangle next to vertices and indices, 8 more once vertices move in
//! place, and up to 44 more where queries come to all leaves of a mesh that moves.

pub(crate) mod blocks;
pub(crate) mod deform;
pub(crate) mod solid_boundary;
pub(crate) mod swept;
pub(crate) mod trees;
pub(crate) mod upkeep;
pub(crate) mod vertex_stars;

use crate::mesh::blocks::leaf_blocks::LeafBlocks;
use crate::mesh::blocks::leaf_corners::LeafCorners;
use crate::mesh::deform::VertexFaces;
use crate::mesh::trees::mesh_tree::Triangles;
use crate::mesh::trees::winding_tree::WindingTree;
use crate::{AnyTree, Convex, ConvexPieces, SolidBoundary, TreeChoice, TriBlock, VertexBlock, VertexStars};
use heurt_bvh::{Aabb32, BoundingVolume, BoxAxes, BuildOptions, Builder, Bvh, BvhError, KDop26, Leaf, Obb};
use heurt_geometry::{Aabb, Pose, Sign, StateHash, Vec3, orient3d};
use heurt_mesh::{Component, Topology, TriMesh};
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// A mesh with all data that queries need.
#[derive(Debug, Clone)]
pub struct MeshShape {
    pub(crate) mesh: TriMesh,
    pub(crate) tree: Bvh<Aabb32, 8>,
    /// The triangle blocks of all leaves; after the first deformation made at the first request, and kept from then on.
    pub(crate) blocks: OnceLock<Vec<TriBlock>>,
    /// The triangle blocks of single leaves, used if those of all leaves are not made.
    pub(crate) leaf_blocks: LeafBlocks,
    /// Vertex lists from which blocks are made after vertices have moved in place; unchanged by further moves.
    pub(crate) leaf_corners: Option<LeafCorners>,
    /// The vertices of its leaves, made at the first request; unchanged by a move of the mesh.
    pub(crate) vertex_blocks: OnceLock<Vec<VertexBlock>>,
    /// Oriented boxes over the same leaves, made at the first request.
    pub(crate) oriented: OnceLock<Bvh<Obb, 8>>,
    /// 26-DOPs over the same leaves, made at the first request.
    pub(crate) polytopes: OnceLock<Bvh<KDop26, 8>>,
    /// Convex sets inside it, made at the first request; shared by copies.
    pub(crate) pieces: OnceLock<Arc<ConvexPieces>>,
    /// The triangles round each vertex, made at the first request; unchanged by a move of the mesh, unless vertices may
    /// separate.
    pub(crate) stars: OnceLock<VertexStars>,
    /// Whether triangles face inwards, computed at the first request.
    pub(crate) inverted: OnceLock<bool>,
    /// A hash of vertices and triangles, computed at the first request; not used after a move of the mesh.
    pub(crate) fingerprint: OnceLock<u64>,
    /// Whether the triangles are long for the size of the mesh.
    pub(crate) is_slender: bool,
    /// The tree that the user chose for pairs.
    pub(crate) chosen: Option<UserTree>,
    /// The triangles of each vertex, computed when a few vertices move for the first time.
    pub(crate) faces: OnceLock<VertexFaces>,
    /// Whether the mesh has moved, and its axis-aligned boxes with it.
    pub(crate) deforms: bool,
    /// Maximum growth of boxes on each side since the last full refit, in metres.
    pub(crate) grown: f64,
    pub(crate) bounds: Aabb,
    pub(crate) components: Vec<Component>,
    pub(crate) closed: bool,
    pub(crate) solidity: Solidity,
    /// The dipole hierarchy, built at the first use; shared by copies.
    pub(crate) windings: OnceLock<Arc<WindingTree>>,
    /// The hull of the vertices, computed at the first use; shared by copies.
    pub(crate) hull: OnceLock<Arc<Option<Convex>>>,
    /// The boundary of the solid, computed at the first use; shared by copies.
    pub(crate) boundary: OnceLock<Arc<SolidBoundary>>,
    /// Whether coincident vertices count as one: components can change if they separate.
    pub(crate) merges: bool,
    /// Whether every vertex belongs to a triangle.
    pub(crate) uses_all: bool,
}

/// The properties of a topology that a shape keeps.
struct TopologyFacts {
    is_closed: bool,
    components: Vec<Component>,
    merges: bool,
}

impl TopologyFacts {
    fn of(topology: &Topology<'_>) -> Self {
        Self { is_closed: topology.is_closed(), components: topology.components(), merges: merges(topology) }
    }
}

/// Whether a mesh encloses an inside that belongs to the shape, and how that inside is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solidity {
    /// The surface only.
    Surface,
    /// A closed mesh and all points with a winding number other than 0, decided exactly.
    #[default]
    Solid,
    /// The surface and all points of its box whose generalised winding number is at least ½ in magnitude (S0 §4.3),
    /// also for a mesh that is open or inconsistently oriented. Not exact: the inside ends where the number passes ½,
    /// across each hole, and connected bodies that do not meet the surface are located by one vertex.
    Winding,
}

/// A tree that the user chose, and the choice, to build another tree of its kind.
#[derive(Debug, Clone)]
pub(crate) struct UserTree {
    pub choice: TreeChoice,
    pub tree: Arc<AnyTree>,
}

impl UserTree {
    /// Builds the chosen tree.
    pub fn new(mesh: &TriMesh, choice: TreeChoice, parallel: bool) -> Result<Self, BvhError> {
        Ok(Self { choice, tree: Arc::new(AnyTree::new(mesh, &choice, parallel)?) })
    }
}

/// Volume of the default tree that pairs walk, without a chosen tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairVolume {
    /// [`MeshShape::tree`]: the mesh has moved, and axis-aligned boxes follow it in linear time.
    Aligned,
    /// [`MeshShape::oriented_tree`]: triangles as long as those of gears and brackets, to which only oriented boxes fit
    /// tightly.
    Oriented,
    /// [`MeshShape::polytope_tree`]: all other meshes.
    Polytope,
}

/// Threshold of the mean longest edge of the triangles, as a share of the diagonal of the mesh, above which triangles
/// count as long. From gears and brackets (0.13 and more) on, oriented boxes are up to four times as fast as 26-DOPs;
/// below, 26-DOPs are up to twice as fast (docs/hierarchies.md).
const SLENDER: f64 = 0.125;

/// Reason why a mesh does not make the requested shape.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The tree could not be built.
    #[error(transparent)]
    Tree(#[from] BvhError),
    /// A moved vertex that does not exist.
    #[error("there is no vertex {vertex} to move: the mesh has {count}")]
    NoVertex {
        /// The vertex.
        vertex: u32,
        /// Number of vertices of the mesh.
        count: usize,
    },
    /// A number of positions that differs from the number of vertices.
    #[error("{given} places are given for {count} vertices: give one for each, in the same order")]
    VertexCount {
        /// Number of vertices to move.
        count: usize,
        /// Number of given positions.
        given: usize,
    },
    /// A deformation that leaves no surface.
    #[error(
        "with the vertices given no triangle has an area: the mesh has collapsed to a line or a point, and is left as it was"
    )]
    Collapsed,
    /// A solid was requested, but the mesh has no inside.
    #[error(
        "the mesh is not closed, so it has no inside: repair it (`heurt inspect` lists the holes) or leave `solid` out"
    )]
    NotClosed,
}

impl MeshShape {
    /// Builds tree and blocks; a closed mesh becomes a solid.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_shape::MeshShape;
    /// let cube = MeshShape::new(generate::cuboid([1.0, 1.0, 1.0])?)?;
    /// assert!(cube.is_closed() && cube.is_solid(), "closed meshes are solid");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::Tree`] for more triangles than a tree can hold.
    pub fn new(mesh: TriMesh) -> Result<Self, ShapeError> {
        Self::with_builder(mesh, Builder::default())
    }

    /// Builds with another split rule; query results are the same.
    ///
    /// # Errors
    /// As [`MeshShape::new`].
    pub fn with_builder(mesh: TriMesh, builder: Builder) -> Result<Self, ShapeError> {
        let facts = TopologyFacts::of(&Topology::new(&mesh));
        Self::assemble(mesh, facts, builder)
    }

    /// Builds the shape of a mesh whose topology is known, faster than [`MeshShape::new`].
    ///
    /// ```
    /// use heurt_mesh::{Topology, generate};
    /// use heurt_shape::MeshShape;
    /// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
    /// assert!(MeshShape::of_topology(&Topology::new(&cube))?.is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`MeshShape::new`].
    pub fn of_topology(topology: &Topology<'_>) -> Result<Self, ShapeError> {
        Self::assemble(topology.mesh().clone(), TopologyFacts::of(topology), Builder::default())
    }

    fn assemble(mesh: TriMesh, facts: TopologyFacts, builder: Builder) -> Result<Self, ShapeError> {
        let tree = aligned_tree(&mesh, builder)?;
        let blocks = TriBlock::of_tree(&tree, (&mesh).into());
        let TopologyFacts { is_closed: closed, components, merges } = facts;
        let bounds = mesh.bounds();
        Ok(Self {
            bounds,
            merges,
            uses_all: uses_all(&mesh),
            is_slender: mean_longest_edge(&mesh) > SLENDER * 2.0 * bounds.half_extents().length(),
            mesh,
            tree,
            blocks: OnceLock::from(blocks),
            leaf_blocks: LeafBlocks::default(),
            leaf_corners: None,
            vertex_blocks: OnceLock::new(),
            oriented: OnceLock::new(),
            polytopes: OnceLock::new(),
            pieces: OnceLock::new(),
            stars: OnceLock::new(),
            inverted: OnceLock::new(),
            fingerprint: OnceLock::new(),
            chosen: None,
            faces: OnceLock::new(),
            deforms: false,
            grown: 0.0,
            components,
            closed,
            solidity: if closed { Solidity::Solid } else { Solidity::Surface },
            windings: OnceLock::new(),
            boundary: OnceLock::new(),
            hull: OnceLock::new(),
        })
    }

    /// Makes the shape a solid or a hollow surface.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_shape::MeshShape;
    /// let vase = MeshShape::new(generate::icosphere(1.0, 2)?)?.with_solid(false)?;
    /// assert!(vase.is_closed() && !vase.is_solid(), "what lies inside does not touch it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::NotClosed`] when an open mesh is to be a solid.
    pub fn with_solid(self, solid: bool) -> Result<Self, ShapeError> {
        self.with_solidity(if solid { Solidity::Solid } else { Solidity::Surface })
    }

    /// Chooses whether the shape has an inside and how it is defined.
    ///
    /// # Errors
    /// [`ShapeError::NotClosed`] if an open mesh is to be [`Solidity::Solid`].
    pub fn with_solidity(mut self, solidity: Solidity) -> Result<Self, ShapeError> {
        if solidity == Solidity::Solid && !self.closed {
            return Err(ShapeError::NotClosed);
        }
        if solidity != self.solidity {
            self.pieces = OnceLock::new();
        }
        self.solidity = solidity;
        Ok(self)
    }

    /// Returns the solidity: whether the shape has an inside, and how it is defined.
    #[inline(always)]
    pub fn solidity(&self) -> Solidity {
        self.solidity
    }

    /// Chooses the tree for pair queries. It is used if both shapes have chosen the same volume and degree.
    ///
    /// ```
    /// use heurt_bvh::VolumeKind;
    /// use heurt_mesh::generate;
    /// use heurt_shape::{MeshShape, TreeChoice};
    /// let choice = TreeChoice { volume: VolumeKind::Obb, ..TreeChoice::default() };
    /// let shaft = MeshShape::new(generate::cylinder(0.02, 1.0, 64)?)?.with_tree(&choice)?;
    /// assert!(shaft.chosen_tree().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::Tree`] for a leaf size out of range.
    pub fn with_tree(mut self, choice: &TreeChoice) -> Result<Self, ShapeError> {
        self.chosen = Some(UserTree::new(&self.mesh, *choice, true)?);
        Ok(self)
    }

    /// Returns the tree that the user chose for pairs, if any.
    #[inline(always)]
    pub fn chosen_tree(&self) -> Option<&AnyTree> {
        self.chosen.as_ref().map(|chosen| &*chosen.tree)
    }

    /// Returns the volume of the default tree for pair queries. Both trees of a pair must match: 26-DOPs only match
    /// 26-DOPs, all others match oriented boxes.
    #[inline(always)]
    pub fn pair_volume(&self) -> PairVolume {
        match (self.deforms, self.is_slender) {
            (true, _) => PairVolume::Aligned,
            (false, true) => PairVolume::Oriented,
            (false, false) => PairVolume::Polytope,
        }
    }

    /// Returns oriented boxes over the leaves of [`MeshShape::tree`], fitted at the first request.
    #[inline(always)]
    pub fn oriented_tree(&self) -> &Bvh<Obb, 8> {
        match self.oriented.get() {
            Some(tree) => tree,
            None => self.fit(&self.oriented),
        }
    }

    /// Returns 26-DOPs over the leaves of [`MeshShape::tree`], fitted at the first request.
    #[inline(always)]
    pub fn polytope_tree(&self) -> &Bvh<KDop26, 8> {
        match self.polytopes.get() {
            Some(tree) => tree,
            None => self.fit(&self.polytopes),
        }
    }

    #[cold]
    fn fit<'a, V: BoundingVolume>(&self, into: &'a OnceLock<Bvh<V, 8>>) -> &'a Bvh<V, 8> {
        into.get_or_init(|| {
            let fitted = self.tree().with_volumes(&Triangles::from(&self.mesh), BoxAxes::default(), false);
            fitted.expect("the tree is one over this very mesh")
        })
    }

    /// Returns the mesh.
    #[inline(always)]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// Returns a hash of the vertices and triangles. Other meshes have another hash, except for one case in 2⁶⁴ and for
    /// deliberate collisions. `None` once the mesh has moved. Computed at the first request, in linear time.
    #[inline(always)]
    pub fn fingerprint(&self) -> Option<u64> {
        match (self.deforms, self.fingerprint.get()) {
            (true, _) => None,
            (false, Some(known)) => Some(*known),
            (false, None) => Some(self.find_fingerprint()),
        }
    }

    #[cold]
    fn find_fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let vertices = self.mesh.vertices().iter().copied().fold(StateHash::new(), StateHash::vector);
            let corners = |hash: StateHash, &[a, b, c]: &[u32; 3]| {
                hash.bits(u64::from(a) << 32 | u64::from(b)).bits(u64::from(c))
            };
            self.mesh.triangles().iter().fold(vertices, corners).finish()
        })
    }

    /// Returns the tree over its triangles.
    #[inline(always)]
    pub fn tree(&self) -> &Bvh<Aabb32, 8> {
        &self.tree
    }

    /// Returns the triangles of each leaf, by leaf ordinal.
    #[inline(always)]
    pub fn blocks(&self) -> &[TriBlock] {
        match self.blocks.get() {
            Some(blocks) => blocks,
            None => self.fill_blocks(),
        }
    }

    #[cold]
    fn fill_blocks(&self) -> &[TriBlock] {
        self.blocks.get_or_init(|| TriBlock::of_tree(&self.tree, (&self.mesh).into()))
    }

    /// Returns [`MeshShape::blocks`] if they exist. After a deformation they exist only after a request; for a few
    /// leaves [`MeshShape::block_of`] is faster.
    #[inline(always)]
    pub fn blocks_at_hand(&self) -> Option<&[TriBlock]> {
        self.blocks.get().map(Vec::as_slice)
    }

    /// Returns the vertices of each leaf, by leaf ordinal; coincident vertices are one.
    pub fn vertex_blocks(&self) -> &[VertexBlock] {
        self.vertex_blocks.get_or_init(|| {
            let topology = self.merges.then(|| Topology::new(&self.mesh));
            let corners = |&triangle: &u32| match &topology {
                Some(topology) => topology.corners(triangle),
                None => self.mesh.triangles()[triangle as usize],
            };
            let mut blocks = vec![VertexBlock::BLANK; self.tree.order().len() / TriBlock::LANES];
            self.tree.for_each_leaf(|leaf| {
                let triangles: Vec<[u32; 3]> = self.tree.primitives(leaf).iter().map(corners).collect();
                blocks[leaf.ordinal as usize] = VertexBlock::new(&triangles);
            });
            blocks
        })
    }

    /// Returns the triangles of one leaf of [`MeshShape::tree`]: from [`MeshShape::blocks_at_hand`], or made at the
    /// first request.
    ///
    /// # Panics
    /// If the leaf belongs to another tree.
    #[inline(always)]
    pub fn block_of(&self, leaf: Leaf) -> &TriBlock {
        if let Some(blocks) = self.blocks.get() {
            return &blocks[leaf.ordinal as usize];
        }
        match self.leaf_blocks.get(leaf.ordinal) {
            Some(block) => block,
            None => self.make_block_of(leaf),
        }
    }

    #[inline(never)]
    fn make_block_of(&self, leaf: Leaf) -> &TriBlock {
        let leaves = self.tree.order().len() / self.tree.leaf_size() as usize;
        self.leaf_blocks.get_or_make(leaves, leaf.ordinal, || {
            let mut block = TriBlock::BLANK;
            self.fill_block(leaf, &mut block);
            block
        })
    }

    /// Fills the block of a leaf with its present triangles.
    #[inline(always)]
    pub(crate) fn fill_block(&self, leaf: Leaf, block: &mut TriBlock) {
        if !self.fill_listed(leaf.ordinal, block) {
            *block = TriBlock::new(self.tree.frame(), (&self.mesh).into(), self.tree.primitives(leaf));
        }
    }

    /// Performs [`MeshShape::fill_block`] from the vertices listed for the leaf, if they are.
    #[inline(always)]
    pub(crate) fn fill_listed(&self, ordinal: u32, block: &mut TriBlock) -> bool {
        let (Some(corners), Some(vertices)) = (&self.leaf_corners, self.tree.points_of(ordinal)) else { return false };
        block.fill(self.tree.frame(), self.mesh.vertices(), vertices.as_flattened(), corners.of_leaf(ordinal));
        true
    }

    /// Returns at most `most` boxes, but at least one for each child of the root, that together hold the shape, in the
    /// frame in which `pose` places it. They are the boxes for [`MeshShape::deform_near`] of a second body, with the
    /// pose in the frame of that body.
    pub fn cover(&self, pose: &Pose, most: usize) -> Vec<Aabb> {
        let placed = |bounds: &Aabb| {
            let placed = Aabb::from_points(bounds.corners().map(|corner| pose.place(corner)));
            // Rotations may stretch by their defect, and corners are rounded.
            let room = Vec3::splat(
                (self.tree.frame().max_coordinate() + pose.max_translation()) * (1e-14 + 3.0 * pose.defect()),
            );
            Aabb { min: placed.min - room, max: placed.max + room }
        };
        self.tree.cover(most).iter().map(placed).collect()
    }

    /// Returns the box of the used vertices, in the frame of the mesh.
    #[inline(always)]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Reports exactly whether the point is on the outer side of no facet: whether a convex solid contains it. Other
    /// meshes are tested as the intersection of the half-spaces under their triangles.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate::tetrahedron;
    /// use heurt_shape::MeshShape;
    /// let solid = MeshShape::new(tetrahedron(1.0)?)?;
    /// assert!(solid.contains_if_convex(solid.mesh().vertices()[0]), "the surface counts");
    /// assert!(!solid.contains_if_convex(Vec3::X * 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contains_if_convex(&self, point: Vec3) -> bool {
        self.bounds.contains(point)
            && (0..self.mesh.triangles().len() as u32).all(|facet| {
                let [a, b, c] = self.mesh.corners(facet);
                orient3d(a, b, c, point) != Sign::Positive
            })
    }

    /// Returns the connected components, each with a vertex.
    #[inline(always)]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Reports whether the mesh is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Reports whether the inside belongs to the shape.
    #[inline(always)]
    pub fn is_solid(&self) -> bool {
        self.solidity != Solidity::Surface
    }

    /// Returns the bytes beyond vertices and indices: of the existing trees, and of the leaf blocks.
    pub fn memory(&self) -> (usize, usize) {
        let (chosen, chosen_blocks) = self.chosen_tree().map_or((0, 0), AnyTree::memory);
        let oriented = self.oriented.get().map_or(0, |tree| tree.stats().bytes);
        let polytopes = self.polytopes.get().map_or(0, |tree| tree.stats().bytes);
        let faces = self.faces.get().map_or(0, VertexFaces::bytes);
        let blocks = self.blocks_at_hand().map_or(0, size_of_val)
            + self.leaf_blocks.bytes()
            + self.leaf_corners.as_ref().map_or(0, LeafCorners::bytes);
        let vertices = self.vertex_blocks.get().map_or(0, |blocks| size_of_val(blocks.as_slice()));
        (self.tree().stats().bytes + oriented + polytopes + chosen + faces, blocks + vertices + chosen_blocks)
    }
}

/// Builds the default tree of axis-aligned boxes, its leaves as large as blocks.
pub(crate) fn aligned_tree(mesh: &TriMesh, builder: Builder) -> Result<Bvh<Aabb32, 8>, BvhError> {
    let leaf_size = TriBlock::LANES as u32;
    Bvh::with_options(&Triangles::from(mesh), &BuildOptions { builder, leaf_size, ..BuildOptions::default() })
}

/// Reports whether coincident vertices count as one.
pub(crate) fn merges(topology: &Topology<'_>) -> bool {
    (0..topology.mesh().vertices().len() as u32).any(|vertex| topology.representative(vertex) != vertex)
}

/// Reports whether every vertex belongs to a triangle.
pub(crate) fn uses_all(mesh: &TriMesh) -> bool {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    used.into_iter().all(|used| used)
}

/// Returns the mean of the longest edges of all triangles, in metres.
fn mean_longest_edge(mesh: &TriMesh) -> f64 {
    let longest = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|vertex| mesh.vertices()[vertex as usize]);
        (b - a).length().max((c - b).length()).max((a - c).length())
    };
    mesh.triangles().iter().map(longest).sum::<f64>() / mesh.triangles().len() as f64
}
