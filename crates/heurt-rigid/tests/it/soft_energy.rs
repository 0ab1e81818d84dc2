//! Tests of the energy in the soft step: joints whose direction turns fast, bounces of heaps.

use crate::soft_step_scene::{Scene, Touch, ball, cuboid};
use heurt_geometry::{Quat, Vec3};
use heurt_rigid::Joint;
use heurt_rigid::soft_step::{SoftStepSettings, StepBody};

fn scene() -> Scene {
    let mut scene = Scene::new(SoftStepSettings::default());
    scene.add_body(StepBody::FIXED);
    scene
}

/// Returns a ball without gravity.
fn floating(centre: Vec3, radius: f64, mass: f64) -> StepBody {
    StepBody { acceleration: Vec3::ZERO, ..ball(centre, radius, mass) }
}

/// Returns the kinetic energy, in J.
fn kinetic(scene: &Scene) -> f64 {
    let energy = |body: &StepBody| {
        let rate = body.rotation.conjugate() * body.angular_velocity;
        0.5 * (body.velocity.length_squared() / body.inverse_mass + rate.dot(body.inertia * rate))
    };
    scene.bodies.iter().filter(|body| body.inverse_mass > 0.0).map(energy).sum()
}

/// Runs 200 steps. Returns the largest and the last energy as a share of the start, and the largest error of a joint.
fn course(scene: &mut Scene, energy: impl Fn(&Scene) -> f64) -> [f64; 3] {
    let start = energy(scene);
    let [mut most, mut last, mut error] = [0.0_f64; 3];
    for _ in 0..200 {
        scene.step();
        last = energy(scene) / start;
        most = most.max(last);
        error = error.max(scene.largest_error());
    }
    [most, last, error]
}

/// Joins two bodies by a rod of constant length between their centres.
fn join_centres(scene: &mut Scene, bodies: [u32; 2]) {
    let points = bodies.map(|body| scene.bodies[body as usize].centre);
    let ends = [(bodies[0] > 0).then_some(0), Some(1)];
    scene.join(bodies, |frames| Joint::distance(ends, frames, points));
}

#[test]
fn a_ball_on_a_short_rod_gains_no_energy() {
    for speed in [2.0, 5.0, 8.0, 12.0, 14.0, 17.0, 20.0, 24.0, 30.0, 50.0, 100.0, 200.0, 1000.0] {
        let mut scene = scene();
        scene.add_body(StepBody { velocity: Vec3::Y * speed, ..floating(Vec3::X * 0.1, 0.05, 1.0) });
        join_centres(&mut scene, [0, 1]);
        let [most, last, error] = course(&mut scene, kinetic);
        // Measured: 0.9998 of the energy stays at 5 m/s; 0.85, 0.80, 0.67, 0.36 at 12, 14, 20, 50 m/s. The loss is
        // that of the first steps.
        assert!(most <= 1.0 && last > 0.02, "{speed} m/s: {most}, {last}");
        assert!(speed > 5.0 || last > 0.9995, "{speed} m/s: {last}");
        assert!(speed > 50.0 || error < 0.1, "{speed} m/s: {error}");
    }
}

#[test]
fn a_rod_between_two_balls_gains_no_energy() {
    for speed in [5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 500.0] {
        let mut scene = scene();
        scene.add_body(floating(Vec3::ZERO, 0.03, 1.0));
        scene.add_body(StepBody { velocity: Vec3::Y * speed, ..floating(Vec3::X * 0.1, 0.05, 2.0) });
        join_centres(&mut scene, [1, 2]);
        let [most, last, _] = course(&mut scene, kinetic);
        assert!(most <= 1.0 && last > 0.5, "{speed} m/s: {most}, {last}");
    }
}

#[test]
fn a_chain_of_40_balls_on_rods_gains_no_energy() {
    for speed in [5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 500.0] {
        let mut scene = scene();
        for i in 1..=40 {
            let velocity = if i == 40 { Vec3::Y * speed } else { Vec3::ZERO };
            scene.add_body(StepBody { velocity, ..floating(Vec3::X * (0.1 * f64::from(i)), 0.03, 1.0) });
            join_centres(&mut scene, [i - 1, i]);
        }
        let [most, _, error] = course(&mut scene, kinetic);
        // Measured: 0.79 of the energy stays at 20 m/s, with errors of 3 mm.
        assert!(speed > 20.0 || error < 0.01, "{speed} m/s: {error}");
        assert!(most <= 1.01, "{speed} m/s: {most}");
    }
}

#[test]
fn three_bars_on_rods_gain_no_energy() {
    for speed in [0.0, 2.0, 10.0, 15.0, 20.0, 30.0, 40.0, 100.0] {
        let mut scene = scene();
        let half = Vec3::new(0.2, 0.02, 0.02);
        for i in 1..=3_u32 {
            let place = Vec3::new(0.4 * f64::from(i - 1) + 0.2, 0.0, -0.1 * f64::from(i));
            let mut bar = cuboid(place, half, 1.0);
            bar.velocity = if i == 3 { Vec3::Y * speed } else { Vec3::ZERO };
            scene.add_body(bar);
            let top = place - Vec3::X * 0.2;
            scene.join([i - 1, i], |frames| Joint::distance([Some(0), Some(1)], frames, [top + Vec3::Z * 0.1, top]));
        }
        let start = scene.energy();
        let scale = kinetic(&scene).max(10.0);
        let [most, _, error] = course(&mut scene, |scene| 1.0 + (scene.energy() - start) / scale);
        assert!(speed > 10.0 || error < 0.01, "{speed} m/s: {error}");
        assert!(most <= 1.01, "{speed} m/s: {most}");
    }
}

#[test]
fn a_fast_slider_gains_no_energy() {
    for (offset, rate) in [(0.1, 20.0), (0.1, 100.0), (0.01, 200.0), (1.0, 40.0)] {
        let mut scene = scene();
        // A rail that spins, with a block that runs along it.
        let mut rail = cuboid(Vec3::ZERO, Vec3::new(1.0, 0.05, 0.05), 1.0);
        let mut block = cuboid(Vec3::X * offset, Vec3::splat(0.05), 1.0);
        rail.acceleration = Vec3::ZERO;
        block.acceleration = Vec3::ZERO;
        rail.angular_velocity = Vec3::Z * rate;
        block.angular_velocity = Vec3::Z * rate;
        block.velocity = (Vec3::Z * rate).cross(block.centre) + Vec3::X;
        scene.add_body(rail);
        scene.add_body(block);
        scene.join([1, 2], |frames| Joint::slider([Some(0), Some(1)], frames, Vec3::X * offset, Vec3::X));
        let [most, last, _] = course(&mut scene, kinetic);
        assert!(most <= 1.0 && last > 0.7, "{rate} rad/s: {most}, {last}");
    }
}

#[test]
fn a_ball_on_a_short_rope_gains_no_energy() {
    for speed in [5.0, 12.0, 14.0, 20.0, 50.0] {
        let mut scene = scene();
        scene.add_body(StepBody { velocity: Vec3::Y * speed, ..floating(Vec3::X * 0.1, 0.05, 1.0) });
        scene.join([0, 1], |frames| {
            Joint::distance([None, Some(1)], frames, [Vec3::ZERO, Vec3::X * 0.1])?.with_limits([0.0, 0.1])
        });
        let [most, last, _] = course(&mut scene, kinetic);
        assert!(most <= 1.0 && last > 0.1, "{speed} m/s: {most}, {last}");
    }
}

/// Adds ball 0, which balls 1 and 2 hit in the same step; returns the first index.
fn add_double_hit(scene: &mut Scene, origin: Vec3, masses: [f64; 2], restitution: f64) -> usize {
    let first = scene.add_body(floating(origin, 0.5, 1.0));
    for (angle, mass) in [0.4_f64, -0.6].into_iter().zip(masses) {
        let direction = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let velocity = direction * 5.0;
        let other = scene.add_body(StepBody { velocity, ..floating(origin - direction * 1.03, 0.5, mass) });
        scene.add_pair([first, other], Touch::Spheres { radii: [0.5; 2] }, 0.3, restitution);
    }
    first as usize
}

#[test]
fn a_ball_hit_by_two_others_gains_no_energy() {
    let cases = [[1.0, 3.0], [10.0, 10.0], [0.1, 20.0]].map(|masses| [0.0, 0.5, 0.9, 1.0].map(|e| (masses, e)));
    for (masses, restitution) in cases.into_iter().flatten() {
        let mut scene = scene();
        add_double_hit(&mut scene, Vec3::ZERO, masses, restitution);
        let (start, momentum) = (kinetic(&scene), momentum(&scene));
        for _ in 0..3 {
            let before = scene.bodies[1].velocity;
            scene.step();
            // The impulses that the points report are those that have acted.
            let mut change = before - scene.bodies[1].velocity;
            for manifold in &scene.manifolds {
                let point = &manifold.points[0];
                change -= manifold.normal * point.normal_impulse + point.tangential_impulse;
            }
            assert!(change.length() < 1e-9, "{restitution}: {change}");
            assert!(kinetic(&scene) <= start * (1.0 + 1e-9), "{restitution}: {} of {start}", kinetic(&scene));
        }
        assert!((momentum - self::momentum(&scene)).length() < 1e-9);
        assert!(scene.bodies[1].velocity.x > 2.0);
    }
}

fn momentum(scene: &Scene) -> Vec3 {
    scene.bodies.iter().filter(|body| body.inverse_mass > 0.0).map(|body| body.velocity / body.inverse_mass).sum()
}

#[test]
fn islands_bounce_as_if_alone() {
    let run = |restitutions: &[f64]| {
        let mut scene = scene();
        for (i, &restitution) in restitutions.iter().enumerate() {
            add_double_hit(&mut scene, Vec3::Z * (10.0 * i as f64), [1.0, 3.0], restitution);
        }
        (0..5).for_each(|_| scene.step());
        scene.bodies
    };
    let both = run(&[1.0, 0.4]);
    let alone = run(&[1.0]);
    assert!((1..4).all(|i| both[i].velocity == alone[i].velocity));
    // The second island does not depend on the first.
    let others = run(&[0.7, 0.4]);
    assert!((4..7).all(|i| both[i].velocity == others[i].velocity));
}

#[test]
fn a_racket_gives_energy() {
    // A body without mass at 10 m/s hits a ball at rest: it leaves at 20 m/s, or at 15 m/s for a restitution of 0.5.
    for (restitution, speed) in [(1.0, 20.0), (0.5, 15.0)] {
        let mut scene = scene();
        let racket = StepBody { centre: Vec3::X * -1.1, velocity: Vec3::X * 10.0, ..StepBody::FIXED };
        let racket = scene.add_body(racket);
        let ball = scene.add_body(floating(Vec3::ZERO, 0.5, 1.0));
        scene.add_pair([racket, ball], Touch::Spheres { radii: [0.5; 2] }, 0.0, restitution);
        (0..3).for_each(|_| scene.step());
        let found = scene.bodies[ball as usize].velocity.x;
        assert!((found - speed).abs() < 1e-6, "{found}");
    }
}

#[test]
fn bodies_that_bounce_in_full_keep_their_energy() {
    // A ball, and a tilted box that spins, without friction.
    let half = Vec3::new(0.3, 0.2, 0.1);
    let mut tilted = cuboid(Vec3::Z * 2.0, half, 1.0);
    tilted.rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), 0.5);
    tilted.angular_velocity = Vec3::new(1.0, -2.0, 3.0);
    let cases =
        [(ball(Vec3::Z * 2.0, 0.5, 1.0), Touch::PlaneSphere { radius: 0.5 }), (tilted, Touch::PlaneBox { half })];
    for (body, touch) in cases {
        let mut scene = scene();
        scene.add_body(body);
        scene.add_pair([0, 1], touch, 0.0, 1.0);
        let [most, last, _] = course(&mut scene, Scene::energy);
        // Measured: the ball keeps its energy; the box loses 7 %. Without the bound, the box would gain 55 %.
        assert!(most <= 1.0 + 1e-9 && last > 0.9, "{touch:?}: {most}, {last}");
    }
}
