//! Report as a table for people, with a summary line.

use super::LoadedAssembly;
use super::baseline::{Comparison, NEAR, Since};
use crate::input::six_digits;
use crate::output::{Output, printable};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use heurt::assembly::SharedSolid;
use heurt::assembly::{Findings, Interference, InterferenceKind, LeftOut, NearPair};
use heurt::geometry::Vec3;
use heurt::query::Side;
use std::io::{self, Write};
use std::time::Duration;

/// Options of the table.
pub(crate) struct TableOptions<'t> {
    /// Largest number of rows.
    pub(crate) limit: usize,
    pub(crate) elapsed: Duration,
    /// Changes since an earlier report, if there is one.
    pub(crate) comparison: Option<&'t Comparison>,
}

/// A column: its title, the alignment of its cells, and the cell of a row.
type Column<'c> = (String, CellAlignment, Box<dyn Fn(&CheckRow<'_>) -> Cell + 'c>);

/// A row of the table: an interference or a pair nearer than the clearance, and its number in its list.
enum CheckRow<'f> {
    Interference(&'f Interference, usize),
    Near(&'f NearPair, usize),
}

impl CheckRow<'_> {
    fn parts(&self) -> [usize; 2] {
        match self {
            Self::Interference(found, _) => [found.a, found.b],
            Self::Near(found, _) => [found.a, found.b],
        }
    }
}

/// Prints the interferences and the pairs nearer than the clearance, at most `limit` of them, and a line that sums up.
pub(crate) fn print(
    assembly: &LoadedAssembly,
    findings: &Findings,
    options: &TableOptions<'_>,
    out: &mut Output,
) -> io::Result<()> {
    let rows = findings.list.iter().enumerate().map(|(number, found)| CheckRow::Interference(found, number));
    let near = findings.near.iter().enumerate().map(|(number, found)| CheckRow::Near(found, number));
    let rows: Vec<CheckRow<'_>> = rows.chain(near).collect();
    if !rows.is_empty() {
        let columns = columns(assembly, findings, options.comparison);
        let mut table = new_table(out);
        table.set_header(columns.iter().map(|(title, ..)| bold(title)));
        for row in rows.iter().take(options.limit) {
            table.add_row(columns.iter().map(|(_, alignment, cell)| cell(row).set_alignment(*alignment)));
        }
        writeln!(out, "{}", table.trim_fmt())?;
        let left = rows.len().saturating_sub(options.limit);
        if left > 0 {
            writeln!(out, "… and {left} more: --all-pairs lists them, --json and --csv always do")?;
        }
    }
    if let Some(comparison) = options.comparison {
        print_gone(comparison, options.limit, out)?;
    }
    sum_up(assembly, findings, options, out)
}

/// Returns the columns for the findings.
fn columns<'c>(
    assembly: &'c LoadedAssembly,
    findings: &'c Findings,
    comparison: Option<&'c Comparison>,
) -> Vec<Column<'c>> {
    use CellAlignment::{Left, Right};
    let (size, unit) = (size_of(assembly), assembly.units().length());
    let name = |side: usize| move |row: &CheckRow<'_>| Cell::new(printable(&assembly.parts[row.parts()[side]].name));
    let with_depth = findings.list.iter().any(|found| found.depth.is_some());
    let mut columns: Vec<Column<'c>> = vec![
        ("part a".to_owned(), Left, Box::new(name(0))),
        ("part b".to_owned(), Left, Box::new(name(1))),
        ("kind".to_owned(), Left, Box::new(kind_cell)),
    ];
    if let Some(comparison) = comparison {
        columns.push(("since".to_owned(), Left, Box::new(|row| since_cell(comparison, row))));
    }
    if with_depth {
        columns.push((format!("depth,\nin {unit}"), Right, Box::new(depth_cell)));
    }
    if !findings.near.is_empty() {
        columns.push((format!("gap,\nin {unit}"), Right, Box::new(gap_cell)));
    }
    if with_depth {
        let cell = move |row: &CheckRow<'_>| translation_cell(row, size);
        columns.push((format!("apart when b moves,\nin {unit} (x  y  z)"), Left, Box::new(cell)));
    }
    if findings.list.iter().any(|found| found.shared.is_some()) {
        columns.push((format!("volume,\nin {}", assembly.units().volume()), Right, Box::new(volume_cell)));
        let title = format!("extent of the volume,\nin {unit} (x  y  z)");
        columns.push((title, Left, Box::new(move |row| extent_cell(row, size))));
    }
    if !findings.list.is_empty() {
        columns.push(("triangle\npairs".to_owned(), Right, Box::new(pairs_cell)));
    }
    columns.push((format!("where, in {unit}\n(x  y  z)"), Left, Box::new(move |row| place_cell(row, size))));
    columns
}

fn kind_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new(NEAR).fg(Color::Cyan) };
    match found.kind {
        InterferenceKind::Clash => Cell::new("clash").fg(Color::Red),
        InterferenceKind::Inside { inner: Side::A } => Cell::new("inside: a in b").fg(Color::Magenta),
        InterferenceKind::Inside { inner: Side::B } => Cell::new("inside: b in a").fg(Color::Magenta),
        InterferenceKind::Touching => Cell::new("touching").fg(Color::Yellow),
    }
}

fn since_cell(comparison: &Comparison, row: &CheckRow<'_>) -> Cell {
    let since = match row {
        CheckRow::Interference(_, number) => comparison.list[*number],
        CheckRow::Near(_, number) => comparison.near[*number],
    };
    match since {
        Since::New => Cell::new(since.word()).fg(Color::Red),
        Since::Changed => Cell::new(since.word()).fg(Color::Yellow),
        Since::Same => Cell::new("–"),
    }
}

fn depth_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    let depth = found.depth.as_ref().and_then(|depth| depth.at_least);
    Cell::new(depth.map_or("–".to_owned(), length))
}

fn gap_cell(row: &CheckRow<'_>) -> Cell {
    Cell::new(if let CheckRow::Near(near, _) = row { length(near.distance.distance) } else { "–".to_owned() })
}

fn translation_cell(row: &CheckRow<'_>, size: f64) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    let translation = found.depth.as_ref().and_then(|depth| depth.translation);
    Cell::new(translation.map_or("–".to_owned(), |translation| coordinates(translation, size)))
}

fn volume_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    let volume = found.shared.as_ref().and_then(SharedSolid::volume);
    Cell::new(volume.map_or("–".to_owned(), six_digits))
}

fn extent_cell(row: &CheckRow<'_>, size: f64) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    let bounds = found.shared.as_ref().and_then(SharedSolid::bounds);
    Cell::new(bounds.map_or("–".to_owned(), |bounds| coordinates(bounds.max - bounds.min, size)))
}

fn pairs_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    Cell::new(if found.pair_count == 0 { "–".to_owned() } else { grouped(found.pair_count) })
}

fn place_cell(row: &CheckRow<'_>, size: f64) -> Cell {
    Cell::new(match row {
        CheckRow::Interference(found, _) => coordinates(found.place(), size),
        CheckRow::Near(near, _) => coordinates(near.distance.point_a * 0.5 + near.distance.point_b * 0.5, size),
    })
}

/// Formats a length with three significant digits.
fn length(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ if (1e-3..1e5).contains(&value) => {
            let digits = (2.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.2e}"),
    }
}

fn coordinates(point: Vec3, size: f64) -> String {
    point.to_array().map(|value| coordinate(value, size)).join("  ")
}

/// Prints the pairs of the earlier report that are no longer found.
fn print_gone(comparison: &Comparison, limit: usize, out: &mut Output) -> io::Result<()> {
    for gone in comparison.gone.iter().take(limit) {
        writeln!(out, "gone: {} and {} ({})", printable(&gone.a), printable(&gone.b), printable(&gone.kind))?;
    }
    let left = comparison.gone.len().saturating_sub(limit);
    if left > 0 { writeln!(out, "… and {left} more that are gone") } else { Ok(()) }
}

/// Makes a table that fits the terminal; plain if the output is no terminal.
pub(crate) fn new_table(out: &Output) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    // Some terminals report no width; below this width a table is unreadable.
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

/// Computes half the longest side of the box of all parts.
pub(super) fn size_of(assembly: &LoadedAssembly) -> f64 {
    let all = assembly.parts.iter().map(|part| part.bounds);
    all.fold(heurt::geometry::Aabb::EMPTY, heurt::geometry::Aabb::union).half_extents().max_element()
}

/// Formats a coordinate to a thousandth of `size`.
pub(super) fn coordinate(value: f64, size: f64) -> String {
    if !(1e-9..1e9).contains(&size) {
        return format!("{value:.4e}");
    }
    let digits = (3.0 - size.log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$}");
    // "-0.000" would only confuse readers.
    let is_zero = text.trim_start_matches('-').chars().all(|digit| matches!(digit, '0' | '.'));
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// Describes the number of pairs that interfere, in words.
fn verdict(findings: &Findings) -> String {
    let (count, near) = (findings.list.len(), findings.near.len());
    let mut verdict = match count {
        0 => "no interference".to_owned(),
        1 => "1 pair interferes".to_owned(),
        _ => format!("{} pairs interfere", grouped(count)),
    };
    match near {
        0 => {}
        1 => verdict += ", 1 pair is nearer than the clearance",
        _ => verdict += &format!(", {} pairs are nearer than the clearance", grouped(near)),
    }
    verdict
}

fn sum_up(
    assembly: &LoadedAssembly,
    findings: &Findings,
    options: &TableOptions<'_>,
    out: &mut Output,
) -> io::Result<()> {
    let count = findings.list.len();
    let [clashes, inside, touching] = ["clash", "inside", "touching"].map(|word| findings.count(word));
    let colour = if findings.is_empty() { "\u{1b}[1;32m" } else { "\u{1b}[1;31m" };
    let verdict = verdict(findings);
    match out.is_coloured() {
        true => write!(out, "{colour}{verdict}\u{1b}[0m")?,
        false => write!(out, "{verdict}")?,
    }
    if count > 0 {
        write!(out, " ({clashes} clashing, {inside} inside, {touching} touching)")?;
    }
    let LeftOut { touching, listed, shallow } = findings.left_out;
    for (number, what) in [(touching, "touching"), (listed, "on the list of --ignore"), (shallow, "below --min-depth")]
    {
        if number > 0 {
            write!(out, ", {} {what} left out", grouped(number))?;
        }
    }
    if let Some(comparison) = options.comparison {
        let [new, changed] = [Since::New, Since::Changed].map(|since| comparison.count(since));
        write!(out, "\nsince the earlier report: {new} new, {changed} changed, {} gone", comparison.gone.len())?;
        if comparison.not_compared > 0 {
            write!(out, ", {} not compared", grouped(comparison.not_compared))?;
        }
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
        spent(options.elapsed),
    )?;
    super::notes::print(assembly, out)?;
    print_failures(assembly, out)
}

/// Prints the number of inputs that could not be used.
pub(super) fn print_failures(assembly: &LoadedAssembly, out: &mut Output) -> io::Result<()> {
    match assembly.failures.iter().filter(|failure| failure.is_of_input()).count() {
        0 => Ok(()),
        1 => writeln!(out, "1 input could not be used (see above): the rest was checked"),
        many => writeln!(out, "{many} inputs could not be used (see above): the rest was checked"),
    }
}

/// Formats a count with separated thousands.
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

/// Formats a time for people.
pub(crate) fn spent(elapsed: Duration) -> String {
    match elapsed.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}
