//! `heurt bench-world`: measures broad phases among thousands of moving boxes on this machine.
//!
//! In: numbers of boxes, speeds, kinds. Out: a table of times, pairs and memory a step; for each kind the power of n +
//! m that its cost grows with, and the number of boxes at which it exceeds its budget; plots against number and speed;
//! JSON or CSV. Each kind steps by itself through the same generated world ([`MovingBoxes`]). A kind that needs more
//! time a step, or more memory, than its budget is left out of greater worlds of that speed.

mod measure;
mod plot;
mod report;

use crate::output::{self, Output};
use crate::progress::Progress;
use crate::targets::Targets;
use crate::{Failure, plot as plots, status::Status, threads};
use clap::Args;
use heurt::broad::{BroadPhaseKind, MAX_PROXIES};
use measure::{BenchLimit, BenchRow, Budget};
use rayon::prelude::*;
pub(crate) use report::BenchDocument;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt bench-world                                            all kinds, in less than a minute
  heurt bench-world --plot cost.svg                            plot cost against number and speed
  heurt bench-world --counts 1000,1000000 --kinds tree,grid    two kinds, up to a million boxes
  heurt bench-world --speeds 0.001,0.01,0.1,1 --counts 10000   the effect of the speed
  heurt bench-world --csv > cost.csv                           all measurements, one per line

A step updates the boxes that moved and returns all pairs. Each box overlaps 1.5 others on average, at any number of boxes. \
If a kind exceeds the time or memory budget at some number of boxes, it is not measured with more; the second table \
lists these numbers.";

/// Measures broad phases on thousands of moving boxes: cost against number and speed.
///
/// All kinds return the same pairs. Which kind is fastest depends on the number of objects, on their motion, and on the
/// machine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct BenchWorldArguments {
    /// Numbers of boxes, separated by commas.
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [1_000, 3_000, 10_000, 30_000, 100_000],
        value_parser = clap::value_parser!(u32).range(2..=i64::from(MAX_PROXIES)))]
    counts: Vec<u32>,
    /// Kinds of broad phases, by their names in scene files, separated by commas; all kinds by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    kinds: Vec<String>,
    /// Motion of a box per step, in multiples of its edge length.
    #[arg(long, value_name = "X,…", value_delimiter = ',', default_values_t = [0.01, 0.1, 0.5], allow_negative_numbers = true)]
    speeds: Vec<f64>,
    /// Number of timed steps, after a few untimed ones; fewer, but at least five, if they take longer than half a
    /// second.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Seed of the random boxes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Maximum time per step, in seconds; a kind that exceeds it is not measured with more boxes.
    #[arg(long, value_name = "S", default_value_t = 0.1, allow_negative_numbers = true)]
    budget: f64,
    /// Maximum memory per kind, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Number of kinds measured at the same time; 0 selects one per core. More than one slow each other down.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: u16,
    /// Plots cost against number and speed to this file; its extension selects SVG or PNG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Prints JSON: all measurements, and the result of each kind.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Prints CSV: one line per measurement.
    #[arg(long)]
    csv: bool,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The checked plan of the measurements.
struct Plan {
    kinds: Vec<BroadPhaseKind>,
    counts: Vec<usize>,
    speeds: Vec<f64>,
    steps: usize,
    seed: u64,
    budget: Budget,
}

/// The result of a kind at a speed.
struct Fate {
    kind: BroadPhaseKind,
    speed: f64,
    /// The power of n + m that its cost grows with, over the last three numbers of boxes.
    exponent: Option<f64>,
    /// The greatest number of boxes within the budget.
    most: Option<usize>,
    /// The number of boxes at which it exceeded a limit, and the limit.
    end: Option<(usize, BenchLimit)>,
}

/// All results.
struct BenchFindings {
    rows: Vec<BenchRow>,
    fates: Vec<Fate>,
}

/// Runs `heurt bench-world`.
pub(crate) fn run(arguments: &BenchWorldArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(path) = &arguments.plot {
        plots::check_name(path)?;
    }
    let plan = plan(arguments)?;
    Targets::new(&[("plot", arguments.plot.as_deref())])?.try_out()?;
    let cells = plan.kinds.len() * plan.counts.len() * plan.speeds.len();
    let is_silent = arguments.quiet || arguments.json || arguments.csv;
    let progress = Progress::new("measuring broad phases", cells as u64, is_silent);
    let findings = threads::with(Some(arguments.threads), || measure_all(&plan, &progress))?;
    drop(progress);
    let printed = match () {
        () if arguments.json => report::json(&plan, &findings, out),
        () if arguments.csv => report::csv(&findings, out),
        () if arguments.quiet => Ok(()),
        () => report::tables(&plan, &findings, out),
    };
    printed.map_err(Failure::output)?;
    if let Some(path) = &arguments.plot {
        plots::write(path, &plot::charts(&plan, &findings))?;
    }
    Ok(Status::Clear)
}

fn plan(arguments: &BenchWorldArguments) -> Result<Plan, Failure> {
    let bad = |option: &str, given: f64, legal: &str| {
        let (option, given, legal) = (option.to_owned(), output::number(given), legal.to_owned());
        Err(Failure::BadNumber { command: "bench-world", option, given, legal })
    };
    if let Some(speed) = arguments.speeds.iter().find(|speed| !(0.0..=1e6).contains(*speed)) {
        return bad("speeds", *speed, "numbers from 0 to 1000000");
    }
    if !(arguments.budget > 0.0 && arguments.budget.is_finite()) {
        return bad("budget", arguments.budget, "a finite time above 0");
    }
    let mut kinds = Vec::new();
    for name in &arguments.kinds {
        let kind: BroadPhaseKind = name.parse()?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        kinds = BroadPhaseKind::ALL.to_vec();
    }
    let mut counts: Vec<usize> = arguments.counts.iter().map(|&count| count as usize).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut speeds = arguments.speeds.clone();
    speeds.sort_by(f64::total_cmp);
    speeds.dedup();
    let budget = Budget { seconds: arguments.budget, bytes: arguments.memory as usize * (1 << 20) };
    Ok(Plan { kinds, counts, speeds, steps: arguments.steps as usize, seed: arguments.seed, budget })
}

fn measure_all(plan: &Plan, progress: &Progress) -> BenchFindings {
    let mut rows: Vec<BenchRow> = Vec::new();
    let mut fates = Vec::new();
    for &speed in &plan.speeds {
        let mut ends: Vec<Option<(usize, BenchLimit)>> = vec![None; plan.kinds.len()];
        for &count in &plan.counts {
            let measured = plan.kinds.par_iter().zip(&ends).map(|(&kind, end)| {
                let found = end.is_none().then(|| measure::row(kind, count, speed, plan));
                progress.step();
                found
            });
            let measured: Vec<Option<Result<BenchRow, BenchLimit>>> = measured.collect();
            for (end, found) in ends.iter_mut().zip(measured) {
                match found {
                    Some(Ok(row)) => {
                        *end = plan.budget.limit(&row).map(|limit| (count, limit));
                        rows.push(row);
                    }
                    Some(Err(limit)) => *end = Some((count, limit)),
                    None => {}
                }
            }
        }
        for (&kind, end) in plan.kinds.iter().zip(ends) {
            let own: Vec<&BenchRow> = rows.iter().filter(|row| row.kind == kind && row.speed == speed).collect();
            let within = own.iter().rfind(|row| plan.budget.limit(row).is_none());
            let (most, exponent) = (within.map(|row| row.count), measure::exponent(&own));
            fates.push(Fate { kind, speed, exponent, most, end });
        }
    }
    BenchFindings { rows, fates }
}
