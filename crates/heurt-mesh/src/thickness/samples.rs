//! Sample points on triangles, evenly by area.
//!
//! Method: along the sum of areas in triangle order, sample k is at (k + ½) / n of the whole (systematic sampling);
//! its place in the triangle comes from the R2 sequence (Roberts 2018), folded into the triangle. Triangles without
//! area get no sample. Cost: O(triangles + samples).

use heurt_geometry::{Triangle, Vec3};

use super::ThicknessSamples;
use crate::TriMesh;

/// A place on a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SurfaceSample {
    pub(super) triangle: u32,
    /// The ends of the edge, or the vertex twice, that the sample lies on; `None` if it lies inside the triangle.
    pub(super) feature: Option<[Vec3; 2]>,
    pub(super) point: Vec3,
    /// The unit normal, outward.
    pub(super) normal: Vec3,
    pub(super) weight: f64,
}

impl SurfaceSample {
    /// Tests whether the sample lies on a triangle, by its number or by the corners that it shares.
    pub(super) fn is_on(&self, triangle: u32, corners: &Triangle) -> bool {
        triangle == self.triangle || self.feature.is_some_and(|ends| ends.iter().all(|end| corners.contains(end)))
    }
}

/// The powers of the inverse of the plastic number: the least regular steps for two coordinates.
const STEPS: [f64; 2] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];

/// Places samples on a mesh.
pub(super) fn samples(mesh: &TriMesh, which: ThicknessSamples) -> Vec<SurfaceSample> {
    match which {
        ThicknessSamples::PerTriangle => (0..mesh.triangles().len() as u32)
            .filter_map(|triangle| sample(mesh, triangle, [1.0 / 3.0; 2], None))
            .collect(),
        ThicknessSamples::ByArea(count) => by_area(mesh, count),
    }
}

fn by_area(mesh: &TriMesh, count: usize) -> Vec<SurfaceSample> {
    let areas: Vec<f64> = (0..mesh.triangles().len() as u32).map(|triangle| area(mesh, triangle)).collect();
    let total: f64 = areas.iter().sum();
    let weight = total / count as f64;
    let mut samples = Vec::with_capacity(count);
    let mut sum = 0.0;
    for (triangle, area) in (0..).zip(&areas) {
        sum += area;
        while samples.len() < count && (samples.len() as f64 + 0.5) * weight <= sum {
            let place = STEPS.map(|step| (0.5 + step * (samples.len() + 1) as f64).fract());
            let [u, v] = if place[0] + place[1] > 1.0 { place.map(|x| 1.0 - x) } else { place };
            match sample(mesh, triangle, [u, v], Some(weight)) {
                Some(sample) => samples.push(sample),
                None => break,
            }
        }
    }
    samples
}

fn area(mesh: &TriMesh, triangle: u32) -> f64 {
    let [a, b, c] = mesh.corners(triangle);
    0.5 * (b - a).cross(c - a).length()
}

/// Returns the point of a triangle with two barycentric coordinates; `None` if the triangle has no normal.
fn sample(mesh: &TriMesh, triangle: u32, [u, v]: [f64; 2], weight: Option<f64>) -> Option<SurfaceSample> {
    let [a, b, c] = mesh.corners(triangle);
    let normal = (b - a).cross(c - a).try_normalize()?;
    let weight = weight.unwrap_or_else(|| area(mesh, triangle));
    Some(SurfaceSample { triangle, feature: None, point: a + (b - a) * u + (c - a) * v, normal, weight })
}
