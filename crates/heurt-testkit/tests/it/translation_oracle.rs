//! The least translation of unions, where it is known.

use heurt_geometry::Vec3;
use heurt_testkit::hard::concave::bars;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::penetration_depth;
use heurt_testkit::oracle::translation::least_translation;

#[test]
fn two_convex_sets_are_as_deep_as_exact_arithmetic_says() {
    let mut random = Random::new(1);
    for round in 0..60 {
        let mut set = || -> Vec<Vec3> {
            let mut part = || random.between(-1.0, 1.0);
            (0..5).map(|_| Vec3::new(part(), part(), part())).collect()
        };
        let (a, b) = (set(), set());
        let (exact, found) = (penetration_depth(&a, &b), least_translation(&[a], &[b]));
        assert!((exact - found).abs() < 1e-6, "round {round}: {found}, not {exact}");
    }
}

#[test]
fn a_box_in_a_notch_leaves_along_the_notch() {
    let notch = bars(&["#.#", "#.#", "###"], 1.0);
    // 0.9 wide, 0.1 into the left side and nowhere else.
    let corner = |k: usize| Vec3::new([0.9, 1.8][k & 1], [1.5, 2.5][k >> 1 & 1], [-1.0, 2.0][k >> 2]);
    let found = least_translation(&notch, &[(0..8).map(corner).collect()]);
    assert!((found - 0.1).abs() < 1e-6, "{found}");
}
