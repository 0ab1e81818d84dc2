//! Report as a table for people, with a summary line.

use super::LoadedAssembly;
use super::baseline::{Comparison, NEAR, Since};
use crate::input::six_digits;
use crate::output::{Output, printable};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, presets};
use heurt::assembly::{Certainty, Findings, Interference, InterferenceKind, LeftOut, NearPair, SharedSolid};
use heurt::geometry::{Vec3, robust_length, robust_normalize};
use heurt::query::Side;
use std::io::{self, Write};
use std::ops::Range;
use std::time::Duration;

/// Options of the table.
pub(crate) struct TableOptions<'t> {
    /// Largest number of rows.
    pub(crate) limit: usize,
    pub(crate) elapsed: Duration,
    /// Changes since an earlier report, if there is one.
    pub(crate) comparison: Option<&'t Comparison>,
    /// Rows have the numbers that a picture and a report show.
    pub(crate) numbered: bool,
}

/// Characters in a line of the table.
const WIDEST: usize = 120;
/// Titles of the columns that tables leave out where they are too wide for paper: what matters least comes first.
const TRIANGLE_PAIRS: &str = "triangle\npairs";
const EXTENT: &str = "extent of the volume,";
const WHERE: &str = "where, in";
/// Characters below which a name in a column cannot be read.
const NARROWEST_NAME: usize = 6;

/// A column: its title, the alignment of its cells, and the cell of a row.
type Column<'c> = (String, CellAlignment, Box<dyn Fn(&CheckRow<'_>) -> Cell + 'c>);

/// A row of the table: an interference or a pair nearer than the clearance, and its number in its list.
enum CheckRow<'f> {
    Interference(&'f Interference, usize),
    Near(&'f NearPair, usize),
}

impl CheckRow<'_> {
    /// Returns the row's number, from 1, after `interferences` rows of the first kind.
    fn number(&self, interferences: usize) -> usize {
        match self {
            Self::Interference(_, number) => number + 1,
            Self::Near(_, number) => interferences + number + 1,
        }
    }

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
        let shown = rows.iter().take(options.limit).flat_map(CheckRow::parts);
        let prefix = common_prefix(shown.map(|part| assembly.parts[part].name.as_str()));
        if !prefix.is_empty() {
            writeln!(out, "names without the beginning they have in common: {}", printable(prefix))?;
        }
        let tabulate = |columns: &[Column<'_>], out: &Output| {
            let mut table = new_table(out);
            table.set_header(columns.iter().map(|(title, ..)| bold(title)));
            for row in rows.iter().take(options.limit) {
                table.add_row(columns.iter().map(|(_, alignment, cell)| cell(row).set_alignment(*alignment)));
            }
            table
        };
        let mut columns = columns(assembly, findings, options, prefix.len());
        let mut table = tabulate(&columns, out);
        let first = usize::from(options.numbered);
        for (dispensable, room) in
            [(TRIANGLE_PAIRS, usize::MAX), (EXTENT, 2 * NARROWEST_NAME), (WHERE, 2 * NARROWEST_NAME)]
        {
            if !out.is_terminal() && is_wide(&table) && room_of_names(&table, first) < room {
                columns.retain(|(title, ..)| !title.starts_with(dispensable));
                table = tabulate(&columns, out);
            }
        }
        fit(&mut table, first);
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

/// Returns the longest beginning that all names have in common, up to a `/`, and that leaves something of each; empty
/// for one that is too short to matter.
fn common_prefix<'n>(mut names: impl Iterator<Item = &'n str>) -> &'n str {
    /// Characters below which a beginning is not worth a line.
    const SHORT: usize = 4;
    let Some(first) = names.next() else { return "" };
    let common = names.fold(first.len().saturating_sub(1), |common, name| {
        let alike = first.bytes().zip(name.bytes()).take_while(|(x, y)| x == y).count();
        common.min(alike).min(name.len().saturating_sub(1))
    });
    // A byte of `/` is no part of another character.
    let end = first.as_bytes()[..common].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    if end < SHORT { "" } else { &first[..end] }
}

/// Reports whether a table is wider than what a wide terminal, a mail or a page of code shows.
fn is_wide(table: &Table) -> bool {
    width_without(table, 0..0) > WIDEST
}

/// Returns the characters that both columns of names have if all others have what they need; names begin in column
/// `first`.
fn room_of_names(table: &Table, first: usize) -> usize {
    WIDEST.saturating_sub(width_without(table, first..first + 2))
}

/// Returns the width of a table, in columns of a terminal, without the content of some of its columns.
fn width_without(table: &Table, left_out: Range<usize>) -> usize {
    /// Width of a column beyond its content: a space on either side, and a line.
    const FRAME: usize = 3;
    let widths = table.column_max_content_widths();
    let counted = widths.iter().enumerate().filter(|(column, _)| !left_out.contains(column));
    counted.map(|(_, &width)| usize::from(width)).sum::<usize>() + FRAME * widths.len() + 1
}

/// Breaks the names of a table that is too wide, and nothing else; they begin in column `first`.
fn fit(table: &mut Table, first: usize) {
    if table.width().is_none() && is_wide(table) {
        table.set_width(WIDEST as u16);
    }
    if table.width().is_some() {
        let has_paths =
            table.row_iter().any(|row| row.cell_iter().skip(first).take(2).any(|name| name.content().contains('/')));
        for (number, column) in table.column_iter_mut().enumerate() {
            match number.checked_sub(first) {
                Some(0 | 1) if has_paths => drop(column.set_delimiter('/')),
                Some(0 | 1) => {}
                _ => drop(column.set_constraint(ColumnConstraint::ContentWidth)),
            }
        }
    }
}

/// Returns the columns for the findings.
fn columns<'c>(
    assembly: &'c LoadedAssembly,
    findings: &'c Findings,
    options: &TableOptions<'c>,
    prefix: usize,
) -> Vec<Column<'c>> {
    use CellAlignment::{Left, Right};
    let (size, unit) = (size_of(assembly), assembly.units().length());
    let name =
        |side: usize| move |row: &CheckRow<'_>| Cell::new(printable(&assembly.parts[row.parts()[side]].name[prefix..]));
    let with_depth = findings.list.iter().any(|found| found.depth.is_some());
    let mut columns: Vec<Column<'c>> = Vec::new();
    if options.numbered {
        let interferences = findings.list.len();
        columns.push(("#".to_owned(), Right, Box::new(move |row| Cell::new(row.number(interferences)))));
    }
    let names: [Column<'c>; 3] = [
        ("part a".to_owned(), Left, Box::new(name(0))),
        ("part b".to_owned(), Left, Box::new(name(1))),
        ("kind".to_owned(), Left, Box::new(kind_cell)),
    ];
    columns.extend(names);
    if let Some(comparison) = options.comparison {
        columns.push(("since".to_owned(), Left, Box::new(|row| since_cell(comparison, row))));
    }
    if with_depth {
        columns.push((format!("depth,\nin {unit}"), Right, Box::new(depth_cell)));
    }
    if !findings.near.is_empty() {
        columns.push((format!("gap,\nin {unit}"), Right, Box::new(gap_cell)));
    }
    let moves = |found: &Interference| found.depth.as_ref().is_some_and(|depth| depth.translation.is_some());
    if findings.list.iter().any(moves) {
        columns.push((format!("apart when b moves,\nin {unit}"), Left, Box::new(translation_cell)));
    }
    if findings.list.iter().any(|found| found.shared.is_some()) {
        columns.push((format!("volume,\nin {}", assembly.units().volume()), Right, Box::new(volume_cell)));
        let title = format!("{EXTENT}\nin {unit} (x y z)");
        columns.push((title, Left, Box::new(move |row| extent_cell(row, size))));
    }
    if !findings.list.is_empty() {
        columns.push((TRIANGLE_PAIRS.to_owned(), Right, Box::new(pairs_cell)));
    }
    columns.push((format!("{WHERE} {unit}\n(x y z)"), Left, Box::new(move |row| place_cell(row, size))));
    columns
}

fn kind_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new(NEAR).fg(Color::Cyan) };
    match found.kind {
        InterferenceKind::Clash => Cell::new("clash").fg(Color::Red),
        InterferenceKind::Inside { inner: Side::A } => Cell::new("inside: a in b").fg(Color::Magenta),
        InterferenceKind::Inside { inner: Side::B } => Cell::new("inside: b in a").fg(Color::Magenta),
        InterferenceKind::Touching => Cell::new("touching").fg(Color::Yellow),
        InterferenceKind::Duplicate => Cell::new("duplicate").fg(Color::Red),
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
    Cell::new(depth_text(found))
}

fn gap_cell(row: &CheckRow<'_>) -> Cell {
    Cell::new(if let CheckRow::Near(near, _) = row { length(near.distance.distance) } else { "–".to_owned() })
}

fn translation_cell(row: &CheckRow<'_>) -> Cell {
    let CheckRow::Interference(found, _) = row else { return Cell::new("–") };
    let translation = found.depth.as_ref().and_then(|depth| depth.translation);
    Cell::new(translation.map_or("–".to_owned(), translation_text))
}

/// Formats a translation as its length and its direction to hundredths: an axis, or a unit vector.
pub(super) fn translation_text(translation: Vec3) -> String {
    let unit = robust_normalize(translation).unwrap_or_default().to_array();
    let unit = unit.map(|part| (part * 100.0).round() / 100.0);
    let axis = (0..3).find(|&axis| (0..3).all(|other| other == axis || unit[other] == 0.0));
    let direction = match axis {
        Some(axis) => format!("{}{}", if unit[axis] < 0.0 { '-' } else { '+' }, ["x", "y", "z"][axis]),
        None => unit.map(|part| format!("{}", part + 0.0)).join(" "),
    };
    format!("{} along {direction}", length(robust_length(translation)))
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
        CheckRow::Near(near, _) => coordinates(near.place(), size),
    })
}

/// Formats the bounds of a depth: one length if they agree, else what is proved; `~` marks a depth within the error of
/// the tessellation. The surfaces of duplicates lie on each other.
pub(super) fn depth_text(found: &Interference) -> String {
    /// Bounds that agree to this share are one length.
    const ALIKE: f64 = 0.98;
    let depth = found.depth.as_ref().filter(|_| found.kind != InterferenceKind::Duplicate);
    let Some(local) = depth.and_then(|depth| depth.local) else { return "–".to_owned() };
    let bounds = match (local.at_least, local.at_most) {
        (_, 0.0) => return "0".to_owned(),
        (least, most) if least >= ALIKE * most => length(most),
        (least, most) if least <= 0.1 * most => format!("≤ {}", length(most)),
        (least, most) => format!("{} … {}", length(least), length(most)),
    };
    if found.certainty() == Some(Certainty::WithinTessellation) { format!("~ {bounds}") } else { bounds }
}

/// Formats a length with three significant digits.
fn length(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        _ if (1e-3..1e5).contains(&value) => {
            // The rounded value decides: 0.9999 is 1.00.
            let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
            let digits = (2.0 - rounded.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.2e}"),
    }
}

fn coordinates(point: Vec3, size: f64) -> String {
    point.to_array().map(|value| coordinate(value, size)).join(" ")
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
fn verdict(assembly: &LoadedAssembly, findings: &Findings) -> String {
    let (count, near) = (findings.list.len(), findings.near.len());
    let mut verdict = match count {
        0 if assembly.failures.iter().any(crate::Failure::is_of_input) => {
            "no interference in what could be read".to_owned()
        }
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
    let is_clear = findings.is_empty() && assembly.failures.is_empty();
    let colour = if is_clear { "\u{1b}[1;32m" } else { "\u{1b}[1;31m" };
    let verdict = verdict(assembly, findings);
    match out.is_coloured() {
        true => write!(out, "{colour}{verdict}\u{1b}[0m")?,
        false => write!(out, "{verdict}")?,
    }
    if count > 0 {
        write!(out, " ({clashes} clashing, {inside} inside, {touching} touching")?;
        match findings.count("duplicate") {
            0 => write!(out, ")")?,
            duplicates => write!(out, ", {duplicates} duplicate)")?,
        }
    }
    let LeftOut { touching, listed, shallow, small } = findings.left_out;
    let reasons = [
        (touching, "touching"),
        (listed, "on the list of --ignore"),
        (shallow, "no deeper than --tolerance"),
        (small, "smaller than --min-volume"),
    ];
    for (number, what) in reasons {
        if number > 0 {
            write!(out, ", {} {what} left out", grouped(number))?;
        }
    }
    print_within(assembly, findings, out)?;
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

/// Prints how many depths are within the error of the tessellation, and how to leave them out.
fn print_within(assembly: &LoadedAssembly, findings: &Findings, out: &mut Output) -> io::Result<()> {
    let depths = findings.within_tessellation().filter_map(|found| found.depth.as_ref());
    let Some(most) = depths.map(|depth| depth.chord_error).reduce(f64::max) else { return Ok(()) };
    let (count, error) = (findings.within_tessellation().count(), length(most));
    let unit = assembly.units().length();
    write!(out, "\n~ {} within the error of the tessellation, {error} {unit} at most: ", grouped(count))?;
    write!(out, "the true surfaces may only touch (--tolerance leaves them out)")
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

/// Formats a count and its noun.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Formats a time for people.
pub(crate) fn spent(elapsed: Duration) -> String {
    match elapsed.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}
