//! What a run was like: how many bodies, pairs and contacts, how long steps took and on what.

use crate::check::{bold, grouped, new_table};
use crate::output::Output;
use comfy_table::{Cell, CellAlignment};
use heurt::world::{BroadPhaseKind, STAGES, StepReport, World};
use serde::Serialize;
use std::io::{self, Write};

/// Gathered step by step.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Of each step, in seconds.
    times: Vec<f64>,
    stages: [f64; STAGES.len()],
    pairs: [usize; 2],
    touching: [usize; 2],
    points: usize,
    begun: usize,
    ended: usize,
    cut: usize,
    unproven: usize,
}

/// The whole run, for programs.
#[derive(Debug, Serialize)]
pub(super) struct ReportJson {
    bodies: usize,
    broad_phase: &'static str,
    steps: usize,
    /// Simulated.
    seconds: f64,
    hash: String,
    pairs_mean: f64,
    pairs_max: usize,
    touching_mean: f64,
    touching_max: usize,
    contact_points: usize,
    touches_begun: usize,
    touches_ended: usize,
    steps_cut: usize,
    pairs_unproven: usize,
    step_seconds: StepSeconds,
    /// Shares of the time, by stage.
    stages: Vec<StageJson>,
    real_time_factor: f64,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct StepSeconds {
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
}

#[derive(Debug, Serialize)]
struct StageJson {
    stage: &'static str,
    share: f64,
}

impl Summary {
    pub(super) fn add(&mut self, report: &StepReport, world: &World) {
        self.times.push(report.seconds.iter().sum());
        self.stages.iter_mut().zip(report.seconds).for_each(|(sum, spent)| *sum += spent);
        let count = |[sum, most]: &mut [usize; 2], now: usize| (*sum, *most) = (*sum + now, now.max(*most));
        count(&mut self.pairs, report.pairs);
        count(&mut self.touching, report.touching);
        self.points += report.points;
        self.begun += world.events().begun.len();
        self.ended += world.events().ended.len();
        self.cut += usize::from(report.unproven > 0);
        self.unproven += report.unproven;
    }

    pub(super) fn report(&self, world: &World, hash: String) -> ReportJson {
        let steps = self.times.len();
        let mean = |sum: usize| if steps == 0 { 0.0 } else { sum as f64 / steps as f64 };
        let spent: f64 = self.times.iter().sum();
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
            touches_begun: self.begun,
            touches_ended: self.ended,
            steps_cut: self.cut,
            pairs_unproven: self.unproven,
            step_seconds: self.step_seconds(),
            stages: stages.map(|(stage, spent)| StageJson { stage: stage.name(), share: share(spent) }).collect(),
            real_time_factor: if spent > 0.0 { world.time() / spent } else { 0.0 },
        }
    }

    fn step_seconds(&self) -> StepSeconds {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * sorted.len().saturating_sub(1) as f64).ceil() as usize;
            sorted.get(place).copied().unwrap_or(0.0)
        };
        StepSeconds { min: at(0.0), median: at(0.5), p99: at(0.99), max: at(1.0) }
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
    writeln!(
        out,
        "{} bodies · {} steps · {:.3} s simulated, {:.1} times as fast as real time · {}",
        grouped(report.bodies),
        grouped(report.steps),
        report.seconds,
        report.real_time_factor,
        stages.join(", "),
    )?;
    writeln!(
        out,
        "{} touches begun, {} ended, {} contact points told · broad phase {} · state {}",
        grouped(report.touches_begun),
        grouped(report.touches_ended),
        grouped(report.contact_points),
        report.broad_phase,
        report.hash,
    )?;
    if report.steps_cut > 0 {
        writeln!(
            out,
            "{} steps met their deadline: {} pairs may touch and were not looked at",
            grouped(report.steps_cut),
            grouped(report.pairs_unproven),
        )?;
    }
    Ok(())
}

fn spent(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
