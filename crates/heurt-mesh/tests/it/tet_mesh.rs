//! Tetrahedral meshes: the door, moving vertices, volumes, boundaries, the block.

use heurt_geometry::{Sign, Vec3, orient3d};
use heurt_mesh::generate::{GenerateError, tet_block};
use heurt_mesh::{TetMesh, TetMeshError, measures};

/// The corner of a cube with legs of length 1.
fn corner() -> TetMesh {
    TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2, 3]]).unwrap()
}

#[test]
fn bad_meshes_are_refused_by_name() {
    assert_eq!(TetMesh::new(vec![Vec3::ZERO; 4], vec![]), Err(TetMeshError::NoTets));
    let error = TetMesh::new(vec![Vec3::ZERO; 4], vec![[0, 1, 2, 3], [0, 1, 4, 2]]).unwrap_err();
    assert_eq!(error, TetMeshError::IndexOutOfRange { tet: 1, index: 4, count: 4 });
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, 0.0, bad)];
        let error = TetMesh::new(vertices, vec![[0, 1, 2, 3]]).unwrap_err();
        assert!(matches!(error, TetMeshError::NotFinite { vertex: 3, .. }), "{error}");
    }
    let count = (1 << 26) + 1;
    let error = TetMesh::new(vec![Vec3::ZERO], vec![[0; 4]; count]).unwrap_err();
    assert_eq!(error, TetMeshError::TooLarge { what: "tetrahedra", count, max: 1 << 26 });
}

#[test]
fn moving_vertices_succeeds_whole_or_changes_nothing() {
    let mut mesh = corner();
    let before = mesh.clone();
    assert_eq!(mesh.set_vertices(&[Vec3::ZERO; 3]), Err(TetMeshError::WrongCount { given: 3, count: 4 }));
    let error = mesh.set_vertices(&[Vec3::ONE, Vec3::NAN, Vec3::ONE, Vec3::ONE]).unwrap_err();
    assert!(matches!(error, TetMeshError::NotFinite { vertex: 1, .. }), "{error}");
    assert_eq!(mesh, before);
    let moved: Vec<Vec3> = mesh.vertices().iter().map(|v| *v * 2.0).collect();
    mesh.set_vertices(&moved).unwrap();
    assert_eq!(mesh.vertices(), moved);
    assert_eq!(mesh.volume(), 8.0 / 6.0);
}

#[test]
fn volumes_by_hand() {
    let mesh = corner();
    assert_eq!((mesh.volume(), mesh.signed_volume(0)), (1.0 / 6.0, 1.0 / 6.0));
    let inverted = TetMesh::new(mesh.vertices().to_vec(), vec![[0, 2, 1, 3]]).unwrap();
    assert_eq!((inverted.volume(), inverted.signed_volume(0)), (1.0 / 6.0, -1.0 / 6.0));
    let flat = TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y], vec![[0, 1, 2, 3]]).unwrap();
    assert_eq!(flat.volume(), 0.0);
    // Sizes whose products of three leave the range of f64 do not make a NaN.
    for scale in [1e300, 1e-300] {
        let moved: Vec<Vec3> = mesh.vertices().iter().map(|v| (*v * 2.0 - Vec3::ONE) * scale).collect();
        let volume = TetMesh::new(moved, vec![[0, 1, 2, 3]]).unwrap().volume();
        assert_eq!(volume, if scale > 1.0 { f64::INFINITY } else { 0.0 });
    }
}

#[test]
fn the_boundary_of_one_tetrahedron_faces_outward_however_it_is_given() {
    for tet in [[0, 1, 2, 3], [0, 2, 1, 3], [3, 1, 0, 2]] {
        let mesh = TetMesh::new(corner().vertices().to_vec(), vec![tet]).unwrap();
        let surface = mesh.boundary().unwrap();
        assert_eq!(surface.triangles().len(), 4);
        assert_eq!(measures(&surface).volume, Some(1.0 / 6.0));
    }
}

#[test]
fn a_shared_face_is_no_boundary() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
    let mesh = TetMesh::new(vertices, vec![[0, 1, 2, 3], [1, 2, 3, 4]]).unwrap();
    let surface = mesh.boundary().unwrap();
    assert_eq!(surface.triangles().len(), 6);
    assert!(!surface.triangles().iter().any(|t| t.iter().all(|&v| (1..4).contains(&v))));
    assert!((measures(&surface).volume.unwrap() - mesh.volume()).abs() < 1e-15);
    // The same tetrahedron twice has no face that is alone.
    assert_eq!(TetMesh::new(corner().vertices().to_vec(), vec![[0, 1, 2, 3], [3, 2, 1, 0]]).unwrap().boundary(), None);
}

#[test]
fn a_block_fills_its_box() {
    let mesh = tet_block([3, 4, 5], [1.5, 2.0, 2.5]).unwrap();
    assert_eq!((mesh.vertices().len(), mesh.tets().len()), (4 * 5 * 6, 6 * 3 * 4 * 5));
    assert!((mesh.volume() - 7.5).abs() < 1e-12);
    for tet in 0..mesh.tets().len() as u32 {
        let [a, b, c, d] = mesh.corners(tet);
        assert_eq!(orient3d(a, b, c, d), Sign::Positive);
        assert!((mesh.signed_volume(tet) - 0.125 / 6.0).abs() < 1e-12);
    }
    let surface = mesh.boundary().unwrap();
    assert_eq!(surface.triangles().len(), 4 * (3 * 4 + 4 * 5 + 5 * 3));
    let measures = measures(&surface);
    assert!((measures.volume.unwrap() - 7.5).abs() < 1e-12);
    assert_eq!((measures.euler, measures.genus), (2, Some(0)));
}

#[test]
fn blocks_beyond_all_measure_are_refused_before_they_are_made() {
    for (cells, size) in [([0, 1, 1], [1.0; 3]), ([u32::MAX; 3], [1.0; 3]), ([1; 3], [1.0, f64::NAN, 1.0])] {
        assert!(matches!(tet_block(cells, size), Err(GenerateError::Parameter { .. })));
    }
}
