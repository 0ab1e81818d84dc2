//! Live view of a crowd: agents as bodies whose colour is their speed, with the layers of pictures.
//!
//! Method: the floor, the walls and the roads, if there are any, are bodies that do not move; the bodies after them are
//! the agents, by number.

use super::super::Turn;
use super::super::control_error::MessageError;
use super::super::live::{Player, Shown, Wanted};
use super::picture::CrowdLook;
use crate::Failure;
use crate::view::{BoundsJson, LayerJson, SceneBodyJson, SceneJson, SceneMeshes, TintJson, ViewArguments, Viewer};
use heurt::crowd::{AgentState, Crowd, SteeringModel};
use heurt::geometry::Vec2;
use heurt::view::palette::{hex, pair_colour};
use heurt::view::wire::{DrawnItems, FrameHeader, FrameWriter, write_stages};
use heurt::view::{CrowdLayer, CrowdView, ROAD_COLOUR, agent_surface, section_surface, speed_colour};
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

/// The layout of a crowd, and its last step.
struct Stage {
    view: CrowdView,
    /// Bodies before the agents.
    fixed: usize,
    /// Numbers of agents run up to this one.
    count: usize,
    /// Bodies after the agents: sections that follow the first, by agent and section.
    followers: Vec<(u32, usize)>,
    /// Seconds that the last step took.
    seconds: f64,
    steps: u64,
}

/// A crowd between two steps.
struct ShownCrowd<'c> {
    crowd: &'c Crowd,
    stage: &'c Stage,
}

impl LiveCrowd {
    /// Starts the server for a crowd and prints its address.
    pub(super) fn start(
        arguments: &ViewArguments,
        crowd: &Crowd,
        look: &CrowdLook,
        (step, steps): (f64, Option<u64>),
    ) -> Result<Self, Failure> {
        let view = look.view.clone();
        let count = crowd.agents().map(|agent| agent.id as usize + 1).max().unwrap_or(0);
        let mut meshes = SceneMeshes::default();
        let followers: Vec<(u32, usize)> = crowd
            .agents()
            .flat_map(|agent| (1..crowd.section_frames_of(agent.id).count()).map(move |section| (agent.id, section)))
            .collect();
        let bodies = bodies_of(crowd, &view, (count, &followers), &mut meshes);
        let fixed = bodies.len() - count - followers.len();
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
            layers: layers_of(crowd),
            tint: Some(scale_of_speeds()),
        };
        let player = Player::start(arguments, &scene, meshes, false)?;
        Ok(Self { player, stage: Stage { view, fixed, count, followers, seconds: 0.0, steps: 0 } })
    }

    /// Reports a step that was taken in `seconds`, or the initial state.
    pub(super) fn note_step(&mut self, crowd: &Crowd, steps: u64, seconds: f64) {
        (self.stage.steps, self.stage.seconds) = (steps, seconds);
        let shown = ShownCrowd { crowd, stage: &self.stage };
        let mut frame = FrameWriter::new(&FrameHeader { step: steps, time: crowd.time(), ..Default::default() });
        shown.write_state(&mut frame);
        self.player.note_step(&shown, frame);
    }

    /// Serves viewers until the next step of `step` seconds is due, or until the run is to end.
    pub(super) fn await_turn(&mut self, crowd: &Crowd, step: f64, stop: &AtomicBool) -> Turn {
        self.player.await_turn(&mut ShownCrowd { crowd, stage: &self.stage }, step, stop)
    }

    /// Serves viewers after the last step until the run is stopped.
    pub(super) fn linger(&mut self, crowd: &Crowd, reason: &str, stop: &AtomicBool) {
        self.player.linger(&mut ShownCrowd { crowd, stage: &self.stage }, reason, stop);
    }
}

impl ShownCrowd<'_> {
    fn write_state(&self, frame: &mut FrameWriter) {
        let Stage { view, fixed, count, followers, .. } = self.stage;
        view.write_agents(self.crowd, [*fixed, *count], followers, frame);
        write_stages(frame, &[self.stage.seconds]);
    }

    fn agent(&self, body: usize) -> Option<AgentState> {
        let number = body.checked_sub(self.stage.fixed)?;
        let follower = number.checked_sub(self.stage.count).and_then(|place| self.stage.followers.get(place));
        let id = follower.map_or(u32::try_from(number).ok()?, |follower| follower.0);
        self.crowd.agents().find(|agent| agent.id == id)
    }
}

impl Shown for ShownCrowd<'_> {
    type Layer = CrowdLayer;

    fn steps(&self) -> u64 {
        self.stage.steps
    }

    fn time(&self) -> f64 {
        self.crowd.time()
    }

    fn layer(name: &str, _: u32) -> Option<CrowdLayer> {
        CrowdLayer::from_name(name)
    }

    fn has_body(&self, number: usize) -> bool {
        number < self.stage.fixed + self.stage.count + self.stage.followers.len()
    }

    fn describe_body(&self, number: usize) -> Option<Value> {
        let agent = self.agent(number)?;
        Some(json!({
            "type": "body",
            "body": number,
            "step": self.stage.steps,
            "translation": self.stage.view.place(self.crowd, &agent).to_array(),
            "rotation": [0.0, 0.0, 0.0, 1.0],
            "velocity": agent.velocity.extend(0.0).to_array(),
            "own_speed": agent.speed,
            "group": self.crowd.names()[agent.group as usize],
        }))
    }

    fn write(&self, frame: &mut FrameWriter, wanted: &Wanted<CrowdLayer>) {
        self.write_state(frame);
        let number = |body: &usize| Some(self.agent(*body)?.id);
        let chosen: Vec<u32> = wanted.inspected.iter().filter_map(number).collect();
        let mut items = DrawnItems::new(MAX_ITEMS);
        wanted.layers.iter().for_each(|&layer| self.stage.view.draw_layer(self.crowd, layer, &chosen, &mut items));
        items.write(frame);
    }

    fn obey(&mut self, _: Viewer, verb: Option<&str>, _: Value) -> Result<(), MessageError> {
        match verb {
            None | Some("grab" | "drag" | "release") => Err(MessageError::Crowd),
            Some(other) => Err(MessageError::UnknownVerb(other.to_owned())),
        }
    }
}

/// Describes the floor, the walls, the roads and the agents; agents of one radius share a mesh.
fn bodies_of(
    crowd: &Crowd,
    view: &CrowdView,
    (count, followers): (usize, &[(u32, usize)]),
    meshes: &mut SceneMeshes,
) -> Vec<SceneBodyJson> {
    let body = |name: String, kind, mesh, shape, colour| SceneBodyJson { name, kind, mesh, shape, mass: None, colour };
    let floor = meshes.add(&view.floor_surface(crowd));
    let walls = meshes.add(&view.wall_surface(crowd));
    let roads = meshes.add(view.road_surface());
    let mut bodies = Vec::new();
    bodies.push(body("floor".to_owned(), "static", floor, "floor", Some("#d2d7dc".to_owned())));
    bodies.push(body("walls".to_owned(), "static", walls, "walls", Some("#5a626b".to_owned())));
    if roads.is_some() {
        bodies.push(body("roads".to_owned(), "static", roads, "roads", Some(hex(ROAD_COLOUR))));
    }
    let fixed = bodies.len();
    // Agents that were at their exit at the start are not there.
    bodies.extend((0..count + followers.len()).map(|id| body(format!("{id}"), "agent", None, "disc", None)));
    let (mut by_radius, mut by_section) = (BTreeMap::new(), BTreeMap::new());
    for agent in crowd.agents() {
        let name = format!("{} {}", crowd.names()[agent.group as usize], agent.id);
        let colour = hex(pair_colour(agent.group as usize));
        let first = fixed + count + followers.partition_point(|follower| follower.0 < agent.id);
        let mut is_disc = true;
        for (section, corners) in crowd.sections_of(agent.id).enumerate() {
            is_disc = false;
            // All agents of a group have the same sections.
            let mesh = *by_section.entry((agent.group, section)).or_insert_with(|| {
                let frame = crowd.section_frames_of(agent.id).nth(section);
                let [origin, heading] = frame.unwrap_or([Vec2::ZERO, Vec2::X]);
                let back = Vec2::new(heading.x, -heading.y);
                let own: Vec<Vec2> = corners.iter().map(|&corner| back.rotate(corner - origin)).collect();
                meshes.add(&section_surface(&own))
            });
            let (place, name) = match section {
                0 => (fixed + agent.id as usize, name.clone()),
                _ => (first + section - 1, format!("{name}, section {section}")),
            };
            bodies[place] = body(name, "agent", mesh, "outline", Some(colour.clone()));
        }
        if is_disc {
            let radius = agent.radius;
            let mesh = by_radius.entry(radius.to_bits()).or_insert_with(|| meshes.add(&agent_surface(radius)));
            bodies[fixed + agent.id as usize] = body(name, "agent", *mesh, "disc", Some(colour));
        }
    }
    bodies
}

/// Lists the layers of a crowd for the page.
fn layers_of(crowd: &Crowd) -> Vec<LayerJson> {
    let mut layers = Vec::new();
    let has_bodies = crowd.agents().any(|agent| crowd.sections_of(agent.id).next().is_some());
    for layer in CrowdLayer::ALL {
        let (label, kinds): (_, &[u32]) = match layer {
            CrowdLayer::Cells => ("Cells by level", &[16]),
            CrowdLayer::Velocities => ("Velocities", &[19]),
            CrowdLayer::Paths => ("Path of the selected agent", &[20]),
            CrowdLayer::Neighbours => ("Cells around the selected agent", &[17, 18]),
            CrowdLayer::Ahead if has_bodies => ("Edges ahead", &[10]),
            CrowdLayer::Bubbles if matches!(crowd.settings().model, SteeringModel::Bubbles(_)) => ("Bubbles", &[21]),
            _ => continue,
        };
        let on = matches!(layer, CrowdLayer::Cells | CrowdLayer::Paths | CrowdLayer::Neighbours);
        layers.push(LayerJson { name: layer.name(), label, kinds, levels: None, on });
    }
    layers
}

fn scale_of_speeds() -> TintJson {
    let colour = |k: u32| hex(speed_colour(f64::from(k) / f64::from(COLOURS - 1)));
    TintJson { label: "Speed", low: "at rest", high: "full speed", colours: (0..COLOURS).map(colour).collect() }
}
