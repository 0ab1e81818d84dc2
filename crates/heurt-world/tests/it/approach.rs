//! Whether bodies come nearer where they touch, rest, or part: cases by hand.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_shape::{Convex, MeshShape};
use heurt_world::{
    Body, ContactMotion, ContactState, Deformation, Detection, Keyframes, Kind, MAX_TURN, Mass, Settings,
    StepMotionError, World, WorldError,
};

const DT: f64 = 1.0 / 64.0;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn world(detection: Detection, bodies: impl IntoIterator<Item = Body>) -> World {
    let mut world = World::new(Settings { detection, ..Settings::default() }).unwrap();
    bodies.into_iter().for_each(|body| {
        world.insert(body).unwrap();
    });
    world
}

/// The only place where two of a world touch.
fn only(world: &World) -> ContactMotion {
    let [touch] = world.contacts() else { panic!("{:?}", world.contacts()) };
    let [meeting] = world.contact_motions(touch)[..] else { panic!("{touch:?}") };
    assert!((meeting.normal.length() - 1.0).abs() < 1e-12, "{meeting:?}");
    meeting
}

#[test]
fn a_body_rests_at_speeds_that_gravity_along_the_normal_explains() {
    let ball = || Convex::sphere(0.5).unwrap();
    let fall = 9.81 * DT;
    for (speed, kinematic, dynamic) in [
        (-2.0, ContactState::Colliding, ContactState::Colliding),
        (-0.5 * fall, ContactState::Colliding, ContactState::Resting),
        (0.0, ContactState::Resting, ContactState::Resting),
        (0.5 * fall, ContactState::Separating, ContactState::Resting),
        (2.0, ContactState::Separating, ContactState::Separating),
    ] {
        let mass = Mass::of_density(&ball().into(), 1.0).unwrap();
        for (mover, gain, expected) in [
            (Body::kinematic(ball(), at(0.0, 0.0, 0.9)), 0.0, kinematic),
            (Body::dynamic(ball(), at(0.0, 0.0, 0.9), mass), fall, dynamic),
        ] {
            let still = Body::fixed(ball(), at(0.0, 0.0, 0.0));
            let velocity = Vec3::Z * (speed + gain);
            let mut world = world(Detection::Discrete, [still, Body { velocity, ..mover }]);
            world.step(DT).unwrap();
            let met = only(&world);
            assert_eq!((met.approach, met.time), (expected, None), "{speed}: {met:?}");
            assert!((met.normal_velocity - speed).abs() < 1e-9, "{speed}: {met:?}");
        }
    }
}

#[test]
fn bodies_that_fall_together_collide_at_any_speed_of_approach() {
    let ball = || Convex::sphere(0.5).unwrap();
    let mass = Mass::of_density(&ball().into(), 1.0).unwrap();
    let falling =
        |x: f64, speed: f64| Body { velocity: Vec3::X * speed, ..Body::dynamic(ball(), at(x, 0.0, 0.0), mass) };
    let mut world = world(Detection::Discrete, [falling(0.0, 0.0), falling(0.99, -0.15)]);
    for _ in 0..12 {
        world.step(DT).unwrap();
        assert_eq!(only(&world).approach, ContactState::Colliding);
    }
}

/// A triangle that is lifted at 4 m/s.
fn lifted() -> Body {
    let corners = |z: f64| vec![Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, -1.0, z), Vec3::new(0.0, 1.0, z)];
    let mesh = TriMesh::new(corners(-1.0), vec![[0, 1, 2]]).unwrap();
    let deformation = Deformation::keyed(vec![(0.0, corners(-1.0)), (0.5, corners(1.0)), (1.0, corners(1.0))]).unwrap();
    let kind = Kind::Soft(deformation.into());
    Body { kind, ..Body::fixed(MeshShape::new(mesh).unwrap(), Pose::IDENTITY) }
}

#[test]
fn what_deforms_comes_nearer_as_its_vertices_do() {
    let block = |z: f64| Body::fixed(Convex::cuboid(Vec3::splat(0.25)).unwrap(), at(0.0, 0.0, z));
    let mut world = world(Detection::Discrete, [lifted(), block(0.25)]);
    let mut seen = [0; 2];
    for step in 1..64 {
        world.step(DT).unwrap();
        let Some(touch) = world.contacts().first() else { continue };
        let (time, lifts) = (world.time(), world.time() <= 0.5);
        for met in world.contact_motions(touch) {
            let speed = if lifts { 4.0 * met.normal.z.abs() } else { 0.0 };
            assert!((met.normal_velocity.abs() - speed).abs() < 1e-9, "step {step}, {time} s: {met:?}");
            seen[usize::from(lifts)] += 1;
        }
    }
    assert!(seen[1] > 5, "{seen:?}");
}

/// At the end of the step they go elsewhere.
#[test]
fn who_touches_on_the_way_is_judged_by_the_speeds_there() {
    let block = || Body::fixed(Convex::cuboid(Vec3::splat(0.01)).unwrap(), Pose::IDENTITY);
    let keys = vec![(0.0, at(0.0, 0.0, 1.0)), (0.005, at(0.0, 0.0, -1.0)), (0.01, at(0.0, 0.0, 1.0))];
    let swing = Body::scripted(Convex::sphere(0.1).unwrap(), Keyframes::new(keys).unwrap());
    assert_eq!(swing.velocity, Vec3::Z * -400.0, "a script tells how fast its body begins");
    let mut hit = world(Detection::Continuous, [block(), swing]);
    hit.step(0.01).unwrap();
    let met = only(&hit);
    assert!((met.normal_velocity + 400.0).abs() < 1e-6 && met.approach == ContactState::Colliding, "{met:?}");
    assert!((met.time.unwrap() - 0.89 / 400.0).abs() < 1e-6 && met.normal.z > 0.999, "{met:?}");
    let mut swept = world(Detection::Continuous, [block(), lifted()]);
    swept.step(0.75).unwrap();
    let met = only(&swept);
    // In so long a step the vertices go straight from its start to its end.
    assert!((met.normal_velocity + 2.0 / 0.75).abs() < 1e-6 && met.approach == ContactState::Colliding, "{met:?}");
}

#[test]
fn points_in_one_place_have_a_normal() {
    for velocity in [Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0)] {
        let still = Body::fixed(Convex::point(), Pose::IDENTITY);
        let start = Pose::from_translation(-velocity * DT).unwrap();
        let mover = Body { velocity, ..Body::kinematic(Convex::point(), start) };
        for detection in [Detection::Discrete, Detection::Continuous] {
            let mut world = world(detection, [still.clone(), mover.clone()]);
            world.step(DT).unwrap();
            let met = only(&world);
            assert_eq!(met.normal_velocity, met.normal.dot(velocity), "{met:?}");
        }
    }
    // They pass each other.
    let fast = Body { velocity: Vec3::X * 128.0, ..Body::kinematic(Convex::point(), at(-1.0, 0.0, 0.0)) };
    let mut world = world(Detection::Continuous, [Body::fixed(Convex::point(), Pose::IDENTITY), fast]);
    world.step(DT).unwrap();
    let met = only(&world);
    assert_eq!(met.approach, ContactState::Colliding, "{met:?}");
}

#[test]
fn who_overlaps_at_the_start_is_told_before_the_first_step() {
    let ball = || Convex::sphere(0.5).unwrap();
    let bodies = [Body::fixed(ball(), Pose::IDENTITY), Body::kinematic(ball(), at(0.5, 0.0, 0.0))];
    let mut world = world(Detection::Continuous, bodies);
    let report = world.refresh_contacts().unwrap();
    assert_eq!((report.pairs, report.touching, world.steps(), world.time()), (1, 1, 0, 0.0));
    assert_eq!((world.events().begun.len(), only(&world).approach), (1, ContactState::Resting));
    world.step(DT).unwrap();
    assert_eq!((world.events().begun.len(), world.events().persisting), (0, 1));
    assert_eq!(world.contacts()[0].impact, None, "they touched before");
}

#[test]
fn who_turns_too_fast_to_be_told_is_refused() {
    let slab = || Convex::cuboid(Vec3::new(1.0, 0.1, 0.1)).unwrap();
    let spinning = |turn: f64| {
        let angular_velocity = Vec3::Z * (turn / DT);
        let near = Body::fixed(Convex::sphere(0.1).unwrap(), at(0.0, 1.11, 0.0));
        [near, Body { angular_velocity, ..Body::kinematic(slab(), Pose::IDENTITY) }]
    };
    // The corners come to 1.005 m: 5 mm are left.
    let mut allowed = world(Detection::Continuous, spinning(0.9 * MAX_TURN));
    allowed.step(DT).unwrap();
    assert!(allowed.contacts().is_empty() || !allowed.unproven().is_empty(), "{:?}", allowed.contacts());
    let mut refused = world(Detection::Continuous, spinning(1.1 * MAX_TURN));
    let before = refused.state_hash();
    let error = refused.step(DT).unwrap_err();
    assert!(matches!(error, WorldError::Flight { source: StepMotionError::Turns, .. }), "{error}");
    assert_eq!((refused.state_hash(), refused.steps()), (before, 0));
    world(Detection::Discrete, spinning(1.1 * MAX_TURN)).step(DT).unwrap();
}
