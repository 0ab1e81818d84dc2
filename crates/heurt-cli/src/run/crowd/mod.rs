//! Runs a scene of a crowd: agents walk until the last one has left or the time is over.
//!
//! In: the scene and the options of `heurt run`. Out: a table, trajectories, a report, a picture.

mod report;

use super::report::{StepSeconds, Times};
use super::{MAX_STEPS, Order, RunArguments, too_many_steps};
use crate::Failure;
use crate::files::NotedFiles;
use crate::interrupt::interrupted;
use crate::output::{Output, printable, to_file};
use crate::progress::Progress;
use crate::status::Status;
use heurt::crowd::Crowd;
use heurt::geometry::{FloorArea, Vec3};
use heurt::io::{TrajectoryFormat, TrajectoryWriter, WriteError};
use heurt::scene::describe::LocatedFault;
use heurt::scene::{CrowdReportJson, CrowdRunFacts, CrowdScene, RecordHeader, trajectory_header, trajectory_step};
use heurt::view::picture::{Caption, LegendEntry};
use heurt::view::{ROAD_COLOUR, draw_crowd, speed_colour};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The most faults that are printed: a group of a thousand agents outside the floor has one cause.
const SHOWN_FAULTS: usize = 20;

/// Refuses options that only scenes of bodies have.
fn check_options(arguments: &RunArguments) -> Result<(), Failure> {
    let given = [
        ("view", arguments.view),
        ("follow", arguments.follow.is_some()),
        ("video", arguments.video.is_some()),
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
    let steps = count_steps(arguments, order, &scene)?;
    let wanted = scene.count_agents();
    let (mut crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    if arguments.force {
        // Part of the result: printed with --quiet, too.
        eprintln!("{left_out} of {wanted} agents left out");
    }
    let mut times = Times::default();
    let progress = Progress::new("steps", steps, arguments.quiet);
    let ended = match &arguments.trajectories {
        None => take_steps(&mut crowd, steps, step, &mut times, &progress, |_, _| Ok(())),
        Some(path) => write_steps(path, &mut crowd, steps, step, &mut times, &progress),
    };
    drop(progress);
    ended?;
    let StepSeconds { min, median, p99, max } = times.seconds();
    let facts = CrowdRunFacts { steps: times.count, left_out, origin, step_seconds: [min, median, p99, max] };
    write_picture(arguments, order, &crowd, &roads)?;
    let json = CrowdReportJson::new(&crowd, &facts);
    if let Some(path) = &arguments.report {
        to_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &json).map_err(std::io::Error::from)?;
            Ok::<_, WriteError>(writeln!(file)?)
        })?;
    }
    if !arguments.quiet {
        report::print(&crowd, &facts, out).map_err(Failure::output)?;
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
        shown.push(format!("{left} more faults"));
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

/// Takes steps and writes each to a file.
fn write_steps(
    path: &Path,
    crowd: &mut Crowd,
    steps: u64,
    step: f64,
    times: &mut Times,
    progress: &Progress,
) -> Result<(), Failure> {
    let failed = |source| Failure::Trajectories { path: path.to_owned(), source: Box::new(source) };
    let mut writer = TrajectoryWriter::create(path, &trajectory_header(crowd, step)).map_err(failed)?;
    for agent in crowd.agents() {
        writer.set_radius(u64::from(agent.id), agent.radius).map_err(failed)?;
    }
    writer.push(&trajectory_step(crowd, 0)).map_err(failed)?;
    take_steps(crowd, steps, step, times, progress, |number, crowd| {
        writer.push(&trajectory_step(crowd, number)).map_err(failed)
    })?;
    writer.finish().map_err(failed)
}

/// Takes steps until all agents have left, the time is over or a signal comes.
fn take_steps(
    crowd: &mut Crowd,
    steps: u64,
    step: f64,
    times: &mut Times,
    progress: &Progress,
    mut write: impl FnMut(u64, &Crowd) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let interrupted = interrupted();
    for number in 1..=steps {
        if crowd.is_empty() || interrupted.load(Ordering::Relaxed) {
            break;
        }
        let started = Instant::now();
        crowd.step(step);
        times.add(started.elapsed().as_secs_f64());
        write(number, crowd)?;
        progress.step();
    }
    Ok(())
}

fn write_picture(arguments: &RunArguments, order: &Order, crowd: &Crowd, roads: &[FloorArea]) -> Result<(), Failure> {
    if arguments.picture.path().is_none() {
        return Ok(());
    }
    let (drawing, bounds) = draw_crowd(crowd, roads);
    let (agents, arrived) = (crowd.agents().len(), crowd.report().arrived);
    let line = format!("{:.2} s: {agents} agents present, {arrived} have left", crowd.time());
    let entry = |share: f64, name: &str| LegendEntry { colour: speed_colour(share), name: name.to_owned() };
    let mut legend = vec![entry(1.0, "full speed"), entry(0.5, "half speed"), entry(0.0, "at rest")];
    if !roads.is_empty() {
        legend.push(LegendEntry { colour: ROAD_COLOUR, name: "roads".to_owned() });
    }
    let caption = Caption { title: super::title_of(order), lines: vec![line], unit: "m".to_owned(), legend };
    arguments.picture.write(&drawing, &bounds, Vec3::Z, &caption, arguments.quiet)
}
