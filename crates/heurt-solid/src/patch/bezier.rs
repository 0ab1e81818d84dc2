//! Rational Bézier pieces of a patch: evaluation by de Casteljau, bounds of second derivatives.
//!
//! In: a grid of homogeneous control points. Out: points, and bounds of |S_uu|, |S_uv|, |S_vv| over the unit square.
//! Method: let A be the first three homogeneous coordinates, w the weight function, S = A / w, and L(u, v) = c + d u +
//! e v any linear function. T = S − L has the second derivatives of S. B = A − w L = w T is a Bézier polynomial whose
//! degrees are larger by 1. Control points of the derivatives of B and w are differences of control points, and bound
//! them by the convex hull property. With R the largest norm of a control point of B divided by its weight, |T| ≤ R, as
//! weights are positive, and from B = w T:
//! 1. T_u = (B_u − w_u T) / w,
//! 2. T_uu = (B_uu − 2 w_u T_u − w_uu T) / w,
//! 3. T_uv = (B_uv − w_u T_v − w_v T_u − w_uv T) / w.
//!
//! Norms of the right-hand sides, with the least weight below, are the bounds. L passes through the middle of the
//! corners with their mean slopes. With constant weights, the bounds are those of the polynomial patch. The bounds are
//! taken over 8 by 8 sub-patches of side h: there T is O(h²) and T_u is O(h), so the bounds approach the derivatives.
//! A term for the rounding of control points is added.
//! Cost: O(64 p²q) per bound, O(p²q) per point.

use super::blossom::{Homogeneous, mix};
use heurt_geometry::Vec3;

/// The number of halvings along u and v before derivatives are bounded. With 3, the bound of the deviation of a
/// quarter of a cylinder is 1.06 times the largest deviation (`tests/it/patches.rs`).
const BOUND_LEVELS: u32 = 3;

/// The rounding of a control point of B, in multiples of ε · distance from the origin · weight of the whole piece. A
/// halving of degree p takes p means, each off by ε/2: for degrees up to 16, three halvings along u and v add 48 ε, and
/// the subtraction of w L 12 ε.
const CONTROL_ROUNDING: f64 = 64.0;

/// Evaluates a curve of control points at `t` in [0, 1].
///
/// A reversed curve at 1 − `t` gives the same bits if 1 − `t` is exact.
pub(super) fn casteljau(points: &mut [Homogeneous], t: f64) -> Homogeneous {
    for last in (1..points.len()).rev() {
        for index in 0..last {
            points[index] = mix(1.0 - t, points[index], t, points[index + 1]);
        }
    }
    points[0]
}

/// Divides by the weight.
pub(super) fn cartesian([x, y, z, weight]: Homogeneous) -> Vec3 {
    // Adding zero turns -0 into +0.
    Vec3::new(x / weight, y / weight, z / weight) + Vec3::ZERO
}

/// A grid of control points: `count[0]` rows along u of `count[1]` points along v.
pub(super) struct BezierPiece {
    pub(super) points: Vec<Vec<Homogeneous>>,
}

/// Bounds of the second derivatives over the unit square.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecondDerivatives {
    uu: f64,
    uv: f64,
    vv: f64,
}

impl SecondDerivatives {
    /// Bounds the distance between the surface and triangles over a grid of squares with legs `legs` along u and v.
    ///
    /// For a right triangle with legs g along u and h along v, the error of linear interpolation at the point with
    /// barycentric coordinates λ is at most ½ Σ λᵢ |D²S(vᵢ − x)²|. The sums over the corners are at most g²/4 for uu,
    /// h²/4 for vv and g·h/4 for uv: ⅛ (g² M_uu + 2 g h M_uv + h² M_vv) (Filip, Magedson and Markot 1986).
    pub(super) fn deviation(&self, legs: [f64; 2]) -> f64 {
        let [u, v] = self.shares(legs);
        (u + 2.0 * self.uv * legs[0] * legs[1] + v) / 8.0
    }

    /// Returns the bounds of a cone whose rulings run along `axis`, from its apex to a border of the piece: only the
    /// curve at that border deviates.
    ///
    /// With the apex c and the curve P(u), the surface is c + τ (P(u) − c). Squares are flat, with two corners on each
    /// of two rulings, so the mesh is c + τ (Q(u) − c) with the chords Q of P, and the distance is at most the distance
    /// of the chords from the curve, g²/8 M_uu. τ is at most 1; weights along the rulings change τ only.
    pub(super) fn of_cone(self, axis: usize) -> Self {
        match axis {
            0 => Self { uu: 0.0, uv: 0.0, ..self },
            _ => Self { vv: 0.0, uv: 0.0, ..self },
        }
    }

    /// Returns the terms g² M_uu and h² M_vv of the deviation; the mixed term shrinks alike with both legs.
    pub(super) fn shares(&self, [g, h]: [f64; 2]) -> [f64; 2] {
        [g * g * self.uu, h * h * self.vv]
    }
}

impl BezierPiece {
    /// Bounds the second derivatives over 8 by 8 sub-patches; see the header.
    pub(super) fn second_derivatives(&self) -> SecondDerivatives {
        let rounding = self.rounding();
        let rows = |grid: &Vec<Vec<Homogeneous>>| -> [Vec<Vec<Homogeneous>>; 2] {
            let halves: Vec<[Vec<Homogeneous>; 2]> = grid.iter().map(|row| halved(row)).collect();
            [0, 1].map(|side| halves.iter().map(|half| half[side].clone()).collect())
        };
        let mut pieces = vec![self.points.clone()];
        for _ in 0..BOUND_LEVELS {
            let along_v = pieces.iter().flat_map(&rows);
            pieces = along_v.flat_map(|grid| rows(&transposed(&grid)).map(|half| transposed(&half))).collect();
        }
        // Each halving of the parameters divides second derivatives by 4.
        let scale = (1_u64 << (2 * BOUND_LEVELS)) as f64;
        let bounds = pieces.into_iter().map(|points| BezierPiece { points }.bounds(rounding));
        let none = SecondDerivatives { uu: 0.0, uv: 0.0, vv: 0.0 };
        bounds.fold(none, |most, found| SecondDerivatives {
            uu: most.uu.max(found.uu * scale),
            uv: most.uv.max(found.uv * scale),
            vv: most.vv.max(found.vv * scale),
        })
    }

    /// Bounds the second derivatives by the control points as they are.
    pub(super) fn second_derivatives_at_once(&self) -> SecondDerivatives {
        self.bounds(self.rounding())
    }

    /// Bounds the second derivatives for control points that are off by `rounding` over the least weight.
    fn bounds(&self, rounding: f64) -> SecondDerivatives {
        let moved = self.without_plane();
        let all = || moved.iter().flatten();
        let radius = all().map(|&point| norm(cartesian(point))).fold(0.0, f64::max);
        let least = all().map(|point| point[3]).fold(f64::INFINITY, f64::min);
        let (u, v) = (along_u(&moved), along_v(&moved));
        let ([b_u, w_u], [b_v, w_v]) = (norms(&u), norms(&v));
        let first = |b: f64, w: f64| (b + w * radius) / least;
        let (t_u, t_v) = (first(b_u, w_u), first(b_v, w_v));
        let [p, q] = [moved.len() as f64, moved[0].len() as f64];
        let second = |grid: &[Vec<Homogeneous>], lower: f64, differences: f64| {
            let [b, w] = norms(grid);
            (b + lower + w * radius) / least + 4.0 * differences * rounding
        };
        SecondDerivatives {
            uu: second(&along_u(&u), 2.0 * w_u * t_u, p * p),
            uv: second(&along_v(&u), w_u * t_v + w_v * t_u, p * q),
            vv: second(&along_v(&v), 2.0 * w_v * t_v, q * q),
        }
    }

    /// Returns the control points of B = A − w L and of w, with degrees larger by 1.
    fn without_plane(&self) -> Vec<Vec<Homogeneous>> {
        let corner = |row: usize, column: usize| cartesian(self.points[row][column]);
        let last = [self.points.len() - 1, self.points[0].len() - 1];
        let [a, b, c, d] = [corner(0, 0), corner(0, last[1]), corner(last[0], 0), corner(last[0], last[1])];
        let slopes = [(c - a) * 0.5 + (d - b) * 0.5, (b - a) * 0.5 + (d - c) * 0.5];
        let start = (a + b) * 0.25 + (c + d) * 0.25 - (slopes[0] + slopes[1]) * 0.5;
        let rows: Vec<Vec<Homogeneous>> =
            self.points.iter().map(|row| without_line(row, [start, start + slopes[1]])).collect();
        let columns: Vec<Vec<Homogeneous>> =
            transposed(&rows).iter().map(|column| without_line(column, [Vec3::ZERO, slopes[0]])).collect();
        transposed(&columns)
    }

    /// Bounds the rounding of control points of B over the least weight.
    fn rounding(&self) -> f64 {
        let all = || self.points.iter().flatten();
        let size = all().map(|&point| norm(cartesian(point))).fold(0.0, f64::max);
        let [least, most] = all().fold([f64::INFINITY, 0.0_f64], |[a, b], point| [a.min(point[3]), b.max(point[3])]);
        // A rounding of T_u comes again with the quotient w_u / w.
        CONTROL_ROUNDING * f64::EPSILON * size * (most / least) * (most / least)
    }
}

/// Subtracts w · (`start` + t (`end` − `start`)) from a curve of homogeneous control points; the degree grows by 1.
fn without_line(points: &[Homogeneous], [start, end]: [Vec3; 2]) -> Vec<Homogeneous> {
    let moved = |[x, y, z, w]: Homogeneous, by: Vec3| [x - w * by.x, y - w * by.y, z - w * by.z, w];
    let count = points.len();
    let raised = |index: usize| {
        let t = index as f64 / count as f64;
        let [before, after] = [points[index.saturating_sub(1)], points[index.min(count - 1)]];
        mix(1.0 - t, moved(after, start), t, moved(before, end))
    };
    (0..=count).map(raised).collect()
}

/// Divides a curve in the middle.
fn halved(points: &[Homogeneous]) -> [Vec<Homogeneous>; 2] {
    let mut work = points.to_vec();
    let (mut left, mut right) = (Vec::with_capacity(work.len()), Vec::with_capacity(work.len()));
    while let (Some(&first), Some(&last)) = (work.first(), work.last()) {
        left.push(first);
        right.push(last);
        work = work.windows(2).map(|pair| mix(0.5, pair[0], 0.5, pair[1])).collect();
    }
    right.reverse();
    [left, right]
}

fn transposed(grid: &[Vec<Homogeneous>]) -> Vec<Vec<Homogeneous>> {
    (0..grid[0].len()).map(|index| grid.iter().map(|row| row[index]).collect()).collect()
}

/// Returns the control points of the derivative along u; empty for degree 0.
fn along_u(grid: &[Vec<Homogeneous>]) -> Vec<Vec<Homogeneous>> {
    let degree = grid.len().saturating_sub(1) as f64;
    let differences = |pair: &[Vec<Homogeneous>]| -> Vec<Homogeneous> {
        pair[0].iter().zip(&pair[1]).map(|(&a, &b)| mix(-degree, a, degree, b)).collect()
    };
    grid.windows(2).map(differences).collect()
}

/// Returns the control points of the derivative along v.
fn along_v(grid: &[Vec<Homogeneous>]) -> Vec<Vec<Homogeneous>> {
    let differences = |row: &Vec<Homogeneous>| -> Vec<Homogeneous> {
        let degree = row.len().saturating_sub(1) as f64;
        row.windows(2).map(|pair| mix(-degree, pair[0], degree, pair[1])).collect()
    };
    grid.iter().map(differences).collect()
}

/// Returns the largest norm of the first three coordinates, and of the last.
fn norms(grid: &[Vec<Homogeneous>]) -> [f64; 2] {
    grid.iter()
        .flatten()
        .fold([0.0, 0.0], |[vector, weight], &[x, y, z, w]| [vector.max(norm(Vec3::new(x, y, z))), weight.max(w.abs())])
}

/// Computes the length of a vector whose squares may underflow.
fn norm(vector: Vec3) -> f64 {
    let largest = vector.abs().max_element();
    if largest > 0.0 { (vector / largest).length() * largest } else { 0.0 }
}
