//! Heat map of wall thickness: the triangles of a mesh in five bands of thickness, each in a colour.
//!
//! Method: the least thickness at the centre of a triangle, at the samples of the report on it, and at those in its
//! corners, by the method of the report. Bands end at the limit of `--thin`, and at its double, fourfold and eightfold;
//! without it at the thickness that 5, 25, 50 and 75 % of the area do not exceed. Triangles without a thickness are in
//! no band, and there is no band without triangles.

use crate::units::Units;
use heurt::mesh::{Thickness, ThicknessOptions, ThicknessSamples, TriMesh, wall_thickness};

/// Colours of the bands, the thinnest first, after Okabe and Ito.
const COLOURS: [[u8; 3]; 5] =
    [[0xd5, 0x5e, 0x00], [0xe6, 0x9f, 0x00], [0xf0, 0xe4, 0x42], [0x00, 0x9e, 0x73], [0x00, 0x72, 0xb2]];

/// The triangles between two thicknesses.
pub(super) struct ThicknessBand {
    /// For example "wall below 0.8 mm".
    pub(super) name: String,
    pub(super) colour: [u8; 3],
    pub(super) triangles: Vec<u32>,
}

/// Divides the triangles of a mesh by its thickness; `thin` is the limit of `--thin`.
pub(super) fn bands(mesh: &TriMesh, thickness: &Thickness, thin: Option<f64>, units: Units) -> Vec<ThicknessBand> {
    let options = ThicknessOptions { method: thickness.method, samples: ThicknessSamples::PerTriangle };
    let limits = limits(thickness, thin);
    let Ok(at_centres) = wall_thickness(mesh, &options) else { return Vec::new() };
    if limits.is_empty() {
        return Vec::new();
    }
    let unit = units.length();
    let name = |at: usize| match limits.get(at) {
        Some(limit) => format!("wall below {limit:.3} {unit}"),
        None => "thicker".to_owned(),
    };
    let band = |(at, &colour)| ThicknessBand { name: name(at), colour, triangles: Vec::new() };
    let mut bands: Vec<ThicknessBand> = COLOURS.iter().enumerate().map(band).collect();
    let least = thickness.per_triangle(mesh).into_iter().zip(at_centres.per_triangle(mesh));
    for (triangle, (sampled, at_centre)) in (0..).zip(least) {
        if let Some(thickness) = sampled.into_iter().chain(at_centre).reduce(f64::min).filter(|least| least.is_finite())
        {
            bands[limits.partition_point(|limit| *limit <= thickness)].triangles.push(triangle);
        }
    }
    bands.retain(|band| !band.triangles.is_empty());
    bands
}

/// The upper ends of all bands but the last, ascending.
fn limits(thickness: &Thickness, thin: Option<f64>) -> Vec<f64> {
    match thin {
        Some(thin) => [1.0, 2.0, 4.0, 8.0].map(|factor| factor * thin).to_vec(),
        None => [0.05, 0.25, 0.5, 0.75]
            .iter()
            .filter_map(|&share| thickness.percentile(share))
            .filter(|limit| limit.is_finite())
            .collect(),
    }
}
