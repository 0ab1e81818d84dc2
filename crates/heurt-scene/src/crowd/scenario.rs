//! Scenarios of JuPedSim as scenes of heurt.
//!
//! In: a [`ScenarioPlan`]. Out: the text of a scene, the text of its plan, and notes on what has no counterpart.
//! Method: a group for each start area and journey; its agents are split by the weights of journeys. Without a journey,
//! agents choose among all exits. Obstacles are cut out of the plan. Agents of a flow wait in their start area, and set
//! off evenly over its time.
//! Guarantees: the text is a scene that can be read. Not guaranteed: the same motion as in JuPedSim.
//! Cost: O(areas · journeys).

use super::trajectory::floors_as_text;
use super::{LONGEST_STEP, USUAL_STEP};
use heurt_crowd::Ground;
use heurt_geometry::{Counted, FloorArea, PlanArea, ShortNumber};
use heurt_io::{PlanError, ScenarioArea, ScenarioCount, ScenarioPlan, ScenarioStart, read_scenario_zip};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::fmt::Write;

/// The share of an area that discs at random places fill.
const RANDOM_FILL: f64 = 0.5;

/// The simulated time of a scenario without one, in seconds.
const SECONDS: f64 = 300.0;

/// The model of scenarios whose model is not known here.
const USUAL_MODEL: &str = "orca";

/// A scenario as the text of a scene.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ScenarioScene {
    /// The scene, in TOML.
    pub scene: String,
    /// The plan, in well-known text.
    pub plan: String,
    /// Contents of the scenario that have no counterpart, or an approximate one.
    pub notes: Vec<String>,
}

/// Reads a scenario of JuPedSim, a ZIP archive, and writes it as a scene, as [`scene_of_scenario`].
///
/// # Errors
/// [`PlanError`] for a fault of the archive, and as [`scene_of_scenario`].
pub fn read_scenario_scene(bytes: &[u8], environment: Option<&str>) -> Result<ScenarioScene, PlanError> {
    scene_of_scenario(&read_scenario_zip(bytes)?, environment)
}

/// Writes a scenario of JuPedSim as a scene; `environment` is the name of the file that the plan is written to. Without
/// one, the plan is a text in the scene.
///
/// # Errors
/// [`PlanError::Empty`] if obstacles cover the plan.
pub fn scene_of_scenario(scenario: &ScenarioPlan, environment: Option<&str>) -> Result<ScenarioScene, PlanError> {
    let obstacles: Vec<FloorArea> = scenario.obstacles.iter().map(|area| area.area.clone().into()).collect();
    let plan = scenario.plan.clone().without_areas(&obstacles)?;
    // A plan that is no ground is a fault of the scene.
    let ground = Ground::new(plan.walk.iter().cloned()).ok();
    let has_heights = plan.walk.iter().any(|floor| floor.heights() != [0.0, 0.0]);
    let plan = floors_as_text(&plan.walk, has_heights);
    let mut notes: Vec<String> = scenario.plan.warnings.iter().map(ToString::to_string).collect();
    let mut scene = String::new();
    let world = [
        ("dt", scenario.step, USUAL_STEP, [f64::MIN_POSITIVE, LONGEST_STEP]),
        ("max_simulation_time", scenario.seconds, SECONDS, [0.0, f64::MAX]),
    ];
    let [step, seconds] =
        world.map(|(name, given, usual, range)| bounded(name, given.unwrap_or(usual), usual, range, &mut notes));
    let _ = writeln!(scene, "[world]\nstep = {step}\nseconds = {seconds}\n");
    let _ = writeln!(scene, "[crowd]\nenvironment = {}", quoted(environment.unwrap_or(&plan)));
    let _ = writeln!(scene, "model = {}", quoted(model_of(scenario, &mut notes)));
    let given = scenario.seed.unwrap_or(1);
    // Whole numbers of TOML have 63 bits.
    let seed = given & u64::from(u32::MAX);
    if seed != given {
        notes.push(format!("baseSeed {given}: replaced by {seed}, its lower 32 bits"));
    }
    let _ = writeln!(scene, "seed = {seed}");
    for ScenarioArea { id, area, speed_factor, .. } in &scenario.zones {
        if ground.as_ref().is_some_and(|ground| !ground.meets(&area.clone().into())) {
            notes.push(format!("zone `{id}`: left out, it covers no floor"));
        } else if *speed_factor > 0.0 && *speed_factor <= 10.0 {
            let area = quoted(&text_of([area]));
            let _ = writeln!(scene, "\n[[zones]]\narea = {area}\nspeed = {speed_factor}");
        } else {
            notes.push(format!(
                "zone `{id}`: a factor of {} is left out, the speed is unchanged there",
                ShortNumber(*speed_factor)
            ));
        }
    }
    for area in scenario.checkpoints.iter().filter(|area| area.waiting_time > 0.0) {
        notes.push(format!(
            "checkpoint `{}`: agents do not wait there for {} s",
            area.id,
            ShortNumber(area.waiting_time)
        ));
    }
    for start in &scenario.starts {
        add_groups(scenario, start, &mut scene, &mut notes);
    }
    Ok(ScenarioScene { scene, plan, notes })
}

/// Returns a value between bounds, and notes what was replaced: the nearest bound above them, else the usual value.
fn bounded(name: &str, given: f64, usual: f64, [least, most]: [f64; 2], notes: &mut Vec<String>) -> f64 {
    if (least..=most).contains(&given) {
        return given;
    }
    let value = if given > most { most } else { usual };
    notes.push(format!("{name} {}: replaced by {}", ShortNumber(given), ShortNumber(value)));
    value
}

/// Returns the model nearest to the scenario's.
fn model_of(scenario: &ScenarioPlan, notes: &mut Vec<String>) -> &'static str {
    let Some(name) = scenario.model.as_deref() else {
        notes.push(format!("no model of JuPedSim is given: run as `{USUAL_MODEL}`"));
        return USUAL_MODEL;
    };
    let model = match name {
        "CollisionFreeSpeedModel" | "CollisionFreeSpeedModelV2" => "collision-free-speed",
        "SocialForceModel" | "GeneralizedCentrifugalForceModel" => "social-force",
        "AnticipationVelocityModel" => "anticipation",
        _ => USUAL_MODEL,
    };
    notes.push(format!("model `{name}` of JuPedSim: run as `{model}`, with its own parameters"));
    model
}

/// Adds a group for each journey of a start area.
fn add_groups(scenario: &ScenarioPlan, start: &ScenarioStart, scene: &mut String, notes: &mut Vec<String>) {
    let radius = start.radius[0];
    let count = match start.count {
        ScenarioCount::Number(count) => count,
        ScenarioCount::Percentage(share) => {
            let room = (RANDOM_FILL * start.area.area() / (PI * radius * radius)).max(0.0);
            let share = bounded(&format!("start `{}`: percentage", start.id), share, 0.0, [0.0, 100.0], notes);
            let count = (room * share / 100.0) as u32;
            let agents = Counted(count as usize, "agent", "agents");
            notes.push(format!("start `{}`: {} % of its room are {agents}", start.id, ShortNumber(share)));
            count
        }
        other => {
            notes.push(format!("start `{}`: left out, its number of agents is given as {other:?}", start.id));
            0
        }
    };
    if start.radius[1] > 0.0 {
        notes.push(format!("start `{}`: all radii are {} m, without their deviation", start.id, ShortNumber(radius)));
    }
    if start.speed[1] < 0.0 {
        let deviation = ShortNumber(start.speed[1]);
        notes.push(format!("start `{}`: a deviation of {deviation} m/s is replaced by 0", start.id));
    }
    if let Some([from, to]) = start.flow.map(|[from, to]| [from.min(to), from.max(to)].map(ShortNumber)) {
        notes.push(format!("start `{}`: agents of the flow wait there, and set off from {from} s to {to} s", start.id));
        if start.flow != Some([from.0, to.0]) {
            notes.push(format!("start `{}`: the flow ends before it begins, both times are exchanged", start.id));
        }
    }
    let areas: BTreeMap<&str, &PlanArea> =
        scenario.exits.iter().chain(&scenario.checkpoints).map(|area| (area.id.as_str(), &area.area)).collect();
    for (journey, weight) in start.journeys.iter().filter(|(_, weight)| *weight < 0.0) {
        let weight = ShortNumber(*weight);
        notes.push(format!("start `{}`, journey `{journey}`: the weight {weight} is replaced by 0", start.id));
    }
    let weights: f64 = start.journeys.iter().map(|(_, weight)| weight.max(0.0)).sum();
    if weights.is_nan() || weights <= 0.0 {
        if !start.journeys.is_empty() {
            notes.push(format!("start `{}`: no journey has a weight, agents choose among all exits", start.id));
        }
        let exits = scenario.exits.iter().map(|exit| &exit.area);
        let goals = if scenario.exits.is_empty() { Vec::new() } else { vec![text_of(exits)] };
        return add_group(&start.id, start, count, &goals, scene);
    }
    // A journey that is named twice has the sum of both weights.
    let mut journeys: Vec<(&str, f64)> = Vec::new();
    for (journey, weight) in &start.journeys {
        match journeys.iter_mut().find(|(known, _)| known == journey) {
            Some((_, sum)) => *sum += weight.max(0.0),
            None => journeys.push((journey, weight.max(0.0))),
        }
    }
    // Whole numbers of agents up to each journey, so that their sum is the count.
    let (mut before, mut sum) = (0, 0.0);
    for &(journey, weight) in &journeys {
        sum += weight;
        let until = (f64::from(count) * sum / weights).round() as u32;
        let stages = scenario.journeys.iter().find(|known| known.id == journey).map(|known| known.stages.as_slice());
        let goals = stages.unwrap_or_default().iter().filter_map(|stage| areas.get(stage.as_str()));
        let goals: Vec<String> = goals.map(|&area| text_of([area])).collect();
        if goals.is_empty() {
            notes.push(format!("start `{}`, journey `{journey}`: it has no stage, its agents stay", start.id));
        }
        let name = if journeys.len() == 1 { start.id.clone() } else { format!("{}, {journey}", start.id) };
        add_group(&name, start, until - before, &goals, scene);
        before = until;
    }
}

fn add_group(name: &str, start: &ScenarioStart, count: u32, goals: &[String], scene: &mut String) {
    let _ = writeln!(scene, "\n[[agents]]\nname = {}\ncount = {count}", quoted(name));
    let _ = writeln!(scene, "start = {}", quoted(&text_of([&start.area])));
    let _ = writeln!(scene, "radius = {}", start.radius[0]);
    let [mean, deviation] = start.speed;
    let _ = match deviation > 0.0 {
        true => writeln!(scene, "speed = {{ mean = {mean}, deviation = {deviation} }}"),
        false => writeln!(scene, "speed = {mean}"),
    };
    if let Some([from, to]) = start.flow {
        // A normal law this wide is nearly even between its bounds.
        let (mean, deviation) = (0.5 * (from + to), 2.0 * (to - from).abs());
        let _ = writeln!(
            scene,
            "reaction = {{ mean = {mean}, deviation = {deviation}, least = {}, most = {} }}",
            from.min(to),
            from.max(to)
        );
    }
    let goals: Vec<String> = goals.iter().map(|goal| quoted(goal)).collect();
    let _ = writeln!(scene, "goals = [{}]", goals.join(", "));
}

/// Writes areas at height 0: one as a POLYGON, several as a MULTIPOLYGON.
fn text_of<'a>(areas: impl IntoIterator<Item = &'a PlanArea>) -> String {
    let text = |area: &PlanArea| floors_as_text(&[area.clone().into()], false);
    let polygons: Vec<String> = areas.into_iter().map(text).collect();
    match polygons.as_slice() {
        [polygon] => polygon.clone(),
        _ => {
            let parts: Vec<&str> = polygons.iter().filter_map(|polygon| polygon.strip_prefix("POLYGON ")).collect();
            format!("MULTIPOLYGON ({})", parts.join(", "))
        }
    }
}

/// Writes a text of TOML; JSON has the same escapes, except for the control character 127.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
