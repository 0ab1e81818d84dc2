//! Rigid motions: where they lead, how far they bend, what is none.

use heurt_geometry::{Motion, MotionError, Pose, Quat, Vec3};
use heurt_testkit::number::random::Random;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn pose(axis: Vec3, angle: f64, place: Vec3) -> Pose {
    let half = axis.normalize() * (0.5 * angle).sin();
    Pose::from_quaternion([half.x, half.y, half.z, (0.5 * angle).cos()], place).unwrap()
}

/// How far two poses of a body of size 1 are apart.
fn difference(p: &Pose, q: &Pose) -> f64 {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    corners.into_iter().map(|corner| (p.place(corner) - q.place(corner)).length()).fold(0.0, f64::max)
}

#[test]
fn two_poses_are_joined_by_the_shorter_turn() {
    let mut random = Random::new(1);
    for round in 0..20_000 {
        let (start, duration) = (random.pose(3.0), [1.0, 0.125, 7.0][round % 3]);
        let axis = random.vector(1.0);
        // Hair's breadths, halves and all between.
        let angle = match round % 5 {
            0 => random.between(0.0, 1e-7),
            1 => PI - random.between(0.0, 1e-7),
            2 => PI,
            _ => random.between(0.0, PI),
        };
        let by = pose(axis, angle, Vec3::ZERO);
        let place = start.translation() + random.vector(5.0);
        let end = Pose::from_matrix(*by.rotation() * *start.rotation(), place).unwrap();
        let motion = Motion::between(&start, &end, duration).unwrap();
        assert_eq!(motion.pose_at(&start, 0.0).unwrap(), start);
        assert!(difference(&motion.pose_at(&start, duration).unwrap(), &end) < 1e-13, "{angle} about {axis}");
        let spin = motion.angular_velocity() * duration;
        assert!((spin.length() - angle).abs() < 1e-13, "{spin} for {angle}");
        // Halfway it has turned by half, about the same axis, and gone half the way.
        let half = motion.pose_at(&start, 0.5 * duration).unwrap();
        assert!((half.translation() - (start.translation() + place) * 0.5).length() < 1e-13);
        let again = Motion::between(&half, &end, 0.5 * duration).unwrap();
        assert!((again.angular_velocity() - motion.angular_velocity()).length() * duration < 1e-12);
    }
}

#[test]
fn equal_poses_and_opposite_quaternions_are_joined_by_no_turn() {
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let quaternion = Quat::from_mat3(random.pose(0.0).rotation());
        let place = random.vector(4.0);
        let [same, opposite] = [quaternion, -quaternion].map(|q| Pose::from_quaternion(q.to_array(), place).unwrap());
        for end in [same, opposite] {
            let motion = Motion::between(&same, &end, 2.0).unwrap();
            assert_eq!(motion.velocity(), Vec3::ZERO);
            assert!(motion.angular_velocity().length() < 1e-15, "{motion:?}");
            assert!(difference(&motion.pose_at(&same, 2.0).unwrap(), &same) < 1e-15);
        }
    }
    assert_eq!(Motion::between(&Pose::IDENTITY, &Pose::IDENTITY, 1.0).unwrap(), Motion::STILL);
}

#[test]
fn a_half_turn_goes_round_either_way() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 2.0, -3.0)] {
        let axis = axis.normalize();
        // Twice the projection onto the axis less one.
        let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|column| axis * (2.0 * axis.dot(column)) - column);
        let turned = heurt_geometry::Mat3::from_cols(columns[0], columns[1], columns[2]);
        let end = Pose::from_matrix(turned, Vec3::ONE).unwrap();
        let motion = Motion::between(&Pose::IDENTITY, &end, 1.0).unwrap();
        let spin = motion.angular_velocity();
        assert!((spin.length() - PI).abs() < 1e-14, "{spin}");
        assert!((spin.dot(axis).abs() - PI).abs() < 1e-14, "{spin} about {axis}");
        assert!(difference(&motion.pose_at(&Pose::IDENTITY, 1.0).unwrap(), &end) < 1e-15);
    }
}

#[test]
fn a_ballistic_flight_is_a_parabola_and_turns_nothing() {
    let mut random = Random::new(3);
    for _ in 0..2_000 {
        let (start, v, a, t) = (random.pose(2.0), random.vector(5.0), random.vector(9.81), random.between(0.0, 4.0));
        let motion = Motion::ballistic(v, a).unwrap();
        let there = motion.pose_at(&start, t).unwrap();
        assert_eq!((there.rotation(), motion.turns()), (start.rotation(), false));
        assert!((there.translation() - (start.translation() + v * t + a * (0.5 * t * t))).length() < 1e-13);
        assert!((motion.velocity_at(t) - (v + a * t)).length() < 1e-14);
        assert_eq!((motion.velocity(), motion.acceleration(), motion.velocity_at(0.0)), (v, a, v));
    }
    // Thrown up with 10 m/s it is back after two seconds.
    let thrown = Motion::ballistic(10.0 * Vec3::Z, -10.0 * Vec3::Z).unwrap();
    assert_eq!(thrown.pose_at(&Pose::IDENTITY, 2.0).unwrap(), Pose::IDENTITY);
    assert_eq!(thrown.pose_at(&Pose::IDENTITY, 1.0).unwrap().translation(), 5.0 * Vec3::Z);
}

#[test]
fn a_screw_winds_about_its_axis() {
    // A quarter of a turn each second about z through (1, 0), up by 2 m.
    let motion = Motion::screw(2.0 * Vec3::Z, FRAC_PI_2 * Vec3::Z).unwrap().about(Vec3::X).unwrap();
    let at = |point: Vec3, time: f64| motion.pose_at(&Pose::IDENTITY, time).unwrap().place(point);
    assert!((at(Vec3::X, 1.0) - Vec3::new(1.0, 0.0, 2.0)).length() < 1e-15, "on the axis it goes straight");
    assert!((at(Vec3::ZERO, 1.0) - Vec3::new(1.0, -1.0, 2.0)).length() < 1e-15);
    assert!((at(Vec3::ZERO, 2.0) - Vec3::new(2.0, 0.0, 4.0)).length() < 1e-15);
    assert!((at(Vec3::ZERO, 4.0) - Vec3::new(0.0, 0.0, 8.0)).length() < 1e-14);
    let mut random = Random::new(4);
    for _ in 0..5_000 {
        let (start, velocity, spin, pivot) =
            (random.pose(2.0), random.vector(3.0), random.vector(9.0), random.vector(2.0));
        let motion = Motion::screw(velocity, spin).unwrap().about(pivot).unwrap();
        assert_eq!((motion.pivot(), motion.angular_velocity(), motion.turns()), (pivot, spin, true));
        let time = random.between(0.0, 3.0);
        let there = motion.pose_at(&start, time).unwrap();
        let flown = start.place(pivot) + velocity * time;
        assert!((there.place(pivot) - flown).length() < 1e-13, "the pivot flies");
        assert!(there.defect() < 1e-14);
        // By the formula of Rodrigues.
        let (arm, axis, angle) = (random.vector(1.0), spin.normalize(), spin.length() * time);
        let from = *start.rotation() * arm;
        let turned =
            from * angle.cos() + axis.cross(from) * angle.sin() + axis * (axis.dot(from) * (1.0 - angle.cos()));
        assert!((there.place(pivot + arm) - (flown + turned)).length() < 1e-13);
        // After whole turns only the flight is left.
        let whole = TAU * 3.0 / spin.length();
        let moved = start.shifted(velocity * whole).unwrap();
        assert!(difference(&motion.pose_at(&start, whole).unwrap(), &moved) < 1e-12);
    }
}

/// No point leaves the straight way between both ends farther, and some do nearly so far.
#[test]
fn bends_are_bounded_closely() {
    let mut random = Random::new(5);
    let mut closest = [0.0; 2];
    for round in 0..600 {
        let turns = round % 2 == 0;
        let (start, pivot, duration) = (random.pose(2.0), random.vector(1.0), random.between(0.01, 3.0));
        let motion = match turns {
            true => Motion::screw(random.vector(3.0), random.vector(if round % 3 == 0 { 9.0 } else { 0.3 })),
            false => Motion::ballistic(random.vector(3.0), random.vector(9.0)),
        };
        let motion = motion.unwrap().about(pivot).unwrap();
        let arm = random.vector(1.0);
        let from_axis = match turns {
            true => (*start.rotation() * arm).cross(motion.angular_velocity().normalize()).length(),
            false => random.between(0.0, 100.0),
        };
        let bend = motion.bend(from_axis, duration);
        let at = |share: f64| motion.pose_at(&start, duration * share).unwrap().place(pivot + arm);
        let (from, to) = (at(0.0), at(1.0));
        let mut farthest: f64 = 0.0;
        for k in 1..400 {
            let share = f64::from(k) / 400.0;
            farthest = farthest.max((at(share) - from.lerp(to, share)).length());
        }
        assert!(farthest <= bend + 1e-14, "{farthest} beyond {bend}: {motion:?} for {duration} s, {from_axis} m off");
        let closest = &mut closest[usize::from(turns)];
        *closest = f64::max(*closest, farthest / bend);
    }
    assert!(closest[0] > 0.999_999 && closest[1] > 0.99, "{closest:?}");
    let straight = Motion::linear(Vec3::new(1.0, -2.0, 3.0)).unwrap();
    assert_eq!(straight.bend(1e9, 1e9), 0.0);
    assert_eq!(Motion::screw(Vec3::X, Vec3::Z).unwrap().bend(0.0, 5.0), 0.0, "on the axis");
    assert!(Motion::screw(Vec3::X, Vec3::Z).unwrap().bend(f64::INFINITY, 5.0) == f64::INFINITY);
}

#[test]
fn what_is_no_motion_is_named() {
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Motion::between(&Pose::IDENTITY, &Pose::IDENTITY, duration).unwrap_err();
        assert!(matches!(error, MotionError::Duration(_)), "{error}");
    }
    let far = Pose::from_translation(Vec3::X).unwrap();
    let error = Motion::between(&Pose::IDENTITY, &far, 1e-200).unwrap_err();
    assert!(matches!(error, MotionError::TooLarge { field: "velocity", .. }), "{error}");
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e151] {
        let vector = Vec3::new(0.0, wrong, 0.0);
        let errors = [
            ("velocity", Motion::linear(vector)),
            ("acceleration", Motion::ballistic(Vec3::X, vector)),
            ("angular_velocity", Motion::screw(Vec3::X, vector)),
            ("pivot", Motion::STILL.about(vector)),
        ];
        for (field, result) in errors {
            let error = result.unwrap_err();
            assert!(error.to_string().starts_with(&format!("the {field} holds ")), "{error}");
        }
    }
    let error = Motion::linear(1e-200 * Vec3::X).unwrap_err();
    assert!(matches!(error, MotionError::TooSmall { field: "velocity", .. }), "{error}");
    assert!(Motion::STILL.about(1e-200 * Vec3::X).is_ok(), "a place may be as small as it likes");
}
