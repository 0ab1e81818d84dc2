//! Determinants in 256-bit integers: exact and fast if the coordinates lie within 30 binary orders of each other.
//!
//! A coordinate is a mantissa of 53 bits times a power of two. Divided by the least power of all coordinates it is an
//! integer below 2⁸³, a difference of two is one below 2⁸⁴, a 2×2 determinant stays below 2¹⁶⁹ and a 3×3 determinant
//! below 3 · 2²⁵³. So two's complement of 256 bits holds every result, and wrapping arithmetic computes it. The
//! magnitude of the coordinates has no influence: nothing under- or overflows.

use super::Sign;
use super::big::decode;

/// Maximum number of binary orders between the least powers of two of two coordinates.
const SPREAD: i32 = 30;

/// A two's complement integer of 256 bits, least limb first.
#[derive(Clone, Copy)]
struct Wide([u64; 4]);

impl Wide {
    #[inline]
    fn of(x: i128) -> Self {
        let sign = (x >> 127) as u64;
        Self([x as u64, (x >> 64) as u64, sign, sign])
    }

    #[inline]
    fn add(self, other: Self) -> Self {
        let mut carry = false;
        Self(std::array::from_fn(|k| {
            let (sum, over) = self.0[k].overflowing_add(other.0[k]);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            carry = over | over_again;
            sum
        }))
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        let mut borrow = false;
        Self(std::array::from_fn(|k| {
            let (rest, under) = self.0[k].overflowing_sub(other.0[k]);
            let (rest, under_again) = rest.overflowing_sub(u64::from(borrow));
            borrow = under | under_again;
            rest
        }))
    }

    /// Returns the product modulo 2²⁵⁶, which is correct for either sign.
    #[inline]
    fn times(self, other: Self) -> Self {
        let mut product = [0u64; 4];
        for i in 0..4 {
            let mut carry = 0u128;
            for j in 0..4 - i {
                // Below 2¹²⁸: (2⁶⁴ − 1)² + 2 (2⁶⁴ − 1) = 2¹²⁸ − 1.
                let sum = u128::from(self.0[i]) * u128::from(other.0[j]) + u128::from(product[i + j]) + carry;
                product[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        Self(product)
    }

    fn sign(self) -> Sign {
        if self.0 == [0; 4] {
            Sign::Zero
        } else if self.0[3] >> 63 == 1 {
            Sign::Negative
        } else {
            Sign::Positive
        }
    }
}

/// Returns the coordinates over their least power of two; `None` when they spread too far.
#[inline]
fn integers<const D: usize, const N: usize>(points: &[[f64; D]; N]) -> Option<[[i128; D]; N]> {
    let parts = points.map(|point| point.map(decode));
    let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
    for &(mantissa, exponent) in parts.as_flattened() {
        if mantissa != 0 {
            (lowest, highest) = (lowest.min(exponent), highest.max(exponent));
        }
    }
    if i64::from(highest) - i64::from(lowest) > i64::from(SPREAD) {
        return None;
    }
    // A zero has no power of two of its own; any shift leaves it zero.
    let whole = |(mantissa, exponent): (i64, i32)| {
        i128::from(mantissa) << if mantissa == 0 { 0 } else { (exponent - lowest) as u32 }
    };
    Some(parts.map(|point| point.map(whole)))
}

/// Returns a·d − b·c.
#[inline]
fn minor(a: i128, b: i128, c: i128, d: i128) -> Wide {
    Wide::of(a).times(Wide::of(d)).minus(Wide::of(b).times(Wide::of(c)))
}

pub(super) fn orient2d(points: &[[f64; 2]; 3]) -> Option<Sign> {
    let [a, b, c] = integers(points)?;
    Some(minor(b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]).sign())
}

pub(super) fn orient3d(points: &[[f64; 3]; 4]) -> Option<Sign> {
    let [a, b, c, d] = integers(points)?;
    let [u, v, w] = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    let along = |x: usize, y: usize, z: usize| minor(u[x], u[y], v[x], v[y]).times(Wide::of(w[z]));
    Some(along(1, 2, 0).add(along(2, 0, 1)).add(along(0, 1, 2)).sign())
}
