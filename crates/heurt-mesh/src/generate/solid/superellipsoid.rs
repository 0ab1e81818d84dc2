//! Superellipsoid and its inside–outside function (S0 §B.1.2).
//!
//! In: half axes rx, ry, rz in metres and two exponents. Out: a closed mesh, or a number that separates inside from
//! outside.
//! Method: x = rx cosⁿ¹α cosⁿ²β, y = ry cosⁿ¹α sinⁿ²β, z = rz sinⁿ¹α with signed powers. n = 1 is an ellipsoid, n → 0 a
//! box, n = 2 a bevel (an octahedron), n > 2 has spikes. Ours differs in the steps of α and β (see
//! `circle::superellipse`): S0's equal steps make vertices coincide for small n. The function f = [ |x/rx|^(2/n2) +
//! |y/ry|^(2/n2) ]^(n2/n1) + |z/rz|^(2/n1) takes absolute values, which S0 leaves out: a negative coordinate has no
//! real power 2/n in general.
//! Guarantees: for exponents in [0.01, 10] and any resolution, no two vertices are equal and no triangle is degenerate:
//! two corners of each triangle share a row, where directions differ, and the third lies on another row.
//! Not guaranteed: that the mesh has the corners of the exact shape unless `segments` is a multiple of eight.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::circle::{signed_power, superellipse};
use crate::generate::error::Limits;
use crate::generate::surface::{Station, lofted};
use heurt_geometry::Vec3;

/// The smallest exponent: half a percent off the box, and 2/n at most 200.
const MIN_EXPONENT: f64 = 0.01;
/// The largest exponent: beyond, the spikes are thinner than 1e-40 of their length.
const LARGEST_EXPONENT: f64 = 10.0;

/// The exact solid: half axes and exponents, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Superellipsoid {
    radii: Vec3,
    n1: f64,
    n2: f64,
}

/// Makes the mesh of [`Superellipsoid::mesh`] in one call.
///
/// ```
/// use heurt_mesh::generate;
/// let pillow = generate::superellipsoid([1.0, 1.0, 0.5], 0.5, 0.5, 32)?;
/// assert!((pillow.bounds().max.z - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Superellipsoid::new`] and [`Superellipsoid::mesh`].
pub fn superellipsoid(radii: [f64; 3], n1: f64, n2: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    Superellipsoid::new(radii, n1, n2)?.mesh(segments)
}

impl Superellipsoid {
    /// Creates a superellipsoid from half axes `radii` along x, y, z in metres, `n1` (profile along z) and `n2`
    /// (section across z).
    ///
    /// # Errors
    /// [`GenerateError::Parameter`] when a radius is no positive length or an exponent not in [0.01, 10].
    pub fn new(radii: [f64; 3], n1: f64, n2: f64) -> Result<Self, GenerateError> {
        let limits = Limits("superellipsoid");
        for (parameter, value) in ["radius x", "radius y", "radius z"].into_iter().zip(radii) {
            limits.length(parameter, value)?;
        }
        exponents(limits, n1, n2)?;
        Ok(Self { radii: radii.into(), n1, n2 })
    }

    /// Returns the half axes along x, y, z in metres.
    pub fn radii(&self) -> Vec3 {
        self.radii
    }

    /// Returns the exponents n1 and n2.
    pub fn exponents(&self) -> [f64; 2] {
        [self.n1, self.n2]
    }

    /// Computes the surface point of S0's parameters: `alpha` in [−π/2, π/2], `beta` in [−π, π], both in radians.
    pub fn point(&self, alpha: f64, beta: f64) -> Vec3 {
        let across = signed_power(libm::cos(alpha), self.n1);
        let unit = Vec3::new(
            across * signed_power(libm::cos(beta), self.n2),
            across * signed_power(libm::sin(beta), self.n2),
            signed_power(libm::sin(alpha), self.n1),
        );
        unit * self.radii
    }

    /// Computes the inside–outside function of `point`: below 1 inside, 1 on the surface, above 1 outside. Not a
    /// distance; it grows fast for small n.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate::Superellipsoid;
    /// let ball = Superellipsoid::new([1.0; 3], 1.0, 1.0)?;
    /// assert!(ball.inside_outside(Vec3::splat(0.5)) < 1.0 && ball.inside_outside(Vec3::ONE) > 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inside_outside(&self, point: Vec3) -> f64 {
        let unit = (point / self.radii).abs();
        let section = unit_norm(unit.x, unit.y, self.n2);
        // |x|^(2/n2) + |y|^(2/n2) = section^(2/n2), hence its power n2/n1 is section^(2/n1).
        libm::pow(section, 2.0 / self.n1) + libm::pow(unit.z, 2.0 / self.n1)
    }

    /// Makes the closed mesh with `segments` steps around z and `segments / 2` bands from pole to pole:
    /// 2 · `segments` · (`segments / 2` − 1) triangles; [`crate::generate::sphere_segments`] chooses for a count.
    ///
    /// # Errors
    /// [`GenerateError`] for fewer than 4 or too many segments.
    pub fn mesh(&self, segments: u32) -> Result<TriMesh, GenerateError> {
        let limits = Limits("superellipsoid");
        limits.at_least("segments", segments, 4)?;
        let bands = u64::from(segments / 2);
        limits.triangles((2 * u64::from(segments)).saturating_mul(bands - 1))?;
        let section: Vec<(f64, f64)> =
            (0..segments).map(|i| superellipse(i.into(), segments.into(), self.n2)).collect();
        let rows = (1..bands).map(|row| {
            let (down, across) = superellipse(row, 2 * bands, self.n1);
            let place = |&(x, y): &(f64, f64)| Vec3::new(across * x, across * y, -down) * self.radii;
            Station::Ring(section.iter().map(place).collect())
        });
        let pole = |z: f64| Station::Apex(Vec3::new(0.0, 0.0, z * self.radii.z));
        lofted(std::iter::once(pole(-1.0)).chain(rows).chain([pole(1.0)]), false)
    }
}

/// Checks both exponents of a superquadric.
pub(crate) fn exponents(limits: Limits, n1: f64, n2: f64) -> Result<(), GenerateError> {
    limits.within("n1", n1, MIN_EXPONENT, LARGEST_EXPONENT)?;
    limits.within("n2", n2, MIN_EXPONENT, LARGEST_EXPONENT)
}

/// Computes (x^(2/n) + y^(2/n))^(n/2) for x, y ≥ 0, without overflow of the powers.
pub(crate) fn unit_norm(x: f64, y: f64, n: f64) -> f64 {
    let (long, short) = (x.max(y), x.min(y));
    if long == 0.0 {
        return 0.0;
    }
    long * libm::pow(1.0 + libm::pow(short / long, 2.0 / n), n / 2.0)
}
