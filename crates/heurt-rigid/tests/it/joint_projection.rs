//! Projection of positions on joints: chains, loops, contradictions, hostile numbers.

use heurt_geometry::{Mat3, Motion, Pose, SplitMix64, Vec3};
use heurt_rigid::{Joint, JointFrame, ProblemError, RigidBody, project_joints};

fn movable(mass: f64) -> RigidBody {
    let inverse_inertia = Mat3::from_diagonal(Vec3::new(6.0, 5.0, 4.0) / mass);
    RigidBody { inverse_mass: 1.0 / mass, inverse_inertia, ..RigidBody::FIXED }
}

fn shaken(frame: &JointFrame, random: &mut SplitMix64, size: f64) -> JointFrame {
    let turn = Motion::screw(Vec3::ZERO, random.vector(-size, size)).unwrap();
    let turn = *turn.pose_at(&Pose::IDENTITY, 1.0).unwrap().rotation();
    let centre = frame.centre + random.vector(-size, size);
    JointFrame { centre, rotation: turn * frame.rotation, ..*frame }
}

#[test]
fn a_shaken_chain_of_all_kinds_holds_again() {
    let mut random = SplitMix64::new(1);
    for case in 0..50 {
        let mut frames = vec![JointFrame::WORLD];
        frames.extend((1..=12).map(|k| JointFrame::at_rest(Vec3::X * f64::from(k), Mat3::IDENTITY)));
        let mut bodies = vec![RigidBody::FIXED];
        bodies.extend((1..=12).map(|_| movable(random.between(0.1, 10.0))));
        let joint = |k: u32| {
            let pair = [&frames[k as usize], &frames[k as usize + 1]];
            let (ends, anchor) = ([Some(k), Some(k + 1)], Vec3::X * (f64::from(k) + 0.5));
            match k % 5 {
                0 => Joint::ball(ends, pair, anchor),
                1 => Joint::hinge(ends, pair, anchor, Vec3::new(0.0, 1.0, 1.0)),
                2 => Joint::fixed(ends, pair, anchor),
                3 => Joint::slider(ends, pair, anchor, Vec3::X).and_then(|joint| joint.with_limits([-0.05, 0.05])),
                _ => Joint::distance(ends, pair, [pair[0].centre, pair[1].centre]),
            }
        };
        let joints: Vec<_> = (0..12).map(|k| ([k, k + 1], joint(k).unwrap())).collect();
        for frame in &mut frames[1..] {
            *frame = shaken(frame, &mut random, 0.1);
        }
        let report = project_joints(&joints, &bodies, &mut frames, 12, 1e-12).unwrap();
        assert!(report.error <= 1e-12, "case {case}: {report:?}");
        assert_eq!(frames[0], JointFrame::WORLD);
        for (ends, joint) in &joints {
            let pair = ends.map(|end| &frames[end as usize]);
            assert!(joint.rows(*ends, pair, 0.01).iter().all(|row| row.error.abs() <= 1e-12));
        }
    }
}

#[test]
fn the_centre_of_mass_of_free_bodies_stays() {
    let mut random = SplitMix64::new(4);
    let mut frames = [0.0, 1.0, 2.0].map(|x| JointFrame::at_rest(Vec3::X * x, Mat3::IDENTITY));
    let masses = [1.0, 2.0, 5.0];
    let bodies = masses.map(movable);
    let joints = [0, 1].map(|k: usize| {
        let pair = [&frames[k], &frames[k + 1]];
        let ends = [k as u32, k as u32 + 1];
        (ends, Joint::ball(ends.map(Some), pair, Vec3::X * (k as f64 + 0.5)).unwrap())
    });
    frames = frames.map(|frame| shaken(&frame, &mut random, 0.2));
    let centre = |frames: &[JointFrame; 3]| -> Vec3 { (0..3).map(|k| frames[k].centre * masses[k]).sum() };
    let before = centre(&frames);
    let report = project_joints(&joints, &bodies, &mut frames, 12, 1e-12).unwrap();
    assert!(report.error <= 1e-12 && report.steps > 0);
    assert!((centre(&frames) - before).length() < 1e-13);
}

#[test]
fn a_closed_loop_with_dependent_rows_holds_again() {
    // A four-bar linkage of hinges around z: the rows of the loop depend on each other.
    let at = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    let mut frames = at.map(|centre| JointFrame::at_rest(centre, Mat3::IDENTITY));
    let bodies = [RigidBody::FIXED, movable(1.0), movable(2.0), movable(1.0)];
    let joints = [0, 1, 2, 3].map(|k: usize| {
        let next = (k + 1) % 4;
        let ends = [k as u32, next as u32];
        let anchor = (at[k] + at[next]) * 0.5;
        (ends, Joint::hinge(ends.map(Some), [&frames[k], &frames[next]], anchor, Vec3::Z).unwrap())
    });
    let mut random = SplitMix64::new(9);
    for frame in &mut frames[1..] {
        *frame = shaken(frame, &mut random, 0.05);
    }
    let report = project_joints(&joints, &bodies, &mut frames, 20, 1e-12).unwrap();
    assert!(report.error <= 1e-12, "{report:?}");
}

#[test]
fn contradictions_and_fixed_bodies_leave_a_reported_error() {
    let bob = JointFrame::at_rest(Vec3::X, Mat3::IDENTITY);
    let mut frames = [JointFrame::WORLD, bob];
    let rod = |length: f64| {
        let ends = [Vec3::ZERO, Vec3::X * length];
        ([0, 1], Joint::distance([None, Some(0)], [&JointFrame::WORLD, &bob], ends).unwrap())
    };
    let mut far = bob;
    far.centre = Vec3::X * 5.0;
    let still = [RigidBody::FIXED, RigidBody::FIXED];
    let mut moved = [JointFrame::WORLD, far];
    let report = project_joints(&[rod(1.0)], &still, &mut moved, 10, 1e-12).unwrap();
    assert!((report.error - 4.0).abs() < 1e-12 && moved[1] == far);
    let bodies = [RigidBody::FIXED, RigidBody { inverse_mass: 1.0, ..RigidBody::FIXED }];
    // Two rods of 1 m and 2 m to the centre of the same bob.
    let other = Joint::distance([None, Some(0)], [&JointFrame::WORLD, &bob], [Vec3::ZERO, Vec3::X]).unwrap();
    let shifted = JointFrame::at_rest(Vec3::X * 2.0, Mat3::IDENTITY);
    let longer = Joint::distance([None, Some(0)], [&JointFrame::WORLD, &shifted], [Vec3::ZERO, Vec3::X * 2.0]).unwrap();
    let report = project_joints(&[([0, 1], other), ([0, 1], longer)], &bodies, &mut frames, 10, 1e-12).unwrap();
    assert!(report.error > 0.4 && report.error.is_finite(), "{report:?}");
    assert!(frames[1].centre.is_finite());
}

#[test]
fn hostile_numbers_end_and_stay_finite() {
    let mut random = SplitMix64::new(10);
    for _ in 0..300 {
        let start = [JointFrame::WORLD, JointFrame::at_rest(Vec3::X, Mat3::IDENTITY)];
        let joint = Joint::hinge([None, Some(0)], [&start[0], &start[1]], Vec3::ZERO, Vec3::Z).unwrap();
        let size = libm::pow(10.0, random.between(-300.0, 300.0));
        let mass = libm::pow(10.0, random.between(-150.0, 150.0));
        let mut frames = [start[0], shaken(&start[1], &mut random, 1.0)];
        frames[1].centre *= size;
        let report = project_joints(&[([0, 1], joint)], &[RigidBody::FIXED, movable(mass)], &mut frames, 5, 1e-9);
        assert!(report.unwrap().steps <= 5);
        assert!(frames[1].centre.is_finite() && frames[1].rotation.is_finite());
    }
    let joint = Joint::ball([None, Some(0)], [&JointFrame::WORLD; 2], Vec3::ZERO).unwrap();
    let missing = project_joints(&[([0, 7], joint)], &[RigidBody::FIXED], &mut [JointFrame::WORLD], 5, 1e-9);
    assert!(matches!(missing, Err(ProblemError::NoSuchBody { body: 7, count: 1, .. })));
}
