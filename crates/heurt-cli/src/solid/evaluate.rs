//! `heurt solid evaluate`: a CSG tree as a closed mesh.
//!
//! In: a file with a tree, a tolerance. Out: a mesh file, and a table or JSON with its measures.
//! Guarantees: polyhedra are exact, curved leaves within the tolerance. The mesh is the same for any number of threads.

use super::ResultArguments;
use super::csg_file::CsgFile;
use super::report::{ResultMeasures, print_rows};
use crate::check::{grouped, title_of, write_summary};
use crate::input::six_digits;
use crate::length_option::LengthArgument;
use crate::output::Output;
use crate::progress::Progress;
use crate::status::Status;
use crate::{Failure, threads};
use clap::Args;
use heurt::solid::{CombinedSolid, CsgEvaluation};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt solid evaluate drilled.csg -o drilled.stl
  heurt solid evaluate bracket.json -o bracket.obj --tolerance 0.0001
  heurt solid evaluate bracket.toml --json           volume, area, extent, genus

A .csg file is a tree of OpenSCAD (export as CSG): union, difference, intersection, multmatrix, cube, sphere, cylinder
and polyhedron. JSON and TOML have {\"union\":[…]}, {\"intersection\":[…]}, {\"difference\":[a, b, …]},
{\"complement\":a}, {\"at\":pose,\"of\":a} and {\"matrix\":[[3×4]],\"of\":a}; the leaves are the shapes of `heurt query`,
and `quadric`. Polyhedra are exact; the mesh of a curved leaf is within the tolerance.

Exit status: 0 done, 1 the result is empty (no file is written), 2 bad input.";

/// Evaluates a CSG tree to a closed mesh.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct EvaluateArguments {
    /// The tree: .csg (OpenSCAD), .json or .toml.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The greatest distance of curved leaves from their meshes, in the unit of the file [default: 1/1000 of the size].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    tolerance: Option<LengthArgument>,
    #[command(flatten)]
    result: ResultArguments,
}

#[derive(JsonSchema, Serialize)]
struct EvaluationJson {
    unit: Option<&'static str>,
    leaves: usize,
    depth: usize,
    tolerance: f64,
    #[serde(flatten)]
    measures: ResultMeasures,
}

/// Evaluates the tree of the arguments.
pub(super) fn run(arguments: &EvaluateArguments, out: &mut Output) -> Result<Status, Failure> {
    // A wrong name is reported before the work is done.
    let targets = arguments.result.targets()?;
    targets.spare(&arguments.file)?;
    let file = CsgFile::read(&arguments.file, arguments.result.threads)?;
    file.inputs.iter().try_for_each(|input| targets.spare(input))?;
    threads::with(arguments.result.threads, || evaluate(arguments, &file, out))?
}

fn evaluate(arguments: &EvaluateArguments, file: &CsgFile, out: &mut Output) -> Result<Status, Failure> {
    let output = &arguments.result;
    let refuse = |source| Failure::NoCsgMesh { path: arguments.file.clone(), source: Box::new(source) };
    let given = arguments.tolerance.map(|length| length.in_units("--tolerance", file.units)).transpose()?;
    let tolerance = given.unwrap_or_else(|| file.tree.mesh_tolerance());
    let evaluation = CsgEvaluation::new(&file.tree, tolerance).map_err(refuse)?;
    let progress = Progress::new("evaluating", evaluation.steps() as u64, output.quiet);
    let CombinedSolid { mesh, moved } = evaluation.to_mesh(&|| progress.step()).map_err(refuse)?;
    drop(progress);
    let report = EvaluationJson {
        unit: file.units.symbol(),
        leaves: file.leaves(),
        depth: file.tree.depth(),
        tolerance,
        measures: ResultMeasures::new(mesh.as_ref(), moved, output.is_solid_in_file(mesh.as_ref())?),
    };
    if output.json && !output.takes_stdout() {
        write_summary(&report, out).and_then(|()| writeln!(out, "\n}}")).map_err(Failure::output)?;
    } else if !output.quiet && !output.takes_stdout() {
        let title = title_of(std::slice::from_ref(&arguments.file));
        let mut rows = vec![
            ("leaves", grouped(report.leaves)),
            ("tolerance", format!("{} {}", six_digits(tolerance), file.units.length())),
        ];
        rows.extend(report.measures.rows(file.units));
        print_rows(["evaluation", &title], &rows, out).map_err(Failure::output)?;
    }
    output.write(mesh, file.units, out)
}

/// The report of `heurt solid evaluate --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct EvaluateDocument {
    summary: EvaluationJson,
}
