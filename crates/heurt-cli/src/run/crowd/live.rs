//! Live view of a crowd of any kind: agents as bodies whose colour is their speed, with the layers of pictures.
//!
//! Method: the scenery is bodies that do not move; the bodies after it are the parts of agents.

use super::super::Turn;
use super::super::control_error::MessageError;
use super::super::live::{Player, Shown, Wanted};
use super::course::CrowdRun;
use super::picture::CrowdLook;
use crate::Failure;
use crate::view::{BoundsJson, LayerJson, SceneBodyJson, SceneJson, SceneMeshes, TintJson, ViewArguments, Viewer};
use heurt::view::palette::{hex, pair_colour};
use heurt::view::wire::{DrawnItems, FrameHeader, FrameWriter, write_stages};
use heurt::view::{AgentPart, AgentView, CrowdLayer, PartBodies, PartForm, Scenery, speed_colour};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Items of all layers in a frame: 28 bytes each, 5.6 MB in all.
const MAX_ITEMS: usize = 200_000;
/// Colours of the scale of speeds.
const COLOURS: u32 = 9;

/// The live view of a run of a crowd.
pub(super) struct LiveCrowd {
    player: Player<CrowdLayer>,
    stage: Stage,
}

/// The bodies of the page, and the last step.
struct Stage {
    bodies: PartBodies,
    /// Seconds that the last step took.
    seconds: f64,
    steps: u64,
}

/// A crowd between two steps.
struct ShownCrowd<'c, C, V> {
    crowd: &'c C,
    view: &'c V,
    stage: &'c Stage,
}

impl LiveCrowd {
    /// Starts the server for a crowd and prints its address.
    pub(super) fn start<C, V: AgentView<C>>(
        arguments: &ViewArguments,
        crowd: &C,
        look: &CrowdLook<V>,
        (step, steps): (f64, Option<u64>),
    ) -> Result<Self, Failure> {
        let view = &look.view;
        let mut meshes = SceneMeshes::default();
        let (bodies, numbers) = describe_bodies(crowd, view, &mut meshes);
        let scene = SceneJson {
            protocol: 1,
            mode: "run",
            title: look.title.clone(),
            unit: "m",
            read_only: arguments.read_only,
            control: Some(Vec::new()),
            step,
            steps,
            up: [0.0, 0.0, 1.0],
            bounds: BoundsJson::of(&view.bounds()),
            stages: vec!["step"],
            meshes: meshes.len(),
            bodies,
            layers: list_layers(crowd, view),
            tint: Some(scale_of_speeds(view)),
        };
        let player = Player::start(arguments, &scene, meshes, false)?;
        Ok(Self { player, stage: Stage { bodies: numbers, seconds: 0.0, steps: 0 } })
    }

    /// Reports a step that was taken in `seconds`, or the initial state.
    pub(super) fn note_step<C: CrowdRun, V: AgentView<C>>(
        &mut self,
        (crowd, view): (&C, &V),
        steps: u64,
        seconds: f64,
    ) {
        (self.stage.steps, self.stage.seconds) = (steps, seconds);
        let shown = ShownCrowd { crowd, view, stage: &self.stage };
        let mut frame = FrameWriter::new(&FrameHeader { step: steps, time: crowd.seconds(), ..Default::default() });
        shown.write_state(&mut frame);
        self.player.note_step(&shown, frame);
    }

    /// Serves viewers until the next step of `step` seconds is due, or until the run is to end.
    pub(super) fn await_turn<C: CrowdRun, V: AgentView<C>>(
        &mut self,
        (crowd, view): (&C, &V),
        step: f64,
        stop: &AtomicBool,
    ) -> Turn {
        self.player.await_turn(&mut ShownCrowd { crowd, view, stage: &self.stage }, step, stop)
    }

    /// Serves viewers after the last step until the run is stopped.
    pub(super) fn linger<C: CrowdRun, V: AgentView<C>>(
        &mut self,
        (crowd, view): (&C, &V),
        reason: &str,
        stop: &AtomicBool,
    ) {
        self.player.linger(&mut ShownCrowd { crowd, view, stage: &self.stage }, reason, stop);
    }
}

impl<C, V: AgentView<C>> ShownCrowd<'_, C, V> {
    fn write_state(&self, frame: &mut FrameWriter) {
        self.stage.bodies.write(&self.view.parts(self.crowd), frame);
        write_stages(frame, &[self.stage.seconds]);
    }
}

impl<C: CrowdRun, V: AgentView<C>> Shown for ShownCrowd<'_, C, V> {
    type Layer = CrowdLayer;

    fn steps(&self) -> u64 {
        self.stage.steps
    }

    fn time(&self) -> f64 {
        self.crowd.seconds()
    }

    fn layer(name: &str, _: u32) -> Option<CrowdLayer> {
        CrowdLayer::from_name(name)
    }

    fn has_body(&self, number: usize) -> bool {
        number < self.stage.bodies.len()
    }

    fn describe_body(&self, number: usize) -> Option<Value> {
        let shown = self.stage.bodies.part_of(number)?;
        let parts = self.view.parts(self.crowd);
        let part = parts.iter().find(|part| (part.agent, part.section) == shown)?;
        Some(json!({
            "type": "body",
            "body": number,
            "step": self.stage.steps,
            "translation": part.place.at.to_array(),
            "rotation": [0.0, 0.0, 0.0, 1.0],
            "velocity": part.velocity.to_array(),
            "own_speed": part.own_speed,
            "group": self.view.names(self.crowd)[part.group as usize],
        }))
    }

    fn write(&self, frame: &mut FrameWriter, wanted: &Wanted<CrowdLayer>) {
        self.write_state(frame);
        let agent = |&body: &usize| Some(self.stage.bodies.part_of(body)?.0);
        let chosen: Vec<u32> = wanted.inspected.iter().filter_map(agent).collect();
        let mut items = DrawnItems::new(MAX_ITEMS);
        wanted.layers.iter().for_each(|&layer| self.view.draw_layer(self.crowd, layer, &chosen, &mut items));
        items.write(frame);
    }

    fn obey(&mut self, _: Viewer, verb: Option<&str>, _: Value) -> Result<(), MessageError> {
        match verb {
            None | Some("grab" | "drag" | "release") => Err(MessageError::Crowd),
            Some(other) => Err(MessageError::UnknownVerb(other.to_owned())),
        }
    }
}

/// Describes the scenery and the parts of agents; parts of one form share a mesh.
fn describe_bodies<C, V: AgentView<C>>(
    crowd: &C,
    view: &V,
    meshes: &mut SceneMeshes,
) -> (Vec<SceneBodyJson>, PartBodies) {
    let body = |name: String, kind, mesh, shape, colour| SceneBodyJson { name, kind, mesh, shape, mass: None, colour };
    let place = |Scenery { name, surface, colour, .. }: Scenery| {
        let mesh = meshes.add(&surface);
        body(name.to_owned(), "static", mesh, name, Some(hex(colour)))
    };
    let mut bodies: Vec<SceneBodyJson> = view.scenery(crowd).into_iter().map(place).collect();
    let parts = view.parts(crowd);
    let numbers = PartBodies::new(bodies.len(), &parts);
    // Agents that were at their exit at the start are not there.
    let absent = bodies.len()..numbers.len();
    bodies.extend(absent.map(|number| body(format!("{number}"), "agent", None, "disc", None)));
    let mut by_form = BTreeMap::new();
    for part in &parts {
        let Some(number) = numbers.body_of(part.agent, part.section) else { continue };
        let mesh = *by_form.entry(part.surface_key()).or_insert_with(|| meshes.add(&view.surface_of(crowd, part)));
        let AgentPart { agent, group, section, .. } = *part;
        let mut name = format!("{} {agent}", view.names(crowd)[group as usize]);
        if section > 0 {
            name = format!("{name}, section {section}");
        }
        let shape = match part.form {
            PartForm::Disc(_) => "disc",
            PartForm::Ball(_) => "ball",
            PartForm::Section | PartForm::Bent(_) => "outline",
        };
        bodies[number] = body(name, "agent", mesh, shape, Some(hex(pair_colour(group as usize))));
    }
    (bodies, numbers)
}

/// Lists the layers of a crowd for the page.
fn list_layers<C, V: AgentView<C>>(crowd: &C, view: &V) -> Vec<LayerJson> {
    let describe = |layer: CrowdLayer| {
        let (label, kinds): (_, &[u32]) = match layer {
            CrowdLayer::Cells => ("Cells by level", &[16]),
            CrowdLayer::Velocities => ("Velocities", &[19]),
            CrowdLayer::Paths => ("Path of the selected agent", &[20]),
            CrowdLayer::Neighbours => ("Cells around the selected agent", &[17, 18]),
            CrowdLayer::Ahead => ("Edges ahead", &[10]),
            CrowdLayer::Bubbles => ("Bubbles", &[21]),
            _ => return None,
        };
        let on = matches!(layer, CrowdLayer::Paths | CrowdLayer::Neighbours) || view.usual_layers().contains(&layer);
        Some(LayerJson { name: layer.name(), label, kinds, levels: None, on })
    };
    CrowdLayer::ALL.into_iter().filter(|&layer| view.has_layer(crowd, layer)).filter_map(describe).collect()
}

fn scale_of_speeds<C>(view: &impl AgentView<C>) -> TintJson {
    let colour = |k: u32| hex(speed_colour(f64::from(k) / f64::from(COLOURS - 1)));
    let scale = view.speeds();
    let [low, _, high] = scale.names;
    TintJson { label: scale.label, low, high, colours: (0..COLOURS).map(colour).collect() }
}
