//! Area, volume and inertia of superquadrics.
//!
//! Method: the volume and the moments are Beta functions (Jaklič, Leonardis and Solina 2000; for the toroid by rings of
//! the profile, whose sections are all alike); the area is integrated over the surface.
//! Guarantees: closed forms within some ulp; the area within [`CONVERGED`] by the difference of two quadratures, else
//! an error.

use super::Superquadric;
use crate::convex::{CONVERGED, MassError, Moments, curve, of_superellipsoid};
use crate::offset_mass::{SAMPLED, SEGMENTS, grown};
use crate::rounded_mesh::in_units;
use heurt_geometry::{Vec3, power_of_two_scale};
use heurt_mesh::Measures;
use heurt_mesh::generate::{Superellipsoid, Supertoroid};

impl Superquadric {
    /// Computes area, volume, centroid and inertia at unit density.
    ///
    /// # Errors
    /// [`MassError::NotConverged`] for exponents so small or so large that the area cannot be integrated.
    pub fn measures(&self) -> Result<Measures, MassError> {
        match self {
            Self::Ellipsoid(shape) => {
                let unit = power_of_two_scale(shape.radii().max_element());
                Ok(superellipsoid(shape, unit)?.in_metres(Vec3::ZERO, unit))
            }
            Self::Toroid(shape) => {
                let unit = power_of_two_scale(shape.radii().iter().sum());
                Ok(Measures { euler: 0, genus: Some(1), ..toroid(shape, unit)?.in_metres(Vec3::ZERO, unit) })
            }
        }
    }

    /// Computes the measures of the set within a margin, by the contribution of the margin to a tessellation.
    pub(super) fn measures_within(&self, margin: f64) -> Result<Measures, MassError> {
        let mesh = match self {
            Self::Ellipsoid(shape) => shape.mesh(SEGMENTS),
            Self::Toroid(shape) => shape.mesh(SEGMENTS),
        };
        let unmeshed = MassError::NotConverged { off: f64::INFINITY, most: SAMPLED };
        let (centre, unit, triangles) = in_units(&mesh.map_err(|_| unmeshed)?, margin);
        let bare = match self {
            Self::Ellipsoid(shape) => superellipsoid(shape, unit),
            Self::Toroid(shape) => toroid(shape, unit),
        };
        let local = grown(&triangles, true, margin * unit, bare.ok())?.in_metres(centre, unit);
        let is_ring = matches!(self, Self::Toroid(_));
        Ok(Measures { euler: if is_ring { 0 } else { 2 }, genus: Some(u64::from(is_ring)), ..local })
    }
}

fn superellipsoid(shape: &Superellipsoid, unit: f64) -> Result<Moments, MassError> {
    let [n1, n2] = shape.exponents();
    of_superellipsoid(shape.radii() * unit, n1, n2)
}

fn toroid(shape: &Supertoroid, unit: f64) -> Result<Moments, MassError> {
    let (radii, exponents) = (shape.radii().map(|radius| radius * unit), shape.exponents());
    let (volume, squares) = toroid_moments(radii, exponents);
    Ok(Moments::symmetric(toroid_area(radii, exponents)?, volume, squares))
}

/// Returns the area within |x|^(2/n) + |y|^(2/n) = 1, and the integral of yy over it.
fn of_section(n: f64) -> [f64; 2] {
    let (half, whole) = (libm::tgamma(0.5 * n), libm::tgamma(1.0 + n));
    let area = n * half / whole * n * half;
    [area, n * half / libm::tgamma(1.0 + 2.0 * n) * n * libm::tgamma(1.5 * n)]
}

/// Returns the volume, and integrals of xx, yy, zz: dx dy = ρ dρ over the ring, twice its area.
fn toroid_moments([r0, r1]: [f64; 2], [n1, n2]: [f64; 2]) -> (f64, Vec3) {
    let ([ring, of_ring], [tube, of_tube]) = (of_section(n1), of_section(n2));
    let volume = 2.0 * ring * r0 * r1 * r1 * tube;
    let across = 4.0 * of_ring * r0 * r1 * r1 * (r0 * r0 * tube + 3.0 * r1 * r1 * of_tube);
    let up = 2.0 * ring * r0 * r1 * r1 * r1 * r1 * of_tube;
    (volume, Vec3::new(across, across, up))
}

/// Refines the quadrature until two results agree.
fn toroid_area(radii: [f64; 2], exponents: [f64; 2]) -> Result<f64, MassError> {
    let mut coarse = toroid_sum(radii, exponents, 8);
    let mut off = f64::INFINITY;
    for steps in [16, 32, 64] {
        let fine = toroid_sum(radii, exponents, steps);
        off = ((coarse - fine) / fine).abs();
        if off <= CONVERGED {
            return Ok(fine);
        }
        coarse = fine;
    }
    Err(MassError::NotConverged { off, most: CONVERGED })
}

/// Sums one octant, its outer and its inner half, eight times.
fn toroid_sum([r0, r1]: [f64; 2], [n1, n2]: [f64; 2], steps: u32) -> f64 {
    let (ring, profile) = (curve(2.0 / n1, steps), curve(2.0 / n2, steps));
    let mut area = 0.0;
    for up in &profile {
        let ([s, _], [ds, dz]) = (up.at, up.first);
        for side in [1.0, -1.0] {
            let reach = r0 + r1 * s * side;
            for round in &ring {
                let ([x, y], [dx, dy]) = (round.at, round.first);
                let turn = x * dy - y * dx;
                let cell = Vec3::new(dy * dz, dx * dz, ds * turn).length() * reach * r1;
                let cell = cell * up.weight * round.weight;
                area += if cell.is_finite() { 8.0 * cell } else { 0.0 };
            }
        }
    }
    area
}
