//! `heurt map near`: points registered in cells, and for each place the points in its cell, next to it and within a
//! radius.

use super::picture::{CellPicture, Paint};
use super::points::{self, PointArgument};
use super::results::MapOutput;
use super::source::MapSource;
use super::table;
use crate::check::{counted, grouped, write_list, write_summary};
use crate::input::six_short_digits;
use crate::load::{self, Buffers, ReadSettings};
use crate::output::Output;
use crate::targets::Targets;
use crate::{Failure, status::Status};
use clap::{Args, ValueEnum};
use heurt::broad::{MissedNeighbours, OddEvenGrid, ProximityError};
use heurt::geometry::{Meaning, Triangle, Vec3};
use heurt::map::placed::{NearLists, NearOptions, NearPoint};
use heurt::mesh::MeshError;
use heurt::scene::FileNote;
use heurt::scene::describe::point_row;
use heurt::view::palette::{BLUE, ORANGE, SKY, VERMILION, meaning_colour};
use heurt::view::picture::LegendEntry;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt map near hall.obj --points people.csv --radius 2           who is near whom
  heurt map near hall.obj --points people.csv --at 4,3 --radius 2 --picture near.png
  heurt map near organ.vtu --at 0,0,0 --at 0.1,0,0 --json          two points of the command line
  heurt map near organ.vtu --points probes.csv --obstacles needle.stl --radius 0.1     triangles near points
  heurt map near hall.obj --points people.csv --radius 2 --method neighbour-grid --passes 64

A file of points is text of one point a line, or a mesh file or point cloud (its vertices). Points are numbered from 0.
The ring of a cell are the cells that share a vertex with it. The file has the arrays `present` and `neighbours`: the
number of points in a cell, and in its ring. With --obstacles it has the array `obstacles`: the number of triangles that
meet a cell. Triangles are numbered from 0; those with a corner outside the map are left out.

The neighbour grid has one point a cell, sorted by passes of swaps; it takes the points in a ring of cells for
neighbours. Its table shows the share of the points within the radius that it misses, by passes.

Exit status: 0 done, 1 some points or obstacles are outside the map, 2 bad input.";

/// Lists points in the cell of each point, in the cells next to it, and within a radius.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapNearArguments {
    /// A mesh file or plan (faces), or a volume mesh (volumes).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The points to register.
    #[arg(long, value_name = "POINTS", required_unless_present = "at")]
    points: Option<PathBuf>,
    /// A place to query; any number of times. Without --points, these are the points, and each is queried.
    #[arg(long, value_name = "X,Y[,Z]", allow_hyphen_values = true)]
    at: Vec<PointArgument>,
    /// A mesh whose triangles are obstacles; lists those in the cells of each point and around.
    #[arg(long, value_name = "MESH")]
    obstacles: Option<PathBuf>,
    /// Lists the points within this distance too.
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    radius: Option<f64>,
    /// Also compares the neighbour grid with the radius, by the share of neighbours that it misses.
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = NearMethod::Cells)]
    method: NearMethod,
    /// The most passes of the neighbour grid; it also ends when it is sorted.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(0..=4096))]
    passes: u32,
    /// The ring of cells of the neighbour grid, in cells.
    #[arg(long, value_name = "CELLS", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    ring: u16,
    #[command(flatten)]
    results: MapOutput,
}

/// The method that finds neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NearMethod {
    /// The cells of the map.
    Cells,
    /// The cells of the map, and next to them the neighbour grid.
    NeighbourGrid,
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
    let grid = match (arguments.method, arguments.radius) {
        (NearMethod::Cells, _) => Vec::new(),
        (NearMethod::NeighbourGrid, Some(radius)) if radius > 0.0 => {
            let is_spatial = !source.placed.is_plane();
            grid_passes(&points, is_spatial, (arguments.passes, arguments.ring.into()), radius)
                .map_err(|source| Failure::NoProximity { source })?
        }
        (NearMethod::NeighbourGrid, _) => return Err(Failure::GridWithoutRadius),
    };
    let obstacles = arguments.obstacles.as_deref().map(|path| read_obstacles(path, &targets)).transpose()?;
    let obstacles = obstacles.unwrap_or_default();
    let options = NearOptions { points: &points, at: &at, radius: arguments.radius, obstacles: &obstacles };
    let lists = source.placed.near(options).map_err(|error| source.failure(error))?;
    let (points, at, radius) = (points.as_slice(), at.as_slice(), arguments.radius);
    let obstacles = obstacles.as_slice();
    let found = FoundNear { source: &source, points, at, obstacles, radius, lists: &lists, grid: &grid };
    if results.json {
        found.print_json(out).map_err(Failure::output)?;
    } else if !results.quiet {
        found.print_table(out).map_err(Failure::output)?;
        source.input.print_notes(out).map_err(Failure::output)?;
    }
    let counts = |which: usize| -> Vec<i64> { lists.counts.iter().map(|counts| i64::from(counts[which])).collect() };
    let mut arrays = vec![("present", counts(0)), ("neighbours", counts(1))];
    if arguments.obstacles.is_some() {
        arrays.push(("obstacles", lists.obstacle_counts.iter().map(|&count| i64::from(count)).collect()));
    }
    results.write_vtu(&source.placed, &arrays)?;
    found.draw(results)?;
    let is_outside = !lists.outside.is_empty()
        || !lists.obstacles_outside.is_empty()
        || lists.places.iter().any(|place| place.cell.is_none());
    Ok(if is_outside { Status::Found } else { Status::Clear })
}

/// Reads the triangles of a mesh.
fn read_obstacles(path: &Path, targets: &Targets<'_>) -> Result<Vec<Triangle>, Failure> {
    targets.spare(path)?;
    let buffers = Buffers::default();
    let model = load::read_model(path, &ReadSettings::default(), &buffers)?;
    buffers.files().iter().try_for_each(|file| targets.spare(file))?;
    let bad = |source: MeshError| Failure::BadMesh {
        path: path.to_owned(),
        part: String::new(),
        source: Box::new(source.into()),
    };
    let mesh = model.flattened().map_err(bad)?;
    let at = |corner: u32| mesh.vertices()[corner as usize];
    Ok(mesh.triangles().iter().map(|triangle| triangle.map(at)).collect())
}

/// A query and its result.
struct FoundNear<'a> {
    source: &'a MapSource,
    points: &'a [Vec3],
    at: &'a [Vec3],
    obstacles: &'a [Triangle],
    radius: Option<f64>,
    lists: &'a NearLists,
    /// The neighbour grid after some passes; empty if it was not requested.
    grid: &'a [GridPass],
}

/// Sorts the neighbour grid, and measures it after 0, 1, 2, 4, … passes and the last.
fn grid_passes(
    points: &[Vec3],
    is_spatial: bool,
    (most, ring): (u32, usize),
    radius: f64,
) -> Result<Vec<GridPass>, ProximityError> {
    let mut grid = OddEvenGrid::new(points, is_spatial)?;
    let (mut measured, mut swaps) = (Vec::new(), 0);
    for passes in 0..=most {
        let swapped = if passes == 0 { 1 } else { grid.pass() };
        swaps += if passes == 0 { 0 } else { swapped };
        let is_last = passes == most || swapped == 0;
        if passes == 0 || passes.is_power_of_two() || is_last {
            let MissedNeighbours { pairs, missed } = grid.missed(radius, ring)?;
            let share = MissedNeighbours { pairs, missed }.share();
            measured.push(GridPass { passes, swaps, pairs, missed, share });
        }
        if is_last {
            break;
        }
    }
    Ok(measured)
}

/// Number of places in the table; JSON has all.
const MAX_ROWS: usize = 40;

/// Points of a list in the table.
const MAX_LISTED: usize = 8;

impl FoundNear<'_> {
    fn print_table(&self, out: &mut Output) -> io::Result<()> {
        let lists = self.lists;
        let title = match self.at.is_empty() {
            true => "point",
            false => "place",
        };
        let mut titles = vec![title, "cell", "in its cell", "in the ring"];
        titles.extend(self.radius.map(|_| "within the radius"));
        let has_obstacles = !self.obstacles.is_empty();
        titles.extend(has_obstacles.then_some("obstacles in and next to its cell"));
        titles.extend(self.radius.filter(|_| has_obstacles).map(|_| "obstacles within"));
        let row = |(number, place): (usize, &NearPoint)| {
            let numbers: Vec<u32> = place.within.iter().map(|near| near.0).collect();
            let cell = match (place.cell, place.outside) {
                (Some(cell), _) => cell.to_string(),
                (None, distance) => format!("outside, {} off", six_short_digits(distance.unwrap_or(0.0))),
            };
            let mut row = vec![
                format!("{number}: {}", table::point(place.at)),
                cell,
                table::listed(&place.present, MAX_LISTED),
                table::listed(&place.neighbours, MAX_LISTED),
            ];
            row.extend(self.radius.map(|_| table::listed(&numbers, MAX_LISTED)));
            if has_obstacles {
                row.push(table::listed(&place.obstacles, MAX_LISTED));
                let near: Vec<u32> = place.obstacles_within.iter().map(|near| near.0).collect();
                row.extend(self.radius.map(|_| table::listed(&near, MAX_LISTED)));
            }
            row
        };
        let rows = lists.places.iter().enumerate().take(MAX_ROWS).map(row).collect();
        table::print_columns(&titles, rows, out)?;
        let left = lists.places.len().saturating_sub(MAX_ROWS);
        if left > 0 {
            writeln!(out, "… and {left} more: --json lists them")?;
        }
        writeln!(out, "{}", self.words())?;
        self.print_grid(out)
    }

    fn print_grid(&self, out: &mut Output) -> io::Result<()> {
        let Some(first) = self.grid.first() else { return Ok(()) };
        let titles = ["passes of the neighbour grid", "swaps", "neighbours missed", "share"];
        let row = |pass: &GridPass| {
            let share = format!("{:.1} %", 100.0 * pass.share);
            vec![pass.passes.to_string(), grouped(pass.swaps as usize), grouped(pass.missed as usize), share]
        };
        table::print_columns(&titles, self.grid.iter().map(row).collect(), out)?;
        let density = first.pairs as f64 / self.points.len().max(1) as f64;
        writeln!(out, "{} neighbours a point within the radius", six_short_digits(density))
    }

    fn words(&self) -> String {
        let inside = self.points.len() - self.lists.outside.len();
        let cells = self.lists.counts.iter().filter(|counts| counts[0] > 0).count();
        let outside = self.lists.outside.len();
        let (inside, cells) = (counted(inside, "point", "points"), counted(cells, "cell", "cells"));
        let mut words = format!("{inside} in {cells} of {}, {outside} outside", grouped(self.lists.counts.len()));
        if !self.obstacles.is_empty() {
            let outside = self.lists.obstacles_outside.len();
            let inside = counted(self.obstacles.len() - outside, "obstacle", "obstacles");
            let cells = self.lists.obstacle_counts.iter().filter(|&&count| count > 0).count();
            let cells = counted(cells, "cell", "cells");
            words = format!("{words}; {inside} in {cells}, {outside} outside");
        }
        words
    }

    fn draw(&self, results: &MapOutput) -> Result<(), Failure> {
        let placed = &self.source.placed;
        let mut picture = CellPicture::new(placed, self.source.input.name(), self.source.input.units);
        picture.lines.push(self.words());
        picture.points.extend(self.points.iter().map(|&at| (at, Meaning::Note)));
        for &[a, b, c] in self.obstacles {
            picture.arrows.extend([[a, b], [b, c], [c, a]].map(|side| (side, VERMILION)));
        }
        if !self.obstacles.is_empty() {
            picture.legend.push(LegendEntry { colour: VERMILION, name: "obstacles".to_owned() });
        }
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
        let [place, points] = [meaning_colour(Meaning::Fault), meaning_colour(Meaning::Note)];
        picture.legend.extend([entry(place, "place"), entry(points, "points")]);
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
            obstacles: self.obstacles.len(),
        };
        write_summary(&summary, out)?;
        let place = |place: &NearPoint| PlaceJson {
            at: point_row(place.at),
            cell: place.cell,
            outside: place.outside,
            present: place.present.clone(),
            neighbours: place.neighbours.clone(),
            within: place.within.iter().map(|&(point, distance)| WithinJson { point, distance }).collect(),
            obstacles: place.obstacles.clone(),
            obstacles_within: place.obstacles_within.iter().map(ObstacleJson::of).collect(),
        };
        write_list("places", lists.places.iter().map(place), out)?;
        let outside = lists.outside.iter().map(|&(point, distance)| WithinJson { point, distance });
        write_list("outside", outside, out)?;
        write_list("obstacles_outside", &lists.obstacles_outside, out)?;
        write_list("neighbour_grid", self.grid, out)?;
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
    /// Triangles of the obstacles.
    obstacles: usize,
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
    /// Obstacles in the cell and in the cells that share a vertex with it.
    obstacles: Vec<u32>,
    /// Obstacles within the radius, the nearest first.
    obstacles_within: Vec<ObstacleJson>,
}

#[derive(JsonSchema, Serialize)]
struct WithinJson {
    point: u32,
    distance: f64,
}

#[derive(JsonSchema, Serialize)]
struct ObstacleJson {
    obstacle: u32,
    distance: f64,
}

impl ObstacleJson {
    fn of(&(obstacle, distance): &(u32, f64)) -> Self {
        Self { obstacle, distance }
    }
}

/// The neighbour grid after a number of passes.
#[derive(JsonSchema, Serialize)]
struct GridPass {
    passes: u32,
    /// Swaps of all passes together.
    swaps: u64,
    /// Ordered pairs of points within the radius.
    pairs: u64,
    /// Pairs of which the second point is not in the ring of the first.
    missed: u64,
    /// Missed pairs by pairs.
    share: f64,
}

/// The report of `heurt map near --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MapNearDocument {
    summary: NearSummary,
    places: Vec<PlaceJson>,
    /// Points in no cell, with their distance from the border.
    outside: Vec<WithinJson>,
    /// Obstacles with a corner in no cell, which are in no list.
    obstacles_outside: Vec<u32>,
    /// The neighbour grid after some passes, if it was requested.
    neighbour_grid: Vec<GridPass>,
    warnings: Vec<FileNote>,
}
