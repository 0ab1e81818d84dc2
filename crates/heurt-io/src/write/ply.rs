//! PLY: all parts as one mesh, binary, little endian, positions as `double`.

use super::{WriteError, counts, joined_triangles, placed_vertices};
use crate::{Format, Model};
use std::io::{BufWriter, Write};

/// Writes all parts as one mesh of placed vertices; an `f64` reads back to the same bits.
///
/// # Errors
/// [`WriteError`] when a placed coordinate overflows, or the sink refuses bytes.
pub fn write_ply(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    let [vertices, triangles] = counts(model, Format::Ply, i32::MAX as u64)?;
    let mut out = BufWriter::new(out);
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property double z\nelement face {triangles}\nproperty list uchar int vertex_indices\nend_header\n"
    )?;
    for point in placed_vertices(model, Format::Ply) {
        for value in point?.to_array() {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    for corners in joined_triangles(model) {
        out.write_all(&[3])?;
        for corner in corners {
            // Below 2³¹ as counted above.
            out.write_all(&(corner as i32).to_le_bytes())?;
        }
    }
    Ok(out.flush()?)
}
