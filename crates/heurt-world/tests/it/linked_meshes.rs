//! Linkages held by their geometry alone, mesh in mesh: a pin in an eye, a double pendulum of such joints, a slider
//! crank, a chain of closed links. No part leaves the next one.

use crate::support::at;
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_shape::{Convex, MeshShape};
use heurt_solid::{SetOperation, SolidMesh, combine};
use heurt_world::{Body, BodyId, Detection, JointDesign, JointKind, Mass, Motor, Response, Settings, World};
use std::f64::consts::TAU;

const DT: f64 = 1.0 / 60.0;
const SEGMENTS: u32 = 24;

/// Radius of the pins, and of the holes: they move 5 mm in them, in metres.
const PIN: f64 = 0.03;
const HOLE: f64 = 0.035;
const EYE: f64 = 0.065;
const HEAD: f64 = 0.05;
/// Half the thickness of an eye, in metres.
const HALF: f64 = 0.015;

/// Turns the z axis of a mesh into the y axis, and moves it.
fn along_y(mesh: &TriMesh, offset: Vec3) -> TriMesh {
    let turned = |v: &Vec3| Vec3::new(v.x, v.z, -v.y) + offset;
    let vertices = mesh.vertices().iter().map(turned).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

/// A rod of circular section along y, between two heights, at a place on the x axis.
fn disc(x: f64, [from, to]: [f64; 2], radius: f64) -> TriMesh {
    let mesh = generate::cylinder(radius, 0.5 * (to - from), SEGMENTS).unwrap();
    along_y(&mesh, Vec3::new(x, 0.5 * (from + to), 0.0))
}

fn bar([from, to]: [f64; 2]) -> TriMesh {
    let mesh = generate::cuboid([0.5 * (to - from), 0.012, 0.012]).unwrap();
    along_y(&mesh, Vec3::X * (0.5 * (from + to)))
}

fn united(parts: Vec<TriMesh>) -> TriMesh {
    let unite = |a: TriMesh, b: TriMesh| apply(&a, &b, SetOperation::Union);
    parts.into_iter().reduce(unite).expect("a part")
}

fn apply(a: &TriMesh, b: &TriMesh, operation: SetOperation) -> TriMesh {
    let [a, b] = [a, b].map(|mesh| SolidMesh::new(mesh).unwrap());
    combine(&a, &b, operation).unwrap().mesh.expect("not empty")
}

fn with_hole(solid: &TriMesh, x: f64) -> TriMesh {
    apply(solid, &disc(x, [-1.0, 1.0], HOLE), SetOperation::Difference)
}

/// A pin with a head, at a place on the x axis, from the plate of its body to a height.
fn pin(x: f64) -> Vec<TriMesh> {
    vec![disc(x, [-HALF, HALF], HEAD), disc(x, [0.0, 0.09], PIN), disc(x, [0.075, 0.09], HEAD)]
}

fn shape(solid: &TriMesh) -> MeshShape {
    MeshShape::new(solid.clone()).unwrap()
}

/// A rod from an eye at its origin to an eye or to a pin.
fn rod(length: f64, has_pin: bool) -> MeshShape {
    let mut parts = vec![disc(0.0, [-HALF, HALF], EYE), bar([0.045, length - 0.045])];
    parts.extend(if has_pin { pin(length) } else { vec![disc(length, [-HALF, HALF], EYE)] });
    let rod = with_hole(&united(parts), 0.0);
    shape(&if has_pin { rod } else { with_hole(&rod, length) })
}

/// A pin with a head on both sides.
fn bolt() -> MeshShape {
    let mut parts = vec![disc(0.0, [-0.03, 0.03], PIN)];
    parts.extend([-0.04, 0.025].map(|from| disc(0.0, [from, from + HALF], HEAD)));
    shape(&united(parts))
}

fn world(response: Response) -> World {
    World::new(Settings { response, detection: Detection::Continuous, ..Settings::default() }).unwrap()
}

fn insert(world: &mut World, shape: MeshShape, pose: Pose, mass: f64) -> BodyId {
    let mass = Mass::of_total(&shape.clone().into(), mass).unwrap();
    world.insert(Body { friction: 0.1, ..Body::dynamic(shape, pose, mass) }).unwrap()
}

/// Asserts that the eye at a place of one body is about the pin at a place of another: across the axis of the pin no
/// farther from it than the play and a tenth of its radius, along it between the heads.
fn assert_held(world: &World, [(of_eye, eye), (of_pin, pin)]: [(BodyId, Vec3); 2], label: &str) {
    let place = |id: BodyId, at: Vec3| world.body(id).unwrap().pose.place(at);
    let axis = world.body(of_pin).unwrap().pose.rotation().y_axis;
    let between = place(of_eye, eye) - place(of_pin, pin);
    let along = axis.dot(between);
    let across = (between - axis * along).length();
    assert!(across < HOLE - PIN + 0.1 * PIN && along.abs() < 0.03, "{label}: {across} across, {along} along the pin");
}

fn hold_an_eye(response: Response, seconds: f64) {
    let mut world = world(response);
    let bolt = world.insert(Body { friction: 0.1, ..Body::fixed(bolt(), Pose::IDENTITY) }).unwrap();
    let rod = insert(&mut world, rod(0.4, false), at(0.0, 0.0, -0.0045), 1.0);
    for step in 0..(seconds / DT) as u32 {
        world.step(DT).unwrap();
        assert_held(&world, [(rod, Vec3::ZERO), (bolt, Vec3::ZERO)], &format!("{response:?} step {step}"));
    }
}

fn hold_a_double_pendulum(response: Response, seconds: f64) {
    let mut world = world(response);
    let bolt = world.insert(Body { friction: 0.1, ..Body::fixed(bolt(), Pose::IDENTITY) }).unwrap();
    let upper = insert(&mut world, rod(0.4, true), at(0.0, 0.0, -0.0045), 1.0);
    let lower = insert(&mut world, rod(0.4, false), at(0.4, 0.045, -0.009), 1.0);
    for step in 0..(seconds / DT) as u32 {
        world.step(DT).unwrap();
        let label = format!("{response:?} step {step}");
        assert_held(&world, [(upper, Vec3::ZERO), (bolt, Vec3::ZERO)], &label);
        assert_held(&world, [(lower, Vec3::ZERO), (upper, Vec3::new(0.4, 0.045, 0.0))], &label);
    }
}

/// A wheel on a motor of one turn a second, a rod, a block between four plates.
fn drive_a_piston(response: Response, seconds: f64) {
    const CRANK: f64 = 0.1;
    let mut world = world(response);
    let wheel = united(std::iter::once(disc(0.0, [-HALF, HALF], 0.15)).chain(pin(CRANK)).collect());
    let crank = insert(&mut world, shape(&wheel), at(0.0, 0.0, 0.0), 5.0);
    let rod = insert(&mut world, rod(0.4, false), at(CRANK, 0.045, 0.0), 0.5);
    let block = along_y(&generate::cuboid([0.06, 0.06, HALF]).unwrap(), Vec3::ZERO);
    let piston = insert(
        &mut world,
        shape(&united(std::iter::once(block).chain(pin(0.0)).collect())),
        at(CRANK + 0.4, 0.0, 0.0),
        1.0,
    );
    for (half, middle) in [
        (Vec3::new(0.3, HALF, 0.02), Vec3::new(0.5, 0.0, 0.0805)),
        (Vec3::new(0.3, HALF, 0.02), Vec3::new(0.5, 0.0, -0.0805)),
        (Vec3::new(0.3, 0.02, 0.06), Vec3::new(0.5, 0.1105, 0.0)),
        (Vec3::new(0.3, 0.02, 0.06), Vec3::new(0.5, -0.0355, 0.0)),
    ] {
        let plate = Body::fixed(Convex::cuboid(half).unwrap(), at(middle.x, middle.y, middle.z));
        world.insert(Body { friction: 0.1, ..plate }).unwrap();
    }
    let hinge = JointDesign { anchor: Vec3::ZERO, axis: Vec3::Y, ..JointDesign::new(JointKind::Hinge, crank) };
    let motor = Motor { velocity: TAU, max_force: 100.0 };
    world.insert_joint(&JointDesign { motor: Some(motor), ..hinge }).unwrap();
    let mut reach = [f64::INFINITY, f64::NEG_INFINITY];
    for step in 0..(seconds / DT) as u32 {
        world.step(DT).unwrap();
        let label = format!("{response:?} step {step}");
        assert_held(&world, [(rod, Vec3::ZERO), (crank, Vec3::new(CRANK, 0.045, 0.0))], &label);
        assert_held(&world, [(rod, Vec3::X * 0.4), (piston, Vec3::Y * 0.045)], &label);
        let x = world.body(piston).unwrap().pose.translation().x;
        reach = [reach[0].min(x), reach[1].max(x)];
    }
    // The stroke is twice the crank, up to the play of both pins.
    assert!((reach[1] - reach[0] - 2.0 * CRANK).abs() < 4.0 * (HOLE - PIN), "{reach:?}");
}

/// Ten links on a fixed one, hung askew, each through the next.
fn hold_a_chain(response: Response, seconds: f64) {
    const PITCH: f64 = 0.118;
    let ring = MeshShape::new(generate::torus(0.08, 0.02, 24, 12).unwrap()).unwrap();
    let mut world = world(response);
    let tilt = Quat::from_rotation_y(TAU / 6.0);
    let along = tilt * Vec3::X;
    let mut links = Vec::new();
    for link in 0..11 {
        let turn = if link % 2 == 1 { Quat::from_rotation_x(TAU / 4.0) } else { Quat::IDENTITY };
        let pose = Pose::from_quaternion((tilt * turn).to_array(), along * (PITCH * f64::from(link))).unwrap();
        links.push(match link {
            0 => world.insert(Body { friction: 0.1, ..Body::fixed(ring.clone(), pose) }).unwrap(),
            _ => insert(&mut world, ring.clone(), pose, 0.1),
        });
    }
    for step in 0..(seconds / DT) as u32 {
        world.step(DT).unwrap();
        for pair in links.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|id| world.body(id).unwrap().pose.translation());
            // Two links of inner radius 0.06 m that touch are 0.12 m from each other.
            assert!((b - a).length() < 0.12 + 0.1 * PIN, "{response:?} step {step}: {}", (b - a).length());
        }
    }
}

#[test]
fn an_eye_swings_on_a_pin() {
    hold_an_eye(Response::ImpulseLcp, 0.5);
    hold_an_eye(Response::Auto, 1.0);
}

#[test]
fn a_double_pendulum_of_eyes_and_pins_holds() {
    hold_a_double_pendulum(Response::Auto, 0.5);
}

#[test]
fn a_crank_drives_a_piston_by_a_rod() {
    drive_a_piston(Response::Auto, 0.55);
}

#[test]
fn a_chain_of_closed_links_holds() {
    hold_a_chain(Response::Auto, 0.2);
}

#[test]
#[ignore = "twelve minutes: cargo test --test it --package heurt-world -- --ignored linkages_hold_for_ten_seconds"]
fn linkages_hold_for_ten_seconds() {
    hold_an_eye(Response::Auto, 10.0);
    hold_a_double_pendulum(Response::Auto, 10.0);
    drive_a_piston(Response::Auto, 10.0);
    hold_a_chain(Response::Auto, 10.0);
}
