//! Binary STL: all parts as one run of triangles with their normals.

use super::{WriteError, counts, placed, to_f32};
use crate::{Format, Model};
use heurt_geometry::Vec3;
use std::io::{BufWriter, Write};

/// Writes the triangles of all parts, placed; coordinates are rounded to `f32`.
///
/// # Errors
/// [`WriteError`] when a coordinate overflows an `f32`, or the sink refuses bytes.
pub fn write_stl(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    let [_, triangles] = counts(model, Format::Stl, u32::MAX.into())?;
    let mut out = BufWriter::new(out);
    // Not `solid`: readers take that for text.
    let mut title = [0; 80];
    title[..20].copy_from_slice(b"binary STL, by heurt");
    out.write_all(&title)?;
    out.write_all(&(triangles as u32).to_le_bytes())?;
    let mut first = 0;
    for (number, part) in model.parts.iter().enumerate() {
        let points: Vec<Vec3> = placed(model, number).collect();
        for corners in model.meshes[part.mesh].triangles() {
            let [a, b, c] = corners.map(|corner| points[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            write_vector(&mut out, normal.to_array().map(|value| value as f32))?;
            for &corner in corners {
                write_vector(&mut out, to_f32(points[corner as usize], Format::Stl, first + corner as usize)?)?;
            }
            out.write_all(&[0, 0])?;
        }
        first += points.len();
    }
    Ok(out.flush()?)
}

fn write_vector(out: &mut dyn Write, vector: [f32; 3]) -> std::io::Result<()> {
    vector.into_iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
}
