//! Drawing of worlds: boxes, contacts by kind, impulses by their size.

use heurt_geometry::{Draw, Meaning, Pose, Vec3};
use heurt_shape::Convex;
use heurt_testkit::drawing::Drawing;
use heurt_world::{Body, BroadPhaseKind, Mass, Response, Settings, World};

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
