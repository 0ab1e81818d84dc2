//! Supertoroid and its inside–outside function (S0 §B.2).
//!
//! In: radius r0 of the centre line and r1 of the tube in metres, two exponents. Out: a closed mesh of genus one, or a
//! number that separates inside from outside.
//! Method: x = cosⁿ¹θ (r0 + r1 cosⁿ²φ), y = sinⁿ¹θ (r0 + r1 cosⁿ²φ), z = r1 sinⁿ²φ with signed powers; n1 shapes the
//! ring, n2 the tube, n1 = n2 = 1 is the torus. Steps of θ and φ as in `circle::superellipse`.
//!
//! The inside–outside function, which S0 does not give: write ρ = r0 + r1 cosⁿ²φ, positive as r1 < r0. Then
//! |x|^(2/n1) + |y|^(2/n1) = ρ^(2/n1) (cos²θ + sin²θ) = ρ^(2/n1), so ρ = (|x|^(2/n1) + |y|^(2/n1))^(n1/2) follows
//! from the point alone: θ is eliminated. The rest is a superellipse in the plane (ρ, z) around (r0, 0):
//! |(ρ − r0)/r1|^(2/n2) = cos²φ and |z/r1|^(2/n2) = sin²φ, and so
//! f(x, y, z) = |(ρ − r0)/r1|^(2/n2) + |z/r1|^(2/n2)
//! is 1 on the surface, below 1 inside the tube, and above 1 outside, the hole included. With n1 = n2 = 1 this is
//! ((√(x² + y²) − r0)² + z²)/r1², the torus. The absolute values are needed: ρ − r0 and z change sign.
//!
//! Guarantees: for exponents in [0.01, 10] and 1e-6 r0 ≤ r1 < r0 no two vertices are equal and no triangle is
//! degenerate, by the argument of the superellipsoid.

use super::round::ring_and_tube;
use super::superellipsoid::{exponents, unit_norm};
use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::circle::{signed_power, superellipse};
use crate::generate::error::Limits;
use crate::generate::surface::{Station, lofted};
use heurt_geometry::Vec3;

/// The exact solid: radii and exponents, around the z axis at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Supertoroid {
    r0: f64,
    r1: f64,
    n1: f64,
    n2: f64,
}

/// Makes the mesh of [`Supertoroid::mesh`] in one call.
///
/// ```
/// use heurt_mesh::{generate, is_closed};
/// let frame = generate::supertoroid(1.0, 0.2, 0.3, 0.3, 32)?;
/// assert!(is_closed(&frame));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Supertoroid::new`] and [`Supertoroid::mesh`].
pub fn supertoroid(r0: f64, r1: f64, n1: f64, n2: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    Supertoroid::new(r0, r1, n1, n2)?.mesh(segments)
}

impl Supertoroid {
    /// Creates a supertoroid from the radius `r0` of the centre line and `r1` of the tube in metres, `n1` (ring) and
    /// `n2` (tube).
    ///
    /// # Errors
    /// [`GenerateError::Parameter`] when a radius is no positive length, r1 is not below r0 or below 1e-6 r0, or an
    /// exponent is not in [0.01, 10].
    pub fn new(r0: f64, r1: f64, n1: f64, n2: f64) -> Result<Self, GenerateError> {
        let limits = Limits("supertoroid");
        ring_and_tube(limits, ("r0", r0), ("r1", r1))?;
        exponents(limits, n1, n2)?;
        Ok(Self { r0, r1, n1, n2 })
    }

    /// Returns the radii r0 (centre line) and r1 (tube) in metres.
    pub fn radii(&self) -> [f64; 2] {
        [self.r0, self.r1]
    }

    /// Returns the exponents n1 (ring) and n2 (tube).
    pub fn exponents(&self) -> [f64; 2] {
        [self.n1, self.n2]
    }

    /// Computes the surface point of S0's parameters `theta` and `phi`, in radians.
    pub fn point(&self, theta: f64, phi: f64) -> Vec3 {
        let reach = self.r0 + self.r1 * signed_power(libm::cos(phi), self.n2);
        Vec3::new(
            signed_power(libm::cos(theta), self.n1) * reach,
            signed_power(libm::sin(theta), self.n1) * reach,
            self.r1 * signed_power(libm::sin(phi), self.n2),
        )
    }

    /// Computes the inside–outside function of `point`: below 1 inside the tube, 1 on the surface, above 1 outside or
    /// in the hole. Not a distance.
    pub fn inside_outside(&self, point: Vec3) -> f64 {
        let reach = unit_norm(point.x.abs(), point.y.abs(), self.n1);
        let [across, up] = [((reach - self.r0) / self.r1).abs(), (point.z / self.r1).abs()];
        libm::pow(across, 2.0 / self.n2) + libm::pow(up, 2.0 / self.n2)
    }

    /// Makes the closed mesh with `segments` steps around z and `segments / 2` around the tube, 2 · `segments` ·
    /// (`segments / 2`) triangles; [`crate::generate::torus_segments`] chooses for a count.
    ///
    /// # Errors
    /// [`GenerateError`] for fewer than 8 or too many segments.
    pub fn mesh(&self, segments: u32) -> Result<TriMesh, GenerateError> {
        let limits = Limits("supertoroid");
        limits.at_least("segments", segments, 8)?;
        let tube = u64::from(segments / 2);
        limits.triangles((2 * u64::from(segments)).saturating_mul(tube))?;
        let ring: Vec<(f64, f64)> = (0..segments).map(|i| superellipse(i.into(), segments.into(), self.n1)).collect();
        let rows = (0..tube).map(|row| {
            let (across, up) = superellipse(row, tube, self.n2);
            let reach = self.r0 + self.r1 * across;
            Station::Ring(ring.iter().map(|&(x, y)| Vec3::new(reach * x, reach * y, self.r1 * up)).collect())
        });
        lofted(rows, true)
    }
}
