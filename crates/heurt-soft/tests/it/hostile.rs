//! Shape matching of input at the limits: points at one place and on a line, extreme scales, bad numbers.

use heurt_geometry::{Quat, SplitMix64, Vec2, Vec3};
use heurt_soft::{MatchingSettings, ShapeMatching2, ShapeMatching3, ShapeMatchingError};

#[test]
fn points_at_one_place_do_not_turn() {
    let shape = ShapeMatching2::new(&[Vec2::ONE; 3], &[1.0, 2.0, 3.0]).unwrap();
    let goals = shape.goals(&[Vec2::ZERO, Vec2::X, Vec2::Y], 1.0).unwrap();
    assert!(goals.iter().all(|goal| goal.distance(Vec2::new(1.0 / 3.0, 0.5)) < 1e-15));
    let shape = ShapeMatching3::new(&[Vec3::ONE; 3], &[1.0; 3]).unwrap();
    let fit = shape.fit(&[Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
    assert_eq!((fit.rotation, fit.linear), (Quat::IDENTITY, None));
    // The shape collapsed: goals are the rest shape around the place.
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let shape = ShapeMatching3::new(&corners, &[1.0; 4]).unwrap();
    let goals = shape.goals(&[Vec3::splat(0.25); 4], 1.0).unwrap();
    assert!(goals.iter().zip(corners).all(|(goal, corner)| goal.distance(corner) < 1e-15), "{goals:?}");
}

#[test]
fn the_unit_of_length_does_not_matter() {
    let mut random = SplitMix64::new(1);
    for round in 0..200 {
        let rest: Vec<Vec3> = (0..6).map(|_| random.vector(-1.0, 1.0)).collect();
        let places: Vec<Vec3> = (0..6).map(|_| random.vector(-1.0, 1.0)).collect();
        let scaled = |points: &[Vec3], unit: f64| points.iter().map(|point| *point * unit).collect::<Vec<_>>();
        let reference = ShapeMatching3::new(&rest, &[1.0; 6]).unwrap();
        let unit = [1e-9, 1e9, 1e-90, 1e90][round % 4];
        let shape = ShapeMatching3::new(&scaled(&rest, unit), &[1e-90; 6]).unwrap();
        let (a, b) = (reference.fit(&places).unwrap(), shape.fit(&scaled(&places, unit)).unwrap());
        assert!((a.rotation - b.rotation).length() < 1e-11, "{round}");
        let goals = reference.goals(&places, 0.5).unwrap();
        for (goal, other) in goals.iter().zip(shape.goals(&scaled(&places, unit), 0.5).unwrap()) {
            assert!(goal.distance(other / unit) < 1e-9, "{round}: {goal} {}", other / unit);
        }
    }
}

#[test]
fn a_shape_far_from_the_origin_keeps_its_digits() {
    // A shape of a metre at 2³⁰ m, on multiples of 2⁻²²: all offsets are exact.
    let far = Vec2::splat((1u64 << 30) as f64);
    let rest = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]].map(Vec2::from_array);
    let shape = ShapeMatching2::new(&rest, &[1.0; 3]).unwrap();
    let fit = shape.fit(&rest.map(|point| point.perp() + far)).unwrap();
    assert!((fit.turn - Vec2::Y).length() < 1e-15, "{}", fit.turn);
}

#[test]
fn bad_numbers_are_refused_with_their_index() {
    let rest = [Vec2::ZERO, Vec2::X, Vec2::Y];
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
        let error = ShapeMatching2::new(&rest, &[1.0, mass, 1.0]).unwrap_err();
        assert!(
            matches!(error, ShapeMatchingError::Mass { index: 1, mass: given } if given.to_bits() == mass.to_bits())
        );
    }
    let error = ShapeMatching2::new(&[Vec2::ZERO, Vec2::new(0.0, f64::NAN)], &[1.0; 2]).unwrap_err();
    assert!(matches!(error, ShapeMatchingError::Component { array: "rest positions", index: 1, .. }));
    assert_eq!(ShapeMatching3::new(&[], &[]).unwrap_err(), ShapeMatchingError::Empty);
    let error = ShapeMatching3::new(&[Vec3::ZERO], &[]).unwrap_err();
    assert_eq!(error, ShapeMatchingError::Count { array: "masses", count: 0, points: 1 });
    let shape = ShapeMatching2::new(&rest, &[1.0; 3]).unwrap();
    let error = shape.fit(&[Vec2::ZERO, Vec2::X, Vec2::new(1e101, 0.0)]).unwrap_err();
    assert_eq!(error, ShapeMatchingError::Component { array: "positions", index: 2, value: 1e101 });
    assert_eq!(error.to_string(), "number 2 of the positions has a component 1e101: give numbers up to 1e100");
    assert!(matches!(shape.fit(&rest[..2]).unwrap_err(), ShapeMatchingError::Count { count: 2, points: 3, .. }));
    for share in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(
            shape.goals(&rest, share).unwrap_err(),
            ShapeMatchingError::Setting { name: "linear share", .. }
        ));
    }
}

#[test]
fn a_refused_step_changes_nothing() {
    let rest = [Vec2::ZERO, Vec2::X, Vec2::Y];
    let shape = ShapeMatching2::new(&rest, &[1.0; 3]).unwrap();
    let mut positions = rest.map(|point| point * 2.0);
    let mut velocities = [Vec2::ONE; 3];
    let rigid = MatchingSettings::default();
    let bad = [Vec2::ZERO, Vec2::ZERO, Vec2::new(f64::INFINITY, 0.0)];
    let mut attempt = |accelerations: &[Vec2], settings: &MatchingSettings, time_step: f64| {
        let error = shape.step(&mut positions, &mut velocities, accelerations, settings, time_step).unwrap_err();
        assert_eq!((positions, velocities), (rest.map(|point| point * 2.0), [Vec2::ONE; 3]));
        error
    };
    let error = attempt(&bad, &rigid, 0.1);
    assert!(matches!(error, ShapeMatchingError::Component { array: "accelerations", index: 2, .. }));
    for time_step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = attempt(&[Vec2::ZERO; 3], &rigid, time_step);
        assert!(matches!(error, ShapeMatchingError::Setting { name: "time step", .. }));
    }
    let stiff = MatchingSettings { stiffness: 2.0, ..rigid };
    assert!(matches!(attempt(&[Vec2::ZERO; 3], &stiff, 0.1), ShapeMatchingError::Setting { name: "stiffness", .. }));
    let error = attempt(&[Vec2::ZERO, Vec2::new(1e100, 0.0), Vec2::ZERO], &rigid, 1e3);
    assert_eq!(error, ShapeMatchingError::OutOfRange { index: 1 });
}

#[test]
fn nearly_flat_points_have_bounded_goals() {
    let square = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(Vec2::from_array);
    let shape = ShapeMatching2::new(&square, &[1.0; 4]).unwrap();
    for exponent in 0..40 {
        let flat = square.map(|point| point * Vec2::new(1.0, libm::pow(10.0, -f64::from(exponent))));
        let goals = shape.goals(&flat, 1.0).unwrap();
        assert!(goals.iter().all(|goal| goal.length() < 1420.0 * 2.0), "{exponent}: {goals:?}");
    }
    // A rest shape on a line has no linear map.
    let line = [Vec2::ZERO, Vec2::ONE, Vec2::splat(3.0)];
    assert_eq!(ShapeMatching2::new(&line, &[1.0; 3]).unwrap().fit(&line).unwrap().linear, None);
}

#[test]
fn long_runs_of_rigid_shapes_stay_bounded() {
    let mut random = SplitMix64::new(2);
    for round in 0..60 {
        let count = 4 + round % 5;
        let rest: Vec<Vec3> = (0..count).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut positions: Vec<Vec3> = (0..count).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut velocities = vec![Vec3::ZERO; count];
        let masses: Vec<f64> = (0..count).map(|_| random.between(0.1, 10.0)).collect();
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        let settings = MatchingSettings { stiffness: random.unit(), linear_share: 0.0 };
        let centroid = shape.fit(&positions).unwrap().centroid;
        for _ in 0..2000 {
            shape.step(&mut positions, &mut velocities, &vec![Vec3::ZERO; count], &settings, 1e-3).unwrap();
        }
        let extent = positions.iter().map(|place| place.distance(centroid)).fold(0.0, f64::max);
        assert!(extent < 20.0, "{round} {settings:?}: {extent}");
        // 2,000 roundings of speeds near 1e3 m/s, over 2 s.
        let drift = shape.fit(&positions).unwrap().centroid.distance(centroid);
        assert!(drift < 4e-10, "{round} {settings:?}: {drift}");
    }
}
