//! Triangle meshes: validation, topology, faults, measures and generators.
mod tri_mesh;

pub use tri_mesh::{MeshError, TriMesh};
