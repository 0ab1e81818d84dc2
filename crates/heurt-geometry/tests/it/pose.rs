//! Poses: the rounding of the contract to the last bit, what is refused, and what the identity leaves alone.

use heurt_geometry::{Mat3, Pose, PoseError, Vec3};
use heurt_testkit::number::random::Random;

/// Cosine and sine of 30°, rounded: a matrix orthonormal to about 1e-16.
fn thirty_degrees() -> Mat3 {
    let (c, s) = (0.75f64.sqrt(), 0.5);
    Mat3::from_cols(Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::Z)
}

fn random_quaternion(random: &mut Random) -> [f64; 4] {
    let q = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

#[test]
fn hand_computed_placements() {
    // A quarter turn about z takes x to y.
    let half = 0.5f64.sqrt();
    let quarter = Pose::from_quaternion([0.0, 0.0, half, half], Vec3::new(10.0, 20.0, 30.0)).unwrap();
    assert!((quarter.place(Vec3::X) - Vec3::new(10.0, 21.0, 30.0)).length() < 1e-14);
    assert!((quarter.place(Vec3::new(0.0, 2.0, 5.0)) - Vec3::new(8.0, 20.0, 35.0)).length() < 1e-14);
    // Half a turn about x, exactly.
    let half_turn = Pose::from_quaternion([1.0, 0.0, 0.0, 0.0], Vec3::ZERO).unwrap();
    assert_eq!(half_turn.place(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, -2.0, -3.0));
    let moved = Pose::from_translation(Vec3::new(1.0, -2.0, 0.5)).unwrap();
    assert_eq!(moved.place(Vec3::new(0.25, 2.0, 0.0)), Vec3::new(1.25, 0.0, 0.5));
    assert_eq!(moved.translation(), Vec3::new(1.0, -2.0, 0.5));
    assert_eq!(moved.rotation(), &Mat3::IDENTITY);
}

#[test]
fn every_rounding_is_that_of_the_contract() {
    let mut random = Random::new(1);
    let mut fused_differs = 0;
    for _ in 0..2000 {
        let mut place = || Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1e3, 1e3)));
        let (p, t) = (place(), place());
        let pose = Pose::from_quaternion(random_quaternion(&mut random), t).unwrap();
        let m = pose.rotation().to_cols_array_2d();
        let placed = pose.place(p).to_array();
        for k in 0..3 {
            let products = [m[0][k] * p.x, m[1][k] * p.y, m[2][k] * p.z];
            let two = products[0] + products[1];
            let three = two + products[2];
            assert_eq!(placed[k].to_bits(), (three + t.to_array()[k]).to_bits());
            let fused = m[2][k].mul_add(p.z, m[1][k].mul_add(p.y, products[0])) + t.to_array()[k];
            fused_differs += usize::from(fused != placed[k]);
        }
    }
    assert!(fused_differs > 100, "the test must tell fused from unfused: {fused_differs}");
}

#[test]
fn the_identity_leaves_points_untouched() {
    let extreme = [0.0, 1.0, -1.0 / 3.0, 5e-324, -5e-324, f64::MIN_POSITIVE, 1e300, f64::MAX, f64::MIN];
    let turned = Pose::from_quaternion([0.0, 0.0, 0.0, 1.0], Vec3::ZERO).unwrap();
    let given = Pose::from_matrix(Mat3::IDENTITY, Vec3::ZERO).unwrap();
    for pose in [Pose::IDENTITY, Pose::default(), turned, given] {
        assert!(pose.is_identity());
        assert_eq!(pose.defect(), 0.0);
        for x in extreme {
            for y in extreme {
                let p = Vec3::new(x, y, -x);
                assert_eq!(pose.place(p), p);
            }
        }
    }
    assert!(!Pose::from_translation(Vec3::new(5e-324, 0.0, 0.0)).unwrap().is_identity());
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let same = |value: f64| value == bad || value.is_nan() && bad.is_nan();
        let field_of = |result: Result<Pose, PoseError>| match result {
            Err(PoseError::NotFinite { field, value }) if same(value) => field,
            other => panic!("{other:?}"),
        };
        let unit = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(field_of(Pose::from_quaternion([bad, 0.0, 0.0, 1.0], Vec3::ZERO)), "rotation");
        assert_eq!(field_of(Pose::from_quaternion(unit, Vec3::new(0.0, bad, 0.0))), "translation");
        let matrix = Mat3::from_cols(Vec3::X, Vec3::new(0.0, 1.0, bad), Vec3::Z);
        assert_eq!(field_of(Pose::from_matrix(matrix, Vec3::ZERO)), "rotation");
        assert_eq!(field_of(Pose::from_matrix(Mat3::IDENTITY, Vec3::splat(bad))), "translation");
    }
}

#[test]
fn quaternions_are_normalised_only_when_nearly_unit() {
    for length in [1.0 - 9e-7, 1.0 + 9e-7] {
        let pose = Pose::from_quaternion([0.6 * length, 0.0, 0.0, 0.8 * length], Vec3::ZERO).unwrap();
        assert!(pose.defect() < 1e-15, "the norm is divided out: {}", pose.defect());
        assert!((pose.place(Vec3::Y).length() - 1.0).abs() < 1e-15);
    }
    for bad in [0.0, 1.0 - 2e-6, 1.0 + 2e-6, 2.0, 1e-200, 1e200] {
        let quaternion = [0.0, 0.0, bad, 0.0];
        match Pose::from_quaternion(quaternion, Vec3::ZERO) {
            Err(PoseError::NotUnit { quaternion: named, .. }) => assert_eq!(named, quaternion),
            other => panic!("{bad}: {other:?}"),
        }
    }
    let message = Pose::from_quaternion([0.0, 0.0, 2.0, 0.0], Vec3::ZERO).unwrap_err().to_string();
    assert!(message.contains("[0, 0, 2, 0]") && message.contains("norm 2"), "{message}");
}

#[test]
fn matrices_must_be_rotations() {
    let refused = |matrix: Mat3| match Pose::from_matrix(matrix, Vec3::ZERO) {
        Err(PoseError::NotRotation { reason, deviation }) => (reason, deviation),
        other => panic!("{other:?}"),
    };
    let (reason, deviation) = refused(Mat3::from_cols(Vec3::X, Vec3::Y, -Vec3::Z));
    assert!(reason.contains("mirror"), "{reason}");
    assert_eq!(deviation, 2.0);
    let (reason, deviation) = refused(Mat3::from_diagonal(Vec3::new(1.0, 2.0, 1.0)));
    assert!(reason.contains("orthonormal"), "{reason}");
    assert_eq!(deviation, 3.0, "2² − 1");
    refused(Mat3::ZERO);
    refused(Mat3::from_diagonal(Vec3::splat(1e200)));
    refused(Mat3::from_cols(Vec3::X, Vec3::new(2e-6, 1.0, 0.0), Vec3::Z));
    let skew = Mat3::from_cols(Vec3::X, Vec3::new(5e-7, 1.0, 0.0), Vec3::Z);
    let pose = Pose::from_matrix(skew, Vec3::ZERO).unwrap();
    assert_eq!(*pose.rotation(), skew, "used as given");
    assert!((pose.defect() - 5e-7).abs() < 1e-12, "the defect is what is off: {}", pose.defect());
}

#[test]
fn the_defect_is_the_largest_entry() {
    let pose = Pose::from_matrix(thirty_degrees(), Vec3::ZERO).unwrap();
    let m = pose.rotation();
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let entries = [x.dot(x) - 1.0, y.dot(y) - 1.0, z.dot(z) - 1.0, x.dot(y), y.dot(z), z.dot(x)];
    let largest = entries.iter().fold(0.0f64, |worst, e| worst.max(e.abs()));
    assert!((pose.defect() - largest).abs() <= 2.3e-16, "{} and {largest}", pose.defect());
    assert!(pose.defect() < 1e-15);
    assert_eq!(Pose::from_translation(Vec3::ONE).unwrap().defect(), 0.0);
}

#[test]
fn composing_places_inner_first() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut pose = || {
            let q = random_quaternion(&mut random);
            Pose::from_quaternion(q, Vec3::from_array([0.0; 3].map(|_: f64| random.between(-5.0, 5.0)))).unwrap()
        };
        let (outer, inner) = (pose(), pose());
        let p = Vec3::new(1.0, -2.0, 3.0);
        let both = outer.compose(&inner);
        assert!((both.place(p) - outer.place(inner.place(p))).length() < 1e-13);
        assert!(both.defect() < 1e-14);
        assert_eq!(outer.compose(&Pose::IDENTITY), outer);
    }
}

#[test]
fn a_translation_that_is_not_finite_is_refused() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let mut translation = Vec3::ONE;
            translation[axis] = value;
            let error = Pose::from_translation(translation).unwrap_err();
            assert!(matches!(error, PoseError::NotFinite { field: "translation", .. }), "{error}");
            assert_eq!(error.to_string(), format!("the translation holds {value}: give finite numbers"));
        }
    }
    assert!(Pose::from_translation(Vec3::splat(f64::MAX)).is_ok());
}
