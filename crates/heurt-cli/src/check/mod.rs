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
use crate::{Failure, Status, load, threads};
use contours::CurveFormat;
use std::path::{Path, PathBuf};
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
    if let Some((path, _)) = curves
        && is_among(path, &arguments.inputs)
    {
        return Err(Failure::OutputIsInput { path: path.to_owned() });
    }
    let (assembly, findings) = threads::with(arguments.threads, || {
        let assembly = Assembly::load(arguments)?;
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

/// Tells whether a file that is to be written is one of those that the inputs stand for.
fn is_among(path: &Path, inputs: &[PathBuf]) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let files = inputs.iter().filter_map(|input| load::files_of(input).ok()).flatten();
    files.filter_map(|file| file.canonicalize().ok()).any(|file| file == path)
}
