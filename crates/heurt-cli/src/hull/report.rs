//! The report of hulls, as a table and as JSON.

use super::Hulled;
use crate::Failure;
use crate::check::{FailureJson, bold, grouped, new_table, write_list};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment};
use heurt::mesh::measures;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

#[derive(Serialize)]
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
pub(super) fn print_json(file: &Path, hulled: &[Hulled], failures: &[Failure], out: &mut impl Write) -> io::Result<()> {
    let hulls = hulled.iter().map(|Hulled { name, points, hull }| {
        let measures = measures(hull);
        HullJson {
            file: file.to_string_lossy().into_owned(),
            name,
            points: *points,
            vertices: hull.vertices().len(),
            triangles: hull.triangles().len(),
            area: measures.area,
            volume: measures.volume.filter(|volume| volume.is_finite()),
        }
    });
    write!(out, "{{\n\"summary\": {{\"hulls\":{},\"failures\":{}}}", hulled.len(), failures.len())?;
    write_list("hulls", hulls, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    writeln!(out, "\n}}")
}

/// Prints a row for each hull.
pub(super) fn print_table(hulled: &[Hulled], out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let titles = ["hull", "points", "vertices", "triangles", "area", "volume"];
    table.set_header(titles.map(bold));
    for Hulled { name, points, hull } in hulled {
        let measures = measures(hull);
        table.add_row([
            Cell::new(printable(name)),
            Cell::new(grouped(*points)),
            Cell::new(grouped(hull.vertices().len())),
            Cell::new(grouped(hull.triangles().len())),
            Cell::new(number(measures.area)),
            Cell::new(measures.volume.map_or_else(|| "–".to_owned(), number)),
        ]);
    }
    for column in 1..titles.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// Six significant digits.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&magnitude) {
        let digits = (5.0 - magnitude.log10().floor()).clamp(0.0, 9.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.5e}")
    }
}
