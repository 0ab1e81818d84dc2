//! `heurt map refine`: a map refined by levels, everywhere or around a point.

use super::picture::{CellPicture, Paint};
use super::points::PointArgument;
use super::results::MapOutput;
use super::source::MapSource;
use super::table;
use crate::check::{grouped, write_list, write_summary};
use crate::output::{Output, number};
use crate::{Failure, status::Status};
use clap::Args;
use heurt::geometry::Meaning;
use heurt::map::placed::{MAX_REFINED_CELLS, RefineOptions, RefineWithin, RefinedMap};
use heurt::scene::FileNote;
use heurt::view::palette::meaning_colour;
use heurt::view::picture::LegendEntry;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt map refine organ.vtu --levels 1 --vtu fine.vtu       all cells once
  heurt map refine organ.vtu --levels 3 --at 0,0,1 --radius 0.2 --vtu fine.vtu --picture fine.png

Each level divides the cells of the level before that come within the radius: triangles and quadrilaterals into four,
tetrahedra and hexahedra into eight. A cell next to finer ones keeps its shape and has their vertices on its edges and
faces: they hang. The file has the array `level`.

Exit status: 0 done, 2 bad input.";

/// Refines cells by levels, all or within a radius.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapRefineArguments {
    /// A mesh file or plan (faces), or a volume mesh (volumes).
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of times.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    levels: u8,
    /// The centre of the part to refine; without it, all is refined.
    #[arg(long, value_name = "X,Y[,Z]", requires = "radius", allow_hyphen_values = true)]
    at: Option<PointArgument>,
    /// The radius of the part to refine: cells whose box comes within it.
    #[arg(long, value_name = "LENGTH", requires = "at", allow_hyphen_values = true)]
    radius: Option<f64>,
    #[command(flatten)]
    results: MapOutput,
}

pub(super) fn run(arguments: &MapRefineArguments, out: &mut Output) -> Result<Status, Failure> {
    let results = &arguments.results;
    let targets = results.targets()?;
    let source = MapSource::read(&arguments.file, &targets)?;
    let within = match arguments.at.zip(arguments.radius) {
        Some((at, radius)) => Some(RefineWithin { at: at.in_map("at", &source.placed)?, radius }),
        None => None,
    };
    let options = RefineOptions { levels: arguments.levels, within };
    let MapSource { input, placed } = source;
    let before = placed.cell_numbers().len();
    let failed = |source| Failure::MapWork { path: Some(input.file.clone()), source: Box::new(source) };
    let refined = placed.refined(options).map_err(failed)?;
    let summary = RefineSummary::of(input.name(), input.units.symbol(), before, &refined).map_err(failed)?;
    if results.json {
        print_json(&summary, &refined, &input.warnings, out).map_err(Failure::output)?;
    } else if !results.quiet {
        print_table(&summary, &refined, out).map_err(Failure::output)?;
        input.print_notes(out).map_err(Failure::output)?;
    }
    let levels = refined.levels.iter().map(|&level| i64::from(level)).collect();
    results.write_vtu(&refined.placed, &[("level", levels)])?;
    let mut picture = CellPicture::new(&refined.placed, input.name(), input.units);
    picture.lines.push(format!("{} cells, {} hanging vertices", grouped(summary.cells), grouped(summary.hanging)));
    for (level, count) in refined.cells_by_level().into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let name = format!("level {level}: {}", grouped(count));
        picture.legend.push(LegendEntry { colour: colour(level), name });
    }
    if let Some(RefineWithin { at, radius }) = within {
        picture.lines.push(format!("within {} of {}", number(radius), table::point(at)));
        picture.points.push((at, Meaning::Fault));
    }
    picture.write(&|at| Paint::Colour(colour(usize::from(refined.levels[at]))), results)?;
    Ok(Status::Clear)
}

/// The colour of a level: from light to dark, up to level 4.
fn colour(level: usize) -> [u8; 3] {
    meaning_colour(Meaning::Volume(2 * level.min(4) as u32))
}

#[derive(JsonSchema, Serialize)]
struct RefineSummary {
    file: String,
    /// Unit of every length; null if the file declares none.
    unit: Option<&'static str>,
    dimension: usize,
    /// Cells of the file.
    before: usize,
    cells: usize,
    vertices: usize,
    /// Vertices on edges or faces of coarser cells.
    hanging: usize,
    darts: usize,
    /// Bytes of links and labels of levels.
    bytes: usize,
    euler: i64,
    /// Cells in which tracking may lose a particle.
    untrusted: usize,
}

impl RefineSummary {
    fn of(
        file: String,
        unit: Option<&'static str>,
        before: usize,
        refined: &RefinedMap,
    ) -> Result<Self, heurt::map::placed::PlacedMapError> {
        let summary = refined.placed.summary()?;
        Ok(Self {
            file,
            unit,
            dimension: summary.dimension,
            before,
            cells: refined.levels.len(),
            vertices: summary.counts[0],
            hanging: refined.hanging.len(),
            darts: summary.darts + summary.boundary_darts,
            bytes: refined.bytes,
            euler: summary.euler,
            untrusted: summary.untrusted.len(),
        })
    }
}

#[derive(JsonSchema, Serialize)]
struct LevelJson {
    level: usize,
    cells: usize,
}

/// The report of `heurt map refine --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct MapRefineDocument {
    summary: RefineSummary,
    levels: Vec<LevelJson>,
    warnings: Vec<FileNote>,
}

fn print_json(
    summary: &RefineSummary,
    refined: &RefinedMap,
    notes: &[FileNote],
    out: &mut impl Write,
) -> io::Result<()> {
    write_summary(summary, out)?;
    let levels = refined.cells_by_level().into_iter().enumerate().map(|(level, cells)| LevelJson { level, cells });
    write_list("levels", levels, out)?;
    write_list("warnings", notes, out)?;
    writeln!(out, "\n}}")
}

fn print_table(summary: &RefineSummary, refined: &RefinedMap, out: &mut Output) -> io::Result<()> {
    let row = |name: &str, value: String| (name.to_owned(), value);
    let mut rows = vec![row("cells", format!("{} from {}", grouped(summary.cells), grouped(summary.before)))];
    let levels = refined.cells_by_level().into_iter().enumerate();
    rows.extend(levels.map(|(level, count)| row(&format!("level {level}"), grouped(count))));
    rows.extend([
        row("vertices", grouped(summary.vertices)),
        row("hanging vertices", grouped(summary.hanging)),
        row("darts", grouped(summary.darts)),
        row("bytes of links and levels", grouped(summary.bytes)),
        row("Euler characteristic", summary.euler.to_string()),
        row("cells that tracking cannot trust", grouped(summary.untrusted)),
    ]);
    let limit = format!("{}-map, at most {} cells", summary.dimension, grouped(MAX_REFINED_CELLS));
    table::print([&summary.file, &limit], rows, out)
}
