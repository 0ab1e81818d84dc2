//! Bodies on surfaces that move: a lift that starts and stops, a turntable, a belt, a cloth, fingers that stop.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{
    Body, BodyId, Deformation, Detection, JointDesign, JointKind, Keyframes, Kind, Mass, Motor, Response, Settings,
    World,
};

const DT: f64 = 1.0 / 60.0;
const RESPONSES: [Response; 3] = [Response::ImpulseLcp, Response::SoftStep, Response::Auto];

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn world(response: Response, detection: Detection) -> World {
    World::new(Settings { response, detection, ..Settings::default() }).unwrap()
}

fn crate_at(pose: Pose) -> Body {
    let shape: Shape = Convex::cuboid(Vec3::splat(0.1)).unwrap().into();
    let mass = Mass::of_total(&shape, 1.0).unwrap();
    Body { restitution: 0.0, ..Body::dynamic(shape, pose, mass) }
}

fn plate() -> Convex {
    Convex::cuboid(Vec3::new(3.0, 3.0, 0.1)).unwrap()
}

fn place(world: &World, id: BodyId) -> Vec3 {
    world.body(id).unwrap().pose.translation()
}

/// The deepest overlap of all contacts, in metres.
fn deepest(world: &World) -> f64 {
    let contacts = world.contacts().iter().filter_map(|touch| touch.contact.as_ref());
    contacts.map(|contact| -contact.separation).fold(0.0, f64::max)
}

#[test]
fn a_crate_goes_with_a_lift_that_starts_and_stops() {
    for response in RESPONSES {
        for detection in [Detection::Discrete, Detection::Continuous] {
            // Also within a step.
            for start in [0.5, 0.505, 0.5166] {
                let mut world = world(response, detection);
                let keys = vec![
                    (0.0, at(0.0, 0.0, -0.1)),
                    (start, at(0.0, 0.0, -0.1)),
                    (start + 1.0, at(0.0, 0.0, 0.9)),
                    (start + 2.0, at(0.0, 0.0, 0.9)),
                ];
                let lift = Body::scripted(plate(), Keyframes::new(keys).unwrap());
                world.insert(Body { restitution: 0.0, ..lift }).unwrap();
                let load = world.insert(crate_at(at(0.0, 0.0, 0.1))).unwrap();
                let (mut overlap, mut highest, mut before) = (0.0f64, 0.0f64, 0.1);
                let mut largest_step = 0.0f64;
                while world.time() < start + 1.9 {
                    world.step(DT).unwrap();
                    let height = place(&world, load).z;
                    largest_step = largest_step.max((height - before).abs());
                    (overlap, highest, before) = (overlap.max(deepest(&world)), highest.max(height), height);
                }
                let what = format!("{response:?}, {detection:?}, {start}");
                assert!(overlap < 1e-3, "{what}: overlap {overlap}");
                assert!(largest_step < 1.02 * DT, "{what}: {largest_step} in a step");
                // At 1 m/s it flies on by v²/2g. A key within a soft step acts from its start.
                let late = if response == Response::SoftStep && start == 0.505 { DT } else { 0.0 };
                let error = highest - 1.1 - 0.5 / 9.81;
                assert!(-2e-3 - late < error && error < 2e-3, "{what}: {highest}");
                assert!((before - 1.1).abs() < 1e-3, "{what}: {before}");
            }
        }
    }
}

#[test]
fn a_crate_stays_where_it_stands_on_a_turntable() {
    for response in RESPONSES {
        for detection in [Detection::Discrete, Detection::Continuous] {
            let mut world = world(response, detection);
            // Half of the acceleration with which it would slip.
            let rate = (0.5 * 9.81 / (2.0 * 0.5f64)).sqrt();
            let table = Body::kinematic(plate(), at(0.0, 0.0, -0.1));
            world.insert(Body { angular_velocity: Vec3::Z * rate, ..table }).unwrap();
            let velocity = Vec3::Y * (0.5 * rate);
            let load = Body { velocity, angular_velocity: Vec3::Z * rate, ..crate_at(at(0.5, 0.0, 0.1)) };
            let load = world.insert(load).unwrap();
            for _ in 0..3600 {
                world.step(DT).unwrap();
            }
            let radius = place(&world, load).truncate().length();
            assert!((radius - 0.5).abs() < 5e-3, "{response:?}, {detection:?}: {radius}");
        }
    }
}

#[test]
fn a_belt_carries_what_lies_on_it() {
    for response in RESPONSES {
        for pose in [at(0.0, 0.0, -0.1), Pose::from_quaternion([0.0, 0.0, 1.0, 0.0], Vec3::Z * -0.1).unwrap()] {
            let mut world = world(response, Detection::Continuous);
            let along = Vec3::X;
            let belt = Body::fixed(plate(), pose);
            world.insert(Body { surface_velocity: Some(Vec3::new(0.5, 0.0, 0.3).into()), ..belt }).unwrap();
            let load = world.insert(crate_at(at(0.0, 0.0, 0.1))).unwrap();
            for _ in 0..180 {
                world.step(DT).unwrap();
            }
            let body = world.body(load).unwrap();
            assert!((body.velocity - along * 0.5).length() < 1e-6, "{response:?}: {}", body.velocity);
            // It slips until it goes with the belt: v²/(2µg) behind.
            let distance = 0.5 * 3.0 - 0.25 / (2.0 * 0.5 * 9.81);
            let moved = body.pose.translation().dot(along);
            assert!(
                (moved - distance).abs() < 0.5 * DT && !world.is_asleep(load),
                "{response:?}: {moved} of {distance}"
            );
            assert!((body.pose.translation().z - 0.1).abs() < 1e-3, "{response:?}");
        }
    }
}

#[test]
fn a_sheet_that_rises_by_its_vertices_lifts_what_lies_on_it() {
    let flat = |z: f64| [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, z)).to_vec();
    for response in RESPONSES {
        let mut world = world(response, Detection::Continuous);
        let sheet = TriMesh::new(flat(0.0), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let keys = vec![(0.0, flat(0.0)), (0.2, flat(0.0)), (1.2, flat(0.5)), (1.5, flat(0.5))];
        let rises = Kind::Soft(Deformation::keyed(keys).unwrap().into());
        let sheet =
            Body { kind: rises, restitution: 0.0, ..Body::soft(MeshShape::new(sheet).unwrap(), Pose::IDENTITY) };
        world.insert(sheet).unwrap();
        let load = world.insert(crate_at(at(0.0, 0.0, 0.1))).unwrap();
        let mut overlap = 0.0f64;
        while world.time() < 1.15 {
            world.step(DT).unwrap();
            overlap = overlap.max(deepest(&world));
        }
        let (height, right) = (place(&world, load).z, 0.1 + 0.5 * (world.time() - 0.2));
        assert!((height - right).abs() < 2e-3 && overlap < 2e-3, "{response:?}: {height} of {right}, {overlap}");
    }
}

/// Two fingers that motors of 200 N drive towards each other along a palm, which moves at 0.23 m/s and stops. As it
/// stops at once, friction of a = 360 m/s² lets the box of 1 kg slide by v²/(2·a) = 0.07 mm at most.
#[test]
fn a_box_that_fingers_hold_stops_with_them() {
    for response in RESPONSES {
        let mut world = world(response, Detection::Continuous);
        let keys = vec![
            (0.0, at(0.0, 0.0, 0.5)),
            (0.5, at(0.0, 0.0, 0.5)),
            (1.5, at(0.0, 0.23, 0.5)),
            (2.0, at(0.0, 0.23, 0.5)),
        ];
        let palm = Convex::cuboid(Vec3::new(0.3, 0.03, 0.01)).unwrap();
        let palm = world.insert(Body::scripted(palm, Keyframes::new(keys).unwrap())).unwrap();
        for sign in [-1.0, 1.0] {
            let shape: Shape = Convex::cuboid(Vec3::new(0.01, 0.03, 0.07)).unwrap().into();
            let mass = Mass::of_total(&shape, 0.1).unwrap();
            let finger = Body::dynamic(shape, at(0.111 * sign, 0.0, 0.35), mass);
            let finger = world.insert(Body { friction: 0.9, restitution: 0.0, ..finger }).unwrap();
            let motor = Some(Motor { velocity: 0.1, max_force: 200.0 });
            let (anchor, axis) = (Vec3::new(0.111 * sign, 0.0, 0.5), Vec3::X * sign);
            let slider = JointDesign { b: Some(palm), ..JointDesign::new(JointKind::Slider, finger) };
            world.insert_joint(&JointDesign { anchor, axis, motor, limits: Some([0.0, 0.1]), ..slider }).unwrap();
        }
        let held = world.insert(Body { friction: 0.9, ..crate_at(at(0.0, 0.0, 0.35)) }).unwrap();
        let (mut grasped, mut farthest, mut last) = (None, 0.0f64, 0.0);
        for step in 0..118 {
            world.step(DT).unwrap();
            if step >= 28 {
                // Along x both fingers push equally: nothing holds it there.
                let held = (place(&world, held) - place(&world, palm)).reject_from(Vec3::X);
                last = (held - *grasped.get_or_insert(held)).length();
                farthest = farthest.max(last);
            }
        }
        // The friction of a soft step starts with that of the sub-step before, also after a jump of the velocity.
        let most = if response == Response::SoftStep { 2.5e-3 } else { 1e-4 };
        assert!(farthest < most && last < 1e-4, "{response:?}: {farthest} {last}");
    }
}
