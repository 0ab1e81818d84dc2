//! The first impact of a step: what a body hits within a step is reported with its time and normal, wherever the body
//! is as the step ends.

use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::overlap;
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric};
use heurt_world::{Body, ContactState, Deformation, Detection, Kind, Mass, Settings, World};
use std::sync::Arc;

const DT: f64 = 1.0 / 64.0;
/// Half the thickness of a plate.
const HALF: f64 = 0.05;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn mesh(mesh: TriMesh) -> Arc<MeshShape> {
    Arc::new(MeshShape::new(mesh).unwrap())
}

/// Plates of 10 × 10 × 0.1 m around the origin.
fn plates() -> Vec<(&'static str, Shape)> {
    let block = |x: f64| Convex::cuboid(Vec3::new(x, 5.0, HALF)).unwrap();
    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let halves = [(block(2.5).into(), at(-2.5, 0.0, 0.0)), (block(2.5).into(), at(2.5, 0.0, 0.0))];
    let flat = Superellipsoid::new([5.0, 5.0, HALF], 0.25, 0.25).unwrap();
    vec![
        ("box", block(5.0).into()),
        ("mesh", Shape::Mesh(mesh(generate::cuboid([5.0, 5.0, HALF]).unwrap()))),
        ("compound", Compound::new(halves).unwrap().into()),
        ("superellipsoid", Superquadric::Ellipsoid(flat).into()),
        ("rounded sheet", Shape::Rounded(Arc::new(RoundedMesh::new(mesh(sheet), HALF).unwrap()))),
    ]
}

fn soft_ball() -> (MeshShape, Deformation) {
    let ball = generate::icosphere(0.25, 1).unwrap();
    let wave = Deformation::wave(&ball, 0.0, 1.0);
    (MeshShape::new(ball).unwrap(), wave)
}

/// Bodies of about half a metre.
fn bodies() -> Vec<(&'static str, Shape)> {
    let ball = Convex::sphere(0.25).unwrap();
    let stick = Convex::capsule(0.1, 0.2).unwrap();
    let parts = [(stick.clone().into(), at(0.1, 0.0, 0.0)), (ball.clone().into(), Pose::IDENTITY)];
    vec![
        ("sphere", ball.into()),
        ("box", Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap().into()),
        ("hull", Convex::hull(generate::icosahedron(0.3).unwrap().vertices()).unwrap().into()),
        ("capsule", stick.into()),
        ("mesh", Shape::Mesh(mesh(generate::torus(0.25, 0.1, 10, 6).unwrap()))),
        ("compound", Compound::new(parts).unwrap().into()),
        ("superquadric", Superquadric::Toroid(Supertoroid::new(0.25, 0.1, 1.0, 1.0).unwrap()).into()),
        ("soft", soft_ball().0.into()),
    ]
}

/// The first time at which two bodies overlap that keep their rates, found by samples and bisection.
fn first_overlap(plate: &Body, body: &Body) -> f64 {
    let at = |body: &Body, time: f64| {
        Motion::screw(body.velocity, body.angular_velocity).unwrap().pose_at(&body.pose, time).unwrap()
    };
    let overlaps = |time: f64| overlap(&plate.shape, &at(plate, time), &body.shape, &at(body, time)).is_some();
    let samples = 64;
    let first = (0..=samples).map(|k| DT * f64::from(k) / f64::from(samples)).find(|&time| overlaps(time));
    let mut high = first.expect("they meet within the step");
    let mut low = high - DT / f64::from(samples);
    // To 0.15 µm at the fastest, 640 m/s: less than a hundredth of the 4e-5 m that is allowed. Each overlap with a
    // superellipsoid takes milliseconds.
    for _ in 0..20 {
        let middle = low.midpoint(high);
        if overlaps(middle) { high = middle } else { low = middle }
    }
    high
}

/// How bodies meet: by how much in a step, whether the body turns, whether it is the plate that moves.
const RUNS: [(f64, bool, bool); 4] =
    [(0.05, false, false), (0.05, false, true), (0.5, true, false), (10.0, true, false)];

/// A plate and a body above it, one of which comes nearer.
fn approaching(plate: &Shape, name: &str, shape: &Shape, run: (f64, bool, bool), number: usize) -> [Body; 2] {
    let (path, turns, is_plate) = run;
    let lowest = ShapeRef::from(shape).bounds_at(&Pose::IDENTITY).min.z;
    let pose = at(0.3, 0.2, HALF - lowest + 0.3 * path);
    let body = match (name, number % 2) {
        ("soft", _) => Body { kind: Kind::Soft(soft_ball().1.into()), ..Body::fixed(shape.clone(), pose) },
        // A ball keeps its rate, as all kinematic bodies do.
        ("sphere", _) => Body::dynamic(shape.clone(), pose, Mass::of_density(shape, 500.0).unwrap()),
        _ => Body::kinematic(shape.clone(), pose),
    };
    // The vertices of a soft body go straight.
    let spin = if turns && name != "soft" { Vec3::new(6.0, -9.0, 4.0) } else { Vec3::ZERO };
    let velocity = Vec3::new(1.0, 0.5, -path / DT);
    if is_plate {
        return [Body { velocity: -velocity, ..Body::kinematic(plate.clone(), Pose::IDENTITY) }, body];
    }
    [Body::fixed(plate.clone(), Pose::IDENTITY), Body { velocity, angular_velocity: spin, ..body }]
}

/// Lets every body meet the plates of these names. Returns how many pairs overlap as the step ends.
fn meet_plates(names: &[&str]) -> usize {
    let settings = Settings { gravity: Vec3::ZERO, detection: Detection::Continuous, ..Settings::default() };
    let mut overlapping_at_the_end = 0;
    for (plate_name, plate) in plates().into_iter().filter(|(name, _)| names.contains(name)) {
        for (number, (name, shape)) in bodies().into_iter().enumerate() {
            for run in RUNS {
                let what = format!("{name} on {plate_name}, {run:?}");
                let [fixed, body] = approaching(&plate, name, &shape, run, number);
                let expected = first_overlap(&fixed, &body);
                let mut world = World::new(settings).unwrap();
                let is_first = number % 3 == 0;
                for one in if is_first { [&body, &fixed] } else { [&fixed, &body] } {
                    world.insert(one.clone()).unwrap();
                }
                world.step(DT).unwrap();
                assert!(world.unproven().is_empty(), "{what}");
                let [touch] = world.contacts() else { panic!("{what}: {:?}", world.contacts()) };
                let [met] = world.contact_motions(touch)[..] else { panic!("{what}: {touch:?}") };
                let time = met.time.unwrap_or_else(|| panic!("{what}: {met:?}"));
                assert_eq!(met.approach, ContactState::Colliding, "{what}: {met:?}");
                // From A to B: up where the plate is A.
                let up = if is_first { -met.normal.z } else { met.normal.z };
                assert!(up > 0.99, "{what}: {met:?}");
                assert!(time <= expected, "{what}: {time} is later than {expected}");
                let speed = (body.velocity - fixed.velocity).length() + body.angular_velocity.length() * 0.5;
                assert!((expected - time) * speed <= 4e-5, "{what}: {time} is long before {expected}");
                overlapping_at_the_end += usize::from(touch.contact.is_some());
            }
        }
    }
    overlapping_at_the_end
}

// One test a group of plates: they take most of the time of all tests of the crate, so they run side by side.
#[test]
fn bodies_of_any_kind_meet_a_plate_of_any_kind_where_they_first_touch_it() {
    let count = meet_plates(&["box", "mesh", "compound"]);
    assert!(count > 24, "{count}");
}

#[test]
fn bodies_of_any_kind_meet_a_superellipsoid_where_they_first_touch_it() {
    let count = meet_plates(&["superellipsoid"]);
    assert!(count > 8, "{count}");
}

#[test]
fn bodies_of_any_kind_meet_a_rounded_sheet_where_they_first_touch_it() {
    let count = meet_plates(&["rounded sheet"]);
    assert!(count > 8, "{count}");
}

#[test]
fn a_body_past_the_middle_of_a_plate_as_the_step_ends_collides_with_its_near_side() {
    // Report 39: 60 m/s, a plate of 0.1 m, past the middle as the step ends.
    let settings = Settings { gravity: Vec3::ZERO, detection: Detection::Continuous, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    world.insert(Body::fixed(Convex::cuboid(Vec3::new(5.0, 5.0, 0.05)).unwrap(), Pose::IDENTITY)).unwrap();
    let ball = Body::kinematic(Convex::sphere(0.5).unwrap(), at(0.0, 0.0, 0.8));
    world.insert(Body { velocity: Vec3::Z * -60.0, ..ball }).unwrap();
    world.step(1.0 / 60.0).unwrap();
    let touch = &world.contacts()[0];
    assert!(touch.contact.as_ref().is_some_and(|contact| contact.normal.z < 0.0), "as it is at the end: {touch:?}");
    let [met] = world.contact_motions(touch)[..] else { panic!("{touch:?}") };
    assert_eq!((met.approach, met.normal), (ContactState::Colliding, Vec3::Z));
    let expected = 0.25 / 60.0;
    assert!(met.time.is_some_and(|time| time <= expected && expected - time < 1e-6), "{met:?}");
    assert!((met.normal_velocity + 60.0).abs() < 1e-9 && (met.point - Vec3::Z * 0.05).length() < 1e-4, "{met:?}");
    // It touched before: from now on there are contact points.
    world.step(1e-4).unwrap();
    let touch = &world.contacts()[0];
    assert!(world.contact_motions(touch).iter().all(|met| met.time.is_none()) && touch.impact.is_none(), "{touch:?}");
}

#[test]
fn bodies_that_are_put_into_each_other_have_no_first_impact() {
    let settings = Settings { gravity: Vec3::ZERO, detection: Detection::Continuous, ..Settings::default() };
    let ball = || Convex::sphere(0.5).unwrap();
    let mut world = World::new(settings).unwrap();
    world.insert(Body::fixed(ball(), Pose::IDENTITY)).unwrap();
    world.insert(Body { velocity: Vec3::X, ..Body::kinematic(ball(), at(0.5, 0.0, 0.0)) }).unwrap();
    world.step(DT).unwrap();
    let touch = &world.contacts()[0];
    let [met] = world.contact_motions(touch)[..] else { panic!("{touch:?}") };
    assert_eq!((met.approach, met.time), (ContactState::Separating, None), "{met:?}");
}
