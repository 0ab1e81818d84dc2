//! Shapes: what the verbs of `heurt-query` are queried.
//!
//! In: validated meshes. Out: shapes with everything that queries need, built once: tree, leaf blocks, solidity.
//! Shapes can be shared between threads; a part and its copies are one shape under many poses.

mod compound;
mod convex;
pub(crate) mod csr;
mod draw;
mod fingerprint;
pub(crate) mod mesh;
pub(crate) mod offset_mass;
pub(crate) mod once;
mod rounded_mesh;
#[cfg(feature = "serde")]
mod serialized;
mod shape;
mod superquadric;
pub(crate) mod world_bounds;

pub use crate::mesh::blocks::tri_block::TriBlock;
pub use crate::mesh::blocks::vertex_block::VertexBlock;
pub use crate::mesh::solid_boundary::{BoundaryPieces, PieceSet, PieceSide, SolidBoundary};
pub use crate::mesh::swept::SweptTriangles;
pub use crate::mesh::trees::mesh_tree::MeshTree;
pub use crate::mesh::trees::pieces::ConvexPieces;
pub use crate::mesh::trees::tree_choice::{AnyTree, AnyVolumeTree, Degree, TreeChoice};
pub use crate::mesh::trees::winding_tree::{Dipole, WindingTree};
pub use crate::mesh::upkeep::{DeformingShape, Upkeep, UpkeepPolicy};
pub use crate::mesh::vertex_stars::VertexStars;
pub use crate::mesh::{MeshShape, PairVolume, ShapeError, Solidity};
pub use crate::offset_mass::SAMPLED;
pub use compound::{Compound, CompoundError, Part};
pub use convex::{
    CONVERGED, Convex, ConvexError, Core, Edge, EdgeLanes, Facet, Hull, MassError, PlaneLanes, Round, SmallEdge,
    SmallHull,
};
pub use draw::{AnyTreeLevel, MeshLevel};
pub use rounded_mesh::RoundedMesh;
pub use shape::{MarginError, Shape, ShapeRef};
pub use superquadric::{Patch, Superquadric, SuperquadricShape};
