//! Bodies of all kinds.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{cuboid, height_field, icosphere, torus};
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;
use heurt_world::{Body, Mass, Settings, World};
use std::sync::Arc;

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

/// A body of `mass` kg that does not rebound.
pub fn dynamic(shape: impl Into<Shape>, pose: Pose, mass: f64) -> Body {
    let shape = shape.into();
    let mass = Mass::of_total(&shape, mass).unwrap();
    Body { restitution: 0.0, ..Body::dynamic(shape, pose, mass) }
}

pub fn mass(shape: &Shape) -> Mass {
    Mass::of_density(shape, 500.0).unwrap()
}

pub fn shapes() -> Vec<Shape> {
    let mesh = |mesh| Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()));
    vec![
        Convex::sphere(0.3).unwrap().into(),
        Convex::cuboid(Vec3::new(0.4, 0.2, 0.3)).unwrap().into(),
        Convex::capsule(0.2, 0.4).unwrap().into(),
        mesh(icosphere(0.35, 1).unwrap()),
        mesh(torus(0.4, 0.15, 10, 6).unwrap()),
    ]
}

/// Bodies of all kinds flying about in a box of three metres, a floor below.
pub fn crowd(settings: Settings, count: usize, seed: u64) -> World {
    let (mut random, shapes) = (Random::new(seed), shapes());
    let mut world = World::new(settings).unwrap();
    world.insert(Body::fixed(Convex::half_space(Vec3::Z, -2.0).unwrap(), Pose::IDENTITY)).unwrap();
    for number in 0..count {
        let shape = shapes[number % shapes.len()].clone();
        let pose = random.pose(1.5);
        let body = match number % 4 {
            0 => Body::fixed(shape, pose),
            1 => Body::kinematic(shape, pose),
            _ => Body::dynamic(shape.clone(), pose, mass(&shape)),
        };
        let body = Body { velocity: random.vector(2.0), angular_velocity: random.vector(3.0), ..body };
        world
            .insert(Body { group: 1 << (number % 3), mask: if number % 5 == 0 { 0b011 } else { u32::MAX }, ..body })
            .unwrap();
    }
    world
}

/// Level floors of 6 m with their top at height 0.
pub const FLOORS: [&str; 5] = ["half-space", "two triangles", "height field", "20,000 triangles", "block"];

/// A floor of [`FLOORS`].
pub fn flat_floor(name: &str) -> Shape {
    let sheet = |cells: usize| {
        let side = 6.0 / cells as f64;
        let heights = vec![vec![0.0; cells + 1]; cells + 1];
        MeshShape::new(height_field([-3.0, -3.0], [side, side], &heights).unwrap()).unwrap().into()
    };
    match name {
        "half-space" => Convex::half_space(Vec3::Z, 0.0).unwrap().into(),
        "two triangles" => sheet(1),
        "height field" => sheet(40),
        "20,000 triangles" => sheet(100),
        "block" => {
            let block = cuboid([3.0, 3.0, 0.5]).unwrap();
            let lowered = block.vertices().iter().map(|&vertex| vertex - Vec3::Z * 0.5).collect();
            MeshShape::new(TriMesh::new(lowered, block.triangles().to_vec()).unwrap()).unwrap().into()
        }
        _ => unreachable!("no floor is called {name}"),
    }
}
