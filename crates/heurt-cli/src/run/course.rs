//! A run in progress: steps, with what is done before and after each of them.
//!
//! Method: before a step, viewers and control lines get their turn; after it, the state is traced, recorded, drawn and
//! compared with a replay.

use super::Turn;
use super::contact_log::LoggedContacts;
use super::control::{Control, Origin};
use super::control_input::ControlInput;
#[cfg(feature = "view")]
use super::live::LiveRun;
#[cfg(not(feature = "view"))]
use super::no_live::NoLiveRun as LiveRun;
use super::picture::FilmedWorld;
use super::record_file::Recorder;
use super::report::RunSummary;
use super::tracer::Tracer;
use super::video::Video;
use crate::interrupt::interrupted;
use crate::progress::Progress;
use crate::{Failure, output};
use heurt::scene::{RecordStep, SceneNames, hash_text, line_of};
use heurt::world::{BodyId, StepOptions, World, WorldError};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A run in progress.
pub(super) struct Course<'o> {
    pub(super) world: World,
    pub(super) names: SceneNames,
    pub(super) tracer: Option<Tracer>,
    pub(super) recorder: Option<Recorder>,
    /// The states of a replay.
    pub(super) expected: Option<&'o [RecordStep]>,
    pub(super) control: Control,
    pub(super) input: Option<ControlInput>,
    pub(super) live: Option<LiveRun>,
    pub(super) video: Option<Video>,
    pub(super) title: String,
    /// The body that stays in the middle of pictures.
    pub(super) followed: Option<BodyId>,
    /// Number of states that were reported, including the initial state.
    pub(super) seen: u64,
    /// The first step whose state is not the expected one.
    pub(super) differs: Option<u64>,
    pub(super) summary: RunSummary,
    pub(super) contacts: LoggedContacts,
}

impl Course<'_> {
    /// Takes steps until the last one, until a state is not the expected one, or until it is interrupted.
    pub(super) fn run(
        &mut self,
        steps: u64,
        step: f64,
        deadline: Option<f64>,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let interrupted = interrupted();
        let ended = self.take_steps(steps, step, deadline, progress, &interrupted);
        let verdict = self.verdict();
        if let Some(live) = self.live.as_mut().filter(|_| !interrupted.load(Ordering::Relaxed)) {
            let reason = match &ended {
                Ok(()) => verdict.unwrap_or_else(|| "the last step was taken".to_owned()),
                Err(failure) => failure.line(),
            };
            live.linger(&self.world, &mut self.control, &reason, &interrupted);
        }
        ended
    }

    fn take_steps(
        &mut self,
        steps: u64,
        step: f64,
        deadline: Option<f64>,
        progress: &Progress,
        interrupted: &AtomicBool,
    ) -> Result<(), Failure> {
        let started = Instant::now();
        let clock = || started.elapsed().as_secs_f64();
        let options = StepOptions { clock: Some(&clock), deadline };
        for at in 0..=steps {
            let begun = self.world.time();
            let (mut applied, mut stages) = (Vec::new(), None);
            if at > 0 {
                if let Some(live) = &mut self.live {
                    if live.await_turn(&self.world, &mut self.control, step, interrupted) == Turn::End {
                        break;
                    }
                    live.pull(&self.world, &mut self.control, step);
                    self.world.record_paths(live.shows_paths());
                }
                applied = self.apply_control(at, step, interrupted)?;
                self.summary.begin_step(&self.world);
                let report = self.world.step_with(step, &options);
                let report = report.map_err(|error| Failure::Stopped {
                    step: at - 1,
                    reason: describe_error(&error, &self.names.bodies),
                })?;
                self.summary.add(&report);
                self.summary.end_step(&self.world, step);
                stages = Some(report.seconds);
                progress.step();
            }
            self.write_step(at, begun, applied, interrupted)?;
            if let Some(live) = &mut self.live {
                live.note_step(&self.world, &mut self.control, stages.as_ref());
            }
            if self.differs.is_some() || interrupted.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    /// Applies what viewers, standard input or a record do to bodies before step `at`; returns what took effect.
    fn apply_control(&mut self, at: u64, step: f64, interrupted: &AtomicBool) -> Result<Vec<Value>, Failure> {
        if let Some(recorded) = self.expected.and_then(|expected| expected.get(at as usize)) {
            for object in &recorded.control {
                let accepted = self.control.accept(&self.world, object.clone(), Origin::File);
                accepted.map_err(|error| Failure::Stopped { step: at - 1, reason: error.to_string() })?;
            }
        }
        if let Some(input) = &mut self.input {
            // The page has its own pace.
            let pace = self.live.is_none().then_some(step);
            input.pass_lines(&self.world, &mut self.control, pace, interrupted);
        }
        let (applied, refused) = self.control.apply(&mut self.world, step);
        for (origin, error) in refused {
            eprintln!("control: step {at}: {}", output::printable(&error.to_string()));
            if let Some(live) = &self.live {
                live.refuse_object(origin, &error);
            }
        }
        Ok(applied)
    }

    /// Reports the state after a step, which began at `begun`.
    fn write_step(
        &mut self,
        step: u64,
        begun: f64,
        control: Vec<Value>,
        interrupted: &AtomicBool,
    ) -> Result<(), Failure> {
        let energy = self.world.energy();
        let [momentum, angular_momentum] = self.world.momentum();
        // Computed for every run: the chosen outputs never decide how long a run lasts.
        let are_numbers = [momentum, angular_momentum].iter().all(|sum| sum.is_finite());
        if !(are_numbers && energy.kinetic.is_finite() && energy.potential.is_finite()) {
            let reason = "energy and momentum of its bodies are beyond the range of numbers: choose other units";
            return Err(Failure::Stopped { step, reason: reason.to_owned() });
        }
        self.summary.add_energy(energy);
        self.tracer.iter_mut().try_for_each(|tracer| tracer.step(&self.world, &self.names, begun))?;
        self.contacts.step(&self.world, &self.names.bodies, begun)?;
        let filmed = FilmedWorld { world: &self.world, title: &self.title, followed: self.followed };
        self.video.iter_mut().try_for_each(|video| video.step(&filmed, interrupted))?;
        let expected = self.expected.and_then(|expected| expected.get(step as usize));
        if self.recorder.is_some() || expected.is_some() {
            let hash = hash_text(self.world.state_hash());
            if let Some(recorder) = &mut self.recorder {
                recorder.step(step, &hash, control)?;
            }
            if expected.is_some_and(|expected| expected.hash != hash) {
                self.differs = Some(step);
            }
        }
        self.seen += 1;
        Ok(())
    }

    /// Returns the result of a replay, in words; nothing for other runs.
    pub(super) fn verdict(&self) -> Option<String> {
        let (seen, count) = (self.seen, self.expected?.len());
        Some(match self.differs {
            Some(step) => format!("the replay differs from step {step} on"),
            None if seen < count as u64 => format!("the replay was interrupted: the same in {seen} of {count} states"),
            None => format!("the replay is the same in all {count} states"),
        })
    }
}

/// Describes the error that stopped the world, with its causes and bodies.
fn describe_error(error: &WorldError, names: &[String]) -> String {
    let line = line_of(error);
    match error {
        WorldError::Flight { id, .. }
        | WorldError::Deform { id, .. }
        | WorldError::Collapsed { id }
        | WorldError::Crowded { id, .. } => {
            format!("`{}`: {line}", names[id.index()])
        }
        _ => line,
    }
}
