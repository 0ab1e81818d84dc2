//! Export of inspected meshes as a file that shows faulty faces: each kind of fault is a part of its own colour.
//!
//! A face with several faults is in the part of each kind. All faces without a fault are one grey, translucent part; if
//! walls were measured, they are in five parts by thickness.

use super::Inspected;
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use heurt::geometry::Pose;
use heurt::io::{LengthUnit, Model, Part};
use heurt::mesh::TriMesh;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// Grey, translucent: faces without a fault.
const SOUND: [u8; 4] = [0xb0, 0xb0, 0xb0, 0x60];

/// The colours of kinds of faults, after Okabe and Ito: distinct for people with any kind of colour vision.
const COLOURS: [(&str, [u8; 4]); 9] = [
    ("degenerate-face", [0x00, 0x00, 0x00, 0xff]),
    ("duplicate-face", [0xcc, 0x79, 0xa7, 0xff]),
    ("isolated-vertex", [0x00, 0x00, 0x00, 0xff]),
    ("non-manifold-edge", [0xe6, 0x9f, 0x00, 0xff]),
    ("non-manifold-vertex", [0xf0, 0xe4, 0x42, 0xff]),
    ("inconsistent-orientation", [0x00, 0x9e, 0x73, 0xff]),
    ("hole", [0x00, 0x72, 0xb2, 0xff]),
    ("inward-shell", [0x56, 0xb4, 0xe9, 0xff]),
    ("self-intersection", [0xd5, 0x5e, 0x00, 0xff]),
];

/// Writes all meshes, each in its own frame; in metres if their units differ.
pub(super) fn write(all: &[Inspected], path: &Path, out: &mut Output) -> Result<(), Failure> {
    let unit = common_unit(all);
    let mut model = Model { unit, ..Model::default() };
    for inspected in all {
        let report = &inspected.report;
        let mesh = &*in_unit(inspected, unit)?;
        let name = name_of(inspected);
        let mut faulty: BTreeSet<u32> = BTreeSet::new();
        for group in report.faults.chunk_by(|a, b| a.kind() == b.kind()) {
            let kind = group[0].kind();
            let faces: BTreeSet<u32> = group.iter().flat_map(|fault| fault.triangles()).collect();
            let colour = COLOURS.iter().find(|(known, _)| *known == kind).map_or(COLOURS[0].1, |(_, colour)| *colour);
            add(&mut model, &format!("{name}/{kind}"), mesh, faces.iter().copied(), colour)?;
            faulty.extend(faces);
        }
        for band in &inspected.bands {
            let [r, g, b] = band.colour;
            let sound: BTreeSet<u32> =
                band.triangles.iter().copied().filter(|triangle| !faulty.contains(triangle)).collect();
            add(&mut model, &format!("{name}/{}", band.name), mesh, sound.iter().copied(), [r, g, b, 0xff])?;
            faulty.extend(sound);
        }
        let sound = (0..mesh.triangles().len() as u32).filter(|triangle| !faulty.contains(triangle));
        add(&mut model, &name, mesh, sound, SOUND)?;
    }
    write_model(&model, path, None, false, out)
}

/// Returns the unit of all meshes; metres if their units differ.
pub(super) fn common_unit(all: &[Inspected]) -> Option<LengthUnit> {
    let first = all.first().and_then(|inspected| inspected.units.0);
    if all.iter().all(|inspected| inspected.units.0 == first) { first } else { Some(LengthUnit::Metre) }
}

/// Returns the mesh in a unit.
pub(super) fn in_unit(inspected: &Inspected, unit: Option<LengthUnit>) -> Result<Cow<'_, TriMesh>, Failure> {
    let factor = inspected.units.0.zip(unit).map_or(1.0, |(own, unit)| own.factor_to(unit));
    Ok(if factor == 1.0 { Cow::Borrowed(&inspected.mesh) } else { Cow::Owned(inspected.mesh.scaled(factor)?) })
}

/// Returns the name of the mesh, or the name of its file.
pub(super) fn name_of(inspected: &Inspected) -> String {
    let stem = || inspected.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if inspected.name.is_empty() { stem() } else { inspected.name.clone() }
}

/// Adds some triangles of a mesh as a part; none if there is no triangle.
fn add(
    model: &mut Model,
    name: &str,
    mesh: &TriMesh,
    triangles: impl Iterator<Item = u32>,
    colour: [u8; 4],
) -> Result<(), Failure> {
    let mut number_of = vec![u32::MAX; mesh.vertices().len()];
    let mut vertices = Vec::new();
    let faces: Vec<[u32; 3]> = triangles
        .map(|triangle| {
            mesh.triangles()[triangle as usize].map(|vertex| {
                let number = &mut number_of[vertex as usize];
                if *number == u32::MAX {
                    *number = vertices.len() as u32;
                    vertices.push(mesh.vertices()[vertex as usize]);
                }
                *number
            })
        })
        .collect();
    if faces.is_empty() {
        return Ok(());
    }
    model.parts.push(Part { colour: Some(colour), ..Part::new(name, model.meshes.len(), Pose::IDENTITY) });
    model.meshes.push(TriMesh::new(vertices, faces)?);
    Ok(())
}
