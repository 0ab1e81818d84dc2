//! The report of a set operation, as a table and as JSON.

use super::operand::Operand;
use crate::check::{Assembly, bold, grouped, new_table, write_list};
use crate::input::six_digits;
use crate::output::{Output, printable};
use crate::units::Units;
use comfy_table::Cell;
use heurt::mesh::{Topology, measures};
use heurt::solid::SetOperation;
use serde::Serialize;
use std::io::{self, Write};

/// The report of a result.
pub(super) struct SolidReport<'a> {
    assembly: &'a Assembly,
    json: ResultJson,
}

#[derive(Serialize)]
struct ResultJson {
    operation: &'static str,
    unit: Option<&'static str>,
    parts: usize,
    empty: bool,
    vertices: usize,
    triangles: usize,
    shells: usize,
    /// The genus of all shells together; `null` if the mesh is empty.
    genus: Option<u64>,
    volume: f64,
    area: f64,
    /// The smallest box.
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
}

impl<'a> SolidReport<'a> {
    pub(super) fn new(operation: SetOperation, assembly: &'a Assembly, result: &Operand) -> Self {
        let mesh = result.mesh.as_ref();
        let measured = mesh.map(measures);
        let topology = mesh.map(Topology::new);
        let bounds = mesh.map(|mesh| mesh.bounds());
        let shells = topology.as_ref().map_or(0, |topology| {
            topology.shells().iter().enumerate().filter(|(triangle, first)| **first as usize == *triangle).count()
        });
        let json = ResultJson {
            operation: name_of(operation),
            unit: assembly.units.symbol(),
            parts: assembly.parts.len(),
            empty: mesh.is_none(),
            vertices: mesh.map_or(0, |mesh| mesh.vertices().len()),
            triangles: mesh.map_or(0, |mesh| mesh.triangles().len()),
            shells,
            genus: topology.as_ref().and_then(Topology::genus),
            volume: measured.as_ref().and_then(|measured| measured.volume).unwrap_or(0.0),
            area: measured.as_ref().map_or(0.0, |measured| measured.area),
            min: bounds.map(|bounds| bounds.min.to_array()),
            max: bounds.map(|bounds| bounds.max.to_array()),
        };
        Self { assembly, json }
    }

    /// Prints the document.
    pub(super) fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{{\n\"summary\": {}", serde_json::to_string(&self.json)?)?;
        write_list("warnings", self.assembly.warnings.iter(), out)?;
        writeln!(out, "\n}}")
    }

    /// Prints a row for each measure.
    pub(super) fn print_table(&self, title: &str, out: &mut Output) -> io::Result<()> {
        let ResultJson { operation, parts, triangles, vertices, shells, genus, volume, area, min, max, .. } =
            &self.json;
        let units: Units = self.assembly.units;
        let mut table = new_table(out);
        table.set_header([operation, title].map(|text| bold(&printable(text))));
        let mut row = |name: &str, value: String| {
            table.add_row([Cell::new(name), Cell::new(value)]);
        };
        row("parts", grouped(*parts));
        match min.zip(*max) {
            None => row("result", "empty".to_owned()),
            Some((min, max)) => {
                row("volume", format!("{} {}", six_digits(*volume), units.volume()));
                row("area", format!("{} {}", six_digits(*area), units.area()));
                let extent = [0, 1, 2].map(|k| six_digits(max[k] - min[k])).join(" × ");
                row("extent", format!("{extent} {}", units.length()));
                row("triangles", grouped(*triangles));
                row("vertices", grouped(*vertices));
                row("shells", grouped(*shells));
                row("genus", genus.map_or_else(|| "–".to_owned(), |genus| grouped(genus as usize)));
            }
        }
        writeln!(out, "{}", table.trim_fmt())?;
        for warning in self.assembly.warnings.iter().take(MAX_NOTES) {
            writeln!(out, "note: {}", printable(&warning.line()))?;
        }
        Ok(())
    }
}

/// Notes that the table prints; JSON has all.
const MAX_NOTES: usize = 8;

fn name_of(operation: SetOperation) -> &'static str {
    match operation {
        SetOperation::Union => "union",
        SetOperation::Intersection => "intersection",
        SetOperation::Difference => "difference",
        SetOperation::SymmetricDifference => "symmetric difference",
    }
}
