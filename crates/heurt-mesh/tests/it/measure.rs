//! Measures against closed formulas.

use std::f64::consts::PI;

use crate::shapes::{cube, cuboid, mesh, open_box, sphere, tetrahedron, torus, unshared};
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{Measures, TriMesh, generate, measures};

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
}

fn assert_matrix(found: Mat3, expected: Mat3, tolerance: f64) {
    for (found, expected) in found.to_cols_array().into_iter().zip(expected.to_cols_array()) {
        assert_near(found, expected, tolerance);
    }
}

/// The inertia of a box of these edges at unit density about its centre.
fn box_inertia(edges: Vec3) -> Mat3 {
    let (mass, squares) = (edges.x * edges.y * edges.z, edges * edges);
    Mat3::from_diagonal(Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (mass / 12.0))
}

#[test]
fn a_box() {
    let found = measures(&cuboid([1.0, -2.0, 0.5], [3.0, 2.0, 1.5]));
    assert_eq!((found.area, found.volume), (28.0, Some(8.0)));
    assert_eq!(found.centroid, Some(Vec3::new(2.0, 0.0, 1.0)));
    assert_matrix(found.inertia.unwrap(), box_inertia(Vec3::new(2.0, 4.0, 1.0)), 1e-13);
    assert_eq!((found.euler, found.components, found.genus), (2, 1, Some(0)));
}

#[test]
fn a_box_far_from_the_origin_loses_no_digits() {
    let far = 1e9;
    let found = measures(&cuboid([far; 3], [far + 1.0, far + 2.0, far + 4.0]));
    assert_eq!(found.volume, Some(8.0));
    assert_eq!(found.centroid, Some(Vec3::new(far + 0.5, far + 1.0, far + 2.0)));
    assert_matrix(found.inertia.unwrap(), box_inertia(Vec3::new(1.0, 2.0, 4.0)), 1e-13);
}

#[test]
fn a_turned_box_has_turned_inertia() {
    let rotation = Mat3::from_rotation_z(0.7) * Mat3::from_rotation_x(-1.1);
    let pose = Pose::from_matrix(rotation, Vec3::new(3.0, -5.0, 2.0)).unwrap();
    let found = measures(&cuboid([-0.5, -1.0, -2.0], [0.5, 1.0, 2.0]).transformed(&pose).unwrap());
    assert_near(found.volume.unwrap(), 8.0, 1e-13);
    assert_near((found.centroid.unwrap() - pose.translation()).length(), 0.0, 1e-14);
    let expected = rotation * box_inertia(Vec3::new(1.0, 2.0, 4.0)) * rotation.transpose();
    assert_matrix(found.inertia.unwrap(), expected, 1e-13);
}

#[test]
fn a_tetrahedron_has_products_of_inertia() {
    let found = measures(&tetrahedron());
    assert_near(found.area, 1.5 + 3f64.sqrt() / 2.0, 1e-15);
    assert_near(found.volume.unwrap(), 1.0 / 6.0, 1e-16);
    assert_near((found.centroid.unwrap() - Vec3::splat(0.25)).length(), 0.0, 1e-15);
    // ∫x² = 1/60 and ∫xy = 1/120 about the corner; less V c² = 1/96 each about the centroid.
    let (diagonal, product) = (2.0 * (1.0 / 60.0 - 1.0 / 96.0), 1.0 / 120.0 - 1.0 / 96.0);
    let expected = Mat3::from_diagonal(Vec3::splat(diagonal + product)) - Mat3::from_cols_array(&[product; 9]);
    assert_matrix(found.inertia.unwrap(), expected, 1e-16);
}

#[test]
fn a_sphere_converges_to_the_formulas() {
    let radius = 1.5f64;
    let found = measures(&sphere(200).scaled(radius).unwrap());
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    assert_near(found.area / (4.0 * PI * radius * radius), 1.0, 2e-4);
    assert_near(found.volume.unwrap() / volume, 1.0, 2e-4);
    assert_matrix(found.inertia.unwrap() * (2.5 / (volume * radius * radius)), Mat3::IDENTITY, 4e-4);
}

#[test]
fn a_torus_has_genus_one() {
    let found = measures(&generate::torus(2.0, 0.5, 200, 100).unwrap());
    assert_eq!((found.euler, found.components, found.genus), (0, 1, Some(1)));
    assert_near(found.volume.unwrap() / (2.0 * PI * PI * 2.0 * 0.25), 1.0, 2e-3);
    assert_near(found.area / (4.0 * PI * PI * 2.0 * 0.5), 1.0, 2e-3);
    // About the axis: m (R² + 3/4 r²).
    let expected = found.volume.unwrap() * (4.0 + 0.75 * 0.25);
    assert_near(found.inertia.unwrap().z_axis.z / expected, 1.0, 2e-3);
}

#[test]
fn a_cavity_counts_off_and_parts_add_up() {
    let hollow = TriMesh::merged([&cuboid([-1.0; 3], [2.0; 3]), &cube().reversed()]).unwrap();
    let found = measures(&hollow);
    assert_eq!((found.volume, found.area, found.components, found.genus), (Some(26.0), 60.0, 2, Some(0)));
    let separate = TriMesh::merged([&cube(), &cuboid([2.0, 0.0, 0.0], [3.0, 1.0, 1.0])]).unwrap();
    assert_eq!(measures(&separate).centroid, Some(Vec3::new(1.5, 0.5, 0.5)));
}

#[test]
fn open_meshes_have_an_area_only() {
    let Measures { area, volume, centroid, inertia, euler, genus, .. } = measures(&open_box());
    assert_eq!((area, volume, centroid, inertia, euler, genus), (5.0, None, None, None, 1, None));
}

#[test]
fn no_volume_has_no_centroid() {
    let pillow = mesh(&[[0.1; 3], [1.3, 0.2, 0.4], [0.5, 1.7, 0.6]], &[[0, 1, 2], [0, 2, 1]]);
    let found = measures(&pillow);
    assert_near(found.volume.unwrap(), 0.0, 1e-15);
    assert_eq!((found.centroid, found.inertia), (None, None));
    let point = measures(&mesh(&[[2.0; 3]], &[[0, 0, 0]]));
    assert_eq!((point.area, point.volume, point.centroid, point.components), (0.0, Some(0.0), None, 1));
}

#[test]
fn extreme_units_lose_no_digits() {
    for unit in [2f64.powi(-300), 2f64.powi(300)] {
        let found = measures(&cuboid([0.0; 3], [2.0 * unit, unit, unit]));
        assert_eq!((found.volume, found.area), (Some(2.0 * unit * unit * unit), 10.0 * unit * unit));
        assert_eq!(found.centroid, Some(Vec3::new(unit, 0.5 * unit, 0.5 * unit)));
    }
}

#[test]
fn measures_do_not_depend_on_sharing_or_threads() {
    let mesh = generate::bumpy_sphere(1.0, 0.2, 5.0, 120).unwrap();
    let found = measures(&mesh);
    assert_eq!(measures(&unshared(&mesh)), found);
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(single.install(|| measures(&mesh)), found);
    assert_eq!(measures(&torus(6, 5)).genus, Some(1));
}

#[test]
fn generated_surfaces_keep_the_relations_of_euler() {
    for (mesh, genus) in [
        (generate::uv_sphere(1.0, 32).unwrap(), 0),
        (generate::icosphere(2.0, 3).unwrap(), 0),
        (generate::cylinder(1.0, 2.0, 17).unwrap(), 0),
        (generate::cone(1.0, 2.0, 9).unwrap(), 0),
        (generate::torus(3.0, 1.0, 12, 7).unwrap(), 1),
        (generate::dodecahedron(1.0).unwrap(), 0),
        (generate::supertoroid(2.0, 0.7, 0.5, 1.5, 24).unwrap(), 1),
        (generate::plate([4.0, 3.0, 0.5], [3, 2], 0.4, 12).unwrap(), 6),
    ] {
        let topology = heurt_mesh::Topology::new(&mesh);
        assert_eq!(2 * topology.edge_count(), 3 * mesh.triangles().len(), "every edge has two triangles");
        let found = measures(&mesh);
        assert_eq!((found.genus, found.euler), (Some(genus), 2 - 2 * genus as i64));
        assert!(found.volume.unwrap() > 0.0);
    }
}
