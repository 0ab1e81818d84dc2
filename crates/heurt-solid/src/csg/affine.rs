//! Invertible affine map p ↦ Mp + t, with its inverse.
//!
//! In: a matrix and a translation, or a pose. Out: images of points, boxes and normals, and points pulled back.
//! Method: the inverse is the adjugate over the determinant, computed once. A normal n is mapped to M⁻ᵀn, which stays
//! orthogonal to the image of its plane. Boxes are mapped by interval arithmetic.
//! Guarantees: images of boxes contain the images of their points. Points are rounded; the identity leaves them
//! untouched.

use super::CsgError;
use crate::half_space::Interval;
use heurt_geometry::{Aabb, Mat3, Pose, Vec3};

/// Rounding of an inverse and of a point that it maps, in ε: an adjugate, a quotient, a difference, a product, a sum,
/// and the same of the maps that a composed map is made of.
const INVERSE_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// An invertible affine map p ↦ Mp + t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    matrix: Mat3,
    translation: Vec3,
    inverse: Mat3,
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self = Self { matrix: Mat3::IDENTITY, translation: Vec3::ZERO, inverse: Mat3::IDENTITY };

    /// Creates the map p ↦ `matrix` p + `translation`.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_solid::csg::Affine;
    /// let stretch = Affine::new(Mat3::from_diagonal(Vec3::new(2.0, 1.0, 1.0)), Vec3::Z)?;
    /// assert_eq!(stretch.image(Vec3::X), Vec3::new(2.0, 0.0, 1.0));
    /// assert_eq!(stretch.pulled_back(Vec3::new(2.0, 0.0, 1.0)), Vec3::X);
    /// assert!(Affine::new(Mat3::from_diagonal(Vec3::X), Vec3::ZERO).is_err());
    /// # Ok::<(), heurt_solid::csg::CsgError>(())
    /// ```
    ///
    /// # Errors
    /// A number is not finite, or the matrix has no inverse in `f64`.
    pub fn new(matrix: Mat3, translation: Vec3) -> Result<Self, CsgError> {
        if !matrix.is_finite() || !translation.is_finite() {
            return Err(CsgError::NotFinite);
        }
        // The power of two keeps the determinant in range.
        let largest = matrix.to_cols_array().iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
        let scale = if largest > 0.0 { heurt_geometry::power_of_two_scale(largest) } else { 1.0 };
        let scaled = matrix * scale;
        let determinant = scaled.determinant();
        let inverse = if determinant == 0.0 { Mat3::NAN } else { scaled.inverse() * scale };
        if !inverse.is_finite() {
            return Err(CsgError::Singular { determinant });
        }
        Ok(Self { matrix, translation, inverse })
    }

    /// Returns the linear part M.
    pub fn matrix(&self) -> Mat3 {
        self.matrix
    }

    /// Returns the translation t.
    pub fn translation(&self) -> Vec3 {
        self.translation
    }

    /// Returns the rows of M, each with its entry of t.
    pub(crate) fn rows(&self) -> [[f64; 4]; 3] {
        [0, 1, 2].map(|row| {
            let [x, y, z] = self.matrix.row(row).to_array();
            [x, y, z, self.translation[row]]
        })
    }

    /// Returns the inverse map; `None` if it is not finite.
    pub(crate) fn inverted(&self) -> Option<Self> {
        Self::new(self.inverse, -(self.inverse * self.translation)).ok()
    }

    /// Reports whether the map is the identity.
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// Computes Mp + t.
    pub fn image(&self, point: Vec3) -> Vec3 {
        self.matrix * point + self.translation
    }

    /// Computes M⁻¹(p − t).
    pub fn pulled_back(&self, point: Vec3) -> Vec3 {
        if self.is_identity() { point } else { self.inverse * (point - self.translation) }
    }

    /// Bounds the rounding of points that are pulled back, for each axis. `magnitude` bounds the coordinates of the
    /// point. The inverse is off by some ulp of |M⁻¹||M||M⁻¹|.
    pub(super) fn rounding_of_pulled_back(&self, magnitude: Vec3) -> Vec3 {
        if self.is_identity() {
            return Vec3::ZERO;
        }
        let inverse = self.inverse.abs();
        inverse * (self.matrix.abs() * (inverse * (magnitude + self.translation.abs()))) * INVERSE_ROUNDING
    }

    /// Computes M⁻¹d of a direction.
    pub fn pulled_back_direction(&self, direction: Vec3) -> Vec3 {
        if self.is_identity() { direction } else { self.inverse * direction }
    }

    /// Computes the normal of the image of a plane, M⁻ᵀn, of any length.
    pub fn image_of_normal(&self, normal: Vec3) -> Vec3 {
        self.inverse.transpose() * normal
    }

    /// Returns the map that applies `inner` first.
    ///
    /// # Errors
    /// The product has no inverse in `f64`.
    pub fn compose(&self, inner: &Self) -> Result<Self, CsgError> {
        match (self.is_identity(), inner.is_identity()) {
            (true, _) => Ok(*inner),
            (_, true) => Ok(*self),
            _ => Self::new(self.matrix * inner.matrix, self.image(inner.translation)),
        }
    }

    /// Returns a box that contains the image of a box, which may be infinite.
    pub fn image_of_box(&self, bounds: &Aabb) -> Aabb {
        if bounds.is_empty() || self.is_identity() {
            return *bounds;
        }
        let mut image = Aabb::EMPTY;
        for row in 0..3 {
            let term =
                |column: usize| Interval::new(bounds.min[column], bounds.max[column]) * self.matrix.col(column)[row];
            let sum = term(0) + term(1) + term(2) + Interval::point(self.translation[row]);
            image.min[row] = if sum.low.is_nan() { f64::NEG_INFINITY } else { sum.low };
            image.max[row] = if sum.high.is_nan() { f64::INFINITY } else { sum.high };
        }
        image
    }
}

impl From<Pose> for Affine {
    fn from(pose: Pose) -> Self {
        // A rotation within 1e-6 of orthonormal has a determinant near 1.
        Self::new(*pose.rotation(), pose.translation()).unwrap_or(Self::IDENTITY)
    }
}
