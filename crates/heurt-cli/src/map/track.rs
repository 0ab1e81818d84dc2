//! `heurt map track`: the cells on the path of a particle, and where it ends.

use super::picture::{CellPicture, Paint};
use super::points::PointArgument;
use super::results::MapOutput;
use super::source::MapSource;
use super::table;
use crate::check::{counted, write_list, write_summary};
use crate::output::Output;
use crate::{Failure, status::Status};
use clap::Args;
use heurt::geometry::Meaning;
use heurt::map::placed::{CellTracking, PathEnd, TrackedPath};
use heurt::scene::FileNote;
use heurt::scene::describe::point_row;
use heurt::view::palette::{BLUE, GREY, ORANGE, VERMILION};
use heurt::view::picture::LegendEntry;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  heurt map track organ.vtu --from 0,0,0 --to 1,1,1           the volumes on the path
  heurt map track hall.obj --from 0.5,0.5 --to 9,4 --obstacle 12-13 --picture path.png

An obstacle is an edge of a map of faces, by its two vertices, or a face of a map of volumes, by three or more of its
vertices: numbers of the file, from 0. The border is a wall too. The file has the array `path`: the place of a cell on
the path, from 0, and -1 for cells off it.

Exit status: 0 the target was reached, 1 a wall stops the path, 2 bad input.";

/// Follows a particle from cell to cell, straight towards a target.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapTrackArguments {
    /// A mesh file or plan (faces), or a volume mesh (volumes).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The start; on a surface, the nearest point of it.
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    from: PointArgument,
    /// The target.
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    to: PointArgument,
    /// An edge or face that the path must not cross, by its vertices; any number of times.
    #[arg(long, value_name = "VERTICES")]
    obstacle: Vec<ObstacleArgument>,
    #[command(flatten)]
    results: MapOutput,
}

/// Numbers of vertices: `12-13`.
#[derive(Debug, Clone)]
struct ObstacleArgument(Vec<u32>);

impl FromStr for ObstacleArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u32>> = text.split('-').map(|number| number.trim().parse().ok()).collect();
        let legal = "give numbers of vertices from 0, as 12-13 for an edge or 4-5-9 for a face";
        numbers.filter(|numbers| numbers.len() >= 2).map(Self).ok_or_else(|| legal.to_owned())
    }
}

pub(super) fn run(arguments: &MapTrackArguments, out: &mut Output) -> Result<Status, Failure> {
    let results = &arguments.results;
    let targets = results.targets()?;
    let source = MapSource::read(&arguments.file, &targets)?;
    let [from, to] = [("from", arguments.from), ("to", arguments.to)];
    let [from, to] = [from.1.in_map(from.0, &source.placed)?, to.1.in_map(to.0, &source.placed)?];
    let obstacles: Vec<Vec<u32>> = arguments.obstacle.iter().map(|obstacle| obstacle.0.clone()).collect();
    let path = source.placed.track(from, to, &obstacles).map_err(|error| source.failure(error))?;
    if results.json {
        print_json(&source, &path, out).map_err(Failure::output)?;
    } else if !results.quiet {
        print_table(&source, &path, out).map_err(Failure::output)?;
        source.input.print_notes(out).map_err(Failure::output)?;
    }
    let numbers = source.placed.cell_numbers();
    let mut places: BTreeMap<u32, i64> = BTreeMap::new();
    for (place, &cell) in (0..).zip(&path.cells) {
        places.entry(cell).or_insert(place);
    }
    let order: Vec<i64> = numbers.iter().map(|cell| places.get(cell).copied().unwrap_or(-1)).collect();
    results.write_vtu(&source.placed, &[("path", order.clone())])?;
    draw(&source, &path, (&order, &obstacles), results)?;
    Ok(if path.end == PathEnd::Arrived { Status::Clear } else { Status::Found })
}

/// Draws the cells, those on the path coloured; `order` has the place of each cell on the path.
fn draw(
    source: &MapSource,
    path: &TrackedPath,
    (order, obstacles): (&[i64], &[Vec<u32>]),
    results: &MapOutput,
) -> Result<(), Failure> {
    let placed = &source.placed;
    let mut picture = CellPicture::new(placed, source.input.name(), source.input.units);
    picture.lines.push(format!("{}: {}", counted(path.cells.len(), "cell", "cells"), end_words(path)));
    picture.legend.push(LegendEntry { colour: ORANGE, name: "cells on the path".to_owned() });
    if path.tracking != CellTracking::Surface {
        picture.legend.push(LegendEntry { colour: BLUE, name: "path".to_owned() });
        picture.arrows.push(([path.start, path.reached], BLUE));
        if path.end != PathEnd::Arrived {
            picture.arrows.push(([path.reached, path.target], GREY));
            picture.legend.push(LegendEntry { colour: GREY, name: "to the target".to_owned() });
        }
    }
    let walls = obstacles.iter().map(Vec::as_slice);
    let walls = walls.chain(match &path.end {
        PathEnd::Stopped { vertices, .. } => Some(vertices.as_slice()),
        PathEnd::Arrived => None,
    });
    let mut has_wall = false;
    for corners in walls {
        has_wall = true;
        let at = |corner: u32| placed.points[corner as usize];
        let next = corners.iter().cycle().skip(1);
        picture.arrows.extend(corners.iter().zip(next).map(|(&a, &b)| ([at(a), at(b)], VERMILION)));
    }
    if has_wall {
        picture.legend.push(LegendEntry { colour: VERMILION, name: "wall".to_owned() });
    }
    picture.points.extend([(path.start, Meaning::Normal), (path.reached, Meaning::Normal)]);
    let is_flat = path.tracking == CellTracking::Plane || path.tracking == CellTracking::Surface;
    let paint = |at: usize| match (order[at] >= 0, is_flat) {
        (true, _) => Paint::Colour(ORANGE),
        (false, true) => Paint::Plain,
        (false, false) => Paint::Wire,
    };
    picture.write(&paint, results)
}

/// Cells of the path in the table.
const MAX_LISTED: usize = 16;

fn end_words(path: &TrackedPath) -> String {
    match &path.end {
        PathEnd::Arrived if path.tracking == CellTracking::Surface => "went the distance to the target".to_owned(),
        PathEnd::Arrived => "target reached".to_owned(),
        PathEnd::Stopped { wall, vertices } => {
            let vertices: Vec<String> = vertices.iter().map(u32::to_string).collect();
            format!("stopped by the {} at vertices {}", wall.name(), vertices.join("-"))
        }
    }
}

fn print_table(source: &MapSource, path: &TrackedPath, out: &mut Output) -> io::Result<()> {
    let row = |name: &str, value: String| (name.to_owned(), value);
    let rows = vec![
        row("from", table::point(path.start)),
        row("to", table::point(path.target)),
        row("reached", format!("{} on the {}", table::point(path.reached), path.place.name())),
        row("end", end_words(path)),
        row("cells on the path", table::listed(&path.cells, MAX_LISTED)),
        row("number of cells", path.cells.len().to_string()),
        row("steps", format!("{}: cells, faces, edges and vertices entered", path.steps)),
    ];
    table::print([&source.input.name(), &format!("as {}", path.tracking)], rows, out)
}

/// The report of `heurt map track --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MapTrackDocument {
    summary: PathJson<'static>,
    /// The cells through whose inside the path passes, in order.
    cells: Vec<u32>,
    warnings: Vec<FileNote>,
}

#[derive(JsonSchema, Serialize)]
struct PathJson<'a> {
    file: String,
    /// Unit of every length; null if the file declares none.
    unit: Option<&'static str>,
    /// plane, surface, convex or star-shaped.
    tracking: &'static str,
    from: [f64; 3],
    to: [f64; 3],
    reached: [f64; 3],
    /// vertex, edge, face or volume.
    place: &'static str,
    arrived: bool,
    /// The wall that stops the path: border or obstacle.
    wall: Option<&'static str>,
    /// The vertices of the wall.
    wall_vertices: &'a [u32],
    cells: usize,
    steps: usize,
}

fn print_json(source: &MapSource, path: &TrackedPath, out: &mut impl Write) -> io::Result<()> {
    let (wall, wall_vertices): (_, &[u32]) = match &path.end {
        PathEnd::Arrived => (None, &[]),
        PathEnd::Stopped { wall, vertices } => (Some(wall.name()), vertices),
    };
    let summary = PathJson {
        file: source.input.name(),
        unit: source.input.units.symbol(),
        tracking: path.tracking.name(),
        from: point_row(path.start),
        to: point_row(path.target),
        reached: point_row(path.reached),
        place: path.place.name(),
        arrived: path.end == PathEnd::Arrived,
        wall,
        wall_vertices,
        cells: path.cells.len(),
        steps: path.steps,
    };
    write_summary(&summary, out)?;
    write_list("cells", &path.cells, out)?;
    write_list("warnings", &source.input.warnings, out)?;
    writeln!(out, "\n}}")
}
