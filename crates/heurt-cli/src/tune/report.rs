//! The table, the JSON and the comments in the tree file.

use super::Verb;
use super::choose::{Lead, Verdict};
use super::measure::TuneRow;
use super::poses::Poses;
use crate::check::{bold, new_table};
use crate::output::{Output, printable};
use comfy_table::CellAlignment;
use heurt::shape::TreeChoice;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Number of rows in the table; JSON has all.
const SHOWN: usize = 30;

/// The data of the report.
pub(crate) struct TuneReport<'a> {
    /// The choice, then the remaining rows, fastest first.
    pub(crate) rows: &'a [TuneRow],
    pub(crate) lead: Lead,
    pub(crate) verdict: Verdict,
    pub(crate) poses: &'a Poses,
    /// Number of poses searched or read; the found ones for which there is time are queried.
    pub(crate) given: usize,
    /// Number of choices that were not tried since time was over.
    pub(crate) late: usize,
    pub(crate) verb: Verb,
}

const HEAD: [&str; 15] = [
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
    "bytes per\ntriangle",
];

impl TuneReport<'_> {
    /// Prints the choice and the remaining rows, fastest first, and the result of the choice on unseen poses.
    pub(crate) fn table(&self, out: &mut Output) -> io::Result<()> {
        let mut table = new_table(out);
        table.set_header(HEAD.map(bold));
        for row in self.rows.iter().take(SHOWN) {
            table.add_row(cells(row));
        }
        for column in (1..HEAD.len()).filter(|column| ![2, 4].contains(column)) {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(out, "{}", table.trim_fmt())?;
        let left = self.rows.len().saturating_sub(SHOWN);
        if left > 0 {
            writeln!(out, "… and {left} more rows: --json lists all of them")?;
        }
        self.remarks().iter().try_for_each(|remark| writeln!(out, "{remark}"))?;
        let what = match self.verb {
            Verb::Overlap => "overlap",
            Verb::Pairs => "all pairs",
        };
        writeln!(out, "selected for {what} on {} poses: {}", self.measured(), name(&self.rows[0].choice))?;
        writeln!(out, "{}", self.why())?;
        writeln!(out, "{}", self.on_unseen())
    }

    /// Returns the number of poses used for the choice.
    fn measured(&self) -> usize {
        self.poses.seen.len() + self.poses.held.len()
    }

    /// Returns remarks on properties that the table does not show.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let measured = self.measured() + self.poses.unseen.len();
        if measured < self.given {
            remarks.push(format!(
                "{measured} of {} poses were measured: no more were found, or the time limit allows no more",
                self.given
            ));
        }
        let stopped = self.rows.iter().filter(|row| row.stopped.is_some()).count();
        if stopped > 0 {
            remarks.push(format!(
                "{stopped} rows were stopped after some of the poses, as they were far slower than the fastest"
            ));
        }
        if self.late > 0 {
            remarks.push(format!(
                "{} more trees were not measured because of the time limit; --all measures them",
                self.late
            ));
        }
        let unwalked = self.rows[0].unwalked;
        if unwalked > 0 {
            let seen = self.poses.seen.len();
            remarks.push(format!(
                "at {unwalked} of {seen} poses the boxes around the whole parts are disjoint: no tree was traversed"
            ));
        }
        remarks
    }

    /// Describes the reason of the choice, in words.
    fn why(&self) -> String {
        let Lead { finalists, lag } = self.lead;
        if finalists < 2 {
            return "no other row is within 40% of its time".to_owned();
        }
        let halves = if self.poses.held.is_empty() { "on these poses" } else { "on each half of these poses" };
        format!(
            "{finalists} rows have similar times; the selected one is at most {:.1}% slower than the fastest {halves}",
            100.0 * (lag - 1.0)
        )
    }

    /// Describes the result of the choice on unseen poses, in words.
    fn on_unseen(&self) -> String {
        let Verdict { chosen_ns, best_ns, best, compared } = &self.verdict;
        let (count, micros) = (self.poses.unseen.len(), chosen_ns / 1e3);
        if *best == self.rows[0].choice {
            return format!("on {count} unseen poses it is the fastest of {compared} rows as well: {micros:.2} µs");
        }
        let slower = 100.0 * (chosen_ns / best_ns - 1.0);
        format!(
            "on {count} unseen poses it takes {micros:.2} µs, {slower:.1}% more than the fastest of {compared} rows: {}",
            name(best)
        )
    }

    /// Returns the comments of the tree file on its origin.
    pub(crate) fn comments(&self, a: &Path, b: &Path) -> Vec<String> {
        let file = |path: &Path| {
            printable(&path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
        };
        vec![
            format!("heurt tune {} {}", file(a), file(b)),
            format!("{:.2} µs on the poses on which all rows were measured", self.rows[0].measured_ns / 1e3),
            self.on_unseen(),
        ]
    }

    /// Prints everything for a program to read; the first row is the choice.
    pub(crate) fn json(&self, out: &mut Output) -> io::Result<()> {
        let Verdict { chosen_ns, best_ns, best, compared } = &self.verdict;
        let document = TuneDocument {
            poses: self.measured(),
            unseen_poses: self.poses.unseen.len(),
            poses_left_out: self.given - self.measured() - self.poses.unseen.len(),
            not_tried: self.late,
            rows: self.rows.iter().map(row_json).collect(),
            close_rows: self.lead.finalists,
            lag: self.lead.lag,
            unseen: UnseenJson { chosen_ns: *chosen_ns, best_ns: *best_ns, best: name(best), rows: *compared },
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }
}

fn cells(row: &TuneRow) -> [String; 15] {
    let TreeChoice { volume, degree, builder, leaf_size, .. } = row.choice;
    let [volumes, primitives, updates] = row.counts;
    [
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
        match row.stopped {
            Some(over) => format!("stopped: over\n{over:.0} × fastest"),
            None => format!("{:.2}", row.measured_ns / 1e3),
        },
        format!("{:.0}", row.build.as_secs_f64() * 1e3),
        format!("{:.0}", row.bytes_per_triangle),
    ]
}

/// Returns the name of a choice.
fn name(choice: &TreeChoice) -> String {
    let TreeChoice { volume, degree, builder, leaf_size, .. } = choice;
    let axes = axes(choice).map(|axes| format!(", axes {axes}")).unwrap_or_default();
    format!("{}, degree {}, {}, leaves of {leaf_size}{axes}", volume.name(), degree.children(), builder.name())
}

/// Returns the name of the rule by which the volumes of a choice find their axes, if they have any.
fn axes(choice: &TreeChoice) -> Option<&'static str> {
    choice.volume.has_axes().then(|| choice.axes.name())
}

#[derive(JsonSchema, Serialize)]
struct TuneRowJson {
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
    /// How many times as slow as the fastest it was when it was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_over: Option<f64>,
    build_ms: f64,
    bytes_per_triangle: f64,
}

#[derive(JsonSchema, Serialize)]
pub(crate) struct TuneDocument {
    poses: usize,
    unseen_poses: usize,
    poses_left_out: usize,
    not_tried: usize,
    rows: Vec<TuneRowJson>,
    close_rows: usize,
    lag: f64,
    unseen: UnseenJson,
}

#[derive(JsonSchema, Serialize)]
struct UnseenJson {
    chosen_ns: f64,
    best_ns: f64,
    best: String,
    rows: usize,
}

fn row_json(row: &TuneRow) -> TuneRowJson {
    let [n_v, n_p, n_u] = row.counts;
    TuneRowJson {
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
        stopped_over: row.stopped,
        build_ms: row.build.as_secs_f64() * 1e3,
        bytes_per_triangle: row.bytes_per_triangle,
    }
}
