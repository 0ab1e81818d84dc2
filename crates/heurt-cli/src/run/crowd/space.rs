//! Runs a scene of agents that fly, until the last one has left or the time is over.
//!
//! In: the scene and the options of `heurt run`. Out: a table, trajectories, a report, pictures, a video.

use super::super::report::{StepSeconds, Times};
use super::super::video::{Filmed, Video};
use super::super::{MAX_STEPS, Order, RunArguments, title_of, too_many_steps};
use super::{check_options, report, report_faults};
use crate::Failure;
use crate::check::counted;
use crate::files::NotedFiles;
use crate::interrupt::interrupted;
use crate::output::{Output, printable, to_file};
use crate::picture::PictureArguments;
use crate::progress::Progress;
use crate::status::Status;
use heurt::crowd::space::{SpaceAgentState, SpaceCrowd};
use heurt::geometry::{Aabb, Camera, Draw, Meaning, Pose, Vec3};
use heurt::io::{TrajectoryWriter, WriteError};
use heurt::map::MapEdges;
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, RecordHeader, SpaceScene, space_trajectory_header, space_trajectory_step,
};
use heurt::shape::{Convex, Shape};
use heurt::view::palette::meaning_colour;
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use heurt::view::{SurfaceOptions, speed_colour, surface_of};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Segments around a ball: hundreds of balls have some pixels each.
const SEGMENTS: u32 = 12;

/// Agents and their look in a picture.
struct FilmedSpace<'c> {
    crowd: &'c SpaceCrowd,
    has_cells: bool,
    title: &'c str,
    bounds: Aabb,
}

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    check_options(arguments)?;
    let layers = arguments.layers.as_deref().unwrap_or_default();
    let has_other_layers = layers.iter().any(|name| name != "cells" && name != "none");
    let given = [
        ("view", arguments.view),
        ("follow", arguments.follow.is_some()),
        ("layers", has_other_layers),
        ("outlines", arguments.outlines.is_some()),
    ];
    if let Some(&(option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::NotInSpace { option });
    }
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let scene = SpaceScene::read_with_seed(text, folder, &NotedFiles, arguments.seed);
    let scene = scene.map_err(|fault| order.bad_scene(fault))?;
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    let step = scene.step;
    let steps = count_steps(arguments, order, &scene)?;
    let wanted = scene.count_agents();
    let (mut crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    if arguments.force {
        // Part of the result: printed with --quiet, too.
        eprintln!("{left_out} of {} left out", counted(wanted, "agent", "agents"));
    }
    let has_cells = layers.iter().any(|name| name == "cells");
    let times = take_steps(arguments, order, &mut crowd, (step, steps, has_cells))?;
    let StepSeconds { min, median, p99, max } = times.seconds();
    let facts = CrowdRunFacts { steps: times.count, left_out, origin: None, step_seconds: [min, median, p99, max] };
    let title = title_of(order);
    FilmedSpace::new(&crowd, has_cells, &title).write(&arguments.picture, arguments.quiet)?;
    let json = CrowdReportJson::of_space(&crowd, &facts);
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
fn count_steps(arguments: &RunArguments, order: &Order, scene: &SpaceScene) -> Result<u64, Failure> {
    let seconds = arguments.seconds.unwrap_or(scene.seconds);
    let steps = arguments.steps.unwrap_or((seconds / scene.step).round() as u64);
    if steps <= MAX_STEPS {
        return Ok(steps);
    }
    Err(too_many_steps(arguments, scene.step).unwrap_or_else(|| order.bad_scene(scene.lasts_too_long(MAX_STEPS))))
}

/// Takes steps until all agents have left, the time is over or a signal comes; writes rows and frames.
fn take_steps(
    arguments: &RunArguments,
    order: &Order,
    crowd: &mut SpaceCrowd,
    (step, steps, has_cells): (f64, u64, bool),
) -> Result<Times, Failure> {
    let title = title_of(order);
    let filmed = FilmedSpace::new(crowd, has_cells, &title);
    let video = arguments.video.as_deref().map(|path| Video::create(path, &filmed, step, &arguments.picture));
    let mut video = video.transpose()?;
    let failed = |source| {
        let path = arguments.trajectories.clone().unwrap_or_default();
        Failure::Trajectories { path, source: Box::new(source) }
    };
    let create = |path: &std::path::PathBuf| TrajectoryWriter::create(path, &space_trajectory_header(crowd, step));
    let mut writer = arguments.trajectories.as_ref().map(create).transpose().map_err(failed)?;
    for agent in crowd.agents() {
        // Points have no radius in a file.
        let mut writer = writer.iter_mut().filter(|_| agent.radius > 0.0);
        writer.try_for_each(|to| to.set_radius(u64::from(agent.id), agent.radius)).map_err(failed)?;
    }
    let interrupted = interrupted();
    let is_interrupted = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let progress = Progress::new("steps", steps, arguments.quiet);
    let mut times = Times::default();
    for number in 0..=steps {
        if number > 0 {
            if crowd.is_empty() || is_interrupted(&interrupted) {
                break;
            }
            let started = Instant::now();
            crowd.step(step);
            times.add(started.elapsed().as_secs_f64());
            progress.step();
        }
        let rows = |to: &mut TrajectoryWriter| to.push(&space_trajectory_step(crowd, number));
        writer.iter_mut().try_for_each(rows).map_err(failed)?;
        let filmed = FilmedSpace::new(crowd, has_cells, &title);
        video.iter_mut().try_for_each(|video| video.step(&filmed, &interrupted))?;
    }
    writer.map_or(Ok(()), TrajectoryWriter::finish).map_err(failed)?;
    video.map_or(Ok(()), Video::finish)?;
    Ok(times)
}

impl<'c> FilmedSpace<'c> {
    fn new(crowd: &'c SpaceCrowd, has_cells: bool, title: &'c str) -> Self {
        let bounds = Aabb::from_points(crowd.environment().geometry().positions().iter().copied());
        Self { crowd, has_cells, title, bounds }
    }

    /// Writes the picture, if a file is named.
    fn write(&self, options: &PictureArguments, is_quiet: bool) -> Result<(), Failure> {
        if options.path().is_none() {
            return Ok(());
        }
        let camera = self.camera(&self.bounds, options, options.size())?;
        let (drawing, caption) = self.draw();
        options.write_from(&camera, &drawing, &caption, is_quiet)
    }

    /// Draws agents as balls, in colours of their own speeds; points as balls of 5 cm.
    fn add_balls(&self, drawing: &mut Drawing) {
        let speeds = self.crowd.agents().map(|agent| agent.speed);
        let [least, most] = speeds.fold([f64::INFINITY, 0.0], |[a, b], speed| [f64::min(a, speed), f64::max(b, speed)]);
        let mut surfaces: Vec<(f64, usize)> = Vec::new();
        for SpaceAgentState { radius, speed, position, .. } in self.crowd.agents() {
            let radius = radius.max(0.05);
            let known = surfaces.iter().find(|known| known.0 == radius).map(|known| known.1);
            let surface = match known {
                Some(surface) => surface,
                None => {
                    let Ok(ball) = Convex::sphere(radius) else { continue };
                    let options = SurfaceOptions { segments: SEGMENTS, ..SurfaceOptions::default() };
                    let mut surface = surface_of(&Shape::from(ball), &options);
                    // Facets of so coarse a ball are no edges of it.
                    surface.edges.clear();
                    let surface = drawing.add_surface(surface);
                    surfaces.push((radius, surface));
                    surface
                }
            };
            let share = if most > least { (speed - least) / (most - least) } else { 1.0 };
            if let Ok(pose) = Pose::from_translation(position) {
                drawing.add_instance(surface, pose, speed_colour(share));
            }
        }
    }
}

impl Filmed for FilmedSpace<'_> {
    fn time(&self) -> f64 {
        self.crowd.time()
    }

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn camera(&self, shown: &Aabb, options: &PictureArguments, size: [usize; 2]) -> Result<Camera, Failure> {
        options.camera(shown, Vec3::Z, size)
    }

    fn draw(&self) -> (Drawing, Caption) {
        let mut drawing = Drawing::default();
        self.add_balls(&mut drawing);
        let environment = self.crowd.environment();
        let mut legend = [(1.0, "the fastest"), (0.5, "between"), (0.0, "the slowest")]
            .map(|(share, name)| LegendEntry { colour: speed_colour(share), name: name.to_owned() })
            .to_vec();
        if self.has_cells {
            let place = |vertex| Some(environment.geometry().positions()[vertex as usize]);
            MapEdges { map: environment.map().map(), place }.draw(&mut drawing);
            legend.push(LegendEntry { colour: meaning_colour(Meaning::Cell), name: "cell".to_owned() });
        } else {
            heurt::geometry::DrawSink::draw_box(&mut drawing, &self.bounds, Meaning::Cell);
        }
        let present = counted(self.crowd.agents().len(), "agent", "agents");
        let line = format!("{:.2} s: {present} present", self.crowd.time());
        (drawing, Caption { title: self.title.to_owned(), lines: vec![line], unit: "m".to_owned(), legend })
    }
}
