//! Cloth: an open sheet in every state, folded as far as said, and refused where the numbers make none.

use heurt_mesh::generate::{Cloth, GenerateError};
use heurt_mesh::{Topology, TriMesh};

#[test]
fn the_sheet_is_one_piece_in_every_state() {
    let cloth = Cloth::new(36, 4).unwrap();
    assert_eq!(cloth.sheet().triangles().len(), 2 * 36 * 36);
    for folded in [0.0, 0.4, 1.0] {
        let mesh = TriMesh::new(cloth.vertices(folded), cloth.sheet().triangles().to_vec()).unwrap();
        let topology = Topology::new(&mesh);
        assert!(!topology.is_closed() && topology.is_manifold() && topology.is_oriented(), "{folded}");
        assert_eq!((topology.components().len(), topology.euler_characteristic()), (1, 1), "{folded}");
        assert_eq!(cloth.vertices(folded), cloth.vertices(folded));
    }
    // Places along the sheet are sums of 36 steps.
    let flat = cloth.vertices(0.0);
    assert!(flat.iter().zip(cloth.sheet().vertices()).all(|(a, b)| (*a - *b).length() < 1e-14));
}

#[test]
fn folded_it_is_as_long_as_a_panel() {
    let width = |layers: u32| {
        let cloth = Cloth::new(48, layers).unwrap();
        let mesh = TriMesh::new(cloth.vertices(1.0), cloth.sheet().triangles().to_vec()).unwrap();
        2.0 * mesh.bounds().half_extents().x
    };
    assert!((width(1) - 1.0).abs() < 1e-9, "one layer lies flat");
    for layers in [2, 4, 8] {
        assert!(width(layers) < 1.4 / f64::from(layers), "{layers} layers: {}", width(layers));
    }
}

#[test]
fn numbers_that_make_no_cloth_are_named() {
    for (pieces, layers) in [(0, 1), (5, 1), (23, 4), (36, 0), (36, u32::MAX)] {
        assert!(matches!(Cloth::new(pieces, layers), Err(GenerateError::Parameter { .. })), "{pieces} {layers}");
    }
    assert!(matches!(Cloth::new(u32::MAX, 1), Err(GenerateError::TooManyTriangles { .. })));
}
