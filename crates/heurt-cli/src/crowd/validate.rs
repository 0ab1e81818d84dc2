//! `heurt crowd validate`: the tests of the guidelines RiMEA, IMO and ISO.

use crate::check::{bold, new_table};
use crate::output::{Output, printable, to_folder};
use crate::progress::Progress;
use crate::{Failure, status::Status};
use clap::Args;
use comfy_table::Cell;
use heurt::crowd::SteeringModel;
use heurt::scene::{GuidelineOutcome, GuidelineResult, GuidelineSettings, GuidelineTest, guideline_files};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The largest time gap, in seconds: people keep one second, more or less.
const MAX_TIME_GAP: f64 = 60.0;

/// The largest limit of a flow, in persons a metre and second: no more than 3 were measured at doors.
const MAX_EXIT_FLOW: f64 = 10.0;

const EXAMPLES: &str = "\
Examples:
  heurt crowd validate                      all tests of RiMEA, IMO and ISO
  heurt crowd validate rimea --model anticipation
  heurt crowd validate rimea-4 imo-8 --json
  heurt crowd validate rimea-4 --time-gap 0.8   any model slows with density
  heurt crowd validate imo-4 --exit-flow 1.33   exits let out no more
  heurt crowd validate --write tests        the scenes and plans as files, for `heurt run`

`measured` marks tests for which a guideline has no limit. docs/guidelines.md says what each leaves open.

Exit status: 0 no test failed, 1 a test failed, 2 bad input.";

/// Runs tests of the guidelines RiMEA 4.1.1, IMO MSC.1/Circ.1238 and ISO 20414.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct CrowdValidateArguments {
    /// Tests: rimea, imo, iso, or single ones as rimea-4; without any, all.
    #[arg(value_name = "TEST")]
    tests: Vec<String>,
    /// The model of steering; without it, `orca`.
    #[arg(long, value_name = "MODEL", value_parser = SteeringModel::NAMES)]
    model: Option<String>,
    /// The seed of random places and speeds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The time gap of agents to the next one ahead, in seconds, for any model; without it, the model's own.
    #[arg(long, value_name = "S", value_parser = time_gap)]
    time_gap: Option<f64>,
    /// Persons a metre and second that exits let out at most; without it, there is no limit.
    #[arg(long, value_name = "FLOW", value_parser = exit_flow)]
    exit_flow: Option<f64>,
    /// Writes the scenes and plans of all tests to a folder, and runs nothing.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["tests", "model", "time_gap", "exit_flow", "json"])]
    write: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Shows no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The results of tests.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CrowdValidateDocument {
    model: String,
    seed: u64,
    /// In seconds; null for the time gap of the model.
    time_gap: Option<f64>,
    /// In persons a metre and second; null for no limit.
    exit_flow: Option<f64>,
    tests: Vec<TestJson>,
}

/// The result of a test.
#[derive(Debug, Serialize, JsonSchema)]
struct TestJson {
    /// The word of the command line, as `rimea-4`.
    test: String,
    guideline: String,
    name: String,
    outcome: OutcomeJson,
    /// The figure that was measured, with units.
    figure: String,
    /// The demand of the guideline.
    demanded: String,
    /// Choices that the guideline leaves open, with ours.
    open: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OutcomeJson {
    Passed,
    Failed,
    Measured,
    NotRun,
}

impl OutcomeJson {
    fn of(outcome: GuidelineOutcome) -> Self {
        match outcome {
            GuidelineOutcome::Passed => Self::Passed,
            GuidelineOutcome::Failed => Self::Failed,
            GuidelineOutcome::Measured => Self::Measured,
            GuidelineOutcome::NotRun => Self::NotRun,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Measured => "measured",
            Self::NotRun => "not run",
        }
    }
}

/// Reads a time gap, in seconds.
fn time_gap(text: &str) -> Result<f64, String> {
    let gap = text.parse().ok().filter(|gap: &f64| *gap > 0.0 && *gap <= MAX_TIME_GAP);
    gap.ok_or_else(|| format!("give seconds above 0, at most {MAX_TIME_GAP}"))
}

/// Reads the largest flow of exits, in persons a metre and second.
fn exit_flow(text: &str) -> Result<f64, String> {
    let flow = text.parse().ok().filter(|flow: &f64| *flow > 0.0 && *flow <= MAX_EXIT_FLOW);
    flow.ok_or_else(|| format!("give persons a metre and second above 0, at most {MAX_EXIT_FLOW}"))
}

/// Runs tests, and prints what each measured.
pub(super) fn run(arguments: &CrowdValidateArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(folder) = &arguments.write {
        return write_files(folder, out);
    }
    let tests = chosen(&arguments.tests)?;
    let mut settings = GuidelineSettings::default();
    settings.seed = arguments.seed;
    (settings.time_gap, settings.exit_flow) = (arguments.time_gap, arguments.exit_flow);
    if let Some(model) = &arguments.model {
        settings.model.clone_from(model);
    }
    let progress = Progress::new("tests", tests.len() as u64, arguments.quiet);
    let result = |test: &&GuidelineTest| {
        let result = test.run(&settings);
        progress.step();
        described(test, result)
    };
    let tests: Vec<TestJson> = tests.iter().map(result).collect();
    drop(progress);
    let has_failed = tests.iter().any(|test| test.outcome == OutcomeJson::Failed);
    if arguments.json {
        let GuidelineSettings { model, seed, time_gap, exit_flow, .. } = settings;
        let document = CrowdValidateDocument { model, seed, time_gap, exit_flow, tests };
        let written = serde_json::to_writer_pretty(&mut *out, &document).map_err(io::Error::from);
        written.and_then(|()| writeln!(out)).map_err(Failure::output)?;
    } else {
        print(&tests, &settings, out).map_err(Failure::output)?;
    }
    Ok(if has_failed { Status::Found } else { Status::Clear })
}

/// Finds the tests of the words of the command line, each once, in order.
fn chosen(words: &[String]) -> Result<Vec<&'static GuidelineTest>, Failure> {
    let mut found: Vec<&'static GuidelineTest> = Vec::new();
    let all = [String::from("all")];
    for word in if words.is_empty() { &all } else { words } {
        let tests = GuidelineTest::find(word);
        if tests.is_empty() {
            return Err(Failure::NoGuidelineTest { word: word.clone() });
        }
        for test in tests {
            if found.iter().all(|other| other.word() != test.word()) {
                found.push(test);
            }
        }
    }
    Ok(found)
}

fn described(test: &GuidelineTest, result: GuidelineResult) -> TestJson {
    TestJson {
        test: test.word(),
        guideline: test.guideline.to_string(),
        name: test.name.to_owned(),
        outcome: OutcomeJson::of(result.outcome),
        figure: result.figure,
        demanded: result.demanded,
        open: result.open.to_owned(),
    }
}

fn print(tests: &[TestJson], settings: &GuidelineSettings, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    table.set_header(["test", "name", "result", "measured", "demanded"].map(bold));
    for test in tests {
        let row = [&test.test, &test.name, test.outcome.word(), &test.figure, &test.demanded];
        table.add_row(row.map(|text| Cell::new(printable(text))));
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let count = |outcome: OutcomeJson| tests.iter().filter(|test| test.outcome == outcome).count();
    let kinds = [OutcomeJson::Passed, OutcomeJson::Failed, OutcomeJson::Measured, OutcomeJson::NotRun];
    let counts: Vec<String> =
        kinds.iter().map(|&kind| format!("{} {}", count(kind), kind.word().to_lowercase())).collect();
    let gap = settings.time_gap.map_or_else(String::new, |gap| format!(", time gap {gap} s"));
    let flow = settings.exit_flow.map_or_else(String::new, |flow| format!(", exits of {flow} /(m s)"));
    writeln!(out, "model {}, seed {}{gap}{flow}: {}", settings.model, settings.seed, counts.join(", "))
}

/// Writes the files of all tests to a folder; refuses to replace files that were changed.
fn write_files(folder: &Path, out: &mut Output) -> Result<Status, Failure> {
    let files: Vec<(&str, &str)> = guideline_files().collect();
    to_folder(folder, &files)?;
    writeln!(out, "{} files in {}", files.len(), folder.display()).map_err(Failure::output)?;
    Ok(Status::Clear)
}
