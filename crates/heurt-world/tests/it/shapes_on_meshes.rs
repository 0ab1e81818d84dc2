//! Every convex shape on floors that are meshes, of few triangles and of 20,000, set down and dropped, with each
//! response: it stands as on a half-space, rebounds as high, and falls asleep.

use crate::support::{FLOORS, flat_floor};
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::generate;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, BodyId, Detection, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;
const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];

/// A shape that stands on a face or lies on a side, with the height of its origin.
struct Resting {
    name: &'static str,
    shape: Shape,
    height: f64,
    rotation: Quat,
    /// Whether it comes to rest from any pose: what has no flat face rolls on.
    has_faces: bool,
}

fn shapes() -> Vec<Resting> {
    let lying = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let turned = Quat::from_rotation_z(0.4);
    let cube = MeshShape::new(generate::cuboid([0.2; 3]).unwrap()).unwrap();
    let of = |name, shape: Shape, height, rotation, has_faces| Resting { name, shape, height, rotation, has_faces };
    let radii = Vec3::new(0.3, 0.2, 0.1);
    vec![
        of("box", Convex::cuboid(Vec3::splat(0.2)).unwrap().into(), 0.2, turned, true),
        of("cylinder", Convex::cylinder(0.2, 0.2).unwrap().into(), 0.2, turned, true),
        of("cone", Convex::cone(0.2, 0.2).unwrap().into(), 0.2, turned, true),
        of("disc", Convex::cylinder(0.2, 0.03).unwrap().into(), 0.03, turned, true),
        of("mesh", cube.into(), 0.2, turned, true),
        of(
            "rounded box",
            Convex::cuboid(Vec3::splat(0.15)).unwrap().with_margin(0.05).unwrap().into(),
            0.2,
            turned,
            true,
        ),
        of("sphere", Convex::sphere(0.2).unwrap().into(), 0.2, turned, false),
        of("capsule", Convex::capsule(0.1, 0.2).unwrap().into(), 0.1, lying, false),
        of("lying cylinder", Convex::cylinder(0.1, 0.2).unwrap().into(), 0.1, lying, false),
        of("ellipsoid", Convex::ellipsoid(radii).unwrap().into(), 0.1, turned, false),
        of("superellipsoid", Convex::superellipsoid(radii, 0.6, 0.8).unwrap().into(), 0.1, turned, false),
    ]
}

/// Drops all shapes from a height over one floor, each at its place, and returns their ids.
fn drop_on(
    floor: &Shape,
    response: Response,
    restitution: f64,
    shapes: &[Resting],
    pose: impl Fn(&Resting, Vec3) -> Pose,
) -> (World, Vec<BodyId>) {
    let detection = Detection::Continuous;
    let mut world = World::new(Settings { response, detection, ..Settings::default() }).unwrap();
    world.insert(Body { restitution, friction: 0.6, ..Body::fixed(floor.clone(), Pose::IDENTITY) }).unwrap();
    let ids = shapes.iter().enumerate().map(|(number, resting)| {
        let mass = Mass::of_total(&resting.shape, 1.0).unwrap();
        let at = pose(resting, place_of(number));
        world.insert(Body { restitution, friction: 0.6, ..Body::dynamic(resting.shape.clone(), at, mass) }).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

/// The place of a shape on the floor, off the lines of its triangles.
fn place_of(number: usize) -> Vec3 {
    Vec3::new(1.3 * (number % 4) as f64 - 1.97, 1.1 * (number / 4) as f64 - 1.23, 0.0)
}

fn above(resting: &Resting, place: Vec3, gap: f64) -> Pose {
    Pose::from_quaternion(resting.rotation.to_array(), place + Vec3::Z * (resting.height + gap)).unwrap()
}

#[test]
fn what_is_let_down_level_stands_level() {
    let shapes = shapes();
    for floor_name in FLOORS {
        for response in RESPONSES {
            let floor = flat_floor(floor_name);
            let pose = |resting: &Resting, place| above(resting, place, 0.1);
            let (mut world, ids) = drop_on(&floor, response, 0.0, &shapes, pose);
            let start = world.energy();
            for step in 0..120 {
                world.step(DT).unwrap();
                let energy = world.energy();
                let gain = energy.kinetic + energy.potential - start.kinetic - start.potential;
                assert!(gain < 1e-6, "{floor_name}, {response:?}, step {step}: gains {gain} J");
            }
            for (number, (resting, id)) in shapes.iter().zip(&ids).enumerate() {
                let body = world.body(*id).unwrap();
                let place = body.pose.translation();
                let state =
                    format!("{} on {floor_name}, {response:?}: {place} {:?}", resting.name, body.pose.rotation());
                assert!((place.z - resting.height).abs() < 1e-3, "{state}");
                assert!(place.reject_from(Vec3::Z).distance(place_of(number)) < 2e-3, "{state}");
                let turned = body.pose.rotation().transpose() * (resting.rotation * Vec3::Z);
                assert!(turned.distance(Vec3::Z) < 2e-3 || resting.name == "sphere", "{state}");
                assert!(world.is_asleep(*id) || response == Response::ImpulseLcp, "{state}: awake");
            }
        }
    }
}

#[test]
fn what_falls_flat_rebounds_by_the_square_of_the_restitution() {
    let shapes = shapes();
    for floor_name in FLOORS {
        let pose = |resting: &Resting, place| above(resting, place, 1.0);
        let (mut world, ids) = drop_on(&flat_floor(floor_name), Response::ImpulseLcp, 0.8, &shapes, pose);
        // The fall takes 0.45 s.
        for _ in 0..60 {
            world.step(1.0 / 120.0).unwrap();
        }
        for (resting, id) in shapes.iter().zip(&ids) {
            let body = world.body(*id).unwrap();
            let rise = body.velocity.z * body.velocity.z / (2.0 * 9.81);
            let highest = body.pose.translation().z - resting.height + rise;
            let state =
                format!("{} on {floor_name}: rises to {highest}, turns by {}", resting.name, body.angular_velocity);
            assert!((highest - 0.64).abs() < 1e-3 && body.velocity.z > 0.0, "{state}");
            assert!(body.angular_velocity.length() < 1e-6, "{state}");
        }
    }
}

#[test]
fn what_falls_askew_comes_to_rest_and_sleeps() {
    let askew = Quat::from_rotation_x(0.5) * Quat::from_rotation_y(0.3);
    let shapes: Vec<Resting> = shapes().into_iter().filter(|resting| resting.has_faces).collect();
    for floor_name in FLOORS {
        for response in [Response::SoftStep, Response::Auto] {
            let pose =
                |_: &Resting, place: Vec3| Pose::from_quaternion(askew.to_array(), place + Vec3::Z * 0.6).unwrap();
            let (mut world, ids) = drop_on(&flat_floor(floor_name), response, 0.0, &shapes, pose);
            for _ in 0..240 {
                world.step(DT).unwrap();
                for (resting, id) in shapes.iter().zip(&ids) {
                    let z = world.body(*id).unwrap().pose.translation().z;
                    assert!(z > 0.02, "{} on {floor_name}, {response:?}: {z}", resting.name);
                }
            }
            assert!(world.energy().kinetic < 0.05, "{floor_name}, {response:?}: {:?}", world.energy());
            for (resting, id) in shapes.iter().zip(&ids) {
                assert!(world.is_asleep(*id), "{} on {floor_name}, {response:?}: awake", resting.name);
            }
        }
    }
}

#[test]
fn a_mesh_flies_over_a_flat_mesh_without_touching_it() {
    for response in RESPONSES {
        let mut world = World::new(Settings { response, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
        world
            .insert(Body { friction: 0.0, restitution: 0.0, ..Body::fixed(flat_floor("height field"), Pose::IDENTITY) })
            .unwrap();
        let shape: Shape = MeshShape::new(generate::cuboid([0.5; 3]).unwrap()).unwrap().into();
        let mass = Mass::of_total(&shape, 1.0).unwrap();
        let pose = Pose::from_translation(Vec3::new(-2.03, 0.07, 0.501)).unwrap();
        let id = world.insert(Body { velocity: Vec3::X * 5.0, ..Body::dynamic(shape, pose, mass) }).unwrap();
        for step in 0..80 {
            world.step(0.01).unwrap();
            let body = world.body(id).unwrap();
            assert!(body.velocity.distance(Vec3::X * 5.0) < 1e-9, "{response:?}, step {step}: {}", body.velocity);
        }
    }
}
