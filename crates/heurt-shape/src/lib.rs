//! Shapes: what the verbs of `heurt-query` are asked about.
//!
//! In: validated meshes. Out: shapes with everything that queries need, built once: tree, leaf blocks, solidity.
//! Shapes can be shared between threads; a part and its copies are one shape under many poses.

mod compound;
mod convex;
mod deform;
mod fingerprint;
mod grown;
mod lazy;
mod leaf_blocks;
mod leaf_corners;
mod lists;
mod mesh_shape;
mod mesh_tree;
mod pieces;
mod placed;
mod rounded_mesh;
mod shape;
mod solid_boundary;
mod stars;
mod superquadric;
mod swept;
mod tree_choice;
mod tri_block;
mod upkeep;
mod vertex_block;
mod winding_tree;

pub use compound::{Compound, CompoundError, Part};
pub use convex::{
    CONVERGED, Convex, ConvexError, Core, Edge, EdgeLanes, Facet, Hull, MassError, PlaneLanes, Round, SmallEdge,
    SmallHull,
};
pub use grown::SAMPLED;
pub use mesh_shape::{MeshShape, PairVolume, ShapeError, Solidity};
pub use mesh_tree::MeshTree;
pub use pieces::ConvexPieces;
pub use rounded_mesh::RoundedMesh;
pub use shape::{MarginError, Shape, ShapeRef};
pub use solid_boundary::{BoundaryPieces, PieceSet, PieceSide, SolidBoundary};
pub use stars::VertexStars;
pub use superquadric::{Patch, Superquadric, SuperquadricShape};
pub use swept::SweptTriangles;
pub use tree_choice::{AnyTree, AnyVolumeTree, Degree, TreeChoice};
pub use tri_block::TriBlock;
pub use upkeep::{DeformingShape, Upkeep, UpkeepPolicy};
pub use vertex_block::VertexBlock;
pub use winding_tree::{Dipole, WindingTree};
