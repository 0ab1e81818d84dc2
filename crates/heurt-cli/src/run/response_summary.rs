//! Summary of the response of a run: energy, momentum, residual, impacts.
//!
//! In: the energy of each state and the report of each step. Out: an object of the report, and a line for people.
//! Guarantees: sums and maxima only, constant memory.

use crate::check::grouped;
use heurt::world::{Response, ResponseReport, Settings, World};
use schemars::JsonSchema;
use serde::Serialize;

/// Sums and maxima over the steps of a run.
#[derive(Debug, Default)]
pub(super) struct ResponseSummary {
    /// Energy of the first state and of the last one, in joules.
    ends: Option<[f64; 2]>,
    /// The largest change of energy from a state to the next one, in joules; negative if each step lost energy.
    largest_gain: Option<f64>,
    momentum_error: f64,
    residual: f64,
    impacts: u64,
    islands: u64,
    points: u64,
    calm_seconds: f64,
    /// The most dynamic bodies of a step that were solved exactly, and that soft steps moved.
    exact: u32,
    soft: u32,
    /// The most dynamic bodies of a step that soft steps moved because exact solves exceeded their budget.
    over_budget: u32,
    /// The most work of exact solves in a step.
    work: u64,
    /// Dynamic bodies that sleep after the last step.
    asleep: u32,
}

/// The response of a run, for programs.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct ResponseJson {
    /// As the scene names it; `auto` chooses one of two for each island.
    solver: &'static str,
    energy: RunEnergyJson,
    /// The most dynamic bodies of a step that were solved exactly, and that soft steps moved.
    exact_bodies: u32,
    soft_bodies: u32,
    /// The most of them that soft steps moved because exact solves exceeded their budget.
    over_budget_bodies: u32,
    /// The most work of exact solves in a step: iterations times unknowns.
    most_work: u64,
    /// The largest error of momentum in an exact solve, in N s; null if there was none.
    momentum_error: Option<f64>,
    /// The largest residual of an exact solve, in m/s; null if there was none.
    worst_residual: Option<f64>,
    /// Impacts at which a step went back to their time.
    impacts: u64,
    /// Islands that were solved exactly, and contact points of both solvers, over all steps.
    islands: u64,
    points_solved: u64,
    /// Seconds in which bodies did not rebound, since a step had too many impacts.
    calm_seconds: f64,
    /// Dynamic bodies that sleep at the end; null for `impulse-lcp`, with which no body sleeps.
    asleep: Option<u32>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct RunEnergyJson {
    start: f64,
    end: f64,
    largest_gain: f64,
}

impl ResponseSummary {
    /// Adds the energy of a state.
    pub(super) fn add_energy(&mut self, energy: f64) {
        let [start, last] = self.ends.unwrap_or([energy; 2]);
        if self.ends.is_some() {
            let gain = energy - last;
            self.largest_gain = Some(self.largest_gain.map_or(gain, |largest| largest.max(gain)));
        }
        self.ends = Some([start, energy]);
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &ResponseReport) {
        self.momentum_error = self.momentum_error.max(report.momentum_error);
        self.residual = self.residual.max(report.residual);
        self.impacts += u64::from(report.impacts);
        self.islands += u64::from(report.islands);
        self.points += u64::from(report.contacts);
        self.calm_seconds += report.calm_time;
        (self.exact, self.soft) = (self.exact.max(report.exact), self.soft.max(report.soft));
        (self.over_budget, self.work) = (self.over_budget.max(report.over_budget), self.work.max(report.work));
        self.asleep = report.asleep;
    }

    /// Returns the report; `None` for worlds without a response.
    pub(super) fn report(&self, world: &World) -> Option<ResponseJson> {
        let Settings { response, .. } = *world.settings();
        let [start, end] = self.ends.unwrap_or_default();
        let is_measured = self.exact > 0;
        (response != Response::None).then(|| ResponseJson {
            solver: response.name(),
            exact_bodies: self.exact,
            soft_bodies: self.soft,
            over_budget_bodies: self.over_budget,
            most_work: self.work,
            energy: RunEnergyJson { start, end, largest_gain: self.largest_gain.unwrap_or(0.0) },
            momentum_error: is_measured.then_some(self.momentum_error),
            worst_residual: is_measured.then_some(self.residual),
            impacts: self.impacts,
            islands: self.islands,
            points_solved: self.points,
            calm_seconds: self.calm_seconds,
            asleep: world.settings().sleeps().then_some(self.asleep),
        })
    }
}

impl ResponseJson {
    /// Returns a line for people.
    pub(super) fn line(&self) -> String {
        let RunEnergyJson { start, end, largest_gain } = self.energy;
        let calm = match self.calm_seconds {
            0.0 => String::new(),
            seconds => format!(" · {seconds:.1e} s without rebounds"),
        };
        let mut solved = Vec::new();
        if let Some((residual, error)) = self.worst_residual.zip(self.momentum_error) {
            solved.push(format!(
                "{} impacts, {} islands · worst residual {residual:.1e} m/s, momentum error {error:.1e} N s{calm}",
                grouped(self.impacts as usize),
                grouped(self.islands as usize),
            ));
        }
        if self.soft_bodies > 0 {
            let over_budget = match self.over_budget_bodies {
                0 => String::new(),
                bodies => format!(", {} of them since exact solves exceeded their budget", grouped(bodies as usize)),
            };
            let bodies = grouped(self.soft_bodies as usize);
            solved.push(format!("up to {bodies} bodies in soft steps{over_budget}, without a residual"));
        }
        if let Some(asleep) = self.asleep.filter(|asleep| *asleep > 0) {
            solved.push(format!("asleep at the end: {}", grouped(asleep as usize)));
        }
        let solved = solved.join(" · ");
        format!(
            "response {} · energy {start:.4e} J at the start, {end:.4e} J at the end, largest gain in a step \
             {largest_gain:.1e} J\n{solved}",
            self.solver,
        )
    }
}
