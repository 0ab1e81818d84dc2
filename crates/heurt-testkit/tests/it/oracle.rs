//! The judges judged: oracles on cases small enough to know.

use heurt_geometry::{Triangle, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_testkit::number::dyadic::Dyadic;
use heurt_testkit::oracle::surface::{SurfaceFaults, six_volumes};
use heurt_testkit::oracle::triangle as oracle;

/// A tetrahedron with its triangles counter-clockwise seen from outside.
fn tetrahedron() -> [Triangle; 4] {
    let (o, x, y, z) = (Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0);
    [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
}

#[test]
fn winding_counts_the_turns_of_the_surface() {
    let solid = tetrahedron();
    let inside_out = solid.map(|[a, b, c]| [a, c, b]);
    let twice: Vec<Triangle> = solid.iter().chain(&solid).copied().collect();
    let within = Vec3::ONE;
    assert_eq!(oracle::winding(&solid, within), Some(1));
    assert_eq!(oracle::winding(&inside_out, within), Some(-1));
    assert_eq!(oracle::winding(&twice, within), Some(2));
    assert_eq!(oracle::winding(&solid, Vec3::new(-1.0, 1.0, 1.0)), Some(0));
    assert_eq!(oracle::winding(&solid, Vec3::splat(100.0)), Some(0));
    for boundary in [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 2.0, 0.0), Vec3::new(2.0, 1.0, 1.0)] {
        assert_eq!(oracle::winding(&solid, boundary), None, "{boundary}");
    }
}

#[test]
fn hulls_hold_their_points_and_no_others() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for held in [Vec3::ZERO, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.25, 0.25, 0.5), Vec3::splat(0.25)] {
        assert!(oracle::hull_holds(&corners, held), "{held}");
    }
    for free in [Vec3::splat(0.5), Vec3::new(0.5, 0.5, -1e-300), Vec3::new(0.5f64.next_up(), 0.5, 0.0)] {
        assert!(!oracle::hull_holds(&corners, free), "{free}");
    }
}

#[test]
fn triangles_meet_by_definition() {
    let floor = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let raised = floor.map(|p| p + Vec3::Z * f64::from_bits(1));
    assert!(oracle::triangles_intersect(&floor, &floor));
    assert!(!oracle::triangles_intersect(&floor, &raised));
    assert!(oracle::triangles_intersect(&floor, &[Vec3::new(0.5, 0.5, 0.0); 3]));
    assert!(!oracle::triangles_intersect(&floor, &[Vec3::new(0.5, 0.5f64.next_up(), 0.0); 3]));
    assert!(oracle::triangles_intersect(&[Vec3::ZERO, Vec3::X, Vec3::X], &[Vec3::X, Vec3::Y, Vec3::Y]));
}

#[test]
fn pairs_and_overlap_try_everything() {
    let outer = tetrahedron();
    let inner = tetrahedron().map(|t| t.map(|p| p * 0.125 + Vec3::splat(0.5)));
    assert_eq!(oracle::intersecting_pairs(&outer, &inner), Vec::<[u32; 2]>::new());
    assert!(!oracle::overlap(&outer, false, &inner, false), "nested surfaces are apart");
    assert!(oracle::overlap(&outer, true, &inner, true), "nested solids overlap");
    assert!(oracle::overlap(&inner, true, &outer, true));
    let touching = [[Vec3::ONE * 4.0 / 3.0, Vec3::splat(5.0), Vec3::new(5.0, 6.0, 5.0)]];
    let pierced = [[Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.5, 1.0, 1.0)]];
    assert_eq!(oracle::intersecting_pairs(&outer, &pierced), [[0, 0]]);
    // 4/3 is rounded down, thus inside.
    assert!(oracle::overlap(&outer, true, &touching, false));
}

#[test]
fn boundaries_have_no_faults_and_bad_ones_have_each() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    assert!(SurfaceFaults::of(&cube).is_empty());
    assert_eq!(six_volumes(&cube), Dyadic::of(48.0));
    let moved = |x: f64, y: f64, z: f64| {
        let vertices = cube.vertices().iter().map(|place| *place + Vec3::new(x, y, z)).collect();
        TriMesh::new(vertices, cube.triangles().to_vec()).unwrap()
    };
    let with = |other: &TriMesh| SurfaceFaults::of(&TriMesh::merged([&cube, other]).unwrap());
    // Sheets may touch in a corner and along a side; not in faces, and not across sides.
    assert!(with(&moved(2.0, 2.0, 2.0)).is_empty() && with(&moved(2.0, 2.0, 0.0)).is_empty());
    assert!(with(&moved(4.0, 0.0, 0.0)).is_empty());
    assert!(!with(&moved(2.0, 0.0, 0.0)).crossing.is_empty());
    assert!(!with(&moved(2.0, 2.0, 1.0)).crossing.is_empty());
    assert!(!with(&moved(0.5, 0.5, 0.5)).crossing.is_empty());
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    assert_eq!(SurfaceFaults::of(&open).unpaired.len(), 3);
    let mut welded: Vec<[u32; 3]> = cube.triangles().to_vec();
    welded
        .extend(cube.triangles().iter().map(|corners| corners.map(|corner| if corner == 0 { 0 } else { corner + 8 })));
    let vertices = [cube.vertices(), moved(9.0, 0.0, 0.0).vertices()].concat();
    let pinched = SurfaceFaults::of(&TriMesh::new(vertices, welded).unwrap());
    assert_eq!((pinched.pinched.clone(), pinched.unpaired.len()), (vec![0], 0));
    let flat = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X * 3.0], vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    assert_eq!(SurfaceFaults::of(&flat).flat, [0, 1]);
}
