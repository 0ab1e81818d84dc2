//! The command line as a whole; each command keeps its own arguments next to what it does.

use crate::{
    bench_world::BenchWorldArguments, check::CheckArguments, crowd::CrowdArguments, decompose::DecomposeArguments,
    hull::HullArguments, inspect::InspectArguments, make::MakeArguments, map::MapArguments, query::QueryArguments,
    repair::RepairArguments, run::RunArguments, schema::SchemaArguments, simplify::SimplifyArguments,
    solid::SolidArguments, tune::TuneArguments, view::ViewFilesArguments,
};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Try:
  heurt                                        check the assembly built into the program
  heurt check bolt.stl plate.stl               do two parts interfere?
  heurt check assembly.glb                     all pairs of parts of an assembly
  heurt check assembly.toml --clearance 0.001  files with placements; what is nearer than a millimetre?
  heurt check parts/ --json                    all meshes of a folder, for a program to read
  heurt inspect scan.ply                       is this mesh closed? what is wrong with it?
  heurt make gear --teeth 20 -o gear.stl       make a mesh to play with
  heurt repair scan.stl -o solid.stl           close its seams and holes, orient it
  heurt simplify scan.ply -o few.ply --deviation 1e-4   fewer triangles, at most this far off
  heurt hull cloud.ply -o hull.obj             the convex hull of points or meshes
  heurt decompose gear.stl -o pieces.glb       cover a mesh by convex pieces
  heurt solid difference a.stl b.stl -o c.stl  cut one solid out of another
  heurt map inspect organ.vtu                  cells, levels, paths and neighbours in a partition
  heurt crowd measure people.csv --plan hall.wkt        density, speed and flow of trajectories
  heurt crowd validate rimea                   the tests of evacuation guidelines
  heurt tune arm.stl cell.stl -o arm.tree      which tree is fastest for these parts?
  heurt run scene.toml                         thousands of moving bodies, step by step
  heurt run scene.toml --view                  watch them in a browser, and pull at them
  heurt view assembly.glb                      see parts in a browser, or --picture out.png
  heurt bench-world                            what a broad phase costs among thousands of boxes
  heurt schema check                           what the JSON report of a check holds
  heurt help check                             everything about one command

Exit status: 0 no interference, 1 interference, 2 bad input.";

/// Reports which parts interfere, how deep, and where: exactly, for a whole assembly, from mesh files.
///
/// Touching counts as interference, and closed meshes are solid: a bolt wholly inside a block interferes. Every yes or
/// no is decided by exact predicates, so that coplanar, touching and needle-thin triangles are neither missed nor
/// invented.
#[derive(Debug, Parser)]
#[command(name = "heurt", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Writes the report of the built-in assembly as an HTML file.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    BenchWorld(BenchWorldArguments),
    Check(CheckArguments),
    Crowd(CrowdArguments),
    Decompose(DecomposeArguments),
    Hull(HullArguments),
    Inspect(InspectArguments),
    Make(MakeArguments),
    Map(MapArguments),
    Query(QueryArguments),
    Repair(RepairArguments),
    Run(RunArguments),
    Schema(SchemaArguments),
    Simplify(SimplifyArguments),
    Solid(SolidArguments),
    Tune(TuneArguments),
    View(ViewFilesArguments),
    /// Prints a completion script for a shell.
    #[command(after_help = "Example:\n  heurt completions bash > ~/.local/share/bash-completion/completions/heurt")]
    Completions {
        /// The shell to complete in.
        shell: Shell,
    },
}
