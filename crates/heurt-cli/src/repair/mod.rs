//! The `heurt repair` command: every mesh of a file repaired, with a report before and after.
//!
//! In: a mesh file or an assembly, and the steps to run. Out: the file with repaired meshes, a table or JSON.
//! Method: `heurt_solid::mend` on each mesh; parts, names and poses stay, so instances stay instances.
//! Guarantees: without --force, a step that adds faults, as `inspect` counts them, is undone; the same output for any
//! number of threads.
//! Nothing is written without `--output`.

mod json;
mod table;

use crate::input::Input;
use crate::length_option::LengthArgument;
use crate::load::{Buffers, LoadedFile, ReadSettings};
use crate::make::{FORMATS, extension_of, has_short_coordinates, refuse_two_on_stdout, write_model};
use crate::output::{Output, printable};
use crate::progress::Progress;
use crate::targets::Targets;
use crate::units::Units;
use crate::{Failure, load, status::Status, threads};
use clap::Args;
use heurt::io::Model;
use heurt::mesh::repair::{MeshState, Step};
use heurt::mesh::{RepairOptions, RepairReport, Topology, TriMesh, Weld, solidify};
use heurt::query::{CountedOnce, measure_counted_once};
use heurt::solid::{Forced, MendOptions, MendedMesh, Resolution, mend as repair_mesh};
pub(crate) use json::RepairDocument;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  heurt repair scan.stl -o solid.stl                 run all steps, write the result
  heurt repair assembly.glb --dry-run                report what would be done to each mesh
  heurt repair part.obj -o part.obj.off --weld 1e-5  merge vertices up to this distance
  heurt repair part.ply -o out.ply --skip fill       leave the holes open
  heurt repair part.ply -o out.ply --steps weld,orient
  heurt repair scan.stl -o solid.stl --force         remove the faulty triangles that are left, and fill the holes

Steps, in this order: weld (nearly equal vertices, where that closes something), degenerate (triangles without area),
duplicates, seams (split open edges at vertices that lie on them), components (unused vertices, flat pieces, with --tiny
small ones), orient, split (bodies that touch in an edge or vertex), fill (holes), hull (a closed mesh that intersects
itself becomes the outer hull of the points that it winds around). A step that would make any kind of fault worse is
undone and named.

Exit status: 0 all meshes are solid afterwards (with --strict: and have no fault) and no step was left for lack of work,
1 something is left, 2 bad input.";

/// The names of the steps, in order.
const STEPS: [&str; 9] = ["weld", "degenerate", "duplicates", "seams", "components", "orient", "split", "fill", HULL];

/// The last step, which is no step of `heurt_mesh::repair`.
const HULL: &str = "hull";

/// Repairs meshes: closes seams and holes, orients faces, removes degenerate and duplicate ones.
///
/// After each step the faults are counted, and a step that adds any is undone. Repairing twice
/// changes nothing. Flat faces that were missing come back exactly; other holes get a filling of least area.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct RepairArguments {
    /// A mesh file or an assembly, of which each mesh is repaired.
    #[arg(value_name = "MESH")]
    input: PathBuf,
    /// The file to write; `-` is standard output, and then no table is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format, if the extension does not name one.
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// Reports what would be done, and writes nothing.
    #[arg(long, conflicts_with = "output")]
    dry_run: bool,
    /// Runs these steps only.
    #[arg(long, value_name = "STEP,…", value_delimiter = ',', value_parser = STEPS)]
    steps: Vec<String>,
    /// Leaves these steps out.
    #[arg(long, value_name = "STEP,…", value_delimiter = ',', value_parser = STEPS, conflicts_with = "steps")]
    skip: Vec<String>,
    /// Merges vertices up to this distance; 0 merges none. Default: 4 ulp of a 32-bit number at the largest coordinate.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    weld: Option<LengthArgument>,
    /// Separates bodies that touch in an edge or vertex by this distance. Default: 8 ulp of a 32-bit number.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    gap: Option<LengthArgument>,
    /// Drops components whose box has a smaller diagonal.
    #[arg(long, value_name = "LENGTH", default_value = "0", hide_default_value = true, allow_hyphen_values = true)]
    tiny: LengthArgument,
    /// Leaves holes with more edges open.
    #[arg(long, value_name = "N")]
    max_hole_edges: Option<usize>,
    /// Removes the faulty triangles of meshes that are not solid after all steps, and fills the holes, up to eight
    /// times; pieces that stay open go. The report has the change of area and volume.
    #[arg(long)]
    force: bool,
    /// Lists at most this many remaining faults of each mesh in the table.
    #[arg(long, value_name = "N", default_value_t = 3)]
    faults: usize,
    /// Prints JSON, with every hole that is left.
    #[arg(long)]
    json: bool,
    /// Ends with status 1 if any fault is left, even in a solid.
    #[arg(long)]
    strict: bool,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// A mesh of the input and the result of its repair.
struct Mended {
    /// The name of the first part with that mesh; the name of the file if it has none.
    name: String,
    has_changed: bool,
    report: RepairReport,
    resolution: Resolution,
    forced: Option<Forced>,
    /// The mesh would be a solid in a file of 64-bit coordinates.
    is_broken: bool,
    /// The measures before and after.
    measured: [MeasuredState; 2],
}

/// Area and volume of a mesh as `heurt inspect` reports them: shells that are inside out are turned, and space that
/// shells share counts once.
struct MeasuredState {
    area: f64,
    volume: Option<f64>,
    /// The sum of the volumes of the shells, if they share space, or may share it.
    shell_volume: Option<f64>,
}

impl MeasuredState {
    fn of(mesh: &TriMesh, state: &MeshState) -> Self {
        let faults = &state.faults;
        let meets_itself = faults.self_intersections + faults.duplicate_faces + faults.non_manifold_edges > 0;
        match solidify(mesh.clone(), Weld::Auto) {
            Ok(solid) => {
                let CountedOnce { measures, shell_volume } =
                    measure_counted_once(&Topology::new(&solid.mesh), meets_itself);
                Self { area: measures.area, volume: measures.volume, shell_volume }
            }
            Err(_) => Self { area: state.area, volume: state.volume, shell_volume: None },
        }
    }
}

/// Repairs the meshes of the input.
pub(crate) fn run(arguments: &RepairArguments, out: &mut Output) -> Result<Status, Failure> {
    let started = Instant::now();
    // A wrong name is reported before the work is done.
    if let Some(path) = &arguments.output {
        extension_of(path, arguments.format.as_deref())?;
    }
    refuse_two_on_stdout(arguments.output.as_deref(), arguments.json)?;
    let file = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
    let targets = Targets::new(&[("output", file)])?;
    targets.spare(&arguments.input)?;
    targets.try_out()?;
    let buffers = Buffers::default();
    let LoadedFile { mut model, mut failures, .. } =
        load::read_parts(&arguments.input, &ReadSettings::default(), &buffers)?;
    buffers.files().iter().try_for_each(|input| targets.spare(input))?;
    let input = Input::of(&arguments.input, &model);
    let options = options(arguments, input.units)?;
    let mended = threads::with(arguments.threads, || mend(&mut model, arguments, &options, &mut failures))?;
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if arguments.json && !takes_stdout {
        json::print(&input, &mended, &failures, out).map_err(Failure::output)?;
    } else if !arguments.quiet && !takes_stdout && !mended.is_empty() {
        table::print(&input, &mended, arguments.faults, started.elapsed(), out).map_err(Failure::output)?;
        let has_changed = mended.iter().any(|mended| mended.has_changed);
        if has_changed && arguments.output.is_none() && !arguments.dry_run {
            writeln!(out, "nothing was written: -o FILE writes the result").map_err(Failure::output)?;
        }
    }
    let written = match &arguments.output {
        Some(path) if !mended.is_empty() => write_model(&model, path, arguments.format.as_deref(), false, out),
        _ => Ok(()),
    };
    out.finish()?;
    failures.iter().for_each(Failure::report);
    written?;
    note_broken(arguments, &mended);
    let is_good = |report: &RepairReport| {
        let has_fault = arguments.strict && report.after.faults.total() > 0;
        report.is_solid() && !report.is_spent && !has_fault
    };
    Ok(match (failures.is_empty(), mended.iter().all(|mended| is_good(&mended.report))) {
        (false, _) => Status::BadInput,
        (true, true) => Status::Clear,
        (true, false) => Status::Found,
    })
}

/// Prints a note if a file of 32-bit coordinates breaks meshes that 64 bits keep.
fn note_broken(arguments: &RepairArguments, mended: &[Mended]) {
    let count = mended.iter().filter(|mended| mended.is_broken).count();
    if let (Some(path), true) = (&arguments.output, count > 0) {
        let meshes = if count == 1 { "a mesh is".to_owned() } else { format!("{count} meshes are") };
        // A note for people: a closed standard error is no failure.
        let _ = writeln!(
            io::stderr(),
            "note: {}: {meshes} no solid after rounding to the 32 bits of this format, but would be in 64 bits: write \
             OBJ, PLY, OFF or 3MF",
            printable(&path.to_string_lossy())
        );
    }
}

/// Repairs each mesh in place; adds a failure for each mesh that cannot be repaired.
fn mend(
    model: &mut Model,
    arguments: &RepairArguments,
    options: &MendOptions,
    failures: &mut Vec<Failure>,
) -> Vec<Mended> {
    let format = arguments.output.as_ref().and_then(|path| extension_of(path, arguments.format.as_deref()).ok());
    let is_short = format.is_some_and(|format| has_short_coordinates(&format));
    let options = MendOptions { is_short, ..options.clone() };
    let progress = Progress::new("repairing meshes", model.meshes.len() as u64, arguments.quiet || arguments.json);
    // A mesh without a name has the name of its file.
    let stem = arguments.input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut all = Vec::with_capacity(model.meshes.len());
    let names = load::names_of_meshes(model);
    for (number, (mesh, part)) in model.meshes.iter_mut().zip(names).enumerate() {
        match repair_mesh(mesh, &options) {
            Ok(mended) if ![&mended.report.before, &mended.report.after].into_iter().all(is_measurable) => {
                failures.push(Failure::Unmeasurable { path: arguments.input.clone(), part });
            }
            Ok(mended) => {
                let has_changed = mended.has_changed();
                let before = MeasuredState::of(mesh, &mended.report.before);
                let after = MeasuredState::of(&mended.mesh, &mended.report.after);
                if has_changed {
                    *mesh = mended.mesh;
                    // The polygons refer to triangles that are no longer there.
                    model.polygons.get_mut(number).into_iter().for_each(|polygons| *polygons = None);
                }
                let name = if part.is_empty() { stem.clone() } else { part };
                let MendedMesh { report, resolution, forced, is_broken_by_rounding: is_broken, .. } = mended;
                let measured = [before, after];
                all.push(Mended { name, has_changed, report, resolution, forced, is_broken, measured });
            }
            Err(source) => failures.push(Failure::Unrepaired { path: arguments.input.clone(), part, source }),
        }
        progress.reach(number as u64 + 1);
    }
    all
}

/// Reports whether an `f64` holds the measures of a mesh.
fn is_measurable(state: &MeshState) -> bool {
    state.area.is_finite() && state.open_length.is_finite() && state.volume.is_none_or(f64::is_finite)
}

/// The options of the library that the arguments represent.
fn options(arguments: &RepairArguments, units: Units) -> Result<MendOptions, Failure> {
    let steps = |names: &[String]| -> Vec<Step> { names.iter().filter_map(|name| Step::from_name(name)).collect() };
    let skipped = steps(&arguments.skip);
    let default = RepairOptions::default();
    let chosen = if arguments.steps.is_empty() { default.steps } else { steps(&arguments.steps) };
    let names_hull = |names: &[String]| names.iter().any(|name| name == HULL);
    let in_units =
        |option, length: Option<LengthArgument>| length.map(|length| length.in_units(option, units)).transpose();
    Ok(MendOptions {
        repair: RepairOptions {
            steps: chosen.into_iter().filter(|step| !skipped.contains(step)).collect(),
            tolerance: in_units("--weld", arguments.weld)?,
            gap: in_units("--gap", arguments.gap)?,
            tiny: arguments.tiny.in_units("--tiny", units)?,
            max_hole_edges: arguments.max_hole_edges.unwrap_or(default.max_hole_edges),
        },
        resolves: !names_hull(&arguments.skip) && (arguments.steps.is_empty() || names_hull(&arguments.steps)),
        forces: arguments.force,
        is_short: false,
    })
}
