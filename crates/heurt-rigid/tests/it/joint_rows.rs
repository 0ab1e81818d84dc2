//! Rows of joints: Jacobians against finite differences, coordinates, limits, motors, refused numbers.

use heurt_geometry::{Mat3, Motion, Pose, SplitMix64, Vec3};
use heurt_rigid::{ConstraintRow, Joint, JointBodies, JointError, JointFrame, JointKind, Motor};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const BOTH: JointBodies = [Some(3), Some(8)];

fn rotation(vector: Vec3) -> Mat3 {
    *Motion::screw(Vec3::ZERO, vector).unwrap().pose_at(&Pose::IDENTITY, 1.0).unwrap().rotation()
}

fn random_frame(random: &mut SplitMix64) -> JointFrame {
    JointFrame {
        centre: random.vector(-2.0, 2.0),
        rotation: rotation(random.vector(-2.0, 2.0)),
        velocity: random.vector(-1.0, 1.0),
        angular_velocity: random.vector(-1.0, 1.0),
    }
}

/// The frame after `time` at constant velocities.
fn moved(frame: &JointFrame, time: f64) -> JointFrame {
    let turn = rotation(frame.angular_velocity * time);
    JointFrame { centre: frame.centre + frame.velocity * time, rotation: turn * frame.rotation, ..*frame }
}

fn rate_of(row: &ConstraintRow, [a, b]: [&JointFrame; 2]) -> f64 {
    row.linear.dot(b.velocity - a.velocity)
        + row.angular[0].dot(a.angular_velocity)
        + row.angular[1].dot(b.angular_velocity)
}

fn random_joint(kind: JointKind, random: &mut SplitMix64, frames: [&JointFrame; 2]) -> Joint {
    let anchor = random.vector(-2.0, 2.0);
    let axis = random.vector(-1.0, 1.0);
    match kind {
        JointKind::Fixed => Joint::fixed(BOTH, frames, anchor),
        JointKind::Ball => Joint::ball(BOTH, frames, anchor),
        JointKind::Hinge => Joint::hinge(BOTH, frames, anchor, axis),
        JointKind::Slider => Joint::slider(BOTH, frames, anchor, axis),
        JointKind::Distance => Joint::distance(BOTH, frames, [anchor, random.vector(-2.0, 2.0)]),
    }
    .unwrap()
}

const KINDS: [JointKind; 5] =
    [JointKind::Fixed, JointKind::Ball, JointKind::Hinge, JointKind::Slider, JointKind::Distance];

#[test]
fn rows_are_the_derivatives_of_their_errors_along_random_motions() {
    const H: f64 = 1e-5;
    let mut random = SplitMix64::new(41);
    for kind in KINDS {
        let mut compared = 0;
        for case in 0..200 {
            let start = [random_frame(&mut random), random_frame(&mut random)];
            let joint = random_joint(kind, &mut random, [&start[0], &start[1]]);
            // Some motion away from the start, so that the errors are far from 0.
            let far = random.between(0.0, 1.0);
            let now = [moved(&start[0], far), moved(&start[1], far)];
            let [before, after] = [-H, H].map(|h| [moved(&now[0], h), moved(&now[1], h)]);
            let rows = |frames: &[JointFrame; 2]| joint.rows([0, 1], [&frames[0], &frames[1]], 0.01);
            for ((row, low), high) in rows(&now).iter().zip(rows(&before)).zip(rows(&after)) {
                let slope = (high.error - low.error) / (2.0 * H);
                let rate = rate_of(row, [&now[0], &now[1]]);
                assert!((rate - slope).abs() < 1e-8 * (1.0 + slope.abs()), "{kind:?} {case}: {rate} {slope}");
                compared += 1;
            }
            let refs = [&now[0], &now[1]];
            let slope =
                (joint.coordinate([&after[0], &after[1]]) - joint.coordinate([&before[0], &before[1]])) / (2.0 * H);
            let rate = joint.coordinate_rate(refs);
            let is_aligned = kind != JointKind::Hinge || rows(&now)[3..].iter().all(|row| row.error.abs() < 0.6);
            if is_aligned && slope.abs() < 1e3 {
                assert!((rate - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{kind:?} {case}: {rate} {slope}");
            }
        }
        let count = match kind {
            JointKind::Fixed => 6,
            JointKind::Ball => 3,
            JointKind::Hinge | JointKind::Slider => 5,
            JointKind::Distance => 1,
        };
        assert_eq!(compared, 200 * count, "{kind:?}");
    }
}

#[test]
fn errors_are_zero_at_the_start_and_stay_zero_under_rigid_motion_of_both() {
    let mut random = SplitMix64::new(6);
    for kind in KINDS {
        for _ in 0..50 {
            let start = [random_frame(&mut random), random_frame(&mut random)];
            let joint = random_joint(kind, &mut random, [&start[0], &start[1]]);
            let (turn, shift) = (rotation(random.vector(-3.0, 3.0)), random.vector(-5.0, 5.0));
            let together = start.map(|frame| JointFrame {
                centre: turn * frame.centre + shift,
                rotation: turn * frame.rotation,
                ..frame
            });
            for frames in [start, together] {
                let rows = joint.rows([0, 1], [&frames[0], &frames[1]], 0.01);
                assert!(rows.iter().all(|row| row.error.abs() < 1e-14), "{kind:?}: {rows:?}");
            }
        }
    }
}

#[test]
fn equations_leave_exactly_the_freedom_of_their_kind() {
    let mut random = SplitMix64::new(8);
    let a = JointFrame::WORLD;
    let b = JointFrame::at_rest(Vec3::new(1.0, 0.5, -0.25), rotation(Vec3::new(0.3, -1.0, 0.7)));
    let (anchor, axis) = (Vec3::new(0.5, 0.25, 0.0), Vec3::new(1.0, 2.0, -2.0) / 3.0);
    let moving = |velocity_of_anchor: Vec3, spin: Vec3| JointFrame {
        velocity: velocity_of_anchor + spin.cross(b.centre - anchor),
        angular_velocity: spin,
        ..b
    };
    let is_free = |joint: &Joint, body: &JointFrame| {
        joint.rows([0, 1], [&a, &b], 0.01).iter().all(|row| rate_of(row, [&a, body]).abs() < 1e-14)
    };
    let refs = [&a, &b];
    let fixed = Joint::fixed(BOTH, refs, anchor).unwrap();
    let ball = Joint::ball(BOTH, refs, anchor).unwrap();
    let hinge = Joint::hinge(BOTH, refs, anchor, axis * 7.0).unwrap();
    let slider = Joint::slider(BOTH, refs, anchor, axis * 0.1).unwrap();
    for _ in 0..20 {
        let (shift, spin) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
        let (along, around) = (axis * random.between(0.1, 1.0), axis * random.between(0.1, 1.0));
        assert!(!is_free(&fixed, &moving(shift, Vec3::ZERO)) && !is_free(&fixed, &moving(Vec3::ZERO, spin)));
        assert!(!is_free(&ball, &moving(shift, Vec3::ZERO)) && is_free(&ball, &moving(Vec3::ZERO, spin)));
        assert!(!is_free(&hinge, &moving(along, Vec3::ZERO)) && !is_free(&hinge, &moving(Vec3::ZERO, spin)));
        assert!(is_free(&hinge, &moving(Vec3::ZERO, around)));
        assert!(!is_free(&slider, &moving(shift, Vec3::ZERO)) && !is_free(&slider, &moving(Vec3::ZERO, around)));
        assert!(is_free(&slider, &moving(along, Vec3::ZERO)));
    }
}

/// A door of one metre on a hinge at the origin around z, at an angle and a rate.
fn door(angle: f64, rate: f64) -> JointFrame {
    let turn = rotation(Vec3::Z * angle);
    let centre = turn * (Vec3::X * 0.5);
    JointFrame { centre, rotation: turn, velocity: Vec3::Z.cross(centre) * rate, angular_velocity: Vec3::Z * rate }
}

fn door_hinge() -> Joint {
    Joint::hinge([None, Some(0)], [&JointFrame::WORLD, &door(0.0, 0.0)], Vec3::ZERO, Vec3::Z).unwrap()
}

#[test]
fn the_angle_of_a_hinge_counts_turns_if_it_is_tracked() {
    let mut hinge = door_hinge();
    for step in -100..=100 {
        let angle = f64::from(step) * (PI / 100.001);
        assert!((hinge.coordinate([&JointFrame::WORLD, &door(angle, 0.0)]) - angle).abs() < 1e-14);
    }
    for (from, to) in [(0, 500), (500, -500)] {
        let steps: Vec<i32> = if from < to { (from..=to).collect() } else { (to..=from).rev().collect() };
        for step in steps {
            hinge.track([&JointFrame::WORLD, &door(f64::from(step) * 0.1, 0.0)]);
            let frames = [&JointFrame::WORLD, &door(f64::from(step) * 0.1, 2.5)];
            assert!((hinge.coordinate(frames) - f64::from(step) * 0.1).abs() < 1e-12);
            assert!((hinge.coordinate_rate(frames) - 2.5).abs() < 1e-12);
        }
    }
    // A limit of three turns.
    let limited = door_hinge().with_limits([-1.0, 3.0 * TAU]).unwrap();
    let mut limited = limited;
    for step in 0..190 {
        limited.track([&JointFrame::WORLD, &door(f64::from(step) * 0.1, 0.0)]);
    }
    let past = door(19.0, 0.0);
    let rows = limited.rows([0, 1], [&JointFrame::WORLD, &past], 0.01);
    assert!((rows[5].error - (3.0 * TAU - 19.0)).abs() < 1e-12, "{rows:?}");
}

#[test]
fn limits_are_rows_only_within_reach_and_push_inwards() {
    let hinge = door_hinge().with_limits([-0.5, 1.0]).unwrap();
    let rows = |angle: f64, rate: f64| hinge.rows([0, 1], [&JointFrame::WORLD, &door(angle, rate)], 0.01);
    assert_eq!(rows(0.25, 10.0).len(), 5, "0.1 rad in the step, 0.75 rad to the limit");
    let near = rows(0.95, 10.0);
    assert_eq!(near.len(), 6);
    assert_eq!(near[5].bounds, [0.0, f64::INFINITY]);
    // J·v = −10 rad/s is below −0.05 rad / 0.01 s: the limit does not act yet; at 0.95 rad with 5.1 rad/s it does.
    assert!((near[5].target + 5.0).abs() < 1e-12 && near[5].error == 0.0);
    assert!((rate_of(&near[5], [&JointFrame::WORLD, &door(0.95, 10.0)]) + 10.0).abs() < 1e-12);
    let beyond = rows(-0.6, 0.0);
    assert_eq!(beyond.len(), 6);
    assert!((beyond[5].error + 0.1).abs() < 1e-12 && beyond[5].target == 0.0);
    assert!((beyond[5].angular[1] - Vec3::Z).length() < 1e-12, "the lower limit pushes the angle up");
    assert!((rows(1.1, 0.0)[5].angular[1] + Vec3::Z).length() < 1e-12, "the upper limit pushes it down");
    let stopped = hinge.with_limits([0.2, 0.2]).unwrap();
    assert_eq!(stopped.rows([0, 1], [&JointFrame::WORLD, &door(0.2, 0.0)], 0.01).len(), 7);
    let one_sided = hinge.with_limits([f64::NEG_INFINITY, 0.2]).unwrap();
    assert_eq!(one_sided.rows([0, 1], [&JointFrame::WORLD, &door(0.2, 0.0)], 0.01).len(), 6);
    let projected = hinge.position_rows([0, 1], [&JointFrame::WORLD, &door(0.95, 10.0)]);
    assert_eq!(projected.len(), 5);
    assert_eq!(hinge.position_rows([0, 1], [&JointFrame::WORLD, &door(-0.6, 0.0)]).len(), 6);
}

#[test]
fn a_motor_is_a_row_with_a_bounded_impulse() {
    let hinge = door_hinge().with_motor(Motor { velocity: 3.0, max_force: 20.0 }).unwrap();
    let rows = hinge.rows([4, 2], [&JointFrame::WORLD, &door(FRAC_PI_2, 1.0)], 0.01);
    assert_eq!(rows.len(), 6);
    assert_eq!((rows[5].bodies, rows[5].target, rows[5].error), ([4, 2], 3.0, 0.0));
    assert!((rows[5].bounds[0] + 0.2).abs() < 1e-15 && (rows[5].bounds[1] - 0.2).abs() < 1e-15);
}

#[test]
fn a_rope_is_a_distance_with_limits() {
    let bob = |z: f64| JointFrame::at_rest(Vec3::Z * z, Mat3::IDENTITY);
    let frames = |bob: &JointFrame| [JointFrame::WORLD, *bob];
    let start = frames(&bob(-1.0));
    let rod = Joint::distance([None, Some(0)], [&start[0], &start[1]], [Vec3::ZERO, Vec3::Z * -1.0]).unwrap();
    assert_eq!(rod.length(), 1.0);
    let rope = rod.with_limits([0.0, 1.0]).unwrap();
    let count = |joint: &Joint, z: f64| joint.rows([0, 1], [&JointFrame::WORLD, &bob(z)], 0.01).len();
    assert_eq!([count(&rod, -0.5), count(&rope, -0.5), count(&rope, -1.0), count(&rope, -1.1)], [1, 0, 1, 1]);
    let row = rope.rows([0, 1], [&JointFrame::WORLD, &bob(-1.1)], 0.01)[0];
    assert!((row.error + 0.1).abs() < 1e-12 && row.linear == Vec3::Z, "it pulls the bob up");
    // Points that coincide later have some direction, and no NaN.
    assert_eq!(rod.rows([0, 1], [&JointFrame::WORLD, &bob(0.0)], 0.01)[0].linear, Vec3::Z);
}

#[test]
fn numbers_that_are_no_joint_are_refused() {
    let frames = [&JointFrame::WORLD, &JointFrame::WORLD];
    let hinge = |axis| Joint::hinge(BOTH, frames, Vec3::ZERO, axis);
    assert_eq!(Joint::ball([Some(1), Some(1)], frames, Vec3::ZERO), Err(JointError::SameBody(Some(1))));
    assert_eq!(Joint::fixed([None, None], frames, Vec3::ZERO), Err(JointError::SameBody(None)));
    assert_eq!(JointError::SameBody(None).to_string().split(':').next(), Some("a joint joins the world with itself"));
    assert_eq!(hinge(Vec3::ZERO), Err(JointError::Axis(Vec3::ZERO)));
    assert_eq!(hinge(Vec3::NAN), Err(JointError::NotFinite("axis")));
    assert!(hinge(Vec3::X * 1e-200).is_ok() && hinge(Vec3::X * 1e200).is_ok());
    assert_eq!(Joint::ball(BOTH, frames, Vec3::INFINITY), Err(JointError::NotFinite("anchor")));
    let broken = JointFrame { velocity: Vec3::NAN, ..JointFrame::WORLD };
    assert_eq!(Joint::ball(BOTH, [&broken, frames[1]], Vec3::ZERO), Err(JointError::NotFinite("frame")));
    assert_eq!(Joint::distance(BOTH, frames, [Vec3::ONE; 2]), Err(JointError::NoDistance));
    let (good, ball) = (hinge(Vec3::X).unwrap(), Joint::ball(BOTH, frames, Vec3::ZERO).unwrap());
    assert_eq!(good.with_limits([1.0, 0.5]), Err(JointError::Limits([1.0, 0.5])));
    assert_eq!(good.with_limits([f64::INFINITY; 2]), Err(JointError::Limits([f64::INFINITY; 2])));
    assert_eq!(good.with_limits([f64::NAN, 0.5]), Err(JointError::NotFinite("limits")));
    assert!(matches!(ball.with_limits([0.0, 0.5]), Err(JointError::NotSupported { what: "limits", .. })));
    let motor = |velocity, max_force| Motor { velocity, max_force };
    assert!(matches!(ball.with_motor(motor(1.0, 1.0)), Err(JointError::NotSupported { what: "motor", .. })));
    assert_eq!(good.with_motor(motor(f64::NAN, 1.0)), Err(JointError::NotFinite("velocity")));
    assert_eq!(good.with_motor(motor(1.0, -1.0)), Err(JointError::Force { field: "max_force", value: -1.0 }));
    assert_eq!(good.breaking_at(-1.0), Err(JointError::Force { field: "break_at", value: -1.0 }));
    assert_eq!(good.breaking_at(f64::INFINITY), Err(JointError::NotFinite("break_at")));
    assert!(good.colliding(true).collides() && !good.collides());
}

#[test]
fn rows_of_frames_out_of_range_are_left_out() {
    let joint = door_hinge().with_limits([-0.1, 0.1]).unwrap();
    let start = door(0.0, 0.0);
    for broken in [
        JointFrame { centre: Vec3::NAN, ..start },
        JointFrame { rotation: Mat3::IDENTITY * f64::NAN, ..start },
        JointFrame { angular_velocity: Vec3::INFINITY, ..start },
    ] {
        for row in joint.rows([0, 1], [&JointFrame::WORLD, &broken], 0.01) {
            assert!(row.linear.is_finite() && row.error.is_finite() && row.target.is_finite());
        }
    }
    assert!(joint.rows([0, 1], [&JointFrame::WORLD, &JointFrame { rotation: Mat3::NAN, ..start }], 0.01).is_empty());
    assert!(joint.rows([0, 1], [&JointFrame::WORLD, &start], 0.0).iter().all(|row| row.target.is_finite()));
    let mut tracked = joint;
    tracked.track([&JointFrame::WORLD, &JointFrame { rotation: Mat3::NAN, ..start }]);
    assert_eq!(tracked, joint);
}
