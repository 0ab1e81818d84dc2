//! DXF, release 12, ASCII: faces as `3DFACE`, facets and curves as `POLYLINE`.
//!
//! Method: the entities of S0 annex B.1.3, which writes each facet of a superellipsoid as a closed 3D polyline;
//! `3DFACE` is what programs of today fill. Only the section ENTITIES is written, as there; layers are named after
//! parts. Coordinates come in the fewest digits that give the `f64` back.

use super::{Curve, WriteError, check, check_finite, placed};
use crate::Model;
use heurt_geometry::Vec3;
use std::io::{BufWriter, Write};

/// Writes each triangle of each part, placed, as a `3DFACE`.
///
/// # Errors
/// [`WriteError`] when a part names no mesh, a placed coordinate overflows, or the sink refuses bytes.
pub fn write_dxf_faces(model: &Model, out: &mut impl Write) -> Result<(), WriteError> {
    each_facet(model, out, |out, layer, corners| {
        write!(out, "0\n3DFACE\n8\n{layer}\n")?;
        // A triangle repeats its last corner.
        for (at, point) in corners.iter().chain([&corners[2]]).enumerate() {
            write!(out, "1{at}\n{:?}\n2{at}\n{:?}\n3{at}\n{:?}\n", point.x, point.y, point.z)?;
        }
        Ok(())
    })
}

/// Writes each triangle of each part, placed, as a closed 3D polyline: a wireframe, as in S0 annex B.1.3.
///
/// # Errors
/// [`WriteError`] when a part names no mesh, a placed coordinate overflows, or the sink refuses bytes.
pub fn write_dxf_facets(model: &Model, out: &mut impl Write) -> Result<(), WriteError> {
    each_facet(model, out, |out, layer, corners| write_polyline(out, layer, corners, true))
}

/// Writes curves as 3D polylines on layers of their names.
///
/// # Errors
/// [`WriteError`] when a coordinate is not finite, or the sink refuses bytes.
pub fn write_polylines_dxf<'a>(
    curves: impl IntoIterator<Item = Curve<'a>>,
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::new(out);
    begin(&mut out)?;
    let mut first = 0;
    for curve in curves {
        (first..).zip(curve.points).try_for_each(|(number, &point)| check_finite(number, point))?;
        first += curve.points.len();
        write_polyline(&mut out, &layer(curve.name), curve.points, curve.closed)?;
    }
    end(&mut out)
}

fn each_facet<W: Write>(
    model: &Model,
    out: &mut W,
    write: impl Fn(&mut BufWriter<&mut W>, &str, &[Vec3; 3]) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    check(model)?;
    let mut out = BufWriter::new(out);
    begin(&mut out)?;
    let mut first = 0;
    for (number, part) in model.parts.iter().enumerate() {
        let points: Vec<Vec3> = placed(model, number).collect();
        (first..).zip(&points).try_for_each(|(number, &point)| check_finite(number, point))?;
        first += points.len();
        let layer = layer(&part.name);
        for corners in model.meshes[part.mesh].triangles() {
            write(&mut out, &layer, &corners.map(|corner| points[corner as usize]))?;
        }
    }
    end(&mut out)
}

fn begin(out: &mut impl Write) -> std::io::Result<()> {
    out.write_all(b"999\nwritten by heurt\n0\nSECTION\n2\nENTITIES\n")
}

fn end(out: &mut impl Write) -> Result<(), WriteError> {
    out.write_all(b"0\nENDSEC\n0\nEOF\n")?;
    Ok(out.flush()?)
}

/// Writes a 3D polyline: flag 8, and 1 more when it is closed.
fn write_polyline(out: &mut impl Write, layer: &str, points: &[Vec3], closed: bool) -> std::io::Result<()> {
    let flags = 8 + i32::from(closed);
    write!(out, "0\nPOLYLINE\n8\n{layer}\n66\n1\n70\n{flags}\n")?;
    for point in points {
        write!(out, "0\nVERTEX\n8\n{layer}\n70\n32\n10\n{:?}\n20\n{:?}\n30\n{:?}\n", point.x, point.y, point.z)?;
    }
    write!(out, "0\nSEQEND\n8\n{layer}\n")
}

/// A layer name as release 12 allows it: at most 31 letters, digits, `$`, `_` and `-`; `0` when there is none.
fn layer(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '$' | '_' | '-');
    let layer: String = name.trim().chars().take(31).map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    if layer.is_empty() { "0".to_owned() } else { layer }
}
