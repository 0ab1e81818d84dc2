//! Scenes of agents that fly: from text to balls in a room; each fault has its line.
//!
//! In: TOML as `docs/crowds.md` describes, and the folder that its paths begin from. Out: [`SpaceScene`], from which
//! agents are made; the rows of their trajectories.
//! Method: a scene is of this kind if its environment is a table (a box) or the file of volumes (.vtu, .msh).
//! Guarantees: unknown keys are faults. All faults of agents are found, not only the first.

use super::agents::read_law;
use super::{CrowdWorld, USUAL_STEP, read_world};
use crate::describe::fields::{self, FieldError, Fields, shortened};
use crate::describe::located::{Located, LocatedFault};
use crate::files::{SceneFiles, line_of, read_map};
use heurt_crowd::AgentGroup;
use heurt_crowd::space::{
    SpaceAgentState, SpaceCrowd, SpaceFault, SpaceGoals, SpaceGroup, SpaceModel, SpaceRoom, SpaceSettings,
    spread_on_sphere,
};
use heurt_geometry::{ShortNumber, Vec3};
use heurt_io::{TrajectoryHeader, TrajectoryRow, TrajectoryStep};
use heurt_map::placed::AnyMap;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The most agents that are spread over a sphere: each step of that costs O(n²), 20,000 take minutes.
const MAX_SPREAD: u64 = 20_000;

/// Agents that fly, to be made, and the time to simulate.
///
/// ```
/// use heurt_scene::{DiskFiles, SpaceScene};
/// use std::path::Path;
/// let text = r#"
///     [crowd]
///     environment = { low = [-8, -8, -8], high = [8, 8, 8], cell = 8 }
///     [[agents]]
///     name = "flyers"
///     count = 12
///     start = { sphere = [0, 0, 0], radius = 6 }
///     radius = 0.2
///     speed = 2
///     goals = "antipode"
/// "#;
/// assert!(SpaceScene::is_space(text));
/// let scene = SpaceScene::read(text, Path::new("."), &DiskFiles)?;
/// let step = scene.step;
/// let (mut crowd, faults, _) = scene.build_without_faulty();
/// assert!(faults.is_empty());
/// while !crowd.is_empty() && crowd.time() < 60.0 {
///     crowd.step(step);
/// }
/// assert_eq!(crowd.report().arrived, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SpaceScene {
    /// Duration of a step, in seconds.
    pub step: f64,
    /// The time to simulate, in seconds.
    pub seconds: f64,
    /// Contents that were left out of the volumes, or read with a loss.
    pub notes: Vec<String>,
    /// Settings of the agents.
    pub settings: SpaceSettings,
    room: SpaceRoom,
    groups: Vec<SpaceGroup>,
    lines: Located,
}

/// Values of the tables of a scene.
struct SpaceTables {
    world: CrowdWorld,
    room: SpaceRoom,
    notes: Vec<String>,
    settings: SpaceSettings,
    groups: Vec<SpaceGroup>,
}

impl SpaceScene {
    /// Reports whether a text is a scene of agents that fly: its environment is a table, or the file of volumes.
    pub fn is_space(text: &str) -> bool {
        let Ok(mut located) = Located::parse(text) else { return false };
        match &located.take()["crowd"]["environment"] {
            Value::Object(_) => true,
            Value::String(name) => [".vtu", ".msh"].iter().any(|end| name.ends_with(end)),
            _ => false,
        }
    }

    /// Reads a scene; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`LocatedFault`] for the first fault of the text, or of the file of the environment.
    pub fn read(text: &str, folder: &Path, files: &dyn SceneFiles) -> Result<Self, LocatedFault> {
        Self::read_with_seed(text, folder, files, None)
    }

    /// Reads a scene as [`SpaceScene::read`] does, with a seed in place of its own: also of the places on spheres.
    ///
    /// # Errors
    /// As [`SpaceScene::read`].
    pub fn read_with_seed(
        text: &str,
        folder: &Path,
        files: &dyn SceneFiles,
        seed: Option<u64>,
    ) -> Result<Self, LocatedFault> {
        let mut located = Located::parse(text)?;
        let mut value = located.take();
        if let (Some(seed), Some(Value::Object(crowd))) = (seed, value.get_mut("crowd")) {
            crowd.insert("seed".to_owned(), seed.into());
        }
        let SpaceTables { world: CrowdWorld { step, seconds }, room, notes, settings, groups } =
            read_tables(value, folder, files).map_err(|error| located.fault(&error))?;
        Ok(Self { step, seconds, notes, settings, room, groups, lines: located })
    }

    /// Returns the number of agents of the scene, with faults or without.
    pub fn count_agents(&self) -> usize {
        self.groups.iter().map(|group| group.places.len()).sum()
    }

    /// Returns the fault of a simulated time of more than `most` steps.
    pub fn lasts_too_long(&self, most: u64) -> LocatedFault {
        let cause = format!("{} s in steps of {} s are more than {most} steps", self.seconds, self.step);
        self.lines.fault(&FieldError::refused("world.seconds", self.seconds.to_string(), cause))
    }

    /// Makes the agents without faults; returns them with all faults and the number of agents left out.
    pub fn build_without_faulty(self) -> (SpaceCrowd, Vec<LocatedFault>, usize) {
        let tables: BTreeMap<String, usize> =
            self.groups.iter().enumerate().map(|(number, group)| (group.name.clone(), number)).collect();
        let starts: Vec<bool> =
            (0..self.groups.len()).map(|number| self.lines.has(&format!("agents[{number}].start"))).collect();
        let (crowd, faults, left_out) = SpaceCrowd::without_faulty(self.room, self.settings, self.groups);
        let located = |fault: &SpaceFault| {
            let table = fault.group().map(|group| tables.get(group).copied().unwrap_or(0));
            let has_start = table.is_some_and(|table| starts.get(table) == Some(&true));
            let key = key_of(fault, has_start);
            let field = table.map_or_else(|| format!("crowd.{key}"), |table| format!("agents[{table}].{key}"));
            LocatedFault::new(self.lines.line(&field), format!("{field}: {fault}"))
        };
        (crowd, faults.iter().map(located).collect(), left_out)
    }
}

/// Returns the key at fault.
fn key_of(fault: &SpaceFault, has_start: bool) -> String {
    match fault {
        SpaceFault::BadSetting { what, .. } | SpaceFault::BadNumber { what, .. } => (*what).to_owned(),
        SpaceFault::TooLarge { .. } => "radius".to_owned(),
        _ if has_start => "start".to_owned(),
        SpaceFault::Outside { agent, .. }
        | SpaceFault::GoalOutside { agent, .. }
        | SpaceFault::OverEachOther { agent, .. } => format!("places[{agent}]"),
        _ => String::new(),
    }
}

fn read_tables(value: Value, folder: &Path, files: &dyn SceneFiles) -> Result<SpaceTables, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.only(&[&["world", "crowd", "agents"]])?;
    let world = fields.optional("world", read_world)?.unwrap_or(CrowdWorld { step: USUAL_STEP, seconds: 120.0 });
    let mut crowd = Fields::open("crowd", fields.take("crowd").unwrap_or_default())?;
    crowd.only(&[&["environment", "model", "seed", "panic", "changes"], &PARAMETERS])?;
    let read = |path: &str, value: Value| read_room(path, value, folder, files);
    let (room, notes) = crowd.required("environment", "a box or the file of volumes", read)?;
    let mut settings = SpaceSettings::default();
    settings.seed = crowd.optional("seed", fields::count)?.unwrap_or(settings.seed);
    settings.panic = crowd.optional("panic", fields::positive)?.unwrap_or(settings.panic);
    if !(1.0..=10.0).contains(&settings.panic) {
        let cause = "give the largest speed as a multiple of the own speed, 1 to 10";
        return Err(FieldError::refused(&crowd.path("panic"), settings.panic.to_string(), cause));
    }
    let changes = crowd.optional("changes", fields::count)?;
    settings.most_changes = changes.map_or(settings.most_changes, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let usual = read_model(&mut crowd, SpaceModel::Bubbles(Default::default()))?;
    let seed = settings.seed;
    let read = |path: &str, value: Value| read_group(path, value, usual, seed);
    let groups = fields.optional("agents", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let mut names = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        if let Some(first) = names.insert(group.name.clone(), number) {
            let cause = format!("agents[{first}] has this name: give each group its own");
            return Err(FieldError::refused(&format!("agents[{number}].name"), &group.name, cause));
        }
    }
    Ok(SpaceTables { world, room, notes, settings, groups })
}

/// The keys of parameters; each model has some of them.
pub(super) const PARAMETERS: [&str; 3] = ["reach", "stiffness", "damping"];

/// Reads a model and its parameters; without a name it is the usual one.
pub(super) fn read_model(fields: &mut Fields, usual: SpaceModel) -> Result<SpaceModel, FieldError> {
    let path = fields.path("model");
    let name = fields.take("model").map(|value| fields::word(&SpaceModel::NAMES)(&path, value)).transpose()?;
    let mut model = name.and_then(SpaceModel::from_name).unwrap_or(usual);
    let mut parameters: Vec<(&str, &mut f64)> = match &mut model {
        SpaceModel::Bubbles(it) => {
            vec![("reach", &mut it.reach), ("stiffness", &mut it.stiffness), ("damping", &mut it.damping)]
        }
        SpaceModel::Boids(it) => vec![("reach", &mut it.reach)],
    };
    for key in PARAMETERS {
        let field = fields.path(key);
        let Some(given) = fields.optional(key, fields::positive)? else { continue };
        let parameter = parameters.iter_mut().find(|parameter| parameter.0 == key);
        let cause = match parameter {
            Some(_) if given > super::model::MOST => "give at most 1,000",
            Some((_, parameter)) => {
                **parameter = given;
                continue;
            }
            None => "flocks have no such parameter: leave it out",
        };
        return Err(FieldError::refused(&field, ShortNumber(given).to_string(), cause));
    }
    Ok(model)
}

/// Reads a box of cubes, or the file of volumes.
fn read_room(
    path: &str,
    value: Value,
    folder: &Path,
    files: &dyn SceneFiles,
) -> Result<(SpaceRoom, Vec<String>), FieldError> {
    if let Value::String(name) = &value {
        let refuse = |cause: String| FieldError::refused(path, shortened(name), cause);
        let file = read_map(files, &folder.join(name)).map_err(|error| refuse(line_of(&error)))?;
        let AnyMap::Volumes(map) = file.placed.map else {
            return Err(refuse("it has no volumes: give cells, or a box as { low, high, cell }".to_owned()));
        };
        let room = SpaceRoom::of_volumes(map, file.placed.points).map_err(|error| refuse(error.to_string()))?;
        return Ok((room, file.notes.into_iter().map(|note| note.message).collect()));
    }
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["low", "high", "cell"]])?;
    let low = fields.required("low", "the lowest corner, [x, y, z] in metres", fields::vector)?;
    let high = fields.required("high", "the highest corner, [x, y, z] in metres", fields::vector)?;
    let cell = fields.required("cell", "the width of a cell in metres", fields::positive)?;
    let refuse = |cause| FieldError::refused(path, "the box", cause);
    let room = SpaceRoom::of_cubes([low, high], cell).map_err(|error| refuse(error.to_string()))?;
    Ok((room, Vec::new()))
}

fn read_group(path: &str, value: Value, usual: SpaceModel, seed: u64) -> Result<SpaceGroup, FieldError> {
    let mut fields = Fields::open(path, value)?;
    let keys = ["name", "count", "start", "places", "radius", "speed", "goals", "model"];
    fields.only(&[&keys, &PARAMETERS])?;
    let name = fields.required("name", "a name", fields::text)?;
    let places = read_places(&mut fields, seed)?;
    let radius = fields.optional("radius", fields::not_negative)?.unwrap_or(0.2);
    let speed = fields.optional("speed", read_law)?.unwrap_or(AgentGroup::default().speed);
    let model = read_model(&mut fields, usual)?;
    // Flocks have no goals: they fly on.
    let without = match model {
        SpaceModel::Boids(_) => SpaceGoals::FlyOn,
        SpaceModel::Bubbles(_) => SpaceGoals::None,
    };
    let read_goals = |path: &str, value: Value| match &value {
        Value::String(word) if word == "antipode" => Ok(SpaceGoals::Antipode),
        Value::Array(items) if items.is_empty() => Ok(without),
        _ => Err(FieldError::wrong(path, &value, "\"antipode\", the goal that agents in space can have")),
    };
    let goals = fields.optional("goals", read_goals)?.unwrap_or(without);
    Ok(SpaceGroup { name, places, radius, speed, goals, model })
}

/// Reads places, or the sphere that agents are spread over.
fn read_places(fields: &mut Fields, seed: u64) -> Result<Vec<Vec3>, FieldError> {
    let places = fields.optional("places", |path, value| fields::list(path, value, fields::vector))?;
    let sphere = fields.optional("start", read_sphere)?;
    let count = fields.optional("count", fields::count)?;
    let refuse = |key: &str, value: String, cause: String| Err(FieldError::refused(&fields.path(key), value, cause));
    match (places, sphere) {
        (Some(_), Some(_)) => {
            refuse("start", "given".to_owned(), "the group has places, too: leave one of both out".to_owned())
        }
        (Some(places), None) => match count {
            Some(count) if count != places.len() as u64 => {
                let cause = format!("there are {} places: leave the number out", places.len());
                refuse("count", count.to_string(), cause)
            }
            _ => Ok(places),
        },
        (None, Some((centre, radius))) => {
            let count = count.unwrap_or(1);
            if count > MAX_SPREAD {
                return refuse("count", count.to_string(), format!("give at most {MAX_SPREAD} on a sphere, or places"));
            }
            let place = |direction| centre + radius * direction;
            Ok(spread_on_sphere(count as usize, seed).into_iter().map(place).collect())
        }
        (None, None) => Err(FieldError::Missing {
            field: fields.path("start"),
            expected: "start = { sphere = [x, y, z], radius = … }, or places = [[x, y, z], …]".to_owned(),
        }),
    }
}

fn read_sphere(path: &str, value: Value) -> Result<(Vec3, f64), FieldError> {
    if !value.is_object() {
        return Err(FieldError::wrong(path, &value, "a sphere as { sphere = [x, y, z], radius = … }"));
    }
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["sphere", "radius"]])?;
    let centre = fields.required("sphere", "the centre, [x, y, z] in metres", fields::vector)?;
    let radius = fields.required("radius", "the radius in metres", fields::positive)?;
    Ok((centre, radius))
}

/// Describes the trajectories of agents that fly, in steps of `step` seconds.
pub fn space_trajectory_header(crowd: &SpaceCrowd, step: f64) -> TrajectoryHeader {
    TrajectoryHeader { groups: crowd.names().to_vec(), frame_rate: Some(1.0 / step), walkable: Vec::new() }
}

/// Describes a step: each agent that is present or has just left, by number.
pub fn space_trajectory_step(crowd: &SpaceCrowd, number: u64) -> TrajectoryStep {
    let row = |agent: SpaceAgentState| TrajectoryRow {
        agent: u64::from(agent.id),
        group: agent.group,
        position: agent.position,
        velocity: Some(agent.velocity),
    };
    let mut rows: Vec<TrajectoryRow> = crowd.agents().chain(crowd.departed()).map(row).collect();
    rows.sort_by_key(|row| row.agent);
    TrajectoryStep { step: number, time: crowd.time(), rows }
}
