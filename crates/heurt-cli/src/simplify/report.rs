//! The report of a simplification, as a table and as JSON.

use super::Reduced;
use crate::Failure;
use crate::check::{FailureJson, bold, grouped, new_table, spent, write_list, write_summary};
use crate::input::Input;
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment};
use heurt::scene::FileNote;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

#[derive(JsonSchema, Serialize)]
struct SimplifiedJson<'r> {
    file: String,
    name: &'r str,
    triangles_before: usize,
    triangles_after: usize,
    deviation_bound: f64,
    refused_by_deviation: usize,
    refused_by_shape: usize,
    refused_by_intersection: usize,
}

/// Prints the document.
pub(super) fn print_json(
    input: &Input,
    reduced: &[Reduced],
    failures: &[Failure],
    out: &mut impl Write,
) -> io::Result<()> {
    let meshes = reduced.iter().map(|mesh| SimplifiedJson {
        file: input.name(),
        name: &mesh.name,
        triangles_before: mesh.triangles_before,
        triangles_after: mesh.triangles_after,
        deviation_bound: mesh.bound,
        refused_by_deviation: mesh.refused_by_deviation,
        refused_by_shape: mesh.refused_by_shape,
        refused_by_intersection: mesh.refused_by_intersection,
    });
    let unit = input.units.symbol();
    write_summary(&SimplifySummary { unit, meshes: reduced.len(), failures: failures.len() }, out)?;
    write_list("meshes", meshes, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    input.write_warnings(out)?;
    writeln!(out, "\n}}")
}

/// Prints a row for each mesh, and a summary.
pub(super) fn print_table(input: &Input, reduced: &[Reduced], elapsed: Duration, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let deviation = format!("deviation at\nmost, in {}", input.units.length());
    let titles = ["mesh", "triangles\nbefore", "triangles\nafter", &deviation];
    table.set_header(titles.map(bold));
    for mesh in reduced {
        table.add_row([
            Cell::new(printable(&mesh.name)),
            Cell::new(grouped(mesh.triangles_before)),
            Cell::new(grouped(mesh.triangles_after)),
            Cell::new(if mesh.bound == 0.0 { "0".to_owned() } else { format!("{:.3e}", mesh.bound) }),
        ]);
    }
    for column in 1..titles.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let sum = |count: fn(&Reduced) -> usize| reduced.iter().map(count).sum::<usize>();
    writeln!(
        out,
        "{} of {} triangles · edges kept: {} by the deviation, {} by shape, {} by intersections · {}",
        grouped(sum(|mesh| mesh.triangles_after)),
        grouped(sum(|mesh| mesh.triangles_before)),
        grouped(sum(|mesh| mesh.refused_by_deviation)),
        grouped(sum(|mesh| mesh.refused_by_shape)),
        grouped(sum(|mesh| mesh.refused_by_intersection)),
        spent(elapsed),
    )?;
    input.print_notes(out)
}

/// The report of `heurt simplify --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct SimplifyDocument {
    summary: SimplifySummary,
    meshes: Vec<SimplifiedJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}

/// The counts of the report.
#[derive(JsonSchema, Serialize)]
struct SimplifySummary {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    meshes: usize,
    failures: usize,
}
