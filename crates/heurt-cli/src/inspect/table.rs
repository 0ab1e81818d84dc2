//! The inspection of one mesh for people.

use super::{InspectArguments, Inspected};
use crate::check::{bold, grouped, new_table};
use crate::input::six_short_digits as number;
use crate::output::{Output, printable};
use crate::units::{Units, shared_space_words};
use comfy_table::{Cell, Color, Table};
use heurt::geometry::{Aabb, Mat3, Pose, Vec3};
use heurt::mesh::{Class, Fault, Measures, PolygonReport, Report, Severity, Thickness, TriMesh};
use heurt::scene::FileNote;
use std::io::{self, Write};

/// Notes that are printed of all files; `--json` has all.
const MAX_NOTES: usize = 20;

/// Prints what was found, with the first faults of each kind.
pub(super) fn print(inspected: &Inspected, arguments: &InspectArguments, out: &mut Output) -> io::Result<()> {
    let Inspected { file, name, units, mesh, report, measures, shell_volume, facets, .. } = inspected;
    let Inspected { thickness, warnings, .. } = inspected;
    let mut table = new_table(out);
    let title =
        printable(&if name.is_empty() { file.display().to_string() } else { format!("{} / {name}", file.display()) });
    let colour = if report.class.is_closed() { Color::Green } else { Color::Red };
    let class = bold(&format!("{}: {}", report.class, report.class.explanation())).fg(colour);
    table.set_header([bold(&title), class]);
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none, the mesh is open or flat".to_owned());
    let bounds = mesh.bounds();
    let mut rows = vec![
        ("printable", verdict(report)),
        ("triangles", grouped(mesh.triangles().len())),
        ("vertices", grouped(mesh.vertices().len())),
        ("closed · manifold · oriented", [report.closed, report.manifold, report.oriented].map(yes).join(" · ")),
        ("components", grouped(measures.components)),
        ("Euler characteristic", measures.euler.to_string()),
        ("genus", measures.genus.map_or_else(|| "none, not a closed surface".to_owned(), |genus| genus.to_string())),
        ("box, from", point(bounds.min)),
        ("box, to", point(bounds.max)),
        ("size", format!("{} {}", sizes(mesh), units.length())),
        ("area", format!("{} {}", in_range(measures.area, measures), units.area())),
        ("volume", or_none(measures.volume.map(|volume| volume_line(volume, *shell_volume, *units, measures)))),
        (
            "centroid",
            or_none(measures.centroid.map(|centroid| point(without_noise(centroid, largest_coordinate(bounds))))),
        ),
        ("inertia at density 1", or_none(measures.inertia.map(|inertia| inertia_lines(inertia, measures)))),
    ];
    if let Some(deviation) = report.deviation.filter(|deviation| *deviation > 0.0) {
        let within = if report.class == Class::Convex { "counts as convex" } else { "does not count as convex" };
        rows.push(("from convex", format!("at most {} {}: {within}", number(deviation), units.length())));
    }
    if !report.is_convexity_known {
        rows.push(("from convex", "not known within the limit of work: --convexity measures it".to_owned()));
    }
    if let Some(facets) = facets {
        rows.push(("facets", facet_lines(facets, *units)));
    }
    if let Some(thickness) = thickness {
        rows.push(("wall thickness", thickness_lines(thickness, inspected)));
    }
    table.add_rows(rows.into_iter().map(|(name, value)| [Cell::new(name), Cell::new(value)]));
    for warning in warnings {
        table.add_row([Cell::new(warning.kind).fg(Color::Yellow), Cell::new(printable(&warning.message))]);
    }
    add_faults(inspected, arguments.faults, &mut table);
    writeln!(out, "{}", table.trim_fmt())
}

/// A row for each kind of fault.
fn add_faults(inspected: &Inspected, limit: usize, table: &mut Table) {
    let Inspected { report, mesh, pose, .. } = inspected;
    for count in &report.counts {
        let faults = report.faults.iter().filter(|fault| fault.kind() == count.kind);
        let remedy = faults.clone().next().map(|fault| format!("→ {}", fault.remedy()));
        let mut lines: Vec<String> = faults.take(limit).map(|fault| fault_line(fault, mesh, pose)).collect();
        let left = count.count.saturating_sub(lines.len());
        if left > 0 {
            let lists = "--faults N and --json list them";
            let more = if count.has_more { "at least " } else { "" };
            lines.push(format!("… and {more}{} more: {lists}", grouped(left)));
        }
        lines.extend(remedy);
        let kind = format!("{} × {}\n{}", grouped(count.count), count.kind, count.severity);
        table.add_row([Cell::new(kind).fg(colour_of(count.severity)), Cell::new(lines.join("\n"))]);
    }
    if report.counts.is_empty() {
        table.add_row([Cell::new("faults"), Cell::new("none").fg(Color::Green)]);
    }
}

/// The colour of a severity.
fn colour_of(severity: Severity) -> Color {
    match severity {
        Severity::PrintsAsItIs => Color::Green,
        Severity::SlicersMend => Color::Yellow,
        Severity::Fails => Color::Red,
    }
}

/// Whether slicers print the mesh, and why not, or what they mend.
fn verdict(report: &Report) -> String {
    let verdict = report.verdict();
    match verdict.severity {
        Severity::PrintsAsItIs => "yes".to_owned(),
        Severity::SlicersMend => format!("yes: {verdict}"),
        Severity::Fails => format!("no: {}", verdict.printable().err().map_or_else(String::new, |no| no.to_string())),
    }
}

/// The volume, with the sum of the shells if they share space.
fn volume_line(volume: f64, shell_volume: Option<f64>, units: Units, measures: &Measures) -> String {
    let line = format!("{} {}", in_range(volume, measures), units.volume());
    match shared_space_words(volume, shell_volume, units) {
        Some(words) => format!("{line}; {words}"),
        None => line,
    }
}

/// The least normal number in words, for numbers below it that are not 0.
fn in_range(value: f64, measures: &Measures) -> String {
    let is_below = value.abs() < f64::MIN_POSITIVE && measures.have_underflowed();
    if is_below { BELOW_RANGE.to_owned() } else { number(value) }
}

const BELOW_RANGE: &str = "below 2.3e-308";

fn inertia_lines(inertia: Mat3, measures: &Measures) -> String {
    let moments = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
    let is_below = measures.have_underflowed() && moments.iter().all(|moment| moment.abs() < f64::MIN_POSITIVE);
    if is_below { BELOW_RANGE.to_owned() } else { inertia_rows(inertia) }
}

/// A fault with its place in the file: where the first part with the mesh is.
fn fault_line(fault: &Fault, mesh: &TriMesh, pose: &Pose) -> String {
    let place = fault.place(mesh);
    let length = match fault {
        Fault::Hole { length, .. } => format!(", {} long", number(*length)),
        _ => String::new(),
    };
    format!("{} (at {}{length})", fault.cause(), point_in_file(place.centre, pose))
}

fn facet_lines(facets: &PolygonReport, units: Units) -> String {
    let mut lines = vec![format!(
        "{} ({} triangles, {} quads, at most {} corners) · S − A + F = {} − {} + {} = {}",
        grouped(facets.facets),
        grouped(facets.triangles),
        grouped(facets.quads),
        facets.max_corners,
        grouped(facets.vertices),
        grouped(facets.edges),
        grouped(facets.facets),
        facets.euler
    )];
    let of = |count: usize| if count == facets.facets { "all".to_owned() } else { grouped(count) };
    lines.push(format!(
        "planar: {} (largest deviation {} {}) · simple: {} · convex: {}",
        of(facets.planar),
        number(facets.max_deviation),
        units.length(),
        of(facets.simple),
        of(facets.convex)
    ));
    lines.extend(facets.faults.iter().take(3).map(ToString::to_string));
    if facets.faults.len() > 3 {
        lines.push(format!("… and {} more: --json lists them", grouped(facets.faults.len() - 3)));
    }
    lines.join("\n")
}

fn thickness_lines(found: &Result<Thickness, String>, inspected: &Inspected) -> String {
    let Inspected { units, thin, pose, .. } = inspected;
    let thickness = match found {
        Ok(thickness) => thickness,
        Err(reason) => return format!("none: {reason}"),
    };
    let unit = units.length();
    let Some(thinnest) = thickness.minimum().filter(|sample| sample.thickness.is_finite()) else {
        return match thickness.left_out {
            0 => "none: nothing is opposite any place".to_owned(),
            _ => "none: every place is nearer to a sharp edge than it is thick".to_owned(),
        };
    };
    let at = |share: f64| thickness.percentile(share).map_or("–".to_owned(), number);
    let mut lines = vec![
        format!("5 % of the surface below {} {unit}, half of it below {} {unit}", at(0.05), at(0.5)),
        format!(
            "thinnest of {} samples: {} {unit}, at {} (by {})",
            grouped(thickness.samples.len()),
            number(thinnest.thickness),
            point_in_file(thinnest.point, pose),
            thickness.method
        ),
    ];
    if thickness.left_out > 0 {
        lines.push(format!("{} samples next to sharp edges left out", grouped(thickness.left_out)));
    }
    if let Some(limit) = *thin {
        let share = 100.0 * thickness.share_below(limit);
        lines.push(format!("{} % of the surface below {} {unit}", number(share), number(limit)));
    }
    lines.join("\n")
}

/// Prints what was skipped in files and folders.
pub(super) fn print_notes(warnings: &[FileNote], out: &mut Output) -> io::Result<()> {
    for warning in warnings.iter().take(MAX_NOTES) {
        writeln!(out, "note: {}", printable(&warning.line()))?;
    }
    let left = warnings.len().saturating_sub(MAX_NOTES);
    if left > 0 { writeln!(out, "… and {left} more notes: --json lists them") } else { Ok(()) }
}

/// The lengths of the sides of the box.
fn sizes(mesh: &TriMesh) -> String {
    let bounds = mesh.bounds();
    (bounds.max - bounds.min).to_array().map(number).join(" × ")
}

/// Formats a point of a mesh where its first part is in the file.
fn point_in_file(of_mesh: Vec3, pose: &Pose) -> String {
    if pose.is_identity() { point(of_mesh) } else { format!("{} in the file", point(pose.place(of_mesh))) }
}

fn point(point: Vec3) -> String {
    point.to_array().map(number).join("  ")
}

/// Sums of a mesh leave errors of some ulp of the largest term: smaller values are shown as 0.
const NOISE: f64 = 1e-14;

/// A vector without components that are rounding errors of a value of the given size.
fn without_noise(vector: Vec3, size: f64) -> Vec3 {
    vector.map(|value| if value.abs() <= NOISE * size { 0.0 } else { value })
}

fn largest_coordinate(bounds: Aabb) -> f64 {
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// The rows of an inertia tensor. A product of inertia that is a rounding error of the moments of both axes is shown as
/// 0.
fn inertia_rows(inertia: Mat3) -> String {
    let entries = inertia.transpose().to_cols_array_2d();
    let size = |row: usize, column: usize| (entries[row][row] * entries[column][column]).abs().sqrt();
    let is_noise = |row: usize, column: usize| row != column && entries[row][column].abs() <= NOISE * size(row, column);
    let shown = |row: usize, column: usize| if is_noise(row, column) { 0.0 } else { entries[row][column] };
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| number(shown(row, column))).join("  ")).join("\n")
}
