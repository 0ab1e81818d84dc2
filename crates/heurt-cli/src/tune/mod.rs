//! `heurt tune`: which tree is fastest for these very parts.
//!
//! In: two meshes, and poses (given, or found where the parts nearly or barely touch). Out: a table of volumes, degrees and
//! builders, measured, beside what the cost function of S0 §4.5.1 predicts; the fastest as a small file that other commands
//! take; a plot of cost against distance.
//! The choice is made on one half of the poses and checked on the other, which it has not seen.

mod measure;
mod plot;
mod poses;
mod report;

use crate::load::Buffers;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::targets::Targets;
use crate::{Failure, Status, load, plot as plots, threads, tree_file};
use clap::{Args, ValueEnum};
use heurt::bvh::{BoxAxes, Builder, VolumeKind};
use heurt::shape::{Degree, MeshShape, TreeChoice};
use measure::{Contest, Row};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt tune arm.stl cell.stl -o arm.tree          the fastest tree for these two, near and touching
  heurt check arm.stl cell.stl --tree arm.tree     use it
  heurt tune a.obj b.obj --verb pairs --all        every combination, for all intersecting pairs
  heurt tune a.obj b.obj --motion poses.jsonl      on your own poses, one a line:
                                                   {\"pose_a\":{…},\"pose_b\":{\"translation\":[x,y,z],\"rotation\":[x,y,z,w]}}
  heurt tune a.obj b.obj --plot cost.svg           cost against distance, a curve for each volume

Without --all, volumes are tried first, the degrees of the best three of them next, then all builders and leaf sizes for the
best of these, and the rules for axes of boxes for the best that has such. In the table N are medians over the poses, C nanoseconds calibrated on meshes built into the program.";

/// Tries volumes, degrees and builders on two meshes and keeps the fastest tree.
///
/// Every tree gives the same answers; which is fastest depends on the parts, on how they move, and on the machine.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct TuneArguments {
    /// The first mesh file.
    a: PathBuf,
    /// The second mesh file; the first again is fine.
    b: PathBuf,
    /// Writes the fastest choice to this file.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Takes poses from this file of JSON lines instead of looking for near and touching ones.
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// What is asked: whether the parts overlap, or all pairs of triangles.
    #[arg(long, value_enum, default_value_t = Verb::Overlap)]
    verb: Verb,
    /// How many poses to look for.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(4..=100_000))]
    poses: u32,
    /// Seed of the poses that are looked for.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Tries every combination of volume, degree and builder.
    #[arg(long)]
    all: bool,
    /// Draws cost against distance to this file, as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Prints JSON: every row, the choice, how it did on unseen poses.
    #[arg(long)]
    json: bool,
    /// Builds on this many threads; 0 is one for each core. Queries are timed on one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// What is asked of the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verb {
    /// Do they share a point?
    Overlap,
    /// Which triangles meet?
    Pairs,
}

/// Tunes.
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

fn tune(arguments: &TuneArguments, targets: &Targets<'_>, out: &mut Output) -> Result<Status, Failure> {
    let buffers = Buffers::default();
    let (a, b) = (shape(&arguments.a, &buffers)?, shape(&arguments.b, &buffers)?);
    buffers.files().iter().try_for_each(|input| targets.spare(input))?;
    let placed = match &arguments.motion {
        Some(path) => poses::read(path)?,
        None => poses::search(&a, &b, arguments.poses, arguments.seed),
    };
    if placed.len() < 2 {
        return Err(Failure::NoPoses { found: placed.len() });
    }
    // Every other one is kept back.
    let half = |first: usize| placed.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let (seen, unseen) = (half(0), half(1));
    let contest = Contest::new(&a, &b, arguments.verb);
    let mut rows = rows(&contest, &seen, arguments);
    contest.decide(&mut rows, &seen);
    let chosen = &rows[0];
    let verdict = contest.verdict(&rows, &unseen);
    if arguments.json {
        report::json(&rows, &verdict, seen.len(), unseen.len(), out).map_err(Failure::output)?;
    } else if !arguments.quiet {
        report::table(&rows, &verdict, arguments.verb, seen.len(), unseen.len(), out).map_err(Failure::output)?;
    }
    if let Some(path) = &arguments.output {
        let text = tree_file::text(&chosen.choice, &report::comments(arguments, chosen, &verdict));
        output::to_file(path, |file| Ok(file.write_all(text.as_bytes())?))?;
        if !arguments.json && !arguments.quiet {
            writeln!(out, "wrote {}", output::printable(&path.display().to_string())).map_err(Failure::output)?;
        }
    }
    if let Some(path) = &arguments.plot {
        let curves = contest.curves(&rows, arguments.seed);
        let drawing = plot::draw(&curves, arguments.verb);
        output::to_file(path, |file| Ok(file.write_all(drawing.as_bytes())?))?;
    }
    Ok(Status::Clear)
}

fn shape(path: &std::path::Path, buffers: &Buffers) -> Result<MeshShape, Failure> {
    let model = load::read_model(path, buffers)?;
    let mesh = model.flattened()?;
    // Surfaces are what trees are about: containment costs all of them the same.
    MeshShape::new(mesh).and_then(|shape| shape.with_solid(false)).map_err(|source| Failure::BadShape {
        path: path.to_owned(),
        part: String::new(),
        source: Box::new(source),
    })
}

/// Builds and measures what the arguments ask for, fastest first.
fn rows(contest: &Contest<'_>, seen: &[poses::Placement], arguments: &TuneArguments) -> Vec<Row> {
    let mut every: Vec<TreeChoice> = Vec::new();
    for volume in VolumeKind::ALL {
        for degree in Degree::ALL {
            for builder in Builder::ALL {
                for axes in BoxAxes::ALL.into_iter().filter(|&axes| volume.has_axes() || axes == BoxAxes::default()) {
                    every.push(TreeChoice { volume, degree, builder, axes, ..TreeChoice::default() });
                }
            }
        }
    }
    let is_default = |choice: &TreeChoice| *choice == TreeChoice { volume: choice.volume, ..TreeChoice::default() };
    let staged = VolumeKind::ALL.len() + 3 * 2 + Builder::ALL.len() + 2 + BoxAxes::ALL.len();
    let steps = if arguments.all { every.len() } else { staged };
    let progress = Progress::new("measuring trees", steps as u64, arguments.quiet || arguments.json);
    let mut rows: Vec<Row> = Vec::new();
    let measure = |rows: &mut Vec<Row>, choice: TreeChoice| {
        if rows.iter().all(|row| row.choice != choice) {
            rows.push(contest.row(choice, seen));
        }
        rows.sort_by(|x, y| x.measured_ns.total_cmp(&y.measured_ns));
        progress.step();
    };
    if arguments.all {
        every.iter().for_each(|&choice| measure(&mut rows, choice));
        return rows;
    }
    every.iter().filter(|choice| is_default(choice)).for_each(|&choice| measure(&mut rows, choice));
    let leaders: Vec<TreeChoice> = rows.iter().take(3).map(|row| row.choice).collect();
    for leader in leaders {
        for degree in [Degree::Two, Degree::Four] {
            measure(&mut rows, TreeChoice { degree, ..leader });
        }
    }
    let best = rows[0].choice;
    Builder::ALL.into_iter().for_each(|builder| measure(&mut rows, TreeChoice { builder, ..best }));
    let best = rows[0].choice;
    for leaf_size in [4, 2] {
        measure(&mut rows, TreeChoice { leaf_size, ..best });
    }
    if let Some(best) = rows.iter().map(|row| row.choice).find(|choice| choice.volume.has_axes()) {
        BoxAxes::ALL.into_iter().for_each(|axes| measure(&mut rows, TreeChoice { axes, ..best }));
    }
    rows
}
