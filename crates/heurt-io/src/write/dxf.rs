//! DXF, release 12, ASCII: faces as `3DFACE`, facets and curves as `POLYLINE`.
//!
//! Method: the entities of S0 annex B.1.3, which writes each facet of a superellipsoid as a closed 3D polyline;
//! `3DFACE` is what programs of today fill. The section ENTITIES is written, as there, and before it a section HEADER
//! with `$INSUNITS` if the unit is known. Coordinates come in the fewest digits that give the `f64` back.
//! Guarantees: each part or curve name has a layer of its own, named after it ([`UniqueNames`]).

use super::unique_names::UniqueNames;
use super::{Curve, WriteError, check, check_finite, placed};
use crate::{LengthUnit, Model};
use heurt_geometry::Vec3;
use std::io::{BufWriter, Write};

/// Writes each triangle of each part, placed, as a `3DFACE`.
///
/// # Errors
/// [`WriteError`] when a part names no mesh, a placed coordinate overflows, or the sink refuses bytes.
pub fn write_dxf_faces(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
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
pub fn write_dxf_facets(model: &Model, out: &mut dyn Write) -> Result<(), WriteError> {
    each_facet(model, out, |out, layer, corners| write_polyline(out, layer, corners, true))
}

/// Letters of a layer name in release 12.
const MAX_LAYER_NAME: usize = 31;

/// Writes curves as 3D polylines, on one layer for each name; `unit` is the unit of the points, if it is known.
///
/// A layer is named after its curves: letters that release 12 does not allow become `_`, 31 letters are kept, and names
/// that would be the same end with a number.
///
/// # Errors
/// [`WriteError`] when a coordinate is not finite, or the sink refuses bytes.
pub fn write_polylines_dxf<'a>(
    curves: impl IntoIterator<Item = Curve<'a>>,
    unit: Option<LengthUnit>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::new(out);
    begin(unit, &mut out)?;
    let mut layers = layers();
    let mut first = 0;
    for curve in curves {
        (first..).zip(curve.points).try_for_each(|(number, &point)| check_finite(number, point))?;
        first += curve.points.len();
        write_polyline(&mut out, layers.name(curve.name), curve.points, curve.closed)?;
    }
    end(&mut out)
}

fn each_facet(
    model: &Model,
    out: &mut dyn Write,
    write: impl Fn(&mut BufWriter<&mut dyn Write>, &str, &[Vec3; 3]) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    check(model)?;
    let mut out = BufWriter::new(out);
    begin(model.unit, &mut out)?;
    let mut layers = layers();
    let mut first = 0;
    for (number, part) in model.parts.iter().enumerate() {
        let points: Vec<Vec3> = placed(model, number).collect();
        (first..).zip(&points).try_for_each(|(number, &point)| check_finite(number, point))?;
        first += points.len();
        let layer = layers.name(&part.name);
        for corners in model.meshes[part.mesh].triangles() {
            write(&mut out, layer, &corners.map(|corner| points[corner as usize]))?;
        }
    }
    end(&mut out)
}

pub(super) fn begin(unit: Option<LengthUnit>, out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(b"999\nwritten by heurt\n")?;
    if let Some(unit) = unit {
        write!(out, "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n{}\n0\nENDSEC\n", insertion_unit(unit))?;
    }
    out.write_all(b"0\nSECTION\n2\nENTITIES\n")
}

/// Returns the number of a unit in `$INSUNITS`.
fn insertion_unit(unit: LengthUnit) -> u8 {
    match unit {
        LengthUnit::Inch => 1,
        LengthUnit::Foot => 2,
        LengthUnit::Millimetre => 4,
        LengthUnit::Centimetre => 5,
        LengthUnit::Metre => 6,
        LengthUnit::Micrometre => 13,
    }
}

pub(super) fn end(out: &mut dyn Write) -> Result<(), WriteError> {
    out.write_all(b"0\nENDSEC\n0\nEOF\n")?;
    Ok(out.flush()?)
}

/// Writes a 3D polyline: flag 8, and 1 more when it is closed.
fn write_polyline(out: &mut dyn Write, layer: &str, points: &[Vec3], closed: bool) -> std::io::Result<()> {
    let flags = 8 + i32::from(closed);
    write!(out, "0\nPOLYLINE\n8\n{layer}\n66\n1\n70\n{flags}\n")?;
    for point in points {
        write!(out, "0\nVERTEX\n8\n{layer}\n70\n32\n10\n{:?}\n20\n{:?}\n30\n{:?}\n", point.x, point.y, point.z)?;
    }
    write!(out, "0\nSEQEND\n8\n{layer}\n")
}

/// Creates the list of layer names: letters, digits, `$`, `_` and `-`; a part without a name is on layer `0`.
pub(super) fn layers() -> UniqueNames {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '$' | '_' | '-');
    UniqueNames::new(MAX_LAYER_NAME, is_allowed, "0")
}
