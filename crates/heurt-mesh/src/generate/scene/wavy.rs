//! Closed non-convex shapes with smooth waves, for benches and tests.
//!
//! In: a radius in metres, wave counts and relative amplitudes. Out: star-shaped closed meshes.
//! Method: the radius is a smooth function of the direction from the centre (or from the axis), which leaves every
//! direction in place: no fold can appear as long as the amplitude is below one.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::circle::direction;
use crate::generate::error::Limits;
use crate::generate::solid::round::sphere_like;
use crate::generate::surface::{Station, lofted};
use heurt_geometry::Vec3;
use std::f64::consts::TAU;

/// Makes a sphere with bumps: the radius along the unit direction d is
/// `radius` · (1 + `amplitude` · (sin(k dx) + sin(k dy) + sin(k dz)) / 3), where k = π · `waves`.
///
/// `segments` as in [`crate::generate::uv_sphere`]; an amplitude of 0.1 to 0.3 with 3 to 8 waves is clearly non-convex.
///
/// ```
/// use heurt_mesh::{generate, is_closed};
/// assert!(is_closed(&generate::bumpy_sphere(1.0, 0.1, 5.0, 32)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when `radius` is no positive length, `amplitude` not in [0, 0.9], `waves` not in [0, 1000], or for
/// fewer than 4 or too many segments.
pub fn bumpy_sphere(radius: f64, amplitude: f64, waves: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("bumpy_sphere");
    limits.length("radius", radius)?;
    limits.within("amplitude", amplitude, 0.0, 0.9)?;
    limits.within("waves", waves, 0.0, 1000.0)?;
    let frequency = waves * TAU / 2.0;
    let wave = |coordinate: f64| libm::sin(frequency * coordinate);
    sphere_like(limits, segments, |normal| {
        let height = (wave(normal.x) + wave(normal.y) + wave(normal.z)) / 3.0;
        normal * (radius * (1.0 + amplitude * height))
    })
}

/// Makes a flat disc with a wavy rim, like a gear with round teeth: at the angle θ its radius is
/// `radius` · (1 + `amplitude` · cos(`waves` θ)), its faces lie at z = ±`half_height`.
///
/// The rim has `segments` points a wave and `bands` bands along z; the faces are fans.
///
/// # Errors
/// [`GenerateError`] when a length is not positive, `amplitude` not in [0, 0.9], for no wave, fewer than 4 segments a
/// wave, no band, or too many triangles.
pub fn wavy_disc(
    radius: f64,
    half_height: f64,
    amplitude: f64,
    waves: u32,
    segments: u32,
    bands: u32,
) -> Result<TriMesh, GenerateError> {
    let limits = Limits("wavy_disc");
    limits.length("radius", radius)?;
    limits.length("half_height", half_height)?;
    limits.within("amplitude", amplitude, 0.0, 0.9)?;
    limits.at_least("waves", waves, 1)?;
    limits.at_least("segments", segments, 4)?;
    limits.at_least("bands", bands, 1)?;
    let around = u64::from(waves) * u64::from(segments);
    limits.triangles(around.saturating_mul(2 + 2 * u64::from(bands)))?;
    let rim: Vec<(f64, f64)> = (0..around)
        .map(|i| {
            let reach = radius * (1.0 + amplitude * direction(i % u64::from(segments), segments.into()).0);
            let (x, y) = direction(i, around);
            (reach * x, reach * y)
        })
        .collect();
    let level = |i: u32| half_height * (2.0 * f64::from(i) / f64::from(bands) - 1.0);
    let ring = |z: f64| Station::Ring(rim.iter().map(|&(x, y)| Vec3::new(x, y, z)).collect());
    let centre = |z: f64| Station::Apex(Vec3::new(0.0, 0.0, z));
    let rings = (0..=bands).map(|i| ring(level(i)));
    lofted(std::iter::once(centre(-half_height)).chain(rings).chain([centre(half_height)]), false)
}
