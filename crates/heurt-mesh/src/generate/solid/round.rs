//! Spheres, cylinder, cone, capsule and torus.
//!
//! In: radii and heights in metres, axis z, centred at the origin. Out: closed meshes inscribed in the exact shapes
//! (every vertex lies on the surface, up to rounding).
//! Method: rings of [`direction`]s; the icosphere is the icosahedron, each triangle split in four, pushed out.

use crate::TriMesh;
use crate::generate::circle::direction;
use crate::generate::error::Limits;
use crate::generate::solid::subdivide::split_once;
use crate::generate::surface::{Station, lofted};
use crate::generate::{GenerateError, icosahedron};
use heurt_geometry::{DisplayNumber, Vec3};

/// The least part of a larger length that a smaller one may be where they are added: below, rounding merges rings.
pub(crate) const MIN_RATIO: f64 = 1e-6;

/// Makes a sphere of parallels and meridians: `segments` meridians and `segments / 2` bands, poles on the z axis.
///
/// It has 2 · `segments` · (`segments / 2` − 1) triangles; [`sphere_segments`] chooses for a count.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let ball = measures(&generate::uv_sphere(1.0, 64)?);
/// let exact = 4.0 / 3.0 * std::f64::consts::PI;
/// assert!(ball.volume.is_some_and(|volume| volume < exact && volume > 0.99 * exact));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when `radius` is no positive length, or for fewer than 4 or too many segments.
pub fn uv_sphere(radius: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("uv_sphere");
    limits.length("radius", radius)?;
    sphere_like(limits, segments, |normal| normal * radius)
}

/// Makes a sphere from the icosahedron, each triangle split in four `levels` times: 20 · 4^`levels` triangles.
///
/// ```
/// use heurt_mesh::generate;
/// assert_eq!(generate::icosphere(1.0, 3)?.triangles().len(), 20 * 4usize.pow(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when `radius` is no positive length, or for too many levels.
pub fn icosphere(radius: f64, levels: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("icosphere");
    limits.length("radius", radius)?;
    limits.triangles(20u64.saturating_mul(4u64.saturating_pow(levels)))?;
    let mut mesh = icosahedron(1.0)?;
    for _ in 0..levels {
        let (mut vertices, triangles) = split_once(&mesh)?.into_parts();
        vertices.iter_mut().for_each(|vertex| *vertex = vertex.normalize());
        mesh = TriMesh::new(vertices, triangles)?;
    }
    let (vertices, triangles) = mesh.into_parts();
    Ok(TriMesh::new(vertices.into_iter().map(|vertex| vertex * radius).collect(), triangles)?)
}

/// Makes a cylinder; the caps are fans at z = ±`half_height`. It has 4 · `segments` triangles.
///
/// ```
/// use heurt_mesh::generate;
/// let pipe = generate::cylinder(0.05, 1.0, 32)?;
/// assert_eq!((pipe.bounds().min.z, pipe.bounds().max.z), (-1.0, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, or for fewer than 3 or too many segments.
pub fn cylinder(radius: f64, half_height: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("cylinder");
    limits.length("radius", radius)?;
    limits.length("half_height", half_height)?;
    limits.at_least("segments", segments, 3)?;
    limits.triangles(4 * u64::from(segments))?;
    let stations = [
        Station::Apex(Vec3::new(0.0, 0.0, -half_height)),
        circle(radius, -half_height, segments),
        circle(radius, half_height, segments),
        Station::Apex(Vec3::new(0.0, 0.0, half_height)),
    ];
    lofted(stations, false)
}

/// Makes a cone with its base at z = −`half_height` and its apex at +`half_height`: 2 · `segments` triangles.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let cone = measures(&generate::cone(1.0, 1.5, 256)?);
/// assert!(cone.volume.is_some_and(|volume| (volume - std::f64::consts::PI).abs() < 1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, or for fewer than 3 or too many segments.
pub fn cone(radius: f64, half_height: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("cone");
    limits.length("radius", radius)?;
    limits.length("half_height", half_height)?;
    limits.at_least("segments", segments, 3)?;
    limits.triangles(2 * u64::from(segments))?;
    let stations = [
        Station::Apex(Vec3::new(0.0, 0.0, -half_height)),
        circle(radius, -half_height, segments),
        Station::Apex(Vec3::new(0.0, 0.0, half_height)),
    ];
    lofted(stations, false)
}

/// Makes a capsule: a cylinder of half height `half_height` (without its caps) between two half-spheres.
///
/// Each half-sphere has `segments / 4` bands (at least one).
///
/// ```
/// use heurt_mesh::generate;
/// let pill = generate::capsule(0.25, 0.5, 32)?;
/// assert!((pill.bounds().max.z - 0.75).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, when `half_height` is below 1e-6 of `radius` or the reverse, or
/// for fewer than 4 or too many segments.
pub fn capsule(radius: f64, half_height: f64, segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("capsule");
    limits.length("radius", radius)?;
    limits.length("half_height", half_height)?;
    ratio(limits, ("half_height", half_height), ("radius", radius))?;
    ratio(limits, ("radius", radius), ("half_height", half_height))?;
    limits.at_least("segments", segments, 4)?;
    let bands = u64::from(segments / 4);
    limits.triangles(u64::from(segments).saturating_mul(4 * bands))?;
    let pole = |sign: f64| Station::Apex(Vec3::new(0.0, 0.0, sign * (half_height + radius)));
    // Latitude `i` of a quarter circle: the equator for 0, the pole for `bands`.
    let parallel = |i: u64, sign: f64| {
        let (cos, sin) = direction(i, 4 * bands);
        circle(radius * cos, sign * (half_height + radius * sin), segments)
    };
    let below = (0..bands).rev().map(|i| parallel(i, -1.0));
    let above = (0..bands).map(|i| parallel(i, 1.0));
    lofted(std::iter::once(pole(-1.0)).chain(below).chain(above).chain([pole(1.0)]), false)
}

/// Makes a torus around the z axis: `ring_radius` of the centre line, `tube_radius`, `segments` around the axis and
/// `tube_segments` around the tube; 2 · `segments` · `tube_segments` triangles.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let ring = generate::torus(1.0, 0.25, 32, 16)?;
/// assert_eq!((ring.triangles().len(), measures(&ring).genus), (2 * 32 * 16, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when a length is not positive, `tube_radius` is not below `ring_radius` or vanishes next to it,
/// or for fewer than 3 or too many segments.
pub fn torus(ring_radius: f64, tube_radius: f64, segments: u32, tube_segments: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("torus");
    ring_and_tube(limits, ("ring_radius", ring_radius), ("tube_radius", tube_radius))?;
    limits.at_least("segments", segments, 3)?;
    limits.at_least("tube_segments", tube_segments, 3)?;
    limits.triangles(2u64.saturating_mul(segments.into()).saturating_mul(tube_segments.into()))?;
    let stations = (0..tube_segments).map(|i| {
        let (cos, sin) = direction(i.into(), tube_segments.into());
        circle(ring_radius + tube_radius * cos, tube_radius * sin, segments)
    });
    lofted(stations, true)
}

/// Chooses `segments` so that [`uv_sphere`], [`crate::generate::bumpy_sphere`] and
/// [`crate::generate::superellipsoid()`] have at least `triangles` triangles (approximately √triangles segments).
/// Beyond the largest mesh the choice stays at its limit.
///
/// ```
/// use heurt_mesh::generate;
/// let ball = generate::uv_sphere(1.0, generate::sphere_segments(10_000))?;
/// assert!((9_000..=11_000).contains(&ball.triangles().len()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sphere_segments(triangles: u64) -> u32 {
    fewest(triangles, 4, |segments| 2 * segments * (segments / 2 - 1))
}

/// Chooses `segments` so that [`crate::generate::supertoroid()`], and [`torus`] with half as many around its tube, have
/// at least `triangles` triangles (√triangles segments).
pub fn torus_segments(triangles: u64) -> u32 {
    fewest(triangles, 8, |segments| 2 * segments * (segments / 2))
}

/// Finds the smallest even `segments` ≥ `least` that gives `triangles`, which grows no faster than segments².
fn fewest(triangles: u64, least: u64, count: impl Fn(u64) -> u64) -> u32 {
    let capped = triangles.min(crate::generate::MAX_TRIANGLES);
    let mut segments = least.max(capped.isqrt() / 2 * 2);
    while count(segments) < capped {
        segments += 2;
    }
    segments as u32
}

/// Makes a sphere grid and moves its unit normals by `place`. Checks `segments`.
pub(crate) fn sphere_like(
    limits: Limits,
    segments: u32,
    place: impl Fn(Vec3) -> Vec3,
) -> Result<TriMesh, GenerateError> {
    limits.at_least("segments", segments, 4)?;
    let bands = u64::from(segments / 2);
    limits.triangles((2 * u64::from(segments)).saturating_mul(bands - 1))?;
    let meridians: Vec<(f64, f64)> = (0..segments).map(|i| direction(i.into(), segments.into())).collect();
    let parallels = (1..bands).map(|row| {
        let (down, radius) = direction(row, 2 * bands);
        let ring = meridians.iter().map(|&(x, y)| place(Vec3::new(radius * x, radius * y, -down)));
        Station::Ring(ring.collect())
    });
    let pole = |z: f64| Station::Apex(place(Vec3::new(0.0, 0.0, z)));
    lofted(std::iter::once(pole(-1.0)).chain(parallels).chain([pole(1.0)]), false)
}

/// Makes a ring on the circle of `radius` at height `z`.
pub(crate) fn circle(radius: f64, z: f64, segments: u32) -> Station {
    Station::Ring(circle_points(radius, z, segments).collect())
}

/// Returns the points of the regular polygon inscribed in the circle of `radius` at height `z`.
pub(crate) fn circle_points(radius: f64, z: f64, segments: u32) -> impl Iterator<Item = Vec3> {
    (0..segments).map(move |i| {
        let (x, y) = direction(i.into(), segments.into());
        Vec3::new(radius * x, radius * y, z)
    })
}

/// Checks that `small` does not vanish next to `large`.
pub(crate) fn ratio(
    limits: Limits,
    small: (&'static str, f64),
    large: (&'static str, f64),
) -> Result<(), GenerateError> {
    if small.1 >= MIN_RATIO * large.1 {
        return Ok(());
    }
    Err(limits.refuse(
        small.0,
        small.1,
        format!("at least {MIN_RATIO:e} of {}, which is {}", large.0, DisplayNumber(large.1)),
    ))
}

/// Checks the two radii of a torus: a tube thinner than the ring, neither the tube nor the hole vanishing.
pub(crate) fn ring_and_tube(
    limits: Limits,
    ring: (&'static str, f64),
    tube: (&'static str, f64),
) -> Result<(), GenerateError> {
    limits.length(ring.0, ring.1)?;
    limits.length(tube.0, tube.1)?;
    let (low, high) = (MIN_RATIO * ring.1, (1.0 - MIN_RATIO) * ring.1);
    if (low..=high).contains(&tube.1) {
        return Ok(());
    }
    Err(limits.refuse(
        tube.0,
        tube.1,
        format!("less than {} = {}, and at least {low:e}", ring.0, DisplayNumber(ring.1)),
    ))
}
