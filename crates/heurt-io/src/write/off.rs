//! OFF: all parts as one mesh, every coordinate in the fewest digits that give it back.

use super::{WriteError, counts, joined_triangles, placed_vertices};
use crate::{Format, Model};
use std::io::{BufWriter, Write};

/// Writes all parts as one mesh of placed vertices; an `f64` reads back to the same bits.
///
/// # Errors
/// [`WriteError`] when a placed coordinate overflows, or the sink refuses bytes.
pub fn write_off(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    let [vertices, triangles] = counts(model, Format::Off, i32::MAX as u64)?;
    let mut out = BufWriter::new(out);
    write!(out, "OFF\n{vertices} {triangles} 0\n")?;
    for point in placed_vertices(model, Format::Off) {
        let point = point?;
        writeln!(out, "{:?} {:?} {:?}", point.x, point.y, point.z)?;
    }
    for [a, b, c] in joined_triangles(model) {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    Ok(out.flush()?)
}
