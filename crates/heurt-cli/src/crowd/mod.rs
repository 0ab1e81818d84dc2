//! The `heurt crowd` command: measures of trajectories, tests of guidelines, scenarios of JuPedSim.
//!
//! In: files of trajectories, names of tests, or scenarios. Out: tables, JSON, CSV, scenes.
//! Method: `heurt_crowd::measure` and `heurt_scene::guideline` compute everything; this command reads and prints.
//! Guarantees: same input, same output.

mod convert;
mod measure;
mod validate;

use crate::output::Output;
use crate::{Failure, status::Status};
use clap::{Args, Subcommand};
pub(crate) use convert::scenario_scene;
pub(crate) use measure::CrowdMeasureDocument;
pub(crate) use validate::CrowdValidateDocument;

const EXAMPLES: &str = "\
Examples:
  heurt run scenes/crowd/corridor.toml --trajectories people.csv --quiet
  heurt crowd measure people.csv --plan 'POLYGON((0 0, 40 0, 40 4, 0 4, 0 0))' \\
      --area 'POLYGON((19 0, 21 0, 21 4, 19 4, 19 0))' --line 'LINESTRING(20 0, 20 4)'
  heurt crowd convert scenario.zip -o hall       a scenario of JuPedSim as scene and plan
  heurt crowd validate rimea --model orca        sixteen tests, with what each measured
  heurt crowd validate imo-4 iso-12 --json

Scenes of crowds are run by `heurt run`; docs/crowds.md has all keys.

Exit status: 0 done, 1 a test failed, 2 bad input.";

/// Measures trajectories of crowds, runs the tests of guidelines, and converts scenarios of JuPedSim.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct CrowdArguments {
    #[command(subcommand)]
    command: CrowdCommand,
}

/// Commands on crowds.
#[derive(Debug, Subcommand)]
enum CrowdCommand {
    Convert(convert::CrowdConvertArguments),
    Measure(measure::CrowdMeasureArguments),
    Validate(validate::CrowdValidateArguments),
}

/// Runs a command on crowds.
pub(crate) fn run(arguments: &CrowdArguments, out: &mut Output) -> Result<Status, Failure> {
    match &arguments.command {
        CrowdCommand::Convert(arguments) => convert::run(arguments, out),
        CrowdCommand::Measure(arguments) => measure::run(arguments, out),
        CrowdCommand::Validate(arguments) => validate::run(arguments, out),
    }
}
