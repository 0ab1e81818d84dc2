//! Cubic height of w over the plane of u and v in time, det(u, v, w): it is zero at every contact.
//!
//! In: a motion. Out: where its sign is certain, and an interval around a root that contains it.
//! Method: Bernstein coefficients with a bound on their error; a cubic lies between the least and the greatest of them,
//! and has no more roots than they change signs.
//! Guarantees: a reported sign is correct. Let m be the product of the sizes of u, v and w, one of the six terms of a
//! determinant, and ε = 2⁻⁵³. Coefficients are within 75 εm (differences, cross products, sums of two of these, dot
//! products, a third). Values and coefficients on a part of the step are mean values of them in at most three more
//! steps; they are within 66 εm of that.

use crate::ccd::relative_motion::{RelativeMotion, UNDERFLOW};

/// Half a unit in the last place of 1.
const EPSILON: f64 = f64::EPSILON / 2.0;

/// Limit of widenings of the enclosure of a root.
const WIDENINGS: u32 = 3;
/// Limit of Newton steps towards a root.
const NEWTON_STEPS: u32 = 12;
/// A step as short as this, as a share of the part, is the last.
const CLOSE: f64 = 1e-12;

/// The height as a cubic in Bernstein form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Height {
    coefficients: [f64; 4],
    /// Error bound: a value beyond it has the sign of the height.
    pub error: f64,
    /// Upper bound of the length of a normal.
    pub longest_normal: f64,
}

/// The sign pattern of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// All of one sign.
    Never,
    /// One sign at the start, the opposite sign at the end, with exactly one root.
    Once,
    /// No sign is certain.
    Unknown,
    /// Any other pattern.
    Mixed,
}

impl Height {
    pub(super) fn new<const EDGES: bool>(motion: &RelativeMotion<f64, EDGES>) -> Self {
        let (a, b) = (&motion.start, &motion.end);
        let (first, last) = (a.u.cross(a.v), b.u.cross(b.v));
        let mixed = a.u.cross(b.v) + b.u.cross(a.v);
        const THIRD: f64 = 1.0 / 3.0;
        let coefficients = [
            first.dot(a.w),
            (mixed.dot(a.w) + first.dot(b.w)) * THIRD,
            (last.dot(a.w) + mixed.dot(b.w)) * THIRD,
            last.dot(b.w),
        ];
        let [u, v, w] = motion.sizes;
        // Half of `mixed` is the middle coefficient of the normal.
        let longest = first.squared().max(last.squared()).max(0.25 * mixed.squared());
        let rounding = 64.0 * EPSILON * u * v;
        Self {
            coefficients,
            error: 160.0 * EPSILON * (u * v * w) + UNDERFLOW,
            longest_normal: longest.sqrt() * (1.0 + 16.0 * EPSILON) + rounding + UNDERFLOW,
        }
    }

    /// Computes the coefficients on a part of the step.
    #[inline]
    pub(super) fn between(&self, from: f64, to: f64) -> [f64; 4] {
        let [a, b, c, d] = self.coefficients;
        let mean = |x: f64, y: f64, t: f64| x * (1.0 - t) + y * t;
        let step = |x: [f64; 3], t: f64| [mean(x[0], x[1], t), mean(x[1], x[2], t)];
        let level = |t: f64| [mean(a, b, t), mean(b, c, t), mean(c, d, t)];
        let (low, high) = (level(from), level(to));
        let (low_low, low_high, high_high) = (step(low, from), step(low, to), step(high, to));
        [
            mean(low_low[0], low_low[1], from),
            mean(low_low[0], low_low[1], to),
            mean(low_high[0], low_high[1], to),
            mean(high_high[0], high_high[1], to),
        ]
    }

    #[inline]
    fn value(&self, t: f64) -> f64 {
        let ([a, b, c, d], s) = (self.coefficients, 1.0 - t);
        (a * s + 3.0 * b * t) * (s * s) + (3.0 * c * s + d * t) * (t * t)
    }

    /// Classifies the signs of coefficients; a height up to `margin` in magnitude counts as uncertain.
    #[inline]
    pub(super) fn signs(coefficients: &[f64; 4], margin: f64) -> Signs {
        let [a, b, c, d] = *coefficients;
        let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        if (low > margin) | (high < -margin) {
            return Signs::Never;
        }
        let falls = (a > margin) & (d < -margin) & ((b > margin) | (c < -margin));
        let rises = (a < -margin) & (d > margin) & ((b < -margin) | (c > margin));
        if falls | rises {
            return Signs::Once;
        }
        // Written so that NaN gives `Unknown`.
        if (low < -margin) | (high > margin) { Signs::Mixed } else { Signs::Unknown }
    }

    /// Encloses the root of coefficients that change sign once, within `width` if rounding permits: proved by the signs
    /// at both ends.
    pub(super) fn enclose(&self, coefficients: &[f64; 4], from: f64, to: f64, width: f64) -> [f64; 2] {
        let [a, _, _, d] = *coefficients;
        let (share, slope) = root(coefficients);
        let length = to - from;
        let near = from + length * share;
        let doubt = 4.0 * self.error * length / slope.abs();
        // Written so that NaN gives the whole part.
        let mut half = if doubt < 0.5 * width { 0.5 * width } else { doubt };
        let is_low = |t: f64| if a > 0.0 { self.value(t) > self.error } else { self.value(t) < -self.error };
        let is_high = |t: f64| if d > 0.0 { self.value(t) > self.error } else { self.value(t) < -self.error };
        for _ in 0..WIDENINGS {
            let (low, high) = (near - half, near + half);
            let low = if low > from { low } else { from };
            let high = if high < to { high } else { to };
            if (low == from || is_low(low)) && (high == to || is_high(high)) {
                return [low, high];
            }
            half *= 16.0;
        }
        [from, to]
    }
}

/// Computes the root of a cubic that changes sign once in [0, 1], and its slope there; rounded.
fn root(coefficients: &[f64; 4]) -> (f64, f64) {
    let [a, b, c, d] = *coefficients;
    let (first, second, third) = (3.0 * (b - a), 3.0 * (c - 2.0 * b + a), d - a + 3.0 * (b - c));
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = a / (a - d);
    let mut slope = d - a;
    for _ in 0..NEWTON_STEPS {
        let value = ((third * t + second) * t + first) * t + a;
        slope = (3.0 * third * t + 2.0 * second) * t + first;
        if (value > 0.0) == (a > 0.0) {
            low = t
        } else {
            high = t
        }
        let next = t - value / slope;
        if (next - t).abs() < CLOSE {
            return (next, slope);
        }
        t = if next > low && next < high { next } else { 0.5 * (low + high) };
    }
    (t, slope)
}

/// Reports whether w is provably between the edges wherever in `from`..`to` the height is zero, in projection along the
/// normal at a time between. There λ is the first product below divided by the last. They change by less than 16 times
/// the sizes per unit of time, and are rounded by less than 64 ε of them.
pub(super) fn is_surely_inside<const EDGES: bool>(motion: &RelativeMotion<f64, EDGES>, from: f64, to: f64) -> bool {
    let place = motion.at(0.5 * (from + to));
    let (u, v, w) = (place.u, place.v, place.w);
    let normal = u.cross(v);
    let (first, second, size) = (w.cross(v).dot(normal), u.cross(w).dot(normal), normal.dot(normal));
    let [size_u, size_v, size_w] = motion.sizes;
    let product = (size_u * size_v).max(size_v * size_w).max(size_w * size_u);
    let doubt =
        (16.0 * (to - from) + 64.0 * EPSILON) * product * normal.0.iter().map(|x| x.abs()).sum::<f64>() + UNDERFLOW;
    let far = match EDGES {
        false => size - first - second,
        true => (size - first).min(size - second),
    };
    (first > doubt) & (second > doubt) & (far > 4.0 * doubt) & (size > doubt)
}
