//! The inspection of one mesh for people.

use super::Inspected;
use crate::check::{bold, grouped, new_table};
use crate::output::{Output, printable};
use comfy_table::{Cell, Color};
use heurt::geometry::Vec3;
use heurt::mesh::Fault;
use std::io::{self, Write};

/// Prints what was found, at most `limit` faults of each kind.
pub(super) fn print(inspected: &Inspected, limit: usize, out: &mut Output) -> io::Result<()> {
    let Inspected { file, name, mesh, report, measures } = inspected;
    let mut table = new_table(out);
    let title =
        printable(&if name.is_empty() { file.display().to_string() } else { format!("{} / {name}", file.display()) });
    let class = format!("{}: {}", report.class, report.class.explanation());
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none, the mesh is open or flat".to_owned());
    table.set_header([bold(&title), bold(&class)]);
    let bounds = mesh.bounds();
    let rows = [
        ("triangles", grouped(mesh.triangles().len())),
        ("vertices", grouped(mesh.vertices().len())),
        ("closed · manifold · oriented", [report.closed, report.manifold, report.oriented].map(yes).join(" · ")),
        ("components", grouped(measures.components)),
        ("Euler characteristic", measures.euler.to_string()),
        ("genus", measures.genus.map_or_else(|| "none, not a closed surface".to_owned(), |genus| genus.to_string())),
        ("box, from", point(bounds.min)),
        ("box, to", point(bounds.max)),
        ("area", format!("{} m²", number(measures.area))),
        ("volume", or_none(measures.volume.map(|volume| format!("{} m³", number(volume))))),
        ("centroid", or_none(measures.centroid.map(point))),
        (
            "inertia at density 1",
            or_none(measures.inertia.map(|inertia| {
                let rows = inertia.transpose().to_cols_array_2d();
                rows.map(|row| row.map(number).join("  ")).join("\n")
            })),
        ),
    ];
    table.add_rows(rows.map(|(name, value)| [Cell::new(name), Cell::new(value)]));
    for group in report.faults.chunk_by(|a, b| a.kind() == b.kind()) {
        let kind = group[0].kind();
        let count = report.counts.iter().find(|count| count.kind == kind);
        let total = count.map_or(group.len(), |count| count.count);
        let more = if count.is_some_and(|count| count.has_more) { "more than " } else { "" };
        table.add_row([
            Cell::new(format!("{more}{} × {kind}", grouped(total))).fg(Color::Red),
            listed(group, total, limit),
        ]);
    }
    let verdict = match report.printable() {
        Ok(()) => Cell::new("yes").fg(Color::Green),
        Err(reasons) => Cell::new(format!("no, {reasons}")).fg(Color::Red),
    };
    table.add_row([Cell::new("printable"), verdict]);
    if report.faults.is_empty() {
        table.add_row([Cell::new("faults"), Cell::new("none").fg(Color::Green)]);
    }
    if let Some(count) = report.counts.iter().find(|count| count.has_more) {
        let text = format!("there are more than {} {}", grouped(count.count), count.kind);
        table.add_row([Cell::new("not complete").fg(Color::Red), Cell::new(text)]);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// The first of `total` faults of a kind, of which `group` are in the report.
fn listed(group: &[Fault], total: usize, limit: usize) -> Cell {
    let mut lines: Vec<String> = group.iter().take(limit).map(Fault::to_string).collect();
    if total > lines.len() {
        let more = grouped(total - lines.len());
        lines.push(format!("… and {more} more: --faults N lists more of them, --json up to 1,000 of a kind"));
    }
    Cell::new(lines.join("\n"))
}

fn point(point: Vec3) -> String {
    point.to_array().map(number).join("  ")
}

/// Six digits that count.
fn number(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&magnitude) {
        let digits = (5.0 - magnitude.log10().floor()).clamp(0.0, 9.0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.5e}")
    }
}
