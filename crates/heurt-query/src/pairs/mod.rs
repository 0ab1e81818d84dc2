//! `pairs`: every intersecting pair of triangles. Solidity plays no part here.

mod mesh_mesh;

pub(crate) use mesh_mesh::pairs_within_budget;
pub use mesh_mesh::{pairs, pairs_counted, pairs_with_trees};
