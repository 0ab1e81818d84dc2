//! `heurt check`: finds the parts of an assembly that interfere, their depths and places.
//!
//! With `--motion`, finds the parts that a moved part meets, and when (`motion`).
//!
//! Method: inputs become placed parts (`sources`, `description`, `placement`, `assembly`), without pairs that the user
//! excluded (`selection`). `heurt::assembly` decides all pairs. They are compared with an earlier report (`baseline`)
//! and reported (`table`, `json`, `csv`, `contours`, `clashes`, `shared_solids`).

mod arguments;
mod assembly;
mod baseline;
mod clashes;
mod colours;
mod contours;
mod csv;
mod description;
mod html_report;
mod json;
mod motion;
mod naming;
mod notes;
mod picture;
mod placement;
mod selection;
mod shared_solids;
mod sources;
mod table;

pub(crate) use arguments::{AssemblyArguments, BuildOptions, CheckArguments, SolidArgument};
pub(crate) use assembly::LoadedAssembly;
pub(crate) use csv::quoted;
pub(crate) use html_report::{check_name as check_report_name, write as write_report};
pub(crate) use json::{CheckDocument, FailureJson, write_list, write_summary};
pub(crate) use motion::MotionDocument;
pub(crate) use table::{TableOptions, bold, counted, grouped, new_table, print as print_table, spent};

use crate::length_option::LengthArgument;
use crate::output::Output;
use crate::progress::Progress;
use crate::targets::Targets;
use crate::units::Units;
use crate::written_pose::file_of;
use crate::{Failure, load, status::Status, threads};
use baseline::{Baseline, Examined};
use contours::CurveFormat;
use heurt::assembly::{
    Findings, Search, Selection, compute_shared_solids, decide_pairs, find_candidates, seek_translations,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Checks the inputs of the arguments and reports the result.
pub(crate) fn run(arguments: &CheckArguments, out: &mut Output) -> Result<Status, Failure> {
    let status = match &arguments.motion {
        Some(motion) => motion::run(motion, arguments, out)?,
        None => check(arguments, out)?,
    };
    Ok(if arguments.exit_zero && status == Status::Found { Status::Clear } else { status })
}

fn check(arguments: &CheckArguments, out: &mut Output) -> Result<Status, Failure> {
    let started = Instant::now();
    // A wrong name is reported before the work is done.
    let with_format = |path| CurveFormat::of(path).map(|format| (path, format));
    let curves = arguments.contours.as_deref().map(with_format).transpose()?;
    for (option, path) in [("clashes", &arguments.clashes), ("solids", &arguments.solids)] {
        path.as_deref().map(|path| export_extension(option, path)).transpose()?;
    }
    arguments.picture.picture.check_name()?;
    arguments.report.as_deref().map(html_report::check_name).transpose()?;
    let targets = targets(arguments)?;
    let baseline = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    let (assembly, selection, findings) = threads::with(arguments.threads, || search(arguments, &targets))??;
    if assembly.parts.is_empty() {
        if arguments.json {
            json::print(&assembly, &findings, None, out).map_err(Failure::output)?;
            out.finish()?;
        }
        return Err(Failure::NothingToCheck);
    }
    let Lengths { clearance, tolerance, .. } = Lengths::of(arguments, assembly.units())?;
    let examined =
        Examined { selection: &selection, clearance, tolerance, ignores_touching: arguments.ignore_touching };
    let comparison = baseline.map(|baseline| baseline.compare(&assembly, &findings, &examined));
    // The findings are reported even if a file cannot be written.
    let drawn = match curves {
        Some((path, format)) => threads::with(arguments.threads, || {
            contours::write(&assembly, &findings, arguments.contour_points, path, format)
        })?,
        None => Ok(()),
    };
    let exported = match &arguments.clashes {
        Some(path) if !findings.is_empty() => clashes::write(&assembly, &findings, path, out),
        Some(path) => notes::report_nothing_to_export(path, arguments.quiet),
        None => Ok(()),
    };
    let exported = match &arguments.solids {
        Some(path) => exported.and(shared_solids::write(&assembly, &findings, path, out)),
        None => exported,
    };
    let title = title_of(&arguments.assembly.inputs);
    let pictured = threads::with(arguments.threads, || {
        picture::write(&assembly, &findings, &title, &arguments.picture, arguments.quiet)
    })?;
    let reported = match &arguments.report {
        Some(path) => threads::with(arguments.threads, || {
            html_report::write(&assembly, &findings, comparison.as_ref(), &title, path)
        })?,
        None => Ok(()),
    };
    let written = match (arguments.json, arguments.csv, arguments.quiet) {
        (true, ..) => json::print(&assembly, &findings, comparison.as_ref(), out),
        (_, true, _) => {
            notes::print_to_stderr(&assembly, arguments.quiet);
            csv::print(&assembly, &findings, comparison.as_ref(), out)
        }
        (.., true) => Ok(()),
        _ => {
            let limit = arguments.rows();
            let numbered = arguments.picture.picture.path().is_some() || arguments.report.is_some();
            let comparison = comparison.as_ref();
            let options = TableOptions { limit, elapsed: started.elapsed(), comparison, numbered };
            print_table(&assembly, &findings, &options, out)
        }
    };
    written.map_err(Failure::output)?;
    out.finish()?;
    Failure::first_of([drawn, exported, pictured], reported)?;
    let is_clear = comparison.map_or(findings.is_empty(), |comparison| comparison.is_clear());
    Ok(match (assembly.failures.is_empty() && assembly.parts.len() > 1, is_clear) {
        (false, _) => Status::BadInput,
        (true, false) => Status::Found,
        (true, true) => Status::Clear,
    })
}

/// Returns the names of the inputs, for a title.
pub(crate) fn title_of(inputs: &[PathBuf]) -> String {
    let name = |path: &PathBuf| {
        path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    match inputs {
        [] => String::new(),
        [one] => name(one),
        [first, second] => format!("{}, {}", name(first), name(second)),
        [first, others @ ..] => format!("{} and {} others", name(first), others.len()),
    }
}

/// Refuses an exported file without a format, and standard output, which has the report.
pub(crate) fn export_extension(option: &'static str, path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::ExportToOutput { option });
    }
    crate::make::extension_of(path, None).map(drop)
}

/// The lengths of options, in the unit of the report.
struct Lengths {
    clearance: Option<f64>,
    tolerance: Option<f64>,
    chord_error: Option<f64>,
}

impl Lengths {
    fn of(arguments: &CheckArguments, units: Units) -> Result<Self, Failure> {
        let in_units =
            |length: Option<LengthArgument>, option| length.map(|length| length.in_units(option, units)).transpose();
        Ok(Self {
            clearance: in_units(arguments.clearance, "--clearance")?,
            tolerance: in_units(arguments.tolerance, "--tolerance")?,
            chord_error: in_units(arguments.chord_tolerance, "--chord-tolerance")?,
        })
    }
}

/// Loads the assembly and runs the search of the arguments.
fn search(arguments: &CheckArguments, targets: &Targets<'_>) -> Result<(LoadedAssembly, Selection, Findings), Failure> {
    let mut assembly = LoadedAssembly::load(&arguments.assembly, &arguments.build_options())?;
    assembly.inputs.iter().try_for_each(|input| targets.spare(input))?;
    if let ([part], true) = (&*assembly.parts, assembly.failures.is_empty()) {
        assembly.failures.push(Failure::OnePart { part: part.name.clone() });
    }
    // First the files that could not be read: an option cannot name a part of them.
    assembly.failures.iter().for_each(Failure::report);
    assembly.place_named(&arguments.assembly.poses)?;
    let (of, against) = (&arguments.of, &arguments.against);
    let (selection, notes, failures) = selection::select(&assembly.parts, of, against, arguments.ignore.as_deref())?;
    failures.iter().for_each(Failure::report);
    assembly.warnings.extend(notes);
    assembly.failures.extend(failures);
    let Lengths { clearance, tolerance, chord_error } = Lengths::of(arguments, assembly.units())?;
    let with_depth = !arguments.no_depth;
    // A table shows the deepest pairs only; an early report may have no other depths.
    let with_translations =
        arguments.json || arguments.csv || arguments.report.is_some() || arguments.baseline.is_some();
    let search = Search { clearance, with_depth, with_translations, tolerance, chord_error, ..Search::new(&selection) };
    let candidates = find_candidates(&assembly, &search)?;
    let progress = Progress::new("checking pairs", candidates.len() as u64, arguments.quiet);
    let findings = decide_pairs(&assembly, &search, &candidates, || progress.step());
    drop(progress);
    let mut findings = if arguments.ignore_touching { findings.without_touching() } else { findings };
    if arguments.volumes || arguments.solids.is_some() || arguments.min_volume.is_some() {
        let progress = Progress::new("intersecting", findings.list.len() as u64, arguments.quiet);
        compute_shared_solids(&assembly, &mut findings, || progress.step());
    }
    let mut findings = match arguments.min_volume {
        Some(least) => findings.without_small(least),
        None => findings,
    };
    if !with_translations && !arguments.quiet {
        let most = findings.list.len().min(arguments.rows());
        let progress = Progress::new("separating", most as u64, arguments.quiet);
        seek_translations(&assembly, &search, &mut findings, most, || progress.step());
    }
    Ok((assembly, selection, findings))
}

/// Returns the files to write; none of them is one that the arguments name to be read.
fn targets(arguments: &CheckArguments) -> Result<Targets<'_>, Failure> {
    let outputs = [
        ("contours", arguments.contours.as_deref()),
        ("clashes", arguments.clashes.as_deref()),
        ("solids", arguments.solids.as_deref()),
        ("picture", arguments.picture.picture.path()),
        ("report", arguments.report.as_deref()),
    ];
    let targets = Targets::new(&outputs)?;
    if outputs.iter().all(|(_, path)| path.is_none()) {
        return Ok(targets);
    }
    let list = |input: &PathBuf| load::files_of(input, arguments.assembly.reading.recursive).ok();
    let meshes = arguments.assembly.inputs.iter().filter_map(list).flat_map(|list| list.files);
    let named = arguments.assembly.poses.iter().filter_map(|value| value.split_once('=')).map(|(_, value)| value);
    let given = [&arguments.assembly.pose_a, &arguments.assembly.pose_b].into_iter().flatten().map(String::as_str);
    let poses = given.chain(named).filter_map(file_of);
    let others = [&arguments.tree, &arguments.ignore, &arguments.baseline].into_iter().flatten().cloned();
    meshes.chain(poses.map(Path::to_owned)).chain(others).try_for_each(|input| targets.spare(&input))?;
    Ok(targets)
}
