//! A shape of every kind.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{self, Supertoroid};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

/// All kinds by name, each about a metre wide.
pub fn shapes(random: &mut Random) -> Vec<(&'static str, Shape)> {
    let points: Vec<Vec3> = (0..24).map(|_| random.vector(0.7)).collect();
    let [p, q, r] = [Vec3::new(0.5, 0.1, -0.3), Vec3::new(-0.4, 0.5, 0.2), Vec3::new(0.1, -0.6, 0.3)];
    let convex = [
        ("point", Convex::point()),
        ("segment", Convex::segment([p, q]).unwrap()),
        ("triangle", Convex::triangle([p, q, r]).unwrap()),
        ("sphere", Convex::sphere(0.5).unwrap()),
        ("capsule", Convex::capsule(0.3, 0.5).unwrap()),
        ("box", Convex::cuboid(Vec3::new(0.5, 0.4, 0.3)).unwrap()),
        ("rounded box", Convex::cuboid(Vec3::new(0.4, 0.3, 0.3)).unwrap().with_margin(0.1).unwrap()),
        ("hull", Convex::hull(&points).unwrap()),
        ("cylinder", Convex::cylinder(0.4, 0.5).unwrap()),
        ("cone", Convex::cone(0.5, 0.5).unwrap()),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3)).unwrap()),
        ("superellipsoid", Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3), 0.5, 1.5).unwrap()),
        ("half-space", Convex::half_space(Vec3::new(0.2, -0.3, 1.0), 0.1).unwrap()),
    ];
    let mesh = |mesh| Arc::new(MeshShape::new(mesh).unwrap());
    let bracket = mesh(generate::bracket([0.8, 0.5, 0.6], 0.15, Some(0.1), Some(0.1), 12).unwrap());
    let sheet = generate::height_field([-0.5, -0.5], [0.25, 0.25], &vec![vec![0.0, 0.2, 0.1, -0.1, 0.05]; 5]).unwrap();
    let part = |shape: Convex, x: f64| (Shape::from(shape), Pose::from_translation(Vec3::X * x).unwrap());
    let hammer = [part(Convex::capsule(0.1, 0.5).unwrap(), 0.0), part(Convex::cuboid(Vec3::splat(0.2)).unwrap(), 0.4)];
    let ring = Superquadric::Toroid(Supertoroid::new(0.5, 0.2, 0.8, 1.2).unwrap());
    let mut all: Vec<(&str, Shape)> = convex.map(|(name, shape)| (name, shape.into())).into();
    all.extend([
        ("mesh", Shape::Mesh(Arc::clone(&bracket))),
        ("sheet", Shape::Mesh(mesh(sheet))),
        ("compound", Compound::new(hammer).unwrap().into()),
        ("rounded mesh", RoundedMesh::new(bracket, 0.05).unwrap().into()),
        ("supertoroid", SuperquadricShape::from(ring).into()),
    ]);
    all
}
