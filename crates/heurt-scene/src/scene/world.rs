//! Reader of the `[world]` table: gravity, steps, detection, and how bodies respond to contacts.
//!
//! In: the table. Out: [`SceneWorld`]. The response is decided after the bodies are read
//! ([`SceneWorld::settle`]), since its default depends on them.

use super::number::at_most;
use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_geometry::{Motion, MotionError, Vec3};
use heurt_world::{BroadPhaseKind, Detection, FARTHEST, ImpactRule, LONGEST_STEP, Response, Settings};
use serde_json::Value;

/// The `[world]` table.
pub(super) struct SceneWorld {
    pub settings: Settings,
    /// In seconds.
    pub step: f64,
    pub seconds: f64,
    /// Seconds that a step may take.
    pub deadline: Option<f64>,
    response: Option<Response>,
    impact_rule: Option<ImpactRule>,
    sleep: Option<bool>,
}

impl Default for SceneWorld {
    fn default() -> Self {
        let settings = Settings { detection: Detection::Continuous, ..Settings::default() };
        Self {
            settings,
            step: 1.0 / 60.0,
            seconds: 10.0,
            deadline: None,
            response: None,
            impact_rule: None,
            sleep: None,
        }
    }
}

const KEYS: &[&str] = &[
    "gravity",
    "step",
    "seconds",
    "broad_phase",
    "detection",
    "response",
    "impacts",
    "restitution_threshold",
    "penalty_stiffness",
    "sleep",
    "deadline",
    "margin",
];

/// Reads the table.
pub(super) fn read_world(path: &str, value: Value) -> Result<SceneWorld, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[KEYS])?;
    let mut world = SceneWorld::default();
    let settings = &mut world.settings;
    settings.broad_phase =
        one_of(&mut fields, "broad_phase", &BroadPhaseKind::ALL, BroadPhaseKind::name)?.unwrap_or(settings.broad_phase);
    if let Some(name) = fields.optional("detection", fields::word(&["discrete", "continuous"]))? {
        let is_discrete = name == "discrete";
        settings.detection = if is_discrete { Detection::Discrete } else { Detection::Continuous };
    }
    world.response = one_of(&mut fields, "response", &Response::ALL, Response::name)?;
    world.impact_rule = one_of(&mut fields, "impacts", &ImpactRule::ALL, ImpactRule::name)?;
    settings.restitution_threshold = at_most(&mut fields, "restitution_threshold", fields::not_negative, FARTHEST)?;
    settings.penalty_stiffness = fields.optional("penalty_stiffness", fields::positive)?;
    world.sleep = fields.optional("sleep", fields::boolean)?;
    settings.gravity = fields.optional("gravity", fields::vector)?.unwrap_or(settings.gravity);
    settings.margin = at_most(&mut fields, "margin", fields::not_negative, FARTHEST)?.unwrap_or(0.0);
    world.step = at_most(&mut fields, "step", fields::positive, LONGEST_STEP)?.unwrap_or(world.step);
    check_gain(path, world.settings.gravity, world.step)?;
    world.seconds = fields.optional("seconds", fields::not_negative)?.unwrap_or(world.seconds);
    world.deadline = fields.optional("deadline", fields::positive)?;
    Ok(world)
}

impl SceneWorld {
    /// Chooses the response: the given one, else `auto` if a body is dynamic. Refuses keys that it does not obey.
    pub(super) fn settle(&mut self, has_dynamic: bool) -> Result<(), FieldError> {
        let usual = if has_dynamic { Response::Auto } else { Response::None };
        let response = self.response.unwrap_or(usual);
        let name = response.name();
        if let Some(deadline) = self.deadline.filter(|_| response != Response::None) {
            let cause = format!(
                "it cuts the search for contacts, and response = \"{name}\" needs all of them: leave it out, or set \
                 response = \"none\""
            );
            return Err(FieldError::refused("world.deadline", number(deadline), cause));
        }
        if let Some(rule) = self.impact_rule.filter(|_| !matches!(response, Response::ImpulseLcp | Response::Auto)) {
            let cause = format!("response = \"{name}\" has no rule of impacts: use impulse-lcp or auto");
            return Err(FieldError::refused("world.impacts", rule.name(), cause));
        }
        if let Some(threshold) = self.settings.restitution_threshold.filter(|_| response == Response::None) {
            let cause = "response = \"none\" has no rebounds: leave it out, or choose another response";
            return Err(FieldError::refused("world.restitution_threshold", number(threshold), cause));
        }
        if let Some(threshold) = self.settings.restitution_threshold.filter(|_| response == Response::Penalty) {
            let cause = "springs rebound at each speed: leave it out, or choose another response";
            return Err(FieldError::refused("world.restitution_threshold", number(threshold), cause));
        }
        if let Some(stiffness) = self.settings.penalty_stiffness.filter(|_| response != Response::Penalty) {
            let cause = format!("response = \"{name}\" has no springs: leave it out, or set response = \"penalty\"");
            return Err(FieldError::refused("world.penalty_stiffness", number(stiffness), cause));
        }
        if let Some(sleep) = self.sleep.filter(|_| !matches!(response, Response::SoftStep | Response::Auto)) {
            let cause = format!("with response = \"{name}\" no body sleeps: use soft-step or auto");
            return Err(FieldError::refused("world.sleep", sleep.to_string(), cause));
        }
        self.settings.response = response;
        self.settings.sleep = self.sleep.unwrap_or(true);
        self.settings.impact_rule = self.impact_rule.unwrap_or_default();
        Ok(())
    }
}

/// Reads one of some values by its name.
fn one_of<T: Copy>(
    fields: &mut Fields,
    key: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, FieldError> {
    let names: Vec<&'static str> = all.iter().map(|value| name(*value)).collect();
    let found = fields.optional(key, fields::word(&names))?;
    Ok(found.and_then(|found| all.iter().copied().find(|value| name(*value) == found)))
}

/// Refuses gravity and steps between which bodies gain a velocity that no motion can have.
fn check_gain(path: &str, gravity: Vec3, step: f64) -> Result<(), FieldError> {
    let gain = |step: f64| Motion::linear(gravity * (0.5 * step));
    let refuse = |error: MotionError| {
        let cause = format!("what bodies gain by gravity in half a step of {} s: {error}", number(step));
        // If the default step works, the step is the cause, otherwise gravity.
        match gain(SceneWorld::default().step) {
            Ok(_) => FieldError::refused(&format!("{path}.step"), number(step), cause),
            Err(_) => FieldError::refused(&format!("{path}.gravity"), format!("{:?}", gravity.to_array()), cause),
        }
    };
    gain(step).map_err(refuse).map(drop)
}
