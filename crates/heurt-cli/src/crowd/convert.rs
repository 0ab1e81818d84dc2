//! `heurt crowd convert`: scenarios of JuPedSim as scenes of heurt.

use crate::output::{Output, printable, to_folder};
use crate::{Failure, load, status::Status};
use clap::Args;
use heurt::scene::{ScenarioScene, read_scenario_scene};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt crowd convert scenario.zip -o hall      hall/scene.toml and hall/plan.wkt
  heurt run scenario.zip                        the same scene, at once

A note names what has no counterpart in heurt. Exit status: 0 done, 2 bad input.";

/// The plan next to the scene.
const PLAN: &str = "plan.wkt";

/// Writes a scenario of JuPedSim (a .zip of its web editor, or of jupedsim-scenarios) as a scene and a plan.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct CrowdConvertArguments {
    /// The scenario.
    #[arg(value_name = "FILE.zip")]
    file: PathBuf,
    /// The folder for `scene.toml` and `plan.wkt`; it is made if it is missing.
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
}

/// Converts a scenario.
pub(super) fn run(arguments: &CrowdConvertArguments, out: &mut Output) -> Result<Status, Failure> {
    let [scene, plan] = ["scene.toml", PLAN].map(|name| arguments.output.join(name));
    let found = scenario_scene(&arguments.file, Some(PLAN))?;
    to_folder(&arguments.output, &[("scene.toml", &found.scene), (PLAN, &found.plan)])?;
    writeln!(out, "{} and {}", scene.display(), plan.display()).map_err(Failure::output)?;
    Ok(Status::Clear)
}

/// Reads a scenario as a scene, and prints its notes.
pub(crate) fn scenario_scene(path: &Path, environment: Option<&str>) -> Result<ScenarioScene, Failure> {
    let bytes = load::read_bytes(path)?;
    let scene = read_scenario_scene(&bytes, environment)
        .map_err(|error| Failure::BadScenario { path: path.to_owned(), reason: error.to_string() })?;
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    Ok(scene)
}
