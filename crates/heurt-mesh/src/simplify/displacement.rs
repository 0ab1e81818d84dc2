//! Axis-aligned boxes of displacement vectors, added and united conservatively.
//!
//! In: boxes, and intervals along a direction. Out: boxes that contain every sum.
//! Method: interval arithmetic on each axis (Cohen, Manocha and Olano, "Simplifying polygonal models using successive
//! mappings", 1997). Guarantees: containment up to rounding errors of a few ulp, for which the caller adds a margin.

use heurt_geometry::Vec3;

/// A box that contains a set of displacement vectors; it contains 0 at first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Displacements {
    min: Vec3,
    max: Vec3,
}

impl Displacements {
    /// The box of no displacement.
    pub(super) const NONE: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// The box of the zero vector.
    pub(super) const ZERO: Self = Self { min: Vec3::ZERO, max: Vec3::ZERO };

    /// Returns the smallest box that contains both.
    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Adds every multiple of `direction` between `low` and `high`, and a margin on each axis.
    pub(super) fn plus(self, direction: Vec3, [low, high]: [f64; 2], margin: f64) -> Self {
        let (a, b) = (direction * low, direction * high);
        Self { min: self.min + a.min(b) - margin, max: self.max + a.max(b) + margin }
    }

    /// Returns a bound on the length of a displacement in the box.
    pub(super) fn longest(&self) -> f64 {
        self.min.abs().max(self.max.abs()).length()
    }
}
