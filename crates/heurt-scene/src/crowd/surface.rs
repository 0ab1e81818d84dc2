//! Scenes of agents on curved ground: from text to balls on a surface; each fault has its line.
//!
//! In: TOML as `docs/crowds.md` describes, and the folder that its paths begin from. Out: [`SurfaceScene`], from which
//! agents are made; the rows of their trajectories.
//! Method: a scene is of this kind if its environment is a table with a shape or the file of a mesh.
//! Guarantees: unknown keys are faults. All faults of agents are found, not only the first.

use super::agents::{USUAL_RADIUS, read_law};
use super::form::{read_footprint, read_form, read_triangles};
use super::space::{PARAMETERS, read_model};
use super::{CrowdWorld, USUAL_STEP, read_world};
use crate::describe::fields::{self, FieldError, Fields, shortened};
use crate::describe::located::{Located, LocatedFault};
use crate::files::SceneFiles;
use heurt_crowd::SpeedLaw;
use heurt_crowd::space::SpaceModel;
use heurt_crowd::surface::{
    SurfaceAgentState, SurfaceCrowd, SurfaceFault, SurfaceGoals, SurfaceGround, SurfaceGroup, SurfacePaths,
    SurfaceSettings, SurfaceStart, faces_near,
};
use heurt_geometry::Vec3;
use heurt_io::{TrajectoryHeader, TrajectoryRow, TrajectoryStep};
use heurt_mesh::{TriMesh, generate};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The shapes of generated surfaces.
const SHAPES: [&str; 4] = ["sphere", "torus", "torus-knot", "blob"];

/// Agents on curved ground, to be made, and the time to simulate.
///
/// ```
/// use heurt_scene::{DiskFiles, SurfaceScene};
/// use std::path::Path;
/// let text = r#"
///     [crowd]
///     environment = { shape = "sphere", radius = 8, levels = 3 }
///     buildings = [{ at = [8, 0, 0], radius = 2 }]
///     [[agents]]
///     name = "north"
///     count = 12
///     radius = 0.2
///     speed = 1.3
///     goals = [[0, 0, 8]]
/// "#;
/// assert!(SurfaceScene::is_surface(text));
/// let scene = SurfaceScene::read(text, Path::new("."), &DiskFiles)?;
/// let (mut crowd, faults, _) = scene.build_without_faulty();
/// assert!(faults.is_empty());
/// while !crowd.is_empty() && crowd.time() < 60.0 {
///     crowd.step(scene.step);
/// }
/// assert_eq!(crowd.report().arrived, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SurfaceScene {
    /// Duration of a step, in seconds.
    pub step: f64,
    /// The time to simulate, in seconds.
    pub seconds: f64,
    /// Settings of the agents.
    pub settings: SurfaceSettings,
    ground: SurfaceGround,
    groups: Vec<SurfaceGroup>,
    lines: Located,
}

/// Values of the tables of a scene.
struct SurfaceTables {
    world: CrowdWorld,
    ground: SurfaceGround,
    settings: SurfaceSettings,
    groups: Vec<SurfaceGroup>,
}

impl SurfaceScene {
    /// Reports whether a text is a scene of agents on curved ground: its environment is a table with a shape or a mesh.
    pub fn is_surface(text: &str) -> bool {
        let Ok(mut located) = Located::parse(text) else { return false };
        let environment = &located.take()["crowd"]["environment"];
        environment.get("shape").is_some() || environment.get("mesh").is_some()
    }

    /// Reads a scene; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`LocatedFault`] for the first fault of the text, or of the surface.
    pub fn read(text: &str, folder: &Path, files: &dyn SceneFiles) -> Result<Self, LocatedFault> {
        let mut located = Located::parse(text)?;
        let value = located.take();
        let SurfaceTables { world: CrowdWorld { step, seconds }, ground, settings, groups } =
            read_tables(value, folder, files).map_err(|error| located.fault(&error))?;
        Ok(Self { step, seconds, settings, ground, groups, lines: located })
    }

    /// Returns the number of agents of the scene, with faults or without.
    pub fn count_agents(&self) -> usize {
        self.groups.iter().map(SurfaceGroup::count).sum()
    }

    /// Returns the fault of a simulated time of more than `most` steps.
    pub fn lasts_too_long(&self, most: u64) -> LocatedFault {
        let cause = format!("{} s in steps of {} s are more than {most} steps", self.seconds, self.step);
        self.lines.fault(&FieldError::refused("world.seconds", self.seconds.to_string(), cause))
    }

    /// Makes the agents without faults; returns them with all faults and the number of agents left out.
    pub fn build_without_faulty(&self) -> (SurfaceCrowd<'_>, Vec<LocatedFault>, usize) {
        self.build_on_paths(&self.find_paths(), self.settings.seed)
    }

    /// Computes the paths of the groups, which are the same for every seed.
    pub fn find_paths(&self) -> SurfacePaths<'_> {
        SurfacePaths::new(&self.ground, self.groups.clone())
    }

    /// Makes the agents without faults on known paths of this scene, with a seed of all random numbers; returns them
    /// with all faults and the number of agents left out.
    pub fn build_on_paths<'g>(
        &self,
        paths: &SurfacePaths<'g>,
        seed: u64,
    ) -> (SurfaceCrowd<'g>, Vec<LocatedFault>, usize) {
        let mut settings = self.settings;
        settings.seed = seed;
        let (crowd, faults, left_out) = paths.make_crowd(settings);
        let located = |fault: &SurfaceFault| {
            let table = fault.group().and_then(|name| self.groups.iter().position(|group| group.name == name));
            let is_drawn = |table: usize| matches!(self.groups[table].start, SurfaceStart::Anywhere(_));
            let key = match fault {
                SurfaceFault::TooCurved { .. } if table.is_some_and(is_drawn) => "count".to_owned(),
                _ => key_of(fault),
            };
            let field = table.map_or_else(|| format!("crowd.{key}"), |table| format!("agents[{table}].{key}"));
            LocatedFault::new(self.lines.line(&field), format!("{field}: {fault}"))
        };
        (crowd, faults.iter().map(located).collect(), left_out)
    }
}

/// Returns the key at fault.
fn key_of(fault: &SurfaceFault) -> String {
    match fault {
        SurfaceFault::BadSetting { what, .. } => (*what).to_owned(),
        SurfaceFault::BadNumber { what: "distance to goals", .. } => "within".to_owned(),
        SurfaceFault::BadNumber { what, .. } => (*what).to_owned(),
        SurfaceFault::OffSurface { what: "target", number, .. }
        | SurfaceFault::InBuilding { what: "target", number, .. } => format!("goals[{number}]"),
        SurfaceFault::OffSurface { number, .. }
        | SurfaceFault::InBuilding { number, .. }
        | SurfaceFault::AtWall { number, .. }
        | SurfaceFault::OverEachOther { number, .. }
        | SurfaceFault::OverWall { number, .. }
        | SurfaceFault::TooCurved { number, .. } => format!("places[{number}]"),
        SurfaceFault::NoWay { .. } | SurfaceFault::NoPaths { .. } => "goals".to_owned(),
        SurfaceFault::NoRoom { .. } => "count".to_owned(),
        _ => String::new(),
    }
}

fn read_tables(value: Value, folder: &Path, files: &dyn SceneFiles) -> Result<SurfaceTables, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.only(&[&["world", "crowd", "agents"]])?;
    let world = fields.optional("world", read_world)?.unwrap_or(CrowdWorld { step: USUAL_STEP, seconds: 120.0 });
    let mut crowd = Fields::open("crowd", fields.take("crowd").unwrap_or_default())?;
    crowd.only(&[&["environment", "buildings", "model", "seed", "panic", "anticipation", "changes"], &PARAMETERS])?;
    let read = |path: &str, value: Value| read_mesh(path, value, folder, files);
    let mesh = crowd.required("environment", "a shape or the file of a mesh", read)?;
    let read = |path: &str, value: Value| read_building(path, value, &mesh);
    let buildings = crowd.optional("buildings", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let ground = SurfaceGround::new(&mesh, &buildings.concat()).map_err(|faults| {
        let more = if faults.len() > 1 { format!(" (and {} more)", faults.len() - 1) } else { String::new() };
        FieldError::refused("crowd.environment", "the surface", format!("{}{more}", faults[0]))
    })?;
    let mut settings = SurfaceSettings::default();
    settings.seed = crowd.optional("seed", fields::count)?.unwrap_or(settings.seed);
    settings.panic = crowd.optional("panic", fields::positive)?.unwrap_or(settings.panic);
    settings.anticipation = crowd.optional("anticipation", fields::not_negative)?.unwrap_or(settings.anticipation);
    let changes = crowd.optional("changes", fields::count)?;
    settings.most_changes = changes.map_or(settings.most_changes, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let usual = read_model(&mut crowd, SpaceModel::Bubbles(Default::default()))?;
    let read = |path: &str, value: Value| read_group(path, value, usual, (folder, files));
    let groups = fields.optional("agents", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let ground = ground.with_clearances(groups.iter().map(|group| group.radius));
    let ground = ground.map_err(|fault| FieldError::refused("crowd.environment", "the surface", fault.to_string()))?;
    let mut names = BTreeMap::new();
    for (number, group) in groups.iter().enumerate() {
        if let Some(first) = names.insert(group.name.clone(), number) {
            let cause = format!("agents[{first}] has this name: give each group its own");
            return Err(FieldError::refused(&format!("agents[{number}].name"), &group.name, cause));
        }
    }
    Ok(SurfaceTables { world, ground, settings, groups })
}

/// Reads a generated surface, or the file of a mesh.
fn read_mesh(path: &str, value: Value, folder: &Path, files: &dyn SceneFiles) -> Result<TriMesh, FieldError> {
    let mut table = Fields::open(path, value)?;
    let keys: &[&str] = &["radius", "levels", "ring", "winding", "tube", "windings", "segments", "tube_segments"];
    table.only(&[&["shape", "mesh", "amplitude", "waves"], keys])?;
    if let Some(name) = table.optional("mesh", fields::text)? {
        let refuse = |cause: String| FieldError::refused(&table.path("mesh"), shortened(&name), cause);
        let (vertices, triangles) = read_triangles(&folder.join(&name), files).map_err(refuse)?;
        return TriMesh::new(vertices, triangles).map_err(|error| refuse(error.to_string()));
    }
    let shape = table.required("shape", "a shape", fields::word(&SHAPES))?;
    let mut length = |key: &str| table.required(key, "a number of metres", fields::positive);
    let made = match shape {
        "sphere" => {
            let radius = length("radius")?;
            generate::icosphere(radius, small(table.optional("levels", fields::count)?, 4))
        }
        "torus" => {
            let [ring, tube] = [length("ring")?, length("tube")?];
            let [around, across] = segments_of(&mut table, [96, 24])?;
            generate::torus(ring, tube, around, across)
        }
        "torus-knot" => {
            let [ring, winding, tube] = [length("ring")?, length("winding")?, length("tube")?];
            let windings = table.optional("windings", fields::numbers::<2>)?.unwrap_or([2.0, 3.0]);
            let [around, across] = segments_of(&mut table, [240, 20])?;
            generate::torus_knot(windings.map(|number| number as u32), ring, winding, tube, around, across)
        }
        _ => {
            let [radius, amplitude, waves] = [length("radius")?, length("amplitude")?, length("waves")?];
            generate::bumpy_sphere(radius, amplitude, waves, segments_of(&mut table, [64, 0])?[0])
        }
    };
    made.map_err(|error| FieldError::refused(path, shape, error.to_string()))
}

/// Reads the numbers of segments along a shape and round it.
fn segments_of(table: &mut Fields, usual: [u32; 2]) -> Result<[u32; 2], FieldError> {
    let along = table.optional("segments", fields::count)?;
    Ok([small(along, usual[0]), small(table.optional("tube_segments", fields::count)?, usual[1])])
}

/// Takes a count, or the usual one; counts beyond all generators stay so.
fn small(count: Option<u64>, usual: u32) -> u32 {
    count.map_or(usual, |count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// Reads a building: the faces with their middles near a place.
fn read_building(path: &str, value: Value, mesh: &TriMesh) -> Result<Vec<u32>, FieldError> {
    let mut table = Fields::open(path, value)?;
    table.only(&[&["at", "radius"]])?;
    let place = table.required("at", "the middle, [x, y, z] in metres", fields::vector)?;
    let radius = table.required("radius", "the radius in metres", fields::positive)?;
    let faces = faces_near(mesh, place, radius);
    if faces.is_empty() {
        let cause =
            format!("no face has its middle within {radius} m: give a place on the surface, or a larger radius");
        return Err(FieldError::refused(path, "the building", cause));
    }
    Ok(faces)
}

fn read_group(
    path: &str,
    value: Value,
    usual: SpaceModel,
    (folder, files): (&Path, &dyn SceneFiles),
) -> Result<SurfaceGroup, FieldError> {
    let mut table = Fields::open(path, value)?;
    let keys = ["name", "count", "places", "radius", "speed", "goals", "rounds", "within", "model"];
    table.only(&[&keys, &["outline", "mesh", "sections", "body"], &PARAMETERS])?;
    let name = table.required("name", "a name", fields::text)?;
    let places = table.optional("places", |path, value| fields::list(path, value, fields::vector))?;
    let count = table.optional("count", fields::count)?;
    let start = match (places, count) {
        (Some(places), Some(count)) if count != places.len() as u64 => {
            let cause = format!("there are {} places: leave the number out", places.len());
            return Err(FieldError::refused(&table.path("count"), count.to_string(), cause));
        }
        (Some(places), _) => SurfaceStart::Places(places),
        (None, count) => SurfaceStart::Anywhere(usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX)),
    };
    let cage = RefCell::new(None);
    let read_mesh = |path: &str, name: &str| {
        let (outline, mesh) = read_footprint(path, name, folder, files)?;
        cage.replace(Some(mesh));
        Ok(outline)
    };
    let form = read_form(&mut table, &read_mesh)?;
    let usual_radius = form.clearance().unwrap_or(USUAL_RADIUS);
    let radius = table.optional("radius", fields::not_negative)?.unwrap_or(usual_radius);
    let usual_speed = SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 };
    let speed = table.optional("speed", read_law)?.unwrap_or(usual_speed);
    let model = read_model(&mut table, usual)?;
    let read = |path: &str, value: Value| fields::list(path, value, fields::vector);
    let targets = table.optional("goals", read)?.unwrap_or_default();
    let goes_round = table.optional("rounds", fields::boolean)?.unwrap_or(false);
    let goals = match (targets.is_empty(), goes_round) {
        (true, _) => SurfaceGoals::None,
        (false, true) => SurfaceGoals::Rounds(targets),
        (false, false) => SurfaceGoals::Through(targets),
    };
    let within = table.optional("within", fields::positive)?.unwrap_or(0.5);
    Ok(SurfaceGroup { name, start, radius, form, cage: cage.into_inner(), speed, goals, within, model })
}

/// Describes the trajectories of agents on a surface, in steps of `step` seconds.
pub fn surface_trajectory_header(crowd: &SurfaceCrowd<'_>, step: f64) -> TrajectoryHeader {
    TrajectoryHeader { groups: crowd.names().to_vec(), frame_rate: Some(1.0 / step), walkable: Vec::new() }
}

/// Writes the corners of agents with outlines on a surface as rows of [`OUTLINE_HEADER`](super::OUTLINE_HEADER), each
/// with its line end; in metres. Numbers survive a round trip.
pub fn surface_outline_rows(crowd: &SurfaceCrowd<'_>, step: u64) -> String {
    let mut rows = String::new();
    let mut agents: Vec<u32> = crowd.agents().chain(crowd.departed()).map(|agent| agent.id).collect();
    agents.sort_unstable();
    for agent in agents {
        for (section, corners) in crowd.sections_of(agent).enumerate() {
            for (vertex, Vec3 { x, y, z }) in corners.iter().enumerate() {
                let _ = writeln!(rows, "{step},{agent},{section},{vertex},{x},{y},{z}");
            }
        }
    }
    rows
}

/// Describes a step: each agent that is present or has just left, by number, at its point of the surface.
pub fn surface_trajectory_step(crowd: &SurfaceCrowd<'_>, number: u64) -> TrajectoryStep {
    let row = |agent: SurfaceAgentState| TrajectoryRow {
        agent: u64::from(agent.id),
        group: agent.group,
        position: agent.position,
        velocity: Some(agent.velocity),
    };
    let mut rows: Vec<TrajectoryRow> = crowd.agents().chain(crowd.departed()).map(row).collect();
    rows.sort_by_key(|row| row.agent);
    TrajectoryStep { step: number, time: crowd.time(), rows }
}
