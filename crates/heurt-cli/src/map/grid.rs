//! `heurt map grid`: a grid of squares or cubes.

use super::inspect::{DescribedMap, report};
use super::results::MapOutput;
use crate::output::Output;
use crate::units::Units;
use crate::{Failure, status::Status};
use clap::Args;
use heurt::map::placed::PlacedMap;

const EXAMPLES: &str = "\
Examples:
  heurt map grid 16 9 --cell 0.5 --vtu grid.vtu     squares in the plane z = 0
  heurt map grid 8 8 8 --picture grid.png           cubes
  heurt map grid 3 2 --json                         counts alone

Cells are numbered along x first. One corner is at the origin.

Exit status: 0 done, 2 bad input.";

/// Makes a grid of squares, or of cubes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct MapGridArguments {
    /// Cells along x.
    nx: u32,
    /// Cells along y.
    ny: u32,
    /// Cells along z; without it, the cells are squares.
    nz: Option<u32>,
    /// The side of a cell.
    #[arg(long, value_name = "LENGTH", default_value_t = 1.0, allow_hyphen_values = true)]
    cell: f64,
    #[command(flatten)]
    results: MapOutput,
}

pub(super) fn run(arguments: &MapGridArguments, out: &mut Output) -> Result<Status, Failure> {
    arguments.results.targets()?;
    let &MapGridArguments { nx, ny, nz, cell, .. } = arguments;
    let (placed, name) = match nz {
        Some(nz) => (PlacedMap::grid([nx, ny, nz], cell), format!("grid of {nx} x {ny} x {nz}")),
        None => (PlacedMap::flat_grid([nx, ny], cell), format!("grid of {nx} x {ny}")),
    };
    let failed = |source| Failure::MapWork { path: None, source: Box::new(source) };
    let placed = placed.map_err(failed)?;
    let summary = placed.summary().map_err(failed)?;
    let described = DescribedMap { name, units: Units(None), warnings: &[], summary };
    report(&described, &placed, &arguments.results, out)?;
    Ok(Status::Clear)
}
