//! Solids by the generalised winding number: the hierarchy against the exact sum, holes, inconsistent shells.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{
    Location, Ray, closest, contains, generalised_winding, overlap, ray, solid_angle_winding, winding_number,
};
use heurt_shape::{MeshShape, ShapeError, Solidity};
use heurt_testkit::number::random::Random;

const HERE: Pose = Pose::IDENTITY;

/// A mesh without every `n`th triangle.
fn with_holes(mesh: &TriMesh, n: usize) -> TriMesh {
    let triangles = mesh.triangles().iter().enumerate().filter(|(k, _)| k % n != 0).map(|(_, t)| *t).collect();
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

fn meshes() -> Vec<TriMesh> {
    let ball = generate::icosphere(1.0, 3).unwrap();
    let ring = generate::torus(1.0, 0.3, 40, 20).unwrap();
    let needle = generate::cuboid([1.0, 1e-3, 1e-3]).unwrap();
    let flipped = TriMesh::new(ball.vertices().to_vec(), ball.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect());
    vec![
        with_holes(&ball, 7),
        with_holes(&ring, 3),
        ring,
        needle,
        flipped.unwrap(),
        generate::tetrahedron(1.0).unwrap(),
    ]
}

#[test]
fn the_hierarchy_keeps_its_error_bound() {
    let mut random = Random::new(5);
    for (number, mesh) in meshes().into_iter().enumerate() {
        let shape = MeshShape::new(mesh).unwrap();
        let pose = random.pose(10.0);
        let mut coarse = 0;
        for round in 0..200 {
            let near = [0.2, 1.5, 10.0][round % 3];
            let point = pose.place(random.vector(near));
            let exact = solid_angle_winding(&shape, &pose, point);
            for max_error in [0.25, 1e-3, 1e-9, 0.0] {
                let found = generalised_winding(&shape, &pose, point, max_error);
                let off = (found.value - exact).abs();
                assert!(off <= found.error + 1e-12, "mesh {number}: {found:?} but {exact}");
                assert!(found.error <= max_error, "mesh {number}: {found:?}");
                coarse += usize::from(off > 1e-10);
            }
        }
        assert!(coarse > 0 || number > 2, "mesh {number}: dipoles are used");
    }
}

#[test]
fn a_mesh_with_holes_is_a_solid_where_it_winds_by_half() {
    let mut random = Random::new(8);
    let ball = generate::icosphere(1.0, 3).unwrap();
    let open = MeshShape::new(with_holes(&ball, 9)).unwrap();
    assert_eq!((open.solidity(), open.is_exact(), open.is_solid()), (Solidity::Surface, true, false));
    assert_eq!(open.clone().with_solidity(Solidity::Solid).unwrap_err(), ShapeError::NotClosed);
    let solid = open.with_solidity(Solidity::Winding).unwrap();
    assert!(solid.is_solid() && !solid.is_exact() && !solid.is_closed());
    let closed = MeshShape::new(ball).unwrap();
    let pose = random.pose(2.0);
    let mut inside = 0;
    for _ in 0..500 {
        let point = pose.place(random.vector(1.2));
        let away = closest(&closed, &pose, point).distance;
        let exact = solid_angle_winding(&solid, &pose, point).abs();
        if (exact - 0.5).abs() < 1e-9 {
            continue;
        }
        assert_eq!(contains(&solid, &pose, point), exact >= 0.5);
        let found = closest(&solid, &pose, point);
        assert_eq!(found.inside, Some(exact >= 0.5));
        assert_eq!(found.signed_distance.unwrap() < 0.0, exact >= 0.5);
        let along = Ray::new(point, Vec3::X, f64::INFINITY).unwrap();
        assert_eq!(ray(&solid, &pose, &along).is_some_and(|hit| hit.t == 0.0), exact >= 0.5);
        if away > 0.1 {
            assert_eq!(exact >= 0.5, contains(&closed, &pose, point), "far from the holes as without them");
            inside += usize::from(exact >= 0.5);
        }
    }
    assert!(inside > 50, "{inside}");
    // A small ball wholly inside is found, one next to it is not.
    let small = MeshShape::new(generate::icosphere(0.1, 1).unwrap()).unwrap();
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    assert!(overlap(&small, &at(0.3), &solid, &HERE).is_some() && overlap(&small, &at(1.3), &solid, &HERE).is_none());
}

#[test]
fn points_on_the_surface_belong_to_it_and_shells_inside_out_count() {
    let [.., flipped, tetrahedron] = &meshes()[..] else { panic!() };
    let flipped = MeshShape::new(flipped.clone()).unwrap().with_solidity(Solidity::Winding).unwrap();
    assert_eq!(winding_number(&flipped, &HERE, Vec3::ZERO), Location::Winding(1), "in either orientation");
    let open = MeshShape::new(with_holes(tetrahedron, 4)).unwrap().with_solidity(Solidity::Winding).unwrap();
    let corner = open.mesh().vertices()[open.mesh().triangles()[0][0] as usize];
    assert!(matches!(winding_number(&open, &HERE, corner), Location::Boundary { .. }));
}

#[test]
fn an_exact_solid_that_opens_becomes_a_surface_and_a_winding_one_stays() {
    // Two triangles of the seam share a place, not a vertex.
    let ball = generate::icosphere(1.0, 1).unwrap();
    let (mut vertices, mut triangles) = (ball.vertices().to_vec(), ball.triangles().to_vec());
    vertices.push(vertices[triangles[0][0] as usize]);
    triangles[0][0] = vertices.len() as u32 - 1;
    let mesh = TriMesh::new(vertices.clone(), triangles).unwrap();
    *vertices.last_mut().unwrap() *= 1.25;
    for (before, after) in [(Solidity::Solid, Solidity::Surface), (Solidity::Winding, Solidity::Winding)] {
        let mut shape = MeshShape::new(mesh.clone()).unwrap().with_solidity(before).unwrap();
        assert!(contains(&shape, &HERE, Vec3::ZERO));
        shape.deform(&vertices).unwrap();
        assert_eq!((shape.solidity(), contains(&shape, &HERE, Vec3::ZERO)), (after, after == Solidity::Winding));
        let shrunk: Vec<Vec3> = vertices.iter().map(|v| *v * 1e-3).collect();
        shape.deform(&shrunk).unwrap();
        assert!(!contains(&shape, &HERE, Vec3::X * 0.5), "the hierarchy follows");
    }
}
