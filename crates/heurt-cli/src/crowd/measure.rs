//! `heurt crowd measure`: density, speed and flow of trajectories.

use crate::check::{bold, grouped, new_table};
use crate::output::{Output, to_file};
use crate::targets::Targets;
use crate::units::unit_from_argument;
use crate::{Failure, status::Status};
use clap::Args;
use comfy_table::Cell;
use heurt::crowd::measure::{
    CellCutoff, DiagramBin, MeanAndMost, Survey, SurveyError, SurveyFrame, SurveyLine, SurveySettings, TrajectoryError,
};
use heurt::geometry::{FloorArea, Vec2};
use heurt::io::{
    LengthUnit, PlanFormat, TrajectoryOptions, WriteError, parse_wkt_areas, parse_wkt_line, read_plan,
    read_trajectory_file,
};
use heurt::scene::{SurveyFault, SurveyPlace, survey_file};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt crowd measure people.csv --plan hall.wkt
  heurt crowd measure people.sqlite --area 'POLYGON((14 0, 16 0, 16 3, 14 3, 14 0))' --csv series.csv
  heurt crowd measure people.parquet --plan hall.wkt --line 'LINESTRING(15 0, 15 3)' --json
  heurt crowd measure experiment.txt --unit cm --frame-rate 25 --plan hall.wkt
  heurt crowd measure postvis.traj --frame-rate 10 --plan hall.wkt
  heurt crowd measure house.csv --plan house.wkt --height 3,4

Trajectories: .csv of `heurt run --trajectories`, .sqlite of JuPedSim, .parquet (in builds with that feature), .txt of the
Jülich archive, .traj of Vadere. Densities are of Voronoi cells that are cut to the plan, as PedPy has them.

Exit status: 0 done, 2 bad input.";

/// Measures density, speed and flow of trajectories in an area.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct CrowdMeasureArguments {
    /// The trajectories.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The floor: a plan (.wkt, .osm, .svg, .obj) or a WKT polygon; without it, the floor in the file.
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,
    /// The area of the measures, as a WKT polygon, or a MULTIPOLYGON whose parts count together; without it, the first
    /// polygon of the floor.
    #[arg(long, value_name = "POLYGON")]
    area: Option<String>,
    /// A line through which the flow is measured.
    #[arg(long, value_name = "LINESTRING")]
    line: Option<String>,
    /// Measures persons between two heights in metres only, such as one storey.
    #[arg(long, value_name = "LOW,HIGH", value_parser = height_range, allow_hyphen_values = true)]
    height: Option<[f64; 2]>,
    /// The largest radius of a Voronoi cell, in metres.
    #[arg(long, value_name = "METRES")]
    cutoff: Option<f64>,
    /// Speeds are means over this many frames before and after.
    #[arg(long, value_name = "FRAMES", default_value_t = 5)]
    window: usize,
    /// Frames a second, for files that do not name it.
    #[arg(long, value_name = "HZ")]
    frame_rate: Option<f64>,
    /// The unit of a text file that does not name it.
    #[arg(long, value_name = "UNIT", value_parser = unit_from_argument)]
    unit: Option<LengthUnit>,
    /// Writes density, speed and flow of each frame.
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Measures of trajectories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CrowdMeasureDocument {
    agents: usize,
    frames: usize,
    /// Seconds from the first frame to the last.
    duration: f64,
    /// Size of the area, in square metres.
    area: f64,
    /// Persons a square metre, over all frames.
    density: MeanAndMostJson,
    /// m/s, over frames in which persons near the area have a speed.
    speed: MeanAndMostJson,
    /// Means by density, in bins of 0.5 persons a square metre.
    diagram: Vec<BinJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<LineJson>,
}

/// The mean over frames, and the largest value of a frame.
#[derive(Debug, Serialize, JsonSchema)]
struct MeanAndMostJson {
    mean: f64,
    most: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BinJson {
    frames: usize,
    /// Persons a square metre.
    density: f64,
    /// m/s.
    speed: f64,
    /// Persons a metre and second.
    flow: f64,
}

/// Crossings of the line, each person once.
#[derive(Debug, Serialize, JsonSchema)]
struct LineJson {
    persons: usize,
    /// Persons a second between the first crossing and the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<f64>,
    /// Persons a metre and second.
    #[serde(skip_serializing_if = "Option::is_none")]
    specific_flow: Option<f64>,
}

/// Measures a file, and prints what was found.
pub(super) fn run(arguments: &CrowdMeasureArguments, out: &mut Output) -> Result<Status, Failure> {
    let targets = Targets::new(&[("csv", arguments.csv.as_deref())])?;
    targets.spare(&arguments.file)?;
    arguments.plan.iter().try_for_each(|plan| targets.spare(Path::new(plan)))?;
    targets.try_out()?;
    let mut options = TrajectoryOptions::default();
    (options.frame_rate, options.unit) = (arguments.frame_rate, arguments.unit);
    let file =
        read_trajectory_file(&arguments.file, &options).map_err(|error| bad_file(arguments, error.to_string()))?;
    if let Some(place) = &file.cut {
        eprintln!("note: {}, {place}: the last row is incomplete and left out", arguments.file.display());
    }
    let plan = arguments.plan.as_deref().map(floors_of).transpose()?;
    let area = arguments.area.as_deref().map(|text| areas("area", text)).transpose()?;
    let area = area.map(|parts| parts.into_iter().map(|part| part.area).collect());
    let place = SurveyPlace { plan, area, heights: arguments.height };
    let survey = survey_file(&file, &place, &settings(arguments)?).map_err(|fault| refusal(arguments, &fault))?;
    if let Some(path) = &arguments.csv {
        to_file(path, |file| Ok::<_, WriteError>(write_series(file, &survey.frames)?))?;
    }
    let document = CrowdMeasureDocument::from(&survey);
    if arguments.json {
        let written = serde_json::to_writer_pretty(&mut *out, &document).map_err(io::Error::from);
        written.and_then(|()| writeln!(out)).map_err(Failure::output)?;
    } else {
        print(&document, out).map_err(Failure::output)?;
    }
    Ok(Status::Clear)
}

/// Reads the settings of the measures.
fn settings(arguments: &CrowdMeasureArguments) -> Result<SurveySettings, Failure> {
    let mut settings = SurveySettings::default();
    if let Some(cutoff) = arguments.cutoff.filter(|&cutoff| !(cutoff > 0.0 && cutoff.is_finite())) {
        let reason = "give more than 0 m".to_owned();
        return Err(Failure::BadMeasureOption { option: "cutoff", value: cutoff.to_string(), reason });
    }
    settings.diagram.cutoff = arguments.cutoff.map(CellCutoff::new);
    settings.diagram.window.reach = arguments.window;
    settings.line = arguments.line.as_deref().map(line_of).transpose()?;
    Ok(settings)
}

/// Reads two heights in metres, with a comma between them.
fn height_range(text: &str) -> Result<[f64; 2], String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers.as_slice() {
        [low, high] if low <= high && text.matches(',').count() == 1 => Ok([*low, *high]),
        _ => Err("give two heights in metres, the lower one first, as 3,4.5".to_owned()),
    }
}

/// Returns the failure of a fault: of the option at fault, else of the file.
fn refusal(arguments: &CrowdMeasureArguments, fault: &SurveyFault) -> Failure {
    let reason = fault.to_string();
    let option = |option, value: String| Failure::BadMeasureOption { option, value, reason: reason.clone() };
    match (fault, arguments.height) {
        (SurveyFault::FlatFloors | SurveyFault::NoFloorThere { .. }, Some([low, high])) => {
            option("height", format!("{low},{high}"))
        }
        (SurveyFault::Survey(SurveyError::BeyondFloor { .. }), _) => {
            option("area", shortened(arguments.area.as_deref().unwrap_or_default()))
        }
        (SurveyFault::NoFloor, _) => bad_file(arguments, "the file has no floor: give one with --plan".to_owned()),
        (SurveyFault::Trajectories(TrajectoryError::Storeys { .. }), _) => {
            bad_file(arguments, format!("{reason} with --height LOW,HIGH"))
        }
        _ => bad_file(arguments, reason),
    }
}

fn bad_file(arguments: &CrowdMeasureArguments, reason: String) -> Failure {
    Failure::BadTrajectories { path: arguments.file.clone(), reason }
}

/// Reads the floors of `--plan`: of a text, or of a file.
fn floors_of(plan: &str) -> Result<Vec<FloorArea>, Failure> {
    let format = PlanFormat::from_extension(plan);
    if format.is_none() && plan.contains('(') {
        return areas("plan", plan);
    }
    let bad = |reason: String| Failure::BadMeasureOption { option: "plan", value: plan.to_owned(), reason };
    let format = format.ok_or_else(|| bad("give a plan: .wkt, .osm, .osm.pbf, .svg or .obj".to_owned()))?;
    let bytes = std::fs::read(Path::new(plan)).map_err(|error| bad(error.to_string()))?;
    Ok(read_plan(&bytes, format).map_err(|error| bad(error.to_string()))?.walk)
}

/// Returns the beginning of a text.
fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

fn areas(option: &'static str, text: &str) -> Result<Vec<FloorArea>, Failure> {
    let bad = |error: heurt::io::PlanError| Failure::BadMeasureOption {
        option,
        value: shortened(text),
        reason: error.to_string(),
    };
    parse_wkt_areas(text).map_err(bad)
}

/// Reads a line of two points.
fn line_of(text: &str) -> Result<[Vec2; 2], Failure> {
    let bad = |reason: String| Failure::BadMeasureOption { option: "line", value: text.to_owned(), reason };
    let points = parse_wkt_line(text).map_err(|error| bad(error.to_string()))?;
    let line =
        <[Vec2; 2]>::try_from(points).map_err(|points| bad(format!("it has {} points: give two", points.len())))?;
    if line[0] == line[1] { Err(bad("both points are one: give two".to_owned())) } else { Ok(line) }
}

impl From<&Survey> for CrowdMeasureDocument {
    fn from(survey: &Survey) -> Self {
        let both = |value: MeanAndMost| MeanAndMostJson { mean: value.mean, most: value.most };
        let bin = |bin: &DiagramBin| {
            let &DiagramBin { count: frames, density, speed, flow, .. } = bin;
            BinJson { frames, density, speed, flow }
        };
        let line = |line: SurveyLine| {
            let SurveyLine { persons, flow, specific_flow } = line;
            LineJson { persons, flow, specific_flow }
        };
        Self {
            agents: survey.persons,
            frames: survey.frames.len(),
            duration: survey.duration,
            area: survey.area,
            density: both(survey.density),
            speed: both(survey.speed),
            diagram: survey.bins.iter().map(bin).collect(),
            line: survey.line.map(line),
        }
    }
}

/// Writes a row for each frame in which the area has somebody near; speed and flow are empty if no person there has
/// a speed.
fn write_series(out: &mut impl Write, frames: &[SurveyFrame]) -> io::Result<()> {
    writeln!(out, "frame,time,density,speed,flow")?;
    let text = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    for frame in frames.iter().filter(|frame| frame.density > 0.0 || frame.speed.is_some()) {
        let SurveyFrame { frame: number, time, density, speed } = frame;
        writeln!(out, "{number},{time},{density},{},{}", text(*speed), text(frame.flow()))?;
    }
    Ok(())
}

fn print(document: &CrowdMeasureDocument, out: &mut Output) -> io::Result<()> {
    let mut table = new_table(out);
    let mut row = |what: &str, value: String| {
        table.add_row([bold(what), Cell::new(value)]);
    };
    row("agents", grouped(document.agents));
    row("frames", format!("{} in {:.2} s", grouped(document.frames), document.duration));
    row("area", format!("{:.2} m²", document.area));
    let both = |value: &MeanAndMostJson, unit: &str| format!("mean {:.3}, most {:.3} {unit}", value.mean, value.most);
    row("density", both(&document.density, "/m²"));
    row("speed", both(&document.speed, "m/s"));
    if let Some(line) = &document.line {
        let flow = line.flow.map_or(String::new(), |flow| format!(", {flow:.3} /s"));
        let specific = line.specific_flow.map_or(String::new(), |flow| format!(", {flow:.3} /(m s)"));
        row("through the line", format!("{}{flow}{specific}", grouped(line.persons)));
    }
    writeln!(out, "{table}")?;
    let mut table = new_table(out);
    table.set_header(["density /m²", "speed m/s", "flow /(m s)", "frames"].map(bold));
    for bin in &document.diagram {
        let numbers = [bin.density, bin.speed, bin.flow].map(|x| format!("{x:.3}"));
        table.add_row(numbers.into_iter().chain([grouped(bin.frames)]).map(Cell::new));
    }
    writeln!(out, "{table}")
}
