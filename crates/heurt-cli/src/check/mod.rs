//! `heurt check`: which parts of an assembly interfere, and where.
//!
//! With `--motion`, which parts a moved one meets, and when (`motion`).
//!
//! Method: parts are loaded (`assembly`), pairs whose boxes meet are proposed along one sorted axis (`prefilter`), each
//! is decided exactly in parallel (`interference`), and all are reported in part order (`table`, `json`, `csv`,
//! `contours`).

mod arguments;
mod assembly;
mod contours;
mod csv;
mod interference;
mod json;
mod motion;
mod prefilter;
mod table;

pub(crate) use arguments::CheckArguments;
pub(crate) use assembly::Assembly;
pub(crate) use interference::find;
pub(crate) use json::{FailureJson, write_list};
pub(crate) use table::{bold, grouped, new_table, print as print_table};

use crate::output::Output;
use crate::targets::Targets;
use crate::{Failure, Status, load, pose, threads};
use contours::CurveFormat;
use std::path::Path;
use std::time::Instant;

/// Checks what the arguments name and reports it.
pub(crate) fn run(arguments: &CheckArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(motion) = &arguments.motion {
        return motion::run(motion, arguments, out);
    }
    let started = Instant::now();
    // A wrong name is told before the work is done.
    let with_format = |path| CurveFormat::of(path).map(|format| (path, format));
    let curves = arguments.contours.as_deref().map(with_format).transpose()?;
    let targets = targets(arguments)?;
    let (assembly, findings) = threads::with(arguments.threads, || {
        let assembly = Assembly::load(arguments)?;
        assembly.buffers.iter().try_for_each(|input| targets.spare(input))?;
        let findings = find(&assembly, arguments.quiet);
        Ok::<_, Failure>((assembly, findings))
    })??;
    for failure in &assembly.failures {
        failure.report();
    }
    if assembly.parts.is_empty() {
        if arguments.json {
            json::print(&assembly, &findings, out).map_err(Failure::output)?;
            out.finish()?;
        }
        return Err(Failure::NothingToCheck);
    }
    let findings = if arguments.ignore_touching { findings.without_touching() } else { findings };
    // What was found is reported, whatever becomes of the file.
    let drawn = match curves {
        Some((path, format)) => {
            threads::with(arguments.threads, || contours::write(&assembly, &findings, path, format))?
        }
        None => Ok(()),
    };
    let written = match (arguments.json, arguments.csv, arguments.quiet) {
        (true, ..) => json::print(&assembly, &findings, out),
        (_, true, _) => csv::print(&assembly, &findings, out),
        (.., true) => Ok(()),
        _ => {
            let limit = if arguments.all_pairs { usize::MAX } else { arguments.limit };
            print_table(&assembly, &findings, limit, started.elapsed(), out)
        }
    };
    written.map_err(Failure::output)?;
    out.finish()?;
    drawn?;
    Ok(match (assembly.failures.is_empty(), findings.list.is_empty()) {
        (false, _) => Status::BadInput,
        (true, false) => Status::Found,
        (true, true) => Status::Clear,
    })
}

/// What is written: no curves over what the arguments name to be read.
fn targets(arguments: &CheckArguments) -> Result<Targets<'_>, Failure> {
    let targets = Targets::new(&[("contours", arguments.contours.as_deref())])?;
    if arguments.contours.is_none() {
        return Ok(targets);
    }
    let meshes = arguments.inputs.iter().filter_map(|input| load::files_of(input).ok()).flatten();
    let poses = [&arguments.pose_a, &arguments.pose_b].into_iter().flatten().filter_map(|value| pose::file_of(value));
    let tree = arguments.tree.clone();
    meshes.chain(poses.map(Path::to_owned)).chain(tree).try_for_each(|input| targets.spare(&input))?;
    Ok(targets)
}
