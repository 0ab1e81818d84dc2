//! What the user should know beyond the findings: warnings, open parts and how their inside is decided, parts of very different sizes.

use super::Assembly;
use crate::failure::some_of;
use crate::output::{Output, printable};
use crate::warning::Warning;
use std::io::{self, Write};

/// Warnings that the table prints; `--json` has all.
const MAX_SHOWN: usize = 8;

/// The ratio of sizes from which parts may be in different units: millimetres and metres.
const RATIO: f64 = 1000.0;

/// Prints the warnings and the open parts, a line each.
pub(super) fn print(assembly: &Assembly, out: &mut Output) -> io::Result<()> {
    for warning in assembly.warnings.iter().take(MAX_SHOWN) {
        writeln!(out, "note: {}", printable(&warning.line()))?;
    }
    let left = assembly.warnings.len().saturating_sub(MAX_SHOWN);
    if left > 0 {
        writeln!(out, "… and {left} more notes: --json lists them")?;
    }
    for line in [open_parts(assembly), winding_parts(assembly)].iter().flatten() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

/// The parts that are surfaces only, in a sentence.
fn open_parts(assembly: &Assembly) -> Option<String> {
    let open: Vec<&str> = assembly.open_parts().map(|part| part.name.as_str()).collect();
    let (count, all) = (open.len(), assembly.parts.len());
    let names = some_of(open.into_iter());
    match (count, all) {
        (0, _) => None,
        (1, 1) => Some(format!("the part {names} is open: what lies inside it is not found")),
        (1, _) => Some(format!("1 of {all} parts is open: what lies inside it is not found ({names})")),
        _ => Some(format!("{count} of {all} parts are open: what lies inside them is not found ({names})")),
    }
}

/// The open parts whose inside is decided by `--solid winding`, in a sentence.
fn winding_parts(assembly: &Assembly) -> Option<String> {
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

/// A hint where the largest part of one file is a thousand times as large as the smallest one of another.
pub(super) fn hint_at_units(assembly: &Assembly) -> Option<Warning> {
    let size = |number: usize| assembly.parts[number].bounds.half_extents().max_element() * 2.0;
    let by_size = |x: &usize, y: &usize| size(*x).total_cmp(&size(*y));
    let least = (0..assembly.parts.len()).filter(|&number| size(number) > 0.0).min_by(by_size)?;
    let greatest = (0..assembly.parts.len()).max_by(by_size)?;
    let [small, large] = [least, greatest].map(|number| &assembly.parts[number]);
    if size(greatest) < RATIO * size(least) || small.file == large.file {
        return None;
    }
    let unit = assembly.units.length();
    let message = format!(
        "{} is {:.3e} {unit} large and {} is {:.3e} {unit}: are all files in one unit? An assembly file gives each file its own",
        large.name,
        size(greatest),
        small.name,
        size(least),
    );
    Some(Warning { file: None, part: None, kind: "units", count: 1, place: None, message })
}
