//! Linear half-space {p : a·p + b ≤ 0} with exact membership.
//!
//! In: a normal a and an offset b, finite; the normal is not zero and need not be a unit vector. Out: sides of points,
//! intervals of rays.
//! Method: S3 slides 15, 16 and 18 use f ≥ 0, f ≤ 0 and f ≥ 0 in turn. Here f ≤ 0 is inside everywhere, so the normal
//! leads out. On the ray P + λd the condition is λ(a·d) ≤ −(a·P + b). The bound λ = (−a·P − b)/(a·d) is an upper bound
//! if a·d > 0 and a lower bound if a·d < 0; slide 18 has the opposite signs because its f ≥ 0 is inside. If a·d = 0 the
//! ray is inside or outside as a whole.
//! Guarantees: `side` is the exact sign of a·p + b. Intervals of rays are rounded: the bound has a relative error of
//! a few ulp of the terms of a·P + b and of a·d.

use super::HalfSpaceError;
use super::exact_sum::sign_of_products;
use heurt_geometry::{Sign, Vec3};

/// The set of points p with `normal` · p + `offset` ≤ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    normal: Vec3,
    offset: f64,
}

impl HalfSpace {
    /// Creates the half-space `normal` · p + `offset` ≤ 0.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::HalfSpace;
    /// // z ≤ 2
    /// let below = HalfSpace::new(Vec3::Z, -2.0)?;
    /// assert!(below.contains(Vec3::Z * 2.0) && !below.contains(Vec3::Z * 2.5));
    /// assert!(HalfSpace::new(Vec3::ZERO, 1.0).is_err());
    /// # Ok::<(), heurt_solid::HalfSpaceError>(())
    /// ```
    ///
    /// # Errors
    /// The normal is zero, or a number is not finite.
    pub fn new(normal: Vec3, offset: f64) -> Result<Self, HalfSpaceError> {
        if let Some(&value) = normal.to_array().iter().find(|value| !value.is_finite()) {
            return Err(HalfSpaceError::NotFinite { field: "normal", value });
        }
        if !offset.is_finite() {
            return Err(HalfSpaceError::NotFinite { field: "offset", value: offset });
        }
        if normal == Vec3::ZERO {
            return Err(HalfSpaceError::ZeroNormal);
        }
        Ok(Self { normal, offset })
    }

    /// Returns the normal a, which leads out of the half-space.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns the offset b.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Computes a·p + b with rounding.
    pub fn value(&self, point: Vec3) -> f64 {
        self.normal.x * point.x + self.normal.y * point.y + self.normal.z * point.z + self.offset
    }

    /// Computes the exact sign of a·p + b: negative inside, zero on the boundary. A point that is not finite is
    /// outside.
    pub fn side(&self, point: Vec3) -> Sign {
        if !point.is_finite() {
            return Sign::Positive;
        }
        let [a, p] = [self.normal, point];
        sign_of_products([[a.x, p.x], [a.y, p.y], [a.z, p.z], [self.offset, 1.0]])
    }

    /// Reports whether the closed half-space contains `point`; exact.
    pub fn contains(&self, point: Vec3) -> bool {
        self.side(point) != Sign::Positive
    }

    /// Returns the closed complement, which shares the boundary.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// Computes the interval of the λ with `origin` + λ `direction` inside, which may reach to ±∞; `None` if there is
    /// none.
    pub fn line_interval(&self, origin: Vec3, direction: Vec3) -> Option<[f64; 2]> {
        // The power of two keeps products of normal and ray in range.
        let scale = heurt_geometry::power_of_two_scale(self.normal.abs().max_element());
        let (normal, offset) = (self.normal * scale, self.offset * scale);
        let slope = normal.dot(direction);
        if slope == 0.0 {
            return self.contains(origin).then_some([f64::NEG_INFINITY, f64::INFINITY]);
        }
        let bound = -(normal.dot(origin) + offset) / slope;
        match (bound.is_nan(), slope > 0.0) {
            (true, _) => None,
            (false, true) => Some([f64::NEG_INFINITY, bound]),
            (false, false) => Some([bound, f64::INFINITY]),
        }
    }
}
