//! Runs a scene of a crowd: agents walk until the last one has left or the time is over.
//!
//! In: the scene and the options of `heurt run`. Out: a table, trajectories, a report, pictures, a live page.

#[cfg(feature = "view")]
mod live;
#[cfg(not(feature = "view"))]
mod no_live;
mod outlines;
mod picture;
mod report;
mod space;
mod surface;

pub(super) use picture::layer_parser;

use super::report::{StepSeconds, Times};
use super::video::Video;
use super::{MAX_STEPS, Order, RunArguments, Turn, title_of, too_many_steps};
use crate::Failure;
use crate::check::counted;
use crate::files::NotedFiles;
use crate::interrupt::interrupted;
use crate::output::{Output, printable, to_file};
use crate::progress::Progress;
use crate::status::Status;
use heurt::crowd::Crowd;
use heurt::io::{TrajectoryFormat, TrajectoryWriter, WriteError};
use heurt::scene::describe::LocatedFault;
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, CrowdScene, RecordHeader, SpaceScene, SurfaceScene, outline_rows,
    trajectory_header, trajectory_step,
};
#[cfg(feature = "view")]
use live::LiveCrowd;
#[cfg(not(feature = "view"))]
use no_live::NoLiveCrowd as LiveCrowd;
use outlines::OutlineFile;
use picture::{CrowdLook, FilmedCrowd};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The most faults that are printed: a group of a thousand agents outside the floor has one cause.
const SHOWN_FAULTS: usize = 20;

/// Refuses options that only scenes of bodies have.
fn check_options(arguments: &RunArguments) -> Result<(), Failure> {
    let given = [
        ("control", arguments.control.is_some()),
        ("trace", arguments.trace.is_some()),
        ("events", arguments.events.is_some()),
        ("static-pairs", arguments.static_pairs),
        ("record", arguments.record.is_some()),
        ("problem", arguments.problem.is_some()),
        ("tree", arguments.tree.is_some()),
        ("section", arguments.picture.section.is_some()),
    ];
    if let Some(&(option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::NotForCrowds { option });
    }
    let is_known = |path: &Path| {
        let format = path.to_str().and_then(TrajectoryFormat::from_extension);
        format.is_some_and(TrajectoryFormat::can_be_written)
    };
    match &arguments.trajectories {
        Some(path) if !is_known(path) => Err(Failure::NoTrajectoryFormat { path: path.clone() }),
        _ => Ok(()),
    }
}

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    if SurfaceScene::is_surface(&order.header.scene) {
        return surface::run(arguments, order, out);
    }
    if SpaceScene::is_space(&order.header.scene) {
        return space::run(arguments, order, out);
    }
    check_options(arguments)?;
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let mut scene = CrowdScene::read(text, folder, &NotedFiles).map_err(|fault| order.bad_scene(fault))?;
    if let Some(seed) = arguments.seed {
        scene.settings.seed = seed;
    }
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    let (step, origin) = (scene.step, scene.origin);
    let roads = std::mem::take(&mut scene.roads);
    // Someone who watches decides when it ends.
    let is_endless = arguments.view && arguments.steps.is_none() && arguments.seconds.is_none();
    let steps = if is_endless { MAX_STEPS } else { count_steps(arguments, order, &scene)? };
    let wanted = scene.count_agents();
    let (crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    if arguments.force {
        // Part of the result: printed with --quiet, too.
        eprintln!("{left_out} of {} left out", counted(wanted, "agent", "agents"));
    }
    let look = CrowdLook::new(arguments, (&crowd, &roads), title_of(order))?;
    let shown_steps = (!is_endless).then_some(steps);
    let live = arguments.view.then(|| LiveCrowd::start(&arguments.page, &crowd, &look, (step, shown_steps)));
    let live = live.transpose()?;
    let filmed = FilmedCrowd { crowd: &crowd, look: &look };
    let video = arguments.video.as_deref().map(|path| Video::create(path, &filmed, step, &arguments.picture));
    let video = video.transpose()?;
    let mut course = CrowdCourse { crowd, look, live, video, times: Times::default() };
    let progress = Progress::new("steps", steps, arguments.quiet || is_endless);
    let mut outlines = arguments.outlines.as_deref().map(OutlineFile::create).transpose()?;
    let write_outlines =
        |number: u64, crowd: &Crowd| outlines.iter_mut().try_for_each(|file| file.push(&outline_rows(crowd, number)));
    let ended = match &arguments.trajectories {
        None => course.run(steps, step, &progress, write_outlines),
        Some(path) => course.write_steps(path, (steps, step), &progress, write_outlines),
    };
    let ended = ended.and_then(|()| outlines.map_or(Ok(()), OutlineFile::finish));
    drop(progress);
    let CrowdCourse { crowd, look, video, times, .. } = course;
    let filmed = video.map_or(Ok(()), Video::finish);
    ended.and(filmed)?;
    let StepSeconds { min, median, p99, max } = times.seconds();
    let facts = CrowdRunFacts { steps: times.count, left_out, origin, step_seconds: [min, median, p99, max] };
    look.write(&crowd, &arguments.picture, arguments.quiet)?;
    let json = CrowdReportJson::new(&crowd, &facts);
    if let Some(path) = &arguments.report {
        to_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &json).map_err(std::io::Error::from)?;
            Ok::<_, WriteError>(writeln!(file)?)
        })?;
    }
    if !arguments.quiet {
        report::print(&crowd.report(), crowd.time(), &facts, out).map_err(Failure::output)?;
    }
    out.finish()?;
    Ok(Status::Clear)
}

/// Computes the number of steps.
fn count_steps(arguments: &RunArguments, order: &Order, scene: &CrowdScene) -> Result<u64, Failure> {
    let seconds = arguments.seconds.unwrap_or(scene.seconds);
    let steps = arguments.steps.unwrap_or((seconds / scene.step).round() as u64);
    if steps <= MAX_STEPS {
        return Ok(steps);
    }
    Err(too_many_steps(arguments, scene.step).unwrap_or_else(|| order.bad_scene(scene.lasts_too_long(MAX_STEPS))))
}

/// Prints faults: all as notes with `--force`; else all but the first, which is returned.
fn report_faults(arguments: &RunArguments, order: &Order, faults: Vec<LocatedFault>) -> Result<(), Failure> {
    let left = faults.len().saturating_sub(SHOWN_FAULTS);
    let mut faults = faults.into_iter().take(SHOWN_FAULTS);
    let first = if arguments.force { None } else { faults.next() };
    let mut shown = Vec::new();
    for fault in faults {
        shown.push(format!("{}, line {}: {}", order.path.display(), fault.line, printable(&fault.reason)));
    }
    if left > 0 {
        shown.push(counted(left, "more fault", "more faults"));
    }
    for line in &shown {
        eprintln!("note: {line}");
    }
    match first {
        None => Ok(()),
        Some(fault) => {
            let help = "mend the scene, or run it with --force without the faulty agents; docs/crowds.md has every key";
            Err(order.bad_scene(LocatedFault { help, ..fault }))
        }
    }
}

/// A run of a crowd in progress.
struct CrowdCourse {
    crowd: Crowd,
    look: CrowdLook,
    live: Option<LiveCrowd>,
    video: Option<Video>,
    times: Times,
}

impl CrowdCourse {
    /// Takes steps and writes each to a file.
    fn write_steps(
        &mut self,
        path: &Path,
        (steps, step): (u64, f64),
        progress: &Progress,
        mut write: impl FnMut(u64, &Crowd) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failed = |source| Failure::Trajectories { path: path.to_owned(), source: Box::new(source) };
        let mut writer = TrajectoryWriter::create(path, &trajectory_header(&self.crowd, step)).map_err(failed)?;
        for agent in self.crowd.agents() {
            writer.set_radius(u64::from(agent.id), agent.radius).map_err(failed)?;
        }
        self.run(steps, step, progress, |number, crowd| {
            write(number, crowd)?;
            writer.push(&trajectory_step(crowd, number)).map_err(failed)
        })?;
        writer.finish().map_err(failed)
    }

    /// Takes steps until all agents have left, the time is over or a signal comes; then viewers see the last state.
    fn run(
        &mut self,
        steps: u64,
        step: f64,
        progress: &Progress,
        write: impl FnMut(u64, &Crowd) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let interrupted = interrupted();
        let ended = self.take_steps(steps, step, progress, &interrupted, write);
        if let Some(live) = self.live.as_mut().filter(|_| !interrupted.load(Ordering::Relaxed)) {
            let reason = match &ended {
                Ok(()) if self.crowd.is_empty() => "the last agent has left".to_owned(),
                Ok(()) => "the last step was taken".to_owned(),
                Err(failure) => failure.line(),
            };
            live.linger(&self.crowd, &reason, &interrupted);
        }
        ended
    }

    fn take_steps(
        &mut self,
        steps: u64,
        step: f64,
        progress: &Progress,
        interrupted: &AtomicBool,
        mut write: impl FnMut(u64, &Crowd) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for number in 0..=steps {
            let mut seconds = 0.0;
            if number > 0 {
                if self.crowd.is_empty() || interrupted.load(Ordering::Relaxed) {
                    break;
                }
                if let Some(live) = &mut self.live
                    && live.await_turn(&self.crowd, step, interrupted) == Turn::End
                {
                    break;
                }
                let started = Instant::now();
                self.crowd.step(step);
                seconds = started.elapsed().as_secs_f64();
                self.times.add(seconds);
                progress.step();
            }
            write(number, &self.crowd)?;
            let filmed = FilmedCrowd { crowd: &self.crowd, look: &self.look };
            self.video.iter_mut().try_for_each(|video| video.step(&filmed, interrupted))?;
            if let Some(live) = &mut self.live {
                live.note_step(&self.crowd, number, seconds);
            }
        }
        Ok(())
    }
}
