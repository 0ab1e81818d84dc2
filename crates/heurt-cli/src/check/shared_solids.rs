//! Mesh file of the solids that parts share.

use super::LoadedAssembly;
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use heurt::assembly::{Findings, SharedSolid};
use heurt::geometry::Pose;
use heurt::io::{Model, Part};
use heurt::mesh::TriMesh;
use std::path::Path;

/// Vermilion, as a clash.
const COLOUR: [u8; 4] = [0xd5, 0x5e, 0x00, 0xff];

/// Writes all shared solids, each named after its parts.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    path: &Path,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut model = Model { unit: assembly.unit, ..Model::default() };
    for found in &findings.list {
        let Some(SharedSolid::Solid { mesh, .. }) = &found.shared else { continue };
        let [a, b] = [found.a, found.b].map(|part| &assembly.parts[part].name);
        model.meshes.push(TriMesh::clone(mesh));
        let part = Part::new(format!("{a} and {b}"), model.meshes.len() - 1, Pose::IDENTITY);
        model.parts.push(Part { colour: Some(COLOUR), ..part });
    }
    if model.parts.is_empty() {
        eprintln!("no parts share a volume: no file is written");
        return Ok(());
    }
    write_model(&model, path, None, false, out)
}
