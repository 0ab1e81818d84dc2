//! The decomposition for people.

use super::Decomposed;
use crate::check::{bold, grouped, new_table, spent};
use crate::input::Input;
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment, Color};
use std::io::{self, Write};
use std::time::Duration;

/// Prints a row for each mesh, and a line that sums up.
pub(super) fn print(
    input: &Input,
    found: &[Option<Decomposed>],
    elapsed: Duration,
    out: &mut Output,
) -> io::Result<()> {
    let mut table = new_table(out);
    let unit = input.units.length();
    let [concavity, allowed] = ["concavity,", "allowed,"].map(|title| format!("{title}\nin {unit}"));
    let titles = ["mesh", "triangles", "pieces", "triangles\nof pieces", "volume\nratio", &concavity, &allowed];
    table.set_header(titles.map(bold));
    let found: Vec<&Decomposed> = found.iter().flatten().collect();
    for decomposed in &found {
        let Decomposed { name, mesh, pieces, .. } = decomposed;
        let colour = if decomposed.is_within_tolerance() { Color::Green } else { Color::Red };
        table.add_row([
            Cell::new(printable(name)),
            Cell::new(grouped(mesh.triangles().len())),
            Cell::new(grouped(pieces.pieces().count())),
            Cell::new(grouped(decomposed.piece_triangles())),
            Cell::new(decomposed.volume_ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.4}"))),
            Cell::new(length(pieces.concavity())).fg(colour),
            Cell::new(length(pieces.tolerance())),
        ]);
    }
    for column in 1..titles.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let pieces: usize = found.iter().map(|decomposed| decomposed.pieces.pieces().count()).sum();
    let beyond = found.iter().filter(|decomposed| !decomposed.is_within_tolerance()).count();
    let verdict =
        if beyond == 0 { "all within the tolerance".to_owned() } else { format!("{beyond} not within the tolerance") };
    let plural = if found.len() == 1 { "mesh" } else { "meshes" };
    let cover = if pieces == 1 { "piece covers" } else { "pieces cover" };
    writeln!(out, "{} {cover} {} {plural}, {verdict} · {}", grouped(pieces), grouped(found.len()), spent(elapsed))?;
    input.print_notes(out)
}

/// Three digits that count.
fn length(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e4).contains(&magnitude) {
        let digits = (2.0 - magnitude.log10().floor()).clamp(0.0, 9.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    }
}
