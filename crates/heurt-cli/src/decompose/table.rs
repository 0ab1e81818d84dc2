//! The decomposition for people.

use super::Decomposed;
use crate::check::{bold, grouped, new_table};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment, Color};
use std::io::{self, Write};
use std::time::Duration;

/// Prints a row for each mesh, and a line that sums up.
pub(super) fn print(found: &[Option<Decomposed>], elapsed: Duration, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let titles =
        ["mesh", "triangles", "pieces", "triangles\nof pieces", "volume\nratio", "concavity\nin m", "allowed\nin m"];
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
    let told =
        if beyond == 0 { "all within the tolerance".to_owned() } else { format!("{beyond} not within the tolerance") };
    let plural = if found.len() == 1 { "mesh" } else { "meshes" };
    let millis = elapsed.as_secs_f64() * 1e3;
    let time = if millis < 1e4 { format!("{millis:.0} ms") } else { format!("{:.1} s", millis / 1e3) };
    let cover = if pieces == 1 { "piece covers" } else { "pieces cover" };
    writeln!(out, "{} {cover} {} {plural}, {told} · {time}", grouped(pieces), grouped(found.len()))
}

/// Three digits that count.
fn length(metres: f64) -> String {
    let magnitude = metres.abs();
    if metres == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e4).contains(&magnitude) {
        let digits = (2.0 - magnitude.log10().floor()).clamp(0.0, 9.0) as usize;
        format!("{metres:.digits$}")
    } else {
        format!("{metres:.2e}")
    }
}
