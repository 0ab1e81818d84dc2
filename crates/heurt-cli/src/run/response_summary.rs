//! Summary of the response of a run: energy, momentum, residual, impacts.
//!
//! In: the energy of each state and the report of each step. Out: an object of the report, and a line for people.
//! Guarantees: sums and maxima only, constant memory.

use crate::check::grouped;
use heurt::world::{Response, ResponseReport, RunBalance, Settings, World};
use schemars::JsonSchema;
use serde::Serialize;

/// Sums and maxima over the steps of a run.
#[derive(Debug, Default)]
pub(super) struct ResponseSummary {
    /// Energy of the first state and of the last one, in joules.
    ends: Option<[f64; 2]>,
    /// The largest change of energy from a state to the next one, in joules; negative if each step lost energy.
    largest_gain: Option<f64>,
    balance: RunBalance,
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
    /// The largest residual of an exact solve, in m/s; null if there was none.
    residual: Option<f64>,
    /// Over the whole run, beyond what forces, motors and bodies without mass did: the largest error of the momentum in
    /// N s and of the angular momentum in N m s; null if no step could be judged. The most energy that was made, in J.
    momentum_error: Option<f64>,
    angular_momentum_error: Option<f64>,
    energy_error: f64,
    /// The largest opening of a joint, in metres; null without joints.
    largest_opening: Option<f64>,
    /// The deepest overlap of bodies that push each other as a step ended, in metres.
    deepest: f64,
    /// The speed of approach below which bodies did not rebound, in m/s.
    restitution_threshold: f64,
    /// Impacts at which a step went back to their time.
    impacts: u64,
    /// Islands that were solved exactly, and contact points of both solvers, over all steps.
    islands: u64,
    points_solved: u64,
    /// Seconds in which bodies did not rebound, since a step had too many impacts.
    calm_seconds: f64,
    /// Dynamic bodies that sleep at the end; null for `impulse-lcp`, with which no body sleeps.
    asleep: Option<u32>,
    /// Errors beyond their bounds, in words.
    warnings: Vec<String>,
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

    /// Notes the world before a step.
    pub(super) fn begin_step(&mut self, world: &World) {
        if world.settings().response != Response::None {
            self.balance.begin_step(world);
        }
    }

    /// Notes the world after a step of `dt` seconds.
    pub(super) fn end_step(&mut self, world: &World, dt: f64) {
        self.balance.end_step(world, dt);
    }

    /// Adds a step.
    pub(super) fn add(&mut self, report: &ResponseReport) {
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
        let errors = self.balance.errors();
        (response != Response::None).then(|| ResponseJson {
            solver: response.name(),
            exact_bodies: self.exact,
            soft_bodies: self.soft,
            over_budget_bodies: self.over_budget,
            most_work: self.work,
            energy: RunEnergyJson { start, end, largest_gain: self.largest_gain.unwrap_or(0.0) },
            residual: is_measured.then_some(self.residual),
            momentum_error: errors.momentum,
            angular_momentum_error: errors.angular_momentum,
            energy_error: errors.energy,
            largest_opening: errors.largest_opening,
            deepest: errors.deepest,
            restitution_threshold: world.settings().restitution_threshold_in_force(),
            warnings: errors.warnings(self.soft > 0),
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
        if let Some(residual) = self.residual {
            solved.push(format!(
                "{} impacts, {} islands · worst residual {residual:.1e} m/s{calm}",
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
            let by = if self.solver == Response::Penalty.name() { "on springs" } else { "in soft steps" };
            solved.push(format!("up to {bodies} bodies {by}{over_budget}, without a residual"));
        }
        if let Some(asleep) = self.asleep.filter(|asleep| *asleep > 0) {
            solved.push(format!("asleep at the end: {}", grouped(asleep as usize)));
        }
        let mut errors = vec![format!("energy made {} J", short(self.energy_error))];
        if let Some(error) = self.momentum_error {
            errors.push(format!("momentum off by {} N s", short(error)));
        }
        if let Some(error) = self.angular_momentum_error {
            errors.push(format!("angular momentum by {} N m s", short(error)));
        }
        if let Some(opening) = self.largest_opening {
            errors.push(format!("joints open by {} m", short(opening)));
        }
        errors.push(format!("overlaps up to {} m", short(self.deepest)));
        let mut lines = vec![solved.join(" · "), errors.join(", ")];
        lines.extend(self.warnings.iter().map(|warning| format!("warning: {warning}")));
        lines.retain(|line| !line.is_empty());
        format!(
            "response {} · energy {start:.4e} J at the start, {end:.4e} J at the end, largest gain in a step \
             {largest_gain:.1e} J\n{}",
            self.solver,
            lines.join("\n"),
        )
    }
}

/// A number of one digit.
fn short(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:.0e}") }
}
