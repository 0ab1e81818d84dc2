//! Points as ratios of integers: intersections of edges with planes and with edges, and the signs of their positions.
//!
//! Method: coordinates of the meshes are integers times one power of two (the *lattice*). A point is (x, y, z) / w with
//! integers of any length and w > 0. A coordinate is rounded to the nearest `f64` once, from the exact ratio.

use crate::exact_number::{cross, decode, dot, minus, sign_of};
use heurt_geometry::{Sign, Triangle, Vec3};
use num_bigint::{BigInt, BigUint};

/// The power of two of which all coordinates are integer multiples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lattice {
    exponent: i32,
}

/// A point (x, y, z) / w on a lattice.
#[derive(Debug, Clone)]
pub(super) struct ExactPoint {
    pub place: [BigInt; 3],
    pub w: BigInt,
}

/// A feature of a triangle with its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum PlacedFeature {
    Vertex(Vec3),
    Edge([Vec3; 2]),
    Face(Triangle),
}

/// Bits of the significand of an `f64`.
const SIGNIFICAND: u64 = 53;

impl Lattice {
    /// Returns the coarsest lattice of some points.
    pub(super) fn of(points: impl Iterator<Item = Vec3>) -> Self {
        let coordinates = points.flat_map(|point| point.to_array()).filter(|x| *x != 0.0);
        let exponent = |x: f64| {
            let (mantissa, exponent) = decode(x);
            exponent + mantissa.trailing_zeros() as i32
        };
        Self { exponent: coordinates.map(exponent).min().unwrap_or(0) }
    }

    /// Returns the finer of two lattices.
    pub(super) fn finer(self, other: Self) -> Self {
        Self { exponent: self.exponent.min(other.exponent) }
    }

    /// Returns the point of this lattice as a point of a finer one.
    pub(super) fn refine(self, point: &ExactPoint, finer: Self) -> ExactPoint {
        let shift = (self.exponent - finer.exponent).max(0) as usize;
        ExactPoint { place: [0, 1, 2].map(|k| &point.place[k] << shift), w: point.w.clone() }
    }

    pub(super) fn integers(self, point: Vec3) -> [BigInt; 3] {
        point.to_array().map(|x| {
            let (mantissa, exponent) = decode(x);
            if mantissa == 0 {
                return BigInt::ZERO;
            }
            let zeros = mantissa.trailing_zeros();
            BigInt::from(mantissa >> zeros) << (exponent + zeros as i32 - self.exponent) as usize
        })
    }

    /// Computes the point in which two features meet.
    pub(super) fn meeting(self, a: PlacedFeature, b: PlacedFeature) -> ExactPoint {
        use PlacedFeature::{Edge, Face, Vertex};
        match (a, b) {
            (Vertex(vertex), _) | (_, Vertex(vertex)) => self.point(vertex),
            (Edge(a), Edge(b)) => self.two_lines(a, b),
            (Edge(edge), Face(face)) | (Face(face), Edge(edge)) => self.line_and_plane(edge, face),
            // Two faces meet in no single point.
            (Face(_), Face(_)) => self.point(Vec3::ZERO),
        }
    }

    pub(super) fn point(self, point: Vec3) -> ExactPoint {
        ExactPoint { place: self.integers(point), w: BigInt::from(1) }
    }

    /// Returns the point in which a line meets a plane that it is not parallel to.
    pub(super) fn line_and_plane(self, line: [Vec3; 2], plane: [Vec3; 3]) -> ExactPoint {
        let [p, q] = line.map(|point| self.integers(point));
        let [r, s, t] = plane.map(|point| self.integers(point));
        let normal = cross(minus(&s, &r).each_ref(), minus(&t, &r).each_ref());
        let direction = minus(&q, &p);
        let height = dot(&normal, &minus(&p, &r));
        let fall = -dot(&normal, &direction);
        on_line(&p, &direction, height, fall)
    }

    /// Returns the point in which two lines of one plane meet that are not parallel.
    pub(super) fn two_lines(self, first: [Vec3; 2], second: [Vec3; 2]) -> ExactPoint {
        let [p, q] = first.map(|point| self.integers(point));
        let [r, s] = second.map(|point| self.integers(point));
        let (u, v, offset) = (minus(&q, &p), minus(&s, &r), minus(&r, &p));
        // p + u · (offset × v) / (u × v), in a coordinate plane in which the lines are not parallel.
        let area = cross(u.each_ref(), v.each_ref());
        let number = (0..3).find(|k| area[*k] != BigInt::ZERO).unwrap_or(0);
        let height = cross(offset.each_ref(), v.each_ref())[number].clone();
        on_line(&p, &u, height, area[number].clone())
    }

    /// Rounds a point to the nearest `f64` coordinates.
    pub(super) fn round(self, point: &ExactPoint) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|k| round_ratio(&point.place[k], &point.w, self.exponent)))
    }

    /// Returns the centroid of three points.
    pub(super) fn centroid([a, b, c]: [&ExactPoint; 3]) -> ExactPoint {
        let (ab, bc, ca) = (&a.w * &b.w, &b.w * &c.w, &c.w * &a.w);
        let place = [0, 1, 2].map(|k| &a.place[k] * &bc + &b.place[k] * &ca + &c.place[k] * &ab);
        ExactPoint { place, w: ab * &c.w * 3 }
    }
}

/// Returns the point in which two segments of one plane cross, each of which has its ends on both sides of the
/// second line, seen along an axis that is not in the plane; `across` are the two axes that remain.
pub(super) fn crossing_of([a, b]: [&ExactPoint; 2], [c, d]: [&ExactPoint; 2], across: [usize; 2]) -> ExactPoint {
    let (from_a, from_b) = (area([c, d, a], across), area([c, d, b], across));
    let mut place = [0, 1, 2].map(|k| &a.place[k] * &from_b - &b.place[k] * &from_a);
    let mut w = &from_b * &a.w - &from_a * &b.w;
    if w < BigInt::ZERO {
        place = place.map(|x| -x);
        w = -w;
    }
    ExactPoint { place, w }
}

/// p + direction · height / w.
fn on_line(p: &[BigInt; 3], direction: &[BigInt; 3], mut height: BigInt, mut w: BigInt) -> ExactPoint {
    if w < BigInt::ZERO {
        (height, w) = (-height, -w);
    }
    ExactPoint { place: [0, 1, 2].map(|k| &p[k] * &w + &direction[k] * &height), w }
}

/// The sign of the area of three points, projected on two axes.
pub(super) fn orient(points: [&ExactPoint; 3], axes: [usize; 2]) -> Sign {
    sign_of(&area(points, axes))
}

/// The area of three points, projected on two axes, times the product of their denominators.
fn area([a, b, c]: [&ExactPoint; 3], [u, v]: [usize; 2]) -> BigInt {
    let minor = |p: &ExactPoint, q: &ExactPoint| &p.place[u] * &q.place[v] - &p.place[v] * &q.place[u];
    minor(a, b) * &c.w + minor(b, c) * &a.w + minor(c, a) * &b.w
}

/// The sign of a coordinate of a less the coordinate of b.
pub(super) fn compare(a: &ExactPoint, b: &ExactPoint, axis: usize) -> Sign {
    sign_of(&(&a.place[axis] * &b.w - &b.place[axis] * &a.w))
}

/// x / w · 2^exponent, rounded to the nearest number, to even if there are two; w > 0.
fn round_ratio(x: &BigInt, w: &BigInt, exponent: i32) -> f64 {
    let (magnitude, divisor) = (x.magnitude(), w.magnitude());
    if magnitude.bits() == 0 {
        return 0.0;
    }
    // Two more bits than a significand has, and a third one for what is lost.
    let shift = (SIGNIFICAND + 2) as i64 - (magnitude.bits() as i64 - divisor.bits() as i64);
    // Numbers below the normal range have fewer bits: their last bit is 2⁻¹⁰⁷⁴.
    let shift = shift.min(1074 + 2 + i64::from(exponent));
    let (quotient, is_exact) = divide(magnitude, divisor, shift);
    let mut bits = quotient << 1 | u64::from(!is_exact);
    let mut power = i64::from(exponent) - shift - 1;
    // To 53 bits, or to a multiple of 2⁻¹⁰⁷⁴.
    let length = 64 - i64::from(bits.leading_zeros());
    let surplus = (length - SIGNIFICAND as i64).max(-1074 - power).max(0);
    if surplus >= 64 {
        return 0.0;
    }
    if surplus > 0 {
        let (kept, lost) = (bits >> surplus, bits & ((1 << surplus) - 1));
        let half = 1 << (surplus - 1);
        bits = kept + u64::from(lost > half || lost == half && kept & 1 == 1);
        power += surplus;
    }
    let value = scale(bits as f64, power);
    if x.sign() == num_bigint::Sign::Minus { -value } else { value }
}

/// ⌊magnitude · 2^shift / divisor⌋, and whether nothing is lost. The quotient has at most 57 bits.
fn divide(magnitude: &BigUint, divisor: &BigUint, shift: i64) -> (u64, bool) {
    let (numerator, denominator) = match shift >= 0 {
        true => (magnitude << shift as usize, divisor.clone()),
        false => (magnitude.clone(), divisor << (-shift) as usize),
    };
    let quotient = &numerator / &denominator;
    let is_exact = &quotient * &denominator == numerator;
    (quotient.iter_u64_digits().next().unwrap_or(0), is_exact)
}

/// x · 2^power, which is exact: x has at most 53 bits, and the result is a number or beyond all.
fn scale(mut x: f64, mut power: i64) -> f64 {
    while power > 1000 {
        x *= f64::from_bits((1023 + 1000) << 52);
        power -= 1000;
        if x.is_infinite() {
            return x;
        }
    }
    while power < -1000 {
        x *= f64::from_bits((1023 - 1000) << 52);
        power += 1000;
    }
    x * f64::from_bits(((1023 + power) as u64) << 52)
}
