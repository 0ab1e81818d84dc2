//! Ray, checked and normalised, and the result of `ray`.

use heurt_geometry::Pose;
use heurt_geometry::{DisplayNumber, Vec3};
use heurt_shape::ShapeRef;
use thiserror::Error;

/// A half-line or a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "RayData"))]
pub struct Ray {
    /// The start, in the world frame.
    pub origin: Vec3,
    /// The direction; of any length but zero.
    pub direction: Vec3,
    /// The end, as a multiple of `direction`; may be infinite.
    pub max_t: f64,
}

/// Errors of the construction of a ray.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RayError {
    /// A direction that is zero or not finite.
    #[error(
        "the direction {} has no length that can be used: give a finite vector other than zero",
        DisplayNumber(*direction)
    )]
    Direction {
        /// The given direction.
        direction: Vec3,
    },
    /// An origin that is not finite.
    #[error("the origin {} is not finite: give finite numbers", DisplayNumber(*origin))]
    Origin {
        /// The given origin.
        origin: Vec3,
    },
    /// An end that is not a number, or before the origin.
    #[error("max_t is {}: give a number of at least 0", DisplayNumber(*max_t))]
    MaxT {
        /// The given value.
        max_t: f64,
    },
}

impl Ray {
    /// Checks the numbers and creates a ray.
    ///
    /// # Errors
    /// [`RayError`] names the number that cannot be used.
    pub fn new(origin: Vec3, direction: Vec3, max_t: f64) -> Result<Self, RayError> {
        if !origin.is_finite() {
            return Err(RayError::Origin { origin });
        }
        if !direction.is_finite() || direction == Vec3::ZERO {
            return Err(RayError::Direction { direction });
        }
        if max_t.is_nan() || max_t < 0.0 {
            return Err(RayError::MaxT { max_t });
        }
        Ok(Self { origin, direction, max_t })
    }
}

/// A ray as it is read: not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "Ray", deny_unknown_fields)]
struct RayData {
    origin: Vec3,
    direction: Vec3,
    max_t: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<RayData> for Ray {
    type Error = RayError;

    fn try_from(RayData { origin, direction, max_t }: RayData) -> Result<Self, RayError> {
        Self::new(origin, direction, max_t)
    }
}

/// A point where a ray meets a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The point is `origin + t·direction`; 0 when the ray starts inside a solid or on its boundary.
    pub t: f64,
    /// In the world frame.
    pub point: Vec3,
    /// Unit normal of the triangle by the order of its corners (outward for a solid), or of the curved boundary there;
    /// opposite to the ray if it starts inside; zero for a triangle without area.
    pub normal: Vec3,
    /// The triangle, 0 for a convex shape, counted through the parts of a compound; if the ray starts inside, the
    /// triangle through which it leaves.
    pub primitive: u32,
    /// Bounds the absolute error of `t`, in the same unit: of triangles along the ray at most 64 units in the
    /// last place of the greatest coordinate of the origin and the placed triangle, at any angle; of curved
    /// boundaries more where it grazes.
    pub error: f64,
}

impl RayHit {
    pub(crate) fn stretched(self, by: f64) -> Self {
        Self { t: self.t * by, error: self.error * by, ..self }
    }
}

/// Scales the direction of a ray near unit length by a power of two, which rounds nothing, and returns the factor that
/// scales distances back. Directions of any length then neither overflow nor vanish.
pub(crate) fn normalised(ray: &Ray) -> Option<(Ray, f64)> {
    let ray = Ray::new(ray.origin, ray.direction, ray.max_t).ok()?;
    let biased = (ray.direction.abs().max_element().to_bits() >> 52) as i64;
    let (grow, shrink) = (power_of_two(1023 - biased), power_of_two(biased - 1023));
    Some((Ray { direction: ray.direction * grow, max_t: ray.max_t * shrink, ..ray }, grow))
}

/// Computes 2^exponent, clamped to the normal numbers.
pub(crate) fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent.clamp(-1022, 1022)) as u64) << 52)
}

/// Returns a parameter of the ray past the shape; infinite for a half-space.
pub(crate) fn past(a: ShapeRef<'_>, pose: &Pose, ray: &Ray) -> f64 {
    let bounds = a.bounds_at(pose);
    let reach = (bounds.centre() - ray.origin).length() + bounds.half_extents().length();
    if reach.is_finite() { reach / ray.direction.length() * (1.0 + 1e-9) + f64::MIN_POSITIVE } else { f64::INFINITY }
}
