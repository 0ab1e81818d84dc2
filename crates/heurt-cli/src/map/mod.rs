//! The `heurt map` command: partitions into faces or volumes, their levels, paths of particles, and points near points.
//!
//! In: a mesh file (a surface or plane of faces), a volume mesh, a plan, or the counts of a grid. Out: a table or JSON,
//! a picture, and the cells as a VTU file with arrays.
//! Method: `heurt_map::placed` computes everything; this command reads, prints, draws and writes.
//! Guarantees: same input, same output. Positions are in the unit of the file.

mod grid;
mod inspect;
mod near;
mod picture;
mod points;
mod refine;
mod results;
mod source;
mod table;
mod track;

use crate::output::Output;
use crate::{Failure, status::Status};
use clap::{Args, Subcommand};
pub(crate) use inspect::MapInspectDocument;
pub(crate) use near::MapNearDocument;
pub(crate) use refine::MapRefineDocument;
pub(crate) use track::MapTrackDocument;

const EXAMPLES: &str = "\
Examples:
  heurt map inspect organ.vtu                      cells by kind, border, Euler characteristic, faults
  heurt map grid 16 9 --cell 0.5 --vtu grid.vtu    a grid of squares (three counts: of cubes) as a file
  heurt map refine organ.vtu --levels 2 --at 0,0,1 --radius 0.2 --vtu fine.vtu
  heurt map track organ.vtu --from 0,0,0 --to 1,1,1    the cells on the path of a particle
  heurt map near hall.obj --points people.csv --radius 2 --picture near.png
  heurt map inspect station.osm --vtu station.vtu  the streets of a map as triangles

A file of faces (OBJ, STL, PLY, OFF, glTF and all further meshes) is a 2-map: a plane if all z are equal, else a surface.
A file of cells (.vtk .vtu .msh .mesh .meshb) is a 3-map. A plan (.wkt .osm .osm.pbf .svg) is a 2-map of triangles, in
metres; holes are no cells, and floors of POLYGON Z that share an edge are joined. Lengths are in the unit of the file.

Exit status: 0 done, 1 something was found (each command names it), 2 bad input.";

/// Reads, makes, refines and searches partitions into faces or volumes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct MapArguments {
    #[command(subcommand)]
    command: MapCommand,
}

/// Commands on maps.
#[derive(Debug, Subcommand)]
enum MapCommand {
    Inspect(inspect::MapInspectArguments),
    Grid(grid::MapGridArguments),
    Refine(refine::MapRefineArguments),
    Track(track::MapTrackArguments),
    Near(near::MapNearArguments),
}

/// Runs a command on maps.
pub(crate) fn run(arguments: &MapArguments, out: &mut Output) -> Result<Status, Failure> {
    match &arguments.command {
        MapCommand::Inspect(arguments) => inspect::run(arguments, out),
        MapCommand::Grid(arguments) => grid::run(arguments, out),
        MapCommand::Refine(arguments) => refine::run(arguments, out),
        MapCommand::Track(arguments) => track::run(arguments, out),
        MapCommand::Near(arguments) => near::run(arguments, out),
    }
}
