//! Bodies that touch and turn: what did not touch as the step began does not pass through.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, Detection, Mass, Response, Settings, World};

const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];

fn settings(response: Response) -> Settings {
    Settings { response, detection: Detection::Continuous, ..Settings::default() }
}

/// Turned around y by an angle.
fn leaning(angle: f64, translation: Vec3) -> Pose {
    let half = 0.5 * angle;
    Pose::from_quaternion([0.0, half.sin(), 0.0, half.cos()], translation).unwrap()
}

#[test]
fn rods_that_tip_over_lie_on_a_thin_plate() {
    let half = Vec3::new(6.0, 6.0, 0.01);
    let convex: Shape = Convex::cuboid(half).unwrap().into();
    let mesh: Shape = MeshShape::new(heurt_mesh::generate::cuboid(half.to_array()).unwrap()).unwrap().into();
    let capsule: Shape = Convex::capsule(0.02, 0.5).unwrap().into();
    let cylinder: Shape = Convex::cylinder(0.02, 0.52).unwrap().into();
    for (number, (plate, rod)) in
        [(&convex, &capsule), (&mesh, &capsule), (&convex, &cylinder), (&mesh, &cylinder)].into_iter().enumerate()
    {
        for response in RESPONSES {
            rods_tip_over(&format!("pair {number}, {response:?}"), response, plate, rod);
        }
    }
}

/// Rods that stand askew on a plate of 2 cm tip over and come to lie on it.
fn rods_tip_over(what: &str, response: Response, plate: &Shape, rod: &Shape) {
    let mut world = World::new(settings(response)).unwrap();
    let pose = Pose::from_translation(Vec3::Z * -0.01).unwrap();
    world.insert(Body { restitution: 0.0, ..Body::fixed(plate.clone(), pose) }).unwrap();
    let rods: Vec<_> = [60.0f64, 45.0, 30.0, 10.0]
        .into_iter()
        .zip([-3.0, -1.0, 1.0, 3.0])
        .map(|(degrees, y)| {
            let rod = rod.clone();
            let angle = degrees.to_radians();
            let pose = leaning(angle, Vec3::new(-2.0, y, 0.5 * angle.cos() + 0.24));
            let mass = Mass::of_density(&rod, 1000.0).unwrap();
            world.insert(Body { restitution: 0.0, ..Body::dynamic(rod, pose, mass) }).unwrap()
        })
        .collect();
    let mut lowest = f64::INFINITY;
    for _ in 0..150 {
        world.step(1.0 / 60.0).unwrap();
        for rod in &rods {
            let pose = world.body(*rod).unwrap().pose;
            let ends = [-0.5, 0.5].map(|z| pose.place(Vec3::Z * z).z - 0.02);
            lowest = ends.into_iter().fold(lowest, f64::min);
        }
    }
    assert!(lowest > -0.005, "{what}: {lowest}");
    for rod in rods {
        let height = world.body(rod).unwrap().pose.translation().z;
        assert!((height - 0.02).abs() < 1e-3, "{what}: {height}");
    }
}

#[test]
fn a_fast_oblique_box_does_not_pass_through_a_thin_wall() {
    for response in RESPONSES {
        let mut world = World::new(Settings { gravity: Vec3::ZERO, ..settings(response) }).unwrap();
        let wall = Convex::cuboid(Vec3::new(0.005, 5.0, 5.0)).unwrap();
        world.insert(Body { restitution: 0.0, friction: 0.0, ..Body::fixed(wall, Pose::IDENTITY) }).unwrap();
        let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
        let turn = [-0.49381470629190793, 0.649481663068348, -0.4424336118639407, -0.3722540856469377];
        let pose = Pose::from_quaternion(turn, Vec3::X * -5.0).unwrap();
        let mass = Mass::of_density(&cube, 1000.0).unwrap();
        let body =
            Body { velocity: Vec3::X * 200.0, restitution: 0.0, friction: 0.0, ..Body::dynamic(cube, pose, mass) };
        let cube = world.insert(body).unwrap();
        for _ in 0..100 {
            world.step(0.01).unwrap();
            let x = world.body(cube).unwrap().pose.translation().x;
            assert!(x < -0.4, "{response:?}: {x}");
        }
    }
}
