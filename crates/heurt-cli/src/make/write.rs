//! Writing a model in the format that a name or an option chooses.

use crate::Failure;
use crate::output::{Output, printable, to_file};
use heurt::geometry::Aabb;
use heurt::io::{Format, Model, WriteError, write_dxf_faces, write_dxf_facets, write_wireframe_obj};
use heurt::mesh::TriMesh;
use std::io::{self, Write};
use std::path::Path;

/// The formats that can be written.
pub(crate) const FORMATS: [&str; 8] = ["obj", "stl", "ply", "off", "glb", "gltf", "3mf", "dxf"];

/// Writes `model` to `path`, in the format of its extension unless one is named, and reports on standard error what was
/// written.
pub(crate) fn write_model(
    model: &Model,
    path: &Path,
    format: Option<&str>,
    wireframe: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let extension = extension_of(path, format)?;
    if wireframe && !matches!(extension.as_str(), "dxf" | "obj") {
        let reason = "only DXF and OBJ files hold lines: end the name with .dxf or .obj";
        return Err(Failure::BadOption { option: "wireframe", reason });
    }
    if path.as_os_str() == "-" {
        let unwritable = |source| Failure::Unwritable { path: path.to_owned(), source };
        return write_as(model, &extension, wireframe, out).map(drop).map_err(unwritable);
    }
    let mut edges = None;
    to_file(path, |file| {
        edges = write_as(model, &extension, wireframe, file)?;
        Ok(())
    })?;
    if has_short_coordinates(&extension) {
        note_rounding(model, path);
    }
    let parts = model.parts.len();
    let contents = match edges {
        Some(edges) => format!("{edges} edges"),
        None => format!("{} triangles", model.triangle_count()),
    };
    let what = if parts == 1 { String::new() } else { format!("{parts} parts, ") };
    // A note for people: a closed standard error is no failure.
    let _ = writeln!(io::stderr(), "{}: {what}{contents}", printable(&path.to_string_lossy()));
    Ok(())
}

/// Refuses a report in JSON where the mesh goes to standard output.
pub(crate) fn refuse_two_on_stdout(output: Option<&Path>, is_json: bool) -> Result<(), Failure> {
    match output {
        Some(path) if is_json && path.as_os_str() == "-" => Err(Failure::ExportToOutput { option: "output" }),
        _ => Ok(()),
    }
}

/// The extension of the format in which `path` is written.
pub(crate) fn extension_of(path: &Path, format: Option<&str>) -> Result<String, Failure> {
    let extension = match format {
        Some(format) => format.to_owned(),
        None if path.as_os_str() == "-" => "obj".to_owned(),
        None => path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase(),
    };
    if FORMATS.contains(&extension.as_str()) {
        return Ok(extension);
    }
    let formats = ".obj, .stl, .ply, .off, .glb, .gltf, .3mf or .dxf";
    Err(Failure::NoSuchExtension { path: path.to_owned(), extension, formats })
}

/// Reports whether files with this extension have 32-bit coordinates.
pub(crate) fn has_short_coordinates(extension: &str) -> bool {
    matches!(extension, "stl" | "glb" | "gltf")
}

/// The share of the extent of a mesh by which `f32` coordinates may round before a note is due: what slicers and
/// players resolve.
const VISIBLE: f64 = 1e-4;

/// Prints a note if the format rounds a mesh visibly, because it is small for its distance from the origin.
fn note_rounding(model: &Model, path: &Path) {
    let rounding = |bounds: &Aabb| bounds.min.abs().max(bounds.max.abs()).max_element() * f64::from(f32::EPSILON);
    let is_coarse = |mesh: &TriMesh| {
        let bounds = mesh.bounds();
        rounding(&bounds) > VISIBLE * 2.0 * bounds.half_extents().max_element()
    };
    let count = model.meshes.iter().filter(|mesh| is_coarse(mesh)).count();
    if count > 0 {
        let what = if count == 1 { "a mesh is".to_owned() } else { format!("{count} meshes are") };
        let _ = writeln!(
            io::stderr(),
            "note: {}: {what} so far from the origin that 32-bit coordinates round visibly: write OBJ, PLY or OFF, or \
             move it nearer",
            printable(&path.to_string_lossy())
        );
    }
}

/// The angle between two faces below which their common edge is no edge of the shape, in radians: above the rounding of
/// flat faces, below every visible angle.
const FLAT: f64 = 1e-6;

/// Writes the file, and returns the number of edges if it holds edges.
fn write_as(
    model: &Model,
    extension: &str,
    wireframe: bool,
    out: &mut impl Write,
) -> Result<Option<usize>, WriteError> {
    match (Format::from_extension(extension), wireframe) {
        (Some(Format::Obj), true) => write_wireframe_obj(model, FLAT, out).map(Some),
        (Some(format), _) => heurt::io::write(model, format, out).map(|()| None),
        (None, false) => write_dxf_faces(model, out).map(|()| None),
        (None, true) => write_dxf_facets(model, out).map(|()| None),
    }
}
