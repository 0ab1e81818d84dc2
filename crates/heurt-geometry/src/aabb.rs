//! Axis-aligned bounding box in `f64`, of a mesh, a part or a scene.
//!
//! In: points. Out: a box that holds them exactly (no rounding happens: its corners are coordinates of the points).

use crate::Vec3;

/// A closed axis-aligned box `min ≤ p ≤ max`; empty when `min > max` on any axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The least corner.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The empty box: the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// Bounds `points`; [`Aabb::EMPTY`] for none.
    ///
    /// ```
    /// use heurt_geometry::{Aabb, Vec3};
    /// let bounds = Aabb::from_points([Vec3::ZERO, Vec3::new(2.0, -1.0, 3.0)]);
    /// assert_eq!((bounds.min, bounds.max), (Vec3::new(0.0, -1.0, 0.0), Vec3::new(2.0, 0.0, 3.0)));
    /// assert_eq!(bounds.half_extents(), Vec3::new(1.0, 0.5, 1.5));
    /// ```
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::grown_to)
    }

    /// Returns the box that also holds `point`.
    #[must_use]
    pub fn grown_to(self, point: Vec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// Returns the smallest box that holds both.
    ///
    /// ```
    /// use heurt_geometry::{Aabb, Vec3};
    /// let unit = |corner: Vec3| Aabb::from_points([corner, corner + 1.0]);
    /// let both = unit(Vec3::ZERO).union(unit(Vec3::X * 4.0));
    /// assert_eq!(both.max.x, 5.0);
    /// assert_eq!(Aabb::EMPTY.union(both), both);
    /// ```
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Reports whether the closed boxes share a point.
    ///
    /// ```
    /// use heurt_geometry::{Aabb, Vec3};
    /// let unit = |corner: Vec3| Aabb::from_points([corner, corner + 1.0]);
    /// assert!(unit(Vec3::ZERO).overlaps(&unit(Vec3::X)), "a common side is enough");
    /// assert!(!unit(Vec3::ZERO).overlaps(&unit(Vec3::X * 1.5)));
    /// ```
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Reports whether the closed box holds `point`.
    pub fn contains(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Returns the middle of the box, computed without overflow.
    pub fn centre(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Returns half of each edge, computed without overflow.
    pub fn half_extents(&self) -> Vec3 {
        self.max * 0.5 - self.min * 0.5
    }

    /// Returns the eight corners; corner k lies on the upper side of axis i if bit i of k is set.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Reports whether the box is empty.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }
}
