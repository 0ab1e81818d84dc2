//! Solids: set operations of closed meshes; enumeration of space by voxel grids, octrees, quadtrees and bintrees, with
//! codes, set operations, measures and exact moves; free-form patches, solids of wireframes, regions of the plane.
//!
//! In: a box of cells or a root cell in metres with a rule that classifies cells, a closed triangle mesh, a polygon,
//! the text of a code, patches ([`PatchSet`]), a [`Wireframe`], or the parameters of a curve ([`curve`]). Out: a
//! [`BitGrid`], [`VoxelBounds`], [`BrickSet`], [`Octree`], [`Quadtree`] or [`Bintree`], conversions between them,
//! codes, measures, and the boundary mesh of a grid.
//! Method: S3 (slides 24 to 48), with words of bits and pre-order arrays in place of pointers; see the modules.
//! `docs/solids.md` is the guide.
//! Guarantees: decisions on meshes and polygons are exact on `f64` coordinates. Trees are canonical, so that equal
//! solids are equal arrays. Set operations, measures in cells and moves are exact on the cells. A mesh lies between the
//! full cells and the full and mixed cells together. Results do not depend on the number of threads. Files are outside
//! the scope of this crate.

#![forbid(unsafe_code)]

pub mod bintree;
pub mod boolean;
pub mod curve;
pub mod octree;
pub mod patch;
pub mod quadtree;
mod subdivision;
pub mod voxel;
pub mod wire;

pub use bintree::Bintree;
pub use boolean::{SetOperation, SetOperationError, SolidMesh, SolidMeshError, combine};
pub use octree::{
    Axis, CellClass, CodeError, LevelCount, LinearCode, LinearOctree, MAX_DEPTH, MAX_NODES, MoveError, Node, NodeLimit,
    Octree, OctreeCell, OctreeError, OctreeLeaves, OctreeLevel, OctreeMeasures, OctreeRoot, SetError,
    triangle_meets_box,
};
pub use patch::{MAX_DEGREE, PatchError, PatchMesh, PatchSet, SurfacePatch};
pub use quadtree::{
    FillRule, LinearQuadtree, MAX_QUADTREE_DEPTH, Quadtree, QuadtreeCell, QuadtreeError, QuadtreeLevel,
    QuadtreeMeasures, QuadtreeRoot, segment_meets_box,
};
pub use voxel::{BitGrid, BrickSet, GridMeasures, MAX_AXIS_CELLS, MAX_GRID_CELLS, VoxelBounds, VoxelError, VoxelSpace};
pub use wire::{MAX_WIRE_CORNERS, MAX_WIRE_EDGES, WireError, WireLimits, WireSolid, Wireframe};
