//! Intersection of linear half-spaces: membership, intervals of rays, boundedness.
//!
//! In: half-spaces. Out: sides of points, one interval per line, and the recession cone's triviality.
//! Method: S3 slide 18 with the signs of `linear`. A nonempty intersection is bounded if and only if its recession cone
//! {d : aᵢ·d ≤ 0 for all i} is {0}. The cone is cut out of the cube [−1, 1]³ by exact clipping (`polytope`), so that it
//! is {0} if and only if the origin is the only vertex left.
//! Guarantees: membership and boundedness are exact. Intervals of rays are rounded.
//! Cost: O(n) per point or ray; boundedness clips n times.

use super::HalfSpace;
use crate::polytope::{ExactPlane, Polytope};
use heurt_geometry::Vec3;
use std::sync::Arc;

/// The intersection of linear half-spaces; without any it is everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HalfSpaceIntersection {
    half_spaces: Vec<HalfSpace>,
}

impl HalfSpaceIntersection {
    /// Creates the intersection of the given half-spaces.
    pub fn new(half_spaces: Vec<HalfSpace>) -> Self {
        Self { half_spaces }
    }

    /// Returns the half-spaces.
    pub fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }

    /// Reports whether all half-spaces contain `point`; exact.
    pub fn contains(&self, point: Vec3) -> bool {
        self.half_spaces.iter().all(|half_space| half_space.contains(point))
    }

    /// Reports whether `point` lies strictly inside all half-spaces; exact.
    pub fn contains_in_interior(&self, point: Vec3) -> bool {
        self.half_spaces.iter().all(|half_space| half_space.side(point) == heurt_geometry::Sign::Negative)
    }

    /// Computes the interval of the λ in [0, `max_t`] with `origin` + λ `direction` inside: from the greatest lower
    /// bound to the least upper bound. `None` if it is empty.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::{HalfSpace, HalfSpaceIntersection};
    /// let slab = [HalfSpace::new(Vec3::X, -3.0)?, HalfSpace::new(-Vec3::X, 1.0)?]; // 1 ≤ x ≤ 3
    /// let slab = HalfSpaceIntersection::new(slab.to_vec());
    /// assert_eq!(slab.ray_interval(Vec3::ZERO, Vec3::X, 10.0), Some([1.0, 3.0]));
    /// assert_eq!(slab.ray_interval(Vec3::ZERO, Vec3::Y, 10.0), None);
    /// # Ok::<(), heurt_solid::HalfSpaceError>(())
    /// ```
    pub fn ray_interval(&self, origin: Vec3, direction: Vec3, max_t: f64) -> Option<[f64; 2]> {
        let mut interval = [0.0, max_t];
        for half_space in &self.half_spaces {
            let [lower, upper] = half_space.line_interval(origin, direction)?;
            interval = [interval[0].max(lower), interval[1].min(upper)];
        }
        (interval[0] <= interval[1]).then_some(interval)
    }

    /// Reports whether the recession cone {d : aᵢ·d ≤ 0 for all i} is {0}; exact. A nonempty intersection is bounded
    /// if and only if it is. An empty one may have any cone.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::{HalfSpace, HalfSpaceIntersection};
    /// let octant = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| HalfSpace::new(-axis, 0.0).unwrap());
    /// let mut half_spaces = octant.to_vec();
    /// assert!(!HalfSpaceIntersection::new(half_spaces.clone()).has_trivial_recession_cone());
    /// half_spaces.push(HalfSpace::new(Vec3::ONE, -1.0)?); // x + y + z ≤ 1
    /// assert!(HalfSpaceIntersection::new(half_spaces).has_trivial_recession_cone());
    /// # Ok::<(), heurt_solid::HalfSpaceError>(())
    /// ```
    pub fn has_trivial_recession_cone(&self) -> bool {
        is_trivial_cone(self.half_spaces.iter().map(|half_space| half_space.normal()))
    }
}

/// Reports whether {d : a·d ≤ 0 for all given a} is {0}; exact. A zero vector is no condition.
pub(crate) fn is_trivial_cone(normals: impl IntoIterator<Item = Vec3>) -> bool {
    let mut cone = Polytope::cube(1_u32.into());
    for normal in normals.into_iter().filter(|&normal| normal != Vec3::ZERO) {
        let plane = Arc::new(ExactPlane::from_coefficients([normal.x, normal.y, normal.z, 0.0]));
        // The origin is never cut off.
        cone = cone.clipped(&plane).unwrap_or(cone);
        if cone.vertex_count() == 1 {
            return true;
        }
    }
    false
}
