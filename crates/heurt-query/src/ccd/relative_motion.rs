//! Relative motion of a point against a triangle or a parallelogram: the common form of both kinds of queries.
//!
//! In: moving primitives. Out: vectors u, v, w at both ends of the step. Contact means that w is within the distance of
//! 0, u, v (vertex p and triangle a, b, c: u = b − a, v = c − a, w = p − a) or of 0, u, v, u + v (edges ab and cd: a +
//! λ(b − a) = c + μ(d − c) if w = λu + μv, with u = b − a, v = c − d, w = c − a).
//! Method: differences are rounded once, relative to themselves, or not at all. Sizes beyond 2^±64 are scaled by a
//! power of two, so that no product over- or underflows by more than [`UNDERFLOW`].
//! Guarantees: [`RelativeMotion::clear`] is true only if its bound proves it.

use super::MovingPrimitives;
use crate::ccd::precision::{Number, NumberVector};
use crate::numeric::expansion::TwoTerms;
use heurt_geometry::{Vec3, point_on_triangle, segments_intersect};

/// Bound on the underflow of products of numbers below 2^192, with a large margin.
pub(super) const UNDERFLOW: f64 = 1e-290;
/// Sizes within these limits need no scaling.
pub(super) const LARGEST: f64 = (1u128 << 64) as f64;
pub(super) const SMALLEST: f64 = 1.0 / LARGEST;
/// Upper bound of the distance of two points of sizes within these limits: a larger distance is replaced by it, and
/// overflows nowhere.
const FARTHEST: f64 = LARGEST * LARGEST;

/// The vectors at one time.
#[derive(Debug, Clone, Copy)]
pub(super) struct MotionPlace<N> {
    pub u: NumberVector<N>,
    pub v: NumberVector<N>,
    pub w: NumberVector<N>,
}

impl<N: Number> MotionPlace<N> {
    #[inline(always)]
    fn new<const EDGES: bool>([a, b, c, d]: &[Vec3; 4]) -> Self {
        let minus = |a: &Vec3, b: &Vec3| NumberVector::difference(*a, *b);
        match EDGES {
            false => Self { u: minus(c, b), v: minus(d, b), w: minus(a, b) },
            true => Self { u: minus(b, a), v: minus(c, d), w: minus(c, a) },
        }
    }

    /// Computes the vectors of points out of range: scaled by powers of two, one before and two after the differences.
    fn scaled<const EDGES: bool>(points: &[Vec3; 4], scale: &[f64; 3]) -> Self {
        let place = Self::new::<EDGES>(&points.map(|p| p * scale[0]));
        let scaled = |x: NumberVector<N>| NumberVector(x.0.map(|x| x.scaled(scale[1]).scaled(scale[2])));
        Self { u: scaled(place.u), v: scaled(place.v), w: scaled(place.w) }
    }

    /// Computes the projections of the vectors on `axis`.
    #[inline(always)]
    pub(super) fn along(&self, axis: NumberVector<N>) -> Shadow<N> {
        Shadow { u: axis.dot(self.u), v: axis.dot(self.v), w: axis.dot(self.w) }
    }
}

/// The projections of the vectors on an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow<N> {
    pub u: N,
    pub v: N,
    pub w: N,
}

impl<N: Number> Shadow<N> {
    /// Returns the height of the point above all corners.
    #[inline(always)]
    pub(super) fn gap<const EDGES: bool>(&self) -> N {
        let zero = N::ZERO;
        match EDGES {
            false => self.w - self.u.greater(self.v).greater(zero),
            true => self.w - self.u.greater(zero) - self.v.greater(zero),
        }
    }

    /// Returns the heights of the point above each corner.
    #[inline(always)]
    fn heights<const EDGES: bool>(&self) -> [N; 4] {
        let Self { u, v, w } = *self;
        [w, w - u, w - v, if EDGES { w - u - v } else { w }]
    }

    /// Computes the share of the motion from here to `to` after which a corner first reaches `level`, rounded.
    #[inline]
    pub(super) fn share_above<const EDGES: bool>(&self, to: &Self, level: N) -> f64 {
        let (from, to) = (self.heights::<EDGES>(), to.heights::<EDGES>());
        let share = |k: usize| (from[k] - level).rounded() / (from[k] - to[k]).rounded();
        (0..4).filter(|k| to[*k] < level).map(share).fold(1.0, f64::min)
    }

    #[inline(always)]
    pub(super) fn flipped(&self) -> Self {
        Self { u: -self.u, v: -self.v, w: -self.w }
    }

    #[inline(always)]
    pub(super) fn halfway(&self, other: &Self) -> Self {
        let mean = |a: N, b: N| (a + b).scaled(0.5);
        Self { u: mean(self.u, other.u), v: mean(self.v, other.v), w: mean(self.w, other.w) }
    }
}

/// The vectors at both ends of the step; `EDGES` distinguishes the parallelogram from the triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelativeMotion<'a, N, const EDGES: bool> {
    source: &'a MovingPrimitives,
    /// The powers of two of [`MotionPlace::scaled`], if sizes are out of range.
    scale: Option<[f64; 3]>,
    pub start: MotionPlace<N>,
    pub end: MotionPlace<N>,
    /// The largest component of u, v and w at either end, in magnitude.
    pub sizes: [f64; 3],
    /// The contact distance.
    pub reach: f64,
    /// A gap above this along a unit vector proves a distance above `reach`.
    pub separated_above: N,
    /// A distance up to this counts as contact.
    pub touching: N,
}

impl<'a, const EDGES: bool> RelativeMotion<'a, f64, EDGES> {
    /// Computes the vectors; `None` if a coordinate is not finite.
    #[inline]
    pub(super) fn new(source: &'a MovingPrimitives, min_separation: f64) -> Option<Self> {
        let (start, end) = (MotionPlace::new::<EDGES>(&source.start), MotionPlace::new::<EDGES>(&source.end));
        let sizes = sizes(&start, &end);
        // NaN and infinity are in no range.
        if (SMALLEST..=LARGEST).contains(&sizes.iter().sum()) {
            return Some(Self::with(source, None, [start, end], sizes, min_separation));
        }
        Self::scaled(source, min_separation)
    }

    #[cold]
    #[inline(never)]
    fn scaled(source: &'a MovingPrimitives, min_separation: f64) -> Option<Self> {
        let mut points = source.start.iter().chain(&source.end);
        if points.clone().any(|p| !p.is_finite()) {
            return None;
        }
        // No difference may overflow; the resulting underflow is negligible relative to the largest coordinate.
        let shrink = if points.any(|p| p.abs().max_element() > 1e290) { 2f64.powi(-64) } else { 1.0 };
        let place = |points, scale| MotionPlace::scaled::<EDGES>(points, &scale);
        let ends = |scale| [place(&source.start, scale), place(&source.end, scale)];
        let [start, end] = ends([shrink, 1.0, 1.0]);
        let total: f64 = sizes(&start, &end).iter().sum();
        // The scale is applied in two steps: its power alone may leave the range of doubles.
        let power = if total == 0.0 { 0 } else { -exponent(total) };
        let scale = [shrink, 2f64.powi(power / 2), 2f64.powi(power - power / 2)];
        let ends = ends(scale);
        let reach = min_separation * scale[0] * scale[1] * scale[2];
        // A contact distance that scaling underflows to zero must stay positive.
        let reach = if min_separation > 0.0 { reach.max(UNDERFLOW) } else { 0.0 };
        Some(Self::with(source, Some(scale), ends, sizes(&ends[0], &ends[1]), reach))
    }

    /// Returns the motion with doubled precision.
    #[cold]
    pub(super) fn sharp(&self) -> RelativeMotion<'a, TwoTerms, EDGES> {
        let place = |points| match &self.scale {
            Some(scale) => MotionPlace::scaled::<EDGES>(points, scale),
            None => MotionPlace::new::<EDGES>(points),
        };
        let ends = [place(&self.source.start), place(&self.source.end)];
        RelativeMotion::with(self.source, self.scale, ends, self.sizes, self.reach)
    }

    /// Tests exactly whether they share a point at the start.
    pub(super) fn touches_at_start(&self) -> bool {
        touch::<EDGES>(&self.source.start)
    }

    /// Tests exactly whether they share a point at the end.
    pub(super) fn touches_at_end(&self) -> bool {
        touch::<EDGES>(&self.source.end)
    }

    /// Applies [`Self::clear`] along a coordinate axis, in either sense.
    #[inline(always)]
    pub(super) fn clear_along_axes(&self, from: &MotionPlace<f64>, to: &MotionPlace<f64>) -> bool {
        let seen = |p: &MotionPlace<f64>, k: usize| Shadow { u: p.u.0[k], v: p.v.0[k], w: p.w.0[k] };
        (0..3).any(|k| {
            let (from, to) = (seen(from, k), seen(to, k));
            self.clear(&from, &to) | self.clear(&from.flipped(), &to.flipped())
        })
    }
}

impl<'a, N: Number, const EDGES: bool> RelativeMotion<'a, N, EDGES> {
    /// Computes the bounds. Along an axis of length 1 within 6ε, a shadow at a time t is off by at most 10ε · ‖axis‖₁ ·
    /// (sum of sizes): differences, 1 − t, products and a sum are four roundings of each component, a product and two
    /// sums three more, and three such shadows are summed with two. ‖axis‖₁ < 1.74, so 20ε covers it, and 8ε the length
    /// of the axis and `reach` times it.
    #[inline(always)]
    fn with(
        source: &'a MovingPrimitives,
        scale: Option<[f64; 3]>,
        [start, end]: [MotionPlace<N>; 2],
        sizes: [f64; 3],
        reach: f64,
    ) -> Self {
        let reach = reach.min(FARTHEST);
        let slack = 20.0 * N::EPSILON * (sizes[0] + sizes[1] + sizes[2]) + UNDERFLOW;
        let separated_above = N::new(reach) + N::new(8.0 * N::EPSILON * reach + slack);
        // The margin is wide enough that pieces of time above it can always be proved free.
        let touching = N::new(reach) + N::new(32.0 * N::EPSILON * reach + 4.0 * slack);
        Self { source, scale, start, end, sizes, reach, separated_above, touching }
    }

    /// Returns the distance below which contact is certain.
    pub(super) fn surely_touching(&self) -> N {
        N::new(self.reach) + N::new(self.reach) - self.touching
    }

    /// Computes the vectors at time `t` in [0, 1].
    #[inline(always)]
    pub(super) fn at(&self, t: f64) -> MotionPlace<N> {
        let (s, t) = (N::difference(1.0, t), N::new(t));
        let mean = |a: NumberVector<N>, b: NumberVector<N>| a.times(s) + b.times(t);
        let (a, b) = (&self.start, &self.end);
        MotionPlace { u: mean(a.u, b.u), v: mean(a.v, b.v), w: mean(a.w, b.w) }
    }

    /// Computes the change of the vectors in the whole step.
    #[inline(always)]
    pub(super) fn change(&self) -> MotionPlace<N> {
        MotionPlace { u: self.end.u - self.start.u, v: self.end.v - self.start.v, w: self.end.w - self.start.w }
    }

    /// Reports whether projections on one unit vector at two times prove both sides disjoint between these times: the
    /// projection of each corner moves at constant speed.
    #[inline(always)]
    pub(super) fn clear(&self, from: &Shadow<N>, to: &Shadow<N>) -> bool {
        (from.gap::<EDGES>() > self.separated_above) & (to.gap::<EDGES>() > self.separated_above)
    }
}

fn touch<const EDGES: bool>(&[a, b, c, d]: &[Vec3; 4]) -> bool {
    match EDGES {
        false => point_on_triangle(a, &[b, c, d]),
        true => segments_intersect(a, b, c, d),
    }
}

#[inline(always)]
fn sizes(start: &MotionPlace<f64>, end: &MotionPlace<f64>) -> [f64; 3] {
    // `f64::max` would drop NaN; sums keep it.
    let doubt = [start, end].map(|p| (p.u + p.v + p.w).0.map(|x| x * 0.0).iter().sum::<f64>());
    let size = |a: NumberVector<f64>, b: NumberVector<f64>| a.size().max(b.size());
    [size(start.u, end.u) + (doubt[0] + doubt[1]), size(start.v, end.v), size(start.w, end.w)]
}

/// Returns the exponent of a finite number above 0.
fn exponent(x: f64) -> i32 {
    let of = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if x < f64::MIN_POSITIVE { of(x * 2f64.powi(60)) - 60 } else { of(x) }
}
