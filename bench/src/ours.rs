//! heurt behind a few functions, so that the rest of the harness names no heurt crate above `heurt-mesh`.

#[cfg(not(feature = "ours"))]
pub use absent::*;
#[cfg(feature = "ours")]
pub use present::*;

/// What a query did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// Volumes tested.
    pub volumes: u64,
    /// Pairs of triangles tested.
    pub primitives: u64,
}

/// Stands in while heurt's trees and queries are left out of the build: only the peers run.
#[cfg(not(feature = "ours"))]
mod absent {
    use super::Count;
    use heurt_geometry::{Pose, Vec3};
    use heurt_mesh::TriMesh;

    pub const PRESENT: bool = false;
    pub const BUILDS: [(&str, ()); 0] = [];
    pub struct Mesh;
    pub struct Tree;
    impl Mesh {
        pub fn new(_: &TriMesh) -> Self {
            Self
        }
        pub fn hollow(_: &TriMesh) -> Self {
            Self
        }
        pub fn overlap(&self, _: &Pose, _: &Self, _: &Pose) -> bool {
            false
        }
        pub fn overlap_work(&self, _: &Pose, _: &Self, _: &Pose) -> Count {
            Count::default()
        }
        pub fn pairs(&self, _: &Pose, _: &Self, _: &Pose) -> u64 {
            0
        }
        pub fn cast(&self, _: &()) -> f64 {
            f64::NAN
        }
        pub fn closest(&self, _: Vec3) -> f64 {
            f64::NAN
        }
    }
    impl Tree {
        pub fn new(_: &TriMesh) -> Self {
            Self
        }
        pub fn refit(&mut self, _: &TriMesh) -> u64 {
            0
        }
    }
    pub fn ray(_: Vec3, _: Vec3) {}
    pub fn build(_: &TriMesh, _: ()) -> u64 {
        0
    }
    pub fn memory(_: &TriMesh) -> (usize, usize) {
        (0, 0)
    }
}
