//! Encoders of a surface: `HMS1` for the live page, `HMQ1` with 16-bit coordinates for reports.

use super::{pad, put_point, put_u32};
use crate::Surface;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heurt_geometry::{Aabb, Vec3};

/// Greatest value of a 16-bit coordinate.
const STEPS: f64 = 65535.0;

/// Encodes a surface for the live page: `HMS1`, coordinates as `f32`.
pub fn mesh_bytes(surface: &Surface) -> Vec<u8> {
    let Surface { vertices, triangles, edges } = surface;
    let mut bytes = Vec::with_capacity(16 + 12 * (vertices.len() + triangles.len()) + 8 * edges.len());
    bytes.extend(b"HMS1");
    put_counts(&mut bytes, surface);
    vertices.iter().for_each(|vertex| put_point(&mut bytes, *vertex));
    triangles.iter().flatten().for_each(|corner| put_u32(&mut bytes, *corner));
    edges.iter().flatten().for_each(|end| put_u32(&mut bytes, *end));
    bytes
}

/// Encodes a surface for a report: `HMQ1`, coordinates as shares of its box in 16 bits, as base64.
///
/// The largest error of a coordinate is 1/131070 of the size of the box.
pub fn report_mesh(surface: &Surface) -> String {
    let Surface { vertices, triangles, edges } = surface;
    let bounds = Aabb::from_points(vertices.iter().copied());
    let (least, size) =
        if bounds.is_empty() { (Vec3::ZERO, Vec3::ZERO) } else { (bounds.min, bounds.max - bounds.min) };
    let mut bytes = Vec::with_capacity(40 + 6 * (vertices.len() + triangles.len()) + 4 * edges.len());
    bytes.extend(b"HMQ1");
    put_counts(&mut bytes, surface);
    put_point(&mut bytes, least);
    put_point(&mut bytes, size);
    for vertex in vertices {
        for axis in 0..3 {
            let share = if size[axis] > 0.0 { (vertex[axis] - least[axis]) / size[axis] } else { 0.0 };
            bytes.extend(((share * STEPS).round() as u16).to_le_bytes());
        }
    }
    pad(&mut bytes);
    let is_short = vertices.len() <= 1 << 16;
    let put_index = |bytes: &mut Vec<u8>, index: u32| match is_short {
        true => bytes.extend((index as u16).to_le_bytes()),
        false => bytes.extend(index.to_le_bytes()),
    };
    triangles.iter().flatten().for_each(|corner| put_index(&mut bytes, *corner));
    pad(&mut bytes);
    edges.iter().flatten().for_each(|end| put_index(&mut bytes, *end));
    pad(&mut bytes);
    STANDARD.encode(bytes)
}

fn put_counts(bytes: &mut Vec<u8>, surface: &Surface) {
    put_u32(bytes, surface.vertices.len() as u32);
    put_u32(bytes, surface.triangles.len() as u32);
    put_u32(bytes, surface.edges.len() as u32);
}
