//! Live view of a run: frames for viewers, and their messages: play, pause, seek, layers, inspect, grab.
//!
//! Method: before each step the run requests its turn ([`LiveRun::await_turn`]), which comes in real time times the
//! rate while the run plays. Messages are handled between steps. Frames are encoded only if a viewer is ready for one,
//! at most 60 a second; each step's poses go into the history, for seeking.
//! A viewer holds a body by a damped spring of 4 Hz between a point of it and a target; a kinematic body follows the
//! target. Both become control objects, so that a record has them.

use super::control::{Control, Origin};
use super::control_error::{ControlError, MessageError};
use super::history::History;
use super::layers::{Layer, Layers};
use super::picture::{bounds_of, surface_options, up_of};
use super::{RunPlan, Turn};
use crate::view::{BoundsJson, Hub, Incoming, SceneBodyJson, SceneJson, SceneMeshes, Server, ViewArguments, Viewer};
use crate::{Failure, output};
use heurt::geometry::{Mat3, Quat, Vec3};
use heurt::scene::SceneNames;
use heurt::shape::Shape;
use heurt::view::wire::{
    FRAME_ENDED, FRAME_OF_HISTORY, FRAME_PLAYING, FrameHeader, FrameWriter, write_bodies, write_contacts, write_energy,
    write_stages, write_vertices,
};
use heurt::world::{Body, BodyId, FARTHEST, Kind, Mass, STAGES, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Least time between two frames: 60 a second.
const FRAME_TIME: Duration = Duration::from_micros(16_000);
/// Time between two states of the inspected body.
const INSPECT_TIME: Duration = Duration::from_millis(100);
/// Steps that a message may request: a quarter of an hour at 100 a second.
const MAX_STEPS_AT_ONCE: u64 = 100_000;
/// Time for messages before the run goes on: a third of a frame. The message that exceeds it is handled completely.
const MESSAGE_TIME: Duration = Duration::from_millis(5);
/// The longest message of a viewer that only watches, in bytes.
const MAX_READ_ONLY_MESSAGE: usize = 4096;
/// Names of layers in a message.
const MAX_LAYERS: usize = 64;
/// Letters of an answer to a wrong message.
const MAX_ANSWER: usize = 400;
/// Longest sleep before messages are read again.
const POLL: Duration = Duration::from_millis(4);
/// Frequency of the spring by which a viewer holds a dynamic body, in Hz: quick, and stable at 60 steps a second.
const GRAB_FREQUENCY: f64 = 4.0;
/// Rate at which the spin of a held body decays, in 1/s: by a third in a sixtieth of a second.
const GRAB_SPIN_DECAY: f64 = 24.0;
/// Pairs that touch up to which the history has their contacts: 1,000 places of 48 bytes are as much as 1,700 poses.
const MAX_HISTORY_PAIRS: usize = 500;
/// Real time that a slow run may be late before the clock is set again.
const MAX_LAG: Duration = Duration::from_millis(100);

/// A point of a body that a viewer holds.
#[derive(Debug, Clone, Copy)]
struct Grab {
    body: BodyId,
    /// In the frame of the body.
    point: Vec3,
    /// In the world frame.
    target: Vec3,
}

/// The wishes of a viewer.
#[derive(Debug, Default)]
struct ViewerState {
    layers: BTreeSet<Layer>,
    inspected: Option<BodyId>,
    grab: Option<Grab>,
}

/// The live view of a run.
pub(super) struct LiveRun {
    hub: Arc<Hub>,
    events: Receiver<Incoming>,
    names: Vec<String>,
    ids: Vec<Option<BodyId>>,
    viewers: BTreeMap<Viewer, ViewerState>,
    history: History,
    stages: [f64; STAGES.len()],
    is_read_only: bool,
    /// The run repeats a record, and nothing may move its bodies.
    is_replay: bool,
    is_playing: bool,
    /// Nothing plays before the first viewer is there.
    has_begun: bool,
    /// Why the run ended, if it did.
    end: Option<String>,
    /// Steps to take while the run is paused.
    owed: u64,
    /// Simulated seconds a second.
    rate: f64,
    /// When the next step is due.
    due: Instant,
    /// The earlier step that is shown.
    sought: Option<u64>,
    /// Something changed since the last frame.
    is_stale: bool,
    /// When the last frame and the last state of an inspected body were sent.
    framed: Option<Instant>,
    inspected: Option<Instant>,
}

impl LiveRun {
    /// Starts the server for a world and prints its address.
    pub(super) fn start(
        arguments: &ViewArguments,
        world: &World,
        names: &SceneNames,
        plan: RunPlan,
    ) -> Result<Self, Failure> {
        let (scene, meshes) = describe_scene(arguments, world, names, &plan);
        let scene = serde_json::to_vec(&scene).map_err(|error| Failure::output(error.into()))?;
        let (hub, events) = Hub::new(scene, meshes.into_bytes());
        let hub = Arc::new(hub);
        let server = Server::start(arguments, Arc::clone(&hub))?;
        server.announce(arguments, !arguments.read_only && !plan.is_replay);
        let count = world.bodies().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let mut ids = vec![None; count];
        world.bodies().for_each(|(id, _)| ids[id.index()] = Some(id));
        let now = Instant::now();
        Ok(Self {
            hub,
            events,
            names: names.bodies.clone(),
            ids,
            viewers: BTreeMap::new(),
            history: History::default(),
            stages: [0.0; STAGES.len()],
            is_read_only: arguments.read_only,
            is_replay: plan.is_replay,
            is_playing: true,
            has_begun: false,
            end: None,
            owed: 0,
            rate: 1.0,
            due: now,
            sought: None,
            is_stale: true,
            framed: None,
            inspected: None,
        })
    }

    /// Reports a step that was taken, or the initial state.
    pub(super) fn note_step(&mut self, world: &World, stages: Option<&[f64; STAGES.len()]>) {
        self.stages = stages.copied().unwrap_or_default();
        let mut frame =
            FrameWriter::new(&FrameHeader { step: world.steps(), time: world.time(), ..Default::default() });
        write_bodies(&mut frame, world, &[]);
        write_vertices(&mut frame, world);
        if world.contacts().len() <= MAX_HISTORY_PAIRS {
            write_contacts(&mut frame, world);
        }
        write_energy(&mut frame, world.energy());
        write_stages(&mut frame, &self.stages);
        self.history.push(world.steps(), world.time(), frame.finish());
        self.is_stale = true;
        self.show(world);
    }

    /// Serves viewers until the next step of `step` seconds is due, or until the run is to end.
    pub(super) fn await_turn(&mut self, world: &World, control: &mut Control, step: f64, stop: &AtomicBool) -> Turn {
        loop {
            self.read_messages(world, control, Duration::ZERO);
            if stop.load(Ordering::Relaxed) {
                return Turn::End;
            }
            self.show(world);
            if self.has_begun && self.owed > 0 {
                self.owed -= 1;
                self.due = Instant::now();
                return Turn::Step;
            }
            let now = Instant::now();
            let is_playing = self.has_begun && self.is_playing;
            if is_playing && now >= self.due {
                let paced = Duration::try_from_secs_f64(step / self.rate).unwrap_or(Duration::MAX);
                // A run that cannot keep up does not try to catch up.
                let base = if now.saturating_duration_since(self.due) > MAX_LAG { now } else { self.due };
                self.due = base.checked_add(paced).unwrap_or(now + Duration::from_secs(3600));
                self.sought = None;
                return Turn::Step;
            }
            let patience = if is_playing { POLL.min(self.due - now) } else { POLL };
            self.read_messages(world, control, patience);
        }
    }

    /// Serves viewers after the last step until the run is stopped.
    pub(super) fn linger(&mut self, world: &World, control: &mut Control, reason: &str, stop: &AtomicBool) {
        eprintln!("{}; Ctrl-C ends the view", output::printable(reason));
        self.end = Some(reason.to_owned());
        self.is_playing = false;
        self.is_stale = true;
        self.hub.reply_all(&json!({"type": "end", "message": reason}).to_string());
        while !stop.load(Ordering::Relaxed) {
            self.owed = 0;
            self.is_playing = false;
            self.read_messages(world, control, POLL);
            self.show(world);
        }
    }

    /// Reports whether some viewer shows the paths of bodies.
    pub(super) fn shows_paths(&self) -> bool {
        self.viewers.values().any(|viewer| viewer.layers.contains(&Layer::Swept))
    }

    /// Adds the control objects of held bodies for the next step of `dt` seconds.
    pub(super) fn pull(&self, world: &World, control: &mut Control, dt: f64) {
        for (viewer, grab) in self.viewers.iter().filter_map(|(viewer, state)| Some((viewer, state.grab?))) {
            let Some(body) = world.body(grab.body) else { continue };
            let object = self.pull_of(body, &grab, dt);
            if let Some(object) = object
                && let Err(error) = control.accept(world, object, Origin::Viewer(*viewer))
            {
                self.refuse(*viewer, &error);
            }
        }
    }

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

    /// Reads the messages that are there, as long as [`MESSAGE_TIME`] lasts; waits up to `patience` for the first one.
    fn read_messages(&mut self, world: &World, control: &mut Control, patience: Duration) {
        let first = match patience.is_zero() {
            true => self.events.try_recv().ok(),
            false => self.events.recv_timeout(patience).ok(),
        };
        let begun = Instant::now();
        let mut next = first;
        while let Some(event) = next {
            self.hub.note_read(&event);
            self.handle(event, world, control);
            next = if begun.elapsed() < MESSAGE_TIME { self.events.try_recv().ok() } else { None };
        }
    }

    fn handle(&mut self, event: Incoming, world: &World, control: &mut Control) {
        match event {
            Incoming::Joined(viewer) => {
                self.viewers.insert(viewer, ViewerState::default());
                if !self.has_begun {
                    self.has_begun = true;
                    self.due = Instant::now();
                }
                self.is_stale = true;
                if let Some(reason) = &self.end {
                    self.hub.reply(viewer, json!({"type": "end", "message": reason}).to_string());
                }
            }
            Incoming::Left(viewer) => {
                self.viewers.remove(&viewer);
            }
            Incoming::Text(viewer, text) => {
                if let Err(error) = self.obey(viewer, &text, world, control) {
                    self.refuse(viewer, &error);
                }
            }
        }
    }

    /// Sends the reason for which an object had no effect to the viewer that it came from.
    pub(super) fn refuse_object(&self, origin: Origin, error: &ControlError) {
        if let Origin::Viewer(viewer) = origin {
            self.refuse(viewer, error);
        }
    }

    /// Sends a viewer the reason for which its message had no effect.
    pub(super) fn refuse(&self, viewer: Viewer, error: &dyn std::error::Error) {
        let message: String = error.to_string().chars().take(MAX_ANSWER).collect();
        self.hub.reply(viewer, json!({"type": "error", "message": message}).to_string());
    }

    /// Carries out a message; returns what is wrong with it.
    fn obey(&mut self, viewer: Viewer, text: &str, world: &World, control: &mut Control) -> Result<(), MessageError> {
        if self.is_read_only && text.len() > MAX_READ_ONLY_MESSAGE {
            return Err(MessageError::LongMessage(MAX_READ_ONLY_MESSAGE));
        }
        let message: Value = serde_json::from_str(text)?;
        let Some(verb) = message.get("do") else {
            self.refuse_if_read_only()?;
            self.refuse_if_replay()?;
            self.refuse_if_ended()?;
            return Ok(control.accept(world, message, Origin::Viewer(viewer))?);
        };
        let verb = verb.as_str().ok_or(MessageError::Value { key: "do", legal: "a text" })?;
        let is_change = !matches!(verb, "layers" | "inspect");
        if is_change {
            self.refuse_if_read_only()?;
        }
        if matches!(verb, "play" | "step" | "grab" | "drag") {
            self.refuse_if_ended()?;
        }
        match verb {
            "play" => self.is_playing = true,
            "pause" => (self.is_playing, self.owed) = (false, 0),
            "step" => {
                let count = message.get("count").map_or(Some(1), Value::as_u64);
                let count = count.filter(|count| (1..=MAX_STEPS_AT_ONCE).contains(count));
                let count = count.ok_or(MessageError::Count { key: "count", most: MAX_STEPS_AT_ONCE })?;
                (self.is_playing, self.owed, self.sought) = (false, count, None);
            }
            "rate" => {
                let rate = message.get("value").and_then(Value::as_f64);
                let rate = rate.filter(|rate| *rate > 0.0 && *rate <= 100.0);
                self.rate = rate.ok_or(MessageError::Value { key: "value", legal: "above 0 and at most 100" })?;
                self.due = Instant::now();
            }
            "seek" => self.seek(&message, world)?,
            "layers" => self.choose_layers(viewer, &message)?,
            "inspect" => {
                let body = match message.get("body") {
                    None | Some(Value::Null) => None,
                    Some(number) => Some(self.id_of(number)?),
                };
                self.viewers.entry(viewer).or_default().inspected = body;
                self.inspected = None;
            }
            "grab" => self.grab(viewer, &message, world, control)?,
            "drag" => {
                let target = point(&message, "target")?;
                let grab = self.viewers.get_mut(&viewer).and_then(|viewer| viewer.grab.as_mut());
                grab.ok_or(MessageError::NothingHeld)?.target = target;
            }
            "release" => self.viewers.entry(viewer).or_default().grab = None,
            other => return Err(MessageError::UnknownVerb(other.to_owned())),
        }
        self.is_stale = true;
        Ok(())
    }

    fn refuse_if_read_only(&self) -> Result<(), MessageError> {
        match self.is_read_only {
            true => Err(MessageError::ReadOnly),
            false => Ok(()),
        }
    }

    fn refuse_if_ended(&self) -> Result<(), MessageError> {
        match &self.end {
            Some(reason) => Err(MessageError::Ended(reason.clone())),
            None => Ok(()),
        }
    }

    fn refuse_if_replay(&self) -> Result<(), MessageError> {
        match self.is_replay {
            true => Err(MessageError::Replay),
            false => Ok(()),
        }
    }

    /// Shows an earlier step; takes steps up to a later one.
    fn seek(&mut self, message: &Value, world: &World) -> Result<(), MessageError> {
        let step = message.get("step").and_then(Value::as_u64);
        let step = step.ok_or(MessageError::Value { key: "step", legal: "the number of a step" })?;
        if step > world.steps() {
            if self.end.is_some() {
                return Err(MessageError::EndedWith(world.steps()));
            }
            let steps = step - world.steps();
            if steps > MAX_STEPS_AT_ONCE {
                return Err(MessageError::FarSeek(MAX_STEPS_AT_ONCE));
            }
            (self.owed, self.sought) = (steps, None);
        } else {
            (self.owed, self.sought) = (0, (step < world.steps()).then_some(step));
        }
        self.is_playing = false;
        Ok(())
    }

    fn choose_layers(&mut self, viewer: Viewer, message: &Value) -> Result<(), MessageError> {
        let names = message.get("on").and_then(Value::as_array);
        let names = names.ok_or(MessageError::Value { key: "on", legal: "a list of names of layers" })?;
        if names.len() > MAX_LAYERS {
            return Err(MessageError::ManyLayers(MAX_LAYERS));
        }
        let level = message.get("level").and_then(Value::as_u64).unwrap_or(0).min(64) as u32;
        let layers = names.iter().map(|name| {
            let name = name.as_str().unwrap_or_default();
            Layer::of(name, level).ok_or_else(|| MessageError::NoLayer(name.to_owned()))
        });
        self.viewers.entry(viewer).or_default().layers = layers.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn id_of(&self, number: &Value) -> Result<BodyId, MessageError> {
        let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
        let id = index.and_then(|index| *self.ids.get(index)?);
        id.ok_or_else(|| MessageError::NoSuchBody(number.clone()))
    }

    fn grab(&mut self, viewer: Viewer, message: &Value, world: &World, control: &Control) -> Result<(), MessageError> {
        self.refuse_if_replay()?;
        let id = self.id_of(message.get("body").unwrap_or(&Value::Null))?;
        let name = &self.names[id.index()];
        if control.allowed().is_some_and(|allowed| !allowed.contains(name)) {
            return Err(MessageError::NotListed(name.clone()));
        }
        let body = world.body(id).ok_or(MessageError::Gone)?;
        if !matches!(body.kind, Kind::Dynamic(_) | Kind::Kinematic(None)) {
            return Err(MessageError::NotMovable(name.clone()));
        }
        let at = point(message, "at")?;
        let target = if message.get("target").is_some() { point(message, "target")? } else { at };
        let local = body.pose.rotation().transpose() * (at - body.pose.translation());
        self.viewers.entry(viewer).or_default().grab = Some(Grab { body: id, point: local, target });
        Ok(())
    }

    /// Publishes a frame if something changed, a viewer is ready, and the last frame is old enough.
    fn show(&mut self, world: &World) {
        self.show_inspected(world);
        if !self.is_stale || !self.hub.wants_frame() || self.framed.is_some_and(|at| at.elapsed() < FRAME_TIME) {
            return;
        }
        (self.is_stale, self.framed) = (false, Some(Instant::now()));
        let mut flags = 0;
        flags |= if self.is_playing && self.has_begun { FRAME_PLAYING } else { 0 };
        flags |= if self.end.is_some() { FRAME_ENDED } else { 0 };
        let (newest, rate) = (world.steps(), self.rate as f32);
        if let Some((step, time, frame)) = self.sought.and_then(|step| self.history.at(step)) {
            let header = FrameHeader { flags: flags | FRAME_OF_HISTORY, step, time, newest, rate };
            let mut frame = frame.to_vec();
            heurt::view::wire::set_frame_header(&mut frame, &header);
            return self.hub.publish(frame);
        }
        let mut frame = FrameWriter::new(&FrameHeader { flags, step: world.steps(), time: world.time(), newest, rate });
        let held: Vec<usize> = self.viewers.values().filter_map(|viewer| Some(viewer.grab?.body.index())).collect();
        write_bodies(&mut frame, world, &held);
        write_vertices(&mut frame, world);
        let layers = Layers::of(self.viewers.values().flat_map(|viewer| viewer.layers.iter().copied()));
        if layers.has(Layer::Contacts) {
            write_contacts(&mut frame, world);
        }
        layers.write(&mut frame, world);
        write_stages(&mut frame, &self.stages);
        write_energy(&mut frame, world.energy());
        self.hub.publish(frame.finish());
    }

    /// Sends the states of the inspected bodies.
    fn show_inspected(&mut self, world: &World) {
        if self.inspected.is_some_and(|at| at.elapsed() < INSPECT_TIME) {
            return;
        }
        self.inspected = Some(Instant::now());
        for (viewer, state) in &self.viewers {
            if let Some((id, body)) = state.inspected.and_then(|id| Some((id, world.body(id)?))) {
                self.hub.reply(*viewer, describe_state(world, id, body).to_string());
            }
        }
    }
}

/// Computes the force at a point and the torque by which a damped spring pulls it to a target during a step of `dt`
/// seconds.
///
/// The spring is a soft constraint, implicit in time (Catto 2011): for an effective mass matrix K⁻¹ of the point
/// the impulse is −(K + γ)⁻¹ (v + β x / dt), so that no body and no step is too light or too long for it. The spin
/// decays at [`GRAB_SPIN_DECAY`], as in a hand that holds more than a point.
fn pull_of_spring(body: &Body, mass: &Mass, at: Vec3, target: Vec3, dt: f64) -> (Vec3, Vec3) {
    let pulsation = TAU * GRAB_FREQUENCY;
    let (stiffness, damping) = (mass.mass * pulsation * pulsation, 2.0 * mass.mass * pulsation);
    let softness = 1.0 / (dt * (damping + dt * stiffness));
    let arm = at - body.centre_of_mass();
    let inertia = *body.pose.rotation() * mass.inertia * body.pose.rotation().transpose();
    let cross = Mat3::from_cols(Vec3::X.cross(arm), Vec3::Y.cross(arm), Vec3::Z.cross(arm));
    let inverse = Mat3::from_diagonal(Vec3::splat(1.0 / mass.mass + softness));
    let mobility = inverse + cross.transpose() * inertia.inverse() * cross;
    let drift = (at - target) * (dt * stiffness * softness);
    let impulse = mobility.inverse() * -(body.velocity_at(at) + drift);
    let spin = inertia * body.angular_velocity * (libm::exp(-GRAB_SPIN_DECAY * dt) - 1.0);
    let is_number = impulse.is_finite() && spin.is_finite();
    if is_number { (impulse / dt, spin / dt) } else { (Vec3::ZERO, Vec3::ZERO) }
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

/// Describes a world for the page.
fn describe_scene(
    arguments: &ViewArguments,
    world: &World,
    names: &SceneNames,
    plan: &RunPlan,
) -> (SceneJson, SceneMeshes) {
    let (bounds, options) = (bounds_of(world), surface_options(world));
    let mut meshes = SceneMeshes::default();
    let mut bodies = Vec::with_capacity(world.len());
    for (id, body) in world.bodies() {
        bodies.push(SceneBodyJson {
            name: names.bodies[id.index()].clone(),
            kind: match body.kind {
                Kind::Static => "static",
                Kind::Kinematic(_) => "kinematic",
                Kind::Dynamic(_) => "dynamic",
                Kind::Soft(_) => "soft",
            },
            mesh: meshes.add_shape(&body.shape, &options),
            shape: match &body.shape {
                Shape::Mesh(_) => "mesh",
                Shape::Convex(convex) if convex.is_half_space() => "half-space",
                Shape::Convex(_) => "convex",
                Shape::Compound(_) => "compound",
                Shape::Rounded(_) => "mesh with a margin",
                Shape::Superquadric(_) => "superquadric",
            },
            mass: match &body.kind {
                Kind::Dynamic(mass) => Some(mass.mass),
                _ => None,
            },
            colour: None,
        });
    }
    let scene = SceneJson {
        protocol: 1,
        mode: "run",
        title: plan.title.clone(),
        unit: "m",
        read_only: arguments.read_only,
        control: if plan.is_replay { Some(Vec::new()) } else { names.control.clone() },
        step: plan.step,
        steps: plan.steps,
        up: up_of(world).to_array(),
        bounds: BoundsJson::of(&bounds),
        stages: STAGES.map(|stage| stage.name()).to_vec(),
        meshes: meshes.len(),
        bodies,
        layers: Layer::list(world),
    };
    (scene, meshes)
}
