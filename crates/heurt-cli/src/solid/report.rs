//! The reports of set operations and of evaluated trees, as tables and as JSON.

use super::operand::Operand;
use crate::check::{LoadedAssembly, bold, grouped, new_table, write_list, write_summary};
use crate::input::six_digits;
use crate::output::{Output, printable};
use crate::units::Units;
use comfy_table::Cell;
use heurt::mesh::{Topology, TriMesh, measures};
use heurt::scene::FileNote;
use heurt::solid::SetOperation;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The measures of a closed mesh, or of nothing.
#[derive(JsonSchema, Serialize)]
pub(super) struct ResultMeasures {
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
    /// At least the change of each coordinate that separated surfaces nearer than the rounding, in the unit of the
    /// report.
    moved: f64,
    /// Whether the mesh is a solid after a file of 32 bits rounds it; `null` without such a file.
    is_solid_in_file: Option<bool>,
}

impl ResultMeasures {
    pub(super) fn new(mesh: Option<&TriMesh>, moved: f64, is_solid_in_file: Option<bool>) -> Self {
        let measured = mesh.map(measures);
        let topology = mesh.map(Topology::new);
        let bounds = mesh.map(|mesh| mesh.bounds());
        let shells = topology.as_ref().map_or(0, |topology| {
            topology.shells().iter().enumerate().filter(|(triangle, first)| **first as usize == *triangle).count()
        });
        Self {
            empty: mesh.is_none(),
            vertices: mesh.map_or(0, |mesh| mesh.vertices().len()),
            triangles: mesh.map_or(0, |mesh| mesh.triangles().len()),
            shells,
            genus: topology.as_ref().and_then(Topology::genus),
            volume: measured.as_ref().and_then(|measured| measured.volume).unwrap_or(0.0),
            area: measured.as_ref().map_or(0.0, |measured| measured.area),
            min: bounds.map(|bounds| bounds.min.to_array()),
            max: bounds.map(|bounds| bounds.max.to_array()),
            moved,
            is_solid_in_file,
        }
    }

    /// Returns the rows of a table.
    pub(super) fn rows(&self, units: Units) -> Vec<(&'static str, String)> {
        let moved = (self.moved > 0.0).then(|| ("moved by", format!("{} {}", six_digits(self.moved), units.length())));
        let Some((min, max)) = self.min.zip(self.max) else {
            return [("result", "empty".to_owned())].into_iter().chain(moved).collect();
        };
        let extent = [0, 1, 2].map(|k| six_digits(max[k] - min[k])).join(" × ");
        let rows = [
            ("volume", format!("{} {}", six_digits(self.volume), units.volume())),
            ("area", format!("{} {}", six_digits(self.area), units.area())),
            ("extent", format!("{extent} {}", units.length())),
            ("triangles", grouped(self.triangles)),
            ("vertices", grouped(self.vertices)),
            ("shells", grouped(self.shells)),
            ("genus", self.genus.map_or_else(|| "–".to_owned(), |genus| grouped(genus as usize))),
        ];
        rows.into_iter().chain(moved).collect()
    }
}

/// Prints a table of two columns.
pub(super) fn print_rows(header: [&str; 2], rows: &[(&'static str, String)], out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    table.set_header(header.map(|text| bold(&printable(text))));
    for (name, value) in rows {
        table.add_row([Cell::new(name), Cell::new(value)]);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// The report of a set operation.
pub(super) struct SolidReport<'a> {
    assembly: &'a LoadedAssembly,
    json: ResultJson,
}

#[derive(JsonSchema, Serialize)]
struct ResultJson {
    operation: &'static str,
    unit: Option<&'static str>,
    parts: usize,
    #[serde(flatten)]
    measures: ResultMeasures,
}

impl<'a> SolidReport<'a> {
    pub(super) fn new(
        operation: SetOperation,
        assembly: &'a LoadedAssembly,
        result: &Operand,
        is_solid_in_file: Option<bool>,
    ) -> Self {
        let json = ResultJson {
            operation: name_of(operation),
            unit: assembly.units().symbol(),
            parts: assembly.parts.len(),
            measures: ResultMeasures::new(result.mesh.as_ref(), result.moved, is_solid_in_file),
        };
        Self { assembly, json }
    }

    /// Prints the document.
    pub(super) fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        write_summary(&self.json, out)?;
        write_list("warnings", self.assembly.warnings.iter(), out)?;
        writeln!(out, "\n}}")
    }

    /// Prints a row for each measure.
    pub(super) fn print_table(&self, title: &str, out: &mut Output) -> io::Result<()> {
        let ResultJson { operation, parts, measures, .. } = &self.json;
        let mut rows = vec![("parts", grouped(*parts))];
        rows.extend(measures.rows(self.assembly.units()));
        print_rows([operation, title], &rows, out)?;
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

/// The report of `heurt solid union`, `intersection` and `difference` with `--json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct SolidDocument {
    summary: ResultJson,
    warnings: Vec<FileNote>,
}
