//! The repair report as a table before/after, and a line for each step that did something.

use super::{MeasuredState, Mended};
use crate::check::{bold, grouped, new_table, spent};
use crate::input::{Input, six_digits};
use crate::output::{Output, printable};
use crate::units::shared_space_words;
use comfy_table::{Cell, CellAlignment, Color};
use heurt::mesh::repair::{Change, MeshState, Outcome, StepReport};
use heurt::solid::Resolution;
use std::io::{self, Write};
use std::time::Duration;

/// Prints a row for each mesh, the steps with their changes, the remaining faults, and a summary.
pub(super) fn print(
    input: &Input,
    mended: &[Mended],
    limit: usize,
    elapsed: Duration,
    out: &mut Output,
) -> io::Result<()> {
    let mut table = new_table(out);
    let area = format!("area,\nin {}", input.units.area());
    let volume = format!("volume,\nin {}", input.units.volume());
    let titles = ["mesh", "", "class", "triangles", "open\nedges", "other\nfaults", &area, &volume];
    table.set_header(titles.map(bold));
    for Mended { name, report, measured, .. } in mended {
        for (title, when, state, measured) in [
            (printable(name), "before", &report.before, &measured[0]),
            (String::new(), "after", &report.after, &measured[1]),
        ] {
            let mut cells = vec![Cell::new(title), Cell::new(when)];
            cells.extend(row(state, measured));
            table.add_row(cells);
        }
    }
    for column in 3..titles.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", table.trim_fmt())?;
    for one in mended {
        let Mended { name, report, .. } = one;
        let prefix = if mended.len() > 1 { format!("{}: ", printable(name)) } else { String::new() };
        for line in report.steps.iter().filter_map(done).chain(resolved(one)).chain(forced(one, input)) {
            writeln!(out, "{prefix}{line}")?;
        }
        for (when, measured) in ["before", "after"].into_iter().zip(&one.measured) {
            let words =
                measured.volume.and_then(|volume| shared_space_words(volume, measured.shell_volume, input.units));
            if let Some(words) = words {
                writeln!(out, "{prefix}volume {when}: {words}")?;
            }
        }
        let left = report.left();
        for item in left.iter().take(limit) {
            writeln!(out, "{prefix}left: {item}")?;
        }
        if left.len() > limit {
            let more = grouped(left.len() - limit);
            writeln!(out, "{prefix}left: … and {more} more: --faults N lists them, --json always does")?;
        }
    }
    let solid = mended.iter().filter(|mended| mended.report.is_solid()).count();
    let plural = if mended.len() == 1 { "mesh is" } else { "meshes are" };
    writeln!(out, "{} of {} {plural} solid · {}", grouped(solid), grouped(mended.len()), spent(elapsed))?;
    input.print_notes(out)
}

fn row(state: &MeshState, measured: &MeasuredState) -> [Cell; 6] {
    let colour = if state.is_solid() { Color::Green } else { Color::Red };
    let others = state.faults.total() - state.faults.holes;
    [
        Cell::new(state.class.to_string()).fg(colour),
        Cell::new(grouped(state.triangles)),
        Cell::new(grouped(state.open_edges)),
        Cell::new(if state.complete { grouped(others) } else { format!("{} +", grouped(others)) }),
        Cell::new(six_digits(measured.area)),
        Cell::new(measured.volume.map_or_else(|| "–".to_owned(), six_digits)),
    ]
}

/// Describes the changes of a step in words; nothing if it changed nothing.
fn done(report: &StepReport) -> Option<String> {
    let step = report.step.name();
    match &report.outcome {
        Outcome::Changed => Some(format!("{step}: {}", changes(&report.change))),
        Outcome::Undone(worse) => Some(format!("{step}: undone, it would raise {worse}")),
        Outcome::WorkSpent => Some(format!("{step}: left, the work that a repair may cost was used up")),
        _ => None,
    }
}

/// Describes what became of self-intersections.
fn resolved(mended: &Mended) -> Option<String> {
    match &mended.resolution {
        Resolution::Resolved { pairs } => {
            let plural =
                if *pairs == 1 { "pair of triangles that met or lay" } else { "pairs of triangles that met or lay" };
            Some(format!("hull: {} {plural} on each other, the outer hull is left", grouped(*pairs)))
        }
        Resolution::Failed(error) => Some(format!("hull: left, {error}")),
        Resolution::Undone(worse) => Some(format!("hull: undone, it would raise {worse}")),
        _ => None,
    }
}

/// Describes what was removed by force, with the change of area and volume.
fn forced(mended: &Mended, input: &Input) -> Option<String> {
    let forced = mended.forced.as_ref()?;
    let [before, after] = &mended.measured;
    let volume = match (before.volume, after.volume) {
        (Some(before), Some(after)) => format!(", volume {} {}", signed(after - before), input.units.volume()),
        (None, Some(after)) => format!(", volume {} {} now", six_digits(after), input.units.volume()),
        _ => String::new(),
    };
    let area = format!("area {} {}", signed(after.area - before.area), input.units.area());
    let count = |count: usize, one: &str| format!("{} {one}{}", grouped(count), if count == 1 { "" } else { "s" });
    let (removed, rounds) = (count(forced.removed, "triangle"), count(forced.rounds, "round"));
    Some(format!("force: {removed} removed in {rounds}, {area}{volume}"))
}

/// A change with its sign.
fn signed(change: f64) -> String {
    if change < 0.0 { format!("−{}", six_digits(-change)) } else { format!("+{}", six_digits(change)) }
}

fn changes(change: &Change) -> String {
    let counts = [
        (change.vertices_merged, "vertex merged", "vertices merged"),
        (change.vertices_doubled, "vertex doubled", "vertices doubled"),
        (change.vertices_dropped, "unused vertex dropped", "unused vertices dropped"),
        (change.triangles_turned, "triangle turned", "triangles turned"),
        (change.holes_filled, "hole filled", "holes filled"),
        (change.triangles_removed, "triangle removed", "triangles removed"),
        (change.triangles_added, "triangle added", "triangles added"),
    ];
    let words = counts.iter().filter(|(count, ..)| *count > 0);
    let mut words: Vec<String> = words
        .map(|&(count, one, many)| format!("{} {}", grouped(count), if count == 1 { one } else { many }))
        .collect();
    if change.deviation > 0.0 {
        words.push(format!("moved by at most {:.1e}", change.deviation));
    }
    words.join(", ")
}
