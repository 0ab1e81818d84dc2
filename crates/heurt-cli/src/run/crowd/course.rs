//! The run of a crowd of any kind: steps until the last agent has left or the time is over, and all outputs.

use super::super::report::{StepSeconds, Times};
use super::super::video::Video;
use super::super::{Order, RunArguments, Turn, title_of};
#[cfg(feature = "view")]
use super::live::LiveCrowd;
#[cfg(not(feature = "view"))]
use super::no_live::NoLiveCrowd as LiveCrowd;
use super::outlines::OutlineFile;
use super::picture::{CrowdLook, FilmedCrowd};
use super::report;
use crate::Failure;
use crate::check::counted;
use crate::interrupt::interrupted;
use crate::output::{Output, to_file};
use crate::progress::Progress;
use crate::status::Status;
use heurt::crowd::CrowdReport;
use heurt::io::{LonLat, TrajectoryHeader, TrajectoryStep, TrajectoryWriter, WriteError};
use heurt::scene::{CrowdReportJson, CrowdRunFacts};
use heurt::view::AgentView;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A crowd that runs.
pub(super) trait CrowdRun {
    fn take_step(&mut self, step: f64);
    fn is_over(&self) -> bool;
    fn seconds(&self) -> f64;
    /// Lists the radii of all agents by number, in metres.
    fn radii(&self) -> Vec<(u32, f64)>;
    fn header(&self, step: f64) -> TrajectoryHeader;
    fn rows(&self, number: u64) -> TrajectoryStep;
    /// Writes the corners of outlines as rows; none of discs and balls.
    fn outlines(&self, step: u64) -> String;
    fn summary(&self) -> CrowdReport;
    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson;
}

/// How long a crowd runs, and the numbers of its start.
pub(super) struct CoursePlan {
    /// Seconds.
    pub step: f64,
    pub steps: u64,
    /// Someone who watches decides when it ends.
    pub is_endless: bool,
    /// Agents of the scene, and of them those left out for their faults.
    pub agents: usize,
    pub left_out: usize,
    /// Longitude and latitude of the origin of a map.
    pub origin: Option<LonLat>,
}

/// A run in progress.
struct CrowdCourse<'a, C, V> {
    crowd: C,
    look: CrowdLook<V>,
    live: Option<LiveCrowd>,
    video: Option<Video>,
    writer: Option<TrajectoryWriter>,
    outlines: Option<OutlineFile>,
    times: Times,
    arguments: &'a RunArguments,
}

/// Runs agents of a scene without faults, or without those left out.
pub(super) fn run_crowd<C: CrowdRun, V: AgentView<C>>(
    arguments: &RunArguments,
    order: &Order,
    (crowd, view): (C, V),
    plan: &CoursePlan,
    out: &mut Output,
) -> Result<Status, Failure> {
    if arguments.force {
        // Part of the result: printed with --quiet, too.
        eprintln!("{} of {} left out", plan.left_out, counted(plan.agents, "agent", "agents"));
    }
    let look = CrowdLook::new(arguments, &crowd, view, title_of(order))?;
    let mut course = CrowdCourse::new(arguments, crowd, look, plan)?;
    course.run(plan)?;
    let CrowdCourse { crowd, look, times, .. } = course;
    let StepSeconds { min, median, p99, max } = times.seconds();
    let (steps, left_out, origin) = (times.count, plan.left_out, plan.origin);
    let facts = CrowdRunFacts { steps, left_out, origin, step_seconds: [min, median, p99, max] };
    look.write(&crowd, &arguments.picture, arguments.quiet)?;
    let json = crowd.json(&facts);
    if let Some(path) = &arguments.report {
        to_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &json).map_err(std::io::Error::from)?;
            Ok::<_, WriteError>(writeln!(file)?)
        })?;
    }
    if !arguments.quiet {
        report::print(&crowd.summary(), crowd.seconds(), &facts, out).map_err(Failure::output)?;
    }
    out.finish()?;
    Ok(Status::Clear)
}

impl<'a, C: CrowdRun, V: AgentView<C>> CrowdCourse<'a, C, V> {
    /// Opens all outputs.
    fn new(arguments: &'a RunArguments, crowd: C, look: CrowdLook<V>, plan: &CoursePlan) -> Result<Self, Failure> {
        let shown_steps = (!plan.is_endless).then_some(plan.steps);
        let live = arguments.view.then(|| LiveCrowd::start(&arguments.page, &crowd, &look, (plan.step, shown_steps)));
        let live = live.transpose()?;
        let filmed = FilmedCrowd { crowd: &crowd, look: &look };
        let video = arguments.video.as_deref().map(|path| Video::create(path, &filmed, plan.step, &arguments.picture));
        let video = video.transpose()?;
        let create = |path: &std::path::PathBuf| {
            let mut writer = TrajectoryWriter::create(path, &crowd.header(plan.step))?;
            // Points have no radius in a file.
            let mut radii = crowd.radii().into_iter().filter(|&(_, radius)| radius > 0.0);
            radii.try_for_each(|(agent, radius)| writer.set_radius(u64::from(agent), radius))?;
            Ok(writer)
        };
        let writer = arguments.trajectories.as_ref().map(create).transpose();
        let writer = writer.map_err(|source| bad_trajectories(arguments, source))?;
        let outlines = arguments.outlines.as_deref().map(OutlineFile::create).transpose()?;
        Ok(Self { crowd, look, live, video, writer, outlines, times: Times::default(), arguments })
    }

    /// Takes all steps and closes the outputs; viewers then see the last state until the run is stopped.
    fn run(&mut self, plan: &CoursePlan) -> Result<(), Failure> {
        let progress = Progress::new("steps", plan.steps, self.arguments.quiet || plan.is_endless);
        let interrupted = interrupted();
        let ended = self.take_steps(plan, &progress, &interrupted);
        if let Some(live) = self.live.as_mut().filter(|_| !interrupted.load(Ordering::Relaxed)) {
            let reason = match &ended {
                Ok(()) if self.crowd.is_over() => "the last agent has left".to_owned(),
                Ok(()) => "the last step was taken".to_owned(),
                Err(failure) => failure.line(),
            };
            live.linger((&self.crowd, &self.look.view), &reason, &interrupted);
        }
        drop(progress);
        let written = self.writer.take().map_or(Ok(()), TrajectoryWriter::finish);
        let outlined = self.outlines.take().map_or(Ok(()), OutlineFile::finish);
        let filmed = self.video.take().map_or(Ok(()), Video::finish);
        ended?;
        written.map_err(|source| bad_trajectories(self.arguments, source))?;
        outlined.and(filmed)
    }

    fn take_steps(&mut self, plan: &CoursePlan, progress: &Progress, interrupted: &AtomicBool) -> Result<(), Failure> {
        for number in 0..=plan.steps {
            let mut seconds = 0.0;
            if number > 0 {
                if self.crowd.is_over() || interrupted.load(Ordering::Relaxed) {
                    break;
                }
                if let Some(live) = &mut self.live
                    && live.await_turn((&self.crowd, &self.look.view), plan.step, interrupted) == Turn::End
                {
                    break;
                }
                let started = Instant::now();
                self.crowd.take_step(plan.step);
                seconds = started.elapsed().as_secs_f64();
                self.times.add(seconds);
                progress.step();
            }
            self.write_state(number, seconds, interrupted)?;
        }
        Ok(())
    }

    /// Writes a state to all outputs.
    fn write_state(&mut self, number: u64, seconds: f64, interrupted: &AtomicBool) -> Result<(), Failure> {
        let Self { crowd, look, arguments, .. } = self;
        let rows = |to: &mut TrajectoryWriter| to.push(&crowd.rows(number));
        let written = self.writer.iter_mut().try_for_each(rows);
        written.map_err(|source| bad_trajectories(arguments, source))?;
        self.outlines.iter_mut().try_for_each(|file| file.push(&crowd.outlines(number)))?;
        let filmed = FilmedCrowd { crowd: &*crowd, look: &*look };
        self.video.iter_mut().try_for_each(|video| video.step(&filmed, interrupted))?;
        if let Some(live) = &mut self.live {
            live.note_step((crowd, &look.view), number, seconds);
        }
        Ok(())
    }
}

fn bad_trajectories(arguments: &RunArguments, source: heurt::io::TrajectoryWriteError) -> Failure {
    let path = arguments.trajectories.clone().unwrap_or_default();
    Failure::Trajectories { path, source: Box::new(source) }
}
