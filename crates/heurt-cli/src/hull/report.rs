//! The report of hulls, as a table and as JSON.

use super::Hulled;
use crate::Failure;
use crate::check::{FailureJson, bold, grouped, new_table, write_list, write_summary};
use crate::input::{Input, six_digits};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment};
use heurt::mesh::measures;
use heurt::scene::FileNote;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

#[derive(JsonSchema, Serialize)]
struct HullJson<'h> {
    file: String,
    name: &'h str,
    points: usize,
    vertices: usize,
    triangles: usize,
    area: f64,
    volume: Option<f64>,
}

/// Prints the document.
pub(super) fn print_json(
    input: &Input,
    hulled: &[Hulled],
    failures: &[Failure],
    out: &mut impl Write,
) -> io::Result<()> {
    let hulls = hulled.iter().map(|Hulled { name, points, hull }| {
        let measures = measures(hull);
        HullJson {
            file: input.name(),
            name,
            points: *points,
            vertices: hull.vertices().len(),
            triangles: hull.triangles().len(),
            area: measures.area,
            volume: measures.volume.filter(|volume| volume.is_finite()),
        }
    });
    let unit = input.units.symbol();
    write_summary(&HullSummary { unit, hulls: hulled.len(), failures: failures.len() }, out)?;
    write_list("hulls", hulls, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    input.write_warnings(out)?;
    writeln!(out, "\n}}")
}

/// Prints a row for each hull.
pub(super) fn print_table(input: &Input, hulled: &[Hulled], out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let area = format!("area,\nin {}", input.units.area());
    let volume = format!("volume,\nin {}", input.units.volume());
    let titles = ["hull", "points", "vertices", "triangles", &area, &volume];
    table.set_header(titles.map(bold));
    for Hulled { name, points, hull } in hulled {
        let measures = measures(hull);
        table.add_row([
            Cell::new(printable(name)),
            Cell::new(grouped(*points)),
            Cell::new(grouped(hull.vertices().len())),
            Cell::new(grouped(hull.triangles().len())),
            Cell::new(six_digits(measures.area)),
            Cell::new(measures.volume.map_or_else(|| "–".to_owned(), six_digits)),
        ]);
    }
    for column in 1..titles.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;
    input.print_notes(out)
}

/// The report of `heurt hull --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct HullDocument {
    summary: HullSummary,
    hulls: Vec<HullJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}

/// The counts of the report.
#[derive(JsonSchema, Serialize)]
struct HullSummary {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    hulls: usize,
    failures: usize,
}
