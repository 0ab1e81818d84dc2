//! Solids: set operations of closed meshes; enumeration of space by voxel grids, octrees, quadtrees and bintrees;
//! half-spaces, convex polytopes, and constructive solid geometry; free-form patches, solids of wireframes, regions of
//! the plane; signed distance fields and haptic rendering.
//!
//! In: closed triangle meshes, polygons, rules that classify cells, half-spaces, trees of set operations over
//! shapes, the text of codes, patches ([`PatchSet`]), edges ([`Wireframe`]), parameters of curves ([`curve`]). Out:
//! meshes ([`combine`]), grids and trees of cells ([`BitGrid`], [`Octree`], [`Quadtree`], [`Bintree`]), polytopes
//! ([`Polytope`]), points, rays and exact pieces of trees ([`Csg`]), distances with bounds of their errors
//! ([`DistanceOctree`]), forces for haptic devices ([`HapticLoop`]).
//! Method: S3 (slides 14 to 48), with words of bits and arrays in pre-order or post-order in place of pointers; see
//! the modules. `docs/solids.md` is the guide.
//! Guarantees: decisions on meshes, polygons and polytopes are exact on `f64` coordinates. Trees of cells are
//! canonical, so that equal solids are equal arrays. Results do not depend on the number of threads. Files are
//! outside the scope of this crate.

#![forbid(unsafe_code)]

pub mod bintree;
pub mod boolean;
pub mod csg;
pub mod curve;
pub mod distance;
mod exact_number;
pub mod half_space;
pub mod haptics;
mod interval_set;
mod mend;
pub mod octree;
pub mod patch;
pub mod polytope;
pub mod quadtree;
mod set_operation;
mod subdivision;
pub mod voxel;
pub mod wire;

pub use bintree::Bintree;
pub use boolean::{
    CombinedSolid, HullOptions, MAX_SOLID_COORDINATE, OuterHull, OuterHullError, SetOperationError, SolidMesh,
    SolidMeshError, combine, outer_hull,
};
pub use csg::{
    Affine, Csg, CsgError, CsgEvaluation, CsgHit, CsgLeaf, CsgLeafReader, CsgMeshError, CsgNode, CsgQuery,
    CsgTextError, ExactPieces,
};
pub use distance::{
    DistanceError, DistanceOctree, DistanceOptions, DistanceSample, MAX_DISTANCE_CELLS, MAX_DISTANCE_DEPTH,
};
pub use half_space::{Boundedness, HalfSpace, HalfSpaceError, HalfSpaceIntersection, Quadric, QuadricIntersection};
pub use haptics::{
    HapticError, HapticLoop, HapticOutput, HapticSettings, MAX_SHELL_POINTS, PointShell, PointShellError, ShellContact,
    ShellPoint, shell_contact,
};
pub use interval_set::{IntervalEnd, IntervalSet};
pub use mend::{Forced, MAX_FORCED, MendOptions, MendedMesh, Resolution, mend};
pub use num_rational::BigRational;
pub use octree::{
    Axis, CellClass, CodeError, LevelCount, LinearCode, LinearOctree, MAX_DEPTH, MAX_NODES, MoveError, Node, NodeLimit,
    Octree, OctreeCell, OctreeError, OctreeLeaves, OctreeLevel, OctreeMeasures, OctreeRoot, SetError,
    triangle_meets_box,
};
pub use patch::{MAX_DEGREE, PatchError, PatchMesh, PatchSet, SurfacePatch};
pub use polytope::{ExactPlane, Polytope, PolytopeError, PolytopeFacet, PolytopeVertex};
pub use quadtree::{
    FillRule, LinearQuadtree, MAX_QUADTREE_DEPTH, Quadtree, QuadtreeCell, QuadtreeError, QuadtreeLevel,
    QuadtreeMeasures, QuadtreeRoot, segment_meets_box,
};
pub use set_operation::SetOperation;
pub use voxel::{BitGrid, BrickSet, GridMeasures, MAX_AXIS_CELLS, MAX_GRID_CELLS, VoxelBounds, VoxelError, VoxelSpace};
pub use wire::{MAX_WIRE_CORNERS, MAX_WIRE_EDGES, WireError, WireLimits, WireSolid, Wireframe};
