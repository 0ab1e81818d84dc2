//! Points of curved convex shapes whose hull is within a tolerance, and meshes of superquadrics.
//!
//! In: a convex shape or a superquadric in its own frame, a tolerance in metres. Out: points, or a closed mesh.
//! Method: the points of a circle of n corners are r (1 − cos π/n) away from it. The points of a ball lie on n
//! meridians and n/2 parallels, whose cells have a half diagonal of √2 π/n. A margin is a Minkowski sum with a ball:
//! the sums of all points. The hull of points of a convex set is inscribed, and errors of sums add.
//! Superquadrics are refined until samples on their triangles are within the tolerance.
//! Guarantees: hulls of points are within the tolerance; of superquadrics the centres of edges and triangles are.

use super::leaf::TessellationFault;
use heurt_geometry::Vec3;
use heurt_mesh::{TriMesh, generate};
use heurt_shape::{Convex, Core, Round, Superquadric};
use std::f64::consts::{PI, SQRT_2};

/// The greatest number of corners of a circle.
const MAX_SEGMENTS: u32 = 4096;
/// The greatest number of points of a hull: half a million points take some seconds.
const MAX_POINTS: usize = 1 << 19;
/// The greatest number of segments of a superquadric: half a million triangles.
const MAX_SUPERQUADRIC_SEGMENTS: u32 = 512;

/// Returns a number of corners, a multiple of 4, whose arcs of `share` π/n deviate by at most the tolerance.
fn segments_of(radius: f64, tolerance: f64, share: f64) -> Result<u32, TessellationFault> {
    let cosine = (1.0 - tolerance / radius).max(-1.0);
    let segments = (share * PI / libm::acos(cosine)).max(8.0);
    if segments > f64::from(MAX_SEGMENTS) {
        return Err(TessellationFault::TooFine);
    }
    Ok((segments.ceil() as u32).next_multiple_of(4))
}

/// Returns the number of corners of a circle.
pub(super) fn circle_segments(radius: f64, tolerance: f64) -> Result<u32, TessellationFault> {
    segments_of(radius, tolerance, 1.0)
}

/// Returns the points of a ball.
fn ball(radius: f64, tolerance: f64) -> Result<Vec<Vec3>, TessellationFault> {
    let segments = segments_of(radius, tolerance, SQRT_2)?;
    made(generate::uv_sphere(1.0, segments)).map(|mesh| mesh.vertices().iter().map(|&unit| unit * radius).collect())
}

fn made<E>(mesh: Result<TriMesh, E>) -> Result<TriMesh, TessellationFault> {
    mesh.map_err(|_| TessellationFault::TooFine)
}

/// Returns points whose hull is the shape within the tolerance.
pub(super) fn convex_points(convex: &Convex, tolerance: f64) -> Result<Vec<Vec3>, TessellationFault> {
    let margin = convex.margin();
    let is_hull = matches!(convex.core(), Core::Hull(_));
    let share = if margin > 0.0 && !is_hull { 0.5 } else { 1.0 };
    let core = match convex.core() {
        Core::Hull(hull) => hull.corners().to_vec(),
        Core::Round(round) => round_points(round, tolerance * share)?,
        Core::HalfSpace { .. } => return Err(TessellationFault::Flat),
    };
    if margin <= 0.0 {
        return Ok(core);
    }
    let ball = ball(margin, tolerance * share)?;
    match core.len().checked_mul(ball.len()) {
        Some(count) if count <= MAX_POINTS => {
            Ok(core.iter().flat_map(|&corner| ball.iter().map(move |&offset| corner + offset)).collect())
        }
        _ => Err(TessellationFault::TooFine),
    }
}

fn round_points(round: &Round, tolerance: f64) -> Result<Vec<Vec3>, TessellationFault> {
    let mesh = match *round {
        Round::Cylinder { radius, half_height } => {
            flat_unless(radius > 0.0 && half_height > 0.0)?;
            made(generate::cylinder(radius, half_height, circle_segments(radius, tolerance)?))?
        }
        Round::Cone { radius, half_height } => {
            flat_unless(radius > 0.0 && half_height > 0.0)?;
            made(generate::cone(radius, half_height, circle_segments(radius, tolerance)?))?
        }
        Round::Ellipsoid { radii } => {
            flat_unless(radii.min_element() > 0.0)?;
            let unit = ball(1.0, tolerance / radii.max_element())?;
            return Ok(unit.into_iter().map(|point| point * radii).collect());
        }
        Round::Superellipsoid { radii, n1, n2 } => {
            flat_unless(radii.min_element() > 0.0)?;
            let surface = generate::Superellipsoid::new(radii.to_array(), n1, n2);
            let surface = surface.map_err(|_| TessellationFault::TooFine)?;
            solid_of_superquadric(&Superquadric::Ellipsoid(surface), tolerance)?
        }
    };
    Ok(mesh.vertices().to_vec())
}

fn flat_unless(has_volume: bool) -> Result<(), TessellationFault> {
    if has_volume { Ok(()) } else { Err(TessellationFault::Flat) }
}

/// Makes the mesh of a superquadric.
pub(super) fn solid_of_superquadric(surface: &Superquadric, tolerance: f64) -> Result<TriMesh, TessellationFault> {
    let mut segments = 16;
    while segments <= MAX_SUPERQUADRIC_SEGMENTS {
        let mesh = match surface {
            Superquadric::Ellipsoid(shape) => {
                let [n1, n2] = shape.exponents();
                generate::superellipsoid(shape.radii().to_array(), n1, n2, segments)
            }
            Superquadric::Toroid(shape) => {
                let ([r0, r1], [n1, n2]) = (shape.radii(), shape.exponents());
                generate::supertoroid(r0, r1, n1, n2, segments)
            }
        };
        let mesh = made(mesh)?;
        if deviation(&mesh, surface) <= tolerance {
            return Ok(mesh);
        }
        segments *= 2;
    }
    Err(TessellationFault::TooFine)
}

/// Returns the greatest distance of the centres of triangles and edges from points of the surface.
fn deviation(mesh: &TriMesh, surface: &Superquadric) -> f64 {
    let distance = |point: Vec3| surface.to_surface(point).map_or(0.0, |on| on.distance(point));
    let of_triangle = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle);
        let samples = [(a + b + c) / 3.0, (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0];
        samples.into_iter().map(distance).fold(0.0, f64::max)
    };
    (0..mesh.triangles().len() as u32).map(of_triangle).fold(0.0, f64::max)
}
