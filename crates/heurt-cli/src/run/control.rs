//! Control of bodies while a scene runs: poses of kinematic bodies, forces on dynamic ones, vertices of soft ones.
//!
//! In: JSON objects, from the page, from lines of standard input, or from a record. Out: changes of the world before
//! the next step.
//! Method: an object is checked when it arrives ([`Control::accept`]) and takes effect before the next step, or before
//! the step that it names ([`Control::apply`]). A kinematic body moves to its pose within the step, at constant
//! velocities, so that contacts on its path are found; then it stays.
//! Guarantees: the objects that took effect are returned as they were given, so that a replay gives the same bits.

use super::scene::SceneNames;
use crate::description::fields::{self, FieldError, Fields};
use crate::description::pose;
use heurt::geometry::{Motion, Pose, Vec3};
use heurt::world::{BodyId, Kind, World};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Objects that may wait for a later step: a second of input for a thousand bodies at 60 steps a second.
const MAX_WAITING: usize = 60_000;

/// The effect of an object on its body.
#[derive(Debug, Clone)]
enum Action {
    Pose(Pose),
    Force { force: Vec3, torque: Vec3, at: Option<Vec3> },
}

/// A checked object.
#[derive(Debug, Clone)]
struct Push {
    /// The step before which it takes effect; `None` for the next one.
    step: Option<u64>,
    body: BodyId,
    action: Action,
    /// The object as it was given.
    source: Value,
}

/// Checks control objects and applies them.
#[derive(Debug)]
pub(super) struct Control {
    ids: BTreeMap<String, BodyId>,
    /// The bodies that may be controlled; all if `None`.
    allowed: Option<BTreeSet<String>>,
    waiting: Vec<Push>,
    /// Kinematic bodies that the last step moved to a pose.
    moved: Vec<BodyId>,
}

impl Control {
    /// Makes a control of the bodies of a scene; `allowed` are the names of the bodies that may be controlled.
    pub(super) fn new(world: &World, names: &SceneNames) -> Self {
        let ids = world.bodies().map(|(id, _)| (names.bodies[id.index()].clone(), id)).collect();
        let allowed = names.control.as_ref().map(|names| names.iter().cloned().collect());
        Self { ids, allowed, waiting: Vec::new(), moved: Vec::new() }
    }

    /// Returns the names of the bodies that may be controlled; `None` for all.
    #[cfg(feature = "view")]
    pub(super) fn allowed(&self) -> Option<&BTreeSet<String>> {
        self.allowed.as_ref()
    }

    /// Checks an object and keeps it until its step; returns what is wrong with it.
    pub(super) fn accept(&mut self, world: &World, source: Value) -> Result<(), String> {
        if self.waiting.len() >= MAX_WAITING {
            return Err(format!("{MAX_WAITING} objects are waiting for their steps already"));
        }
        let push = self.read(world, source).map_err(|error| match error {
            ControlFault::Field(error) => error.to_string(),
            ControlFault::Text(text) => text,
        })?;
        if let Some(step) = push.step.filter(|step| *step <= world.steps()) {
            return Err(format!("step {step} was taken already: the next one is {}", world.steps() + 1));
        }
        self.waiting.push(push);
        Ok(())
    }

    fn read(&self, world: &World, source: Value) -> Result<Push, ControlFault> {
        let mut fields = Fields::open("", source.clone())?;
        fields.only(&[&["step", "body", "pose", "force", "torque", "at"]])?;
        let step = fields.optional("step", fields::count)?;
        let name = fields.required("body", "the name of a body", fields::text)?;
        let body = *self.ids.get(&name).ok_or_else(|| ControlFault::Text(format!("no body is called `{name}`")))?;
        if self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&name)) {
            let names: Vec<&str> = self.allowed.iter().flatten().map(String::as_str).collect();
            let names = names.join(", ");
            return Err(ControlFault::Text(format!(
                "`{name}` is not in the control list of the scene, which is: {names}"
            )));
        }
        let pose = fields.optional("pose", pose::from_json)?;
        let force = fields.optional("force", fields::vector)?;
        let torque = fields.optional("torque", fields::vector)?;
        let at = fields.optional("at", fields::vector)?;
        let kind = world.body(body).map(|body| &body.kind);
        let action = match (pose, force, torque, kind) {
            (Some(pose), None, None, Some(Kind::Kinematic(None))) if at.is_none() => Action::Pose(pose),
            (Some(_), None, None, Some(Kind::Kinematic(Some(_)))) => {
                return Err(ControlFault::Text(format!("`{name}` follows its keyed poses: leave out its `motion`")));
            }
            (Some(_), None, None, _) => {
                return Err(ControlFault::Text(format!("`{name}` is not kinematic: only kinematic bodies take poses")));
            }
            (None, Some(_), _, Some(Kind::Dynamic(_))) | (None, _, Some(_), Some(Kind::Dynamic(_))) => {
                let zero = Vec3::ZERO;
                Action::Force { force: force.unwrap_or(zero), torque: torque.unwrap_or(zero), at }
            }
            (None, None, None, _) => return Err(ControlFault::Text("give `pose`, `force` or `torque`".to_owned())),
            (Some(_), ..) => return Err(ControlFault::Text("give a pose or forces, not both".to_owned())),
            (None, ..) => {
                return Err(ControlFault::Text(format!("`{name}` is not dynamic: only dynamic bodies take forces")));
            }
        };
        Ok(Push { step, body, action, source })
    }

    /// Changes the world before a step of `dt` seconds. Returns the objects that took effect, and the reasons for
    /// which the world refused others.
    pub(super) fn apply(&mut self, world: &mut World, dt: f64) -> (Vec<Value>, Vec<String>) {
        let next = world.steps() + 1;
        let is_due = |push: &Push| push.step.is_none_or(|step| step <= next);
        let (due, later) = std::mem::take(&mut self.waiting).into_iter().partition(is_due);
        self.waiting = later;
        let due: Vec<Push> = due;
        // A body that is moved again does not stop in between.
        for body in std::mem::take(&mut self.moved) {
            let goes_on = due.iter().any(|push| push.body == body && matches!(push.action, Action::Pose(_)));
            if !goes_on {
                // The body is there, and zero is finite.
                let _ = world.set_velocity(body, Vec3::ZERO, Vec3::ZERO);
            }
        }
        let (mut applied, mut refused) = (Vec::new(), Vec::new());
        for push in due {
            match self.apply_one(world, &push, dt) {
                Ok(()) => applied.push(push.source),
                Err(reason) => refused.push(reason),
            }
        }
        (applied, refused)
    }

    fn apply_one(&mut self, world: &mut World, push: &Push, dt: f64) -> Result<(), String> {
        let reason = |error: &dyn std::error::Error| error.to_string();
        match &push.action {
            Action::Pose(pose) => {
                let Some(body) = world.body(push.body) else { return Ok(()) };
                let motion = Motion::between(&body.pose, pose, dt).map_err(|error| reason(&error))?;
                let set = world.set_velocity(push.body, motion.velocity(), motion.angular_velocity());
                set.map_err(|error| reason(&error))?;
                if !self.moved.contains(&push.body) {
                    self.moved.push(push.body);
                }
            }
            Action::Force { force, torque, at } => {
                world.apply_force(push.body, *force, *at).map_err(|error| reason(&error))?;
                world.apply_torque(push.body, *torque).map_err(|error| reason(&error))?;
            }
        }
        Ok(())
    }
}

/// The fault of an object.
enum ControlFault {
    Field(FieldError),
    Text(String),
}

impl From<FieldError> for ControlFault {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}
