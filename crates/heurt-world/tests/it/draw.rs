//! Drawing of worlds: boxes, contacts by kind, impulses by their size.

use heurt_geometry::{Draw, Meaning, Pose, Vec3};
use heurt_mesh::generate;
use heurt_shape::{Convex, MeshShape};
use heurt_testkit::drawing::Drawing;
use heurt_world::{Body, BroadPhaseKind, Detection, JointDesign, JointKind, Mass, Response, Settings, World};

fn pose(at: Vec3) -> Pose {
    Pose::from_translation(at).unwrap()
}

/// A floor, and a ball of radius 0.5 that touches it and moves with a velocity, without gravity.
fn touching(velocity: Vec3) -> World {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    let ball = Body::kinematic(Convex::sphere(0.5).unwrap(), pose(Vec3::Z * 0.499));
    world.insert(Body { velocity, ..ball }).unwrap();
    world.step(1e-3).unwrap();
    world
}

#[test]
fn contacts_have_the_meaning_of_their_kind() {
    let kinds =
        [(Vec3::Z * -0.1, Meaning::Colliding), (Vec3::X * 0.1, Meaning::Resting), (Vec3::Z * 0.1, Meaning::Separating)];
    for (velocity, meaning) in kinds {
        let world = touching(velocity);
        let drawing = Drawing::of(&world);
        assert_eq!(drawing.points.len(), 1);
        assert_eq!(drawing.points[0].1, meaning);
        let normals: Vec<_> = drawing.lines.iter().filter(|(_, meaning)| *meaning == Meaning::Normal).collect();
        assert_eq!(normals.len(), 1);
        let [from, to] = normals[0].0;
        assert_eq!(from, drawing.points[0].0);
        assert!((to - from).distance(Vec3::Z * 0.125) < 1e-9, "from A to B, a quarter of the radius");
        assert_eq!(drawing.lines_of(Meaning::Impulse), 0, "without a response");
        assert_eq!(drawing, Drawing::of(&world));
    }
}

#[test]
fn the_view_draws_boxes_only_and_leaves_unbounded_ones_out() {
    let world = touching(Vec3::ZERO);
    let drawing = Drawing::of(world.view());
    // The half-space has a normal along an axis, and is still unbounded.
    assert_eq!(drawing.lines_of(Meaning::Bounds), 12);
    assert!(drawing.points.is_empty());
    assert!(drawing.places().iter().all(|end| end.abs().max_element() < 1.1));
    let empty = World::new(Settings::default()).unwrap();
    assert_eq!(Drawing::of(&empty), Drawing::default());
}

#[test]
fn impulses_are_relative_to_the_largest() {
    let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() }).unwrap();
    world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY)).unwrap();
    for (x, mass) in [(0.0, 2.0), (5.0, 1.0)] {
        let ball = Convex::sphere(0.5).unwrap();
        let mass = Mass::of_total(&ball.clone().into(), mass).unwrap();
        world.insert(Body::dynamic(ball, pose(Vec3::new(x, 0.0, 0.5)), mass)).unwrap();
    }
    world.step(0.01).unwrap();
    let drawing = Drawing::of(&world);
    let impulses: Vec<Vec3> =
        drawing.lines.iter().filter(|(_, m)| *m == Meaning::Impulse).map(|([a, b], _)| *b - *a).collect();
    assert_eq!(impulses.len(), 2);
    assert!(impulses[0].distance(Vec3::Z * 0.25) < 1e-9, "{}", impulses[0]);
    assert!(impulses[1].distance(Vec3::Z * 0.125) < 1e-9, "half the mass, half the impulse");
}

#[test]
fn the_structure_of_the_broad_phase_is_drawn() {
    for kind in BroadPhaseKind::ALL {
        let mut world = World::new(Settings { broad_phase: kind, ..Settings::default() }).unwrap();
        for k in 0..10 {
            let ball = Body::kinematic(Convex::sphere(0.5).unwrap(), pose(Vec3::X * f64::from(2 * k)));
            world.insert(ball).unwrap();
        }
        world.step(0.01).unwrap();
        let structure: &dyn Draw = world.view().broad_phase_structure();
        assert!(!Drawing::of(structure).lines.is_empty(), "{kind}");
    }
}

#[test]
fn the_path_of_a_body_is_drawn() {
    for kind in BroadPhaseKind::ALL {
        let settings = Settings { gravity: Vec3::ZERO, detection: Detection::Continuous, ..Settings::default() };
        let mut world = World::new(Settings { broad_phase: kind, ..settings }).unwrap();
        let cube = Convex::cuboid(Vec3::splat(0.5)).unwrap();
        world.insert(Body::fixed(cube.clone(), pose(Vec3::Y * 9.0))).unwrap();
        world.insert(Body::kinematic(cube.clone(), pose(Vec3::Y * 5.0))).unwrap();
        let fast = Body::kinematic(cube, Pose::IDENTITY);
        world.insert(Body { velocity: Vec3::X * 30.0, angular_velocity: Vec3::Z * 5.0, ..fast }).unwrap();
        world.step(0.1).unwrap();
        let mut drawing = Drawing::default();
        world.draw_paths(&mut drawing);
        assert_eq!(drawing, Drawing::default(), "not recorded");
        world.record_paths(true);
        world.step(0.1).unwrap();
        world.draw_paths(&mut drawing);
        assert_eq!((drawing.lines.len(), drawing.lines_of(Meaning::Swept)), (13, 13), "the box and path of a body");
        let xs = drawing.places().into_iter().map(|place| place.x).collect::<Vec<_>>();
        let (least, greatest) = xs.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        assert!((2.1..=2.5).contains(&least) && (6.5..=6.9).contains(&greatest), "{least} {greatest}");
    }
}

#[test]
fn paths_hold_bounces_within_a_step() {
    for response in [Response::None, Response::ImpulseLcp, Response::SoftStep, Response::Auto] {
        let settings =
            Settings { detection: Detection::Continuous, gravity: Vec3::ZERO, response, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
        world.insert(Body { restitution: 1.0, ..Body::fixed(floor, Pose::IDENTITY) }).unwrap();
        let ball = Convex::sphere(0.5).unwrap();
        let mass = Mass::of_total(&ball.clone().into(), 1.0).unwrap();
        let ball = Body { restitution: 1.0, velocity: Vec3::Z * -100.0, ..Body::dynamic(ball, pose(Vec3::Z), mass) };
        let ball = world.insert(ball).unwrap();
        world.record_paths(true);
        world.step(0.1).unwrap();
        let end = world.body(ball).unwrap().pose.translation();
        let [path] = *world.paths() else { panic!("one body moves") };
        assert_eq!((path.id, path.ends), (ball, [Vec3::Z, end]), "{response:?}");
        let places = [Vec3::Z * 1.5, end + Vec3::Z * 0.5, end - Vec3::Z * 0.5, Vec3::Z * 0.0];
        let inside = places.map(|place| path.swept.contains(place));
        assert_eq!(inside, [true; 4], "{response:?}: {:?} {end}", path.swept);
        // Also where the ball would have come without the floor.
        assert!(path.swept.min.z >= -9.6, "{response:?}: {:?}", path.swept);
        // An error has no path, nor has a move by hand, nor a body at rest.
        world.step(f64::NAN).unwrap_err();
        assert!(world.paths().is_empty(), "{response:?}");
        world.set_state(ball, pose(Vec3::Z * 5.0), Vec3::ZERO, Vec3::ZERO).unwrap();
        world.step(0.1).unwrap();
        assert!(world.paths().is_empty(), "{response:?}");
        world.record_paths(false);
        assert!(world.paths().is_empty());
    }
}

#[test]
fn joints_are_drawn_from_centre_to_anchor_to_anchor_to_centre() {
    let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() }).unwrap();
    let ball = Convex::sphere(0.1).unwrap();
    let mass = Mass::of_total(&ball.clone().into(), 1.0).unwrap();
    let ids = [0.0, 1.0].map(|x| world.insert(Body::dynamic(ball.clone(), pose(Vec3::X * x), mass)).unwrap());
    let design = |kind, b, anchor, anchor_b| JointDesign { b, anchor, anchor_b, ..JointDesign::new(kind, ids[0]) };
    world.insert_joint(&design(JointKind::Distance, Some(ids[1]), Vec3::X * 0.1, Some(Vec3::X * 0.9))).unwrap();
    world.insert_joint(&design(JointKind::Ball, None, Vec3::Z, None)).unwrap();
    let mut drawing = Drawing::default();
    world.draw_joints(&mut drawing);
    let lines: Vec<[Vec3; 2]> = drawing.lines.iter().map(|(ends, _)| *ends).collect();
    let x = |x: f64| Vec3::X * x;
    let due = [[x(0.0), x(0.1)], [x(0.1), x(0.9)], [x(1.0), x(0.9)], [Vec3::ZERO, Vec3::Z], [Vec3::Z, Vec3::Z]];
    assert_eq!(lines.len(), due.len());
    for (line, due) in lines.iter().zip(due) {
        assert!(line.iter().zip(due).all(|(end, due)| end.distance(due) < 1e-12), "{line:?} {due:?}");
    }
    assert_eq!(drawing.points.len(), 4);
    // The axis of a hinge, as long as the ball is wide.
    let mut drawing = Drawing::default();
    world.insert_joint(&design(JointKind::Hinge, None, Vec3::Y, None)).unwrap();
    world.draw_joints(&mut drawing);
    let axis = drawing.lines.last().unwrap().0;
    assert!(axis[0].distance(Vec3::new(0.0, 1.0, -0.1)) < 1e-12, "{axis:?}");
    assert!(axis[1].distance(Vec3::new(0.0, 1.0, 0.1)) < 1e-12, "{axis:?}");
}

#[test]
fn intersecting_faces_are_drawn_once_and_of_meshes_only() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let cube = || MeshShape::new(generate::cuboid([1.0; 3]).unwrap()).unwrap();
    world.insert(Body::kinematic(cube(), Pose::IDENTITY)).unwrap();
    world.insert(Body::kinematic(cube(), pose(Vec3::new(1.5, 0.3, 0.2)))).unwrap();
    world.insert(Body::kinematic(Convex::sphere(0.5).unwrap(), pose(Vec3::X * -1.2))).unwrap();
    world.step(1e-3).unwrap();
    let mut drawing = Drawing::default();
    world.draw_intersecting_faces(&mut drawing);
    let mut expected = std::collections::BTreeSet::new();
    for touch in world.contacts() {
        for [a, b] in world.intersecting_faces(touch) {
            expected.insert((touch.a.index(), a));
            expected.insert((touch.b.index(), b));
        }
    }
    // The ball is no mesh: its faces are left out.
    expected.retain(|(body, _)| *body < 2);
    assert!(expected.len() > 4, "{expected:?}");
    assert_eq!(drawing.triangles.len(), expected.len());
    assert!(drawing.triangles.iter().all(|(_, meaning)| *meaning == Meaning::Intersecting));
}
