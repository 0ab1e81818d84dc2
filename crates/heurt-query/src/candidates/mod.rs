//! `candidates`: every pair of triangles that may come to touch while the meshes move by no more than a margin.

mod mesh_mesh;

pub use mesh_mesh::{candidates, candidates_counted};
