//! Bodies on floors that are meshes, in worlds with `soft-step`: no body falls through, none gains energy, and what
//! comes to rest sleeps.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, BodyId, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;
const CELLS: usize = 40;
const CELL: f64 = 0.1;

/// A floor of 4 m with heights in metres over its centre.
fn floor(height: impl Fn(f64, f64) -> f64, flips: bool) -> Body {
    let side = |k: usize| CELL * k as f64 - 2.0;
    let row = |y: usize| (0..=CELLS).map(|x| height(side(x), side(y))).collect();
    let heights: Vec<Vec<f64>> = (0..=CELLS).map(row).collect();
    let mut mesh = generate::height_field([-2.0, -2.0], [CELL, CELL], &heights).unwrap();
    if flips {
        let turned = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        mesh = heurt_mesh::TriMesh::new(mesh.vertices().to_vec(), turned).unwrap();
    }
    Body { restitution: 0.0, friction: 0.8, ..Body::fixed(MeshShape::new(mesh).unwrap(), Pose::IDENTITY) }
}

/// Drops twelve bodies in three layers, and returns the world after some steps.
fn drop_on(floor: Body, shape: &Shape, steps: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    world.insert(floor).unwrap();
    let mass = std::sync::Arc::new(Mass::of_total(shape, 1.0).unwrap());
    let body = |k: i32| {
        let place =
            Vec3::new(f64::from(k % 2) * 0.4 - 0.23, f64::from(k / 2 % 2) * 0.4 - 0.21, 0.7 + 0.4 * f64::from(k / 4));
        let pose = Pose::from_translation(place).unwrap();
        Body { restitution: 0.0, friction: 0.8, ..Body::dynamic(shape.clone(), pose, mass.clone()) }
    };
    let ids = (0..12).map(|k| world.insert(body(k)).unwrap()).collect();
    let mut energy = world.energy();
    let start = energy.kinetic + energy.potential;
    for step in 0..steps {
        world.step(DT).unwrap();
        energy = world.energy();
        assert!(energy.kinetic + energy.potential < start + 1e-6, "step {step}: {energy:?} after {start}");
    }
    (world, ids)
}

fn shapes() -> [Shape; 3] {
    let ball = MeshShape::new(generate::icosphere(0.15, 2).unwrap()).unwrap();
    [Convex::cuboid(Vec3::splat(0.15)).unwrap().into(), Convex::sphere(0.15).unwrap().into(), ball.into()]
}

#[test]
fn nothing_falls_through_a_wavy_floor() {
    let wave = |x: f64, y: f64| 0.05 * libm::sin(9.0 * x) * libm::cos(8.0 * y) + 0.06 * (x * x + y * y);
    for (number, shape) in shapes().iter().enumerate() {
        let (world, ids) = drop_on(floor(wave, false), shape, 180);
        for &id in &ids {
            let place = world.body(id).unwrap().pose.translation();
            let clearance = place.z - wave(place.x, place.y);
            assert!(clearance > 0.08, "shape {number}: {place}, {clearance} above the floor");
        }
        // Balls roll on: there is no rolling friction.
        assert!(number > 0 || world.energy().kinetic < 0.1, "{:?}", world.energy());
    }
}

#[test]
fn boxes_in_a_bowl_fall_asleep_whichever_side_its_triangles_face() {
    for flips in [false, true] {
        let bowl = floor(|x, y| 0.05 * (x * x + y * y), flips);
        let (world, ids) = drop_on(bowl, &shapes()[0], 360);
        let sleeping = ids.iter().filter(|id| world.is_asleep(**id)).count();
        assert_eq!(sleeping, ids.len(), "{flips}: {:?}", world.energy());
        let deepest = world.contacts().iter().flat_map(|touch| &touch.contact).flat_map(|contact| &contact.points);
        let deepest = deepest.map(|point| -point.separation).fold(0.0, f64::max);
        assert!(deepest < 0.005, "{flips}: {deepest}");
    }
}

/// A box over the crease of two triangles touches it along the crease and at corners next to it: six points with the
/// normal of its own face. With four of them, other ones in each step, towers swayed for ever.
#[test]
fn towers_on_uneven_ground_come_to_rest() {
    let height = |x: usize, y: usize| 0.1 * (0.5 * x as f64).sin() * (0.4 * y as f64).cos();
    let heights: Vec<Vec<f64>> = (0..41).map(|y| (0..41).map(|x| height(x, y)).collect()).collect();
    let ground = MeshShape::new(generate::height_field([-10.0, -10.0], [0.5, 0.5], &heights).unwrap()).unwrap();
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let floor = Body::fixed(ground, Pose::IDENTITY);
    world.insert(Body { restitution: 0.0, friction: 0.8, ..floor }).unwrap();
    let shape: Shape = Convex::cuboid(Vec3::splat(0.15)).unwrap().into();
    let mass = std::sync::Arc::new(Mass::of_density(&shape, 500.0).unwrap());
    for (x, y) in [(0.4, 0.8), (-0.8, 0.8), (0.8, -0.8), (0.0, 0.0)] {
        for layer in 0..8 {
            let pose = Pose::from_translation(Vec3::new(x, y, 1.0 + 0.4 * f64::from(layer))).unwrap();
            let falling = Body::dynamic(shape.clone(), pose, mass.clone());
            world.insert(Body { restitution: 0.0, friction: 0.8, ..falling }).unwrap();
        }
    }
    for _ in 0..360 {
        world.step(1.0 / 60.0).unwrap();
    }
    let asleep = world.bodies().filter(|(id, _)| world.is_asleep(*id)).count();
    assert_eq!((asleep, world.energy().kinetic), (32, 0.0));
}
