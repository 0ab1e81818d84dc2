//! Tests of the contract of the soft step: equal bits for any number of threads, momentum, refusal of bad numbers,
//! islands.

use crate::soft_step_scene::{Scene, Touch, ball, cuboid, expect_equal_bits};
use heurt_geometry::{Mat3, SplitMix64, Vec3};
use heurt_rigid::LockedAxes;
use heurt_rigid::soft_step::{Islands, SoftStep, SoftStepSettings, StepBody, StepError, StepManifold, StepPoint};

/// Builds a heap of balls in a box-shaped grid on a plane, with random velocities and contacts between neighbours.
fn heap(side: usize, settings: SoftStepSettings) -> Scene {
    let mut scene = Scene::new(settings);
    scene.add_body(StepBody::FIXED);
    let mut random = SplitMix64::new(7);
    let index = |x: usize, y: usize, z: usize| (1 + x + side * (y + side * z)) as u32;
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                let place = Vec3::new(x as f64, y as f64, 0.5 + z as f64) * 0.999;
                let mut body = ball(place, 0.5, random.between(0.5, 2.0));
                body.velocity = random.vector(-1.0, 1.0);
                body.angular_velocity = random.vector(-1.0, 1.0);
                scene.add_body(body);
            }
        }
    }
    let spheres = Touch::Spheres { radii: [0.5; 2] };
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                let here = index(x, y, z);
                scene.add_pair([0, here], Touch::PlaneSphere { radius: 0.5 }, 0.5, 0.2);
                for (bound, next) in [(x, (1, 0, 0)), (y, (0, 1, 0)), (z, (0, 0, 1))] {
                    if bound + 1 < side {
                        scene.add_pair([here, index(x + next.0, y + next.1, z + next.2)], spheres, 0.5, 0.2);
                    }
                }
            }
        }
    }
    scene
}

/// Lists the bits of all states and impulses.
fn bits(scene: &Scene) -> Vec<u64> {
    let mut bits = Vec::new();
    for body in &scene.bodies {
        for vector in [body.centre, body.velocity, body.angular_velocity] {
            bits.extend(vector.to_array().map(f64::to_bits));
        }
        bits.extend(body.rotation.to_array().map(f64::to_bits));
    }
    for point in scene.manifolds.iter().flat_map(|manifold| &manifold.points) {
        bits.push(point.normal_impulse.to_bits());
        bits.extend(point.tangential_impulse.to_array().map(f64::to_bits));
    }
    bits
}

#[test]
fn the_bits_are_equal_for_any_number_of_threads() {
    let serial = expect_equal_bits(|settings| heap(14, settings), bits);
    assert!(serial.len() > 10_000);
}

#[test]
fn a_free_island_keeps_its_momentum() {
    let mut random = SplitMix64::new(3);
    let mut scene = Scene::new(SoftStepSettings::default());
    let count = 20;
    for i in 0..count {
        let mut body = ball(Vec3::new(0.99 * f64::from(i), 0.0, 0.0), 0.5, random.between(0.1, 10.0));
        body.acceleration = Vec3::ZERO;
        body.velocity = random.vector(-3.0, 3.0);
        body.angular_velocity = random.vector(-3.0, 3.0);
        scene.add_body(body);
    }
    for i in 1..count as u32 {
        scene.add_pair([i - 1, i], Touch::Spheres { radii: [0.5; 2] }, 0.7, 0.5);
    }
    let momentum = |scene: &Scene| -> Vec3 { scene.bodies.iter().map(|b| b.velocity / b.inverse_mass).sum() };
    let before = momentum(&scene);
    let speed = scene.bodies[3].velocity;
    scene.run(2.0);
    assert!((momentum(&scene) - before).length() < 1e-12 * before.length().max(100.0), "{}", momentum(&scene));
    assert!((scene.bodies[3].velocity - speed).length() > 0.1);
}

#[test]
fn an_impact_of_equal_balls_exchanges_their_velocities() {
    let mut scene = Scene::new(SoftStepSettings::default());
    for (x, v) in [(0.0, 2.0), (1.1, 0.0)] {
        let mut body = ball(Vec3::new(x, 0.0, 0.0), 0.5, 1.0);
        body.acceleration = Vec3::ZERO;
        body.velocity.x = v;
        scene.add_body(body);
    }
    scene.add_pair([0, 1], Touch::Spheres { radii: [0.5; 2] }, 0.0, 1.0);
    scene.run(0.5);
    assert!((scene.bodies[0].velocity.x).abs() < 1e-12, "{}", scene.bodies[0].velocity);
    assert!((scene.bodies[1].velocity.x - 2.0).abs() < 1e-12, "{}", scene.bodies[1].velocity);
}

#[test]
fn locked_axes_do_not_move() {
    let mut scene = Scene::new(SoftStepSettings::default());
    scene.add_body(StepBody::FIXED);
    let half = Vec3::splat(0.5);
    let mut body = cuboid(Vec3::new(0.0, 0.0, 0.45), half, 1.0);
    body.velocity = Vec3::new(1.0, 2.0, 0.0);
    body.angular_velocity = Vec3::new(3.0, 1.0, 2.0);
    body.locked = LockedAxes { translation: [true, false, false], rotation: [true, true, false] };
    scene.add_body(body);
    scene.add_pair([0, 1], Touch::PlaneBox { half }, 0.1, 0.0);
    scene.run(1.0);
    let end = scene.bodies[1];
    assert_eq!(end.centre.x, 0.0);
    assert_eq!([end.angular_velocity.x, end.angular_velocity.y], [0.0; 2]);
    assert!(end.centre.y > 0.5 && end.rotation.z > 0.1, "{end:?}");
}

#[test]
fn a_block_of_more_than_four_points_carries_the_weight() {
    // An octagonal plate on eight points.
    let mut body = cuboid(Vec3::new(0.0, 0.0, 0.1), Vec3::new(1.0, 1.0, 0.1), 5.0);
    body.acceleration = Vec3::new(0.0, 0.0, -10.0);
    let mut bodies = [StepBody::FIXED, body];
    let corners =
        [(1.0, 0.0), (0.7, 0.7), (0.0, 1.0), (-0.7, 0.7), (-1.0, 0.0), (-0.7, -0.7), (0.0, -1.0), (0.7, -0.7)];
    let points = corners
        .map(|(x, y)| StepPoint { anchors: [Vec3::new(x, y, 0.0), Vec3::new(x, y, -0.1)], ..StepPoint::default() });
    let mut manifolds = [StepManifold {
        bodies: [0, 1],
        normal: Vec3::Z,
        points: points.into_iter().collect(),
        friction: 0.5,
        ..StepManifold::default()
    }];
    let mut solver = SoftStep::new(SoftStepSettings::default());
    for _ in 0..1200 {
        for (point, (x, y)) in manifolds[0].points.iter_mut().zip(corners) {
            let offset = bodies[1].rotation * Vec3::new(x, y, -0.1);
            point.anchors = [bodies[1].centre + offset, offset];
            point.separation = point.anchors[0].z;
        }
        solver.step(&mut bodies, &mut manifolds, 1.0 / 60.0).expect("a valid step");
    }
    let carried: f64 = manifolds[0].points.iter().map(|point| point.normal_impulse).sum();
    // Two blocks of the same bodies keep a slow motion: see the docs of `StepManifold::points`.
    assert!((carried - 5.0 * 10.0 / 60.0).abs() < 0.01, "{carried}");
    assert!(bodies[1].velocity.length() < 0.02, "{}", bodies[1].velocity);
    assert!((bodies[1].centre - Vec3::new(0.0, 0.0, 0.1)).length() < 1e-3, "{}", bodies[1].centre);
}

/// A ball on the ground, as the base of hostile variants.
fn ball_on_ground() -> (Vec<StepBody>, Vec<StepManifold>) {
    let point = StepPoint { anchors: [Vec3::ZERO, Vec3::new(0.0, 0.0, -0.5)], ..StepPoint::default() };
    let manifold = StepManifold {
        bodies: [0, 1],
        normal: Vec3::Z,
        points: [point].into_iter().collect(),
        ..StepManifold::default()
    };
    (vec![StepBody::FIXED, ball(Vec3::new(0.0, 0.0, 0.5), 0.5, 1.0)], vec![manifold])
}

#[test]
fn bad_numbers_are_refused_and_nothing_changes() {
    type Spoil = fn(&mut Vec<StepBody>, &mut Vec<StepManifold>);
    let cases: [(Spoil, StepError); 12] = [
        (|b, _| b[1].velocity.x = f64::NAN, StepError::Body(1)),
        (|b, _| b[1].torque.y = f64::INFINITY, StepError::Body(1)),
        (|b, _| b[1].inverse_mass = -1.0, StepError::Body(1)),
        (|b, _| b[0].rotation.w = 2.0, StepError::Body(0)),
        (|b, _| b[1].inverse_inertia.x_axis.x = -1.0, StepError::Body(1)),
        (|b, _| b[1].linear_damping = -1.0, StepError::Body(1)),
        (|_, m| m[0].normal = Vec3::ZERO, StepError::Manifold(0)),
        (|_, m| m[0].friction = -0.1, StepError::Manifold(0)),
        (|_, m| m[0].restitution = 1.1, StepError::Manifold(0)),
        (|_, m| m[0].points[0].separation = f64::NAN, StepError::Manifold(0)),
        (|_, m| m[0].points[0].warm_normal = -1.0, StepError::Manifold(0)),
        (|_, m| m[0].bodies = [0, 9], StepError::NoSuchBody { what: "manifold", index: 0, bodies: [0, 9], count: 2 }),
    ];
    for (spoil, expected) in cases {
        let (mut bodies, mut manifolds) = ball_on_ground();
        spoil(&mut bodies, &mut manifolds);
        let before = format!("{bodies:?} {manifolds:?}");
        let mut solver = SoftStep::new(SoftStepSettings::default());
        assert_eq!(solver.step(&mut bodies, &mut manifolds, 1.0 / 60.0), Err(expected));
        assert_eq!(format!("{bodies:?} {manifolds:?}"), before);
    }
}

#[test]
fn bad_time_steps_and_settings_are_refused() {
    let (mut bodies, mut manifolds) = ball_on_ground();
    let mut solver = SoftStep::new(SoftStepSettings::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        assert_eq!(solver.step(&mut bodies, &mut manifolds, dt), Err(StepError::TimeStep), "{dt}");
    }
    for settings in [
        SoftStepSettings { sub_steps: 0, ..SoftStepSettings::default() },
        SoftStepSettings { relax_iterations: 0, ..SoftStepSettings::default() },
        SoftStepSettings { contact_stiffness: f64::NAN, ..SoftStepSettings::default() },
        SoftStepSettings { max_push_speed: -1.0, ..SoftStepSettings::default() },
    ] {
        let mut solver = SoftStep::new(settings);
        assert_eq!(solver.step(&mut bodies, &mut manifolds, 1.0 / 60.0), Err(StepError::Settings));
    }
}

#[test]
fn an_overflow_is_an_error_and_nothing_changes() {
    let (mut bodies, mut manifolds) = ball_on_ground();
    bodies[1].velocity = Vec3::new(0.0, 0.0, -1e308);
    bodies[1].acceleration = Vec3::new(0.0, 0.0, -1.7e308);
    let before = bodies.clone();
    let mut solver = SoftStep::new(SoftStepSettings { sub_steps: 1, ..SoftStepSettings::default() });
    assert_eq!(solver.step(&mut bodies, &mut manifolds, 10.0), Err(StepError::Overflow(1)));
    assert_eq!(bodies, before);
}

#[test]
fn hostile_geometry_gives_finite_states() {
    let mut random = SplitMix64::new(11);
    let scales = [1e-12, 1e-6, 1.0, 1e6];
    for case in 0..500 {
        let mut scale = || scales[random.below(scales.len())];
        let (s, t, u) = (scale(), scale(), scale());
        let mut bodies = vec![StepBody::FIXED; 3];
        bodies[1] = StepBody::movable(Vec3::ZERO, s, Mat3::from_diagonal(Vec3::new(t, u, s)));
        bodies[2].inverse_mass = 1.0 / u;
        for body in &mut bodies[1..] {
            body.velocity = random.vector(-10.0, 10.0);
            body.angular_velocity = random.vector(-10.0, 10.0);
        }
        let mut manifolds = Vec::new();
        for pair in [[0, 1], [1, 2], [2, 0], [1, 2]] {
            let mut manifold = StepManifold { bodies: pair, normal: Vec3::Z, friction: 1e3, ..StepManifold::default() };
            manifold.restitution = random.unit();
            // Equal points make the coupling of the block singular.
            let anchors = [random.vector(-1.0, 1.0) * t, random.vector(-1.0, 1.0) * s];
            for _ in 0..random.below(7) {
                let separation = random.between(-1.0, 0.1) * u;
                manifold.points.push(StepPoint { anchors, separation, ..StepPoint::default() });
            }
            manifolds.push(manifold);
        }
        let mut solver = SoftStep::new(SoftStepSettings::default());
        for _ in 0..3 {
            match solver.step(&mut bodies, &mut manifolds, 1.0 / 60.0) {
                Ok(()) | Err(StepError::Overflow(_)) => {}
                Err(error) => panic!("case {case}: {error}"),
            }
            for body in &bodies {
                assert!(body.centre.is_finite() && body.velocity.is_finite(), "case {case}: {body:?}");
                assert!(body.angular_velocity.is_finite() && body.rotation.is_finite(), "case {case}: {body:?}");
            }
            for point in manifolds.iter().flat_map(|m| &m.points) {
                assert!(point.normal_impulse.is_finite() && point.warm_normal >= 0.0, "case {case}: {point:?}");
                assert!(point.tangential_impulse.is_finite(), "case {case}: {point:?}");
            }
        }
    }
}

#[test]
fn contacts_of_two_immovable_bodies_are_skipped() {
    let (mut bodies, mut manifolds) = ball_on_ground();
    bodies[1] = StepBody { velocity: Vec3::Z, ..StepBody::FIXED };
    manifolds[0].points[0].separation = -1.0;
    let mut solver = SoftStep::new(SoftStepSettings::default());
    solver.step(&mut bodies, &mut manifolds, 0.5).expect("a valid step");
    assert_eq!(bodies[1].velocity, Vec3::Z);
    assert_eq!(manifolds[0].points[0].normal_impulse, 0.0);
}

#[test]
fn many_contacts_of_one_body_are_solved() {
    // 100 balls under one plate: more contacts of a body than there are colours.
    let mut scene = Scene::new(SoftStepSettings::default());
    scene.add_body(StepBody::FIXED);
    let mut plate = cuboid(Vec3::new(0.0, 0.0, 1.1), Vec3::new(10.0, 10.0, 0.1), 100.0);
    plate.locked.rotation = [true; 3];
    let plate = scene.add_body(plate);
    for i in 0..100 {
        let place = Vec3::new(f64::from(i % 10) * 1.5, f64::from(i / 10) * 1.5, 0.5);
        let body = scene.add_body(ball(place, 0.5, 1.0));
        scene.add_pair([0, body], Touch::PlaneSphere { radius: 0.5 }, 0.5, 0.0);
        // The plate as a half-space that lies on the ball: its z axis points up, so the ball is A.
        scene.add_pair([body, plate], Touch::Spheres { radii: [0.5, 0.1] }, 0.5, 0.0);
    }
    scene.run(0.2);
    assert!(scene.bodies.iter().all(|b| b.centre.is_finite()));
}

#[test]
fn islands_do_not_depend_on_the_order_of_pairs() {
    let movable = [false, true, true, true, true, true, true];
    let mut pairs = [[1, 2], [2, 3], [0, 4], [0, 1], [5, 6], [6, 5], [4, 0]];
    let expected = Islands::find(&movable, pairs.iter().copied());
    assert_eq!(expected.lists, [vec![1, 2, 3], vec![4], vec![5, 6]]);
    assert_eq!(expected.of_body, [Islands::NONE, 0, 0, 0, 1, 2, 2]);
    for _ in 0..pairs.len() {
        pairs.rotate_left(1);
        assert_eq!(Islands::find(&movable, pairs.iter().map(|&[a, b]| [b, a])), expected);
    }
    assert_eq!(Islands::find(&movable, [[1, 99]]).lists.len(), 6);
}
