//! Writing a model in the format that a name or an option chooses.

use super::Target;
use crate::Failure;
use crate::output::{Output, printable, to_file};
use heurt::io::{Format, Model, WriteError, write_dxf_faces, write_dxf_facets};
use std::io::{self, Write};

/// The formats that can be written.
pub(super) const FORMATS: [&str; 7] = ["obj", "stl", "ply", "off", "glb", "gltf", "dxf"];

/// Writes `model` where the options say, and tells on standard error what was made.
pub(super) fn write(model: &Model, target: &Target, out: &mut Output) -> Result<(), Failure> {
    let Some(path) = &target.output else {
        let reason = "name the file to write, as in -o part.obj";
        return Err(Failure::BadOption { option: "output", reason });
    };
    let is_stdout = path.as_os_str() == "-";
    let extension = match &target.format {
        Some(format) => format.clone(),
        None if is_stdout => "obj".to_owned(),
        None => path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase(),
    };
    if !FORMATS.contains(&extension.as_str()) {
        let formats = ".obj, .stl, .ply, .off, .glb, .gltf or .dxf";
        return Err(Failure::NoSuchExtension { path: path.clone(), extension, formats });
    }
    if target.wireframe && extension != "dxf" {
        let reason = "only DXF files hold facets as polylines: end the name with .dxf";
        return Err(Failure::BadOption { option: "wireframe", reason });
    }
    if is_stdout {
        let unwritable = |source| Failure::Unwritable { path: path.clone(), source };
        return write_as(model, &extension, target.wireframe, out).map_err(unwritable);
    }
    to_file(path, |file| write_as(model, &extension, target.wireframe, file))?;
    let [parts, triangles] = [model.parts.len(), model.triangle_count()];
    let what = if parts == 1 { String::new() } else { format!("{parts} parts, ") };
    // A note for people; that nobody reads it is no failure.
    let _ = writeln!(io::stderr(), "{}: {what}{triangles} triangles", printable(&path.to_string_lossy()));
    Ok(())
}

fn write_as(model: &Model, extension: &str, wireframe: bool, out: &mut impl Write) -> Result<(), WriteError> {
    match (Format::from_extension(extension), wireframe) {
        (Some(format), _) => heurt::io::write(model, format, out),
        (None, false) => write_dxf_faces(model, out),
        (None, true) => write_dxf_facets(model, out),
    }
}
