//! The `heurt simplify` command: fewer triangles, with a proved bound on the deviation.
//!
//! In: a mesh file or an assembly, a number of triangles, a deviation. Out: the file with simplified meshes, a table or
//! JSON.
//! Method: `heurt_mesh::simplify_within` on each mesh; parts, names and poses stay. Guarantees: the printed bound holds
//! in both directions before the file is written; formats of 32 bits round vertices by approximately 1e-7 of their
//! coordinates more.

mod report;

use crate::input::Input;
use crate::length_option::LengthArgument;
use crate::load::{Buffers, LoadedFile, ReadSettings};
use crate::make::{FORMATS, extension_of, refuse_two_on_stdout, write_model};
use crate::output::Output;
use crate::progress::Progress;
use crate::targets::Targets;
use crate::{Failure, load, status::Status, threads};
use clap::{ArgGroup, Args};
use heurt::io::Model;
use heurt::mesh::{Simplified, SimplifyOptions, simplify_within};
pub(crate) use report::SimplifyDocument;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  heurt simplify bunny.ply -o few.ply --triangles 5000    at most 5000 triangles; how far off that is, is printed
  heurt simplify part.stl -o part.obj --deviation 1e-4    as few as possible within this distance
  heurt simplify part.stl --deviation 0                   merge coplanar triangles only: the surface stays as it is
  heurt simplify assembly.glb -o low.glb --triangles 500 --deviation 0.001

The bound holds in both directions: no point of either surface is farther from the other one. Closed meshes stay closed,
and meshes without self-intersections stay without. Vertices keep their coordinates; those at borders stay.

Exit status: 0 all meshes reach --triangles, or it was not given; 1 some do not; 2 bad input.";

/// Simplifies meshes, within a distance or to a number of triangles.
///
/// Collapses the edges whose loss changes the surface least, as long as the proved distance between the old and the new
/// surface stays within --deviation, down to --triangles for each mesh.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("limit").required(true).multiple(true).args(["triangles", "deviation"]))]
pub(crate) struct SimplifyArguments {
    /// A mesh file or an assembly, of which each mesh is simplified.
    #[arg(value_name = "MESH")]
    input: PathBuf,
    /// The file to write; `-` is standard output, and then no table is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format, if the extension does not name one.
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// Stops at this number of triangles of each mesh.
    #[arg(long, value_name = "N")]
    triangles: Option<usize>,
    /// The largest distance between the old and the new surface.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    deviation: Option<LengthArgument>,
    /// Allows triangles to intersect each other; faster.
    #[arg(long)]
    allow_intersections: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// A mesh of the input and the result of its simplification.
struct Reduced {
    /// The name of the first part with that mesh; the name of the file if it has none.
    name: String,
    triangles_before: usize,
    /// Its mesh was moved into the model.
    triangles_after: usize,
    bound: f64,
    refused_by_deviation: usize,
    refused_by_shape: usize,
    refused_by_intersection: usize,
}

/// Simplifies the meshes of the input.
pub(crate) fn run(arguments: &SimplifyArguments, out: &mut Output) -> Result<Status, Failure> {
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
    let deviation = arguments.deviation.map(|length| length.in_units("--deviation", input.units)).transpose()?;
    let deviation = deviation.unwrap_or(f64::INFINITY);
    let reduced = threads::with(arguments.threads, || reduce(&mut model, arguments, deviation, &mut failures))?;
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if arguments.json && !takes_stdout {
        report::print_json(&input, &reduced, &failures, out).map_err(Failure::output)?;
    } else if !arguments.quiet && !takes_stdout && !reduced.is_empty() {
        report::print_table(&input, &reduced, started.elapsed(), out).map_err(Failure::output)?;
    }
    let written = match &arguments.output {
        Some(path) if !reduced.is_empty() => write_model(&model, path, arguments.format.as_deref(), false, out),
        _ => Ok(()),
    };
    out.finish()?;
    failures.iter().for_each(Failure::report);
    written?;
    let is_reached = |mesh: &Reduced| arguments.triangles.is_none_or(|most| mesh.triangles_after <= most);
    Ok(match (failures.is_empty(), reduced.iter().all(is_reached)) {
        (false, _) => Status::BadInput,
        (true, true) => Status::Clear,
        (true, false) => Status::Found,
    })
}

/// Simplifies each mesh in place; adds a failure for each mesh that cannot be simplified.
fn reduce(
    model: &mut Model,
    arguments: &SimplifyArguments,
    max_deviation: f64,
    failures: &mut Vec<Failure>,
) -> Vec<Reduced> {
    let options = SimplifyOptions {
        max_triangles: arguments.triangles.unwrap_or(0),
        max_deviation,
        avoids_intersections: !arguments.allow_intersections,
    };
    let progress = Progress::new("simplifying meshes", model.meshes.len() as u64, arguments.quiet || arguments.json);
    // A mesh without a name has the name of its file.
    let stem = arguments.input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut all = Vec::with_capacity(model.meshes.len());
    let names = load::names_of_meshes(model);
    for (number, (mesh, part)) in model.meshes.iter_mut().zip(names).enumerate() {
        let simplified = match simplify_within(mesh, &options) {
            Ok(simplified) => simplified,
            Err(source) => {
                failures.push(Failure::Unsimplified { path: arguments.input.clone(), part, source });
                continue;
            }
        };
        let Simplified { refused_by_deviation, refused_by_shape, refused_by_intersection, .. } = simplified;
        all.push(Reduced {
            name: if part.is_empty() { stem.clone() } else { part },
            triangles_before: mesh.triangles().len(),
            triangles_after: simplified.mesh.triangles().len(),
            bound: simplified.deviation_bound,
            refused_by_deviation,
            refused_by_shape,
            refused_by_intersection,
        });
        if simplified.collapses > 0 {
            *mesh = simplified.mesh;
            // The polygons refer to triangles that are no longer there.
            model.polygons.get_mut(number).into_iter().for_each(|polygons| *polygons = None);
        }
        progress.reach(number as u64 + 1);
    }
    all
}
