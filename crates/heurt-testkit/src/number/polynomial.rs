//! Polynomials of whole coefficients and their real roots between 0 and 1, without rounding.
//!
//! Method: Sturm's theorem counts roots, bisection at dyadic numbers isolates them, and a common divisor reports
//! whether two polynomials vanish at the same root. Cost: tens of microseconds a root at degree three.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::cmp::Ordering;

/// Coefficients, the lowest power first; the last one is not zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial(Vec<BigInt>);

/// The number over / 2^power.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DyadicTime {
    pub(crate) over: BigInt,
    pub(crate) power: usize,
}

impl DyadicTime {
    /// Converts a finite number of at least 0.
    pub(crate) fn new(x: f64) -> Self {
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & 0xf_ffff_ffff_ffff) as i64);
        let (digits, power) = if exponent == 0 { (fraction, -1074) } else { (fraction + (1 << 52), exponent - 1075) };
        let drop = if digits == 0 { 0 } else { i64::from(digits.trailing_zeros()).min(-power) };
        Self { over: BigInt::from(digits >> drop.max(0)), power: (-power - drop).max(0) as usize }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        (&self.over << other.power).cmp(&(&other.over << self.power))
    }
}

fn sign(x: &BigInt) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

impl Polynomial {
    fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn constant(x: BigInt) -> Self {
        Self::new(vec![x])
    }

    /// Makes the linear polynomial that is `start` at 0 and `end` at 1.
    pub(crate) fn linear(start: &BigInt, end: &BigInt) -> Self {
        Self::new(vec![start.clone(), end - start])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let zero = BigInt::zero();
        let at = |p: &Self, k: usize| p.0.get(k).unwrap_or(&zero).clone();
        Self::new((0..self.0.len().max(other.0.len())).map(|k| at(self, k) + at(other, k)).collect())
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(other.0.iter().map(|x| -x).collect()))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(vec![]);
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(k, x)| x * BigInt::from(k)).collect())
    }

    /// Computes the value at `t` times 2^(power · degree).
    fn value(&self, t: &DyadicTime) -> BigInt {
        let top = self.degree();
        let mut value = BigInt::zero();
        for (k, x) in self.0.iter().enumerate().rev() {
            value = value * &t.over + (x << (t.power * (top - k)));
        }
        value
    }

    pub(crate) fn sign_at(&self, t: &DyadicTime) -> i32 {
        sign(&self.value(t))
    }

    /// Computes the remainder of a division by `other`, times a positive number.
    fn remainder(&self, other: &Self) -> Self {
        let mut rest = self.0.clone();
        let (Some(lead), lower) = (other.0.last(), other.0.len()) else { unreachable!("no division by zero") };
        while rest.len() >= lower {
            let top = rest.pop().unwrap_or_default();
            if top.is_zero() {
                continue;
            }
            let (scale, factor) = if lead.is_negative() { (-lead, -top) } else { (lead.clone(), top) };
            let shift = rest.len() + 1 - lower;
            for (k, x) in rest.iter_mut().enumerate() {
                *x *= &scale;
                if k >= shift {
                    *x -= &factor * &other.0[k - shift];
                }
            }
        }
        Self::new(rest).reduced()
    }

    /// Divides by the greatest common divisor of the coefficients, which keeps their signs.
    fn reduced(self) -> Self {
        let content = self.0.iter().fold(BigInt::zero(), |a, b| gcd(&a, b));
        if content.is_zero() { self } else { Self(self.0.into_iter().map(|x| x / &content).collect()) }
    }

    fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone().reduced(), other.clone().reduced());
        while !b.is_zero() {
            let rest = a.remainder(&b);
            (a, b) = (b, rest);
        }
        a
    }

    /// Computes the quotient by a divisor, times a number.
    fn quotient(&self, divisor: &Self) -> Self {
        let (mut rest, lower) = (self.0.clone(), divisor.0.len());
        let lead = &divisor.0[lower - 1];
        let mut quotient = vec![];
        while rest.len() >= lower {
            for x in rest.iter_mut().chain(&mut quotient) {
                *x *= lead;
            }
            let factor = rest.pop().unwrap_or_default() / lead;
            let shift = rest.len() + 1 - lower;
            for (x, d) in rest[shift..].iter_mut().zip(&divisor.0) {
                *x -= &factor * d;
            }
            quotient.push(factor);
        }
        quotient.reverse();
        Self::new(quotient).reduced()
    }

    /// Returns a polynomial with the same roots, each once.
    fn square_free(&self) -> Self {
        match self.common_divisor(&self.derivative()) {
            divisor if divisor.degree() == 0 => self.clone().reduced(),
            divisor => self.quotient(&divisor),
        }
    }

    /// Computes all roots in [0, 1], in order.
    pub(crate) fn roots(&self) -> Vec<Root> {
        if self.degree() == 0 {
            return vec![];
        }
        let of = self.square_free();
        let chain = of.sturm_chain();
        let mut roots = vec![];
        if of.0[0].is_zero() {
            roots.push(Root { of: of.clone(), low: BigInt::zero(), power: 0, is_exact: true });
        }
        // Half-open cells (low, low + 1] / 2^power, the later ones below.
        let mut cells = vec![(BigInt::zero(), 0)];
        while let Some((low, power)) = cells.pop() {
            let high = DyadicTime { over: &low + 1, power };
            let count = variations(&chain, &DyadicTime { over: low.clone(), power }) - variations(&chain, &high);
            if count == 1 {
                let is_exact = of.sign_at(&high) == 0;
                roots.push(Root { of: of.clone(), low: if is_exact { high.over } else { low }, power, is_exact });
            } else if count > 1 {
                let low = low << 1usize;
                cells.push((&low + 1, power + 1));
                cells.push((low, power + 1));
            }
        }
        roots
    }

    fn sturm_chain(&self) -> Vec<Self> {
        let mut chain = vec![self.clone(), self.derivative()];
        while let [.., a, b] = &chain[..]
            && !b.is_zero()
        {
            let next = Self(a.remainder(b).0.into_iter().map(|x| -x).collect());
            chain.push(next);
        }
        chain.pop();
        chain
    }
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        let rest = &a % &b;
        (a, b) = (b, rest);
    }
    a
}

fn variations(chain: &[Polynomial], t: &DyadicTime) -> usize {
    let signs: Vec<i32> = chain.iter().map(|p| p.sign_at(t)).filter(|s| *s != 0).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// A root: low / 2^power itself, or the only one in (low, low + 1] / 2^power, the end of which is none.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    of: Polynomial,
    low: BigInt,
    power: usize,
    is_exact: bool,
}

impl Root {
    /// Makes the root of the number `t` itself.
    pub(crate) fn exactly(t: DyadicTime) -> Self {
        Self { of: Polynomial(vec![]), low: t.over, power: t.power, is_exact: true }
    }

    fn end(&self) -> DyadicTime {
        let over = if self.is_exact { self.low.clone() } else { &self.low + 1 };
        DyadicTime { over, power: self.power }
    }

    fn halve(&mut self) {
        let (middle, power): (BigInt, usize) = ((&self.low << 1usize) + 1, self.power + 1);
        let (at_middle, at_end) =
            (self.of.sign_at(&DyadicTime { over: middle.clone(), power }), self.of.sign_at(&self.end()));
        self.is_exact = at_middle == 0;
        self.low = if at_middle == at_end { middle - 1 } else { middle };
        self.power = power;
    }

    /// Computes the sign of `p` at the root.
    pub(crate) fn sign_of(&mut self, p: &Polynomial) -> i32 {
        if p.is_zero() {
            return 0;
        }
        // Number of bits after which an undecided sign suggests a common root.
        const DOUBT: usize = 40;
        let steepest: BigInt = p.0.iter().enumerate().map(|(k, x)| x.abs() * BigInt::from(k)).sum();
        let mut is_tested = false;
        loop {
            if self.is_exact {
                return p.sign_at(&self.end());
            }
            let value = p.value(&self.end());
            let top = p.degree();
            if (value.abs() << self.power) > (&steepest << (self.power * top)) {
                return sign(&value);
            }
            if self.power >= DOUBT && !is_tested {
                is_tested = true;
                if self.is_root_of(&self.of.common_divisor(p)) {
                    return 0;
                }
            }
            self.halve();
        }
    }

    /// Reports whether a divisor of the polynomial vanishes here.
    fn is_root_of(&self, divisor: &Polynomial) -> bool {
        if divisor.degree() == 0 {
            return false;
        }
        let chain = divisor.sturm_chain();
        let low = DyadicTime { over: self.low.clone(), power: self.power };
        variations(&chain, &low) > variations(&chain, &self.end())
    }

    /// Returns the order of the root and `t`, a number of at least 0.
    pub(crate) fn compare(&self, t: f64) -> Ordering {
        let t = DyadicTime::new(t);
        if self.is_exact {
            return self.end().cmp(&t);
        }
        if t.cmp(&DyadicTime { over: self.low.clone(), power: self.power }).is_le() {
            return Ordering::Greater;
        }
        if t.cmp(&self.end()).is_ge() {
            return Ordering::Less;
        }
        match self.of.sign_at(&t) {
            0 => Ordering::Equal,
            sign if sign == self.of.sign_at(&self.end()) => Ordering::Less,
            _ => Ordering::Greater,
        }
    }

    /// Returns the root, rounded without a bound.
    pub(crate) fn approximate(&self) -> f64 {
        let mut fine = self.clone();
        while !fine.is_exact && fine.power < 60 {
            fine.halve();
        }
        let drop = (fine.low.bits() as i64 - 62).max(0) as usize;
        let digits = (&fine.low >> drop).to_u64_digits().1.first().copied().unwrap_or(0);
        digits as f64 * 2f64.powi(drop as i32 - fine.power as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|x| BigInt::from(*x)).collect())
    }

    #[test]
    fn roots_are_told_apart_and_counted_once() {
        // (2t − 1)² (3t − 1)(t + 5)
        let square = polynomial(&[1, -4, 4]);
        let p = square.times(&polynomial(&[-1, 3])).times(&polynomial(&[5, 1]));
        let mut roots = p.roots();
        assert_eq!(roots.len(), 2);
        assert!((roots[0].approximate() - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(roots[1].compare(0.5), Ordering::Equal);
        assert_eq!(roots[0].sign_of(&polynomial(&[-1, 3])), 0);
        assert_eq!(roots[0].sign_of(&polynomial(&[-1, 2])), -1);
        assert_eq!(roots[0].compare(1.0 / 3.0), Ordering::Greater);
        assert_eq!(roots[0].compare(f64::from_bits((1.0f64 / 3.0).to_bits() + 1)), Ordering::Less);
    }

    #[test]
    fn ends_are_in() {
        let p = polynomial(&[0, -1, 1]);
        let roots = p.roots();
        assert_eq!(roots.len(), 2);
        assert_eq!(roots[0].compare(0.0), Ordering::Equal);
        assert_eq!(roots[1].compare(1.0), Ordering::Equal);
        assert!(polynomial(&[1, 0, 1]).roots().is_empty());
        // Three roots that one cell of a thousand holds.
        let close = polynomial(&[-1000, 3001]).times(&polynomial(&[-1000, 3002])).times(&polynomial(&[-1000, 3003]));
        assert_eq!(close.roots().len(), 3);
    }
}
