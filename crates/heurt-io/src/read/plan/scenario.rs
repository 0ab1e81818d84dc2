//! Scenarios of JuPedSim: a ZIP archive of a plan and its agents.
//!
//! In: an archive with one `.wkt` file, the area to walk in, and one `.json` file with `exits`, `distributions`,
//! `checkpoints`, `zones`, `obstacles` and `journeys_v2`, as `jupedsim-scenarios` and the web editor of JuPedSim write
//! them. Out: a [`ScenarioPlan`], in metres and seconds.
//! Method: the archive is unpacked within the budget of `zip`; `serde_json` reads the fields.
//! Guarantees: no panic; areas are simple polygons; journeys name exits and checkpoints that are there.
//! Not read: parameters of models, delays before the start, limits of flow at exits, and the older lists `journeys` and
//! `transitions`. Cost: O(bytes).

use super::rings::check_area;
use super::{Plan, PlanError, PlanFormat, read_plan};
use crate::error::quoted;
use crate::read::zip::Archive;
use crate::{Place, ReadError};
use heurt_geometry::{Counted, PlanArea, Vec2};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The radius of an agent without one, in metres, as in JuPedSim.
const RADIUS: f64 = 0.2;
/// The speed of an agent without one, in m/s, as in the web editor.
const SPEED: f64 = 1.3;

/// A scenario of JuPedSim.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioPlan {
    /// The areas to walk in, and what was left out of them.
    pub plan: Plan,
    /// The areas in which agents leave, by identifier.
    pub exits: Vec<ScenarioArea>,
    /// The areas in which agents start, by identifier.
    pub starts: Vec<ScenarioStart>,
    /// The areas on the courses of agents, by identifier.
    pub checkpoints: Vec<ScenarioArea>,
    /// The areas that change the speed, by identifier.
    pub zones: Vec<ScenarioArea>,
    /// The closed areas that have corners, by identifier. They are not cut out of the plan. Obstacles without corners
    /// are holes of the plan already, and are left out.
    pub obstacles: Vec<ScenarioArea>,
    /// The courses, in the order of the file.
    pub journeys: Vec<ScenarioJourney>,
    /// The model of motion, as JuPedSim names it.
    pub model: Option<String>,
    /// The time step, in seconds.
    pub step: Option<f64>,
    /// The longest duration, in seconds.
    pub seconds: Option<f64>,
    /// The seed of random numbers.
    pub seed: Option<u64>,
}

/// An area of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioArea {
    /// The identifier.
    pub id: String,
    /// The area.
    pub area: PlanArea,
    /// The time that each agent waits here, in seconds.
    pub waiting_time: f64,
    /// The factor of the speed here.
    pub speed_factor: f64,
}

/// An area in which agents start.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStart {
    /// The identifier.
    pub id: String,
    /// The area.
    pub area: PlanArea,
    /// The number of agents.
    pub count: ScenarioCount,
    /// The mean radius and its standard deviation, in metres.
    pub radius: [f64; 2],
    /// The mean speed and its standard deviation, in m/s.
    pub speed: [f64; 2],
    /// The first and last time at which agents appear, in seconds; `None` if all are there from the start.
    pub flow: Option<[f64; 2]>,
    /// The identifiers of the journeys, each with its weight.
    pub journeys: Vec<(String, f64)>,
}

/// The number of agents of an area.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ScenarioCount {
    /// A number of agents.
    Number(u32),
    /// A percentage of the agents for which there is room.
    Percentage(f64),
}

/// A course of agents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ScenarioJourney {
    /// The identifier.
    pub id: String,
    /// The identifiers of checkpoints and of the exit, in order.
    #[serde(rename = "sequence")]
    pub stages: Vec<String>,
}

type RawAreas = Option<BTreeMap<String, RawArea>>;

/// The fields of the JSON file.
#[derive(Deserialize)]
struct RawScenario {
    config: Option<RawConfig>,
    exits: RawAreas,
    distributions: RawAreas,
    checkpoints: RawAreas,
    zones: RawAreas,
    obstacles: RawAreas,
    journeys_v2: Option<Vec<ScenarioJourney>>,
}

#[derive(Deserialize, Default)]
struct RawConfig {
    simulation_settings: Option<RawSettings>,
}

#[derive(Deserialize, Default)]
struct RawSettings {
    #[serde(rename = "simulationParams")]
    params: Option<RawParams>,
    #[serde(rename = "baseSeed")]
    seed: Option<u64>,
}

#[derive(Deserialize, Default)]
struct RawParams {
    max_simulation_time: Option<f64>,
    dt: Option<f64>,
    model_type: Option<String>,
}

#[derive(Deserialize)]
struct RawArea {
    #[serde(default)]
    coordinates: Vec<Vec<f64>>,
    waiting_time: Option<f64>,
    speed_factor: Option<f64>,
    parameters: Option<RawStart>,
    journey_weights: Option<Vec<RawWeight>>,
}

#[derive(Deserialize, Default)]
struct RawStart {
    number: Option<f64>,
    percentage: Option<f64>,
    distribution_mode: Option<String>,
    radius: Option<f64>,
    radius_std: Option<f64>,
    radius_distribution: Option<String>,
    v0: Option<f64>,
    v0_std: Option<f64>,
    v0_distribution: Option<String>,
    use_flow_spawning: Option<bool>,
    flow_start_time: Option<f64>,
    flow_end_time: Option<f64>,
}

#[derive(Deserialize)]
struct RawWeight {
    journey_id: String,
    weight: f64,
}

/// Reads a scenario of JuPedSim: a ZIP archive of a plan and its agents.
///
/// # Errors
/// [`PlanError`] names the member of the archive, the item, the value found there and the remedy.
pub fn read_scenario_zip(bytes: &[u8]) -> Result<ScenarioPlan, PlanError> {
    let mut archive = Archive::open(bytes)?;
    let (_, wkt) = single(&mut archive, ".wkt")?;
    let (name, json) = single(&mut archive, ".json")?;
    let plan = read_plan(&wkt, PlanFormat::Wkt)?;
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&json);
    let raw: RawScenario = serde_json::from_slice(json).map_err(|error| {
        let place = Place::LineColumn(error.line() as u64, error.column() as u64).in_member(&name);
        let expected = "a scenario of JuPedSim".to_owned();
        ReadError::Syntax { place, found: quoted(error.to_string().as_bytes()), expected }
    })?;
    let settings = raw.config.unwrap_or_default().simulation_settings.unwrap_or_default();
    let params = settings.params.unwrap_or_default();
    let starts = raw.distributions.unwrap_or_default().into_iter().map(|(id, area)| start(id, area));
    let scenario = ScenarioPlan {
        plan,
        exits: areas("exits", raw.exits)?,
        starts: starts.collect::<Result<_, _>>()?,
        checkpoints: areas("checkpoints", raw.checkpoints)?,
        zones: areas("zones", raw.zones)?,
        obstacles: areas("obstacles", raw.obstacles.map(with_corners))?,
        journeys: raw.journeys_v2.unwrap_or_default(),
        model: params.model_type,
        step: params.dt,
        seconds: params.max_simulation_time,
        seed: settings.seed,
    };
    check_names(&scenario)?;
    Ok(scenario)
}

/// Unpacks the only member with an ending, in upper or lower case.
fn single(archive: &mut Archive<'_>, ending: &str) -> Result<(String, Vec<u8>), ReadError> {
    let is_meant = |name: &str| name.to_ascii_lowercase().ends_with(ending) && !name.starts_with("__MACOSX/");
    let names: Vec<String> = archive.names().filter(|name| is_meant(name)).map(str::to_owned).collect();
    let [name] = names.as_slice() else {
        let (found, expected) = (format!("{} files {ending}", names.len()), format!("one file {ending}"));
        return Err(ReadError::Syntax { place: Place::Item("the archive".to_owned()), found, expected });
    };
    let member = archive.find(name).unwrap_or_default();
    Ok((name.clone(), archive.unpack(member)?.into_owned()))
}

/// Leaves out areas without corners.
fn with_corners(mut areas: BTreeMap<String, RawArea>) -> BTreeMap<String, RawArea> {
    areas.retain(|_, area| !area.coordinates.is_empty());
    areas
}

/// Reads the areas of a list.
fn areas(list: &str, raw: RawAreas) -> Result<Vec<ScenarioArea>, ReadError> {
    let area = |(id, raw): (String, RawArea)| {
        let area = polygon(&place(list, &id), &raw.coordinates)?;
        let (waiting_time, speed_factor) = (raw.waiting_time.unwrap_or(0.0), raw.speed_factor.unwrap_or(1.0));
        Ok(ScenarioArea { id, area, waiting_time, speed_factor })
    };
    raw.unwrap_or_default().into_iter().map(area).collect()
}

/// Reads an area in which agents start.
fn start(id: String, raw: RawArea) -> Result<ScenarioStart, ReadError> {
    let place = place("distributions", &id);
    let area = polygon(&place, &raw.coordinates)?;
    let start = raw.parameters.unwrap_or_default();
    let mode = start.distribution_mode.as_deref().unwrap_or("by_number");
    let count = match start.number.unwrap_or(0.0) {
        _ if mode == "until_full" => ScenarioCount::Percentage(100.0),
        _ if mode != "by_number" => match start.percentage {
            Some(share) => ScenarioCount::Percentage(share),
            None => {
                let expected = "by_number, until_full, or a percentage".to_owned();
                return Err(ReadError::Syntax { place, found: quoted(mode.as_bytes()), expected });
            }
        },
        number if (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0 => {
            ScenarioCount::Number(number as u32)
        }
        number => {
            let (found, expected) = (number.to_string(), "a whole number of agents".to_owned());
            return Err(ReadError::Syntax { place, found, expected });
        }
    };
    let law = |mean: Option<f64>, usual, deviation: Option<f64>, kind: Option<String>| {
        let is_spread = kind.as_deref() == Some("gaussian");
        [mean.unwrap_or(usual), deviation.filter(|_| is_spread).unwrap_or(0.0)]
    };
    let times = start.flow_start_time.zip(start.flow_end_time).map(|(from, to)| [from, to]);
    let flow = times.filter(|_| start.use_flow_spawning.unwrap_or(false));
    if start.use_flow_spawning == Some(true) && flow.is_none() {
        let (found, expected) = ("a flow without its times", "flow_start_time and flow_end_time");
        return Err(ReadError::Syntax { place, found: found.to_owned(), expected: expected.to_owned() });
    }
    let weights = raw.journey_weights.unwrap_or_default();
    Ok(ScenarioStart {
        id,
        area,
        count,
        radius: law(start.radius, RADIUS, start.radius_std, start.radius_distribution),
        speed: law(start.v0, SPEED, start.v0_std, start.v0_distribution),
        flow,
        journeys: weights.into_iter().map(|weight| (weight.journey_id, weight.weight)).collect(),
    })
}

/// Reads a ring whose first corner may be repeated at its end.
fn polygon(place: &Place, corners: &[Vec<f64>]) -> Result<PlanArea, ReadError> {
    let wrong = |found: String, expected: &str| {
        let expected = expected.to_owned();
        ReadError::Syntax { place: place.clone(), found, expected }
    };
    let corner = |corner: &Vec<f64>| match corner.as_slice() {
        [x, y, ..] => Ok(Vec2::new(*x, *y)),
        short => {
            let found = if short.is_empty() { "no coordinate" } else { "one coordinate" };
            Err(wrong(found.to_owned(), "two coordinates for each corner"))
        }
    };
    let mut outline: Vec<Vec2> = corners.iter().map(corner).collect::<Result<_, _>>()?;
    outline.dedup();
    if outline.len() > 1 && outline.first() == outline.last() {
        outline.pop();
    }
    if outline.len() < 3 {
        return Err(wrong(Counted(outline.len(), "corner", "corners").to_string(), "at least 3 corners"));
    }
    let area = PlanArea { outline, holes: Vec::new() };
    match check_area(&area, 1) {
        Ok(_) => Ok(area),
        Err(error) => Err(wrong(error.to_string(), "a simple polygon")),
    }
}

/// Checks that all identifiers in journeys and starts are there.
fn check_names(scenario: &ScenarioPlan) -> Result<(), ReadError> {
    let stages: BTreeSet<&str> = scenario.exits.iter().chain(&scenario.checkpoints).map(|area| &*area.id).collect();
    let missing = |place, what, name: &str| Err(ReadError::Missing { place, what, name: quoted(name.as_bytes()) });
    for journey in &scenario.journeys {
        if let Some(stage) = journey.stages.iter().find(|stage| !stages.contains(stage.as_str())) {
            return missing(place("journeys_v2", &journey.id), "exit or checkpoint", stage);
        }
    }
    let journeys: BTreeSet<&str> = scenario.journeys.iter().map(|journey| &*journey.id).collect();
    for start in &scenario.starts {
        if let Some((journey, _)) = start.journeys.iter().find(|(journey, _)| !journeys.contains(journey.as_str())) {
            return missing(place("distributions", &start.id), "journey", journey);
        }
    }
    Ok(())
}

fn place(list: &str, id: &str) -> Place {
    Place::Item(format!("{list}, {}", quoted(id.as_bytes())))
}
