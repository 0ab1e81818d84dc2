//! The report for people.

use super::Assembly;
use super::interference::{Findings, Interference, Kind};
use crate::output::{Output, printable};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use heurt::query::Side;
use std::io::{self, Write};
use std::time::Duration;

/// Prints the interferences, at most `limit` of them, and a line that sums up.
pub(crate) fn print(
    assembly: &Assembly,
    findings: &Findings,
    limit: usize,
    elapsed: Duration,
    out: &mut Output,
) -> io::Result<()> {
    if !findings.list.is_empty() {
        let mut table = new_table(out);
        table.set_header(["part a", "part b", "kind", "triangle\npairs", "where, in m\n(x  y  z)"].map(bold));
        let shown = findings.list.iter().take(limit);
        let size = size_of(assembly);
        table.add_rows(shown.map(|found| row(assembly, found, size)));
        if let Some(column) = table.column_mut(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(out, "{}", table.trim_fmt())?;
        let left = findings.list.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, "… and {left} more: --all-pairs lists them, --json and --csv always do")?;
        }
    }
    sum_up(assembly, findings, elapsed, out)
}

/// A table that fits the terminal and is plain where none listens.
pub(crate) fn new_table(out: &Output) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    // Some terminals do not know how wide they are; below this width every table is a heap of letters.
    const NARROWEST: u16 = 60;
    let width = table.width().map(|width| width.max(NARROWEST)).filter(|_| out.is_terminal());
    if out.is_coloured() {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    if let Some(width) = width {
        table.set_width(width);
    }
    table
}

pub(crate) fn bold(text: &str) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

fn row(assembly: &Assembly, found: &Interference, size: f64) -> Vec<Cell> {
    let [a, b] = [found.a, found.b].map(|part| printable(&assembly.parts[part].name));
    let kind = match found.kind {
        Kind::Clash => Cell::new("clash").fg(Color::Red),
        Kind::Inside { inner: Side::A } => Cell::new("inside: a in b").fg(Color::Magenta),
        Kind::Inside { inner: Side::B } => Cell::new("inside: b in a").fg(Color::Magenta),
        Kind::Touching => Cell::new("touching").fg(Color::Yellow),
    };
    let pairs = if found.pair_count == 0 { "–".to_owned() } else { grouped(found.pair_count) };
    let place = found.place().to_array().map(|value| coordinate(value, size));
    vec![Cell::new(a), Cell::new(b), kind, Cell::new(pairs), Cell::new(place.join("  "))]
}

/// Half the longest side of the box of everything.
pub(super) fn size_of(assembly: &Assembly) -> f64 {
    let all = assembly.parts.iter().map(|part| part.bounds);
    all.fold(heurt::geometry::Aabb::EMPTY, heurt::geometry::Aabb::union).half_extents().max_element()
}

/// A coordinate to a thousandth of `size`.
pub(super) fn coordinate(value: f64, size: f64) -> String {
    if !(1e-9..1e9).contains(&size) {
        return format!("{value:.4e}");
    }
    let digits = (3.0 - size.log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$}");
    // No "-0.000": it only puzzles.
    let is_zero = text.trim_start_matches('-').chars().all(|digit| matches!(digit, '0' | '.'));
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

fn sum_up(assembly: &Assembly, findings: &Findings, elapsed: Duration, out: &mut Output) -> io::Result<()> {
    let count = findings.list.len();
    let [clashes, inside, touching] = ["clash", "inside", "touching"].map(|word| findings.count(word));
    let verdict = match count {
        0 => "no interference".to_owned(),
        1 => "1 pair interferes".to_owned(),
        _ => format!("{} pairs interfere", grouped(count)),
    };
    let colour = if count == 0 { "\u{1b}[1;32m" } else { "\u{1b}[1;31m" };
    match out.is_coloured() {
        true => write!(out, "{colour}{verdict}\u{1b}[0m")?,
        false => write!(out, "{verdict}")?,
    }
    if count > 0 {
        write!(out, " ({clashes} clashing, {inside} inside, {touching} touching)")?;
    }
    if findings.ignored > 0 {
        write!(out, ", {} touching left out", grouped(findings.ignored))?;
    }
    let parts = assembly.parts.len();
    writeln!(
        out,
        "\n{} part{} over {} mesh{}, {} triangles · {} pair{} of parts, {} tested exactly · {}",
        grouped(parts),
        if parts == 1 { "" } else { "s" },
        grouped(assembly.shapes.len()),
        if assembly.shapes.len() == 1 { "" } else { "es" },
        grouped(assembly.triangle_count()),
        grouped(findings.pair_count),
        if findings.pair_count == 1 { "" } else { "s" },
        grouped(findings.tested),
        spent(elapsed),
    )?;
    if parts == 1 {
        writeln!(out, "there is one part only: give a second file, a folder or an assembly to compare it with")?;
    }
    tell_failures(assembly, out)
}

/// Says how many inputs could not be used.
pub(super) fn tell_failures(assembly: &Assembly, out: &mut Output) -> io::Result<()> {
    match assembly.failures.len() {
        0 => Ok(()),
        1 => writeln!(out, "1 input could not be used (see above): the rest was checked"),
        many => writeln!(out, "{many} inputs could not be used (see above): the rest was checked"),
    }
}

/// A count with its thousands apart.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn spent(elapsed: Duration) -> String {
    match elapsed.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}
