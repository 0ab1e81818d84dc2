//! The table of a run of a crowd.

use crate::check::{bold, counted, grouped, new_table};
use crate::output::Output;
use comfy_table::Cell;
use heurt::crowd::CrowdReport;
use heurt::scene::CrowdRunFacts;
use std::io::{self, Write};

/// Prints what happened.
pub(super) fn print(report: &CrowdReport, seconds: f64, facts: &CrowdRunFacts, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let mut row = |what: &str, value: String| {
        table.add_row([bold(what), Cell::new(value)]);
    };
    row("agents", format!("{}, {} arrived", grouped(report.agents), grouped(report.arrived)));
    row("simulated", format!("{seconds:.2} s in {}", counted(facts.steps as usize, "step", "steps")));
    if let Some(times) = report.travel_time {
        row("travel time", format!("{:.2} to {:.2} s, median {:.2} s", times.min, times.max, times.median));
    }
    let percent = |share: f64| format!("{:.3} %", 100.0 * share);
    let pairs = counted(report.overlapping_pairs, "pair", "pairs");
    row("overlaps", format!("{pairs} above 1 %, deepest {}", percent(report.worst_overlap)));
    row("overlaps with walls", format!("deepest {}", percent(report.worst_wall_overlap)));
    row("stalled", format!("{} for 5 s", counted(report.stalled, "agent", "agents")));
    row("registered again", format!("{:.1} % of moves", 100.0 * report.reregistered_share));
    let [_, median, p99, _] = facts.step_seconds;
    row("time of a step", format!("{:.3} ms, 99 % below {:.3} ms", 1e3 * median, 1e3 * p99));
    writeln!(out, "{table}")
}
