//! `heurt map near`: points registered in cells, and for each place the points in its cell, next to it and within a
//! radius.

use super::picture::{CellPicture, Paint};
use super::points::{self, PointArgument};
use super::results::MapOutput;
use super::source::MapSource;
use super::table;
use crate::check::{grouped, write_list, write_summary};
use crate::input::six_short_digits;
use crate::output::Output;
use crate::{Failure, status::Status};
use clap::Args;
use heurt::geometry::{Meaning, Vec3};
use heurt::map::placed::{NearLists, NearOptions, NearPoint};
use heurt::scene::FileNote;
use heurt::scene::describe::point_row;
use heurt::view::palette::{BLUE, ORANGE, SKY, meaning_colour};
use heurt::view::picture::LegendEntry;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt map near hall.obj --points people.csv --radius 2           who is near whom
  heurt map near hall.obj --points people.csv --at 4,3 --radius 2 --picture near.png
  heurt map near organ.vtu --at 0,0,0 --at 0.1,0,0 --json          two points of the command line

A file of points is text of one point a line, or a mesh file or point cloud (its vertices). Points are numbered from 0.
The ring of a cell are the cells that share a vertex with it. The file has the arrays `present` and `neighbours`: the
number of points in a cell, and in its ring.

Exit status: 0 done, 1 some points are outside the map, 2 bad input.";

/// Lists points in the cell of each point, in the cells next to it, and within a radius.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapNearArguments {
    /// A mesh file (faces) or a volume mesh (volumes).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The points to register.
    #[arg(long, value_name = "POINTS", required_unless_present = "at")]
    points: Option<PathBuf>,
    /// A place to query; any number of times. Without --points, these are the points, and each is queried.
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    at: Vec<PointArgument>,
    /// Lists the points within this distance too.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    radius: Option<f64>,
    #[command(flatten)]
    results: MapOutput,
}

pub(super) fn run(arguments: &MapNearArguments, out: &mut Output) -> Result<Status, Failure> {
    let results = &arguments.results;
    let targets = results.targets()?;
    let source = MapSource::read(&arguments.file, &targets)?;
    let at = arguments.at.iter().map(|point| point.in_map("at", &source.placed));
    let mut at: Vec<Vec3> = at.collect::<Result<_, _>>()?;
    let points = match &arguments.points {
        Some(path) => {
            targets.spare(path)?;
            points::read_file(path, &source.placed)?
        }
        None => std::mem::take(&mut at),
    };
    let options = NearOptions { points: &points, at: &at, radius: arguments.radius };
    let lists = source.placed.near(options).map_err(|error| source.failure(error))?;
    let found = FoundNear { source: &source, points: &points, at: &at, radius: arguments.radius, lists: &lists };
    if results.json {
        found.print_json(out).map_err(Failure::output)?;
    } else if !results.quiet {
        found.print_table(out).map_err(Failure::output)?;
        source.input.print_notes(out).map_err(Failure::output)?;
    }
    let counts = |which: usize| lists.counts.iter().map(|counts| i64::from(counts[which])).collect();
    results.write_vtu(&source.placed, &[("present", counts(0)), ("neighbours", counts(1))])?;
    found.draw(results)?;
    let is_outside = !lists.outside.is_empty() || lists.places.iter().any(|place| place.cell.is_none());
    Ok(if is_outside { Status::Found } else { Status::Clear })
}

/// A query and its result.
struct FoundNear<'a> {
    source: &'a MapSource,
    points: &'a [Vec3],
    at: &'a [Vec3],
    radius: Option<f64>,
    lists: &'a NearLists,
}

/// Number of places in the table; JSON has all.
const MAX_ROWS: usize = 40;

impl FoundNear<'_> {
    fn print_table(&self, out: &mut Output) -> io::Result<()> {
        let lists = self.lists;
        let title = match self.at.is_empty() {
            true => "point",
            false => "place",
        };
        let mut titles = vec![title, "cell", "in its cell", "in the ring"];
        titles.extend(self.radius.map(|_| "within the radius"));
        let row = |(number, place): (usize, &NearPoint)| {
            let numbers: Vec<u32> = place.within.iter().map(|near| near.0).collect();
            let cell = match (place.cell, place.outside) {
                (Some(cell), _) => cell.to_string(),
                (None, distance) => format!("outside, {} off", six_short_digits(distance.unwrap_or(0.0))),
            };
            let mut row = vec![
                format!("{number}: {}", table::point(place.at)),
                cell,
                table::listed(&place.present),
                table::listed(&place.neighbours),
            ];
            row.extend(self.radius.map(|_| table::listed(&numbers)));
            row
        };
        let rows = lists.places.iter().enumerate().take(MAX_ROWS).map(row).collect();
        table::print_columns(&titles, rows, out)?;
        let left = lists.places.len().saturating_sub(MAX_ROWS);
        if left > 0 {
            writeln!(out, "… and {left} more: --json lists them")?;
        }
        writeln!(out, "{}", self.words())
    }

    fn words(&self) -> String {
        let inside = self.points.len() - self.lists.outside.len();
        let cells = self.lists.counts.iter().filter(|counts| counts[0] > 0).count();
        let outside = self.lists.outside.len();
        let (inside, cells) = (table::counted(inside, "point", "points"), table::counted(cells, "cell", "cells"));
        format!("{inside} in {cells} of {}, {outside} outside", grouped(self.lists.counts.len()))
    }

    fn draw(&self, results: &MapOutput) -> Result<(), Failure> {
        let placed = &self.source.placed;
        let mut picture = CellPicture::new(placed, self.source.input.name(), self.source.input.units);
        picture.lines.push(self.words());
        picture.points.extend(self.points.iter().map(|&at| (at, Meaning::Note)));
        let numbers = placed.cell_numbers();
        let is_flat = placed.dimension() == 2;
        let rest = if is_flat { Paint::Plain } else { Paint::Wire };
        if self.at.is_empty() {
            picture.legend.extend([1, 2, 4, 8].map(|count| LegendEntry {
                colour: count_colour(count),
                name: format!("{count} {}", if count == 1 { "point" } else { "points or more" }),
            }));
            let paint = |at: usize| match self.lists.counts[at][0] {
                0 => rest,
                count => Paint::Colour(count_colour(count)),
            };
            return picture.write(&paint, results);
        }
        let own: BTreeSet<u32> = self.lists.places.iter().filter_map(|place| place.cell).collect();
        let ring: BTreeSet<u32> = own.iter().flat_map(|&cell| placed.neighbour_cells(cell)).collect();
        for place in &self.lists.places {
            picture.points.push((place.at, Meaning::Fault));
            let near = place.within.iter().map(|near| self.points[near.0 as usize]);
            picture.arrows.extend(near.map(|point| ([place.at, point], BLUE)));
        }
        let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned() };
        picture.legend.extend([entry(ORANGE, "cell of the place"), entry(SKY, "ring")]);
        if self.radius.is_some() {
            picture.legend.push(entry(BLUE, "within the radius"));
        }
        let paint = |at: usize| match (own.contains(&numbers[at]), ring.contains(&numbers[at])) {
            (true, _) => Paint::Colour(ORANGE),
            (_, true) if is_flat => Paint::Colour(SKY),
            _ => rest,
        };
        picture.write(&paint, results)
    }

    fn print_json(&self, out: &mut impl Write) -> io::Result<()> {
        let lists = self.lists;
        let summary = NearSummary {
            file: self.source.input.name(),
            unit: self.source.input.units.symbol(),
            tracking: lists.tracking.name(),
            points: self.points.len(),
            outside: lists.outside.len(),
            places: lists.places.len(),
            radius: self.radius,
            cells: lists.counts.len(),
            occupied: lists.counts.iter().filter(|counts| counts[0] > 0).count(),
        };
        write_summary(&summary, out)?;
        let place = |place: &NearPoint| PlaceJson {
            at: point_row(place.at),
            cell: place.cell,
            outside: place.outside,
            present: place.present.clone(),
            neighbours: place.neighbours.clone(),
            within: place.within.iter().map(|&(point, distance)| WithinJson { point, distance }).collect(),
        };
        write_list("places", lists.places.iter().map(place), out)?;
        let outside = lists.outside.iter().map(|&(point, distance)| WithinJson { point, distance });
        write_list("outside", outside, out)?;
        write_list("warnings", &self.source.input.warnings, out)?;
        writeln!(out, "\n}}")
    }
}

/// The colour of a cell with this number of points: darker for more, in steps of a doubling.
fn count_colour(count: u32) -> [u8; 3] {
    meaning_colour(Meaning::Volume(1 + 2 * count.ilog2().min(3)))
}

#[derive(JsonSchema, Serialize)]
struct NearSummary {
    file: String,
    /// Unit of every length; null if the file declares none.
    unit: Option<&'static str>,
    /// plane, surface, convex or star-shaped.
    tracking: &'static str,
    points: usize,
    /// Points in no cell.
    outside: usize,
    places: usize,
    radius: Option<f64>,
    cells: usize,
    /// Cells with a point.
    occupied: usize,
}

#[derive(JsonSchema, Serialize)]
struct PlaceJson {
    at: [f64; 3],
    cell: Option<u32>,
    /// Distance from the border of a place in no cell.
    outside: Option<f64>,
    /// Points in the cell, without the point itself.
    present: Vec<u32>,
    /// Points in the cells that share a vertex with it.
    neighbours: Vec<u32>,
    /// Points within the radius, the nearest first.
    within: Vec<WithinJson>,
}

#[derive(JsonSchema, Serialize)]
struct WithinJson {
    point: u32,
    distance: f64,
}

/// The report of `heurt map near --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MapNearDocument {
    summary: NearSummary,
    places: Vec<PlaceJson>,
    /// Points in no cell, with their distance from the border.
    outside: Vec<WithinJson>,
    warnings: Vec<FileNote>,
}
