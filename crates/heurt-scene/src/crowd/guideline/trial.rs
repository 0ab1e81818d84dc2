//! Trial: a scene of a guideline test, built with the model of the settings and run.
//!
//! In: the name of an embedded scene. Out: a crowd that runs to its end, step by step, with each state shown to an
//! observer; its trajectories.
//! Guarantees: a run ends when all have left, or after the time of the scene. Cost: as the crowd.

use super::embedded::{Embedded, text_of};
use super::{GuidelineOutcome, GuidelineSettings};
use crate::crowd::CrowdScene;
use crate::describe::located::LocatedFault;
use heurt_crowd::measure::{Crossings, Trajectories};
use heurt_crowd::{Crowd, SteeringModel};
use heurt_geometry::Vec2;
use std::path::Path;

/// The outcome of a test, and what was measured.
#[derive(Debug)]
pub(super) struct Finding {
    pub outcome: GuidelineOutcome,
    pub figure: String,
}

/// A finding, or the fault of a scene.
pub(super) type Found = Result<Finding, LocatedFault>;

/// Returns the finding of a test with a limit.
pub(super) fn judged(is_met: bool, figure: String) -> Found {
    let outcome = if is_met { GuidelineOutcome::Passed } else { GuidelineOutcome::Failed };
    Ok(Finding { outcome, figure })
}

/// Returns the finding of a test without a limit.
pub(super) fn measured(figure: String) -> Found {
    Ok(Finding { outcome: GuidelineOutcome::Measured, figure })
}

/// The model and the seed of a test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    model: SteeringModel,
    seed: u64,
    time_gap: Option<f64>,
    exit_flow: Option<f64>,
}

/// A scene that runs.
#[derive(Debug)]
pub(super) struct SceneRun {
    pub crowd: Crowd,
    pub step: f64,
    pub seconds: f64,
}

impl Trial {
    /// Makes a trial; `None` if no model has the name.
    pub fn new(settings: &GuidelineSettings) -> Option<Self> {
        let model = SteeringModel::from_name(&settings.model)?;
        let GuidelineSettings { seed, time_gap, exit_flow, .. } = *settings;
        Some(Self { model, seed, time_gap, exit_flow })
    }

    /// Returns trials with the seed and those after it.
    pub fn repeated(self, count: u64) -> impl Iterator<Item = Self> {
        (0..count).map(move |more| Self { seed: self.seed.wrapping_add(more), ..self })
    }

    /// Builds a scene.
    pub fn begin(&self, name: &str) -> Result<SceneRun, LocatedFault> {
        self.begin_changed(name, None)
    }

    /// Builds a scene with a piece of its text replaced.
    pub fn begin_changed(&self, name: &str, change: Option<(&str, &str)>) -> Result<SceneRun, LocatedFault> {
        let text = text_of(&format!("{name}.toml")).unwrap_or_default();
        let changed = change.map(|(from, to)| text.replace(from, to));
        let mut scene = CrowdScene::read(changed.as_deref().unwrap_or(text), Path::new(""), &Embedded)?;
        (scene.settings.model, scene.settings.seed) = (self.model, self.seed);
        scene.settings.exit_flow = self.exit_flow;
        match (&mut scene.settings.model, self.time_gap) {
            // The model has a time gap of its own.
            (SteeringModel::CollisionFreeSpeed(model), Some(time_gap)) => model.time_gap = time_gap,
            (_, time_gap) => scene.settings.time_gap = time_gap,
        }
        let (step, seconds) = (scene.step, scene.seconds);
        // Faults are at least one.
        let crowd = scene.build().map_err(|mut faults| faults.swap_remove(0))?;
        Ok(SceneRun { crowd, step, seconds })
    }
}

impl SceneRun {
    /// Runs to the end; each state is shown, the first one included.
    pub fn observe(&mut self, mut each: impl FnMut(&Crowd)) {
        each(&self.crowd);
        while !self.crowd.is_empty() && self.crowd.time() < self.seconds - 1e-9 {
            self.crowd.step(self.step);
            each(&self.crowd);
        }
    }

    /// Runs to the end; returns the time of the last, infinite if not all left.
    pub fn finish(&mut self) -> f64 {
        self.observe(|_| ());
        self.time_of_last()
    }

    /// Runs to the end and returns all positions.
    pub fn record(&mut self) -> Trajectories {
        let mut trajectories = Trajectories::new();
        self.observe(|crowd| {
            // Times of a crowd ascend and its positions are finite: no frame is refused.
            let _ = trajectories.push(crowd);
        });
        trajectories
    }

    /// Returns the time of the last, infinite if not all have left.
    pub fn time_of_last(&self) -> f64 {
        let report = self.crowd.report();
        match report.travel_time {
            Some(times) if report.arrived == report.agents => times.max,
            _ => f64::INFINITY,
        }
    }
}

/// Finds the first crossing of each person over a line, in order of time.
pub(super) fn first_crossings(trajectories: &Trajectories, line: [[f64; 2]; 2]) -> Crossings {
    Crossings::new(trajectories, line.map(Vec2::from_array)).first_of_each()
}

/// Formats a time; one that is infinite was not reached.
pub(super) fn seconds(time: f64) -> String {
    if time.is_finite() { format!("{time:.1} s") } else { "never".to_owned() }
}

/// Formats numbers with a separator.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(", ")
}
