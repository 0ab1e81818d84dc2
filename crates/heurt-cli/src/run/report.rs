//! Report of a run: numbers of bodies, pairs and contacts, and the times of steps by stage.

use super::contact_log::LoggedContactJson;
use super::response_summary::{ResponseJson, ResponseSummary};
use crate::check::{bold, grouped, new_table};
use crate::output::Output;
use comfy_table::{Cell, CellAlignment};
use heurt::world::{BroadPhaseKind, Energy, STAGES, StepReport, World};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// A summary, collected step by step.
#[derive(Debug, Default)]
pub(super) struct RunSummary {
    times: Times,
    stages: [f64; STAGES.len()],
    pairs: [usize; 2],
    touching: [usize; 2],
    points: usize,
    deadline: Option<f64>,
    cut: DeadlineCut,
    /// Delays of late steps after the deadline.
    late: Times,
    unproven: usize,
    response: ResponseSummary,
}

/// Effects of a deadline: steps that it cut, and pairs that it left out or cut short in them.
#[derive(Debug, Default)]
struct DeadlineCut {
    steps: usize,
    pairs: usize,
}

/// The whole run, for programs.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReportJson {
    bodies: usize,
    broad_phase: &'static str,
    steps: usize,
    /// Simulated time.
    seconds: f64,
    hash: String,
    pairs_mean: f64,
    pairs_max: usize,
    touching_mean: f64,
    touching_max: usize,
    contact_points: usize,
    touches_begun: usize,
    touches_ended: usize,
    /// Seconds that a step may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<f64>,
    /// Steps that ended their search because of it, and pairs that they left out or cut short.
    steps_cut: usize,
    pairs_cut: usize,
    /// Steps that ended after it, and their delays.
    steps_late: usize,
    late_seconds: StepSeconds,
    /// Pairs that may touch, including the cut pairs.
    pairs_unproven: usize,
    step_seconds: StepSeconds,
    /// Shares of the time, by stage.
    stages: Vec<StageJson>,
    real_time_factor: f64,
    /// Absent in worlds without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<ResponseJson>,
    /// The contacts: bodies, begin and end.
    contacts: Vec<LoggedContactJson>,
    /// Contacts beyond those of the list: --events has all.
    contacts_left_out: usize,
}

#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
pub(super) struct StepSeconds {
    pub(super) min: f64,
    pub(super) median: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

#[derive(Debug, JsonSchema, Serialize)]
struct StageJson {
    stage: &'static str,
    share: f64,
}

/// The additions of the log of contacts to the report.
pub(super) struct ContactCounts {
    pub(super) contacts: Vec<LoggedContactJson>,
    pub(super) dropped: usize,
    /// Begins and ends.
    pub(super) changes: [usize; 2],
}

impl RunSummary {
    /// Makes a summary; `deadline` is the time in seconds that a step may take, if there is one.
    pub(super) fn new(deadline: Option<f64>) -> Self {
        Self { deadline, ..Self::default() }
    }

    /// Notes the world before a step.
    pub(super) fn begin_step(&mut self, world: &World) {
        self.response.begin_step(world);
    }

    /// Notes the world after a step of `dt` seconds.
    pub(super) fn end_step(&mut self, world: &World, dt: f64) {
        self.response.end_step(world, dt);
    }

    pub(super) fn add(&mut self, report: &StepReport) {
        let spent = report.seconds.iter().sum();
        self.times.add(spent);
        if let Some(deadline) = self.deadline.filter(|deadline| spent > *deadline) {
            self.late.add(spent - deadline);
        }
        self.stages.iter_mut().zip(report.seconds).for_each(|(sum, spent)| *sum += spent);
        let count = |[sum, most]: &mut [usize; 2], now: usize| (*sum, *most) = (*sum + now, now.max(*most));
        count(&mut self.pairs, report.pairs);
        count(&mut self.touching, report.touching);
        self.points += report.points;
        self.cut.steps += usize::from(report.cut > 0);
        self.cut.pairs += report.cut;
        self.unproven += report.unproven;
        self.response.add(&report.response);
    }

    /// Adds the energy of the initial state, and of the state after each step.
    pub(super) fn add_energy(&mut self, energy: Energy) {
        self.response.add_energy(energy.kinetic + energy.potential);
    }

    pub(super) fn report(&self, world: &World, hash: String, log: ContactCounts) -> ReportJson {
        let steps = self.times.count as usize;
        let mean = |sum: usize| if steps == 0 { 0.0 } else { sum as f64 / steps as f64 };
        let spent = self.times.sum;
        let share = |stage: f64| if spent > 0.0 { stage / spent } else { 0.0 };
        let stages = STAGES.iter().zip(self.stages);
        ReportJson {
            bodies: world.len(),
            broad_phase: BroadPhaseKind::name(world.settings().broad_phase),
            steps,
            seconds: world.time(),
            hash,
            pairs_mean: mean(self.pairs[0]),
            pairs_max: self.pairs[1],
            touching_mean: mean(self.touching[0]),
            touching_max: self.touching[1],
            contact_points: self.points,
            touches_begun: log.changes[0],
            touches_ended: log.changes[1],
            deadline: self.deadline,
            steps_cut: self.cut.steps,
            pairs_cut: self.cut.pairs,
            steps_late: self.late.count as usize,
            late_seconds: self.late.seconds(),
            pairs_unproven: self.unproven,
            step_seconds: self.times.seconds(),
            stages: stages
                .filter(|(_, spent)| *spent > 0.0)
                .map(|(stage, spent)| StageJson { stage: stage.name(), share: share(spent) })
                .collect(),
            real_time_factor: if spent > 0.0 { world.time() / spent } else { 0.0 },
            response: self.response.report(world),
            contacts: log.contacts,
            contacts_left_out: log.dropped,
        }
    }
}

/// Durations of steps: counts of times that differ by a hundredth, for any number of steps.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) count: u64,
    sum: f64,
    ends: [f64; 2],
    /// Counts, by number, of times up to `SHORTEST` times `RATIO` to the number.
    counts: Vec<u64>,
}

const SHORTEST: f64 = 1e-9;
const RATIO: f64 = 1.01;

impl Default for Times {
    fn default() -> Self {
        Self { count: 0, sum: 0.0, ends: [f64::INFINITY, 0.0], counts: Vec::new() }
    }
}

impl Times {
    pub(super) fn add(&mut self, seconds: f64) {
        let place = ((seconds.max(SHORTEST) / SHORTEST).ln() / RATIO.ln()).ceil() as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.count += 1;
        self.sum += seconds;
        self.ends = [self.ends[0].min(seconds), self.ends[1].max(seconds)];
    }

    pub(super) fn seconds(&self) -> StepSeconds {
        let [min, max] = if self.count == 0 { [0.0; 2] } else { self.ends };
        let at = |share: f64| {
            let mut left = (share * self.count as f64).ceil() as u64;
            let place = self.counts.iter().position(|count| {
                left = left.saturating_sub(*count);
                left == 0
            });
            place.map_or(0.0, |place| SHORTEST * RATIO.powi(place as i32)).clamp(min, max)
        };
        StepSeconds { min, median: at(0.5), p99: at(0.99), max }
    }
}

/// Prints the report for people.
pub(super) fn print(report: &ReportJson, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    table.set_header(["", "mean", "most"].map(bold));
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    for (what, mean, most) in [
        ("pairs of boxes", report.pairs_mean, report.pairs_max),
        ("bodies that touch", report.touching_mean, report.touching_max),
    ] {
        table.add_row([Cell::new(what), right(format!("{mean:.1}")), right(grouped(most))]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let StepSeconds { min, median, p99, max } = report.step_seconds;
    let mut table = new_table(out);
    table.set_header(["a step took", "min", "median", "p99", "max"].map(bold));
    let mut cells = vec![Cell::new("")];
    cells.extend([min, median, p99, max].map(|seconds| right(spent(seconds))));
    table.add_row(cells);
    writeln!(out, "{}", table.trim_fmt())?;
    let stages: Vec<String> =
        report.stages.iter().map(|stage| format!("{} {:.0} %", stage.stage, 100.0 * stage.share)).collect();
    let separator = if stages.is_empty() { "" } else { " · " };
    writeln!(
        out,
        "{} {} · {} steps · {:.3} s simulated, {:.1} times as fast as real time{separator}{}",
        grouped(report.bodies),
        if report.bodies == 1 { "body" } else { "bodies" },
        grouped(report.steps),
        report.seconds,
        report.real_time_factor,
        stages.join(", "),
    )?;
    writeln!(
        out,
        "{} {} begun, {} ended, {} contact {} · broad phase {} · state {}",
        grouped(report.touches_begun),
        if report.touches_begun == 1 { "touch" } else { "touches" },
        grouped(report.touches_ended),
        grouped(report.contact_points),
        if report.contact_points == 1 { "point" } else { "points" },
        report.broad_phase,
        report.hash,
    )?;
    if let Some(response) = &report.response {
        writeln!(out, "{}", response.line())?;
    }
    if let Some(deadline) = report.deadline {
        writeln!(out, "{}", of_deadline(report, deadline))?;
    }
    let untold = report.pairs_unproven - report.pairs_cut;
    if untold > 0 {
        writeln!(
            out,
            "{} times it is not decided whether two bodies touched on their paths: they may have",
            grouped(untold)
        )?;
    }
    Ok(())
}

/// Reports the numbers of cut and of late steps. These differ: motions and boxes are never cut.
fn of_deadline(report: &ReportJson, deadline: f64) -> String {
    let mut line = format!("of steps that may take {}, {} were cut", spent(deadline), grouped(report.steps_cut));
    if report.steps_cut > 0 {
        let pairs = grouped(report.pairs_cut);
        line += &format!(": {pairs} pairs may touch that were not looked at, or not to the end");
    }
    let StepSeconds { median, max, .. } = report.late_seconds;
    line + &match report.steps_late {
        0 => "; ended late: none".to_owned(),
        late => format!("; ended late: {}, by {} (median) to {}", grouped(late), spent(median), spent(max)),
    }
}

fn spent(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
