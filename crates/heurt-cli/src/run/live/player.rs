//! Player of a run for viewers: its pace, its history, and the messages that all runs take: play, pause, step, rate,
//! seek, layers, inspect.
//!
//! Method: before each step the run requests its turn ([`Player::await_turn`]), which comes in real time times the rate
//! while the run plays. Messages are handled between steps. Frames are encoded only if a viewer is ready for one, at
//! most 60 a second; the frame of each step goes into the history, for seeking.
//! The run itself is a [`Shown`]: it writes its state, and carries out messages of its own.

use super::super::Turn;
use super::super::control_error::MessageError;
use super::history::History;
use crate::view::{Hub, Incoming, SceneJson, SceneMeshes, Server, ViewArguments, Viewer};
use crate::{Failure, output};
use heurt::view::wire::{FRAME_ENDED, FRAME_OF_HISTORY, FRAME_PLAYING, FrameHeader, FrameWriter, set_frame_header};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
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
/// Real time that a slow run may be late before the clock is set again.
const MAX_LAG: Duration = Duration::from_millis(100);

/// A run as viewers see it.
pub(in crate::run) trait Shown {
    /// A layer that a viewer may show.
    type Layer: Copy + Ord;

    /// Returns the number of steps that were taken.
    fn steps(&self) -> u64;
    /// Returns the simulated time, in seconds.
    fn time(&self) -> f64;
    /// Finds a layer by its name; `level` is for layers with levels.
    fn layer(name: &str, level: u32) -> Option<Self::Layer>;
    /// Reports whether there is a body of this number.
    fn has_body(&self, number: usize) -> bool;
    /// Describes the state of a body; `None` if it is not there.
    fn describe_body(&self, number: usize) -> Option<Value>;
    /// Writes the newest state, with what viewers show.
    fn write(&self, frame: &mut FrameWriter, wanted: &Wanted<Self::Layer>);
    /// Carries out a message that the player does not know; `verb` is its `do`.
    ///
    /// # Errors
    /// What is wrong with it.
    fn obey(&mut self, viewer: Viewer, verb: Option<&str>, message: Value) -> Result<(), MessageError>;
    /// Notes that a viewer left.
    fn dismiss(&mut self, _: Viewer) {}
}

/// The wishes of all viewers.
pub(in crate::run) struct Wanted<L> {
    pub(in crate::run) layers: BTreeSet<L>,
    pub(in crate::run) inspected: BTreeSet<usize>,
}

/// The wishes of a viewer.
#[derive(Debug)]
struct ViewerState<L> {
    layers: BTreeSet<L>,
    inspected: Option<usize>,
}

/// Player of a run.
pub(in crate::run) struct Player<L> {
    hub: Arc<Hub>,
    events: Receiver<Incoming>,
    viewers: BTreeMap<Viewer, ViewerState<L>>,
    history: History,
    is_read_only: bool,
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

impl<L: Copy + Ord> Player<L> {
    /// Starts the server for a scene and prints its address; viewers of some runs may move bodies.
    pub(in crate::run) fn start(
        arguments: &ViewArguments,
        scene: &SceneJson,
        meshes: SceneMeshes,
        is_movable: bool,
    ) -> Result<Self, Failure> {
        let scene = serde_json::to_vec(scene).map_err(|error| Failure::output(error.into()))?;
        let (hub, events) = Hub::new(scene, meshes.into_bytes());
        let hub = Arc::new(hub);
        let server = Server::start(arguments, Arc::clone(&hub))?;
        server.announce(arguments, !arguments.read_only && is_movable);
        Ok(Self {
            hub,
            events,
            viewers: BTreeMap::new(),
            history: History::default(),
            is_read_only: arguments.read_only,
            is_playing: true,
            has_begun: false,
            end: None,
            owed: 0,
            rate: 1.0,
            due: Instant::now(),
            sought: None,
            is_stale: true,
            framed: None,
            inspected: None,
        })
    }

    /// Reports a step that was taken, or the initial state; `frame` is kept for seeking.
    pub(in crate::run) fn note_step(&mut self, shown: &impl Shown<Layer = L>, frame: FrameWriter) {
        self.history.push(shown.steps(), shown.time(), frame.finish());
        self.is_stale = true;
        self.show(shown);
    }

    /// Serves viewers until the next step of `step` seconds is due, or until the run is to end.
    pub(in crate::run) fn await_turn(
        &mut self,
        shown: &mut impl Shown<Layer = L>,
        step: f64,
        stop: &AtomicBool,
    ) -> Turn {
        loop {
            self.read_messages(shown, Duration::ZERO);
            if stop.load(Ordering::Relaxed) {
                return Turn::End;
            }
            self.show(shown);
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
            self.read_messages(shown, patience);
        }
    }

    /// Serves viewers after the last step until the run is stopped.
    pub(in crate::run) fn linger(&mut self, shown: &mut impl Shown<Layer = L>, reason: &str, stop: &AtomicBool) {
        eprintln!("{}; Ctrl-C ends the view", output::printable(reason));
        self.end = Some(reason.to_owned());
        self.is_playing = false;
        self.is_stale = true;
        self.hub.reply_all(&json!({"type": "end", "message": reason}).to_string());
        while !stop.load(Ordering::Relaxed) {
            self.owed = 0;
            self.is_playing = false;
            self.read_messages(shown, POLL);
            self.show(shown);
        }
    }

    /// Reports whether some viewer shows a layer.
    pub(in crate::run) fn shows(&self, layer: L) -> bool {
        self.viewers.values().any(|viewer| viewer.layers.contains(&layer))
    }

    /// Sends a viewer the reason for which its message had no effect.
    pub(in crate::run) fn refuse(&self, viewer: Viewer, error: &dyn std::error::Error) {
        let message: String = error.to_string().chars().take(MAX_ANSWER).collect();
        self.hub.reply(viewer, json!({"type": "error", "message": message}).to_string());
    }

    /// Reads the messages that are there, as long as [`MESSAGE_TIME`] lasts; waits up to `patience` for the first one.
    fn read_messages(&mut self, shown: &mut impl Shown<Layer = L>, patience: Duration) {
        let first = match patience.is_zero() {
            true => self.events.try_recv().ok(),
            false => self.events.recv_timeout(patience).ok(),
        };
        let begun = Instant::now();
        let mut next = first;
        while let Some(event) = next {
            self.hub.note_read(&event);
            self.handle(event, shown);
            next = if begun.elapsed() < MESSAGE_TIME { self.events.try_recv().ok() } else { None };
        }
    }

    fn handle(&mut self, event: Incoming, shown: &mut impl Shown<Layer = L>) {
        match event {
            Incoming::Joined(viewer) => {
                self.viewers.insert(viewer, ViewerState { layers: BTreeSet::new(), inspected: None });
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
                shown.dismiss(viewer);
            }
            Incoming::Text(viewer, text) => {
                if let Err(error) = self.obey(viewer, &text, shown) {
                    self.refuse(viewer, &error);
                }
            }
        }
    }

    /// Carries out a message; returns what is wrong with it.
    fn obey<S: Shown<Layer = L>>(&mut self, viewer: Viewer, text: &str, shown: &mut S) -> Result<(), MessageError> {
        if self.is_read_only && text.len() > MAX_READ_ONLY_MESSAGE {
            return Err(MessageError::LongMessage(MAX_READ_ONLY_MESSAGE));
        }
        let message: Value = serde_json::from_str(text)?;
        let Some(verb) = message.get("do") else {
            self.refuse_if_read_only()?;
            self.refuse_if_ended()?;
            return shown.obey(viewer, None, message);
        };
        let verb = verb.as_str().ok_or(MessageError::Value { key: "do", legal: "a text" })?;
        if !matches!(verb, "layers" | "inspect") {
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
            "seek" => self.seek(&message, shown.steps())?,
            "layers" => self.choose_layers::<S>(viewer, &message)?,
            "inspect" => {
                let body = match message.get("body") {
                    None | Some(Value::Null) => None,
                    Some(number) => Some(number_of(number, shown)?),
                };
                self.state_of(viewer).inspected = body;
                self.inspected = None;
            }
            verb => {
                let verb = verb.to_owned();
                shown.obey(viewer, Some(&verb), message)?;
            }
        }
        self.is_stale = true;
        Ok(())
    }

    fn state_of(&mut self, viewer: Viewer) -> &mut ViewerState<L> {
        self.viewers.entry(viewer).or_insert_with(|| ViewerState { layers: BTreeSet::new(), inspected: None })
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

    /// Shows an earlier step; takes steps up to a later one.
    fn seek(&mut self, message: &Value, taken: u64) -> Result<(), MessageError> {
        let step = message.get("step").and_then(Value::as_u64);
        let step = step.ok_or(MessageError::Value { key: "step", legal: "the number of a step" })?;
        if step > taken {
            if self.end.is_some() {
                return Err(MessageError::EndedWith(taken));
            }
            let steps = step - taken;
            if steps > MAX_STEPS_AT_ONCE {
                return Err(MessageError::FarSeek(MAX_STEPS_AT_ONCE));
            }
            (self.owed, self.sought) = (steps, None);
        } else {
            (self.owed, self.sought) = (0, (step < taken).then_some(step));
        }
        self.is_playing = false;
        Ok(())
    }

    fn choose_layers<S: Shown<Layer = L>>(&mut self, viewer: Viewer, message: &Value) -> Result<(), MessageError> {
        let names = message.get("on").and_then(Value::as_array);
        let names = names.ok_or(MessageError::Value { key: "on", legal: "a list of names of layers" })?;
        if names.len() > MAX_LAYERS {
            return Err(MessageError::ManyLayers(MAX_LAYERS));
        }
        let level = message.get("level").and_then(Value::as_u64).unwrap_or(0).min(64) as u32;
        let layers = names.iter().map(|name| {
            let name = name.as_str().unwrap_or_default();
            S::layer(name, level).ok_or_else(|| MessageError::NoLayer(name.to_owned()))
        });
        self.state_of(viewer).layers = layers.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Publishes a frame if something changed, a viewer is ready, and the last frame is old enough.
    fn show(&mut self, shown: &impl Shown<Layer = L>) {
        self.show_inspected(shown);
        if !self.is_stale || !self.hub.wants_frame() || self.framed.is_some_and(|at| at.elapsed() < FRAME_TIME) {
            return;
        }
        (self.is_stale, self.framed) = (false, Some(Instant::now()));
        let mut flags = 0;
        flags |= if self.is_playing && self.has_begun { FRAME_PLAYING } else { 0 };
        flags |= if self.end.is_some() { FRAME_ENDED } else { 0 };
        let (newest, rate) = (shown.steps(), self.rate as f32);
        if let Some((step, time, frame)) = self.sought.and_then(|step| self.history.at(step)) {
            let header = FrameHeader { flags: flags | FRAME_OF_HISTORY, step, time, newest, rate };
            let mut frame = frame.to_vec();
            set_frame_header(&mut frame, &header);
            return self.hub.publish(frame);
        }
        let mut frame = FrameWriter::new(&FrameHeader { flags, step: newest, time: shown.time(), newest, rate });
        let viewers = self.viewers.values();
        let layers = viewers.clone().flat_map(|viewer| viewer.layers.iter().copied()).collect();
        let inspected = viewers.filter_map(|viewer| viewer.inspected).collect();
        shown.write(&mut frame, &Wanted { layers, inspected });
        self.hub.publish(frame.finish());
    }

    /// Sends the states of the inspected bodies.
    fn show_inspected(&mut self, shown: &impl Shown<Layer = L>) {
        if self.inspected.is_some_and(|at| at.elapsed() < INSPECT_TIME) {
            return;
        }
        self.inspected = Some(Instant::now());
        for (viewer, state) in &self.viewers {
            if let Some(body) = state.inspected.and_then(|body| shown.describe_body(body)) {
                self.hub.reply(*viewer, body.to_string());
            }
        }
    }
}

/// Reads the number of a body.
pub(in crate::run) fn number_of(number: &Value, shown: &impl Shown) -> Result<usize, MessageError> {
    let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
    let index = index.filter(|&index| shown.has_body(index));
    index.ok_or_else(|| MessageError::NoSuchBody(number.clone()))
}
