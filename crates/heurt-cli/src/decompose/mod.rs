//! `heurt decompose`: covers closed meshes by convex pieces.

mod json;
mod table;

use crate::input::Input;
use crate::load::{Buffers, LoadedFile, ReadSettings};
use crate::make::{FORMATS, extension_of, refuse_two_on_stdout, write_model};
use crate::output::Output;
use crate::progress::Progress;
use crate::targets::Targets;
use crate::{Failure, load, status::Status, threads};
use clap::Args;
use heurt::io::{Model, Part};
use heurt::mesh::{DecomposeOptions, Decomposition, TriMesh, decompose_with_progress, measures};
pub(crate) use json::DecomposeDocument;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  heurt decompose gear.stl -o pieces.glb                     pieces within 2% of the size of the gear
  heurt decompose gear.stl -o pieces.obj --tolerance 0.005   closer, and every bit of a coordinate kept
  heurt decompose bunny.ply -o few.glb --max-pieces 16       at most 16, as close as these can be
  heurt decompose assembly.glb --json                        the numbers alone, for every part

Pieces are closed and convex, and every point of the solid is in one of them. No point of a piece is farther from the solid
than the concavity in the table, which is a proved bound. OBJ, PLY and OFF keep pieces as they are; GLB and STL round them
to 32 bits, about 1e-7 of the size.

Exit status: 0 all meshes were decomposed, 2 bad input (open meshes have no inside).";

/// Covers closed meshes by convex pieces, within a tolerance.
///
/// Cuts along planes until the hull of each part is near enough to the solid. Each piece becomes a part of the file
/// that is written, named after the part that it is a piece of.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct DecomposeArguments {
    /// A mesh file or an assembly, of which each mesh is decomposed.
    #[arg(value_name = "MESH")]
    input: PathBuf,
    /// The file to write the pieces to; `-` is standard output, and then no table is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format, if the extension does not name it.
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// How far pieces may be from the solid, as a share of the diagonal of its box: 0.0001 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = DecomposeOptions::default().tolerance, allow_hyphen_values = true)]
    tolerance: f64,
    /// At most this many pieces of each mesh; some may then be farther from the solid.
    #[arg(long, value_name = "N", default_value_t = DecomposeOptions::default().max_pieces)]
    max_pieces: usize,
    /// Prints JSON, with every piece.
    #[arg(long)]
    json: bool,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// A mesh of the input and its pieces.
struct Decomposed {
    /// The name of the first part with that mesh.
    name: String,
    mesh: TriMesh,
    pieces: Decomposition,
}

impl Decomposed {
    /// Computes the volume of all pieces relative to the volume of the mesh; `None` if it is outside the range of
    /// `f64`.
    fn volume_ratio(&self) -> Option<f64> {
        let volume = |mesh: &TriMesh| measures(mesh).volume.unwrap_or(f64::NAN).abs();
        let pieces: f64 = self.pieces.pieces().map(|piece| volume(&piece.hull)).sum();
        Some(pieces / volume(&self.mesh)).filter(|ratio| ratio.is_finite())
    }

    fn piece_triangles(&self) -> usize {
        self.pieces.pieces().map(|piece| piece.hull.triangles().len()).sum()
    }

    fn is_within_tolerance(&self) -> bool {
        self.pieces.concavity() <= self.pieces.tolerance()
    }
}

/// Decomposes the meshes of the input.
pub(crate) fn run(arguments: &DecomposeArguments, out: &mut Output) -> Result<Status, Failure> {
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
    let LoadedFile { model, mut failures, .. } =
        load::read_parts(&arguments.input, &ReadSettings::default(), &buffers)?;
    buffers.files().iter().try_for_each(|input| targets.spare(input))?;
    let input = Input::of(&arguments.input, &model);
    let found = threads::with(arguments.threads, || decomposed(&model, arguments, &mut failures))?;
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if arguments.json && !takes_stdout {
        json::print(&input, &found, &failures, out).map_err(Failure::output)?;
    } else if !arguments.quiet && !takes_stdout && found.iter().any(Option::is_some) {
        table::print(&input, &found, started.elapsed(), out).map_err(Failure::output)?;
    }
    let written = match &arguments.output {
        Some(path) if found.iter().any(Option::is_some) => {
            write_model(&pieces_of(&model, &found, arguments), path, arguments.format.as_deref(), false, out)
        }
        _ => Ok(()),
    };
    out.finish()?;
    failures.iter().for_each(Failure::report);
    written?;
    Ok(if failures.is_empty() { Status::Clear } else { Status::BadInput })
}

/// Decomposes each mesh, in order; adds a failure for each that cannot be decomposed.
fn decomposed(model: &Model, arguments: &DecomposeArguments, failures: &mut Vec<Failure>) -> Vec<Option<Decomposed>> {
    let options = DecomposeOptions { tolerance: arguments.tolerance, max_pieces: arguments.max_pieces };
    const PERCENT: u64 = 100;
    let progress =
        Progress::new("decomposing, %", PERCENT * model.meshes.len() as u64, arguments.quiet || arguments.json);
    let mut all = Vec::with_capacity(model.meshes.len());
    for (number, mesh) in model.meshes.iter().enumerate() {
        let report = |share: f64| progress.reach(PERCENT * number as u64 + (share * PERCENT as f64) as u64);
        let part = model.parts.iter().find(|part| part.mesh == number);
        match decompose_with_progress(mesh, &options, &report) {
            Ok(pieces) => {
                let name = part.map_or_else(String::new, |part| name_of(part, arguments));
                all.push(Some(Decomposed { name, mesh: mesh.clone(), pieces }));
            }
            Err(source) => {
                let part = part.map_or_else(String::new, |part| part.name.clone());
                failures.push(Failure::Undecomposed { path: arguments.input.clone(), part, source });
                all.push(None);
            }
        }
    }
    all
}

/// Returns the name of a part; the name of the file if it has none.
fn name_of(part: &Part, arguments: &DecomposeArguments) -> String {
    let stem = || arguments.input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if part.name.is_empty() { stem() } else { part.name.clone() }
}

/// Makes a model in which each part is a piece of a part.
fn pieces_of(model: &Model, found: &[Option<Decomposed>], arguments: &DecomposeArguments) -> Model {
    let mut pieces = Model { unit: model.unit, ..Model::default() };
    let mut first_of = Vec::with_capacity(found.len());
    for decomposed in found {
        first_of.push(pieces.meshes.len());
        let hulls = decomposed.iter().flat_map(|decomposed| decomposed.pieces.pieces());
        pieces.meshes.extend(hulls.map(|piece| piece.hull.clone()));
    }
    first_of.push(pieces.meshes.len());
    for part in &model.parts {
        let of = name_of(part, arguments);
        for (number, mesh) in (1..).zip(first_of[part.mesh]..first_of[part.mesh + 1]) {
            pieces.parts.push(Part::new(format!("{of} piece {number}"), mesh, part.pose));
        }
    }
    pieces
}
