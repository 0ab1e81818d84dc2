//! Local frame of a tree: a centre in `f64` and a power-of-two scale, so that nodes can be `f32` and never overflow.
//!
//! In: the `f64` box of the primitives. Out: local coordinates `(p − centre) / 2^exponent`, all within [−1, 1].
//! Guarantees: subtraction is the only rounding (scaling is exact), and it is smaller than the outward rounding of the
//! `f32` boxes by a factor 2^28. Huge offsets, huge and tiny meshes lose nothing but the `f32` resolution of their own
//! size.

use crate::volume::Aabb32;
use heurt_geometry::{Aabb, Vec3};

/// Centre and scale of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeFrame {
    centre: Vec3,
    exponent: i32,
    half: Vec3,
    radius: f64,
    reach: f64,
}

impl TreeFrame {
    /// Creates the frame whose local coordinates of `bounds`, itself within ±2^1019, lie within [−1, 1].
    pub fn around(bounds: &Aabb) -> Self {
        let half = bounds.half_extents();
        let extent = half.max_element();
        if bounds.min == bounds.max {
            return Self::at(bounds.min);
        }
        // One more power of two than the extent needs covers the rounding of centre and half extents.
        let exponent = if extent > 0.0 { binary_exponent(extent) + 1 } else { -1000 };
        let exponent = exponent.clamp(-1000, 1020);
        Self::from_parts(bounds.centre(), exponent, half)
    }

    /// Creates the frame of a single point. Any scale holds it. Seen from a scale far below the size of other trees,
    /// those trees exceed the range of `f32`, and no test separates any volume.
    fn at(place: Vec3) -> Self {
        let largest = place.abs().max_element();
        let exponent = (binary_exponent(largest) - 40).clamp(-30, 1020);
        Self { reach: largest, ..Self::from_parts(place, exponent, Vec3::ZERO) }
    }

    /// Returns the same frame with the least radius that holds `points`, which span everything.
    pub(crate) fn with_radius_of(self, points: &[Vec3]) -> Self {
        // In local units, so nothing under- or overflows; `f64::max` handles `NaN`, at a cost.
        let squared = points.iter().fold(0.0, |most, &point| {
            let squared = self.to_local(point).length_squared();
            if squared > most { squared } else { most }
        });
        let radius = f64::sqrt(squared) * self.scale() * (1.0 + 1e-14);
        Self { radius: if radius < self.radius { radius } else { self.radius }, ..self }
    }

    /// Reports whether local coordinates that fill `bounds` are neither too large nor too small for `f32`.
    pub(crate) fn suits(bounds: &Aabb32) -> bool {
        Self::holds(bounds) && Self::is_filled_by(bounds)
    }

    /// Reports whether local coordinates that fill `bounds` are not too large.
    pub(crate) fn holds(bounds: &Aabb32) -> bool {
        bounds.min.iter().chain(&bounds.max).all(|x| x.abs() <= 1.0)
    }

    /// Reports whether local coordinates that fill `bounds` are not too small for `f32`.
    pub(crate) fn is_filled_by(bounds: &Aabb32) -> bool {
        (0..3).any(|k| bounds.max[k] - bounds.min[k] >= 0.25)
    }

    /// Returns the same frame with the half extents of `bounds`, which is in local units.
    pub(crate) fn around_local(&self, bounds: &Aabb32) -> Self {
        let half = [0, 1, 2].map(|k| f64::from(bounds.min[k].abs().max(bounds.max[k].abs())) * self.scale());
        Self::from_parts(self.centre, self.exponent, Vec3::from_array(half))
    }

    /// Returns the same frame translated.
    pub(crate) fn moved(&self, direction: Vec3) -> Self {
        let centre = self.centre + direction;
        Self { centre, reach: centre.abs().max_element() + power_of_two(self.exponent), ..*self }
    }

    /// Returns the same frame with half extents that hold `bounds`, too.
    pub(crate) fn grown_to(&self, bounds: &Aabb32) -> Self {
        Self::from_parts(self.centre, self.exponent, self.half.max(self.around_local(bounds).half))
    }

    /// Returns the origin of the local frame, in the frame of the primitives.
    #[inline(always)]
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Returns the length of one local unit, in metres.
    #[inline(always)]
    pub fn scale(&self) -> f64 {
        power_of_two(self.exponent)
    }

    /// Returns the number of local units in a metre.
    #[inline(always)]
    pub fn inverse_scale(&self) -> f64 {
        power_of_two(-self.exponent)
    }

    /// Returns half the extents of the box around the centre that holds every primitive, in metres.
    #[inline(always)]
    pub fn half_extents(&self) -> Vec3 {
        self.half
    }

    /// Returns the radius of a sphere around the centre that holds every primitive, in metres.
    #[inline(always)]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the largest coordinate that a primitive can have, in metres.
    #[inline(always)]
    pub fn max_coordinate(&self) -> f64 {
        self.reach
    }

    /// Returns the exponent of the scale.
    pub(crate) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// Creates a frame from its centre, the exponent of its scale and the half extents of its contents.
    pub(crate) fn from_parts(centre: Vec3, exponent: i32, half: Vec3) -> Self {
        let reach = centre.abs().max_element() + power_of_two(exponent);
        // Squared in local units, where nothing under- or overflows.
        let radius = (half * power_of_two(-exponent)).length() * power_of_two(exponent) * (1.0 + 1e-14);
        Self { centre, exponent, half, radius, reach }
    }

    /// Reports whether local coordinates are the same as in `other`: centre and unit are equal.
    pub fn is_as_placed(&self, other: &Self) -> bool {
        (self.centre(), self.scale()) == (other.centre(), other.scale())
    }

    /// Returns `point` in local coordinates.
    #[inline(always)]
    pub fn to_local(&self, point: Vec3) -> Vec3 {
        (point - self.centre) * self.inverse_scale()
    }
}

/// Returns 2^exponent for −1022 ≤ exponent ≤ 1023, without a call.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52)
}

/// Returns the e with 2^e ≤ x < 2^(e+1), for normal x; a large negative number for denormals.
fn binary_exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// No bound is nearer to zero than this, in local units of trees of size 1: products with denormal numbers take
/// processors a hundred times as long, and a bound just beyond zero is as good here.
const LEAST: f32 = 1.0 / (1u128 << 80) as f32;

/// Returns an `f32` that is provably below `x` for any last rounding of `x`: the largest, or near zero −2⁻⁸⁰.
#[inline(always)]
pub(crate) fn round_down(x: f64) -> f32 {
    -round_up(-x)
}

/// Returns an `f32` that is provably above `x` for any last rounding of `x`: the least, or near zero 2⁻⁸⁰.
#[inline(always)]
pub(crate) fn round_up(x: f64) -> f32 {
    let above = (x as f32).next_up();
    if above.abs() < LEAST { LEAST } else { above }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, round_down, round_up};

    #[test]
    fn rounding_outward_never_ends_at_a_denormal_number() {
        let tiny = f64::from(f32::MIN_POSITIVE);
        for x in [0.0, -0.0, 5e-324, -5e-324, 1e-45, -1e-45, tiny, -tiny, 0.5 * tiny, -0.5 * tiny, 1e-30, -1e-30] {
            assert_eq!((round_up(x), round_down(x)), (LEAST, -LEAST), "{x}");
        }
        for x in [1e-20, 0.1, 1.0, 3.7e5, -1e-20, -0.1, -1.0, -3.7e5] {
            let (above, below) = (round_up(x), round_down(x));
            assert!(f64::from(below) < x && x < f64::from(above), "{x}");
            assert!(below.next_up().next_up() >= above.next_down(), "{x}: {below} {above}");
        }
    }
}
