//! Tests of the soft step: rest, stacks, bounces, slopes, belts, mass ratios.

use crate::soft_step_scene::{GRAVITY, RATE, Scene, Touch, ball, cuboid};
use heurt_geometry::{Mat3, Quat, Vec3};
use heurt_rigid::soft_step::{SoftStepSettings, StepBody};

fn scene() -> Scene {
    let mut scene = Scene::new(SoftStepSettings::default());
    scene.add_body(StepBody::FIXED);
    scene
}

/// Adds a stack of boxes of 1 m on the plane.
fn add_stack(scene: &mut Scene, count: u32, mass: impl Fn(u32) -> f64) {
    let half = Vec3::splat(0.5);
    for level in 0..count {
        let centre = Vec3::new(0.0, 0.0, 0.5 + f64::from(level));
        let body = scene.add_body(cuboid(centre, half, mass(level)));
        let touch = if level == 0 { Touch::PlaneBox { half } } else { Touch::BoxOnBox { halves: [half; 2] } };
        scene.add_pair([body - 1, body], touch, 0.5, 0.0);
    }
}

#[test]
fn a_box_comes_to_rest() {
    let mut scene = scene();
    let half = Vec3::new(0.5, 0.4, 0.3);
    let body = scene.add_body(cuboid(Vec3::new(0.0, 0.0, 0.5), half, 2.0));
    scene.add_pair([0, body], Touch::PlaneBox { half }, 0.5, 0.0);
    scene.run(5.0);
    let state = scene.bodies[1];
    // A spring of 60 Hz (100 Hz on the ground, limited) yields by g/(2π·60 Hz)² = 69 µm under the weight of its mass.
    // The effective mass of a corner is at least a quarter of the mass, and a corner carries a quarter.
    assert!((state.centre.z - 0.3).abs() < 1e-4, "{}", state.centre);
    // The landing is not exactly symmetric.
    assert!(state.centre.truncate().length() < 1e-3, "{}", state.centre);
    assert!(state.velocity.length() < 1e-6, "{}", state.velocity);
    assert!(state.angular_velocity.length() < 1e-6, "{}", state.angular_velocity);
    // The four corners carry the weight for the step.
    let carried: f64 = scene.manifolds[0].points.iter().map(|p| p.normal_impulse).sum();
    assert!((carried - 2.0 * GRAVITY / RATE).abs() < 1e-6, "{carried}");
}

#[test]
fn a_stack_of_20_stands_for_60_s() {
    let mut scene = scene();
    add_stack(&mut scene, 20, |_| 1.0);
    scene.run(60.0);
    for (level, body) in scene.bodies[1..].iter().enumerate() {
        assert!(body.centre.truncate().length() < 1e-3, "level {level}: {}", body.centre);
        assert!(body.velocity.length() < 1e-3, "level {level}: {}", body.velocity);
    }
    // The load of a contact is at most 20 boxes. A corner carries a quarter of it, with at least an eighth of a box as
    // effective mass: its spring yields by at most 20·g·2/(2π·50 Hz)² = 4 mm.
    for point in scene.manifolds.iter().flat_map(|m| &m.points) {
        assert!(point.separation < 0.0 && point.separation > -4e-3, "{}", point.separation);
    }
}

#[test]
fn a_stack_of_20_keeps_its_places_within_1_cm_with_8_sub_steps() {
    let settings = SoftStepSettings { sub_steps: 8, contact_stiffness: 120.0, ..SoftStepSettings::default() };
    let mut scene = Scene::new(settings);
    scene.add_body(StepBody::FIXED);
    add_stack(&mut scene, 20, |_| 1.0);
    scene.run(60.0);
    for (level, body) in scene.bodies[1..].iter().enumerate() {
        assert!((body.centre.z - 0.5 - level as f64).abs() < 0.01, "level {level}: {}", body.centre);
        assert!(body.centre.truncate().length() < 1e-3, "level {level}: {}", body.centre);
        assert!(body.velocity.length() < 1e-3, "level {level}: {}", body.velocity);
    }
}

#[test]
fn a_heavy_box_stands_on_a_light_one() {
    let mut scene = scene();
    add_stack(&mut scene, 2, |level| if level == 0 { 1.0 } else { 100.0 });
    scene.run(20.0);
    let heights = [scene.bodies[1].centre.z, scene.bodies[2].centre.z];
    // The spring is scaled by the effective mass, 0.99 kg, and carries 100 kg: it yields by 101·g/(2π·50 Hz)² = 10 mm,
    // and the spring on the ground by 7 mm.
    assert!((heights[0] - 0.5).abs() < 0.008, "{heights:?}");
    assert!((heights[1] - 1.5).abs() < 0.018, "{heights:?}");
    assert!(scene.bodies[2].velocity.length() < 1e-3, "{}", scene.bodies[2].velocity);
}

#[test]
fn a_ball_bounces_to_a_quarter_of_its_height() {
    for drop in [1.0, 2.0, 5.0] {
        let mut scene = scene();
        let body = scene.add_body(ball(Vec3::new(0.0, 0.0, 0.5 + drop), 0.5, 3.0));
        scene.add_pair([0, body], Touch::PlaneSphere { radius: 0.5 }, 0.5, 0.5);
        let mut apex = 0.0_f64;
        let mut has_bounced = false;
        for _ in 0..300 {
            let falls = scene.bodies[1].velocity.z < 0.0;
            scene.step();
            let state = scene.bodies[1];
            let rises = state.velocity.z > 0.0;
            if has_bounced && falls && rises {
                break;
            }
            has_bounced |= rises;
            if has_bounced {
                apex = apex.max(state.centre.z - 0.5);
            }
        }
        assert!((apex - 0.25 * drop).abs() < 0.03 * 0.25 * drop, "drop {drop}: apex {apex}");
    }
}

#[test]
fn a_flat_box_bounces_without_spin() {
    let mut scene = scene();
    let half = Vec3::new(0.5, 0.7, 0.3);
    let body = scene.add_body(cuboid(Vec3::new(0.0, 0.0, 2.3), half, 1.0));
    scene.add_pair([0, body], Touch::PlaneBox { half }, 0.5, 0.8);
    for _ in 0..120 {
        scene.step();
        if scene.bodies[1].velocity.z > 0.0 {
            break;
        }
    }
    let state = scene.bodies[1];
    // √(2·9.81·2) · 0.8 = 5.01 m/s.
    assert!((state.velocity.z - 5.011).abs() < 0.1, "{}", state.velocity);
    assert!(state.angular_velocity.length() < 1e-5, "{}", state.angular_velocity);
}

/// Places a box on a slope of 30° and returns how far it slides in 10 s, in metres.
fn slide(friction: f64) -> f64 {
    let mut scene = scene();
    let half = Vec3::new(0.5, 0.5, 0.25);
    let tilt = Quat::from_rotation_y(30.0_f64.to_radians());
    scene.bodies[0].rotation = tilt;
    let mut start = cuboid(tilt * Vec3::new(0.0, 0.0, 0.25), half, 1.0);
    start.rotation = tilt;
    let body = scene.add_body(start);
    scene.add_pair([0, body], Touch::PlaneBox { half }, friction, 0.0);
    scene.run(10.0);
    (scene.bodies[1].centre - start.centre).length()
}

#[test]
fn a_box_slides_on_a_slope_exactly_if_friction_is_low() {
    let limit = 30.0_f64.to_radians().tan();
    let creep = slide(limit + 0.02);
    assert!(creep < 1e-3, "creep {creep}");
    let distance = slide(limit - 0.02);
    // ½ g (sin − µ cos) t² with sin − µ cos = 0.02·cos 30°.
    let expected = 0.5 * GRAVITY * 0.02 * 30.0_f64.to_radians().cos() * 100.0;
    assert!((distance - expected).abs() < 0.03 * expected, "slid {distance}, expected {expected}");
}

#[test]
fn a_belt_carries_a_box() {
    let mut scene = scene();
    scene.bodies[0].velocity = Vec3::new(1.5, 0.0, 0.0);
    let half = Vec3::splat(0.5);
    let body = scene.add_body(cuboid(Vec3::new(0.0, 0.0, 0.5), half, 1.0));
    scene.add_pair([0, body], Touch::PlaneBox { half }, 0.5, 0.0);
    scene.run(5.0);
    assert!((scene.bodies[1].velocity.x - 1.5).abs() < 1e-6, "{}", scene.bodies[1].velocity);
    assert!((scene.bodies[0].centre.x - 7.5).abs() < 1e-9, "{}", scene.bodies[0].centre);
    assert_eq!(scene.bodies[0].velocity, Vec3::new(1.5, 0.0, 0.0));
}

#[test]
fn a_sliding_ball_rolls_at_five_sevenths() {
    let mut scene = scene();
    let mut start = ball(Vec3::new(0.0, 0.0, 0.5), 0.5, 1.0);
    start.velocity.x = 7.0;
    let body = scene.add_body(start);
    scene.add_pair([0, body], Touch::PlaneSphere { radius: 0.5 }, 0.5, 0.0);
    scene.run(4.0);
    let state = scene.bodies[1];
    assert!((state.velocity.x - 5.0).abs() < 0.01, "{}", state.velocity);
    // The lever of the contact is shorter by half of the penetration of the spring, below 0.1 mm of 0.5 m.
    let slip = state.angular_velocity.y * 0.5 - state.velocity.x;
    assert!(slip.abs() < 1e-3, "{slip} {:?} {:?}", state, scene.manifolds[0]);
}

#[test]
fn a_spinning_box_is_stopped_by_friction_around_the_normal() {
    let mut scene = scene();
    let half = Vec3::new(0.5, 0.5, 0.1);
    let mut start = cuboid(Vec3::new(0.0, 0.0, 0.1), half, 1.0);
    start.angular_velocity.z = 3.0;
    let body = scene.add_body(start);
    scene.add_pair([0, body], Touch::PlaneBox { half }, 0.3, 0.0);
    scene.run(3.0);
    assert!(scene.bodies[1].angular_velocity.length() < 1e-6, "{}", scene.bodies[1].angular_velocity);
    assert!(scene.bodies[1].centre.truncate().length() < 1e-3, "{}", scene.bodies[1].centre);
}

#[test]
fn a_free_spin_keeps_energy_and_momentum() {
    // A wing nut: J = (1, 2, 3), ω = (0.5, 5, 0.5), around the middle axis; it flips over and over.
    let mut scene = scene();
    let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let mut start = StepBody::movable(Vec3::ZERO, 1.0, inertia);
    start.angular_velocity = Vec3::new(0.5, 5.0, 0.5);
    scene.add_body(start);
    let momentum = |body: &StepBody| {
        let rotation = body.rotation;
        rotation * (inertia * (rotation.conjugate() * body.angular_velocity))
    };
    let energy = |body: &StepBody| 0.5 * momentum(body).dot(body.angular_velocity);
    scene.run(60.0);
    let end = scene.bodies[1];
    assert!((momentum(&end) - momentum(&start)).length() < 1e-10, "{}", momentum(&end));
    assert!((energy(&end) / energy(&start) - 1.0).abs() < 1e-10, "{}", energy(&end) / energy(&start));
}

#[test]
fn a_very_fast_spin_gains_no_energy() {
    let mut scene = scene();
    let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
    let mut start = StepBody::movable(Vec3::ZERO, 1.0, inertia);
    start.angular_velocity = Vec3::new(300.0, 500.0, -200.0);
    scene.add_body(start);
    let energy = |body: &StepBody| {
        let rate = body.rotation.conjugate() * body.angular_velocity;
        0.5 * rate.dot(inertia * rate)
    };
    let limit = (inertia * start.angular_velocity).length_squared() / 2.0;
    for _ in 0..600 {
        scene.step();
        let now = energy(&scene.bodies[1]);
        assert!(now.is_finite() && now <= limit * (1.0 + 1e-9), "{now} > {limit}");
    }
}

#[test]
fn a_wall_of_boxes_comes_to_rest_with_decaying_friction() {
    // A wall of 8 boxes in the lowest row, each on two others.
    let settings = SoftStepSettings { friction_decay: 0.1, ..SoftStepSettings::default() };
    let mut scene = Scene::new(settings);
    scene.add_body(StepBody::FIXED);
    let half = Vec3::new(0.45, 0.5, 0.5);
    let mut below: Vec<u32> = Vec::new();
    for level in 0..8_u32 {
        let mut row = Vec::new();
        for i in 0..8 - level {
            let x = f64::from(i) + 0.5 * f64::from(level);
            let body = scene.add_body(cuboid(Vec3::new(x, 0.0, 0.5 + f64::from(level)), half, 1.0));
            row.push(body);
            if level == 0 {
                scene.add_pair([0, body], Touch::PlaneBox { half }, 0.5, 0.0);
            } else {
                for side in 0..2 {
                    let halves = [half; 2];
                    scene.add_pair([below[(i + side) as usize], body], Touch::HalfBoxOnBox { halves }, 0.5, 0.0);
                }
            }
        }
        below = row;
    }
    scene.run(20.0);
    for body in &scene.bodies[1..] {
        assert!(body.velocity.length() < 1e-4, "{}", body.velocity);
        assert!(body.centre.y.abs() < 1e-3, "{}", body.centre);
    }
}
