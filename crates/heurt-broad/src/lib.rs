//! Who may be near whom, without a tree over each body: the classic alternatives to hierarchies of bounding volumes.
//!
//! In: triangles, tetrahedra or points as slices or iterators, in metres, with numbers that name them. Out: candidate
//! pairs of faces ([`VoxelGrid`]), vertices in tetrahedra ([`TetHash`]), points near points ([`PointProximity`]).
//! Method: S2 §3 and §7; S4 §2.2–2.4; see the modules. `docs/alternatives.md` says which is the right choice when.
//! Guarantees: complete (no pair that should be found is missed), bounded memory, the same answer in the same order
//! every time. Knows no shapes and no queries.

pub mod proximity;
pub mod tet_hash;
pub mod voxel_grid;

pub use proximity::{BruteForce, BspTree, KdTree, Neighbour, NeighbourGrid, Octree, PointProximity, ProximityError};
pub use tet_hash::{
    TetBody, TetHash, TetHashError, TetHit, TetPairs, TetWork, barycentric_coordinates, is_in_tet, mean_edge_length,
    propose_table_size,
};
pub use voxel_grid::{
    FaceId, Fill, VoxelEntries, VoxelGrid, VoxelGridError, VoxelGridOptions, VoxelWork, propose_voxel_size,
};
