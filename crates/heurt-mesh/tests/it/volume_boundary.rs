//! The boundary of volume meshes: which faces are left, which side is outside, and bad input.

use heurt_geometry::Vec3;
use heurt_mesh::generate::tet_block;
use heurt_mesh::{BoundaryError, BoundaryFaces, Cell, TriMesh, VolumeMesh, measures};

/// The corners of two unit cubes side by side along x, z by z.
fn two_cubes() -> Vec<Vec3> {
    let mut points = Vec::new();
    for z in 0..2 {
        for y in 0..2 {
            points.extend((0..3).map(|x| Vec3::new(f64::from(x), f64::from(y), f64::from(z))));
        }
    }
    points
}

/// The corners of the cube that begins at `first`, in the order of VTK.
fn cube(first: u32) -> [u32; 8] {
    [0, 1, 4, 3, 6, 7, 10, 9].map(|corner| corner + first)
}

fn faces(boundary: &BoundaryFaces) -> Vec<&[u32]> {
    let starts = std::iter::once(0).chain(boundary.ends.iter().copied());
    starts.zip(&boundary.ends).map(|(start, &end)| &boundary.corners[start..end]).collect()
}

fn volume(mesh: &VolumeMesh) -> f64 {
    let boundary = mesh.boundary().unwrap();
    let surface = TriMesh::from_polygons(mesh.vertices.clone(), faces(&boundary)).unwrap().mesh;
    measures(&surface).volume.expect("the boundary is closed")
}

#[test]
fn a_face_between_two_cells_is_inside() {
    let mesh = VolumeMesh { vertices: two_cubes(), cells: [0, 1].map(cube).map(Cell::Hexahedron).to_vec() };
    assert_eq!(mesh.boundary().unwrap().ends.len(), 10);
    assert_eq!(volume(&mesh), 2.0);
}

#[test]
fn every_kind_of_cell_is_turned_outward() {
    let prism = |first: u32| [0, 3, 1, 6, 9, 7].map(|corner| corner + first);
    let cells = [
        Cell::Tetrahedron([0, 1, 3, 6]),
        Cell::Pyramid([0, 1, 4, 3, 6]),
        Cell::Prism(prism(0)),
        Cell::Hexahedron(cube(0)),
        Cell::Polyhedron(Cell::Hexahedron(cube(0)).faces()),
    ];
    for (cell, expected) in cells.into_iter().zip([1.0 / 6.0, 1.0 / 3.0, 0.5, 1.0, 1.0]) {
        for cell in [cell.mirrored(), cell] {
            let mesh = VolumeMesh { vertices: two_cubes(), cells: vec![cell] };
            assert!((volume(&mesh) - expected).abs() < 1e-15, "{:?}", mesh.cells);
        }
    }
}

#[test]
fn cells_that_are_inside_out_give_the_same_surface() {
    let right = VolumeMesh { vertices: two_cubes(), cells: [0, 1].map(cube).map(Cell::Hexahedron).to_vec() };
    let mut mixed = right.clone();
    mixed.cells[1] = mixed.cells[1].mirrored();
    assert_eq!(volume(&mixed), volume(&right));
}

#[test]
fn collapsed_faces_match_what_is_left_of_them() {
    // A hexahedron whose top is an edge is a prism; its end faces are triangles, which a tetrahedron may share.
    let vertices = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, -1, 0]];
    let vertices: Vec<Vec3> = vertices.map(|[x, y, z]: [i32; 3]| Vec3::new(x.into(), y.into(), z.into())).to_vec();
    let wedge = Cell::Hexahedron([0, 1, 2, 3, 4, 4, 5, 5]);
    let mesh = VolumeMesh { vertices, cells: vec![wedge, Cell::Tetrahedron([0, 4, 1, 6])] };
    let boundary = mesh.boundary().unwrap();
    let mut lengths: Vec<usize> = faces(&boundary).iter().map(|face| face.len()).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [3, 3, 3, 3, 4, 4, 4]);
    assert!((volume(&mesh) - (1.0 + 1.0 / 3.0)).abs() < 1e-15);
}

#[test]
fn large_faces_of_polyhedra_are_matched() {
    // Two prisms over a pentagon, one on the other.
    let ring = |z: f64| [[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Vec3::new(x, y, z));
    let vertices = [ring(0.0), ring(1.0), ring(3.0)].concat();
    let prism = |low: u32| {
        let high = low + 5;
        let mut faces = vec![(0..5).rev().map(|corner| low + corner).collect::<Vec<u32>>(), (high..high + 5).collect()];
        faces.extend((0..5).map(|side| {
            let next = (side + 1) % 5;
            vec![low + side, low + next, high + next, high + side]
        }));
        Cell::Polyhedron(faces)
    };
    let mesh = VolumeMesh { vertices, cells: vec![prism(0), prism(5)] };
    assert_eq!(mesh.boundary().unwrap().ends.len(), 12);
    assert!((volume(&mesh) - 15.0).abs() < 1e-14);
}

#[test]
fn bad_meshes_are_refused_by_name() {
    let mesh = VolumeMesh { vertices: vec![Vec3::ZERO; 3], cells: vec![Cell::Tetrahedron([0, 1, 2, 3])] };
    assert_eq!(mesh.boundary(), Err(BoundaryError::IndexOutOfRange { cell: 0, index: 3, count: 3 }));
    let mesh = VolumeMesh { vertices: vec![Vec3::NAN], cells: vec![] };
    assert!(matches!(mesh.boundary(), Err(BoundaryError::NotFinite { vertex: 0, .. })));
    assert_eq!(VolumeMesh::default().boundary(), Ok(BoundaryFaces::default()));
    let odd =
        VolumeMesh { vertices: vec![Vec3::ZERO], cells: vec![Cell::Polyhedron(vec![vec![], vec![0], vec![0; 9]])] };
    assert_eq!(odd.boundary(), Ok(BoundaryFaces::default()));
}

#[test]
fn tetrahedra_have_the_boundary_that_tet_meshes_find() {
    let block = tet_block([3, 2, 4], [1.0, 2.0, 0.5]).unwrap();
    let expected = block.boundary().unwrap();
    let (vertices, tets) = block.into_parts();
    let mesh = VolumeMesh { vertices, cells: tets.into_iter().map(Cell::Tetrahedron).collect() };
    let boundary = mesh.boundary().unwrap();
    assert_eq!(boundary.corners.as_chunks::<3>().0, expected.triangles());
}

/// Numbers below `bound` that look random; the same in every run.
fn random(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % bound
}

#[test]
fn any_cells_of_a_conforming_mesh_enclose_their_volume() {
    let block = tet_block([3, 3, 3], [3.0, 3.0, 3.0]).unwrap();
    let volumes: Vec<f64> = (0..block.tets().len() as u32).map(|tet| block.signed_volume(tet)).collect();
    let (vertices, tets) = block.into_parts();
    let mut state = 1;
    for round in 0..200 {
        let share = 1 + round % 7;
        let (mut cells, mut expected) = (Vec::new(), 0.0);
        for (tet, volume) in tets.iter().zip(&volumes) {
            if random(&mut state, 7) >= share {
                let cell = Cell::Tetrahedron(*tet);
                cells.push(if random(&mut state, 2) == 0 { cell.mirrored() } else { cell });
                expected += volume;
            }
        }
        if !cells.is_empty() {
            let mesh = VolumeMesh { vertices: vertices.clone(), cells };
            assert!((volume(&mesh) - expected).abs() < 1e-12, "round {round}");
        }
    }
}

#[test]
fn cells_over_any_corners_are_answered() {
    let mut state = 2;
    for _ in 0..500 {
        let mut corners = |count: usize| (0..count).map(|_| random(&mut state, 9) as u32).collect::<Vec<u32>>();
        let cells = vec![
            Cell::Tetrahedron(corners(4).try_into().unwrap()),
            Cell::Pyramid(corners(5).try_into().unwrap()),
            Cell::Prism(corners(6).try_into().unwrap()),
            Cell::Hexahedron(corners(8).try_into().unwrap()),
            Cell::Polyhedron(vec![corners(3), corners(6), corners(7)]),
        ];
        let vertices =
            (0..9).map(|i| Vec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i) * 1e300)).collect();
        let boundary = VolumeMesh { vertices, cells }.boundary().unwrap();
        assert!(faces(&boundary).iter().all(|face| face.len() >= 3));
        assert_eq!(boundary.ends.last().copied().unwrap_or(0), boundary.corners.len());
    }
}
