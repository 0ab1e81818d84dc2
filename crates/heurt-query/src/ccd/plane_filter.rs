//! Plane filter: rejects queries that a plane separates for the whole step, four at a time.
//!
//! In: up to four queries. Out: a bit for each that is provably disjoint.
//! Method: components side by side in arrays of four, which compile to one register each under AVX2. The axes: the
//! coordinate axes, the normals at both ends, and the direction between the middles of both sides at half time.
//! Guarantees: the proof of [`crate::ccd::relative_motion`], lane by lane; a query that is not finite or far from 1 in
//! size is never rejected.

use super::{CcdOptions, MovingPrimitives};
use crate::ccd::precision::Number;
use crate::ccd::relative_motion::{LARGEST, SMALLEST, UNDERFLOW};
use heurt_geometry::Vec3;
use std::array::from_fn;

/// Queries at a time.
pub(super) const WIDTH: usize = 4;
/// Least square of an axis; below it the axis, and products with it, may have lost digits.
const MIN_SQUARE: f64 = 1e-200;

type Lane = [f64; WIDTH];
type VectorLanes = [Lane; 3];

/// The vectors of four [`crate::ccd::relative_motion::MotionPlace`]s.
struct Places {
    u: VectorLanes,
    v: VectorLanes,
    w: VectorLanes,
}

#[inline(always)]
fn each(a: &Lane, b: &Lane, f: impl Fn(f64, f64) -> f64) -> Lane {
    from_fn(|k| f(a[k], b[k]))
}

#[inline(always)]
fn each_vector(a: &VectorLanes, b: &VectorLanes, f: impl Fn(f64, f64) -> f64 + Copy) -> VectorLanes {
    [each(&a[0], &b[0], f), each(&a[1], &b[1], f), each(&a[2], &b[2], f)]
}

#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn dot(a: &VectorLanes, b: &VectorLanes) -> Lane {
    from_fn(|k| a[0][k] * b[0][k] + a[1][k] * b[1][k] + a[2][k] * b[2][k])
}

#[inline(always)]
fn cross(a: &VectorLanes, b: &VectorLanes) -> VectorLanes {
    let part = |i: usize, j: usize| from_fn(|k| a[i][k] * b[j][k] - a[j][k] * b[i][k]);
    [part(1, 2), part(2, 0), part(0, 1)]
}

impl Places {
    #[inline(always)]
    fn new<const EDGES: bool>(point: impl Fn(usize, usize) -> Vec3) -> Self {
        let corner = |i: usize| -> VectorLanes { from_fn(|axis| from_fn(|lane| point(lane, i)[axis])) };
        let minus = |x: &VectorLanes, y: &VectorLanes| each_vector(x, y, |x, y| x - y);
        let [a, b, c, d] = [corner(0), corner(1), corner(2), corner(3)];
        match EDGES {
            false => Self { u: minus(&c, &b), v: minus(&d, &b), w: minus(&a, &b) },
            true => Self { u: minus(&b, &a), v: minus(&c, &d), w: minus(&c, &a) },
        }
    }

    #[inline(always)]
    fn mean(&self, other: &Self, t: f64) -> Self {
        let mean = |a: &VectorLanes, b: &VectorLanes| each_vector(a, b, |a, b| a * (1.0 - t) + b * t);
        Self { u: mean(&self.u, &other.u), v: mean(&self.v, &other.v), w: mean(&self.w, &other.w) }
    }

    /// Computes the offset from the middle of the triangle or parallelogram to w.
    #[inline(always)]
    fn offset_from_middle<const EDGES: bool>(&self) -> VectorLanes {
        let share = if EDGES { 0.5 } else { 1.0 / 3.0 };
        from_fn(|axis| from_fn(|k| self.w[axis][k] - (self.u[axis][k] + self.v[axis][k]) * share))
    }

    #[inline(always)]
    fn along(&self, axis: &VectorLanes) -> [Lane; 3] {
        [dot(axis, &self.u), dot(axis, &self.v), dot(axis, &self.w)]
    }

    #[inline(always)]
    fn component(&self, axis: usize) -> [Lane; 3] {
        [self.u[axis], self.v[axis], self.w[axis]]
    }
}

/// Computes the gap of [`crate::ccd::relative_motion::Shadow`] above and below.
#[inline(always)]
fn gaps<const EDGES: bool>([u, v, w]: [f64; 3]) -> [f64; 2] {
    let (up, down) = match EDGES {
        false => (greater(greater(u, v), 0.0), -greater(greater(-u, -v), 0.0)),
        true => (greater(u, 0.0) + greater(v, 0.0), -(greater(-u, 0.0) + greater(-v, 0.0))),
    };
    [w - up, down - w]
}

/// Returns the lanes proved disjoint by the projections on an axis at both ends.
#[inline(always)]
fn clear<const EDGES: bool>(start: &[Lane; 3], end: &[Lane; 3], limit: &Lane) -> [bool; WIDTH] {
    from_fn(|k| {
        let at = |seen: &[Lane; 3]| gaps::<EDGES>([seen[0][k], seen[1][k], seen[2][k]]);
        let ([up, down], [up_then, down_then]) = (at(start), at(end));
        ((up > limit[k]) & (up_then > limit[k])) | ((down > limit[k]) & (down_then > limit[k]))
    })
}

/// Computes the gap that proves separation, as [`crate::ccd::relative_motion::RelativeMotion`] does; infinite if sizes
/// are out of range or not numbers.
#[inline(always)]
fn separation_limits(start: &Places, end: &Places, reach: f64) -> Lane {
    let size = |a: &VectorLanes, b: &VectorLanes| -> Lane {
        from_fn(|k| {
            let both = |axis: usize| greater(a[axis][k].abs(), b[axis][k].abs());
            greater(greater(both(0), both(1)), both(2))
        })
    };
    let doubt = |x: &Places| -> Lane {
        from_fn(|k| (0..3).map(|axis| (x.u[axis][k] + x.v[axis][k] + x.w[axis][k]) * 0.0).sum::<f64>())
    };
    let (u, v, w) = (size(&start.u, &end.u), size(&start.v, &end.v), size(&start.w, &end.w));
    let doubt = each(&doubt(start), &doubt(end), |a, b| a + b);
    from_fn(|k| {
        let total = u[k] + v[k] + w[k] + doubt[k];
        let limit =
            reach * (1.0 + 8.0 * <f64 as Number>::EPSILON) + (20.0 * <f64 as Number>::EPSILON * total + UNDERFLOW);
        if (SMALLEST..=LARGEST).contains(&total) { limit } else { f64::INFINITY }
    })
}

/// Returns a mask with bit k set if query k is provably disjoint until `max_time`; `queries` has one to four.
#[inline(always)]
pub(super) fn disjoint_lanes<const EDGES: bool>(queries: &[MovingPrimitives], options: &CcdOptions) -> u32 {
    let of = |lane: usize| &queries[lane.min(queries.len() - 1)];
    let start = Places::new::<EDGES>(|lane, i| of(lane).start[i]);
    let end = Places::new::<EDGES>(|lane, i| of(lane).end[i]);
    let limits = separation_limits(&start, &end, options.min_separation);
    let end = if options.max_time == 1.0 { end } else { start.mean(&end, options.max_time) };
    let mut found = [false; WIDTH];
    for axis in 0..3 {
        let seen = clear::<EDGES>(&start.component(axis), &end.component(axis), &limits);
        found = from_fn(|k| found[k] | seen[k]);
    }
    let between = start.mean(&end, 0.5).offset_from_middle::<EDGES>();
    for axis in [between, cross(&start.u, &start.v), cross(&end.u, &end.v)] {
        let squared = dot(&axis, &axis);
        let limits = from_fn(|k| if squared[k] > MIN_SQUARE { limits[k] * squared[k].sqrt() } else { f64::INFINITY });
        let seen = clear::<EDGES>(&start.along(&axis), &end.along(&axis), &limits);
        found = from_fn(|k| found[k] | seen[k]);
    }
    (0..WIDTH).map(|k| u32::from(found[k]) << k).sum()
}
