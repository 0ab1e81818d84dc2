//! Summary of the response of a run: energy, momentum, residual, impacts.
//!
//! In: the energy of each state and the report of each step. Out: an object of the report, and a line for people.
//! Guarantees: sums and maxima only, constant memory.

use crate::check::grouped;
use heurt::world::{Response, ResponseReport, World};
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
    /// Dynamic bodies that sleep after the last step.
    asleep: u32,
}

/// The response of a run, for programs.
#[derive(Debug, Serialize)]
pub(super) struct ResponseJson {
    /// As the scene names it; `auto` chooses one of two.
    solver: &'static str,
    energy: RunEnergyJson,
    /// The largest error of momentum in a solve, in N s; null for `soft-step`, which does not measure it.
    momentum_error: Option<f64>,
    /// The largest residual of a solve, in m/s; null for `soft-step`.
    worst_residual: Option<f64>,
    /// Impacts at which a step went back to their time.
    impacts: u64,
    /// Islands and contact points that were solved, over all steps.
    islands: u64,
    points_solved: u64,
    /// Seconds in which bodies did not rebound, since a step had too many impacts.
    calm_seconds: f64,
    /// Dynamic bodies that sleep at the end; null for `impulse-lcp`, with which no body sleeps.
    asleep: Option<u32>,
}

#[derive(Debug, Serialize)]
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
        self.asleep = report.asleep;
    }

    /// Returns the report; `None` for worlds without a response.
    pub(super) fn report(&self, world: &World) -> Option<ResponseJson> {
        let response = world.settings().response;
        let [start, end] = self.ends.unwrap_or_default();
        // Only exact solves count islands.
        let is_measured = self.islands > 0 || self.points == 0;
        (response != Response::None).then(|| ResponseJson {
            solver: response.name(),
            energy: RunEnergyJson { start, end, largest_gain: self.largest_gain.unwrap_or(0.0) },
            momentum_error: is_measured.then_some(self.momentum_error),
            worst_residual: is_measured.then_some(self.residual),
            impacts: self.impacts,
            islands: self.islands,
            points_solved: self.points,
            calm_seconds: self.calm_seconds,
            asleep: (!is_measured).then_some(self.asleep),
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
        let solved = match self.worst_residual.zip(self.momentum_error) {
            Some((residual, error)) => format!(
                "{} impacts, {} islands · worst residual {residual:.1e} m/s, momentum error {error:.1e} N s{calm}",
                grouped(self.impacts as usize),
                grouped(self.islands as usize),
            ),
            None => format!(
                "{} contact points solved, without a residual · asleep at the end: {}",
                grouped(self.points_solved as usize),
                grouped(self.asleep.unwrap_or(0) as usize),
            ),
        };
        format!(
            "response {} · energy {start:.4e} J at the start, {end:.4e} J at the end, largest gain in a step \
             {largest_gain:.1e} J\n{solved}",
            self.solver,
        )
    }
}
