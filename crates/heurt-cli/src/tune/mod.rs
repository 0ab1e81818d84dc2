//! `heurt tune`: finds the fastest tree for two given parts.
//!
//! In: two meshes, and poses (given, or searched so that the parts nearly or barely touch). Out: a table of volumes,
//! degrees and builders, measured, next to the prediction of the cost function of S0 §4.5.1; the fastest as a small
//! file that other commands take; a plot of cost against distance.
//! Method: all rows are measured on one third of the poses. Rows close to the fastest are measured on a second third,
//! too, before one is chosen. The choice is evaluated on the last third, which took no part in it.
//! Cost: less than a minute without `--all`: the clock bounds each stage, and if queries take long, fewer poses are
//! queried. Not bounded: a single query, which is not cut short.

mod choose;
mod measure;
mod plot;
mod poses;
mod report;
mod search;
mod stages;

use crate::load::{Buffers, ReadSettings};
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::targets::Targets;
use crate::{Failure, load, plot as plots, status::Status, threads};
use clap::{Args, ValueEnum};
use heurt::shape::MeshShape;
use measure::Contest;
use poses::Poses;
pub(crate) use report::TuneDocument;
use report::TuneReport;
use stages::Table;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  heurt tune arm.stl cell.stl -o arm.tree          find the fastest tree for these two parts
  heurt check arm.stl cell.stl --tree arm.tree     use that tree
  heurt tune a.obj b.obj --verb pairs --all        all combinations, for all pairs
  heurt tune a.obj b.obj --motion poses.jsonl      measure on your own poses, one per line:
                                                   {\"pose_a\":{…},\"pose_b\":{\"translation\":[x,y,z],\"rotation\":[x,y,z,w]}}
  heurt tune a.obj b.obj --plot cost.svg           plot cost against distance, one curve per volume

Without --all, the stages are: (1) all volumes; (2) the other degrees for the three fastest volumes; (3) all builders and \
smaller leaves for the fastest tree so far; (4) all rules for box axes, for the fastest volume that has axes. With --all, \
every combination of volume, axes, degree and builder follows.

In the table, N_v, N_p and N_u are medians over the poses: volumes tested, pairs of triangles tested, and updates of the \
relative pose. C_v, C_p and C_u are the nanoseconds that one of each takes, calibrated on built-in meshes.";

/// Measures volumes, degrees and builders on two meshes and selects the fastest tree.
///
/// All trees give the same answers. Which tree is fastest depends on the parts, on their motion, and on the machine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct TuneArguments {
    /// The first mesh file.
    a: PathBuf,
    /// The second mesh file; it may be the same file as the first.
    b: PathBuf,
    /// Writes the settings of the selected tree to this file.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Reads poses from this file of JSON lines instead of searching for them.
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// The query to measure.
    #[arg(long, value_enum, default_value_t = Verb::Overlap)]
    verb: Verb,
    /// Number of poses to search for, at which the parts nearly touch or barely overlap.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(4..=100_000))]
    poses: u32,
    /// Seed of the search for poses.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Also measures every combination of volume, degree and builder.
    #[arg(long)]
    all: bool,
    /// Plots cost against distance to this file; its extension selects SVG or PNG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Prints JSON: all rows, the selected tree, and its time on unseen poses.
    #[arg(long)]
    json: bool,
    /// Number of threads that build trees; 0 selects one per core. Queries are timed on one thread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The query on the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verb {
    /// Tests whether the parts share a point.
    Overlap,
    /// Lists all pairs of triangles that intersect.
    Pairs,
}

/// Runs `heurt tune`.
pub(crate) fn run(arguments: &TuneArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(path) = &arguments.plot {
        plots::check_name(path)?;
    }
    let targets = Targets::new(&[("output", arguments.output.as_deref()), ("plot", arguments.plot.as_deref())])?;
    let inputs = [Some(&arguments.a), Some(&arguments.b), arguments.motion.as_ref()];
    inputs.into_iter().flatten().try_for_each(|input| targets.spare(input))?;
    targets.try_out()?;
    threads::with(arguments.threads, || tune(arguments, &targets, out))?
}

/// Longest time of the search for poses.
const SEARCH: Duration = Duration::from_secs(5);
/// Time in which all taken poses can be queried once; it limits their number.
const ONE_ROUND: Duration = Duration::from_millis(600);

fn tune(arguments: &TuneArguments, targets: &Targets<'_>, out: &mut Output) -> Result<Status, Failure> {
    let buffers = Buffers::default();
    let (a, b) = (shape(&arguments.a, &buffers)?, shape(&arguments.b, &buffers)?);
    buffers.files().iter().try_for_each(|input| targets.spare(input))?;
    let (mut placed, given) = match &arguments.motion {
        Some(path) => {
            let mut placed = poses::read(path)?;
            poses::shuffle(&mut placed, arguments.seed);
            let given = placed.len();
            (placed, given)
        }
        None => (poses::search(&a, &b, arguments.poses, arguments.seed, SEARCH)?, arguments.poses as usize),
    };
    let contest = Contest::new(&a, &b, arguments.verb);
    placed.truncate(contest.affordable(&placed, ONE_ROUND));
    let poses = Poses::dealt(&placed);
    let progress = Progress::new("measuring trees", stages::steps(arguments.all), arguments.quiet || arguments.json);
    let Table { mut rows, late, .. } = Table::filled(&contest, &poses.seen, arguments.all, &progress);
    drop(progress);
    if rows[0].unwalked == poses.seen.len() {
        return Err(Failure::NothingWalked { poses: poses.seen.len() });
    }
    let lead = choose::choose(&contest, &mut rows, &poses);
    let verdict = choose::verdict(&contest, &rows, &poses.unseen);
    let report = TuneReport { rows: &rows, lead, verdict, poses: &poses, given, late, verb: arguments.verb };
    if arguments.json {
        report.json(out).map_err(Failure::output)?;
    } else if !arguments.quiet {
        report.table(out).map_err(Failure::output)?;
    }
    if let Some(path) = &arguments.output {
        let text = heurt::scene::tree_text(&rows[0].choice, &report.comments(&arguments.a, &arguments.b));
        output::to_file(path, |file| Ok(file.write_all(text.as_bytes())?))?;
        if !arguments.json && !arguments.quiet {
            writeln!(out, "wrote {}", output::printable(&path.display().to_string())).map_err(Failure::output)?;
        }
    }
    if let Some(path) = &arguments.plot {
        let curves = plot::curves(&contest, &rows, arguments.seed);
        plots::write(path, &[plot::chart(&curves, arguments.verb)])?;
    }
    Ok(Status::Clear)
}

fn shape(path: &std::path::Path, buffers: &Buffers) -> Result<MeshShape, Failure> {
    let model = load::read_model(path, &ReadSettings::default(), buffers)?;
    let mesh = model.flattened()?;
    // Only surfaces are compared: containment costs all trees the same.
    MeshShape::new(mesh).and_then(|shape| shape.with_solid(false)).map_err(|source| Failure::BadMesh {
        path: path.to_owned(),
        part: String::new(),
        source: Box::new(source.into()),
    })
}
