//! Reader of the forms of agents: `outline`, `mesh` or `sections`, and `body`.

use crate::describe::fields::{self, FieldError, Fields};
use crate::files::{Buffers, ReadSettings, SceneFiles, line_of, read_model};
use heurt_crowd::surface::SurfaceCage;
use heurt_crowd::{AgentForm, Outline};
use heurt_geometry::{Vec2, Vec3};
use serde_json::Value;
use std::path::Path;

/// Reads the form of a group; a disc without any of the keys.
pub(super) fn read_form(
    fields: &mut Fields,
    meshes: &dyn Fn(&str, &str) -> Result<Outline, FieldError>,
) -> Result<AgentForm, FieldError> {
    let body = fields.optional("body", fields::word(&["rigid", "articulated", "deforming"]))?;
    let outline = fields.optional("outline", read_outline)?;
    let mesh = fields.optional("mesh", |path, value| meshes(path, &fields::text(path, value)?))?;
    let sections = fields.optional("sections", |path, value| fields::list(path, value, read_outline))?;
    if sections.as_ref().is_some_and(Vec::is_empty) {
        return Err(FieldError::refused(&fields.path("sections"), "[]", "give at least one outline"));
    }
    let form = match (outline, mesh, sections) {
        (None, None, None) => AgentForm::Disc,
        (Some(outline), None, None) | (None, Some(outline), None) => match body {
            Some("deforming") => AgentForm::Deforming(outline),
            _ => AgentForm::Rigid(outline),
        },
        (None, None, Some(sections)) => AgentForm::Articulated(sections),
        _ => {
            let cause = "give one of outline, mesh and sections";
            return Err(FieldError::refused(&fields.path("outline"), "given", cause));
        }
    };
    let fits = match (body, &form) {
        (None, _)
        | (Some("rigid"), AgentForm::Rigid(_))
        | (Some("deforming"), AgentForm::Deforming(_))
        | (Some("articulated"), AgentForm::Articulated(_)) => Ok(()),
        (Some("articulated"), _) => Err("give the sections of the body"),
        _ => Err("give the outline or the mesh of the body"),
    };
    fits.map_err(|cause| FieldError::refused(&fields.path("body"), body.unwrap_or_default(), cause))?;
    Ok(form)
}

/// Reads corners in the frame of the agent.
fn read_outline(path: &str, value: Value) -> Result<Outline, FieldError> {
    let corner = |path: &str, value: Value| fields::numbers::<2>(path, value).map(Vec2::from_array);
    let corners = fields::list(path, value, corner)?;
    let count = format!("{} corners", corners.len());
    Outline::new(corners).map_err(|error| FieldError::refused(path, count, error.to_string()))
}

/// Reads the footprint of a mesh file and the mesh as a cage: x forward, z up, in metres or the unit of the file.
pub(super) fn read_footprint(
    field: &str,
    name: &str,
    folder: &Path,
    files: &dyn SceneFiles,
) -> Result<(Outline, SurfaceCage), FieldError> {
    let refuse = |cause: String| FieldError::refused(field, name, cause);
    let (vertices, triangles) = read_triangles(&folder.join(name), files).map_err(refuse)?;
    let outline = Outline::footprint(&vertices, &triangles).map_err(|error| refuse(error.to_string()))?;
    Ok((outline, SurfaceCage::new(vertices, triangles)))
}

/// Reads the triangles of all parts of a mesh file, in metres or the unit of the file; the error is a message.
pub(super) fn read_triangles(path: &Path, files: &dyn SceneFiles) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), String> {
    let model = read_model(files, path, &ReadSettings::default(), &Buffers::default());
    let model = model.map_err(|error| line_of(&error))?;
    let scale = model.unit.map_or(1.0, |unit| unit.metres());
    let (mut vertices, mut triangles): (Vec<Vec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    for part in &model.parts {
        let Some(mesh) = model.meshes.get(part.mesh) else { continue };
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|&vertex| scale * part.pose.place(vertex)));
        triangles.extend(mesh.triangles().iter().map(|triangle| triangle.map(|vertex| first + vertex)));
    }
    Ok((vertices, triangles))
}
