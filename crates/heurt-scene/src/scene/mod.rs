//! Scenes: from text to bodies; each fault has its line.
//!
//! In: TOML as `docs/scenes.md` describes, and the folder that its paths begin from. Out: [`Scene`], from which a world
//! is made. Bodies of the experiment of S2 §7 come from `surgery`.
//! Tables: `world`, `body` (with `mass`, `motion`, `number`), `group` (copies, and rules of all bodies), `joint`,
//! `control`.
//! Guarantees: unknown keys are faults, and so are features that are not available. Two bodies never share a name. Two
//! bodies that touch never do so without end, so that each contact has a depth.

mod body;
mod group;
mod joint;
mod mass;
mod motion;
mod number;
mod surgery;
mod world;

use crate::describe::display::number as show_number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use crate::describe::located::{Located, LocatedFault};
use crate::describe::shape_store::ShapeStore;
use body::read_body;
use group::{Group, are_tested, refuse_endless};
use heurt_broad::BroadPhaseError;
use heurt_shape::TreeChoice;
use heurt_world::{BroadPhaseKind, Kind, Response, Settings, World, WorldError};
use joint::{SceneJoint, read_joint, refused_joint};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use world::{SceneWorld, read_world};

/// A world to be built, and the time to simulate.
pub struct Scene {
    /// Settings of the world.
    pub settings: Settings,
    /// Duration of a step, in seconds.
    pub step: f64,
    /// The time to simulate, in seconds.
    pub seconds: f64,
    /// Seconds that a step may take.
    pub deadline: Option<f64>,
    /// The tree files that were read.
    pub trees: Vec<PathBuf>,
    groups: Vec<Group>,
    joints: Vec<SceneJoint>,
    /// The names of the bodies that may be controlled; all if `None`.
    control: Option<Vec<String>>,
    lines: Located,
}

/// The tables of a scene.
struct SceneTables {
    world: SceneWorld,
    groups: Vec<Group>,
    joints: Vec<SceneJoint>,
    control: Option<Vec<String>>,
}

/// The names of what is in a world.
#[derive(Debug, Clone, Default)]
pub struct SceneNames {
    /// By the places of the bodies.
    pub bodies: Vec<String>,
    /// By the numbers of the joints.
    pub joints: Vec<String>,
    /// The names of the bodies that may be controlled; all if `None`.
    pub control: Option<Vec<String>>,
}

impl Scene {
    /// Reads a scene; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`LocatedFault`] for the first fault of the text, or of a file that it names.
    pub fn read(text: &str, folder: &Path, store: &ShapeStore) -> Result<Self, LocatedFault> {
        let mut located = Located::parse(text)?;
        let value = located.take();
        let tables = value["body"].as_array().into_iter().flatten();
        let trees = tables.filter_map(|body| body["tree"].as_str()).map(|file| folder.join(file)).collect();
        let tables = read_tables(value, folder, store).map_err(|error| located.fault(&error))?;
        let SceneTables { world, groups, joints, control } = tables;
        let SceneWorld { settings, step, seconds, deadline, .. } = world;
        Ok(Self { settings, step, seconds, deadline, trees, groups, joints, control, lines: located })
    }

    /// Makes the world, and the names of its bodies and joints.
    ///
    /// # Errors
    /// [`LocatedFault`] for bodies and joints that no world can have.
    pub fn build(self) -> Result<(World, SceneNames), LocatedFault> {
        let refuse = |error: WorldError| self.lines.fault(&FieldError::refused("world", "it", error));
        let mut world = World::new(self.settings).map_err(refuse)?;
        let bodies = self.insert_bodies(&mut world)?;
        let joints = self.insert_joints(&mut world, &bodies)?;
        self.check_control(&bodies)?;
        // Finds the contacts at the start of the scene.
        world.refresh_contacts().map_err(|error| match &error {
            WorldError::Crowded { id, .. } => {
                let mut ends = self.groups.iter().scan(0, |end, group| {
                    *end += group.count as usize;
                    Some((*end, group))
                });
                let group = ends.find(|(end, _)| id.index() < *end);
                let field = group.map_or("world".to_owned(), |(_, group)| field_of(group));
                self.lines.fault(&FieldError::refused(&field, format!("`{}`", bodies[id.index()]), error))
            }
            _ => refuse(error),
        })?;
        Ok((world, SceneNames { bodies, joints, control: self.control }))
    }

    /// Inserts all bodies and returns their names.
    fn insert_bodies(&self, world: &mut World) -> Result<Vec<String>, LocatedFault> {
        let broad_phase = BroadPhaseKind::name(self.settings.broad_phase);
        let mut names = Vec::with_capacity(self.groups.iter().map(|group| group.count as usize).sum());
        for group in &self.groups {
            let field = field_of(group);
            for copy in 0..group.count {
                let refuse =
                    |cause: String| self.lines.fault(&FieldError::refused(&field, format!("`{}`", group.name), cause));
                let (name, body) = group.copy(copy).map_err(refuse)?;
                let refuse = |error: WorldError| {
                    self.lines.fault(&match error {
                        WorldError::Broad(BroadPhaseError::IdTooLarge { end, .. }) => {
                            let cause = format!("it takes {end} bodies, and `{name}` is one more: choose another kind");
                            FieldError::refused("world.broad_phase", broad_phase, cause)
                        }
                        error => FieldError::refused(&field, format!("`{name}`"), error),
                    })
                };
                world.insert(body).map_err(refuse)?;
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Inserts all joints between the bodies of these names and returns the names of the joints.
    fn insert_joints(&self, world: &mut World, bodies: &[String]) -> Result<Vec<String>, LocatedFault> {
        let by_name = world.bodies().map(|(id, body)| (bodies[id.index()].as_str(), (id, body))).collect();
        let mut designs = Vec::with_capacity(self.joints.len());
        for (number, joint) in self.joints.iter().enumerate() {
            let design = joint.design(&format!("joint[{number}]"), &by_name);
            designs.push(design.map_err(|error| self.lines.fault(&error))?);
        }
        for (number, design) in designs.iter().enumerate() {
            let refuse = |error| self.lines.fault(&refused_joint(&format!("joint[{number}]"), &error));
            world.insert_joint(design).map_err(refuse)?;
        }
        Ok(self.joints.iter().enumerate().map(|(number, joint)| joint.show_name(number)).collect())
    }

    /// Refuses names in `[control]` that no body has.
    fn check_control(&self, bodies: &[String]) -> Result<(), LocatedFault> {
        let known: BTreeSet<&String> = bodies.iter().collect();
        match self.control.iter().flatten().enumerate().find(|(_, name)| !known.contains(name)) {
            Some((number, name)) => {
                let cause = "no body has this name; copies are called as `ball#1`";
                Err(self.lines.fault(&FieldError::refused(&format!("control.bodies[{number}]"), name, cause)))
            }
            None => Ok(()),
        }
    }

    /// Returns the bodies whose trees no pair walks: no body that they are tested against has one of the same volume
    /// and degree.
    pub fn unused_trees(&self) -> Vec<String> {
        let with_trees = self.groups.iter().filter_map(|group| group.tree.map(|tree| (group, tree)));
        let with_trees: Vec<(&Group, TreeChoice)> = with_trees.collect();
        let is_walked = |&(one, tree): &(&Group, TreeChoice)| {
            with_trees.iter().any(|&(other, others)| {
                let is_other = !std::ptr::eq(one, other) || one.count > 1;
                let is_like = (tree.volume, tree.degree) == (others.volume, others.degree);
                is_other && is_like && are_tested(&one.first, &other.first)
            })
        };
        let unused = with_trees.iter().filter(|one| !is_walked(one));
        unused.map(|(group, _)| group.name.clone()).collect()
    }

    /// Returns the fault of a simulated time of more than `most` steps.
    pub fn lasts_too_long(&self, most: u64) -> LocatedFault {
        let (seconds, step) = (show_number(self.seconds), show_number(self.step));
        let cause = format!("{seconds} s in steps of {step} s are more than {most} steps");
        // If the scene does not set `seconds`, its `step` is the cause.
        self.lines.fault(&match self.lines.has("world.seconds") {
            true => FieldError::refused("world.seconds", seconds, format!("{cause}: take longer steps, or less time")),
            false => FieldError::refused("world.step", step, format!("{cause}: take longer ones")),
        })
    }
}

/// The field of a body, for faults.
fn field_of(group: &Group) -> String {
    group.table.map_or("surgery".to_owned(), |number| format!("body[{number}]"))
}

/// Reads the world, its bodies and joints.
fn read_tables(value: Value, folder: &Path, store: &ShapeStore) -> Result<SceneTables, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.only(&[&["world", "surgery", "body", "joint", "control"]])?;
    let mut world = fields.optional("world", read_world)?.unwrap_or_default();
    let field = fields.optional("surgery", |path, value| surgery::bodies(path, value, world.step, store))?;
    let read = |path: &str, value: Value| read_body(path, value, folder, store);
    let bodies = fields.optional("body", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let joints = fields.optional("joint", |path, value| fields::list(path, value, read_joint))?.unwrap_or_default();
    let control = fields.optional("control", read_control)?;
    refuse_endless(&bodies)?;
    let of_field = field.unwrap_or_default().into_iter().map(|(name, first)| Group::one(name, first));
    let of_field = of_field.map(|group| Group { tree: store.usual_tree(), ..group });
    let mut groups: Vec<Group> = of_field.collect();
    let mut names: BTreeSet<String> = groups.iter().map(|group| group.name.clone()).collect();
    for (number, group) in bodies.into_iter().enumerate() {
        group.check(&format!("body[{number}]"), &world, &mut names)?;
        groups.push(Group { table: Some(number), ..group });
    }
    world.settle(groups.iter().any(|group| matches!(group.first.kind, Kind::Dynamic(_))))?;
    check_joints(&joints, &world)?;
    Ok(SceneTables { world, groups, joints, control })
}

/// Reads the `[control]` table: the names of the bodies that a person or a program may move.
fn read_control(path: &str, value: Value) -> Result<Vec<String>, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["bodies"]])?;
    fields.required("bodies", "a list of names of bodies", |path, value| fields::list(path, value, fields::text))
}

/// Refuses joints of one name, and joints of a world in which nothing responds.
fn check_joints(joints: &[SceneJoint], world: &SceneWorld) -> Result<(), FieldError> {
    let mut names = BTreeSet::new();
    for (number, joint) in joints.iter().enumerate() {
        if world.settings.response == Response::None {
            let cause = "joints act only with a response: set response = \"auto\" in [world]";
            return Err(FieldError::refused(&format!("joint[{number}]"), "it", cause));
        }
        if world.settings.response == Response::Penalty {
            let cause = "response = \"penalty\" has no joints: set response = \"auto\" in [world]";
            return Err(FieldError::refused(&format!("joint[{number}]"), "it", cause));
        }
        if let Some(name) = names.replace(joint.show_name(number)) {
            let cause = "two joints have this name: give each its own";
            return Err(FieldError::refused(&format!("joint[{number}].name"), name, cause));
        }
    }
    Ok(())
}
