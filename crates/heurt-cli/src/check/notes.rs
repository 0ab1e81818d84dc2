//! Notes for the user beyond the findings: warnings, open parts and the rule for their inside, parts of very different
//! sizes.

use super::LoadedAssembly;
use crate::Failure;
use crate::output::{Output, printable};
use heurt::scene::FileNote;
use heurt::scene::describe::some_of;
use std::io::{self, Write};
use std::path::Path;

/// Number of warnings in the table; `--json` has all.
const MAX_SHOWN: usize = 8;

/// Ratio of sizes from which parts may be in different units: millimetres and metres.
const RATIO: f64 = 1000.0;

/// Prints the warnings and the open parts, a line each.
pub(super) fn print(assembly: &LoadedAssembly, out: &mut Output) -> io::Result<()> {
    for warning in assembly.warnings.iter().take(MAX_SHOWN) {
        writeln!(out, "note: {}", printable(&warning.line()))?;
    }
    let left = assembly.warnings.len().saturating_sub(MAX_SHOWN);
    if left > 0 {
        writeln!(out, "… and {left} more notes: --json lists them")?;
    }
    for line in [open_parts(assembly), inconsistent_parts(assembly), winding_parts(assembly)].iter().flatten() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

/// Reports that no part interferes, so that a file of an earlier check is not taken for the current result.
pub(super) fn report_nothing_to_export(path: &Path, quiet: bool) -> Result<(), Failure> {
    let state = if path.exists() { "is of an earlier check" } else { "is not written" };
    if !quiet {
        let _ = writeln!(io::stderr(), "note: no part interferes: {} {state}", printable(&path.to_string_lossy()));
    }
    Ok(())
}

/// Prints the same to standard error, for a report without room for notes; nothing if `quiet`.
pub(super) fn print_to_stderr(assembly: &LoadedAssembly, quiet: bool) {
    if quiet {
        return;
    }
    let warnings = assembly.warnings.iter().map(|warning| format!("note: {}", warning.line()));
    let parts = [open_parts(assembly), inconsistent_parts(assembly), winding_parts(assembly)].into_iter().flatten();
    for line in warnings.take(MAX_SHOWN).chain(parts) {
        let _ = writeln!(io::stderr(), "{}", printable(&line));
    }
}

/// Describes the parts that are surfaces only, in a sentence.
fn open_parts(assembly: &LoadedAssembly) -> Option<String> {
    surfaces(assembly, false, "open")
}

/// Describes the parts without holes whose faces disagree on which side is out, in a sentence.
fn inconsistent_parts(assembly: &LoadedAssembly) -> Option<String> {
    surfaces(assembly, true, "inconsistent (faces disagree on which side is out)")
}

fn surfaces(assembly: &LoadedAssembly, is_inconsistent: bool, what: &str) -> Option<String> {
    let found = assembly.open_parts().filter(|part| part.is_inconsistent == is_inconsistent);
    let found: Vec<&str> = found.map(|part| part.name.as_str()).collect();
    let (count, all) = (found.len(), assembly.parts.len());
    let names = some_of(found.into_iter());
    match (count, all) {
        (0, _) => None,
        (1, 1) => Some(format!("the part {names} is {what}: what lies inside it is not found")),
        (1, _) => Some(format!("1 of {all} parts is {what}: what lies inside it is not found ({names})")),
        _ => Some(format!("{count} of {all} parts are {what}: what lies inside them is not found ({names})")),
    }
}

/// Describes the open parts whose inside is decided by `--solid winding`, in a sentence.
fn winding_parts(assembly: &LoadedAssembly) -> Option<String> {
    let open: Vec<&str> = assembly.winding_parts().map(|part| part.name.as_str()).collect();
    let (count, all) = (open.len(), assembly.parts.len());
    let names = some_of(open.into_iter());
    let how = "is decided by the winding number, which is not exact";
    match (count, all) {
        (0, _) => None,
        (1, 1) => Some(format!("the part {names} is open: what lies inside it {how}")),
        (1, _) => Some(format!("1 of {all} parts is open: what lies inside it {how} ({names})")),
        _ => Some(format!("{count} of {all} parts are open: what lies inside them {how} ({names})")),
    }
}

/// Returns a hint if the largest part of one file is a thousand times as large as the smallest one of another.
pub(super) fn hint_at_units(assembly: &LoadedAssembly) -> Option<FileNote> {
    let size = |number: usize| assembly.parts[number].bounds.half_extents().max_element() * 2.0;
    let by_size = |x: &usize, y: &usize| size(*x).total_cmp(&size(*y));
    let parts = || (0..assembly.parts.len()).filter(|&number| size(number) > 0.0);
    let elsewhere = |of: usize| parts().filter(move |&number| assembly.parts[number].file != assembly.parts[of].file);
    let (least, greatest) = (parts().min_by(by_size)?, parts().max_by(by_size)?);
    // The extremes may be of one file while another file differs from it as much.
    let pairs = [(least, elsewhere(least).max_by(by_size)?), (elsewhere(greatest).min_by(by_size)?, greatest)];
    let (least, greatest) = pairs.into_iter().find(|&(least, greatest)| size(greatest) >= RATIO * size(least))?;
    let [small, large] = [least, greatest].map(|number| &assembly.parts[number]);
    let unit = assembly.units().length();
    let message = format!(
        "{} is {:.3e} {unit} large and {} is {:.3e} {unit}: are all files in one unit? An assembly file gives each file its own",
        large.name,
        size(greatest),
        small.name,
        size(least),
    );
    Some(FileNote { file: None, part: None, kind: "units", count: 1, place: None, message })
}
