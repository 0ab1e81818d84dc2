//! Simplifying keeps what it promises: closed, of as many handles, over the same vertices, near the surface.

use heurt_mesh::{TriMesh, components, generate, is_closed, measures, simplify};

/// Twice the sum of 1 − genus over all parts of a closed surface.
fn euler(mesh: &TriMesh) -> i64 {
    let (v, f) = (mesh.vertices().len() as i64, mesh.triangles().len() as i64);
    v - f / 2
}

#[test]
fn closed_meshes_stay_closed_and_near() {
    let meshes = [
        generate::torus(1.0, 0.3, 96, 48).unwrap(),
        generate::icosphere(1.0, 5).unwrap(),
        generate::bumpy_sphere(1.0, 0.2, 5.0, 48).unwrap(),
        generate::supertoroid(1.0, 0.4, 0.8, 0.7, 48).unwrap(),
    ];
    for mesh in &meshes {
        let welded = heurt_mesh::weld(mesh, 0.0).unwrap().mesh;
        for most in [2000, 500] {
            let few = simplify(mesh, most);
            assert!(few.triangles().len() <= most, "{} of {most}", few.triangles().len());
            assert!(is_closed(&few) && components(&few).len() == 1 && euler(&few) == euler(&welded));
            assert!(few.vertices().iter().all(|vertex| mesh.vertices().contains(vertex)));
            let [before, after] = [mesh, &few].map(|mesh| measures(mesh).volume.unwrap());
            assert!((after / before - 1.0).abs() < 60.0 / most as f64, "{before} {after} with {most}");
            assert_eq!(simplify(mesh, most), few);
        }
    }
}

#[test]
fn what_cannot_be_simplified_stays() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    assert_eq!(simplify(&cube, 12).triangles().len(), 12);
    let tetrahedron = simplify(&cube, 1);
    assert!(is_closed(&tetrahedron) && tetrahedron.triangles().len() >= 4);
    // Two parts stay two, and a triangle that is none is left out.
    let two = TriMesh::merged([&cube, &generate::icosphere(0.2, 2).unwrap()]).unwrap();
    let few = simplify(&two, 20);
    assert!(is_closed(&few) && components(&few).len() == 2);
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[..6].to_vec()).unwrap();
    assert!(simplify(&open, 2).triangles().len() <= 6);
}
