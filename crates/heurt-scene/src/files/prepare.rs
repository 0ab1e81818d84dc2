//! Preparation of a mesh that was read: seams are welded and shells turned (`solidify`), then trees are built.
//!
//! In: a mesh and the rule of welding its seams. Out: a shape, and the changes, in sentences for the user.

use super::FileNote;
use heurt_mesh::{MeshError, Solidified, SolidifyError, TriMesh, Weld, solidify};
use heurt_shape::{MeshShape, ShapeError};
use std::path::Path;
use thiserror::Error;

/// Errors of making a shape from a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// The mesh is not valid after its preparation.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// No shape can be made of the mesh.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The mesh cannot be welded so.
    #[error(transparent)]
    Solidify(#[from] SolidifyError),
}

/// Changes made in a mesh.
#[derive(Debug, Default)]
pub struct Preparation {
    changes: Vec<Change>,
    /// There is no hole, but faces disagree on which side is out.
    pub is_inconsistent: bool,
}

/// A change or a finding.
#[derive(Debug)]
struct Change {
    kind: &'static str,
    count: u64,
    /// The sentence; `{unit}` follows each length in it.
    message: String,
}

impl Preparation {
    /// Describes the changes and findings of solidification.
    pub fn of(solid: &Solidified) -> Self {
        let mut changes = Vec::new();
        if let Some(welding) = &solid.welding {
            let closed = welding.open_edges_before - welding.open_edges_after;
            let message = format!(
                "{} merged at most {:.1e} {{unit}} away from where they were, which closes {closed} open edges",
                counted(welding.vertices, "vertex is", "vertices are"),
                welding.farthest
            );
            changes.push(Change { kind: "welded", count: welding.vertices as u64, message });
        }
        if solid.turned.triangles > 0 {
            let (shells, triangles) = (solid.turned.shells, solid.turned.triangles);
            let message = match shells {
                1 => format!("1 shell was inside out or inconsistent: {triangles} of its triangles are turned"),
                _ => format!(
                    "{shells} shells were inside out or inconsistent: {triangles} of their triangles are turned"
                ),
            };
            changes.push(Change { kind: "turned", count: triangles as u64, message });
        }
        if !solid.nested.is_empty() {
            let count = solid.nested.len();
            let message = match count {
                1 => "1 shell lies within the material of another one: if it is a cavity, it is not seen as one"
                    .to_owned(),
                _ => format!(
                    "{count} shells lie within the material of others: if they are cavities, they are not seen as such"
                ),
            };
            changes.push(Change { kind: "nested", count: count as u64, message });
        }
        if solid.t_vertices > 0 && !solid.is_closed {
            let count = solid.t_vertices;
            let lies = counted(count, "vertex lies on an open edge", "vertices lie on open edges");
            let message = format!("{lies} of another face: `heurt repair` splits such edges");
            changes.push(Change { kind: "t-vertices", count: count as u64, message });
        }
        Self { changes, is_inconsistent: !solid.is_closed && solid.open_edges == 0 }
    }

    /// Returns the changes as notes on a part of a file; `unit` follows each length in them.
    pub fn notes<'w>(&'w self, file: &'w Path, part: &'w str, unit: &'w str) -> impl Iterator<Item = FileNote> + 'w {
        self.changes.iter().map(move |Change { kind, count, message }| {
            let note = FileNote::about(file, kind, *count, message.replace("{unit}", unit));
            if part.is_empty() { note } else { note.in_part(part) }
        })
    }
}

/// Formats a count with its word in singular or plural.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Welds and turns a mesh as needed to make it a solid, and builds its shape.
pub fn prepare(mesh: TriMesh, weld: Weld) -> Result<(MeshShape, Preparation), PrepareError> {
    let solid = solidify(mesh, weld)?;
    let preparation = Preparation::of(&solid);
    Ok((MeshShape::new(solid.mesh)?, preparation))
}
