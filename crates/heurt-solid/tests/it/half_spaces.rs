//! Half-spaces and quadrics: signs, rays against samples, boundedness against an oracle, hostile numbers.

use heurt_geometry::{Mat3, Sign, Vec3};
use heurt_solid::{
    Boundedness, HalfSpace, HalfSpaceError, HalfSpaceIntersection, IntervalSet, Quadric, QuadricIntersection,
};
use heurt_testkit::number::random::Random;

fn half_space(a: [f64; 3], b: f64) -> HalfSpace {
    HalfSpace::new(Vec3::from_array(a), b).unwrap()
}

fn small_vector(random: &mut Random) -> [i64; 3] {
    [0; 3].map(|_: i64| random.whole(-2, 2))
}

#[test]
fn the_signs_of_slide_18_follow_from_f_at_most_0() {
    // x ≤ 3: a·d > 0 gives an upper bound, a·d < 0 a lower one, a·d = 0 all or nothing.
    let below = half_space([1.0, 0.0, 0.0], -3.0);
    assert_eq!(below.line_interval(Vec3::X, Vec3::X,), Some([f64::NEG_INFINITY, 2.0]));
    assert_eq!(below.line_interval(Vec3::X * 5.0, -Vec3::X), Some([2.0, f64::INFINITY]));
    assert_eq!(below.line_interval(Vec3::X * 3.0, Vec3::Y), Some([f64::NEG_INFINITY, f64::INFINITY]));
    assert_eq!(below.line_interval(Vec3::X * 4.0, Vec3::Y), None);
}

#[test]
fn refusals_name_the_fault() {
    assert_eq!(HalfSpace::new(Vec3::ZERO, 1.0), Err(HalfSpaceError::ZeroNormal));
    assert!(matches!(HalfSpace::new(Vec3::NAN, 1.0), Err(HalfSpaceError::NotFinite { field: "normal", .. })));
    assert!(matches!(HalfSpace::new(Vec3::X, f64::INFINITY), Err(HalfSpaceError::NotFinite { field: "offset", .. })));
    assert_eq!(Quadric::new(Mat3::ZERO, Vec3::ZERO, 1.0), Err(HalfSpaceError::ConstantQuadric));
    let skew = Mat3::from_cols_array(&[1.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert!(matches!(Quadric::new(skew, Vec3::ZERO, 1.0), Err(HalfSpaceError::NotSymmetric { row: 0, column: 1, .. })));
}

#[test]
fn sides_are_exact_at_all_magnitudes() {
    // 0.1 + 0.2 − 0.3 is positive in exact arithmetic of the rounded constants.
    assert_eq!(half_space([0.1, 0.2, 0.0], -0.3).side(Vec3::new(1.0, 1.0, 7.0)), Sign::Positive);
    assert_eq!(half_space([1e300, -1e300, 1e-300], 0.0).side(Vec3::new(1e300, 1e300, -1e-300)), Sign::Negative);
    assert_eq!(half_space([5e-324, 0.0, 0.0], -5e-324).side(Vec3::X), Sign::Zero);
    assert!(!half_space([1.0, 0.0, 0.0], 0.0).contains(Vec3::NAN));
    let mut random = Random::new(3);
    for _ in 0..10_000 {
        let (a, p) = (small_vector(&mut random), small_vector(&mut random));
        let b = random.whole(-4, 4);
        if a == [0; 3] {
            continue;
        }
        let exact = a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + b;
        let scale = 2f64.powi(random.whole(-300, 300) as i32);
        let given = half_space(a.map(|x| x as f64 * scale), b as f64 * scale);
        assert_eq!(given.side(Vec3::from_array(p.map(|x| x as f64))), Sign::of(exact as f64));
    }
}

/// The recession cone is {0} if and only if the normals span space and no ±nᵢ×nⱼ satisfies all conditions.
fn is_trivial_cone(normals: &[[i64; 3]]) -> bool {
    let dot = |a: [i64; 3], b: [i64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [i64; 3], b: [i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let mut spans = false;
    for &a in normals {
        for &b in normals {
            let d = cross(a, b);
            spans |= normals.iter().any(|&c| dot(c, d) != 0);
            if d != [0; 3] && normals.iter().all(|&c| dot(c, d) <= 0) {
                return false;
            }
        }
    }
    spans
}

#[test]
fn boundedness_agrees_with_the_extreme_rays() {
    let (mut random, mut count) = (Random::new(5), [0; 2]);
    for _ in 0..4000 {
        let normals: Vec<_> =
            (0..random.whole(1, 9)).map(|_| small_vector(&mut random)).filter(|&a| a != [0; 3]).collect();
        let scale = 2f64.powi(random.whole(-200, 200) as i32);
        let given = normals.iter().map(|a| half_space(a.map(|x| x as f64 * scale), random.between(-1.0, 1.0)));
        let trivial = HalfSpaceIntersection::new(given.collect()).has_trivial_recession_cone();
        assert_eq!(trivial, is_trivial_cone(&normals), "{normals:?}");
        count[usize::from(trivial)] += 1;
    }
    assert!(count[0] > 500 && count[1] > 500, "{count:?}");
}

#[test]
fn rays_agree_with_membership() {
    let mut random = Random::new(7);
    for round in 0..2000 {
        let planes =
            (0..random.whole(0, 4)).map(|_| HalfSpace::new(random.vector(1.0), random.between(-1.0, 0.5)).unwrap());
        let planes: Vec<_> = planes.collect();
        let quadrics = (0..random.whole(0, 2)).map(|_| {
            let [a, b, c, d, e, f] = [0.0; 6].map(|_: f64| random.between(-1.0, 1.0));
            let matrix = Mat3::from_cols_array(&[a, d, e, d, b, f, e, f, c]);
            Quadric::new(matrix, random.vector(1.0), random.between(-1.0, 0.5)).unwrap()
        });
        let solid = QuadricIntersection::new(planes, quadrics.collect());
        let (origin, mut direction) = (random.vector(2.0), random.vector(1.0));
        if round % 5 == 0 {
            direction = Vec3::X;
        }
        let found = solid.ray_intervals(origin, direction, 5.0);
        let set = IntervalSet::from_intervals(&found, 0);
        assert!(set.intervals().eq(found.iter().copied()), "ascending and disjoint");
        for k in 0..200 {
            let t = k as f64 * 0.025 + 0.003;
            let is_near_end = found.iter().flatten().any(|end| (end - t).abs() < 1e-9);
            let inside = found.iter().any(|&[from, to]| from <= t && t <= to);
            let is_near_boundary =
                solid.quadrics().iter().any(|quadric| quadric.value(origin + direction * t).abs() < 1e-12);
            assert!(
                is_near_end || is_near_boundary || inside == solid.contains(origin + direction * t),
                "{solid:?} {t}"
            );
        }
    }
}

#[test]
fn quadratics_are_robust() {
    // A tiny root next to a huge one: (t − 1e-9)(t − 1e9) ≤ 0 along x.
    let matrix = Mat3::from_diagonal(Vec3::X);
    let wide = Quadric::new(matrix, Vec3::X * -(1e9 + 1e-9), 1.0).unwrap();
    let [[low, high]] = wide.ray_intervals(Vec3::ZERO, Vec3::X, 1e12)[..] else { panic!("one interval") };
    assert!((low - 1e-9).abs() < 1e-24 && (high - 1e9).abs() < 1e-6, "{low} {high}");
    for scale in [1e-150, 1.0, 1e150] {
        let ball = Quadric::ball(scale).unwrap();
        let [[low, high]] = ball.ray_intervals(-Vec3::X * 3.0 * scale, Vec3::X, f64::INFINITY)[..] else { panic!() };
        assert!((low / scale - 2.0).abs() < 1e-14 && (high / scale - 4.0).abs() < 1e-14);
    }
    // A double root, and a ray within the boundary of the complement.
    let tube = Quadric::cylinder(1.0).unwrap();
    assert_eq!(tube.ray_intervals(Vec3::new(-2.0, 1.0, 0.0), Vec3::X, 9.0), [[2.0, 2.0]]);
    assert_eq!(tube.complement().ray_intervals(Vec3::new(-2.0, 1.0, 0.0), Vec3::X, 9.0), [[0.0, 9.0]]);
    assert_eq!(tube.ray_intervals(Vec3::X, Vec3::Z, 9.0), [[0.0, 9.0]]);
    assert!(tube.ray_intervals(Vec3::X * 1.1, Vec3::Z, 9.0).is_empty());
}

#[test]
fn bounds_of_quadrics_are_proved_or_refused() {
    let (floor, lid) = (half_space([0.0, 0.0, -1.0], 0.0), half_space([0.0, 0.0, 1.0], -2.0));
    let diagonal = |x: f64, y: f64, z: f64| Mat3::from_diagonal(Vec3::new(x, y, z));
    let bowl = Quadric::new(diagonal(1.0, 1.0, 0.0), -Vec3::Z, 0.0).unwrap();
    let saddle = Quadric::new(diagonal(1.0, -1.0, 0.0), -Vec3::Z, 0.0).unwrap();
    let cone = Quadric::cone(0.0, 1.0).unwrap();
    let check = |planes: &[HalfSpace], quadrics: &[Quadric], expected: Vec3| {
        let bounds = QuadricIntersection::new(planes.to_vec(), quadrics.to_vec()).bounds().unwrap();
        assert!(bounds.max.cmpge(expected).all() && (bounds.max - expected).max_element() < 0.05, "{bounds:?}");
    };
    check(&[floor, lid], &[Quadric::cylinder(0.5).unwrap()], Vec3::new(0.5, 0.5, 2.0));
    check(&[lid], &[bowl], Vec3::new(2f64.sqrt(), 2f64.sqrt(), 2.0));
    check(&[floor, lid], &[cone], Vec3::splat(2.0));
    check(&[], &[Quadric::ball(3.0).unwrap()], Vec3::splat(3.0));
    let outcome = |planes: &[HalfSpace], quadrics: &[Quadric]| {
        QuadricIntersection::new(planes.to_vec(), quadrics.to_vec()).boundedness()
    };
    assert_eq!(outcome(&[floor], &[Quadric::cylinder(0.5).unwrap()]), Boundedness::Unbounded);
    assert_eq!(outcome(&[floor], &[bowl]), Boundedness::Unbounded);
    assert_eq!(outcome(&[floor], &[cone]), Boundedness::Undecided);
    assert_eq!(outcome(&[floor, lid], &[saddle]), Boundedness::Undecided);
    assert_eq!(outcome(&[], &[Quadric::ball(1.0).unwrap().complement()]), Boundedness::Undecided);
}
