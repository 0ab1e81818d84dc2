//! Mesh file of the parts that interfere, each coloured by its worst kind.
//!
//! Colours are those of Okabe and Ito, which are distinct for people with any kind of colour vision.

use super::LoadedAssembly;
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use heurt::assembly::{Findings, InterferenceKind};
use heurt::io::{Model, Part};
use std::collections::BTreeMap;
use std::path::Path;

/// Vermilion, for a clash.
const CLASH: [u8; 4] = [0xd5, 0x5e, 0x00, 0xff];
/// Reddish purple, for a part inside another or around one; translucent, so that the inner one is visible.
const INSIDE: [u8; 4] = [0xcc, 0x79, 0xa7, 0x80];
/// Yellow, for parts that touch.
const TOUCHING: [u8; 4] = [0xf0, 0xe4, 0x42, 0xff];
/// Sky blue, for parts nearer than the clearance.
const NEAR: [u8; 4] = [0x56, 0xb4, 0xe9, 0xff];

/// Writes the parts of all findings, each once.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    path: &Path,
    out: &mut Output,
) -> Result<(), Failure> {
    let worst = worst_kinds(findings);
    let mut model = Model { unit: assembly.unit, ..Model::default() };
    let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (&number, &(_, colour)) in &worst {
        let part = &assembly.parts[number];
        let mesh = *number_of.entry(part.shape).or_insert_with(|| {
            model.meshes.push(assembly.shapes[part.shape].mesh().clone());
            model.meshes.len() - 1
        });
        model.parts.push(Part { colour: Some(colour), ..Part::new(part.name.clone(), mesh, part.pose) });
    }
    write_model(&model, path, None, false, out)
}

/// Returns rank and colour of the worst kind of each part that interferes or is near; ranks ascend from near to clash.
pub(super) fn worst_kinds(findings: &Findings) -> BTreeMap<usize, (u8, [u8; 4])> {
    let mut worst: BTreeMap<usize, (u8, [u8; 4])> = BTreeMap::new();
    let interferences = findings.list.iter().map(|found| ([found.a, found.b], colour_of(found.kind)));
    let near = findings.near.iter().map(|found| ([found.a, found.b], (0, NEAR)));
    for (parts, ranked) in interferences.chain(near) {
        for part in parts {
            let entry = worst.entry(part).or_insert(ranked);
            *entry = ranked.max(*entry);
        }
    }
    worst
}

fn colour_of(kind: InterferenceKind) -> (u8, [u8; 4]) {
    match kind {
        InterferenceKind::Clash | InterferenceKind::Duplicate => (3, CLASH),
        InterferenceKind::Inside { .. } => (2, INSIDE),
        InterferenceKind::Touching => (1, TOUCHING),
    }
}
