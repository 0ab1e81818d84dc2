//! Surfaces of all kinds of shapes: closed, inscribed, and near the exact shape.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate, measures};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape};
use heurt_view::{Surface, SurfaceOptions, surface_of};
use std::f64::consts::PI;
use std::sync::Arc;

fn surface(shape: impl Into<Shape>) -> Surface {
    surface_of(&shape.into(), &SurfaceOptions::default())
}

/// The volume of a closed surface; a failure if it is open.
fn volume(surface: &Surface) -> f64 {
    let mesh = TriMesh::new(surface.vertices.clone(), surface.triangles.clone()).expect("a mesh");
    measures(&mesh).volume.expect("a closed surface")
}

#[test]
fn surfaces_of_convex_shapes_are_closed_and_inscribed() {
    let half = 0.7;
    let cases: Vec<(&str, Convex, f64)> = vec![
        ("sphere", Convex::sphere(half).unwrap(), 4.0 / 3.0 * PI * half.powi(3)),
        ("cuboid", Convex::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap(), 48.0),
        ("cylinder", Convex::cylinder(half, 1.0).unwrap(), 2.0 * PI * half * half),
        ("cone", Convex::cone(half, 1.0).unwrap(), 2.0 / 3.0 * PI * half * half),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(1.0, 0.5, 0.2)).unwrap(), 4.0 / 3.0 * PI * 0.1),
        ("capsule", Convex::capsule(half, 1.0).unwrap(), PI * half * half * (2.0 + 4.0 / 3.0 * half)),
        ("rounded box", Convex::cuboid(Vec3::ONE).unwrap().with_margin(0.1).unwrap(), {
            // Minkowski sum with a ball: volume, faces, a quarter cylinder at each edge, an eighth ball at each corner.
            8.0 + 24.0 * 0.1 + 12.0 * 2.0 * PI * 0.01 / 4.0 + 4.0 / 3.0 * PI * 0.001
        }),
    ];
    for (name, shape, exact) in cases {
        let found = volume(&surface(shape));
        assert!(found <= exact * (1.0 + 1e-9) && found >= exact * 0.97, "{name}: {found} of {exact}");
    }
}

#[test]
fn flat_faces_of_rounded_boxes_stay_flat() {
    let top = 1.0 + 0.1;
    let found = surface(Convex::cuboid(Vec3::ONE).unwrap().with_margin(0.1).unwrap());
    let on_top = found.vertices.iter().filter(|vertex| (vertex.z - top).abs() < 1e-12).count();
    assert!(on_top >= 4, "the four corners of the upper face");
}

#[test]
fn degenerate_shapes_have_what_can_be_drawn() {
    assert!(surface(Convex::point()).is_empty());
    let segment = surface(Convex::segment([Vec3::ZERO, Vec3::X]).unwrap());
    assert_eq!((segment.triangles.len(), segment.edges.len()), (0, 1));
    let triangle = surface(Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap());
    assert_eq!(triangle.edges.len(), 3);
    assert!(!triangle.triangles.is_empty());
}

#[test]
fn a_half_space_is_a_square_that_looks_along_its_normal() {
    for normal in [Vec3::Z, Vec3::new(0.0, -3.0, 4.0), -Vec3::X] {
        let options = SurfaceOptions { plane_half_size: 2.0, ..SurfaceOptions::default() };
        let plane = surface_of(&Convex::half_space(normal, 10.0).unwrap().into(), &options);
        let [a, b, c] = plane.triangles[0].map(|corner| plane.vertices[corner as usize]);
        let face = (b - a).cross(c - a);
        assert!(face.normalize().abs_diff_eq(normal.normalize(), 1e-12));
        for vertex in &plane.vertices {
            assert!((vertex.dot(normal) - 10.0).abs() < 1e-9, "on the boundary plane");
        }
    }
}

#[test]
fn a_compound_has_the_surfaces_of_its_parts_at_their_places() {
    let cube = Shape::from(Convex::cuboid(Vec3::ONE).unwrap());
    let above = Pose::from_translation(Vec3::Z * 5.0).unwrap();
    let both = surface(Compound::new([(cube.clone(), Pose::IDENTITY), (cube, above)]).unwrap());
    assert_eq!(both.triangles.len(), 24);
    assert!(both.vertices.iter().any(|vertex| vertex.z == 6.0) && both.vertices.iter().any(|vertex| vertex.z == -1.0));
}

#[test]
fn a_mesh_with_a_margin_grows_by_it() {
    let mesh = Arc::new(MeshShape::new(generate::icosphere(1.0, 3).unwrap()).unwrap());
    let grown = surface(Shape::Rounded(Arc::new(RoundedMesh::new(mesh, 0.25).unwrap())));
    for vertex in &grown.vertices {
        assert!((vertex.length() - 1.25).abs() < 1e-3, "{}", vertex.length());
    }
}
