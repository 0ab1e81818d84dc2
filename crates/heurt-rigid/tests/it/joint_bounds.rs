//! Cones, twist limits and friction of ball joints against closed forms, with both solvers.

use crate::joint_rig::{CUBE_INERTIA, GRAVITY, Rig, SOLVERS, Solver, cube};
use heurt_geometry::{Mat3, Quat, SplitMix64, Vec3};
use heurt_rigid::{Joint, JointError, JointFrame};
use std::f64::consts::PI;

#[test]
fn friction_stops_a_ball_joint() {
    for solver in SOLVERS {
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0)]);
        rig.join([0, 1], |frames| Joint::ball([None, Some(1)], frames, Vec3::ZERO)?.with_friction(0.01));
        rig.bodies[1].angular_velocity = Vec3::X * 3.0;
        rig.run(1.0);
        // The swing turns around one of the three axes.
        let speed = rig.bodies[1].angular_velocity.length();
        assert!((speed - (3.0 - 0.01 / CUBE_INERTIA)).abs() < 1e-6, "{solver:?}: {speed}");
        rig.run(2.0);
        assert!(rig.bodies[1].angular_velocity.length() < 1e-12, "{solver:?}");
    }
}

/// A pendulum of 1 m on a ball joint with a twist axis that hangs down.
fn pendulum(solver: Solver, bound: impl Fn(Joint) -> Result<Joint, JointError>) -> Rig {
    let mut bob = cube(Vec3::Z * -1.0, 1.0);
    bob.acceleration = Vec3::Z * -GRAVITY;
    let mut rig = Rig::new(solver, [bob]);
    rig.join([0, 1], |frames| bound(Joint::ball_with_axis([None, Some(1)], frames, Vec3::ZERO, -Vec3::Z)?));
    rig
}

/// Turns the pendulum at an angular velocity around its joint.
fn throw(rig: &mut Rig, rate: Vec3) {
    rig.bodies[1].angular_velocity = rate;
    rig.bodies[1].velocity = rate.cross(rig.bodies[1].centre);
}

#[test]
fn a_pendulum_stops_at_its_cone_and_falls_back() {
    for solver in SOLVERS {
        for cone in [1e-3, 0.1, 0.5, 1.5, 3.0] {
            let mut rig = pendulum(solver, |joint| joint.with_cone(cone));
            throw(&mut rig, Vec3::Y * -6.0);
            let mut highest = 0.0_f64;
            for _ in 0..300 {
                rig.step();
                highest = highest.max(rig.swing());
            }
            assert!(highest < cone + 0.02, "{solver:?} {cone}: {highest}");
            assert!(cone > 2.0 || highest > 0.9 * cone, "{solver:?} {cone}: {highest}");
        }
    }
}

#[test]
fn a_pendulum_slides_along_its_cone() {
    for solver in SOLVERS {
        let mut rig = pendulum(solver, |joint| joint.with_cone(0.5));
        throw(&mut rig, Vec3::Y * -6.0);
        rig.run(0.2);
        // It is at the cone; a push along the rim lets it circle there.
        let side = Vec3::Z.cross(rig.bodies[1].centre.normalize());
        let rate = rig.bodies[1].centre.cross(side.normalize() * 4.0) / rig.bodies[1].centre.length_squared();
        throw(&mut rig, rate);
        // Angular momentum around the vertical axis; the first steps bring it to the rim.
        let momentum = |rig: &Rig| rig.bodies[1].centre.cross(rig.bodies[1].velocity).z;
        rig.run(0.2);
        let start = momentum(&rig);
        for _ in 0..60 {
            rig.step();
            assert!((0.49..0.51).contains(&rig.swing()), "{solver:?}: {}", rig.swing());
        }
        // A body that lost its speed by the angle of each step, 0.14 rad, would have half of it.
        assert!((momentum(&rig) / start - 1.0).abs() < 0.02, "{solver:?}: {start} {}", momentum(&rig));
    }
}

#[test]
fn twist_limits_stop_a_spin_and_leave_the_swing() {
    for solver in SOLVERS {
        for (rate, stop) in [(3.0, 0.5), (-3.0, -0.3)] {
            let mut rig = pendulum(solver, |joint| joint.with_twist([-0.3, 0.5]));
            // The twist axis points down.
            rig.bodies[1].angular_velocity = Vec3::Z * -rate;
            rig.run(1.0);
            assert!((rig.twist() - stop).abs() < 1e-3, "{solver:?} {rate}: {}", rig.twist());
            assert!(rig.bodies[1].angular_velocity.length() < 1e-6, "{solver:?}");
            throw(&mut rig, Vec3::Y * 2.0);
            rig.step();
            assert!((rig.bodies[1].angular_velocity.y - 2.0).abs() < 0.2, "{solver:?}");
        }
    }
}

#[test]
fn wide_twist_limits_stop_a_fast_spin() {
    for solver in SOLVERS {
        for limit in [2.0, 170f64.to_radians(), 3.1, PI] {
            for rate in [5.0, -20.0, 30.0] {
                let mut rig = pendulum(solver, |joint| joint.with_twist([-limit, limit]));
                rig.bodies[1].angular_velocity = Vec3::Z * -rate;
                let mut farthest = 0.0_f64;
                for _ in 0..120 {
                    rig.step();
                    farthest = farthest.max(rig.twist().abs());
                }
                assert!(farthest < limit + 0.02, "{solver:?}, {limit}, {rate} rad/s: {farthest}");
                assert!((rig.twist() - limit * f64::signum(rate)).abs() < 0.01, "{solver:?}, {limit}: {}", rig.twist());
                assert!(rig.bodies[1].angular_velocity.length() < 1e-3, "{solver:?}, {limit}, {rate} rad/s");
            }
        }
    }
}

#[test]
fn a_projection_takes_near_violations_of_a_twist_limit_only() {
    let frames = |turn: f64| {
        let rotation = Mat3::from_quat(Quat::from_rotation_z(turn));
        [JointFrame::WORLD, JointFrame::at_rest(Vec3::ZERO, rotation)]
    };
    for (turn, count) in [(0.4, 3), (0.505, 4), (0.6, 3)] {
        let start = frames(0.0);
        let joint = Joint::ball_with_axis([None, Some(1)], [&start[0], &start[1]], Vec3::ZERO, Vec3::Z).unwrap();
        let joint = joint.with_twist([-0.5, 0.5]).unwrap();
        let now = frames(turn);
        assert_eq!(joint.position_rows([0, 1], [&now[0], &now[1]]).len(), count, "{turn}");
    }
}

fn random_frame(random: &mut SplitMix64) -> JointFrame {
    let turn = random.vector(-1.0, 1.0);
    let rotation = Quat::from_xyzw(turn.x, turn.y, turn.z, random.between(-1.0, 1.0)).normalize();
    JointFrame {
        angular_velocity: random.vector(-1.0, 1.0),
        ..JointFrame::at_rest(Vec3::ZERO, Mat3::from_quat(rotation))
    }
}

#[test]
fn rows_of_swing_and_twist_are_derivatives() {
    let mut random = SplitMix64::new(3);
    let mut seen = 0;
    for _ in 0..500 {
        let start = [random_frame(&mut random), random_frame(&mut random)];
        let axis = random.vector(-1.0, 1.0);
        let joint = Joint::ball_with_axis([None, Some(1)], [&start[0], &start[1]], Vec3::ZERO, axis).unwrap();
        let [mut joint, free] = [joint.with_cone(1e-6).unwrap().with_twist([1e-7, 1e-7]).unwrap(), joint];
        let now = [random_frame(&mut random), random_frame(&mut random)];
        joint.track([&now[0], &now[1]]);
        let value = |dt: f64| {
            let moved = now.map(|frame| frame.after(dt));
            [joint.swing([&moved[0], &moved[1]]), joint.twist([&moved[0], &moved[1]])]
        };
        if value(0.0)[0] > 2.7 {
            continue;
        }
        seen += 1;
        let frames = [&now[0], &now[1]];
        let rows = joint.rows([0, 1], frames, 1e-9);
        let limits = &rows[free.rows([0, 1], frames, 1e-9).len()..];
        let rows: Vec<_> = limits.iter().filter(|row| row.error < 0.0).collect();
        assert_eq!(rows.len(), 2);
        for (row, number) in rows.iter().zip([0, 1]) {
            let slope = (value(1e-6)[number] - value(-1e-6)[number]) / 2e-6;
            let rate: f64 = [0, 1].map(|side| row.angular[side].dot(now[side].angular_velocity)).iter().sum();
            // The row of an upper limit has the opposite sign.
            let sign = if row.error < 0.0 && value(0.0)[number] > 0.0 { -1.0 } else { 1.0 };
            assert!((sign * rate - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{number}: {rate} {slope}");
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn a_cone_of_half_a_turn_and_a_twist_of_none_stay_finite() {
    for solver in SOLVERS {
        for (cone, twist) in [(PI, [-PI, PI]), (1e-300, [0.0, 0.0]), (3.1, [-0.0, 0.0]), (1e-3, [-1e-300, 1e-300])] {
            let mut rig = pendulum(solver, |joint| joint.with_cone(cone)?.with_twist(twist)?.with_friction(1e-3));
            throw(&mut rig, Vec3::new(4.0, -3.0, 9.0));
            for _ in 0..600 {
                rig.step();
                let body = &rig.bodies[1];
                assert!(body.centre.is_finite() && body.velocity.length() < 20.0, "{solver:?} {cone} {twist:?}");
                assert!((body.centre.length() - 1.0).abs() < 0.05, "{solver:?} {cone}: {}", body.centre.length());
            }
        }
    }
}
