//! Proved bounds of an intersection of linear and quadric half-spaces.
//!
//! In: half-spaces f ≤ 0. Out: a box that contains their intersection, or no proof of one.
//! Method: 1. The surface of the cube [−1, 1]³ is divided into squares. On a square, dᵀAd ≥ q, b·d ≥ l by interval
//! arithmetic; q is raised to 0 if A is positive semidefinite. f(td) ≥ qt² + lt + c is positive for all t beyond a T if
//! q > 0, or if q ≥ 0 and l > 0. So the points td of the square lie outside for t > T. A square without such a T is
//! divided into four. 2. The box of all squares times [0, T] loses slabs at its six sides: a slab is divided into
//! cells, and it is removed if on each cell some f is proved positive. Slabs begin with half of the box and become
//! thinner.
//! Guarantees: the box contains the intersection. An intersection with f ≤ 0 for arbitrarily large multiples of
//! directions is never bounded by mistake.
//! Not guaranteed: a proof, where two constraints exclude a direction only in the limit.
//! Cost: at most `MAX_SQUARES` squares and some thousand cells.

use super::{HalfSpace, Interval, Quadric};
use heurt_geometry::{Aabb, Vec3};

/// The greatest number of squares: a proof that needs more is given up.
const MAX_SQUARES: usize = 1 << 16;
/// Divisions of a slab along its two long axes: a compromise of work and of the width of interval arithmetic.
const GRID: usize = 12;
/// The thinnest slab as a share of the box: the slack that is left on each side.
const THINNEST_SLAB: f64 = 1.0 / 1024.0;
/// Passes over the six sides: a smaller box has smaller cells, so that later passes prove more.
const PASSES: usize = 3;

struct ConvexQuadric<'a> {
    quadric: &'a Quadric,
    is_convex: bool,
}

/// Returns a box that contains the intersection, the empty box if it is proved empty, `None` without a proof of bounds.
pub(super) fn bounds(half_spaces: &[HalfSpace], quadrics: &[Quadric]) -> Option<Aabb> {
    let quadrics: Vec<_> =
        quadrics.iter().map(|quadric| ConvexQuadric { quadric, is_convex: quadric.is_convex() }).collect();
    let mut bounds = radial_bounds(half_spaces, &quadrics)?;
    for _ in 0..PASSES {
        if !bounds.is_empty() {
            bounds = shrunk(&bounds, half_spaces, &quadrics);
        }
    }
    Some(bounds)
}

fn linear_over(normal: Vec3, d: &[Interval; 3]) -> Interval {
    d[0] * normal.x + d[1] * normal.y + d[2] * normal.z
}

/// A square of the surface of the cube [−1, 1]³, as a box of directions.
type DirectionSquare = [[f64; 2]; 3];

fn radial_bounds(half_spaces: &[HalfSpace], quadrics: &[ConvexQuadric<'_>]) -> Option<Aabb> {
    let mut open: Vec<DirectionSquare> = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut square = [[-1.0, 1.0]; 3];
            square[axis] = [side, side];
            open.push(square);
        }
    }
    let (mut bounds, mut count) = (Aabb::from_points([Vec3::ZERO]), 0);
    while let Some(square) = open.pop() {
        count += 1;
        if count > MAX_SQUARES {
            return None;
        }
        let d = square.map(|[low, high]| Interval::new(low, high));
        match reach(half_spaces, quadrics, &d) {
            Some(t) if t.is_finite() => {
                let end = |pick: fn(f64, f64) -> f64, k: usize| pick(square[k][0] * t, square[k][1] * t);
                let low = Vec3::new(end(f64::min, 0), end(f64::min, 1), end(f64::min, 2)).map(f64::next_down);
                let high = Vec3::new(end(f64::max, 0), end(f64::max, 1), end(f64::max, 2)).map(f64::next_up);
                bounds = bounds.grown_to(low).grown_to(high);
            }
            _ => {
                // No division proves more than the direction in the centre of the square.
                let centre = square.map(|[low, high]| Interval::point(low.midpoint(high)));
                reach(half_spaces, quadrics, &centre).filter(|t| t.is_finite())?;
                open.extend(divided(square)?);
            }
        }
    }
    Some(bounds)
}

/// Divides a square into four; `None` at the resolution of the numbers.
fn divided(square: DirectionSquare) -> Option<[DirectionSquare; 4]> {
    let mut quarters = [square; 4];
    for (bit, axis) in (0..3).filter(|&axis| square[axis][0] < square[axis][1]).enumerate() {
        let [low, high] = square[axis];
        let middle = low.midpoint(high);
        if high - low < 1e-6 {
            return None;
        }
        for (number, quarter) in quarters.iter_mut().enumerate() {
            quarter[axis] = if number >> bit & 1 == 0 { [low, middle] } else { [middle, high] };
        }
    }
    Some(quarters)
}

/// Returns the least T found such that no td with t > T and d in the box lies in the intersection.
fn reach(half_spaces: &[HalfSpace], quadrics: &[ConvexQuadric<'_>], d: &[Interval; 3]) -> Option<f64> {
    let linear = half_spaces.iter().filter_map(|half_space| {
        let slope = linear_over(half_space.normal(), d).low;
        (slope > 0.0).then(|| (-half_space.offset() / slope).max(0.0))
    });
    let curved = quadrics.iter().filter_map(|ConvexQuadric { quadric, is_convex }| {
        let (mut q, l, c) = (quadric.quadratic_over(d).low, quadric.linear_over(d).low, quadric.constant());
        if *is_convex {
            q = q.max(0.0);
        }
        if q > 0.0 {
            // With l ≤ 0 and c ≤ 0 the larger root is at most |l|/q + √(|c|/q), as √(x + y) ≤ √x + √y. No product
            // can underflow.
            Some(l.min(0.0).abs() / q + (-c).max(0.0).sqrt() / q.sqrt())
        } else {
            (q == 0.0 && l > 0.0).then(|| (-c / l).max(0.0))
        }
    });
    // The factor covers the roundings of T, fewer than ten.
    linear.chain(curved).filter(|t| !t.is_nan()).min_by(f64::total_cmp).map(|t| t * (1.0 + 1e-14))
}

/// Reports whether some function is positive on the whole box.
fn is_outside(cell: &Aabb, half_spaces: &[HalfSpace], quadrics: &[ConvexQuadric<'_>]) -> bool {
    let p = [0, 1, 2].map(|k| Interval::new(cell.min[k], cell.max[k]));
    let value = |half_space: &HalfSpace| linear_over(half_space.normal(), &p) + Interval::point(half_space.offset());
    half_spaces.iter().any(|half_space| value(half_space).low > 0.0)
        || quadrics.iter().any(|convex| convex.quadric.value_over(cell).low > 0.0)
}

/// Returns the box without slabs at its six sides on whose cells some function is proved positive.
fn shrunk(bounds: &Aabb, half_spaces: &[HalfSpace], quadrics: &[ConvexQuadric<'_>]) -> Aabb {
    let mut bounds = *bounds;
    for side in 0..6 {
        let (axis, is_upper) = (side / 2, side % 2 == 1);
        let mut share = 0.5;
        while share > THINNEST_SLAB {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            let cut = if is_upper { high - (high - low) * share } else { low + (high - low) * share };
            let mut slab = bounds;
            (if is_upper { &mut slab.min } else { &mut slab.max })[axis] = cut;
            if slab_cells(&slab, axis).all(|cell| is_outside(&cell, half_spaces, quadrics)) {
                (if is_upper { &mut bounds.max } else { &mut bounds.min })[axis] = cut;
            } else {
                share *= 0.5;
            }
            if cut <= low || cut >= high {
                break;
            }
        }
    }
    if is_outside(&bounds, half_spaces, quadrics) { Aabb::EMPTY } else { bounds }
}

/// Divides a slab into cells across its thin axis.
fn slab_cells(slab: &Aabb, axis: usize) -> impl Iterator<Item = Aabb> {
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    let line = move |axis: usize, k: usize| {
        let (low, high) = (slab.min[axis], slab.max[axis]);
        if k == GRID { high } else { low + (high - low) * (k as f64 / GRID as f64) }
    };
    (0..GRID * GRID).map(move |index| {
        let (i, j, mut cell) = (index % GRID, index / GRID, *slab);
        (cell.min[u], cell.max[u]) = (line(u, i), line(u, i + 1));
        (cell.min[v], cell.max[v]) = (line(v, j), line(v, j + 1));
        cell
    })
}
