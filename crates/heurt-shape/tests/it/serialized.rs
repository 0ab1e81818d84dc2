//! Shapes as data: read as they were written, and refused where a constructor refuses.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid, icosphere};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, Solidity, Superquadric, SuperquadricShape};
use std::sync::Arc;

fn shapes() -> Vec<Shape> {
    let mesh = Arc::new(MeshShape::new(icosphere(0.5, 1).unwrap()).unwrap());
    let surface = MeshShape::new(icosphere(0.5, 1).unwrap()).unwrap().with_solidity(Solidity::Surface).unwrap();
    let ring = Superquadric::Toroid(Supertoroid::new(1.0, 0.25, 0.5, 1.5).unwrap());
    let star = Superquadric::Ellipsoid(Superellipsoid::new([1.0, 0.5, 0.25], 3.0, 2.5).unwrap());
    let convex = [
        Convex::cuboid(Vec3::new(0.1, 0.2, 0.3)),
        Convex::capsule(0.1, 1.0),
        Convex::cylinder(0.5, 1.0),
        Convex::cone(0.5, 1.0).and_then(|cone| cone.with_margin(0.125)),
        Convex::ellipsoid(Vec3::new(1.0, 2.0, 3.0)),
        Convex::superellipsoid(Vec3::ONE, 0.5, 1.5),
        Convex::half_space(Vec3::new(0.0, 3.0, 4.0), 5.0),
    ];
    let mut shapes: Vec<Shape> = convex.into_iter().map(|shape| shape.unwrap().into()).collect();
    let parts: Vec<_> = shapes[..6].iter().map(|shape| (shape.clone(), Pose::IDENTITY)).collect();
    let rounded = RoundedMesh::new(Arc::clone(&mesh), 0.1).unwrap();
    shapes.extend([Shape::Mesh(mesh), surface.into(), rounded.into(), SuperquadricShape::from(star).into()]);
    shapes.extend([ring.into(), Compound::new(parts).unwrap().into()]);
    shapes
}

#[test]
fn shapes_are_read_as_they_were_written() {
    for shape in shapes() {
        let text = serde_json::to_string(&shape).unwrap();
        let read: Shape = serde_json::from_str(&text).unwrap();
        assert_eq!(read.bounds(), shape.bounds(), "{text}");
        assert_eq!(read.primitives(), shape.primitives(), "{text}");
        if let (Shape::Mesh(read), Shape::Mesh(written)) = (&read, &shape) {
            assert_eq!((read.mesh().vertices(), read.solidity()), (written.mesh().vertices(), written.solidity()));
            assert_eq!(read.mesh().triangles(), written.mesh().triangles());
        }
        if let (Shape::Convex(read), Shape::Convex(written)) = (&read, &shape) {
            for direction in [Vec3::X, Vec3::new(-1.0, 2.0, 0.5), Vec3::new(0.3, 0.2, -1.0)] {
                assert_eq!(read.support(direction), written.support(direction), "{text}");
            }
        }
    }
}

#[test]
fn data_that_a_constructor_refuses_is_refused() {
    let mesh = r#"{"mesh":{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,9]],"solidity":"surface"}}"#;
    for (text, expected) in [
        (mesh, "vertex 9"),
        (r#"{"convex":{"core":{"cylinder":{"radius":-1.0,"half_height":1.0}},"margin":0.0}}"#, "radius"),
        (r#"{"convex":{"core":{"hull":[[0,0,0]]},"margin":-1.0}}"#, "margin"),
        (r#"{"convex":{"core":{"half_space":{"normal":[0,0,0],"offset":1.0}},"margin":0.0}}"#, "normal"),
        (r#"{"compound":[]}"#, "part"),
        (r#"{"teapot":{}}"#, "teapot"),
    ] {
        let error = serde_json::from_str::<Shape>(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
