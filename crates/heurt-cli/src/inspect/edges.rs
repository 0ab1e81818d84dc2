//! Feature edges of inspected meshes as lines of an OBJ or DXF file: open borders, creases, edges of several faces.

use super::Inspected;
use super::export::{common_unit, in_unit, name_of};
use crate::Failure;
use crate::output::{printable, to_file};
use heurt::geometry::Pose;
use heurt::io::{Model, Part, write_wireframe_dxf, write_wireframe_obj};
use std::io::{self, Write};
use std::path::Path;

/// Reports the extension of a file of edges: `obj` or `dxf`.
pub(super) fn extension(path: &Path) -> Result<&'static str, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let known = ["obj", "dxf"].into_iter().find(|known| extension.eq_ignore_ascii_case(known));
    known.ok_or_else(|| Failure::NoEdgeFormat { path: path.to_owned() })
}

/// Writes the edges at which normals of faces differ by at least `angle` degrees, an object or layer per mesh; in
/// metres if units differ.
pub(super) fn write(all: &[Inspected], path: &Path, angle: f64) -> Result<(), Failure> {
    let unit = common_unit(all);
    let mut model = Model { unit, ..Model::default() };
    for inspected in all {
        let mesh = in_unit(inspected, unit)?.into_owned();
        model.parts.push(Part::new(name_of(inspected), model.meshes.len(), Pose::IDENTITY));
        model.meshes.push(mesh);
    }
    let angle_rad = angle.to_radians();
    let write = if extension(path)? == "dxf" { write_wireframe_dxf } else { write_wireframe_obj };
    let mut count = 0;
    to_file(path, |file| {
        count = write(&model, angle_rad, file)?;
        Ok(())
    })?;
    let shown = printable(&path.to_string_lossy());
    // Notes for people: a closed standard error is no failure.
    let _ = match count {
        0 => writeln!(io::stderr(), "{shown}: no edges; --crease has the least angle of a crease, {angle} degrees"),
        count => writeln!(io::stderr(), "{shown}: {count} edges"),
    };
    Ok(())
}
