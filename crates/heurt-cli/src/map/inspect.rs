//! `heurt map inspect`: what a map holds, and what trackers cannot trust.

use super::picture::{CellPicture, Paint};
use super::results::MapOutput;
use super::source::MapSource;
use super::table;
use crate::check::{counted, grouped, write_list, write_summary};
use crate::input::six_short_digits as number;
use crate::output::Output;
use crate::units::Units;
use crate::{Failure, status::Status};
use clap::Args;
use heurt::map::placed::{MapSummary, PlacedMap};
use heurt::scene::FileNote;
use heurt::view::palette::{VERMILION, body_colour};
use heurt::view::picture::LegendEntry;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt map inspect organ.vtu                     cells by kind, border, Euler characteristic, faults
  heurt map inspect bunny.ply --json              the same for a program to read
  heurt map inspect organ.msh --picture map.png   its cells; those that tracking cannot trust in red

Exit status: 0 all cells can be tracked in, 1 some cannot, 2 bad input.";

/// Reports cells by kind, border, Euler characteristic, sizes, and cells that tracking cannot trust.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapInspectArguments {
    /// A mesh file or plan (faces), or a volume mesh (volumes).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    results: MapOutput,
}

pub(super) fn run(arguments: &MapInspectArguments, out: &mut Output) -> Result<Status, Failure> {
    let targets = arguments.results.targets()?;
    let source = MapSource::read(&arguments.file, &targets)?;
    let described = DescribedMap {
        name: source.input.name(),
        units: source.input.units,
        warnings: &source.input.warnings,
        summary: source.placed.summary().map_err(|error| source.failure(error))?,
    };
    report(&described, &source.placed, &arguments.results, out)?;
    let is_sound = described.summary.untrusted.is_empty() && described.summary.faults.is_empty();
    Ok(if is_sound { Status::Clear } else { Status::Found })
}

/// A map with a name.
pub(super) struct DescribedMap<'a> {
    pub(super) name: String,
    pub(super) units: Units,
    pub(super) warnings: &'a [FileNote],
    pub(super) summary: MapSummary,
}

/// Prints the summary, and writes the files that the options name.
pub(super) fn report(
    described: &DescribedMap<'_>,
    placed: &PlacedMap,
    results: &MapOutput,
    out: &mut Output,
) -> Result<(), Failure> {
    if results.json {
        print_json(described, out).map_err(Failure::output)?;
    } else if !results.quiet {
        print_table(described, out).map_err(Failure::output)?;
    }
    let distrusted: BTreeSet<u32> =
        described.summary.untrusted.iter().filter_map(|fault| placed.cell_of(fault)).collect();
    let numbers = placed.cell_numbers();
    let trusted = numbers.iter().map(|cell| i64::from(!distrusted.contains(cell))).collect();
    results.write_vtu(placed, &[("trusted", trusted)])?;
    let mut picture = CellPicture::new(placed, described.name.clone(), described.units);
    picture.lines.push(cell_words(&described.summary));
    picture.lines.push(format!("Euler characteristic {}", described.summary.euler));
    if !distrusted.is_empty() {
        picture.legend.push(LegendEntry { colour: VERMILION, name: "cannot be tracked in".to_owned() });
    }
    let colour = |at: usize| if distrusted.contains(&numbers[at]) { VERMILION } else { body_colour(0) };
    picture.write(&|at| Paint::Colour(colour(at)), results)
}

/// Formats the number of cells by shape.
fn cell_words(summary: &MapSummary) -> String {
    let words = summary.shapes.iter().map(|(shape, count)| format!("{} x {shape}", grouped(*count)));
    words.collect::<Vec<_>>().join(", ")
}

fn print_table(described: &DescribedMap<'_>, out: &mut Output) -> io::Result<()> {
    let DescribedMap { name, units, warnings, summary } = described;
    let [vertices, edges, faces, volumes, components] = summary.counts.map(grouped);
    let pieces = summary.border_pieces;
    let (cells, border, unit) = match summary.dimension {
        2 => (format!("{faces} faces"), counted(pieces, "loop", "loops"), units.area()),
        _ => {
            let border = counted(pieces, "closed surface", "closed surfaces");
            (format!("{faces} faces · {volumes} volumes"), border, units.volume())
        }
    };
    let border_cells = if summary.dimension == 2 { "edges" } else { "faces" };
    let row = |name: &str, value: String| (name.to_owned(), value);
    let mut rows = vec![
        row("cells", format!("{vertices} vertices · {edges} edges · {cells}")),
        row("darts", format!("{} and {} of the border", grouped(summary.darts), grouped(summary.boundary_darts))),
        row("bytes of links", grouped(summary.bytes)),
        row("Euler characteristic", summary.euler.to_string()),
        row("components", components),
        row("border", format!("{} {border_cells} in {border}", grouped(summary.border))),
        row("box, from", table::point(summary.bounds.min)),
        row("box, to", table::point(summary.bounds.max)),
    ];
    let shapes = summary.shapes.iter().map(|(shape, count)| row(&shape.to_string(), grouped(*count)));
    rows.splice(1..1, shapes);
    if let Some(sizes) = summary.sizes {
        let [least, mean, greatest, total] = [sizes.least, sizes.mean, sizes.greatest, sizes.total].map(number);
        let label = if summary.dimension == 2 { "area" } else { "volume" };
        rows.push(row(&format!("{label} of a cell"), format!("{least} to {greatest}, mean {mean} {unit}")));
        rows.push(row(&format!("{label} of all"), format!("{total} {unit}")));
    }
    if summary.turned > 0 {
        rows.push(row("turned", counted(summary.turned, "cell of the file", "cells of the file")));
    }
    if summary.pinched > 0 {
        let words = counted(summary.pinched, "vertex is", "vertices are");
        rows.push(row("pinched", format!("{words} several: cells touch there and share no face")));
    }
    let trust = match summary.untrusted.len() {
        0 => "in every cell".to_owned(),
        count => counted(count, "cell cannot be trusted", "cells cannot be trusted"),
    };
    rows.push(row("tracking", format!("as {}: {trust}", summary.tracking)));
    let faults =
        summary.untrusted.iter().map(ToString::to_string).chain(summary.faults.iter().map(ToString::to_string));
    rows.extend(faults.take(MAX_FAULTS).map(|fault| row("fault", fault)));
    let left = (summary.untrusted.len() + summary.faults.len()).saturating_sub(MAX_FAULTS);
    if left > 0 {
        rows.push(row("faults", format!("… and {left} more: --json lists them")));
    }
    let kind = format!("{}-map", summary.dimension);
    table::print([name, &kind], rows, out)?;
    for warning in *warnings {
        writeln!(out, "note: {}", crate::output::printable(&warning.line()))?;
    }
    Ok(())
}

/// Number of faults in the table.
const MAX_FAULTS: usize = 5;

/// The report of `heurt map inspect --json` and `heurt map grid --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MapInspectDocument {
    summary: MapSummaryJson<'static>,
    shapes: Vec<ShapeCountJson>,
    /// Cells in which tracking may lose a particle.
    untrusted: Vec<UntrustedJson>,
    /// Violated constraints of the map.
    faults: Vec<String>,
    warnings: Vec<FileNote>,
}

#[derive(JsonSchema, Serialize)]
struct MapSummaryJson<'a> {
    /// The file, or the words of a grid.
    name: &'a str,
    /// Unit of every length; null if the input declares none.
    unit: Option<&'static str>,
    dimension: usize,
    darts: usize,
    boundary_darts: usize,
    /// Bytes of the links.
    bytes: usize,
    vertices: usize,
    edges: usize,
    faces: usize,
    volumes: usize,
    components: usize,
    euler: i64,
    /// Edges (2-map) or faces (3-map) with a cell on one side only.
    border: usize,
    /// Closed pieces of the border.
    border_pieces: usize,
    bounds: Option<[[f64; 3]; 2]>,
    /// Area (2-map) or volume (3-map) of the smallest cell.
    least: Option<f64>,
    mean: Option<f64>,
    greatest: Option<f64>,
    /// Area or volume of all cells.
    total: Option<f64>,
    pinched: usize,
    turned: usize,
    /// plane, surface, convex or star-shaped.
    tracking: &'static str,
    untrusted: usize,
    faults: usize,
}

#[derive(JsonSchema, Serialize)]
struct ShapeCountJson {
    shape: String,
    count: usize,
}

#[derive(JsonSchema, Serialize)]
struct UntrustedJson {
    message: String,
}

fn print_json(described: &DescribedMap<'_>, out: &mut impl Write) -> io::Result<()> {
    let DescribedMap { name, units, warnings, summary } = described;
    let [vertices, edges, faces, volumes, components] = summary.counts;
    let bounds = summary.bounds;
    let row = MapSummaryJson {
        name,
        unit: units.symbol(),
        dimension: summary.dimension,
        darts: summary.darts,
        boundary_darts: summary.boundary_darts,
        bytes: summary.bytes,
        vertices,
        edges,
        faces,
        volumes,
        components,
        euler: summary.euler,
        border: summary.border,
        border_pieces: summary.border_pieces,
        bounds: (!bounds.is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()]),
        least: summary.sizes.map(|sizes| sizes.least),
        mean: summary.sizes.map(|sizes| sizes.mean),
        greatest: summary.sizes.map(|sizes| sizes.greatest),
        total: summary.sizes.map(|sizes| sizes.total),
        pinched: summary.pinched,
        turned: summary.turned,
        tracking: summary.tracking.name(),
        untrusted: summary.untrusted.len(),
        faults: summary.faults.len(),
    };
    write_summary(&row, out)?;
    let shapes = summary.shapes.iter().map(|(shape, count)| ShapeCountJson { shape: shape.to_string(), count: *count });
    write_list("shapes", shapes, out)?;
    let message = |message: String| UntrustedJson { message };
    write_list("untrusted", summary.untrusted.iter().map(|fault| message(fault.to_string())), out)?;
    write_list("faults", summary.faults.iter().map(ToString::to_string), out)?;
    write_list("warnings", warnings.iter(), out)?;
    writeln!(out, "\n}}")
}
