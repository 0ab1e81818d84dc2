//! The door: what makes a mesh, and what is refused.

use crate::shapes::{cube, tetrahedron};
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{MeshError, TriMesh};

#[test]
fn no_triangle_is_refused() {
    assert_eq!(TriMesh::new(vec![Vec3::ZERO; 3], vec![]), Err(MeshError::NoTriangles));
    assert_eq!(TriMesh::new(vec![], vec![]), Err(MeshError::NoTriangles));
}

#[test]
fn coordinates_that_are_not_finite_are_named() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, bad, 0.0)], vec![[0, 1, 2]]).unwrap_err();
        assert!(matches!(error, MeshError::NotFinite { vertex: 2, .. }), "{error}");
        assert!(error.to_string().starts_with("vertex 2 has coordinates [0, "), "{error}");
    }
}

#[test]
fn an_index_out_of_range_is_named() {
    let error = TriMesh::new(vec![Vec3::ZERO; 3], vec![[0, 1, 2], [0, 3, 1]]).unwrap_err();
    assert_eq!(error, MeshError::IndexOutOfRange { triangle: 1, index: 3, count: 3 });
    let message = |count: usize| TriMesh::new(vec![Vec3::ZERO; count], vec![[0, 0, 9]]).unwrap_err().to_string();
    assert_eq!(message(3), "triangle 0 names vertex 9, but the number of vertices is 3: indices run from 0 to 2");
    assert_eq!(message(1), "triangle 0 names vertex 9, but the number of vertices is 1: the only index is 0");
    assert_eq!(message(0), "triangle 0 names vertex 0, but the number of vertices is 0: give the vertices");
}

#[test]
fn too_many_triangles_are_refused() {
    let count = (1 << 28) + 1;
    let triangles = vec![[0, 0, 0]; count];
    let error = TriMesh::new(vec![Vec3::ZERO], triangles).unwrap_err();
    assert_eq!(error, MeshError::TooLarge { what: "triangles", count, max: 1 << 28 });
}

#[test]
fn degenerate_triangles_are_legal() {
    assert!(TriMesh::new(vec![Vec3::ZERO], vec![[0, 0, 0]]).is_ok());
}

#[test]
fn transformed_places_each_vertex() {
    let quarter = Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::Z);
    let pose = Pose::from_matrix(quarter, Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let moved = tetrahedron().transformed(&pose).unwrap();
    assert_eq!(moved.vertices()[1], Vec3::new(1.0, 3.0, 3.0));
    assert_eq!(moved.triangles(), tetrahedron().triangles());
    let far = Pose::from_translation(Vec3::splat(f64::MAX)).unwrap();
    let large = tetrahedron().scaled(f64::MAX).unwrap();
    assert!(matches!(large.transformed(&far), Err(MeshError::NotFinite { .. })));
}

#[test]
fn scaled_keeps_faces_outward_and_refuses_nonsense() {
    let volume = |mesh: &TriMesh| heurt_mesh::measures(mesh).volume.unwrap();
    assert_eq!(volume(&cube().scaled(2.0).unwrap()), 8.0);
    assert_eq!(volume(&cube().scaled(-2.0).unwrap()), 8.0);
    assert_eq!(cube().scaled(0.0), Err(MeshError::BadScale { factor: 0.0 }));
    assert!(matches!(cube().scaled(f64::NAN), Err(MeshError::BadScale { .. })));
    assert!(matches!(cube().scaled(1e308).unwrap().scaled(10.0), Err(MeshError::NotFinite { .. })));
}

#[test]
fn moved_vertices_keep_their_triangles_and_bad_ones_change_nothing() {
    let mut mesh = tetrahedron();
    let before = mesh.clone();
    let moved: Vec<Vec3> = mesh.vertices().iter().map(|&v| v * 2.0 + Vec3::X).collect();
    let count = moved.len();
    assert_eq!(mesh.move_vertices(&moved[1..]), Err(MeshError::VertexCountChanged { count, given: count - 1 }));
    let mut bad = moved.clone();
    bad[3].z = f64::NAN;
    assert!(matches!(mesh.move_vertices(&bad), Err(MeshError::NotFinite { vertex: 3, .. })));
    assert_eq!(mesh, before);
    mesh.move_vertices(&moved).unwrap();
    assert_eq!(mesh, TriMesh::new(moved, before.triangles().to_vec()).unwrap());
}

#[test]
fn reversed_twice_is_the_same() {
    let mesh = cube();
    assert_ne!(mesh.clone().reversed(), mesh);
    assert_eq!(mesh.clone().reversed().reversed(), mesh);
    assert_eq!(heurt_mesh::measures(&mesh.reversed()).volume, Some(-1.0));
}

#[test]
fn merged_shifts_indices() {
    let (a, b) = (tetrahedron(), cube());
    let both = TriMesh::merged([&a, &b]).unwrap();
    assert_eq!(both.vertices().len(), 12);
    assert_eq!(both.triangles()[..4], *a.triangles());
    assert_eq!(both.triangles()[4], b.triangles()[0].map(|index| index + 4));
    assert_eq!(TriMesh::merged(&[]), Err(MeshError::NoTriangles));
}
