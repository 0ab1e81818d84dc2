//! Worlds whose meshes have other trees for pairs: the same bits in each step.

use crate::support::{at, dynamic};
use heurt_bvh::VolumeKind;
use heurt_geometry::Pose;
use heurt_mesh::{TriMesh, generate};
use heurt_shape::{Degree, MeshShape, Shape, TreeChoice};
use heurt_world::{Body, Response, Settings, World};

fn mesh(mesh: &TriMesh, choice: Option<&TreeChoice>) -> Shape {
    let shape = MeshShape::new(mesh.clone()).unwrap();
    let shape = choice.map_or_else(|| Ok(shape.clone()), |choice| shape.clone().with_tree(choice));
    shape.unwrap().into()
}

/// Cubes, balls and rings of triangles fall in layers into a bowl of triangles.
fn world(response: Response, choice: Option<&TreeChoice>) -> World {
    let bowl = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|k| 0.1 * k as f64 - 2.0);
        0.08 * (x * x + y * y)
    };
    let heights: Vec<Vec<f64>> = (0..=40).map(|y| (0..=40).map(|x| bowl(x, y)).collect()).collect();
    let bowl = generate::height_field([-2.0, -2.0], [0.1, 0.1], &heights).unwrap();
    let solids = [
        generate::cuboid([0.15; 3]).unwrap(),
        generate::icosphere(0.17, 2).unwrap(),
        generate::torus(0.15, 0.06, 14, 8).unwrap(),
    ];
    let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
    world.insert(Body { restitution: 0.0, ..Body::fixed(mesh(&bowl, choice), Pose::IDENTITY) }).unwrap();
    for number in 0..18 {
        let layer = number / 6;
        let [x, y] = [number % 3, number / 3 % 2].map(|k| 0.34 * k as f64 - 0.3 + 0.03 * layer as f64);
        let solid = mesh(&solids[number % 3], choice);
        world.insert(dynamic(solid, at(x, y, 0.4 + 0.36 * layer as f64), 1.0)).unwrap();
    }
    world
}

/// A ball of many triangles falls on a gear: more pairs of triangles are near than a search looks at.
fn ball_on_gear(response: Response, choice: Option<&TreeChoice>) -> World {
    let gear = generate::gear(24, 0.002, 20f64.to_radians(), 0.0, 0.01, 0.01, 6).unwrap();
    let ball = generate::uv_sphere(0.2, generate::sphere_segments(2000)).unwrap();
    let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
    world.insert(Body::fixed(mesh(&gear, choice), Pose::IDENTITY)).unwrap();
    world.insert(dynamic(mesh(&ball, choice), at(0.0, 0.0, 0.25), 1.0)).unwrap();
    world
}

#[test]
fn the_tree_of_a_mesh_does_not_change_a_run() {
    let wide = TreeChoice { volume: VolumeKind::Aabb, degree: Degree::Two, leaf_size: 1, ..TreeChoice::default() };
    let choices = [None, Some(TreeChoice::default()), Some(wide)];
    let scenes: [fn(Response, Option<&TreeChoice>) -> World; 2] = [world, ball_on_gear];
    // The lowest layer lands within 17 steps, the others by the 40th.
    for (number, response, steps) in
        [(0, Response::SoftStep, 100), (0, Response::Auto, 40), (1, Response::SoftStep, 40), (1, Response::Auto, 40)]
    {
        let [first, second, third] = choices.map(|choice| {
            let mut world = scenes[number](response, choice.as_ref());
            (0..steps).map(|_| world.step(1.0 / 60.0).map(|_| world.state_hash()).unwrap()).collect::<Vec<u64>>()
        });
        for other in [second, third] {
            let differs = first.iter().zip(&other).position(|(one, other)| one != other);
            assert_eq!(differs, None, "scene {number}, {response:?}: the first step that differs");
        }
    }
}
