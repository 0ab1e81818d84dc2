//! Mesh file of the parts that interfere, each coloured by its worst kind.
//!
//! Colours are those of Okabe and Ito, which are distinct for people with any kind of colour vision.

use super::LoadedAssembly;
use super::colours::worst_kinds;
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use heurt::assembly::Findings;
use heurt::io::{Model, Part};
use heurt::view::palette::{Colour, INSIDE};
use std::collections::BTreeMap;
use std::path::Path;

/// Writes the parts of all findings, each once.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    path: &Path,
    out: &mut Output,
) -> Result<(), Failure> {
    let worst = worst_kinds(findings, usize::MAX);
    let mut model = Model { unit: assembly.unit, ..Model::default() };
    let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (&number, &(_, colour)) in &worst {
        let part = &assembly.parts[number];
        let mesh = *number_of.entry(part.shape).or_insert_with(|| {
            model.meshes.push(assembly.shapes[part.shape].mesh().clone());
            model.meshes.len() - 1
        });
        model.parts.push(Part { colour: Some(with_opacity(colour)), ..Part::new(part.name.clone(), mesh, part.pose) });
    }
    write_model(&model, path, None, false, out)
}

/// Adds the opacity: a part inside another or around one is translucent, so that the inner one is visible.
fn with_opacity(colour: Colour) -> [u8; 4] {
    let [red, green, blue] = colour;
    [red, green, blue, if colour == INSIDE { 0x80 } else { 0xff }]
}
