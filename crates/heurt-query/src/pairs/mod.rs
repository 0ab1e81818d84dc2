//! `pairs`: every intersecting pair of triangles, or of primitives of other shapes. Solidity plays no part here.

mod mesh_mesh;
mod shapes;

pub(crate) use mesh_mesh::pairs_asked;
pub use mesh_mesh::{pairs, pairs_counted, pairs_with_trees};
pub use shapes::pairs_of_shapes;
