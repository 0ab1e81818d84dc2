//! Convex shapes that slide over the rim of a flat mesh, and over an edge within it: there is a contact all along.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::contact::contact_manifold;
use heurt_shape::{Convex, MeshShape};

/// How deep the shapes are in the floor, in metres.
const DEPTH: f64 = 1e-4;

/// Two squares side by side from x = −1 to 1, as a sheet or as the top of a box.
fn floors() -> Vec<(&'static str, MeshShape)> {
    let vertices = [-1.0, 0.0, 1.0].into_iter().flat_map(|x| [Vec3::new(x, -1.0, 0.0), Vec3::new(x, 1.0, 0.0)]);
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
    let sheet = TriMesh::new(vertices.collect(), triangles).unwrap();
    let solid = generate::cuboid([1.0, 1.0, 0.5]).unwrap();
    let solid = solid.transformed(&Pose::from_translation(Vec3::Z * -0.5).unwrap()).unwrap();
    vec![("sheet", MeshShape::new(sheet).unwrap()), ("box", MeshShape::new(solid).unwrap())]
}

fn shapes() -> Vec<(&'static str, Convex, f64)> {
    vec![
        ("sphere", Convex::sphere(0.2).unwrap(), 0.2),
        ("rounded box", Convex::cuboid(Vec3::new(1e-3, 0.1, 0.1)).unwrap().with_margin(0.1).unwrap(), 0.2),
        ("capsule", Convex::capsule(0.2, 0.1).unwrap(), 0.3),
        ("cylinder", Convex::cylinder(0.2, 0.1).unwrap(), 0.1),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.2, 0.3, 0.1)).unwrap(), 0.1),
    ]
}

#[test]
fn a_shape_that_slides_over_a_rim_or_an_edge_has_a_contact_all_along() {
    for (floor_name, floor) in floors() {
        for (name, shape, height) in shapes() {
            for edge in [0.0, 1.0] {
                for reach in [1e-12, 1e-9, 1e-7, 1e-5, 1e-4] {
                    for k in -20..=20 {
                        let x = edge + reach * f64::from(k) / 20.0;
                        let pose = Pose::from_translation(Vec3::new(x, 0.13, height - DEPTH)).unwrap();
                        let found = contact_manifold(&floor, &Pose::IDENTITY, &shape, &pose, 1e-3);
                        let what = format!("{name} at {x:e} on a {floor_name}");
                        let found = found.unwrap_or_else(|| panic!("{what}: nothing"));
                        let least = found.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
                        assert!((least + DEPTH).abs() < 1e-6, "{what}: {least} of {} points", found.points.len());
                        assert!(found.points.iter().all(|point| point.normal.z > 0.99), "{what}: {found:?}");
                    }
                }
            }
        }
    }
}
