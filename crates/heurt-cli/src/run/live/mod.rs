//! Live view of a run of bodies: frames for viewers, and their messages: layers, inspect, grab.
//!
//! Method: [`Player`] has the pace and the messages of all runs. A viewer holds a body by a damped spring of 4 Hz
//! between a point of it and a target; a kinematic body follows the target. Both become control objects, so that a
//! record has them.

mod history;
mod player;
mod scene;
mod spring;

pub(super) use player::{Player, Shown, Wanted};

use super::control::{Control, Origin};
use super::control_error::{ControlError, MessageError};
use super::layers::{Layer, Layers};
use super::{RunPlan, Turn};
use crate::Failure;
use crate::view::{ViewArguments, Viewer};
use heurt::geometry::{Quat, Vec3};
use heurt::scene::SceneNames;
use heurt::view::wire::{
    FrameHeader, FrameWriter, write_bodies, write_contacts, write_energy, write_soft_bodies, write_stages,
};
use heurt::world::{Body, BodyId, FARTHEST, Kind, STAGES, World};
use player::number_of;
use serde_json::{Value, json};
use spring::pull_of_spring;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Pairs that touch up to which the history has their contacts: 1,000 places of 48 bytes are as much as 1,700 poses.
const MAX_HISTORY_PAIRS: usize = 500;

/// A point of a body that a viewer holds.
#[derive(Debug, Clone, Copy)]
struct Grab {
    body: BodyId,
    /// In the frame of the body.
    point: Vec3,
    /// In the world frame.
    target: Vec3,
}

/// The live view of a run.
pub(super) struct LiveRun {
    player: Player<Layer>,
    bodies: LiveBodies,
}

/// The bodies of a run as viewers see and hold them.
struct LiveBodies {
    names: Vec<String>,
    ids: Vec<Option<BodyId>>,
    grabs: BTreeMap<Viewer, Grab>,
    stages: [f64; STAGES.len()],
    /// The run repeats a record, and nothing may move its bodies.
    is_replay: bool,
}

/// A world between two steps.
struct ShownWorld<'w> {
    world: &'w World,
    control: &'w mut Control,
    bodies: &'w mut LiveBodies,
}

impl LiveRun {
    /// Starts the server for a world and prints its address.
    pub(super) fn start(
        arguments: &ViewArguments,
        world: &World,
        names: &SceneNames,
        plan: RunPlan,
    ) -> Result<Self, Failure> {
        let (scene, meshes) = scene::describe_scene(arguments, world, names, &plan);
        let player = Player::start(arguments, &scene, meshes, !plan.is_replay)?;
        let count = world.bodies().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let mut ids = vec![None; count];
        world.bodies().for_each(|(id, _)| ids[id.index()] = Some(id));
        let bodies = LiveBodies {
            names: names.bodies.clone(),
            ids,
            grabs: BTreeMap::new(),
            stages: [0.0; STAGES.len()],
            is_replay: plan.is_replay,
        };
        Ok(Self { player, bodies })
    }

    /// Reports a step that was taken, or the initial state.
    pub(super) fn note_step(&mut self, world: &World, control: &mut Control, stages: Option<&[f64; STAGES.len()]>) {
        self.bodies.stages = stages.copied().unwrap_or_default();
        let mut frame =
            FrameWriter::new(&FrameHeader { step: world.steps(), time: world.time(), ..Default::default() });
        write_bodies(&mut frame, world, &[]);
        write_soft_bodies(&mut frame, world);
        if world.contacts().len() <= MAX_HISTORY_PAIRS {
            write_contacts(&mut frame, world);
        }
        write_energy(&mut frame, world.energy());
        write_stages(&mut frame, &self.bodies.stages);
        self.player.note_step(&ShownWorld { world, control, bodies: &mut self.bodies }, frame);
    }

    /// Serves viewers until the next step of `step` seconds is due, or until the run is to end.
    pub(super) fn await_turn(&mut self, world: &World, control: &mut Control, step: f64, stop: &AtomicBool) -> Turn {
        self.player.await_turn(&mut ShownWorld { world, control, bodies: &mut self.bodies }, step, stop)
    }

    /// Serves viewers after the last step until the run is stopped.
    pub(super) fn linger(&mut self, world: &World, control: &mut Control, reason: &str, stop: &AtomicBool) {
        self.player.linger(&mut ShownWorld { world, control, bodies: &mut self.bodies }, reason, stop);
    }

    /// Reports whether some viewer shows the paths of bodies.
    pub(super) fn shows_paths(&self) -> bool {
        self.player.shows(Layer::Swept)
    }

    /// Adds the control objects of held bodies for the next step of `dt` seconds.
    pub(super) fn pull(&self, world: &World, control: &mut Control, dt: f64) {
        for (viewer, grab) in &self.bodies.grabs {
            let Some(body) = world.body(grab.body) else { continue };
            let object = self.bodies.pull_of(body, grab, dt);
            if let Some(object) = object
                && let Err(error) = control.accept(world, object, Origin::Viewer(*viewer))
            {
                self.player.refuse(*viewer, &error);
            }
        }
    }

    /// Sends the reason for which an object had no effect to the viewer that it came from.
    pub(super) fn refuse_object(&self, origin: Origin, error: &ControlError) {
        if let Origin::Viewer(viewer) = origin {
            self.player.refuse(viewer, error);
        }
    }
}

impl LiveBodies {
    /// Returns the control object by which a viewer pulls a body: a pose, or the force of a damped spring.
    fn pull_of(&self, body: &Body, grab: &Grab, dt: f64) -> Option<Value> {
        let name = &self.names[grab.body.index()];
        let at = body.pose.place(grab.point);
        match &body.kind {
            Kind::Kinematic(None) => {
                let to = body.pose.translation() + (grab.target - at);
                let rotation = Quat::from_mat3(body.pose.rotation()).normalize();
                Some(json!({"body": name, "pose": {"translation": to.to_array(), "rotation": rotation.to_array()}}))
            }
            Kind::Dynamic(mass) => {
                let (force, torque) = pull_of_spring(body, mass, at, grab.target, dt);
                Some(json!({"body": name, "force": force.to_array(), "torque": torque.to_array(), "at": at.to_array()}))
            }
            _ => None,
        }
    }

    fn refuse_if_replay(&self) -> Result<(), MessageError> {
        match self.is_replay {
            true => Err(MessageError::Replay),
            false => Ok(()),
        }
    }
}

impl ShownWorld<'_> {
    fn id_of(&self, number: &Value) -> Result<BodyId, MessageError> {
        let id = self.bodies.ids.get(number_of(number, self)?).copied().flatten();
        id.ok_or_else(|| MessageError::NoSuchBody(number.clone()))
    }

    fn grab(&mut self, viewer: Viewer, message: &Value) -> Result<(), MessageError> {
        self.bodies.refuse_if_replay()?;
        let id = self.id_of(message.get("body").unwrap_or(&Value::Null))?;
        let name = &self.bodies.names[id.index()];
        if self.control.allowed().is_some_and(|allowed| !allowed.contains(name)) {
            return Err(MessageError::NotListed(name.clone()));
        }
        let body = self.world.body(id).ok_or(MessageError::Gone)?;
        if !matches!(body.kind, Kind::Dynamic(_) | Kind::Kinematic(None)) {
            return Err(MessageError::NotMovable(name.clone()));
        }
        let at = point(message, "at")?;
        let target = if message.get("target").is_some() { point(message, "target")? } else { at };
        let local = body.pose.rotation().transpose() * (at - body.pose.translation());
        self.bodies.grabs.insert(viewer, Grab { body: id, point: local, target });
        Ok(())
    }
}

impl Shown for ShownWorld<'_> {
    type Layer = Layer;

    fn steps(&self) -> u64 {
        self.world.steps()
    }

    fn time(&self) -> f64 {
        self.world.time()
    }

    fn layer(name: &str, level: u32) -> Option<Layer> {
        Layer::of(name, level)
    }

    fn has_body(&self, number: usize) -> bool {
        self.bodies.ids.get(number).is_some_and(Option::is_some)
    }

    fn describe_body(&self, number: usize) -> Option<Value> {
        let id = self.bodies.ids.get(number).copied().flatten()?;
        Some(describe_state(self.world, id, self.world.body(id)?))
    }

    fn write(&self, frame: &mut FrameWriter, wanted: &Wanted<Layer>) {
        let held: Vec<usize> = self.bodies.grabs.values().map(|grab| grab.body.index()).collect();
        write_bodies(frame, self.world, &held);
        write_soft_bodies(frame, self.world);
        let layers = Layers::of(wanted.layers.iter().copied());
        if layers.has(Layer::Contacts) {
            write_contacts(frame, self.world);
        }
        layers.write(frame, self.world);
        write_stages(frame, &self.bodies.stages);
        write_energy(frame, self.world.energy());
    }

    fn obey(&mut self, viewer: Viewer, verb: Option<&str>, message: Value) -> Result<(), MessageError> {
        match verb {
            None => {
                self.bodies.refuse_if_replay()?;
                self.control.accept(self.world, message, Origin::Viewer(viewer))?;
            }
            Some("grab") => self.grab(viewer, &message)?,
            Some("drag") => {
                let target = point(&message, "target")?;
                self.bodies.grabs.get_mut(&viewer).ok_or(MessageError::NothingHeld)?.target = target;
            }
            Some("release") => _ = self.bodies.grabs.remove(&viewer),
            Some(other) => return Err(MessageError::UnknownVerb(other.to_owned())),
        }
        Ok(())
    }

    fn dismiss(&mut self, viewer: Viewer) {
        self.bodies.grabs.remove(&viewer);
    }
}

/// Reads a point of a message.
fn point(message: &Value, key: &'static str) -> Result<Vec3, MessageError> {
    let numbers = message.get(key).and_then(Value::as_array).filter(|numbers| numbers.len() == 3);
    let coordinates = numbers.map(|numbers| [0, 1, 2].map(|axis| numbers[axis].as_f64().unwrap_or(f64::NAN)));
    // A comparison with NaN is false.
    let is_near = |point: &Vec3| point.abs().max_element() <= FARTHEST;
    let point = coordinates.map(Vec3::from_array).filter(|point| point.is_finite() && is_near(point));
    point.ok_or(MessageError::Value { key, legal: "a list of 3 numbers, in metres, within the range of a world" })
}

fn describe_state(world: &World, id: BodyId, body: &Body) -> Value {
    let rotation = Quat::from_mat3(body.pose.rotation()).normalize();
    let contacts = world.contacts().iter().filter(|touch| touch.a == id || touch.b == id).count();
    json!({
        "type": "body",
        "body": id.index(),
        "step": world.steps(),
        "translation": body.pose.translation().to_array(),
        "rotation": rotation.to_array(),
        "velocity": body.velocity.to_array(),
        "angular_velocity": body.angular_velocity.to_array(),
        "asleep": world.is_asleep(id),
        "contacts": contacts,
    })
}
