//! Signs of determinants against exact integers, over every magnitude that `f64` has.

use heurt_geometry::{Exact, FilterOnly, Predicates, Sign, Vec2, Vec3, insphere, orient2d, orient3d};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;
use num_bigint::BigInt;

fn number(sign: Sign) -> i32 {
    sign as i32
}

/// What the coordinates of a case look like.
#[derive(Debug, Clone, Copy)]
enum Range {
    Unit,
    SmallWhole,
    Tiny,
    Denormal,
    Huge,
    /// Each coordinate of its own magnitude.
    Mixed,
    /// Within 40 binary orders of each other: on both sides of what 256 bits hold.
    Spread,
}

const RANGES: [Range; 7] =
    [Range::Unit, Range::SmallWhole, Range::Tiny, Range::Denormal, Range::Huge, Range::Mixed, Range::Spread];

fn coordinate(random: &mut Random, range: Range) -> f64 {
    let whole = |random: &mut Random| random.whole(-4, 4) as f64;
    match range {
        Range::Unit => random.between(-1.0, 1.0),
        Range::SmallWhole => whole(random),
        Range::Tiny => whole(random) * 1e-200,
        Range::Denormal => whole(random) * f64::from_bits(1),
        Range::Huge => random.between(-1.0, 1.0) * 1e308,
        Range::Mixed => random.between(-1.0, 1.0) * 2f64.powi(random.whole(-1000, 1000) as i32),
        Range::Spread => random.between(-1.0, 1.0) * 2f64.powi(random.whole(0, 40) as i32),
    }
}

fn point(random: &mut Random, range: Range) -> Vec3 {
    let mut pick = || coordinate(random, range);
    Vec3::new(pick(), pick(), pick())
}

/// A point near the plane of `a`, `b`, `c`: an affine combination, rounded, so that the sign hangs on the last bits.
fn near(random: &mut Random, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (s, t) = (random.whole(-8, 8) as f64 / 8.0, random.whole(-8, 8) as f64 / 8.0);
    let p = a * (1.0 - s - t) + b * s + c * t;
    if p.is_finite() { p } else { a * 0.5 + b * 0.5 }
}

fn points<const N: usize>(random: &mut Random) -> [Vec3; N] {
    let range = RANGES[random.whole(0, RANGES.len() as i64 - 1) as usize];
    let mut points = [Vec3::ZERO; N];
    points.iter_mut().for_each(|p| *p = point(random, range));
    if random.one_in(2) {
        let plane = [points[0], points[1], points[2]];
        points[N - 1] = near(random, plane);
    }
    points
}

#[test]
fn orient3d_agrees_with_integers_of_any_length() {
    let mut random = Random::new(1);
    let (mut zero, mut filter_wrong) = (0, 0);
    for _ in 0..60_000 {
        let [a, b, c, d] = points(&mut random);
        let truth = oracle::orient3d(a, b, c, d);
        assert_eq!(number(orient3d(a, b, c, d)), truth, "{a:?} {b:?} {c:?} {d:?}");
        assert_eq!(number(orient3d(b, a, c, d)), -truth, "swapped {a:?} {b:?} {c:?} {d:?}");
        let sides = Exact::sides(&[a, b, c], &[d, a, -d]).map(number);
        assert_eq!(sides, [truth, 0, oracle::orient3d(a, b, c, -d)], "{a:?} {b:?} {c:?} {d:?}");
        zero += u32::from(truth == 0);
        filter_wrong += u32::from(number(FilterOnly::orient3d(a, b, c, d)) != truth);
    }
    assert!(zero > 3000 && filter_wrong > 3000, "{zero} zero, {filter_wrong} beyond the filter: too easy");
}

#[test]
fn orient2d_agrees_with_integers_of_any_length() {
    let mut random = Random::new(2);
    let mut filter_wrong = 0;
    for _ in 0..60_000 {
        // In the plane z = 0 with an apex above, the spatial sign is the planar one.
        let [a, b, c] = points(&mut random).map(|p: Vec3| Vec2::new(p.x, p.y));
        let c = if random.one_in(2) { (a + (b - a) * 0.25).clamp(Vec2::MIN, Vec2::MAX) } else { c };
        let truth = oracle::orient3d(a.extend(0.0), b.extend(0.0), c.extend(0.0), a.extend(1.0));
        assert_eq!(number(orient2d(a, b, c)), truth, "{a:?} {b:?} {c:?}");
        assert_eq!(number(orient2d(c, b, a)), -truth, "swapped {a:?} {b:?} {c:?}");
        filter_wrong += u32::from(number(FilterOnly::orient2d(a, b, c)) != truth);
    }
    assert!(filter_wrong > 1000, "{filter_wrong} beyond the filter: too easy");
}

#[test]
fn insphere_agrees_with_integers_of_any_length() {
    let mut random = Random::new(3);
    let mut on_sphere = 0;
    for _ in 0..6_000 {
        let mut p: [Vec3; 5] = points(&mut random);
        if random.one_in(3) {
            // Corners of a box lie on a sphere.
            let half = point(&mut random, Range::SmallWhole) * 2f64.powi(random.whole(-500, 500) as i32);
            p = [0, 3, 5, 6, 7].map(|k| half * Vec3::new(sign_bit(k), sign_bit(k >> 1), sign_bit(k >> 2)));
        }
        let truth = oracle::insphere(p);
        assert_eq!(number(insphere(p[0], p[1], p[2], p[3], p[4])), truth, "{p:?}");
        assert_eq!(number(insphere(p[1], p[0], p[2], p[3], p[4])), -truth, "swapped {p:?}");
        on_sphere += u32::from(truth == 0);
    }
    assert!(on_sphere > 500, "{on_sphere}");
}

fn sign_bit(k: i32) -> f64 {
    if k & 1 == 1 { 1.0 } else { -1.0 }
}

#[test]
fn signs_mean_what_they_say() {
    assert_eq!(orient2d(Vec2::ZERO, Vec2::X, Vec2::Y), Sign::Positive);
    assert_eq!(orient3d(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z), Sign::Positive);
    let inside = Vec3::splat(0.25);
    assert_eq!(insphere(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, inside), Sign::Positive);
    assert_eq!(insphere(Vec3::X, Vec3::ZERO, Vec3::Y, Vec3::Z, inside), Sign::Negative);
    assert_eq!(insphere(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE), Sign::Zero);
    assert_eq!(insphere(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(2.0)), Sign::Negative);
}

#[test]
fn one_unit_in_the_last_place_decides() {
    let [a, b, c] = [Vec3::new(0.1, 0.1, 0.1), Vec3::new(12.0, 0.1, 0.1), Vec3::new(0.1, 12.0, 0.1)];
    for scale in [1.0, 1e-300, 1e300, f64::MIN_POSITIVE] {
        let at = |z: f64| orient3d(a * scale, b * scale, c * scale, Vec3::new(7.0, 3.0, z) * scale);
        assert_eq!(at(0.1), Sign::Zero, "{scale}");
        let d = Vec3::new(7.0 * scale, 3.0 * scale, (0.1 * scale).next_up());
        assert_eq!(orient3d(a * scale, b * scale, c * scale, d), Sign::Positive, "{scale}");
    }
}

fn sign(whole: i32) -> Sign {
    [Sign::Negative, Sign::Zero, Sign::Positive][(whole + 1) as usize]
}

#[test]
fn signs_multiply_and_flip() {
    for (p, q) in [(-1, -1), (-1, 0), (-1, 1), (0, 0), (0, 1), (1, 1)] {
        assert_eq!(sign(p).times(sign(q)), sign(p * q));
        assert_eq!(sign(q).times(sign(p)), sign(p * q));
        assert_eq!(sign(p).flipped(), sign(-p));
    }
    assert_eq!([Sign::of(-2.0), Sign::of(-0.0), Sign::of(5e-324)], [Sign::Negative, Sign::Zero, Sign::Positive]);
    assert!(Sign::Negative < Sign::Zero && Sign::Zero < Sign::Positive);
}

/// x · 2^1074, which is whole for every finite `f64`.
fn whole(x: f64) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as usize, (bits & ((1 << 52) - 1)) as i64);
    let magnitude =
        if exponent == 0 { BigInt::from(fraction) } else { BigInt::from(fraction + (1 << 52)) << (exponent - 1) };
    if x < 0.0 { -magnitude } else { magnitude }
}

/// The sign of the sum of the six products of the 3×3 determinant of (x, y, 1).
fn exact_orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign {
    let product = |x: f64, y: f64| whole(x) * whole(y);
    let sum = product(a.x, b.y) - product(a.y, b.x) + product(b.x, c.y) - product(b.y, c.x) + product(c.x, a.y)
        - product(c.y, a.x);
    match sum.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

#[test]
fn the_ends_of_the_range_are_no_exception() {
    let ends = [0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -5e-324, 1.0, f64::EPSILON, 1e154, -1e-154];
    let mut random = Random::new(4);
    let mut zero = 0;
    for _ in 0..20_000 {
        let mut pick = || ends[random.whole(0, ends.len() as i64 - 1) as usize];
        let [a, b, c] = [0; 3].map(|_| Vec2::new(pick(), pick()));
        let truth = exact_orient2d(a, b, c);
        assert_eq!(orient2d(a, b, c), truth, "{a:?} {b:?} {c:?}");
        zero += u32::from(truth.is_zero());
        let [a, b, c, d] = [0; 4].map(|_| Vec3::new(pick(), pick(), pick()));
        assert_eq!(number(orient3d(a, b, c, d)), oracle::orient3d(a, b, c, d), "{a:?} {b:?} {c:?} {d:?}");
    }
    assert!(zero > 1000, "{zero} collinear");
}
