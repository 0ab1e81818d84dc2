//! Report of the encounters of moved parts: as a table, as JSON, as CSV.

use crate::check::csv::quoted;
use crate::check::json::{FailureJson, write_list, write_summary};
use crate::check::table::{bold, coordinate, grouped, new_table, print_failures, size_of, spent};
use crate::check::{LoadedAssembly, notes};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment, Color};
use heurt::assembly::{Encounter, Journey};
use heurt::geometry::Vec3;
use heurt::scene::FileNote;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::time::Duration;

/// Prints the encounters, at most `limit` of them, and the verdict.
pub(super) fn table(
    assembly: &LoadedAssembly,
    journey: &Journey,
    limit: usize,
    elapsed: Duration,
    out: &mut Output,
) -> io::Result<()> {
    let size = size_of(assembly);
    if !journey.encounters.is_empty() {
        let mut table = new_table(out);
        let unit = assembly.units().length();
        let header = [
            "moved part".to_owned(),
            "meets".to_owned(),
            "at the\nstart".to_owned(),
            "apart,\nin s".to_owned(),
            "meets,\nin s".to_owned(),
            format!("after,\nin {unit}"),
            format!("where, in {unit}\n(x  y  z)"),
        ];
        table.set_header(header.iter().map(|title| bold(title)));
        table.add_rows(journey.encounters.iter().take(limit).map(|found| row(assembly, journey, found, size)));
        for column in [3, 4, 5] {
            table.column_mut(column).into_iter().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        }
        writeln!(out, "{}", table.trim_fmt())?;
        let left = journey.encounters.len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, "… and {left} more: --all-pairs lists them, --json and --csv always do")?;
        }
    }
    let verdict = verdict(assembly, journey, size);
    let colour = if journey.first().is_none() { "\u{1b}[1;32m" } else { "\u{1b}[1;31m" };
    match out.is_coloured() {
        true => write!(out, "{colour}{verdict}\u{1b}[0m")?,
        false => write!(out, "{verdict}")?,
    }
    if journey.ignored > 0 {
        write!(out, ", {} touching at the start left out", grouped(journey.ignored))?;
    }
    let count = |n: usize, what: &str| format!("{} part{} {what}", grouped(n), if n == 1 { "" } else { "s" });
    let [moved, still] = [count(journey.moved, "moved"), count(journey.still, "around")];
    writeln!(out, "\n{moved}, {still} · {} · {}", seconds(journey, journey.duration), spent(elapsed))?;
    notes::print(assembly, out)?;
    print_failures(assembly, out)
}

fn row(assembly: &LoadedAssembly, journey: &Journey, found: &Encounter, size: f64) -> Vec<Cell> {
    let [a, b] = [found.moved, found.still].map(|part| printable(&assembly.parts[part].name));
    let start = match found.start_word() {
        "clear" => Cell::new("clear"),
        "touching" => Cell::new("touching").fg(Color::Yellow),
        word => Cell::new(word).fg(Color::Red),
    };
    let separates = match (&found.start, found.separated_at) {
        (None, _) => "–".to_owned(),
        (Some(_), Some(time)) => time_of(journey, time),
        (Some(_), None) => "never".to_owned(),
    };
    let meets = found.impact.map_or("–".to_owned(), |impact| time_of(journey, impact.time));
    let travel = found.travel.map_or("–".to_owned(), |travel| coordinate(travel, size));
    let place = found.place().map_or("–".to_owned(), |place| at(place, size));
    vec![Cell::new(a), Cell::new(b), start, Cell::new(separates), Cell::new(meets), Cell::new(travel), Cell::new(place)]
}

fn verdict(assembly: &LoadedAssembly, journey: &Journey, size: f64) -> String {
    let Some(first) = journey.first() else { return "the path is free".to_owned() };
    let [a, b] = [first.moved, first.still].map(|part| printable(&assembly.parts[part].name));
    let place = first.place().map_or(String::new(), |place| format!(" at {}", at(place, size)));
    match first.impact {
        Some(impact) => {
            let travel = first.travel.map_or(String::new(), |travel| {
                format!(", {} {} along its path,", coordinate(travel, size), assembly.units().length())
            });
            format!("the path is barred: {a} meets {b} after {}{travel}{place}", seconds(journey, impact.time))
        }
        None => format!("the path is barred: {a} never separates from {b}{place}"),
    }
}

fn at(place: Vec3, size: f64) -> String {
    place.to_array().map(|value| coordinate(value, size)).join("  ")
}

/// Formats a time to a millionth of the whole.
fn time_of(journey: &Journey, time: f64) -> String {
    coordinate(time, journey.duration * 1e-3)
}

fn seconds(journey: &Journey, time: f64) -> String {
    format!("{} s", time_of(journey, time))
}

#[derive(JsonSchema, Serialize)]
struct SummaryJson {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    moved: usize,
    still: usize,
    duration: f64,
    encounters: usize,
    /// True if an encounter ends the path; then with its time.
    barred: bool,
    time: Option<f64>,
    touching_ignored: usize,
    /// Number of parts that are no solids: parts inside them at the start are not found.
    open: usize,
    failures: usize,
}

#[derive(JsonSchema, Serialize)]
struct EncounterJson<'r> {
    a: &'r str,
    b: &'r str,
    start: &'static str,
    /// Time at which they separate; null if they are clear at the start, or never separate.
    #[serde(rename = "apart")]
    separated_at: Option<f64>,
    /// Length of the path of the moved part's origin until the path ends there.
    travel: Option<f64>,
    time: Option<f64>,
    time_upper: Option<f64>,
    r#where: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
}

/// Prints one JSON document.
pub(super) fn json(assembly: &LoadedAssembly, journey: &Journey, out: &mut impl Write) -> io::Result<()> {
    let summary = SummaryJson {
        unit: assembly.units().symbol(),
        moved: journey.moved,
        still: journey.still,
        duration: journey.duration,
        encounters: journey.encounters.len(),
        barred: journey.first().is_some(),
        time: journey.first().and_then(Encounter::time),
        touching_ignored: journey.ignored,
        open: assembly.open_parts().count(),
        failures: assembly.failures.len(),
    };
    let encounters = journey.encounters.iter().map(|found| EncounterJson {
        a: &assembly.parts[found.moved].name,
        b: &assembly.parts[found.still].name,
        start: found.start_word(),
        separated_at: found.separated_at,
        travel: found.travel,
        time: found.impact.map(|impact| impact.time),
        time_upper: found.impact.map(|impact| impact.time_upper),
        r#where: found.place().map(|place| place.to_array()),
        normal: found.impact.and_then(|impact| impact.normal).map(|normal| normal.to_array()),
    });
    write_summary(&summary, out)?;
    write_list("encounters", encounters, out)?;
    write_list("failures", assembly.failures.iter().map(FailureJson::from), out)?;
    write_list("warnings", assembly.warnings.iter(), out)?;
    writeln!(out, "\n}}")
}

/// Prints a header and a line for each encounter; missing values stay empty.
pub(super) fn csv(assembly: &LoadedAssembly, journey: &Journey, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "moved,still,start,apart,time,time_upper,x,y,z,travel")?;
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:?}"));
    for found in &journey.encounters {
        let [a, b] = [found.moved, found.still].map(|part| quoted(&assembly.parts[part].name));
        let times =
            [found.separated_at, found.impact.map(|hit| hit.time), found.impact.map(|hit| hit.time_upper)].map(number);
        let place = [0, 1, 2].map(|axis| number(found.place().map(|place| place[axis])));
        let travel = number(found.travel);
        writeln!(out, "{a},{b},{},{},{},{travel}", found.start_word(), times.join(","), place.join(","))?;
    }
    Ok(())
}

/// The report of `heurt check --motion --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MotionDocument {
    summary: SummaryJson,
    encounters: Vec<EncounterJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}
