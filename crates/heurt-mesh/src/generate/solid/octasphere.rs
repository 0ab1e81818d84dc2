//! A sphere from the octahedron, each edge cut into equally many pieces.
//!
//! In: a radius in metres and the number of pieces. Out: a closed mesh of 8 n² triangles inscribed in the sphere: 512
//! for 8.
//! Method: points evenly spaced on the octahedron's faces, ring by ring from the lower pole, pushed out. Unlike
//! [`crate::generate::uv_sphere`] it has no fans of needles at its poles, and unlike [`crate::generate::icosphere`] any
//! n.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::generate::surface::Surface;
use heurt_geometry::Vec3;

/// Makes a sphere of 8 · `pieces`² triangles of like size, poles on the z axis.
///
/// ```
/// use heurt_mesh::generate;
/// assert_eq!(generate::octasphere(1.0, 10)?.triangles().len(), 8 * 10 * 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when `radius` is no positive length, or for no or too many pieces.
pub fn octasphere(radius: f64, pieces: u32) -> Result<TriMesh, GenerateError> {
    let limits = Limits("octasphere");
    limits.length("radius", radius)?;
    limits.at_least("pieces", pieces, 1)?;
    limits.triangles(8u64.saturating_mul(u64::from(pieces).pow(2)))?;
    let mut surface = Surface::default();
    let mut below = surface.ring([Vec3::NEG_Z * radius]);
    for latitude in 1..=2 * pieces {
        let size = latitude.min(2 * pieces - latitude);
        let height = f64::from(latitude) - f64::from(pieces);
        let ring = surface.ring(octahedron_ring(size, height).map(|point| point.normalize() * radius));
        if latitude <= pieces {
            widen(&mut surface, &below, &ring);
        } else {
            narrow(&mut surface, &below, &ring);
        }
        below = ring;
    }
    surface.finish()
}

/// Returns the points of the octahedron of `size` + |`height`| pieces an edge at `height` pieces above its middle.
fn octahedron_ring(size: u32, height: f64) -> impl Iterator<Item = Vec3> {
    const AXES: [Vec3; 5] = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y, Vec3::X];
    (0..(4 * size).max(1)).map(move |index| {
        let (quarter, past) = (index / size.max(1), index % size.max(1));
        let (from, to) = (AXES[quarter as usize], AXES[quarter as usize + 1]);
        from * f64::from(size - past) + to * f64::from(past) + Vec3::Z * height
    })
}

/// Joins a ring to the next one above, which has a piece more in each quarter.
fn widen(surface: &mut Surface, below: &[u32], above: &[u32]) {
    each_side(below, above, |[a, b, c]| surface.triangle(a, b, c));
}

/// Joins a ring to the next one above, which has a piece less in each quarter: the mirror image of [`widen`].
fn narrow(surface: &mut Surface, below: &[u32], above: &[u32]) {
    each_side(above, below, |[a, b, c]| surface.triangle(a, c, b));
}

/// Lists the triangles between a ring and one that has a piece more in each quarter, outward if the latter is above.
fn each_side(short: &[u32], long: &[u32], mut triangle: impl FnMut([u32; 3])) {
    let pieces = long.len() / 4;
    let of_short = |index: usize| short[index % short.len()];
    let of_long = |index: usize| long[index % long.len()];
    for quarter in 0..4 {
        let (first_short, first_long) = (quarter * (pieces - 1), quarter * pieces);
        for past in 0..pieces {
            let (s, l) = (first_short + past, first_long + past);
            triangle([of_short(s), of_long(l + 1), of_long(l)]);
            if past + 1 < pieces {
                triangle([of_short(s), of_short(s + 1), of_long(l + 1)]);
            }
        }
    }
}
