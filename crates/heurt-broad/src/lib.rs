//! Broad phases of a world of moving objects, and the classic alternatives to a tree over each body.
//!
//! In: boxes, triangles, tetrahedra or points as slices or iterators, in metres, identified by numbers. Out: pairs of
//! objects that may touch ([`BroadPhase`]), candidate pairs of faces ([`VoxelGrid`]), vertices in tetrahedra
//! ([`TetHash`]), points near points ([`PointIndex`]).
//! Method: S0 §2.6 and §6.1; S2 §3 and §7; S4 §2.2–2.4; see the modules. `docs/broad-phase.md` and
//! `docs/alternatives.md` recommend a method for each case.
//! Guarantees: complete (every pair that should be found is found), bounded memory, the same results in the same order
//! every time. Shapes and queries are outside the scope of this crate.

pub mod bench_world;
pub mod broad_phase;
pub mod proximity;
pub mod tet_hash;
pub mod voxel_grid;

pub use broad_phase::{
    BroadPhase, BroadPhaseError, BroadPhaseKind, BroadPhaseStats, Fault, Filter, MAX_PROXIES, Mobility, Move, Pair,
    PairChanges, ProxyId, Ray, RayHit, StepWork, over_partition,
};
pub use proximity::{
    BruteForceProximity, BspTree, KdTree, MissedNeighbours, Neighbour, NeighbourGrid, Octree, OddEvenGrid, PointIndex,
    PointProximity, ProximityError,
};
pub use tet_hash::{
    TetBody, TetHash, TetHashError, TetHit, TetPairs, TetWork, barycentric_coordinates, is_in_tet, mean_edge_length,
    propose_table_size,
};
pub use voxel_grid::{
    FaceId, Fill, VoxelEntries, VoxelGrid, VoxelGridError, VoxelGridOptions, VoxelWork, propose_voxel_size,
};
