//! Normals of the corners of triangles, smooth across edges that are nearly flat, and the light.
//!
//! Method: the normal of a corner is the sum of the normals of the triangles at its vertex, weighted by area, if
//! they are within 40° of the normal of its own triangle. A box keeps its edges, and a sphere looks round.

use crate::Surface;
use heurt_geometry::Vec3;

/// Cosine of the largest angle across which normals are smoothed: 40°, above the 30° of feature edges.
const SMOOTH_COSINE: f64 = 0.766;

/// Unit normals of the corners of each triangle.
#[derive(Debug, Clone, Default)]
pub(super) struct CornerNormals(pub Vec<[Vec3; 3]>);

/// Computes the normals of all corners.
pub(super) fn corner_normals(surface: &Surface) -> CornerNormals {
    let Surface { vertices, triangles, .. } = surface;
    let areas: Vec<Vec3> = triangles
        .iter()
        .map(|corners| {
            let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    let units: Vec<Vec3> = areas.iter().map(|area| area.normalize_or_zero()).collect();
    let (starts, around) = triangles_around(vertices.len(), triangles);
    let normal_of = |triangle: usize, corner: u32| {
        let range = starts[corner as usize] as usize..starts[corner as usize + 1] as usize;
        let is_smooth = |other: &&u32| units[**other as usize].dot(units[triangle]) >= SMOOTH_COSINE;
        let sum: Vec3 = around[range].iter().filter(is_smooth).map(|other| areas[*other as usize]).sum();
        sum.normalize_or(units[triangle])
    };
    let normals = triangles.iter().enumerate();
    CornerNormals(normals.map(|(triangle, corners)| corners.map(|corner| normal_of(triangle, corner))).collect())
}

/// Lists the triangles at each vertex: the start of each vertex in the list, and the list.
fn triangles_around(vertices: usize, triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; vertices + 1];
    triangles.iter().flatten().for_each(|corner| starts[*corner as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut around = vec![0; 3 * triangles.len()];
    for (triangle, corners) in triangles.iter().enumerate() {
        for corner in corners {
            around[next[*corner as usize] as usize] = triangle as u32;
            next[*corner as usize] += 1;
        }
    }
    (starts, around)
}

/// Lights of a picture: a key light from above the left shoulder of the viewer, and a sky.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lights {
    key: Vec3,
    eye: Vec3,
}

impl Lights {
    /// Makes the lights for a viewer with these directions, in the world.
    pub(super) fn new(right: Vec3, up: Vec3, forward: Vec3) -> Self {
        Self { key: (up * 0.7 - right * 0.4 - forward * 0.8).normalize(), eye: -forward }
    }

    /// Returns the brightness of a surface with this unit normal: 0.38 to 1.1; both sides are lit.
    pub(super) fn brightness(self, normal: Vec3) -> f64 {
        let facing = if normal.dot(self.eye) < 0.0 { -normal } else { normal };
        let key = facing.dot(self.key).max(0.0);
        0.38 + 0.22 * facing.dot(self.eye).max(0.0) + 0.5 * key
    }
}
