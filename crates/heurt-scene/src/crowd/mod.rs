//! Crowd scenes: from text to agents on a floor; each fault has its line.
//!
//! In: TOML as `docs/crowds.md` describes, and the folder that its paths begin from. Out: [`CrowdScene`], from which a
//! crowd is made; the rows of its trajectories.
//! Tables: `world` (step and seconds), `crowd`, `zones`, `agents`.
//! Guarantees: unknown keys are faults. All faults of agents and goals are found, not only the first.

mod agents;
mod areas;
mod environment;
mod form;
pub mod guideline;
mod model;
mod report;
mod scenario;
mod space;
mod surface;
mod survey;
mod trajectory;
mod zones;

pub use report::{CrowdReportJson, CrowdRunFacts};
pub use scenario::{ScenarioScene, read_scenario_scene, scene_of_scenario};
pub use space::{SpaceScene, space_trajectory_header, space_trajectory_step};
pub use surface::{SurfaceScene, surface_outline_rows, surface_trajectory_header, surface_trajectory_step};
pub use survey::{SurveyFault, SurveyPlace, survey_file};
pub use trajectory::{OUTLINE_HEADER, outline_rows, trajectories_in_plan, trajectory_header, trajectory_step};

use crate::describe::fields::{self, FieldError, Fields};
use crate::describe::located::{Located, LocatedFault};
use crate::files::{DiskFiles, SceneFiles};
use agents::{AgedGroup, Ways, read_agents};
use areas::Origin;
use environment::{CrowdEnvironment, read_environment};
use heurt_crowd::measure::weidmann_speed_of_age;
use heurt_crowd::{Crowd, CrowdFault, CrowdSettings, Ground, Pace, SpeedLaw};
use heurt_geometry::{FloorArea, ShortNumber, SplitMix64};
use heurt_io::{LonLat, PlanError};
use model::read_model;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use zones::{Zone, read_pace, read_zone};

/// The step of scenes without one, in seconds.
const USUAL_STEP: f64 = 0.05;

/// The longest step, in seconds: people cannot react for that long.
const LONGEST_STEP: f64 = 1.0;

/// Makes random numbers of ages differ from those of places.
const AGES: u64 = 0x0061_6765;

/// A crowd to be made, and the time to simulate.
///
/// ```
/// use heurt_scene::{CrowdScene, DiskFiles};
/// use std::path::Path;
/// let text = r#"
///     [crowd]
///     environment = "POLYGON((0 0, 40 0, 40 2, 0 2, 0 0))"
///     [[agents]]
///     name = "person"
///     places = [[0.5, 1.0]]
///     radius = 0.2
///     speed = 1.33
///     goals = ["POLYGON((39 0, 40 0, 40 2, 39 2, 39 0))"]
/// "#;
/// let scene = CrowdScene::read(text, Path::new("."), &DiskFiles)?;
/// let step = scene.step;
/// let mut crowd = scene.build().map_err(|faults| faults[0].clone())?;
/// while !crowd.is_empty() && crowd.time() < 60.0 {
///     crowd.step(step);
/// }
/// assert_eq!(crowd.report().arrived, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CrowdScene {
    /// Duration of a step, in seconds.
    pub step: f64,
    /// The time to simulate, in seconds.
    pub seconds: f64,
    /// The point (0, 0) of a map of streets.
    pub origin: Option<LonLat>,
    /// The carriageways of a map of streets.
    pub roads: Vec<FloorArea>,
    /// Contents that were left out of the plan, or read with a loss.
    pub notes: Vec<String>,
    /// Settings of the crowd.
    pub settings: CrowdSettings,
    ground: Ground,
    groups: Vec<AgedGroup>,
    lines: Located,
}

/// Values of the `[world]` table of a crowd.
struct CrowdWorld {
    step: f64,
    seconds: f64,
}

/// Values of the `[crowd]` table.
struct CrowdTable {
    environment: CrowdEnvironment,
    settings: CrowdSettings,
}

impl CrowdScene {
    /// Reports whether a text is a scene of a crowd: TOML with a table `crowd` or `agents`.
    pub fn is_crowd(text: &str) -> bool {
        Located::parse(text).is_ok_and(|located| located.has("crowd") || located.has("agents"))
    }

    /// Reads a scene; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`LocatedFault`] for the first fault of the text, or of the file of the environment.
    pub fn read(text: &str, folder: &Path, files: &dyn SceneFiles) -> Result<Self, LocatedFault> {
        let mut located = Located::parse(text)?;
        let value = located.take();
        let (world, crowd, groups) = read_tables(value, folder, files).map_err(|error| located.fault(&error))?;
        let CrowdTable { environment: CrowdEnvironment { ground, roads, origin, notes, .. }, settings } = crowd;
        let CrowdWorld { step, seconds } = world;
        Ok(Self { step, seconds, origin, roads, notes, settings, ground, groups, lines: located })
    }

    /// Reads a scenario of JuPedSim, a ZIP archive; notes name what has no counterpart.
    ///
    /// # Errors
    /// [`LocatedFault`] for the first fault of the archive, or of the scene that is made of it.
    pub fn read_zip(bytes: &[u8]) -> Result<Self, LocatedFault> {
        let refuse = |error: PlanError| LocatedFault::new(1, error.to_string());
        let ScenarioScene { scene, notes, .. } = read_scenario_scene(bytes, None).map_err(refuse)?;
        // The plan is in the scene: no file is read.
        let mut scene = Self::read(&scene, Path::new(""), &DiskFiles)?;
        scene.notes.splice(0..0, notes);
        Ok(scene)
    }

    /// Returns the number of agents of the scene, with faults or without.
    pub fn count_agents(&self) -> usize {
        self.groups.iter().map(|aged| aged.group.count()).sum()
    }

    /// Returns the fault of a simulated time of more than `most` steps.
    pub fn lasts_too_long(&self, most: u64) -> LocatedFault {
        let cause = format!("{} s in steps of {} s are more than {most} steps", self.seconds, self.step);
        self.lines.fault(&FieldError::refused("world.seconds", self.seconds.to_string(), cause))
    }

    /// Makes the crowd.
    ///
    /// # Errors
    /// All faults of agents and goals.
    pub fn build(self) -> Result<Crowd, Vec<LocatedFault>> {
        let (crowd, faults, _) = self.build_without_faulty();
        if faults.is_empty() { Ok(crowd) } else { Err(faults) }
    }

    /// Makes a crowd of the agents without faults; returns it with all faults and the number of agents left out.
    pub fn build_without_faulty(self) -> (Crowd, Vec<LocatedFault>, usize) {
        let tables: BTreeMap<String, usize> =
            self.groups.iter().enumerate().map(|(number, aged)| (aged.group.name.clone(), number)).collect();
        let seed = self.settings.seed;
        let (groups, ages): (Vec<_>, Vec<_>) = self.groups.into_iter().map(|aged| (aged.group, aged.age)).unzip();
        let (mut crowd, faults, left_out) = Crowd::without_faulty(self.ground, self.settings, groups);
        // Groups with faults are left out: names find the rest.
        let ages: Vec<Option<SpeedLaw>> =
            crowd.names().iter().map(|name| tables.get(name).and_then(|&number| ages[number])).collect();
        if ages.iter().any(Option::is_some) {
            let mut random = SplitMix64::new(seed ^ AGES);
            crowd.set_speeds(|agent| weidmann_speed_of_age(ages[agent.group as usize]?.draw(&mut random)));
        }
        let located = |fault: &CrowdFault| {
            let (group, mut key) = place_of(fault);
            let number = group.map(|group| tables.get(group).copied().unwrap_or(0));
            if let (Some(number), "outline") = (number, &*key) {
                // The form comes from one of three keys.
                let given = |key: &&str| self.lines.has(&format!("agents[{number}].{key}"));
                key = ["mesh", "sections"].into_iter().find(given).unwrap_or("outline").to_owned();
            }
            let field = number.map_or_else(|| format!("crowd.{key}"), |number| format!("agents[{number}].{key}"));
            let line = self.lines.line(&field);
            LocatedFault::new(line, format!("{field}: {fault}"))
        };
        (crowd, faults.iter().map(located).collect(), left_out)
    }
}

/// Returns the group of a fault, unless it is one of the whole crowd, and the key at fault.
fn place_of(fault: &CrowdFault) -> (Option<&str>, String) {
    let (group, key): (&str, String) = match fault {
        CrowdFault::BadSetting { what, .. } => return (None, (*what).to_owned()),
        CrowdFault::BadNumber { group, what: "pace" | "number of paces", .. } => (group, "paces".to_owned()),
        CrowdFault::BadNumber { group, what, .. } => (group, (*what).to_owned()),
        CrowdFault::Outside { group, agent, .. }
        | CrowdFault::InWall { group, agent, .. }
        | CrowdFault::OutlineInWall { group, agent, .. }
        | CrowdFault::OverEachOther { group, agent, .. } => (group, format!("places[{agent}]")),
        CrowdFault::NoRoom { group, .. } => (group, "start".to_owned()),
        CrowdFault::NoOrigin { group, .. } | CrowdFault::OutlineInFlow { group } => (group, "outline".to_owned()),
        CrowdFault::TooLarge { group, .. } => (group, "radius".to_owned()),
        CrowdFault::GoalInObstacle { group, goal, .. }
        | CrowdFault::TooIntricate { group, goal, .. }
        | CrowdFault::Unreachable { group, goal, .. } => (group, format!("goals[{goal}]")),
        _ => ("", String::new()),
    };
    (Some(group), key)
}

fn read_tables(
    value: Value,
    folder: &Path,
    files: &dyn SceneFiles,
) -> Result<(CrowdWorld, CrowdTable, Vec<AgedGroup>), FieldError> {
    let mut fields = Fields::open("", value)?;
    for key in ["body", "joint", "surgery", "control"] {
        if fields.take(key).is_some() {
            return Err(FieldError::not_available(
                key,
                "bodies in the scene of a crowd: give them a scene of their own",
            ));
        }
    }
    fields.only(&[&["world", "crowd", "zones", "agents"]])?;
    let world = fields.optional("world", read_world)?.unwrap_or(CrowdWorld { step: USUAL_STEP, seconds: 120.0 });
    let mut crowd = fields
        .required("crowd", "a table with the environment", |path, value| read_crowd(path, value, folder, files))?;
    let origin = Origin(crowd.environment.origin);
    let ground = &mut crowd.environment.ground;
    let read = |path: &str, value: Value| read_zone(path, value, origin);
    let zones = fields.optional("zones", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    for (number, Zone { areas, pace, is_flow }) in zones.into_iter().enumerate() {
        if !areas.iter().any(|area| ground.meets(area)) {
            let cause = "it covers no floor, or is more than 1 m above or below it: move it";
            return Err(FieldError::refused(&format!("zones[{number}].area"), "the area", cause));
        }
        if let Some(pace) = pace {
            areas.iter().for_each(|area| ground.add_zone(area.clone(), pace));
        }
        if is_flow {
            ground.add_flow(areas);
        }
    }
    let meshes = |path: &str, name: &str| form::read_footprint(path, name, folder, files).map(|found| found.0);
    let environment = &crowd.environment;
    let ways = Ways { roads: environment.roads.clone(), paths: environment.paths.clone() };
    let read = |path: &str, value: Value| read_agents(path, value, origin, &ways, &meshes);
    let groups = fields.optional("agents", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let mut names = BTreeMap::new();
    for (number, AgedGroup { group, .. }) in groups.iter().enumerate() {
        if let Some(first) = names.insert(group.name.clone(), number) {
            let cause = format!("agents[{first}] has this name: give each group its own");
            return Err(FieldError::refused(&format!("agents[{number}].name"), &group.name, cause));
        }
    }
    Ok((world, crowd, groups))
}

fn read_world(path: &str, value: Value) -> Result<CrowdWorld, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["step", "seconds"]])?;
    let step = fields.optional("step", fields::positive)?.unwrap_or(USUAL_STEP);
    if step > LONGEST_STEP {
        let cause = format!("agents take steps of at most {LONGEST_STEP} s");
        return Err(FieldError::refused(&format!("{path}.step"), step.to_string(), cause));
    }
    let seconds = fields.optional("seconds", fields::not_negative)?.unwrap_or(120.0);
    Ok(CrowdWorld { step, seconds })
}

fn read_crowd(path: &str, value: Value, folder: &Path, files: &dyn SceneFiles) -> Result<CrowdTable, FieldError> {
    let mut fields = Fields::open(path, value)?;
    const KEYS: &[&str] = &[
        "environment",
        "model",
        "seed",
        "panic",
        "stairs",
        "queues",
        "exit_flow",
        "replan",
        "roads",
        "time_gap",
        "side",
        "anticipation",
        "push",
    ];
    fields.only(&[KEYS, model::PARAMETERS])?;
    let expected = "the file of a plan (.wkt, .osm, .osm.pbf, .svg, .obj), or the text of a WKT polygon";
    let environment = fields.required("environment", expected, fields::text)?;
    let field = fields.path("environment");
    let mut settings = CrowdSettings::default();
    settings.model = read_model(&mut fields)?;
    settings.seed = fields.optional("seed", fields::count)?.unwrap_or(settings.seed);
    settings.panic = fields.optional("panic", fields::positive)?.unwrap_or(settings.panic);
    settings.queues = fields.optional("queues", fields::boolean)?.unwrap_or(settings.queues);
    // Models with a time gap of their own have taken the key.
    settings.time_gap = fields.optional("time_gap", fields::positive)?;
    settings.exit_flow = fields.optional("exit_flow", fields::positive)?;
    settings.replan = fields.optional("replan", fields::positive)?;
    // The rules of `rules` have a side of their own, too.
    settings.side = fields.optional("side", model::read_side)?;
    settings.anticipation = fields.optional("anticipation", fields::not_negative)?.unwrap_or(settings.anticipation);
    settings.push = fields.optional("push", fields::boolean)?.unwrap_or(settings.push);
    if !(1.0..=10.0).contains(&settings.panic) {
        let cause = "give the largest speed as a multiple of the own speed, 1 to 10";
        return Err(FieldError::refused(&fields.path("panic"), settings.panic.to_string(), cause));
    }
    if let Some(CrowdFault::BadSetting { what, value, expected }) = settings.replace_faulty().first() {
        let value = ShortNumber(*value).to_string();
        return Err(FieldError::refused(&fields.path(what), value, format!("give {expected}")));
    }
    let stairs = fields.optional("stairs", read_pace)?.unwrap_or(Pace::STAIRS);
    let keeps_off_roads = fields.optional("roads", read_roads)?.unwrap_or(false);
    let mut environment = read_environment(&field, &environment, keeps_off_roads, folder, files)?;
    environment.ground = environment.ground.with_stairs(stairs);
    Ok(CrowdTable { environment, settings })
}

/// Reads where people walk on roads; returns whether at crossings only.
fn read_roads(path: &str, value: Value) -> Result<bool, FieldError> {
    match value.as_str() {
        Some("walk") => Ok(false),
        Some("crossings") => Ok(true),
        _ => Err(FieldError::wrong(path, &value, "\"walk\" (everywhere) or \"crossings\" (there alone)")),
    }
}
