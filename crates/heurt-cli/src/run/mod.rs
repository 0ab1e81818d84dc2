//! `heurt run`: steps a scene, and reports contacts.
//!
//! Method: the scene is read (with the line of every fault), then the world is stepped. Each
//! step is traced (`tracer`) and recorded (`record_file`) before the next one. At the end a report summarizes the run
//! (`report`), also a run that stopped with an error. A record can be replayed: the same scene is run again, and the
//! hash of every state compared.

mod contact_log;
mod control;
mod control_error;
mod control_input;
mod course;
mod crowd;
#[cfg(feature = "view")]
mod layers;
#[cfg(feature = "view")]
mod live;
#[cfg(not(feature = "view"))]
mod no_live;
mod picture;
mod problem_file;
mod record_file;
mod report;
mod response_summary;
mod solve;
mod static_pairs;
mod tracer;
mod video;

use crate::crowd::scenario_scene;
use crate::files::store;
use crate::output::{self, Output, number, to_file};
use crate::picture::PictureArguments;
use crate::progress::Progress;
use crate::targets::Targets;
use crate::view::{RunnableFile, ViewArguments};
use crate::{Failure, load, status::Status, threads};
use clap::Args;
use clap::builder::PossibleValuesParser;
use contact_log::LoggedContacts;
use control::Control;
use control_input::ControlInput;
use course::Course;
use heurt::io::WriteError;
use heurt::rigid::all_solvers;
use heurt::scene::describe::LocatedFault;
use heurt::scene::describe::some_of;
use heurt::scene::{CrowdScene, Scene, ShapeStore};
use heurt::scene::{RecordHeader, RecordStep, TraceOptions, hash_text};
#[cfg(feature = "view")]
use live::LiveRun;
#[cfg(not(feature = "view"))]
use no_live::NoLiveRun as LiveRun;
use picture::FilmedWorld;
use record_file::Recorder;
pub(crate) use report::ReportJson as RunDocument;
use report::{ContactCounts, RunSummary};
pub(crate) use solve::SolveJson as SolveDocument;
use std::io::Write;
use std::path::{Path, PathBuf};
use tracer::Tracer;
use video::Video;

/// The scene of `heurt run` without arguments.
const BUILT_IN: &str = include_str!("built_in.toml");

/// The most steps of a run: at a thousand a second, more than a month.
const MAX_STEPS: u64 = 1 << 32;

const EXAMPLES: &str = r#"Examples:
  heurt run                                             the scene built into the program
  heurt run scenes/dominoes.toml                        one after the other
  heurt run scenes/tumbling.toml --seconds 5            bodies that fly and turn, all contacts in every step
  heurt run scenes/dominoes.toml --picture end.png --follow 'domino 3'   the last state, around one body
  heurt run scene.toml --trace t.jsonl --trace-every 6  a JSON line for every sixth step
  heurt run scene.toml --record run.rec                 then: heurt run --replay run.rec
  heurt run scene.toml --tree arm.tree                  through the tree that `heurt tune` found fastest
  heurt run scene.toml --steps 50 --problem p.json      the contact problem of step 50, as it was solved
  heurt run --solve p.json --solver penalty             the same by springs: impulses, velocities, residual

A scene:
  [world]
  gravity = [0, 0, -9.81]     # m/s²
  step = 0.0166666666666667   # s
  seconds = 10.0
  broad_phase = "tree"        # brute-force, sweep-and-prune, sweep-and-prune-cubes, separating-planes, tree, grid, hash
  detection = "continuous"    # or discrete: only where bodies are at the end of each step
  response = "auto"           # none, impulse-lcp (exact), soft-step (fast), auto, penalty (springs); none if no body is dynamic
  impacts = "at-once"         # or in-sequence, as Newton's cradle; with impulse-lcp and auto
  # restitution_threshold = 0.14    # m/s: slower impacts do not rebound; 0 with impulse-lcp
  # penalty_stiffness = 1e5   # N/m of a contact point, with penalty
  # sleep = false             # soft-step and auto: bodies at rest are computed in every step
  # deadline = 0.010          # s a step may take, only with response = "none"

  [[body]]
  name = "ball"
  shape = { type = "sphere", radius = 0.5 }   # any shape of `heurt query`; paths begin from the folder of the scene
  # tree = "arm.tree"         # of `heurt tune`, for meshes: walked where two bodies have the same volume and degree
  pose = { translation = [0, 0, 1.5] }
  kind = "dynamic"            # static, kinematic, dynamic, soft
  density = 1000.0            # or mass, or mass and inertia
  linear_velocity = [0, 0, 0]
  angular_velocity = [0, 0, 0]
  restitution = 0.5           # 0 to 1, a pair uses the larger one
  friction = 0.5              # a pair uses the geometric mean
  # gravity_scale = 1, linear_damping = 0, angular_damping = 0, lock = { translation = ["y"], rotation = ["x", "z"] }
  # sensor = true             # reports contacts, within a step too, and does not push
  # surface_velocity = [0.5, 0, 0]      # m/s, a belt on a static or kinematic body
  # precise = true            # auto solves its island exactly, up to 128 bodies
  group = 1                   # bits: two are tested when each one's group meets the other's mask
  mask = 0xffffffff
  count = 10                  # with spacing, to place many
  spacing = [1, 0, 0]
  # motion = [ { time = 0, translation = [0,0,0] }, { time = 2, translation = [1,0,0], rotation = [0,0,0,1] } ]  (kinematic)
  # deform = { kind = "wave", amplitude = 0.1, period = 1.0 }                                                    (soft)
  # deform = { kind = "keys", files = ["rest.obj", "bent.obj"], times = [0, 2] }: as many vertices in each file        (soft)

  [[joint]]
  kind = "hinge"              # fixed, ball, hinge, slider, distance
  a = "door"                  # without b: the world
  b = "frame"
  anchor = [0, 0, 1]          # at the start; a distance has an anchor_b, too
  axis = [0, 0, 1]            # hinge, slider, ball with cone or twist
  limits = [-1.5, 1.5]        # rad or m
  motor = { velocity = 1.0, max_force = 50.0 }   # or { position, stiffness, damping, max_force }
  # spring = { stiffness = 40.0, damping = 2.0, rest = 0.0 }      (hinge, slider, distance)
  # cone = 1.0, twist = [-0.5, 0.5]     (ball, rad, about the axis)
  # friction = 0.5            # N m or N
  break_at = 500.0            # N
  collide = false             # whether a and b have contacts

Exit status: 0 done, 1 a replay that differs, or a problem that is not solved to 1e-10 m/s, 2 a fault in the scene or
the problem, or a run that cannot go on."#;

/// Steps a scene of moving bodies: they bounce, slide and stack. Reports contacts, their times and impulses.
///
/// Bodies move as the scene states, or under gravity, contacts and joints; contacts are found exactly, between steps
/// too. The same scene gives the same states, bit for bit, for any number of threads.
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct RunArguments {
    /// The scene, or a scenario of JuPedSim (.zip); without one, the scene built into the program.
    #[arg(value_name = "SCENE.toml")]
    scene: Option<PathBuf>,
    /// Takes this number of steps instead of the number in the scene.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    steps: Option<u64>,
    /// Runs this many seconds of the scene, in place of what the scene states.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Works on this many threads; 0 is one for each core. The states are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Shows the scene in a browser while it runs, and lets viewers pull at bodies; prints the address.
    ///
    /// The run waits for the first viewer and goes in real time. Ctrl-C ends it and writes all that was requested.
    /// After --steps or --seconds, viewers see the last state until then.
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    page: ViewArguments,
    #[command(flatten)]
    picture: PictureArguments,
    /// Keeps this body in the middle of the picture and of the video, and shows what is around it; in a crowd the agent
    /// of this number.
    #[arg(long, value_name = "BODY", help_heading = "Picture")]
    follow: Option<String>,
    /// Writes a video, 30 frames a second, by ffmpeg: out.mp4; or its frames as PNG files into a folder: frames/.
    #[arg(long, value_name = "FILE_OR_FOLDER", help_heading = "Picture", conflicts_with = "view")]
    video: Option<PathBuf>,
    /// Reads JSON lines that move bodies: from standard input while the scene runs in real time, or from a file.
    #[arg(long, value_name = "FILE.jsonl", num_args = 0..=1, default_missing_value = "-", conflicts_with = "replay")]
    control: Option<PathBuf>,
    /// Writes a JSON line for each step.
    #[arg(long, value_name = "FILE.jsonl")]
    trace: Option<PathBuf>,
    /// Traces every N-th step.
    #[arg(long, value_name = "N", requires = "trace", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    trace_every: u64,
    /// Traces these bodies only, by name.
    #[arg(long, value_name = "NAMES", requires = "trace", value_delimiter = ',')]
    trace_bodies: Option<Vec<String>>,
    /// Traces all pairs of faces that intersect as a step ends: numbers of triangles; a search for each pair of bodies.
    #[arg(long, requires = "trace")]
    trace_faces: bool,
    /// Traces the vertices of soft bodies, in their own frames, in metres.
    #[arg(long, requires = "trace")]
    trace_vertices: bool,
    /// Writes a CSV line for each begin and end of a contact.
    #[arg(long, value_name = "FILE.csv")]
    events: Option<PathBuf>,
    /// Reports static bodies that touch static ones, too, which a step never tests.
    #[arg(long)]
    static_pairs: bool,
    /// Writes a JSON report with more than the final table: every contact, its times and its depth.
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    /// Writes the scene and the hash of every state, to be replayed.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Writes the contact problem of the last step as JSON: bodies, contacts, rows of joints.
    ///
    /// With impulse-lcp, and with auto where no soft step moves a body, it is the problem that was solved last: of the
    /// last piece of the step, with all islands; the impacts, if no contact remains after them. Otherwise it is the
    /// problem of the contacts and joints after the last step. Bodies without contacts and joints are left out.
    #[arg(long, value_name = "FILE.json")]
    problem: Option<PathBuf>,
    /// Solves a contact problem that --problem wrote: prints impulses, velocities, residual, energy and time.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = [
        "scene", "steps", "seconds", "view", "follow", "picture", "video", "control", "trace", "events", "static_pairs",
        "record", "replay", "tree", "problem", "trajectories", "outlines", "force", "layers",
        "seed",
    ])]
    solve: Option<PathBuf>,
    /// Solves it by this solver; the usual one is impulse-lcp.
    #[arg(long, value_name = "NAME", requires = "solve", conflicts_with = "scene", value_parser = PossibleValuesParser::new(all_solvers().map(|solver| solver.name())))]
    solver: Option<String>,
    /// Runs a record again and compares every state.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scene", "steps", "seconds", "record"])]
    replay: Option<PathBuf>,
    /// Gives every mesh without a tree the fastest tree that `heurt tune` found; the states are the same.
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Writes a row for each agent of a crowd and each step: .csv, or .sqlite as JuPedSim has it, or .parquet in builds
    /// with that feature.
    #[arg(long, value_name = "FILE", help_heading = "Crowds")]
    trajectories: Option<PathBuf>,
    /// Writes a row for each corner of each agent with an outline and each step, as CSV.
    #[arg(long, value_name = "FILE.csv", help_heading = "Crowds")]
    outlines: Option<PathBuf>,
    /// Runs the scene of a crowd without the agents that have faults, and prints their number.
    #[arg(long, help_heading = "Crowds")]
    force: bool,
    /// Draws these layers into pictures and videos of a crowd: cells (by level), velocities, paths, neighbours (the
    /// cell of an agent and the cells around it), bubbles (of that model), ahead (edges to the tips of
    /// velocities), or none. Paths and neighbours are those of
    /// the agent of --follow, else of the first one.
    #[arg(long, value_name = "LIST", help_heading = "Crowds", value_delimiter = ',', value_parser = crowd::layer_parser())]
    layers: Option<Vec<String>>,
    /// Seed of the random choices of a crowd, in place of the seed in the scene.
    #[arg(long, value_name = "N", help_heading = "Crowds")]
    seed: Option<u64>,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The next action of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    #[cfg(feature = "view")]
    Step,
    End,
}

/// A run to be executed.
struct Order {
    header: RecordHeader,
    /// Path of the scene, for faults.
    path: PathBuf,
    /// The expected states of a replay, and what moved bodies before each.
    expected: Option<Vec<RecordStep>>,
}

impl Order {
    /// Returns the failure of a fault in the scene: in its own file, or in the record that holds it.
    fn bad_scene(&self, LocatedFault { line, reason, help }: LocatedFault) -> Failure {
        let (line, reason) = match self.expected.is_some() {
            true => (1, format!("line {line} of the recorded scene: {reason}")),
            false => (line, reason),
        };
        let is_scenario = is_scenario(&self.path);
        let help =
            if is_scenario { "`heurt crowd convert` writes the scene, with this line, as scene.toml" } else { help };
        Failure::BadScene { path: self.path.clone(), line, reason, help }
    }
}

/// Shows a scene or a record for `heurt view`: on the live page, or as a picture of its last state.
pub(crate) fn show(
    kind: RunnableFile,
    path: &Path,
    picture: &PictureArguments,
    page: &ViewArguments,
    threads: Option<u16>,
    quiet: bool,
    out: &mut Output,
) -> Result<Status, Failure> {
    let (scene, replay) = match kind {
        RunnableFile::Scene => (Some(path.to_owned()), None),
        RunnableFile::Record => (None, Some(path.to_owned())),
    };
    let view = picture.path().is_none();
    let (picture, page) = (picture.clone(), page.clone());
    run(&RunArguments { scene, replay, view, picture, page, threads, quiet, ..RunArguments::default() }, out)
}

/// Runs the scene or replay that the arguments give.
pub(crate) fn run(arguments: &RunArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(path) = &arguments.solve {
        return solve::run(path, arguments, out);
    }
    if let Some(seconds) = arguments.seconds.filter(|seconds| !(*seconds >= 0.0 && seconds.is_finite())) {
        return Err(bad_number("seconds", number(seconds), "a finite time of at least 0".to_owned()));
    }
    arguments.picture.check_name()?;
    if arguments.picture.path().is_none() && arguments.video.is_none() {
        let given = [("follow", arguments.follow.is_some()), ("layers", arguments.layers.is_some())];
        if let Some(&(option, _)) = given.iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::OnlyWithPicture { option });
        }
    }
    let targets = targets(arguments)?;
    let control = arguments.control.as_ref().filter(|path| !control_input::is_standard_input(path));
    let inputs = [arguments.scene.as_ref(), arguments.replay.as_ref(), arguments.tree.as_ref(), control];
    inputs.into_iter().flatten().try_for_each(|input| targets.spare(input))?;
    targets.try_out()?;
    if let (false, Some(option)) = (arguments.view, arguments.page.given()) {
        return Err(Failure::OnlyWithView { option });
    }
    let order = order(arguments)?;
    if CrowdScene::is_crowd(&order.header.scene) {
        return threads::with(arguments.threads, || crowd::run(arguments, &order, out))?;
    }
    let store = store(arguments.threads, arguments.tree.as_deref())?;
    threads::with(arguments.threads, || execute(arguments, &order, &store, out))?
}

fn bad_number(option: &str, given: String, legal: String) -> Failure {
    Failure::BadNumber { command: "run", option: option.to_owned(), given, legal }
}

fn targets(arguments: &RunArguments) -> Result<Targets<'_>, Failure> {
    let RunArguments { trace, events, report, record, picture, video, problem, trajectories, outlines, .. } = arguments;
    Targets::new(&[
        ("trajectories", trajectories.as_deref()),
        ("outlines", outlines.as_deref()),
        ("trace", trace.as_deref()),
        ("events", events.as_deref()),
        ("report", report.as_deref()),
        ("record", record.as_deref()),
        ("problem", problem.as_deref()),
        ("picture", picture.path()),
        ("video", video.as_deref().filter(|path| !video::is_folder(path))),
    ])
}

/// Reports whether a file is a scenario of JuPedSim, by its name.
fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}

fn order(arguments: &RunArguments) -> Result<Order, Failure> {
    if let Some(path) = &arguments.replay {
        let (header, expected) = record_file::read(path)?;
        return Ok(Order { header, path: path.clone(), expected: Some(expected) });
    }
    let (text, path) = match &arguments.scene {
        None => (BUILT_IN.to_owned(), PathBuf::from("the built-in scene")),
        Some(path) if is_scenario(path) => (scenario_scene(path, None)?.scene, path.clone()),
        Some(path) => {
            let refuse = || {
                let LocatedFault { line, reason, help } = LocatedFault::new(1, "the file is no text".to_owned());
                Failure::BadScene { path: path.clone(), line, reason, help }
            };
            let text = String::from_utf8(load::read_bytes(path)?).map_err(|_| refuse())?;
            (text.trim_start_matches('\u{feff}').to_owned(), path.clone())
        }
    };
    let folder = arguments.scene.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    // Absolute, so that a record can be replayed from another folder.
    let folder = std::path::absolute(if folder == Path::new("") { Path::new(".") } else { folder });
    let folder = folder.map_err(|source| Failure::unreadable(&path, source))?;
    if arguments.record.is_some() && folder.to_str().is_none() {
        return Err(Failure::RecordedFolder { path, folder });
    }
    Ok(Order { header: RecordHeader::new(&text, &folder, arguments.seed.unwrap_or(0)), path, expected: None })
}

fn execute(arguments: &RunArguments, order: &Order, store: &ShapeStore, out: &mut Output) -> Result<Status, Failure> {
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let bad = |fault| order.bad_scene(fault);
    let scene = Scene::read(text, folder, store).map_err(bad)?;
    for (option, is_given) in [
        ("trajectories", arguments.trajectories.is_some()),
        ("outlines", arguments.outlines.is_some()),
        ("force", arguments.force),
        ("layers", arguments.layers.is_some()),
    ] {
        if is_given {
            return Err(Failure::OnlyForCrowds { option });
        }
    }
    let targets = targets(arguments)?;
    scene.trees.iter().chain(&store.files()).try_for_each(|input| targets.spare(input))?;
    let (step, deadline) = (scene.step, scene.deadline);
    if deadline.is_some() && (arguments.record.is_some() || order.expected.is_some()) {
        return Err(Failure::RecordedDeadline { path: order.path.clone() });
    }
    let steps = steps(arguments, order, &scene)?;
    let unused = scene.unused_trees();
    let (mut world, names) = scene.build().map_err(bad)?;
    world.keep_problem(arguments.problem.is_some());
    let summary = RunSummary::new(deadline);
    let expected = order.expected.as_deref();
    let mut control = Control::new(&world, &names);
    let input = arguments.control.as_deref();
    let input = input.map(|path| ControlInput::open(path, &world, &mut control)).transpose()?;
    // Someone who watches decides when it ends.
    let is_endless = arguments.view && expected.is_none() && arguments.steps.is_none() && arguments.seconds.is_none();
    let steps = if is_endless { MAX_STEPS } else { steps };
    let live = arguments.view.then(|| {
        let steps = (!is_endless).then_some(steps);
        let plan = RunPlan { title: title_of(order), step, steps, is_replay: expected.is_some() };
        LiveRun::start(&arguments.page, &world, &names, plan)
    });
    let live = live.transpose()?;
    let followed = arguments.follow.as_deref().map(|name| picture::followed_body(&world, &names.bodies, name));
    let followed = followed.transpose()?;
    let title = title_of(order);
    let filmed = FilmedWorld { world: &world, title: &title, followed };
    let video = arguments.video.as_deref().map(|path| Video::create(path, &filmed, step, &arguments.picture));
    let video = video.transpose()?;
    // All else that can fail comes before files are begun.
    let tracer = tracer(arguments, &names.bodies)?;
    let recorder = arguments.record.as_deref().map(|path| Recorder::create(path, &order.header)).transpose()?;
    let mut contacts = LoggedContacts::new(arguments.events.as_deref(), &world)?;
    if arguments.static_pairs {
        static_pairs::add(&world, &names.bodies, &mut contacts)?;
    }
    let mut course = Course {
        world,
        names,
        tracer,
        recorder,
        expected,
        control,
        input,
        live,
        video,
        title,
        followed,
        seen: 0,
        differs: None,
        summary,
        contacts,
    };
    let progress = Progress::new("steps", steps, arguments.quiet || is_endless);
    let ended = course.run(steps, step, deadline, &progress);
    drop(progress);
    if course.control.waiting() > 0 {
        eprintln!("note: {} control objects wait for steps after the end", course.control.waiting());
    }
    // The result up to the end of the run is reported, also after an error.
    let filmed = course.video.take().map_or(Ok(()), Video::finish);
    let pictured = picture::write(&course.world, &course.title, &arguments.picture, followed, arguments.quiet);
    let stated = match &arguments.problem {
        Some(path) => problem_file::write(path, &course, step, arguments.quiet, out),
        None => Ok(()),
    };
    let printed = print_summary(arguments, &course, &unused, out);
    Failure::first_of([ended, filmed, pictured, stated], printed)
}

/// Facts of a run for viewers.
#[cfg_attr(not(feature = "view"), allow(dead_code))]
struct RunPlan {
    title: String,
    /// Seconds of a step.
    step: f64,
    /// The number of steps; `None` if the run goes on until it is stopped.
    steps: Option<u64>,
    is_replay: bool,
}

/// Returns the name of the scene, for a title.
fn title_of(order: &Order) -> String {
    let name = order.path.file_name().unwrap_or(order.path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Computes the number of steps.
fn steps(arguments: &RunArguments, order: &Order, scene: &Scene) -> Result<u64, Failure> {
    let recorded = order.expected.as_ref().map(|expected| expected.len().saturating_sub(1) as u64);
    let seconds = arguments.seconds.unwrap_or(scene.seconds);
    let steps = recorded.or(arguments.steps).unwrap_or((seconds / scene.step).round() as u64);
    if steps <= MAX_STEPS {
        return Ok(steps);
    }
    Err(too_many_steps(arguments, scene.step).unwrap_or_else(|| order.bad_scene(scene.lasts_too_long(MAX_STEPS))))
}

/// Returns the failure of an option that gives too many steps; `None` if no option does.
fn too_many_steps(arguments: &RunArguments, step: f64) -> Option<Failure> {
    let step = number(step);
    match (arguments.steps, arguments.seconds) {
        (Some(given), _) => Some(bad_number("steps", given.to_string(), format!("at most {MAX_STEPS} steps"))),
        (_, Some(seconds)) => {
            Some(bad_number("seconds", number(seconds), format!("at most {MAX_STEPS} steps, of {step} s each")))
        }
        _ => None,
    }
}

/// Prints the table, writes the report, and prints the result of a replay.
fn print_summary(
    arguments: &RunArguments,
    course: &Course<'_>,
    unused: &[String],
    out: &mut Output,
) -> Result<Status, Failure> {
    let log = ContactCounts {
        contacts: course.contacts.json(&course.names.bodies),
        dropped: course.contacts.log.dropped(),
        changes: course.contacts.log.counts(),
    };
    let report = course.summary.report(&course.world, hash_text(course.world.state_hash()), log);
    if let Some(path) = &arguments.report {
        to_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &report).map_err(std::io::Error::from)?;
            Ok::<_, WriteError>(writeln!(file)?)
        })?;
    }
    if !arguments.quiet {
        course.contacts.print(&course.names.bodies, out).map_err(Failure::output)?;
        report::print(&report, out).map_err(Failure::output)?;
        if !unused.is_empty() {
            let names = output::printable(&some_of(unused.iter().map(String::as_str)));
            writeln!(out, "trees that no pair walks, as nothing they are held against has one of the same volume and degree: {names}")
                .and_then(|()| writeln!(out, "(name a tree at each body, or give one to all with --tree FILE)"))
                .map_err(Failure::output)?;
        }
        if let Some(verdict) = course.verdict() {
            writeln!(out, "{verdict}").map_err(Failure::output)?;
        }
    }
    out.finish()?;
    let is_whole = course.expected.is_none_or(|expected| course.seen >= expected.len() as u64);
    Ok(if course.differs.is_some() || !is_whole { Status::Found } else { Status::Clear })
}

fn tracer(arguments: &RunArguments, names: &[String]) -> Result<Option<Tracer>, Failure> {
    let Some(path) = &arguments.trace else { return Ok(None) };
    for name in arguments.trace_bodies.iter().flatten() {
        if !names.contains(name) {
            let known = some_of(names.iter().map(String::as_str));
            return Err(Failure::NoSuchBody { name: name.clone(), known });
        }
    }
    let chosen = arguments.trace_bodies.as_ref().map(|names| names.iter().cloned().collect());
    let options = TraceOptions { chosen, has_vertices: arguments.trace_vertices, has_faces: arguments.trace_faces };
    Tracer::create(path, arguments.trace_every, options).map(Some)
}
