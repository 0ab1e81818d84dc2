//! Rational Bézier pieces of a patch: evaluation by de Casteljau, bounds of second derivatives.
//!
//! In: a grid of homogeneous control points. Out: points, and bounds of |S_uu|, |S_uv|, |S_vv| over the unit square.
//! Method: let c be a point near the control points, w the weight function, B = w·(S − c). Control points of the
//! derivatives of B and w are differences of control points, and bound them by the convex hull property. With R the
//! largest distance of a control point from c, |S − c| ≤ R, as weights are positive, and from B = w·(S − c):
//! 1. S_u = (B_u − w_u (S − c)) / w,
//! 2. S_uu = (B_uu − 2 w_u S_u − w_uu (S − c)) / w,
//! 3. S_uv = (B_uv − w_u S_v − w_v S_u − w_uv (S − c)) / w.
//!
//! Norms of the right-hand sides, with the least weight below, are the bounds. For equal weights they are those of
//! the polynomial patch. The bounds are taken over 8 by 8 sub-patches, where R and the differences of weights are
//! small.
//! Cost: O(64 p²q) per bound, O(p²q) per point.

use super::blossom::{Homogeneous, mix};
use heurt_geometry::Vec3;

/// The number of halvings along u and v before derivatives are bounded. With 3, a sphere of octants needs half as many
/// segments along u and v as with 0 for the same tolerance (`tests/patches.rs`).
const BOUND_LEVELS: u32 = 3;

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
    /// Bounds the distance between the surface and triangles over a grid of `segments` by `segments` squares.
    ///
    /// For a right triangle with legs g along u and h along v, the error of linear interpolation at the point with
    /// barycentric coordinates λ is at most ½ Σ λᵢ |D²S(vᵢ − x)²|. The sums over the corners are at most g²/4 for uu,
    /// h²/4 for vv and g·h/4 for uv: ⅛ (g² M_uu + 2 g h M_uv + h² M_vv) (Filip, Magedson and Markot 1986).
    pub(super) fn deviation(&self, segments: f64) -> f64 {
        (self.uu + 2.0 * self.uv + self.vv) / (8.0 * segments * segments)
    }
}

impl BezierPiece {
    /// Evaluates the piece at (`u`, `v`) in [0, 1]².
    pub(super) fn at(&self, u: f64, v: f64) -> Homogeneous {
        let columns = self.points[0].len();
        let mut column = vec![[0.0; 4]; self.points.len()];
        let mut row: Vec<Homogeneous> = Vec::with_capacity(columns);
        for index in 0..columns {
            for (target, source) in column.iter_mut().zip(&self.points) {
                *target = source[index];
            }
            row.push(casteljau(&mut column, u));
        }
        casteljau(&mut row, v)
    }

    /// Bounds the second derivatives; see the header.
    pub(super) fn second_derivatives(&self) -> SecondDerivatives {
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
        let bounds = pieces.into_iter().map(|points| BezierPiece { points }.second_derivatives_at_once());
        let none = SecondDerivatives { uu: 0.0, uv: 0.0, vv: 0.0 };
        bounds.fold(none, |most, found| SecondDerivatives {
            uu: most.uu.max(found.uu * scale),
            uv: most.uv.max(found.uv * scale),
            vv: most.vv.max(found.vv * scale),
        })
    }

    /// Bounds the second derivatives by the control points as they are.
    fn second_derivatives_at_once(&self) -> SecondDerivatives {
        let all = || self.points.iter().flatten().copied();
        let mut centre = Vec3::ZERO;
        all().for_each(|point| centre += cartesian(point));
        centre /= all().count() as f64;
        let radius = all().map(|point| (cartesian(point) - centre).length()).fold(0.0, f64::max);
        let least = all().map(|point| point[3]).fold(f64::INFINITY, f64::min);
        let moved: Vec<Vec<Homogeneous>> =
            self.points.iter().map(|row| row.iter().map(|&p| recentred(p, centre)).collect()).collect();
        let (u, v) = (along_u(&moved), along_v(&moved));
        let ([b_u, w_u], [b_v, w_v]) = (norms(&u), norms(&v));
        let first = |b: f64, w: f64| (b + w * radius) / least;
        let (s_u, s_v) = (first(b_u, w_u), first(b_v, w_v));
        let second = |grid: &[Vec<Homogeneous>], lower: f64| {
            let [b, w] = norms(grid);
            (b + lower + w * radius) / least
        };
        SecondDerivatives {
            uu: second(&along_u(&u), 2.0 * w_u * s_u),
            uv: second(&along_v(&u), w_u * s_v + w_v * s_u),
            vv: second(&along_v(&v), 2.0 * w_v * s_v),
        }
    }
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

/// Moves the origin of a homogeneous point to `centre`.
fn recentred(point: Homogeneous, centre: Vec3) -> Homogeneous {
    let weight = point[3];
    let moved = (cartesian(point) - centre) * weight;
    [moved.x, moved.y, moved.z, weight]
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
    grid.iter().flatten().fold([0.0, 0.0], |[vector, weight], &[x, y, z, w]| {
        [vector.max(Vec3::new(x, y, z).length()), weight.max(w.abs())]
    })
}
