//! A point against a triangle or a parallelogram, all of which move: what both kinds of queries come down to.
//!
//! In: moving primitives. Out: vectors u, v, w at both ends of the step. Contact is w within the distance of 0, u, v (vertex p
//! and triangle a, b, c: u = b − a, v = c − a, w = p − a) or of 0, u, v, u + v (edges ab and cd: a + λ(b − a) = c + μ(d − c)
//! where w = λu + μv, with u = b − a, v = c − d, w = c − a).
//! Method: differences are rounded once, relative to themselves. Sizes beyond 2^±64 are scaled by a power of two, so that no
//! product over- or underflows by more than [`UNDERFLOW`] grants.
//! Guarantees: [`Motion::clear`] is what its bound proves.

use super::MovingPrimitives;
use heurt_geometry::Vec3;

/// Half a unit in the last place of 1.
pub(super) const EPSILON: f64 = f64::EPSILON / 2.0;
/// What products of numbers below 2^192 may lose to underflow, and much more.
pub(super) const UNDERFLOW: f64 = 1e-290;
/// Sizes within these need no scaling.
pub(super) const LARGEST: f64 = (1u128 << 64) as f64;
pub(super) const SMALLEST: f64 = 1.0 / LARGEST;

/// The vectors at one time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub u: Vec3,
    pub v: Vec3,
    pub w: Vec3,
}

impl Place {
    fn new<const EDGES: bool>(p: &[Vec3; 4], scale: f64) -> Self {
        let [a, b, c, d] = [p[0] * scale, p[1] * scale, p[2] * scale, p[3] * scale];
        match EDGES {
            false => Self { u: c - b, v: d - b, w: a - b },
            true => Self { u: b - a, v: c - d, w: c - a },
        }
    }

    fn scaled(&self, by: f64) -> Self {
        Self { u: self.u * by, v: self.v * by, w: self.w * by }
    }

    /// What lies along `axis`.
    #[inline(always)]
    pub(super) fn along(&self, axis: Vec3) -> Shadow {
        Shadow { u: axis.dot(self.u), v: axis.dot(self.v), w: axis.dot(self.w) }
    }
}

/// The vectors seen along an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow {
    pub u: f64,
    pub v: f64,
    pub w: f64,
}

impl Shadow {
    /// How far the point is above all corners.
    #[inline(always)]
    pub(super) fn gap<const EDGES: bool>(&self) -> f64 {
        match EDGES {
            false => self.w - self.u.max(self.v).max(0.0),
            true => self.w - self.u.max(0.0) - self.v.max(0.0),
        }
    }

    /// How high the point is above each corner.
    #[inline(always)]
    fn heights<const EDGES: bool>(&self) -> [f64; 4] {
        let Self { u, v, w } = *self;
        [w, w - u, w - v, if EDGES { w - u - v } else { w }]
    }

    /// The share of the way from here to `to` after which a corner first comes up to `level`, rounded.
    #[inline]
    pub(super) fn share_above<const EDGES: bool>(&self, to: &Self, level: f64) -> f64 {
        let (from, to) = (self.heights::<EDGES>(), to.heights::<EDGES>());
        (0..4).filter(|k| to[*k] < level).map(|k| (from[k] - level) / (from[k] - to[k])).fold(1.0, f64::min)
    }

    #[inline(always)]
    fn flipped(&self) -> Self {
        Self { u: -self.u, v: -self.v, w: -self.w }
    }

    #[inline(always)]
    pub(super) fn halfway(&self, other: &Self) -> Self {
        Self { u: 0.5 * (self.u + other.u), v: 0.5 * (self.v + other.v), w: 0.5 * (self.w + other.w) }
    }
}

/// The vectors at both ends of the step; `EDGES` tells the parallelogram from the triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion<const EDGES: bool> {
    pub start: Place,
    pub end: Place,
    /// The largest component of u, v and w at either end, in magnitude.
    pub sizes: [f64; 3],
    /// The distance that is contact.
    pub reach: f64,
    /// A gap above this along a unit vector proves a distance above `reach`.
    pub apart: f64,
    /// A distance up to this passes for contact.
    pub touching: f64,
}

impl<const EDGES: bool> Motion<EDGES> {
    /// `None` when a coordinate is not finite.
    pub(super) fn new(primitives: &MovingPrimitives, min_separation: f64) -> Option<Self> {
        let (start, end) = (Place::new::<EDGES>(&primitives.start, 1.0), Place::new::<EDGES>(&primitives.end, 1.0));
        let sizes = sizes(&start, &end);
        // NaN and infinity fail both comparisons.
        let total = sizes[0] + sizes[1] + sizes[2];
        if (SMALLEST..=LARGEST).contains(&total) {
            return Some(Self::with(start, end, sizes, min_separation));
        }
        Self::scaled(primitives, min_separation)
    }

    #[cold]
    #[inline(never)]
    fn scaled(primitives: &MovingPrimitives, min_separation: f64) -> Option<Self> {
        if primitives.start.iter().chain(&primitives.end).any(|p| !p.is_finite()) {
            return None;
        }
        let largest =
            primitives.start.iter().chain(&primitives.end).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        // So that no difference overflows; below, what is lost is nothing to the largest coordinate.
        let shrink = if largest > 1e300 { 2f64.powi(-8) } else { 1.0 };
        let place = |points| Place::new::<EDGES>(points, shrink);
        let (mut start, mut end) = (place(&primitives.start), place(&primitives.end));
        let total: f64 = sizes(&start, &end).iter().sum();
        if total == 0.0 {
            return Some(Self::with(start, end, [0.0; 3], min_separation));
        }
        // In two steps: the power alone may leave the range of doubles.
        let power = -exponent(total);
        let mut reach = min_separation * shrink;
        for part in [power / 2, power - power / 2] {
            let by = 2f64.powi(part);
            (start, end, reach) = (start.scaled(by), end.scaled(by), reach * by);
        }
        if min_separation > 0.0 {
            reach = reach.max(UNDERFLOW);
        }
        let sizes = sizes(&start, &end);
        Some(Self::with(start, end, sizes, reach))
    }

    /// Along an axis of length 1 within 6ε, a shadow at a time t is off by at most 10ε · ‖axis‖₁ · (sum of sizes): differences,
    /// 1 − t, products and a sum are four roundings of each component, a product and two sums three more, and three such shadows
    /// are summed with two. ‖axis‖₁ < 1.74, so that 20ε covers it, and 8ε the length of the axis and `reach` times it.
    fn with(start: Place, end: Place, sizes: [f64; 3], reach: f64) -> Self {
        let slack = 20.0 * EPSILON * (sizes[0] + sizes[1] + sizes[2]) + UNDERFLOW;
        let apart = reach * (1.0 + 8.0 * EPSILON) + slack;
        // Wide enough that pieces of time above it can always be proved free.
        let touching = reach * (1.0 + 32.0 * EPSILON) + 4.0 * slack;
        Self { start, end, sizes, reach, apart, touching }
    }

    /// The vectors at time `t` in [0, 1].
    #[inline(always)]
    pub(super) fn at(&self, t: f64) -> Place {
        let (s, [x, y]) = (1.0 - t, [&self.start, &self.end]);
        Place { u: x.u * s + y.u * t, v: x.v * s + y.v * t, w: x.w * s + y.w * t }
    }

    /// How much the vectors change in the whole step.
    #[inline(always)]
    pub(super) fn change(&self) -> Place {
        Place { u: self.end.u - self.start.u, v: self.end.v - self.start.v, w: self.end.w - self.start.w }
    }

    /// Tells whether what is seen along one unit vector at two times proves both sides apart between them: each corner is
    /// seen to move at constant speed.
    #[inline(always)]
    pub(super) fn clear(&self, from: &Shadow, to: &Shadow) -> bool {
        (from.gap::<EDGES>() > self.apart) & (to.gap::<EDGES>() > self.apart)
    }

    /// [`Self::clear`] along a coordinate axis, either way.
    #[inline(always)]
    pub(super) fn clear_along_axes(&self, from: &Place, to: &Place) -> bool {
        let seen = |p: &Place, k: usize| Shadow { u: p.u[k], v: p.v[k], w: p.w[k] };
        (0..3).any(|k| {
            let (from, to) = (seen(from, k), seen(to, k));
            self.clear(&from, &to) | self.clear(&from.flipped(), &to.flipped())
        })
    }
}

fn sizes(start: &Place, end: &Place) -> [f64; 3] {
    // `f64::max` would pass over NaN, sums do not.
    let doubt = [start, end].iter().map(|p| (p.u + p.v + p.w).element_sum() * 0.0).sum::<f64>();
    let size = |a: Vec3, b: Vec3| a.abs().max(b.abs()).max_element();
    [size(start.u, end.u) + doubt, size(start.v, end.v), size(start.w, end.w)]
}

/// The power of two of a finite number above 0.
fn exponent(x: f64) -> i32 {
    let of = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if x < f64::MIN_POSITIVE { of(x * 2f64.powi(60)) - 60 } else { of(x) }
}
