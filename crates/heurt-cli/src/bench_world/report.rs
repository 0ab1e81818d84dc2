//! The tables, the JSON, the CSV.

use super::measure::{BenchLimit, BenchRow};
use super::{BenchFindings, Fate, Plan};
use crate::check::{bold, grouped, new_table};
use crate::output::Output;
use comfy_table::CellAlignment;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// Prints a row for each number of boxes and speed, a column for each kind; then the result of each kind.
pub(super) fn tables(plan: &Plan, findings: &BenchFindings, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let head = ["speed", "boxes", "pairs"].into_iter().chain(plan.kinds.iter().map(|kind| kind.name()));
    table.set_header(head.map(|word| bold(&word.replace("sweep-and-prune", "sweep-and\nprune"))));
    for &speed in &plan.speeds {
        for &count in &plan.counts {
            let at = |row: &&BenchRow| row.speed == speed && row.count == count;
            let Some(any) = findings.rows.iter().find(at) else { continue };
            let mut cells = vec![speed.to_string(), grouped(count), grouped(any.pairs)];
            let of = |kind| findings.rows.iter().filter(at).find(|row| row.kind == kind);
            cells.extend(plan.kinds.iter().map(|&kind| of(kind).map_or("–".to_owned(), |row| time(row.median))));
            table.add_row(cells);
        }
    }
    align(&mut table, 0..3 + plan.kinds.len());
    writeln!(out, "{}", table.trim_fmt())?;
    writeln!(
        out,
        "median time per step; speed: motion per step, in box edges; –: not measured, over the budget with fewer boxes"
    )?;
    let mut table = new_table(out);
    table.set_header(
        ["kind", "speed", "cost ~\n(n + m)^", "bytes\nper box", "most boxes\nin budget", "over budget"].map(bold),
    );
    for fate in &findings.fates {
        let last = findings.rows.iter().rfind(|row| row.kind == fate.kind && row.speed == fate.speed);
        table.add_row([
            fate.kind.name().to_owned(),
            fate.speed.to_string(),
            fate.exponent.map_or("–".to_owned(), |exponent| format!("{exponent:.2}")),
            last.map_or("–".to_owned(), |row| (row.bytes / row.count).to_string()),
            fate.most.map_or("–".to_owned(), grouped),
            end(fate).unwrap_or_else(|| "no".to_owned()),
        ]);
    }
    align(&mut table, 1..5);
    writeln!(out, "{}", table.trim_fmt())?;
    let (seconds, memory) = (plan.budget.seconds, plan.budget.bytes >> 20);
    writeln!(out, "budget: {seconds} s per step, {memory} MiB")
}

fn align(table: &mut comfy_table::Table, columns: std::ops::Range<usize>) {
    for column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Describes the number of boxes at which a kind exceeded a limit, and the limit.
fn end(fate: &Fate) -> Option<String> {
    let text = |limit: &BenchLimit| match limit {
        BenchLimit::Time { seconds } => format!("{} per step", time(*seconds)),
        limit => limit.to_string(),
    };
    fate.end.as_ref().map(|(count, limit)| format!("at {}: {}", grouped(*count), text(limit)))
}

/// Formats seconds in a readable unit.
fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 1e-3 => format!("{:.1} µs", seconds * 1e6),
        seconds if seconds < 1.0 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

#[derive(JsonSchema, Serialize)]
struct BenchRowJson {
    kind: &'static str,
    boxes: usize,
    speed: f64,
    pairs: usize,
    steps: usize,
    median_s: f64,
    mean_s: f64,
    slowest_s: f64,
    start_s: f64,
    bytes: usize,
}

#[derive(JsonSchema, Serialize)]
struct FateJson {
    kind: &'static str,
    speed: f64,
    exponent: Option<f64>,
    most_boxes: Option<usize>,
    gives_out_at: Option<usize>,
    reason: Option<String>,
}

#[derive(JsonSchema, Serialize)]
pub(crate) struct BenchDocument {
    seed: u64,
    budget_s: f64,
    budget_bytes: usize,
    rows: Vec<BenchRowJson>,
    kinds: Vec<FateJson>,
}

/// Prints everything as JSON.
pub(super) fn json(plan: &Plan, findings: &BenchFindings, out: &mut Output) -> io::Result<()> {
    let row = |row: &BenchRow| BenchRowJson {
        kind: row.kind.name(),
        boxes: row.count,
        speed: row.speed,
        pairs: row.pairs,
        steps: row.steps,
        median_s: row.median,
        mean_s: row.mean,
        slowest_s: row.slowest,
        start_s: row.start,
        bytes: row.bytes,
    };
    let fate = |fate: &Fate| FateJson {
        kind: fate.kind.name(),
        speed: fate.speed,
        exponent: fate.exponent,
        most_boxes: fate.most,
        gives_out_at: fate.end.as_ref().map(|(count, _)| *count),
        reason: fate.end.as_ref().map(|(_, limit)| limit.to_string()),
    };
    let document = BenchDocument {
        seed: plan.seed,
        budget_s: plan.budget.seconds,
        budget_bytes: plan.budget.bytes,
        rows: findings.rows.iter().map(row).collect(),
        kinds: findings.fates.iter().map(fate).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Prints a header and a line for each measurement.
pub(super) fn csv(findings: &BenchFindings, out: &mut Output) -> io::Result<()> {
    writeln!(out, "kind,boxes,speed,pairs,steps,median_s,mean_s,slowest_s,start_s,bytes")?;
    for row in &findings.rows {
        let BenchRow { kind, count, speed, pairs, steps, median, mean, slowest, start, bytes } = row;
        writeln!(out, "{kind},{count},{speed},{pairs},{steps},{median:e},{mean:e},{slowest:e},{start:e},{bytes}")?;
    }
    Ok(())
}
