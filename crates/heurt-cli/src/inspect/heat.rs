//! Heat map of wall thickness: the triangles of a mesh in five bands of thickness, each in a colour.
//!
//! Method: the least thickness at the centre of a triangle, at the samples of the report on it, and at those in its
//! corners, by the method of the report. Bands end at the limit of
//! `--thin`, and at its double, fourfold and eightfold; without it at the thickness that 5, 25, 50 and 75 % of the
//! area do not exceed. Triangles without a thickness are in no band.

use super::Inspected;
use heurt::geometry::Vec3;
use heurt::mesh::{Thickness, ThicknessOptions, ThicknessSamples, TriMesh, wall_thickness};
use std::collections::HashMap;

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

/// Divides the triangles of a mesh whose thickness was measured; empty if it was not.
pub(super) fn bands(inspected: &Inspected) -> Vec<ThicknessBand> {
    let Some(Ok(thickness)) = &inspected.thickness else { return Vec::new() };
    let options = ThicknessOptions { method: thickness.method, samples: ThicknessSamples::PerTriangle };
    let Ok(measured) = wall_thickness(&inspected.mesh, &options) else { return Vec::new() };
    let limits = limits(thickness, inspected.thin);
    let unit = inspected.units.length();
    let mut bands: Vec<ThicknessBand> = COLOURS
        .iter()
        .enumerate()
        .map(|(at, &colour)| {
            let name = match limits.get(at) {
                Some(limit) => format!("wall below {limit:.3} {unit}"),
                None => "thicker".to_owned(),
            };
            ThicknessBand { name, colour, triangles: Vec::new() }
        })
        .collect();
    for (triangle, thickness) in (0..).zip(least_of_triangles(&inspected.mesh, thickness, &measured)) {
        if thickness < f64::INFINITY {
            bands[limits.partition_point(|limit| *limit <= thickness)].triangles.push(triangle);
        }
    }
    bands
}

/// The least thickness of each triangle; infinite if there is none.
fn least_of_triangles(mesh: &TriMesh, thickness: &Thickness, at_centres: &Thickness) -> Vec<f64> {
    let mut least: Vec<f64> =
        at_centres.per_triangle(mesh).into_iter().map(|thickness| thickness.unwrap_or(f64::INFINITY)).collect();
    let key = |point: Vec3| point.to_array().map(f64::to_bits);
    // Samples without weight are at vertices, and in the middle of edges.
    let mut at_corners: HashMap<[u64; 3], f64> = HashMap::new();
    for sample in &thickness.samples {
        let known = &mut least[sample.triangle as usize];
        *known = known.min(sample.thickness);
        if sample.weight == 0.0 {
            at_corners.entry(key(sample.point)).or_insert(sample.thickness);
        }
    }
    for (triangle, least) in (0..).zip(&mut least) {
        for corner in mesh.corners(triangle) {
            *least = at_corners.get(&key(corner)).map_or(*least, |thickness| least.min(*thickness));
        }
    }
    least
}

/// The upper ends of all bands but the last, ascending.
fn limits(thickness: &Thickness, thin: Option<f64>) -> Vec<f64> {
    match thin {
        Some(thin) => [1.0, 2.0, 4.0, 8.0].map(|factor| factor * thin).to_vec(),
        None => [0.05, 0.25, 0.5, 0.75].iter().filter_map(|&share| thickness.percentile(share)).collect(),
    }
}
