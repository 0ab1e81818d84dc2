//! Half-spaces with `f64` coefficients that enclose a polytope.
//!
//! In: a solid polytope. Out: a half-space for each facet.
//! Method: coefficients that fit into 53 bits are taken as they are. Otherwise the normal is rounded, and the offset is
//! the exact minimum over the vertices, rounded outward.
//! Guarantees: every half-space contains the polytope. If all coefficients fit, the intersection is the polytope.

use super::{ExactPlane, Polytope};
use crate::half_space::HalfSpace;
use heurt_geometry::Vec3;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, ToPrimitive};

impl Polytope {
    /// Returns a half-space for each facet that contains the polytope, in the order of [`Polytope::facets`].
    pub fn half_spaces(&self) -> Vec<HalfSpace> {
        self.facets().iter().filter_map(|facet| self.half_space_of(facet.plane)).collect()
    }

    fn half_space_of(&self, plane: &ExactPlane) -> Option<HalfSpace> {
        let coefficients = plane.coefficients();
        let most = coefficients.iter().map(BigInt::bits).max()?;
        if most <= 53 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| coefficients[k].to_f64().unwrap_or(f64::NAN));
            return HalfSpace::new(Vec3::new(a, b, c), d).ok();
        }
        // Leading bits of the normal: 53 of its largest coefficient.
        let longest = coefficients[..3].iter().map(BigInt::bits).max()?;
        let shift = longest.saturating_sub(53);
        let [a, b, c] = [0, 1, 2].map(|k| (&coefficients[k] >> shift).to_f64().unwrap_or(f64::NAN));
        let scaled = Vec3::new(a, b, c) * 2f64.powi(-52);
        let exact = scaled.to_array().map(BigRational::from_f64);
        let [Some(a), Some(b), Some(c)] = exact else { return None };
        let values = self.vertices().map(|vertex| {
            let [x, y, z] = vertex.exact();
            &a * x + &b * y + &c * z
        });
        let largest = values.max()?;
        let mut offset = -largest.to_f64()?;
        while offset.is_finite() && (BigRational::from_f64(offset)? + &largest).is_positive() {
            offset = offset.next_down();
        }
        HalfSpace::new(scaled, offset).ok()
    }
}
