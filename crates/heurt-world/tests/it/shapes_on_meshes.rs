//! Every convex shape on floors that are meshes, set down and dropped, with each response: it stands as on a half-space,
//! rebounds as high, and falls asleep.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, BodyId, Detection, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;
const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];

/// Floors of 6 m with their top at height 0: a sheet of two triangles, a height field, the top of a solid block.
fn floors() -> [Shape; 3] {
    let field = |cells: usize| {
        let side = 6.0 / cells as f64;
        let heights = vec![vec![0.0; cells + 1]; cells + 1];
        MeshShape::new(generate::height_field([-3.0, -3.0], [side, side], &heights).unwrap()).unwrap()
    };
    let block = generate::cuboid([3.0, 3.0, 0.5]).unwrap();
    let lowered = block.vertices().iter().map(|&vertex| vertex - Vec3::Z * 0.5).collect();
    let block = MeshShape::new(TriMesh::new(lowered, block.triangles().to_vec()).unwrap()).unwrap();
    [field(1).into(), field(40).into(), block.into()]
}

/// Shapes that stand on a face or lie on a side, with the height of their origin.
fn shapes() -> Vec<(&'static str, Shape, f64, Quat)> {
    let lying = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let turned = Quat::from_rotation_z(0.4);
    let cube = MeshShape::new(generate::cuboid([0.2; 3]).unwrap()).unwrap();
    vec![
        ("box", Convex::cuboid(Vec3::splat(0.2)).unwrap().into(), 0.2, turned),
        ("cylinder", Convex::cylinder(0.2, 0.2).unwrap().into(), 0.2, turned),
        ("cone", Convex::cone(0.2, 0.2).unwrap().into(), 0.2, turned),
        ("disc", Convex::cylinder(0.2, 0.03).unwrap().into(), 0.03, turned),
        ("capsule", Convex::capsule(0.1, 0.2).unwrap().into(), 0.1, lying),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.3, 0.2, 0.1)).unwrap().into(), 0.1, turned),
        ("mesh", cube.into(), 0.2, turned),
    ]
}

fn drop_on(floor: &Shape, shape: &Shape, response: Response, pose: Pose, restitution: f64) -> (World, BodyId) {
    let detection = Detection::Continuous;
    let mut world = World::new(Settings { response, detection, ..Settings::default() }).unwrap();
    world.insert(Body { restitution, friction: 0.6, ..Body::fixed(floor.clone(), Pose::IDENTITY) }).unwrap();
    let mass = Mass::of_total(shape, 1.0).unwrap();
    let body = Body { restitution, friction: 0.6, ..Body::dynamic(shape.clone(), pose, mass) };
    let id = world.insert(body).unwrap();
    (world, id)
}

#[test]
fn what_is_let_down_level_stands_level() {
    for (name, shape, height, rotation) in shapes() {
        for (number, floor) in floors().iter().enumerate() {
            for response in RESPONSES {
                let pose = Pose::from_quaternion(rotation.to_array(), Vec3::new(0.3, -0.2, height + 0.1)).unwrap();
                let (mut world, id) = drop_on(floor, &shape, response, pose, 0.0);
                let start = world.energy();
                for step in 0..120 {
                    world.step(DT).unwrap();
                    let energy = world.energy();
                    let gain = energy.kinetic + energy.potential - start.kinetic - start.potential;
                    assert!(gain < 1e-6, "{name} on {number}, {response:?}, step {step}: gains {gain} J");
                }
                let body = world.body(id).unwrap();
                let place = body.pose.translation();
                let state = format!("{name} on {number}, {response:?}: {place} {:?}", body.pose.rotation());
                assert!((place.z - height).abs() < 1e-3, "{state}");
                assert!(place.reject_from(Vec3::Z).distance(Vec3::new(0.3, -0.2, 0.0)) < 2e-3, "{state}");
                let up = *pose.rotation() * Vec3::Z;
                assert!((*body.pose.rotation() * Vec3::Z).distance(up) < 2e-3, "{state}");
            }
        }
    }
}

#[test]
fn what_falls_flat_rebounds_by_the_square_of_the_restitution() {
    for (name, shape, height, rotation) in shapes() {
        for (number, floor) in floors().iter().enumerate() {
            let pose = Pose::from_quaternion(rotation.to_array(), Vec3::new(0.3, -0.2, height + 1.0)).unwrap();
            let (mut world, id) = drop_on(floor, &shape, Response::ImpulseLcp, pose, 0.8);
            let (mut highest, mut has_fallen): (f64, bool) = (0.0, false);
            for _ in 0..60 {
                world.step(1.0 / 120.0).unwrap();
                let body = world.body(id).unwrap();
                has_fallen |= body.velocity.z > 0.0;
                if has_fallen {
                    let rise = body.velocity.z * body.velocity.z / (2.0 * 9.81);
                    highest = body.pose.translation().z - height + rise;
                    break;
                }
            }
            assert!((highest - 0.64).abs() < 1e-3, "{name} on {number}: rises to {highest}");
            assert!(world.body(id).unwrap().angular_velocity.length() < 1e-6, "{name} on {number}");
        }
    }
}

#[test]
fn what_falls_askew_comes_to_rest_and_sleeps() {
    let askew = Quat::from_rotation_x(0.5) * Quat::from_rotation_y(0.3);
    for (name, shape, _, _) in shapes().into_iter().filter(|(name, ..)| !["capsule", "ellipsoid"].contains(name)) {
        for (number, floor) in floors().iter().enumerate() {
            for response in [Response::SoftStep, Response::Auto] {
                let pose = Pose::from_quaternion(askew.to_array(), Vec3::new(0.3, -0.2, 0.6)).unwrap();
                let (mut world, id) = drop_on(floor, &shape, response, pose, 0.0);
                for _ in 0..360 {
                    world.step(DT).unwrap();
                    let z = world.body(id).unwrap().pose.translation().z;
                    assert!(z > 0.02, "{name} on {number}, {response:?}: {z}");
                }
                assert!(world.energy().kinetic < 0.05, "{name} on {number}, {response:?}: {:?}", world.energy());
            }
        }
    }
}

#[test]
fn a_mesh_flies_over_a_flat_mesh_without_touching_it() {
    for response in RESPONSES {
        let mut world = World::new(Settings { response, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
        world
            .insert(Body { friction: 0.0, restitution: 0.0, ..Body::fixed(floors()[1].clone(), Pose::IDENTITY) })
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
