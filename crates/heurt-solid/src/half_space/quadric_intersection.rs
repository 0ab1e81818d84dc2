//! Intersection of linear and quadric half-spaces: membership, intervals of rays, boundedness.
//!
//! In: half-spaces of both kinds. Out: points inside, intervals of rays, a box.
//! Method: the recession cone of a convex quadric {pᵀAp + b·p + c ≤ 0} is {d : Ad = 0, b·d ≤ 0}, since dᵀAd ≤ 0 means
//! Ad = 0 for a positive semidefinite A. So the cone of an intersection of convex sets is polyhedral, and exact
//! clipping decides whether it is {0} (`intersection`). For sets that are not convex, such as a double cone, only the
//! numeric proof of `quadric_bounds` counts.
//! Guarantees: `Bounded` is proved. `Unbounded` is exact for a nonempty intersection of convex sets.
//! Not guaranteed: a decision in all further cases, reported as `Undecided`.

use super::intersection::is_trivial_cone;
use super::quadric_bounds::bounds;
use super::{HalfSpace, HalfSpaceError, HalfSpaceIntersection, Quadric};
use crate::interval_set::IntervalSet;
use heurt_geometry::{Aabb, Vec3};

/// The decision whether an intersection is bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Boundedness {
    /// The box contains the intersection; it is empty if the intersection is proved empty.
    Bounded(Aabb),
    /// The recession cone contains a direction, so the intersection is unbounded unless it is empty.
    Unbounded,
    /// Neither is proved.
    Undecided,
}

/// The intersection of linear and quadric half-spaces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuadricIntersection {
    linear: HalfSpaceIntersection,
    quadrics: Vec<Quadric>,
}

impl QuadricIntersection {
    /// Creates the intersection of the given half-spaces.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::{Boundedness, HalfSpace, HalfSpaceError, Quadric, QuadricIntersection};
    /// let (floor, lid) = (HalfSpace::new(-Vec3::Z, 0.0)?, HalfSpace::new(Vec3::Z, -2.0)?);
    /// let tube = Quadric::cylinder(0.5)?; // S3 slide 16
    /// let can = QuadricIntersection::new(vec![floor, lid], vec![tube]);
    /// assert!(can.bounds()?.max.abs_diff_eq(Vec3::new(0.5, 0.5, 2.0), 1e-2));
    /// let open = QuadricIntersection::new(vec![floor], vec![tube]);
    /// assert_eq!(open.bounds(), Err(HalfSpaceError::Unbounded));
    /// # Ok::<(), HalfSpaceError>(())
    /// ```
    pub fn new(half_spaces: Vec<HalfSpace>, quadrics: Vec<Quadric>) -> Self {
        Self { linear: HalfSpaceIntersection::new(half_spaces), quadrics }
    }

    /// Returns the linear half-spaces.
    pub fn half_spaces(&self) -> &[HalfSpace] {
        self.linear.half_spaces()
    }

    /// Returns the quadric half-spaces.
    pub fn quadrics(&self) -> &[Quadric] {
        &self.quadrics
    }

    /// Returns the intersection with another one.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let linear = [self.half_spaces(), other.half_spaces()].concat();
        Self::new(linear, [&self.quadrics[..], &other.quadrics].concat())
    }

    /// Returns the closed complement if the intersection has one half-space only.
    pub fn single_complement(&self) -> Option<Self> {
        match (self.half_spaces(), self.quadrics()) {
            ([half_space], []) => Some(Self::new(vec![half_space.complement()], Vec::new())),
            ([], [quadric]) => Some(Self::new(Vec::new(), vec![quadric.complement()])),
            _ => None,
        }
    }

    /// Reports whether all half-spaces contain `point`: exact for linear ones, by the rounded value for quadrics.
    pub fn contains(&self, point: Vec3) -> bool {
        self.linear.contains(point) && self.quadrics.iter().all(|quadric| quadric.contains(point))
    }

    /// Reports whether `point` lies strictly inside all half-spaces.
    pub fn contains_in_interior(&self, point: Vec3) -> bool {
        self.linear.contains_in_interior(point) && self.quadrics.iter().all(|quadric| quadric.value(point) < 0.0)
    }

    /// Computes the intervals of the λ in [0, `max_t`] with `origin` + λ `direction` inside, ascending and disjoint.
    pub fn ray_intervals(&self, origin: Vec3, direction: Vec3, max_t: f64) -> Vec<[f64; 2]> {
        let Some(linear) = self.linear.ray_interval(origin, direction, max_t) else { return Vec::new() };
        let mut all = IntervalSet::from_intervals(&[linear], 0);
        for quadric in &self.quadrics {
            all = all.intersection(&IntervalSet::from_intervals(&quadric.ray_intervals(origin, direction, max_t), 0));
        }
        all.intervals().collect()
    }

    /// Decides whether the intersection is bounded.
    pub fn boundedness(&self) -> Boundedness {
        let is_convex = self.quadrics.iter().all(Quadric::is_convex);
        if is_convex && !is_trivial_cone(self.recession_normals()) {
            return Boundedness::Unbounded;
        }
        bounds(self.half_spaces(), &self.quadrics).map_or(Boundedness::Undecided, Boundedness::Bounded)
    }

    /// Returns the a of all conditions a·d ≤ 0 of the recession cone; an equation is a pair of conditions.
    fn recession_normals(&self) -> Vec<Vec3> {
        let mut normals: Vec<Vec3> = self.half_spaces().iter().map(HalfSpace::normal).collect();
        for quadric in &self.quadrics {
            let matrix = quadric.matrix();
            for row in [matrix.x_axis, matrix.y_axis, matrix.z_axis] {
                normals.extend([row, -row]);
            }
            normals.push(quadric.linear());
        }
        normals
    }

    /// Returns a box that is proved to contain the intersection.
    ///
    /// # Errors
    /// The intersection is unbounded, or no proof of bounds was found.
    pub fn bounds(&self) -> Result<Aabb, HalfSpaceError> {
        match self.boundedness() {
            Boundedness::Bounded(bounds) => Ok(bounds),
            Boundedness::Unbounded => Err(HalfSpaceError::Unbounded),
            Boundedness::Undecided => Err(HalfSpaceError::Undecided),
        }
    }
}
