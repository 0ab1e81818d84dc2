//! `heurt schema`: the JSON schema of a report, draft 2020-12.
//!
//! In: the name of a report. Out: a schema that every such report is valid against. The types that are written give
//! the schema, so that both are the same.

use crate::Failure;
use crate::status::Status;
use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use std::io::Write;

const EXAMPLES: &str = "\
Examples:
  heurt schema check > check.schema.json
  heurt check assembly.glb --json > report.json && check-jsonschema --schemafile check.schema.json report.json

Exit status: 0.";

/// Prints the JSON schema of a report.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct SchemaArguments {
    /// The command that writes the report.
    #[arg(value_name = "REPORT")]
    report: Report,
}

/// A report as JSON.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Report {
    /// heurt bench-world --json
    BenchWorld,
    /// heurt check --json
    Check,
    /// heurt check --motion --json
    CheckMotion,
    /// heurt crowd measure --json
    CrowdMeasure,
    /// heurt crowd validate --json
    CrowdValidate,
    /// heurt decompose --json
    Decompose,
    /// heurt solid evaluate --json
    Evaluate,
    /// heurt hull --json
    Hull,
    /// heurt inspect --json
    Inspect,
    /// heurt map inspect --json, heurt map grid --json
    MapInspect,
    /// heurt map near --json
    MapNear,
    /// heurt map refine --json
    MapRefine,
    /// heurt map track --json
    MapTrack,
    /// heurt repair --json
    Repair,
    /// heurt run --report FILE.json
    Run,
    /// heurt run --report FILE.json of a crowd
    RunCrowd,
    /// heurt run --solve FILE.json --report FILE.json
    RunSolve,
    /// heurt simplify --json
    Simplify,
    /// heurt solid union, intersection, difference --json
    Solid,
    /// heurt tune --json
    Tune,
}

impl Report {
    fn schema(self) -> Schema {
        match self {
            Self::BenchWorld => schema_of::<crate::bench_world::BenchDocument>(),
            Self::Check => schema_of::<crate::check::CheckDocument>(),
            Self::CheckMotion => schema_of::<crate::check::MotionDocument>(),
            Self::CrowdMeasure => schema_of::<crate::crowd::CrowdMeasureDocument>(),
            Self::CrowdValidate => schema_of::<crate::crowd::CrowdValidateDocument>(),
            Self::Decompose => schema_of::<crate::decompose::DecomposeDocument>(),
            Self::Evaluate => schema_of::<crate::solid::EvaluateDocument>(),
            Self::Hull => schema_of::<crate::hull::HullDocument>(),
            Self::Inspect => schema_of::<crate::inspect::InspectDocument>(),
            Self::MapInspect => schema_of::<crate::map::MapInspectDocument>(),
            Self::MapNear => schema_of::<crate::map::MapNearDocument>(),
            Self::MapRefine => schema_of::<crate::map::MapRefineDocument>(),
            Self::MapTrack => schema_of::<crate::map::MapTrackDocument>(),
            Self::Repair => schema_of::<crate::repair::RepairDocument>(),
            Self::Run => schema_of::<crate::run::RunDocument>(),
            Self::RunCrowd => schema_of::<heurt::scene::CrowdReportJson>(),
            Self::RunSolve => schema_of::<crate::run::SolveDocument>(),
            Self::Simplify => schema_of::<crate::simplify::SimplifyDocument>(),
            Self::Solid => schema_of::<crate::solid::SolidDocument>(),
            Self::Tune => schema_of::<crate::tune::TuneDocument>(),
        }
    }
}

/// Makes the schema of a type as it is written.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Prints the schema.
pub(crate) fn run(arguments: &SchemaArguments, out: &mut impl Write) -> Result<Status, Failure> {
    let text =
        serde_json::to_string_pretty(&arguments.report.schema()).map_err(|error| Failure::output(error.into()))?;
    writeln!(out, "{text}").map_err(Failure::output)?;
    Ok(Status::Clear)
}
