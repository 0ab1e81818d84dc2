//! OBJ: one object per part, every coordinate in the fewest digits that give it back.

use super::{Curve, WriteError, check, check_finite, one_line, placed};
use crate::{Format, Model};
use heurt_geometry::Vec3;
use std::io::{BufWriter, Write};

/// Writes each part as an object with placed vertices; an `f64` reads back to the same bits.
///
/// # Errors
/// [`WriteError`] when a placed coordinate overflows, or the sink refuses bytes.
pub fn write_obj(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    check(model)?;
    let mut out = BufWriter::new(out);
    let mut first = 1;
    for (number, part) in model.parts.iter().enumerate() {
        if !part.name.is_empty() {
            writeln!(out, "o {}", object_name(&part.name))?;
        }
        let mesh = &model.meshes[part.mesh];
        for (vertex, point) in placed(model, number).enumerate() {
            if let Some(value) = point.to_array().into_iter().find(|value| !value.is_finite()) {
                return Err(WriteError::Overflow { format: Format::Obj, vertex: vertex + first - 1, value });
            }
            write_vertex(&mut out, point)?;
        }
        for corners in mesh.triangles() {
            let [a, b, c] = corners.map(|corner| corner as usize + first);
            writeln!(out, "f {a} {b} {c}")?;
        }
        first += mesh.vertices().len();
    }
    Ok(out.flush()?)
}

/// Writes curves as `l` elements, an object for each run of curves with one name.
///
/// # Errors
/// [`WriteError`] when a coordinate is not finite, or the sink refuses bytes.
pub fn write_polylines_obj<'a>(
    curves: impl IntoIterator<Item = Curve<'a>>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::new(out);
    let mut first = 1;
    let mut object = "";
    for curve in curves {
        if curve.name != object {
            object = curve.name;
            writeln!(out, "o {}", object_name(object))?;
        }
        for (number, &point) in (first - 1..).zip(curve.points) {
            check_finite(number, point)?;
            write_vertex(&mut out, point)?;
        }
        let count = curve.points.len();
        if count > 1 {
            write!(out, "l")?;
            for vertex in (first..first + count).chain(curve.closed.then_some(first)) {
                write!(out, " {vertex}")?;
            }
            writeln!(out)?;
        } else if count == 1 {
            writeln!(out, "p {first}")?;
        }
        first += count;
    }
    Ok(out.flush()?)
}

pub(super) fn write_vertex(out: &mut dyn Write, point: Vec3) -> std::io::Result<()> {
    writeln!(out, "v {:?} {:?} {:?}", point.x, point.y, point.z)
}

/// A name on one line; a backslash at its end would join the next line to it.
pub(super) fn object_name(name: &str) -> String {
    let mut name = one_line(name);
    if name.ends_with('\\') {
        name.push('_');
    }
    name
}
