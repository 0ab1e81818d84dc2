//! Determinants with correct rounding, and exact comparison of the heights of two triangles over a point.
//!
//! In: corners of triangles, and a power of two that brings them near 1. Out: points on edges, correct within an ulp;
//! an [`Ordering`] of two heights.
//! Method: double-double arithmetic with a bound (`bounded`); integers of any length if the bound leaves the result
//! undecided.
//! Cost: some 0.1 µs; microseconds in integers, which degenerate input needs.

use super::bounded::Bounded;
use heurt_geometry::{Triangle, Vec2, Vec3};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// Bits of a quotient of integers: more than the bits of an `f64`.
const QUOTIENT_BITS: i64 = 80;

/// Computes the point on the plane of `plane` of the segment from `p` to `q`, whose ends lie on different sides of the
/// plane or on it. The result is multiplied by `unit`, a power of two in which the point has a size of approximately 1
/// or less.
pub(crate) fn point_on_plane(p: Vec3, q: Vec3, plane: &Triangle, unit: f64) -> Vec3 {
    let (start, end, scaled) = (p * unit, q * unit, plane.map(|corner| corner * unit));
    let [of_p, of_q] = [start, end].map(|point| side(&scaled, point));
    if of_p.is_certain() && of_q.is_certain() {
        let share = of_p.over(of_p.minus(of_q));
        let found = [0, 1, 2].map(|k| Bounded::difference(end[k], start[k]).times(share).plus(Bounded::new(start[k])));
        if found.iter().all(|coordinate| coordinate.is_fine()) {
            let found = Vec3::from_array(found.map(Bounded::value));
            return found.clamp(start.min(end), start.max(end));
        }
    }
    exact_point(p, q, plane, unit)
}

/// Computes six times the signed volume of a tetrahedron.
fn side([a, b, c]: &Triangle, d: Vec3) -> Bounded {
    let row = |p: Vec3| [0, 1, 2].map(|k| Bounded::difference(p[k], a[k]));
    let [u, v, w] = [row(*b), row(*c), row(d)];
    let minor = |i: usize, j: usize| u[i].times(v[j]).minus(u[j].times(v[i]));
    w[0].times(minor(1, 2)).plus(w[1].times(minor(2, 0))).plus(w[2].times(minor(0, 1)))
}

/// Computes the height of the plane of a triangle over a point of the plane across an axis, to which the triangle is
/// not parallel. The coordinates are in cyclic order with the axis last, and have a size of approximately 1 or less.
pub(crate) fn height_over([a, b, c]: &Triangle, at: Vec2) -> f64 {
    let [normal, numerator] = plane_over([*a, *b, *c], at);
    if normal.is_certain() {
        let height = Bounded::new(a.z).minus(numerator.over(normal));
        if height.is_fine() {
            return height.value();
        }
    }
    let corners = integers(&[*a, *b, *c, Vec3::new(at.x, at.y, 0.0)]);
    let [normal, numerator] = exact_plane_over(&corners);
    a.z - quotient(&numerator, &normal, corners.exponent)
}

/// Returns the component of the normal along the axis, and the drop of the plane's height from the first corner to
/// `at`, times that component.
fn plane_over([a, b, c]: [Vec3; 3], at: Vec2) -> [Bounded; 2] {
    let row = |p: Vec3| [0, 1, 2].map(|k| Bounded::difference(p[k], a[k]));
    let [u, v] = [row(b), row(c)];
    let minor = |i: usize, j: usize| u[i].times(v[j]).minus(u[j].times(v[i]));
    let aside = [Bounded::difference(at.x, a.x), Bounded::difference(at.y, a.y)];
    [minor(0, 1), minor(1, 2).times(aside[0]).plus(minor(2, 0).times(aside[1]))]
}

/// Compares the heights of two triangles, neither parallel to the axis, over a point; coordinates in cyclic order with
/// the axis last. `unit` is a power of two in which the second triangle has a size of approximately 1.
pub(crate) fn compare_heights(x: &Triangle, y: &Triangle, at: Vec2, unit: f64) -> Ordering {
    let [low_x, low_y] = [x, y].map(|t| t[0].z.min(t[1].z).min(t[2].z));
    let [high_x, high_y] = [x, y].map(|t| t[0].z.max(t[1].z).max(t[2].z));
    if high_x < low_y {
        return Ordering::Less;
    }
    if low_x > high_y {
        return Ordering::Greater;
    }
    let [of_x, of_y] = [x, y].map(|t| t.map(|corner| corner * unit));
    let [[normal_x, below_x], [normal_y, below_y]] = [plane_over(of_x, at * unit), plane_over(of_y, at * unit)];
    let between = Bounded::difference(of_x[0].z, of_y[0].z).times(normal_x).times(normal_y);
    let difference = between.minus(below_x.times(normal_y)).plus(below_y.times(normal_x));
    if difference.is_certain() && normal_x.is_certain() && normal_y.is_certain() {
        let is_above = (difference.value() > 0.0) == ((normal_x.value() > 0.0) == (normal_y.value() > 0.0));
        return if is_above { Ordering::Greater } else { Ordering::Less };
    }
    compare_exactly(x, y, at)
}

#[cold]
fn compare_exactly(x: &Triangle, y: &Triangle, at: Vec2) -> Ordering {
    let at = Vec3::new(at.x, at.y, 0.0);
    let all = integers(&[x[0], x[1], x[2], y[0], y[1], y[2], at]);
    let of = |from: usize| Integers {
        points: vec![
            all.points[from].clone(),
            all.points[from + 1].clone(),
            all.points[from + 2].clone(),
            all.points[6].clone(),
        ],
        exponent: all.exponent,
    };
    let [[normal_x, below_x], [normal_y, below_y]] = [exact_plane_over(&of(0)), exact_plane_over(&of(3))];
    let between = (&all.points[0][2] - &all.points[3][2]) * &normal_x * &normal_y;
    let difference = between - below_x * &normal_y + below_y * &normal_x;
    let turned = (normal_x.sign() == Sign::Minus) != (normal_y.sign() == Sign::Minus);
    match (difference.sign(), turned) {
        (Sign::NoSign, _) => Ordering::Equal,
        (Sign::Plus, false) | (Sign::Minus, true) => Ordering::Greater,
        _ => Ordering::Less,
    }
}

/// Points as integers times 2^exponent.
struct Integers {
    points: Vec<[BigInt; 3]>,
    exponent: i32,
}

fn integers(points: &[Vec3]) -> Integers {
    let all = || points.iter().flat_map(|point| point.to_array()).filter(|x| *x != 0.0).map(decoded);
    let lowest = all().map(|(_, exponent)| exponent).min().unwrap_or(0);
    let whole = |x: f64| {
        let (mantissa, exponent) = decoded(x);
        if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent - lowest) as usize }
    };
    Integers { points: points.iter().map(|point| point.to_array().map(whole)).collect(), exponent: lowest }
}

/// Decomposes x = mantissa · 2^exponent.
fn decoded(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

fn exact_plane_over(corners: &Integers) -> [BigInt; 2] {
    let [a, b, c, at] = [0, 1, 2, 3].map(|k| &corners.points[k]);
    let row = |p: &[BigInt; 3]| [0, 1, 2].map(|k| &p[k] - &a[k]);
    let [u, v] = [row(b), row(c)];
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    [minor(0, 1), minor(1, 2) * (&at[0] - &a[0]) + minor(2, 0) * (&at[1] - &a[1])]
}

/// [`point_on_plane`] in integers.
#[cold]
fn exact_point(p: Vec3, q: Vec3, [a, b, c]: &Triangle, unit: f64) -> Vec3 {
    let Integers { points, exponent } = integers(&[*a, *b, *c, p, q]);
    let row = |p: &[BigInt; 3]| [0, 1, 2].map(|k| &p[k] - &points[0][k]);
    let [u, v] = [row(&points[1]), row(&points[2])];
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    let normal = [minor(1, 2), minor(2, 0), minor(0, 1)];
    let side = |end: &[BigInt; 3]| {
        let offset = row(end);
        &offset[0] * &normal[0] + &offset[1] * &normal[1] + &offset[2] * &normal[2]
    };
    let [of_p, of_q] = [side(&points[3]), side(&points[4])];
    let between = &of_p - &of_q;
    // If both ends are on the plane, any point of the segment is.
    if between.sign() == Sign::NoSign {
        return p * unit;
    }
    let coordinate = |k: usize| {
        let (start, end) = (&points[3][k], &points[4][k]);
        quotient(&(start * &between + (end - start) * &of_p), &between, exponent) * unit
    };
    Vec3::new(coordinate(0), coordinate(1), coordinate(2))
}

/// Computes a quotient of integers times 2^exponent, rounded; NaN for a denominator of 0.
fn quotient(numerator: &BigInt, denominator: &BigInt, exponent: i32) -> f64 {
    if denominator.sign() == Sign::NoSign {
        return f64::NAN;
    }
    let shift = (QUOTIENT_BITS + denominator.bits() as i64 - numerator.bits() as i64).max(0);
    let whole = (numerator << shift as usize) / denominator;
    let power = i64::from(exponent) - shift;
    libm::ldexp(whole.to_f64().unwrap_or(f64::NAN), i32::try_from(power).unwrap_or(i32::MIN))
}
