//! The table, the JSON and the comments in the tree file.

use super::measure::{Row, Verdict};
use super::{TuneArguments, Verb};
use crate::check::{bold, new_table};
use crate::output::{Output, printable};
use comfy_table::CellAlignment;
use heurt::shape::TreeChoice;
use serde::Serialize;
use std::io::{self, Write};

/// Rows that people see; JSON has all.
const SHOWN: usize = 30;

/// Prints the rows, fastest first, and how the choice did on unseen poses.
pub(crate) fn table(
    rows: &[Row],
    verdict: &Verdict,
    verb: Verb,
    seen: usize,
    unseen: usize,
    out: &mut Output,
) -> io::Result<()> {
    let mut table = new_table(out);
    let head = [
        "volume",
        "deg",
        "builder",
        "leaf",
        "axes",
        "N_v",
        "N_p",
        "N_u",
        "C_v ns",
        "C_p ns",
        "C_u ns",
        "predicted\nµs",
        "measured\nµs",
        "build\nms",
        "bytes a\ntriangle",
    ];
    table.set_header(head.map(bold));
    for row in rows.iter().take(SHOWN) {
        let TreeChoice { volume, degree, builder, leaf_size, .. } = row.choice;
        let [volumes, primitives, updates] = row.counts;
        table.add_row([
            volume.name().to_owned(),
            degree.children().to_string(),
            builder.name().to_owned(),
            leaf_size.to_string(),
            axes(&row.choice).unwrap_or_default().to_owned(),
            format!("{volumes:.0}"),
            format!("{primitives:.0}"),
            format!("{updates:.0}"),
            format!("{:.1}", row.costs.per_volume),
            format!("{:.1}", row.costs.per_primitive),
            format!("{:.0}", row.costs.per_update),
            format!("{:.2}", row.predicted_ns / 1e3),
            format!("{:.2}", row.measured_ns / 1e3),
            format!("{:.0}", row.build.as_secs_f64() * 1e3),
            format!("{:.0}", row.bytes_per_triangle),
        ]);
    }
    for column in (1..15).filter(|column| ![2, 4].contains(column)) {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let left = rows.len().saturating_sub(SHOWN);
    if left > 0 {
        writeln!(out, "… and {left} more: --json has them all")?;
    }
    let what = match verb {
        Verb::Overlap => "overlap",
        Verb::Pairs => "all pairs",
    };
    writeln!(out, "fastest for {what} on {seen} poses: {}", name(&rows[0].choice))?;
    writeln!(out, "{} ({unseen} poses)", on_unseen(&rows[0].choice, verdict))
}

/// How the choice did on unseen poses, in words.
fn on_unseen(chosen: &TreeChoice, verdict: &Verdict) -> String {
    let slower = 100.0 * (verdict.chosen_ns / verdict.best_ns - 1.0);
    if verdict.best == *chosen {
        return format!("on poses it was not chosen on it is the fastest, too: {:.2} µs", verdict.chosen_ns / 1e3);
    }
    format!(
        "on poses it was not chosen on it takes {:.2} µs, {slower:.1}% more than the fastest there, {}",
        verdict.chosen_ns / 1e3,
        name(&verdict.best)
    )
}

/// A choice in words.
pub(crate) fn name(choice: &TreeChoice) -> String {
    let TreeChoice { volume, degree, builder, leaf_size, .. } = choice;
    let axes = axes(choice).map(|axes| format!(", axes {axes}")).unwrap_or_default();
    format!("{}, degree {}, {}, leaves of {leaf_size}{axes}", volume.name(), degree.children(), builder.name())
}

/// How the volumes of a choice find their axes, where they have any.
fn axes(choice: &TreeChoice) -> Option<&'static str> {
    choice.volume.has_axes().then(|| choice.axes.name())
}

/// What the tree file says about its origin.
pub(crate) fn comments(arguments: &TuneArguments, chosen: &Row, verdict: &Verdict) -> Vec<String> {
    let file = |path: &std::path::Path| {
        printable(&path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
    };
    vec![
        format!("heurt tune {} {}", file(&arguments.a), file(&arguments.b)),
        format!("{:.2} µs on the poses it was chosen on", chosen.measured_ns / 1e3),
        on_unseen(&chosen.choice, verdict),
    ]
}

#[derive(Serialize)]
struct RowJson {
    volume: &'static str,
    degree: u32,
    builder: &'static str,
    leaf_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    axes: Option<&'static str>,
    n_v: f64,
    n_p: f64,
    n_u: f64,
    c_v_ns: f64,
    c_p_ns: f64,
    c_u_ns: f64,
    predicted_ns: f64,
    measured_ns: f64,
    build_ms: f64,
    bytes_per_triangle: f64,
}

#[derive(Serialize)]
struct Document {
    poses: usize,
    unseen_poses: usize,
    rows: Vec<RowJson>,
    unseen: UnseenJson,
}

#[derive(Serialize)]
struct UnseenJson {
    chosen_ns: f64,
    best_ns: f64,
    best: String,
}

/// Prints everything for a program to read; the first row is the choice.
pub(crate) fn json(rows: &[Row], verdict: &Verdict, seen: usize, unseen: usize, out: &mut Output) -> io::Result<()> {
    let row = |row: &Row| {
        let [n_v, n_p, n_u] = row.counts;
        RowJson {
            volume: row.choice.volume.name(),
            degree: row.choice.degree.children(),
            builder: row.choice.builder.name(),
            leaf_size: row.choice.leaf_size,
            axes: axes(&row.choice),
            n_v,
            n_p,
            n_u,
            c_v_ns: row.costs.per_volume,
            c_p_ns: row.costs.per_primitive,
            c_u_ns: row.costs.per_update,
            predicted_ns: row.predicted_ns,
            measured_ns: row.measured_ns,
            build_ms: row.build.as_secs_f64() * 1e3,
            bytes_per_triangle: row.bytes_per_triangle,
        }
    };
    let best = name(&verdict.best);
    let document = Document {
        poses: seen,
        unseen_poses: unseen,
        rows: rows.iter().map(row).collect(),
        unseen: UnseenJson { chosen_ns: verdict.chosen_ns, best_ns: verdict.best_ns, best },
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
