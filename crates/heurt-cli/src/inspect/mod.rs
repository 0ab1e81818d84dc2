//! `heurt inspect`: what a mesh is, what it measures, and everything that is wrong with it.

mod json;
mod table;

use crate::load::Buffers;
use crate::output::Output;
use crate::{Failure, Status, load, threads};
use clap::Args;
use heurt::mesh::{Measures, Report, Topology, TriMesh, check_over, measures_over};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt inspect bolt.stl                 closed? which faults? area, volume, centroid, inertia
  heurt inspect parts/ --json            all meshes of a folder, every fault, for a program to read
  heurt inspect scan.ply --strict        exit status 1 if there is any fault

A closed mesh is a solid: parts inside it interfere with it. An open one is only its surface.

Exit status: 0 all meshes could be read (with --strict: and have no fault, else 1), 2 bad input.";

/// Inspects meshes: class, measures, and all faults.
///
/// Looks for holes, edges and vertices that are no surface, faces turned inside out, degenerate and duplicate faces,
/// isolated vertices and self-intersections. Lengths are taken as metres; inertia is about the centroid, at density 1.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct InspectArguments {
    /// Mesh files, assemblies or folders of mesh files.
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    inputs: Vec<PathBuf>,
    /// Prints JSON, with every fault.
    #[arg(long)]
    json: bool,
    /// Lists at most this many faults of each kind in the table.
    #[arg(long, value_name = "N", default_value_t = 3)]
    faults: usize,
    /// Ends with status 1 if a mesh has a fault.
    #[arg(long)]
    strict: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// One mesh, inspected.
struct Inspected {
    file: PathBuf,
    /// The name of the mesh in the file; empty where it has none.
    name: String,
    mesh: TriMesh,
    report: Report,
    measures: Measures,
}

/// Inspects what the arguments name.
pub(crate) fn run(arguments: &InspectArguments, out: &mut Output) -> Result<Status, Failure> {
    let mut failures = Vec::new();
    let mut files = Vec::new();
    for input in &arguments.inputs {
        match load::files_of(input) {
            Ok(found) => files.extend(found),
            Err(failure) => failures.push(failure),
        }
    }
    let mut has_fault = false;
    let mut all = Vec::new();
    for file in files {
        match threads::with(arguments.threads, || inspect(&file))? {
            Ok((meshes, bad_parts)) => {
                failures.extend(bad_parts);
                has_fault |= meshes.iter().any(|mesh| !mesh.report.faults.is_empty());
                if arguments.json {
                    all.extend(meshes);
                    continue;
                }
                // A mesh is shown and let go before the next one is read.
                for mesh in &meshes {
                    table::print(mesh, arguments.faults, out).map_err(Failure::output)?;
                }
            }
            Err(failure) => failures.push(failure),
        }
    }
    if arguments.json {
        json::print(&all, &failures, out).map_err(Failure::output)?;
    }
    out.finish()?;
    for failure in &failures {
        failure.report();
    }
    Ok(match (failures.is_empty(), arguments.strict && has_fault) {
        (false, _) => Status::BadInput,
        (true, true) => Status::Found,
        (true, false) => Status::Clear,
    })
}

/// Each mesh of a file, in its own frame, and each part that cannot be read; instances are not repeated.
fn inspect(file: &Path) -> Result<(Vec<Inspected>, Vec<Failure>), Failure> {
    let (model, mut failures) = load::read_parts(file, &Buffers::default())?;
    let mut names = vec![String::new(); model.meshes.len()];
    for part in model.parts.iter().rev() {
        names[part.mesh].clone_from(&part.name);
    }
    let mut inspected = Vec::with_capacity(names.len());
    for (mesh, name) in model.meshes.into_iter().zip(names) {
        let topology = Topology::new(&mesh);
        let measures = measures_over(&topology);
        if !measures.are_finite() {
            failures.push(Failure::Unmeasurable { path: file.to_owned(), part: name });
            continue;
        }
        let report = check_over(&topology, &heurt::mesh::CheckOptions::default());
        inspected.push(Inspected { file: file.to_owned(), name, report, measures, mesh });
    }
    Ok((inspected, failures))
}
