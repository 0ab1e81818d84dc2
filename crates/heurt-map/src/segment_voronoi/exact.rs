//! Gaps between two sites against the diameter of a disc, exactly.
//!
//! In: points with `f64` coordinates, a diameter. Out: whether the gap is at least as wide.
//! Method: sums of non-overlapping doubles (Shewchuk 1997), after a filter. A gap of two points: |p − q|² − d².
//! A gap of a point and a line: ((b − a) × (p − a))² − d² |b − a|².
//! Guarantees: the sign of the exact real value, if no product over- or underflows (coordinates from 1e-43 to 1e60).
//! Cost: some nanoseconds by the filter, some microseconds without it.

use heurt_geometry::Vec2;

/// A sum of non-overlapping doubles, ascending by magnitude, without zeros.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansion(Vec<f64>);

fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let virtual_b = sum - a;
    [sum, (a - (sum - virtual_b)) + (b - virtual_b)]
}

fn split(a: f64) -> [f64; 2] {
    let high = 134_217_729.0 * a;
    let high = high - (high - a);
    [high, a - high]
}

fn two_product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    let ([a1, a0], [b1, b0]) = (split(a), split(b));
    [product, a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0)]
}

impl Expansion {
    fn difference(a: f64, b: f64) -> Self {
        let mut sum = Self::default();
        sum.grow(a);
        sum.grow(-b);
        sum
    }

    fn of(value: f64) -> Self {
        Self(if value == 0.0 { Vec::new() } else { vec![value] })
    }

    fn grow(&mut self, value: f64) {
        let (mut carry, mut kept) = (value, 0);
        for place in 0..self.0.len() {
            let [sum, rest] = two_sum(carry, self.0[place]);
            carry = sum;
            if rest != 0.0 {
                self.0[kept] = rest;
                kept += 1;
            }
        }
        self.0.truncate(kept);
        if carry != 0.0 {
            self.0.push(carry);
        }
    }

    fn plus(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|&part| self.grow(part));
        self
    }

    fn minus(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|&part| self.grow(-part));
        self
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for &a in &self.0 {
            for &b in &other.0 {
                let [high, low] = two_product(a, b);
                product.grow(low);
                product.grow(high);
            }
        }
        product
    }

    /// The largest part: its sign is the sign of the sum.
    fn leading(&self) -> f64 {
        self.0.last().copied().unwrap_or(0.0)
    }
}

/// A gap between two sites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Gap {
    /// Between two points.
    Points([Vec2; 2]),
    /// Between a point and the line through two points.
    Line(Vec2, [Vec2; 2]),
}

/// Rounding of a few operations, relative to the sum of the magnitudes: 8 roundings of 2⁻⁵³, doubled.
const ROUNDED: f64 = 2e-15;

impl Gap {
    /// The width, rounded, and a bound on its error.
    pub(super) fn width(&self) -> [f64; 2] {
        match *self {
            Gap::Points([p, q]) => {
                let width = (p - q).length();
                [width, width * ROUNDED]
            }
            Gap::Line(p, [a, b]) => {
                let (w, d) = (p - a, b - a);
                let (left, right, length) = (d.x * w.y, d.y * w.x, d.length());
                [(left - right).abs() / length, (left.abs() + right.abs()) / length * ROUNDED]
            }
        }
    }

    /// Reports whether the gap is at least `diameter` wide: exact.
    pub(super) fn admits(&self, diameter: f64) -> bool {
        let [width, error] = self.width();
        if diameter < width - error {
            return true;
        }
        if diameter > width + error {
            return false;
        }
        let squared = Expansion::of(diameter).times(&Expansion::of(diameter));
        let offset = |p: Vec2, q: Vec2| [Expansion::difference(p.x, q.x), Expansion::difference(p.y, q.y)];
        let length = |[x, y]: &[Expansion; 2]| x.times(x).plus(&y.times(y));
        match *self {
            Gap::Points([p, q]) => length(&offset(p, q)).minus(&squared).leading() >= 0.0,
            Gap::Line(p, [a, b]) => {
                let (d, w) = (offset(b, a), offset(p, a));
                let cross = d[0].times(&w[1]).minus(&d[1].times(&w[0]));
                cross.times(&cross).minus(&squared.times(&length(&d))).leading() >= 0.0
            }
        }
    }
}

/// Reports whether two segments are parallel: exact.
pub(super) fn are_parallel([a, b]: [Vec2; 2], [c, d]: [Vec2; 2]) -> bool {
    let (u, v) = (b - a, d - c);
    let (left, right) = (u.x * v.y, u.y * v.x);
    if (left - right).abs() > ROUNDED * (left.abs() + right.abs()) {
        return false;
    }
    let x = [Expansion::difference(b.x, a.x), Expansion::difference(d.x, c.x)];
    let y = [Expansion::difference(b.y, a.y), Expansion::difference(d.y, c.y)];
    x[0].times(&y[1]).minus(&y[0].times(&x[1])).leading() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_admits_its_width_and_no_more() {
        let gap = Gap::Points([Vec2::new(0.1, 0.2), Vec2::new(3.1, 4.2)]);
        let line = Gap::Line(Vec2::new(0.3, 1.0), [Vec2::new(-7.0, 0.0), Vec2::new(3.0, 0.0)]);
        let width = |gap: &Gap| {
            let [width, _] = gap.width();
            let mut best = width - 1e-13;
            while gap.admits(best.next_up()) {
                best = best.next_up();
            }
            best
        };
        assert!((width(&gap) - 5.0).abs() < 1e-15);
        assert_eq!(width(&line), 1.0);
        assert!(line.admits(1.0) && !line.admits(1.0f64.next_up()));
        assert!(are_parallel([Vec2::ZERO, Vec2::new(1.0, 3.0)], [Vec2::ONE, Vec2::new(-1.0, -5.0)]));
        assert!(!are_parallel([Vec2::ZERO, Vec2::new(1.0, 3.0)], [Vec2::ZERO, Vec2::new(1.0, 3.0f64.next_up())]));
    }
}
