//! Checks of results of set operations: boundaries by an independent oracle, Euler characteristic, exact volume.

use heurt_mesh::TriMesh;
use heurt_solid::{CombinedSolid, SetOperation, SetOperationError, SolidMesh, combine};
use heurt_testkit::number::dyadic::Dyadic;
use heurt_testkit::oracle::surface::{SurfaceFaults, six_volumes};
use std::collections::BTreeSet;

/// Combines two solids; panics if the result is no boundary of a solid.
pub fn checked(a: &SolidMesh, b: &SolidMesh, operation: SetOperation) -> Result<CombinedSolid, SetOperationError> {
    let result = combine(a, b, operation)?;
    assert!(result.moved >= 0.0);
    if let Some(mesh) = &result.mesh {
        let faults = SurfaceFaults::of(mesh);
        assert!(faults.is_empty(), "{operation:?}: {faults:?}");
    }
    Ok(result)
}

/// Makes a solid of a mesh.
pub fn solid(mesh: &TriMesh) -> SolidMesh {
    SolidMesh::new(mesh).unwrap_or_else(|error| panic!("{error}"))
}

/// Combines two meshes; panics without a result.
pub fn combined(a: &TriMesh, b: &TriMesh, operation: SetOperation) -> TriMesh {
    let result = checked(&solid(a), &solid(b), operation);
    result.unwrap_or_else(|error| panic!("{error}")).mesh.unwrap_or_else(|| panic!("{operation:?} is empty"))
}

/// Components minus tunnels plus cavities: half the Euler characteristic by the numbers of vertices. For one shell it
/// is 1 minus the genus.
pub fn half_euler(mesh: &TriMesh) -> i64 {
    let triangles = mesh.triangles();
    let vertices: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let sides = 3 * triangles.len() as i64 / 2;
    let euler = vertices.len() as i64 - sides + triangles.len() as i64;
    assert_eq!(euler % 2, 0, "closed surfaces have an even characteristic");
    euler / 2
}

/// Six times the volume of a result, exactly; 0 of an empty one.
pub fn six_volumes_of(result: Option<&TriMesh>) -> Dyadic {
    result.map_or_else(|| Dyadic::of(0.0), six_volumes)
}

/// The volume, rounded once.
pub fn volume(mesh: &TriMesh) -> f64 {
    six_volumes(mesh).rounded() / 6.0
}
