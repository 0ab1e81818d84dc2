//! Runs a scene of agents that fly or are on curved ground, until the last one has left or the time is over.
//!
//! In: the scene and the options of `heurt run`. Out: a table, trajectories, a report, pictures, a video.

use super::super::report::{StepSeconds, Times};
use super::super::video::{Filmed, Video};
use super::super::{MAX_STEPS, Order, RunArguments, title_of, too_many_steps};
use super::outlines::OutlineFile;
use super::{check_options, report, report_faults};
use crate::Failure;
use crate::check::counted;
use crate::files::NotedFiles;
use crate::interrupt::interrupted;
use crate::output::{Output, printable, to_file};
use crate::picture::PictureArguments;
use crate::progress::Progress;
use crate::status::Status;
use heurt::crowd::CrowdReport;
use heurt::crowd::space::{SpaceAgentState, SpaceCrowd};
use heurt::geometry::{Aabb, Camera, Draw, Meaning, Pose, Vec3};
use heurt::io::{TrajectoryHeader, TrajectoryStep, TrajectoryWriter, WriteError};
use heurt::map::MapEdges;
use heurt::scene::describe::LocatedFault;
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, RecordHeader, SpaceScene, space_trajectory_header, space_trajectory_step,
};
use heurt::shape::{Convex, Shape};
use heurt::view::palette::{Colour, meaning_colour};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use heurt::view::{SurfaceOptions, speed_colour, surface_of};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Segments around a ball: hundreds of balls have some pixels each.
const SEGMENTS: u32 = 12;

/// An agent as pictures show it.
pub(super) struct Ball {
    pub number: u32,
    pub centre: Vec3,
    pub radius: f64,
    pub speed: f64,
    /// It is drawn as a body.
    pub has_outline: bool,
}

/// Agents in space, or on a surface in space, as runs and pictures need them.
pub(super) trait SpatialCrowd {
    fn take_step(&mut self, step: f64);
    fn is_over(&self) -> bool;
    fn seconds(&self) -> f64;
    fn header(&self, step: f64) -> TrajectoryHeader;
    fn rows(&self, number: u64) -> TrajectoryStep;
    fn balls(&self) -> Vec<Ball>;
    /// Writes the corners of outlines as rows; none of balls.
    fn outlines(&self, _step: u64) -> String {
        String::new()
    }
    /// Draws agents with outlines, each in the colour of its speed.
    fn draw_bodies(&self, _colour: &dyn Fn(f64) -> Colour, _drawing: &mut Drawing) {}
    fn summary(&self) -> CrowdReport;
    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson;
    fn bounds(&self) -> Aabb;
    /// Draws the place of the agents, and adds what its colours mean.
    fn draw_place(&self, has_cells: bool, drawing: &mut Drawing, legend: &mut Vec<LegendEntry>);
}

/// Makes the entry of cells in a legend.
pub(super) fn cell_entry() -> LegendEntry {
    LegendEntry { colour: meaning_colour(Meaning::Cell), name: "cell".to_owned() }
}

impl SpatialCrowd for SpaceCrowd {
    fn take_step(&mut self, step: f64) {
        self.step(step);
    }

    fn is_over(&self) -> bool {
        self.is_empty()
    }

    fn seconds(&self) -> f64 {
        self.time()
    }

    fn header(&self, step: f64) -> TrajectoryHeader {
        space_trajectory_header(self, step)
    }

    fn rows(&self, number: u64) -> TrajectoryStep {
        space_trajectory_step(self, number)
    }

    fn balls(&self) -> Vec<Ball> {
        let ball = |agent: SpaceAgentState| {
            let SpaceAgentState { id: number, position: centre, radius, speed, .. } = agent;
            Ball { number, centre, radius, speed, has_outline: false }
        };
        self.agents().map(ball).collect()
    }

    fn summary(&self) -> CrowdReport {
        self.report()
    }

    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson {
        CrowdReportJson::of_space(self, facts)
    }

    fn bounds(&self) -> Aabb {
        Aabb::from_points(self.environment().geometry().positions().iter().copied())
    }

    fn draw_place(&self, has_cells: bool, drawing: &mut Drawing, legend: &mut Vec<LegendEntry>) {
        let environment = self.environment();
        if has_cells {
            let place = |vertex| Some(environment.geometry().positions()[vertex as usize]);
            MapEdges { map: environment.map().map(), place }.draw(drawing);
            legend.push(cell_entry());
        } else {
            heurt::geometry::DrawSink::draw_box(drawing, &self.bounds(), Meaning::Cell);
        }
    }
}

/// Agents and their look in a picture.
struct FilmedSpace<'c, C> {
    crowd: &'c C,
    has_cells: bool,
    title: &'c str,
    bounds: Aabb,
}

/// Refuses options for floors alone; reports whether cells are drawn.
pub(super) fn check_layers(arguments: &RunArguments, has_outlines: bool) -> Result<bool, Failure> {
    check_options(arguments)?;
    let layers = arguments.layers.as_deref().unwrap_or_default();
    let has_other_layers = layers.iter().any(|name| name != "cells" && name != "none");
    let given = [
        ("view", arguments.view),
        ("follow", arguments.follow.is_some()),
        ("layers", has_other_layers),
        ("outlines", arguments.outlines.is_some() && !has_outlines),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some(&(option, _)) => Err(Failure::NotInSpace { option }),
        None => Ok(layers.iter().any(|name| name == "cells")),
    }
}

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    let has_cells = check_layers(arguments, false)?;
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let scene = SpaceScene::read_with_seed(text, folder, &NotedFiles, arguments.seed);
    let scene = scene.map_err(|fault| order.bad_scene(fault))?;
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    let step = scene.step;
    let steps = count_steps(arguments, order, (step, scene.seconds), |most| scene.lasts_too_long(most))?;
    let wanted = scene.count_agents();
    let (mut crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    run_crowd(arguments, order, &mut crowd, (step, steps, has_cells), (left_out, wanted), out)
}

/// Runs agents of a scene without faults, or without those left out.
pub(super) fn run_crowd<C: SpatialCrowd>(
    arguments: &RunArguments,
    order: &Order,
    crowd: &mut C,
    course: (f64, u64, bool),
    (left_out, wanted): (usize, usize),
    out: &mut Output,
) -> Result<Status, Failure> {
    if arguments.force {
        // Part of the result: printed with --quiet, too.
        eprintln!("{left_out} of {} left out", counted(wanted, "agent", "agents"));
    }
    let times = take_steps(arguments, order, crowd, course)?;
    let StepSeconds { min, median, p99, max } = times.seconds();
    let facts = CrowdRunFacts { steps: times.count, left_out, origin: None, step_seconds: [min, median, p99, max] };
    let title = title_of(order);
    FilmedSpace::new(&*crowd, course.2, &title).write(&arguments.picture, arguments.quiet)?;
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

/// Computes the number of steps of a scene with a step and a time, in seconds.
pub(super) fn count_steps(
    arguments: &RunArguments,
    order: &Order,
    (step, usual): (f64, f64),
    lasts_too_long: impl FnOnce(u64) -> LocatedFault,
) -> Result<u64, Failure> {
    let seconds = arguments.seconds.unwrap_or(usual);
    let steps = arguments.steps.unwrap_or((seconds / step).round() as u64);
    if steps <= MAX_STEPS {
        return Ok(steps);
    }
    Err(too_many_steps(arguments, step).unwrap_or_else(|| order.bad_scene(lasts_too_long(MAX_STEPS))))
}

/// Takes steps until all agents have left, the time is over or a signal comes; writes rows and frames.
fn take_steps<C: SpatialCrowd>(
    arguments: &RunArguments,
    order: &Order,
    crowd: &mut C,
    (step, steps, has_cells): (f64, u64, bool),
) -> Result<Times, Failure> {
    let title = title_of(order);
    let filmed = FilmedSpace::new(&*crowd, has_cells, &title);
    let video = arguments.video.as_deref().map(|path| Video::create(path, &filmed, step, &arguments.picture));
    let mut video = video.transpose()?;
    let failed = |source| {
        let path = arguments.trajectories.clone().unwrap_or_default();
        Failure::Trajectories { path, source: Box::new(source) }
    };
    let create = |path: &std::path::PathBuf| TrajectoryWriter::create(path, &crowd.header(step));
    let mut writer = arguments.trajectories.as_ref().map(create).transpose().map_err(failed)?;
    for ball in crowd.balls() {
        // Points have no radius in a file.
        let mut writer = writer.iter_mut().filter(|_| ball.radius > 0.0);
        writer.try_for_each(|to| to.set_radius(u64::from(ball.number), ball.radius)).map_err(failed)?;
    }
    let mut outlines = arguments.outlines.as_deref().map(OutlineFile::create).transpose()?;
    let interrupted = interrupted();
    let is_interrupted = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let progress = Progress::new("steps", steps, arguments.quiet);
    let mut times = Times::default();
    for number in 0..=steps {
        if number > 0 {
            if crowd.is_over() || is_interrupted(&interrupted) {
                break;
            }
            let started = Instant::now();
            crowd.take_step(step);
            times.add(started.elapsed().as_secs_f64());
            progress.step();
        }
        let rows = |to: &mut TrajectoryWriter| to.push(&crowd.rows(number));
        writer.iter_mut().try_for_each(rows).map_err(failed)?;
        outlines.iter_mut().try_for_each(|file| file.push(&crowd.outlines(number)))?;
        let filmed = FilmedSpace::new(&*crowd, has_cells, &title);
        video.iter_mut().try_for_each(|video| video.step(&filmed, &interrupted))?;
    }
    writer.map_or(Ok(()), TrajectoryWriter::finish).map_err(failed)?;
    outlines.map_or(Ok(()), OutlineFile::finish)?;
    video.map_or(Ok(()), Video::finish)?;
    Ok(times)
}

impl<'c, C: SpatialCrowd> FilmedSpace<'c, C> {
    fn new(crowd: &'c C, has_cells: bool, title: &'c str) -> Self {
        let bounds = crowd.bounds();
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
        let mut balls = self.crowd.balls();
        let speeds = balls.iter().map(|ball| ball.speed);
        let [least, most] = speeds.fold([f64::INFINITY, 0.0], |[a, b], speed| [f64::min(a, speed), f64::max(b, speed)]);
        let colour = |speed: f64| speed_colour(if most > least { (speed - least) / (most - least) } else { 1.0 });
        self.crowd.draw_bodies(&colour, drawing);
        balls.retain(|ball| !ball.has_outline);
        let mut surfaces: Vec<(f64, usize)> = Vec::new();
        for Ball { radius, speed, centre, .. } in balls {
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
            if let Ok(pose) = Pose::from_translation(centre) {
                drawing.add_instance(surface, pose, colour(speed));
            }
        }
    }
}

impl<C: SpatialCrowd> Filmed for FilmedSpace<'_, C> {
    fn time(&self) -> f64 {
        self.crowd.seconds()
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
        let mut legend = [(1.0, "the fastest"), (0.5, "between"), (0.0, "the slowest")]
            .map(|(share, name)| LegendEntry { colour: speed_colour(share), name: name.to_owned() })
            .to_vec();
        self.crowd.draw_place(self.has_cells, &mut drawing, &mut legend);
        let present = counted(self.crowd.balls().len(), "agent", "agents");
        let line = format!("{:.2} s: {present} present", self.crowd.seconds());
        (drawing, Caption { title: self.title.to_owned(), lines: vec![line], unit: "m".to_owned(), legend })
    }
}
