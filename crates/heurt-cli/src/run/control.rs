//! Control of bodies while a scene runs: poses of kinematic bodies, forces on dynamic ones, vertices of soft ones.
//!
//! In: JSON objects, from the page, from lines of standard input, or from a record. Out: changes of the world before
//! the next step.
//! Method: an object is checked when it arrives ([`Control::accept`]) and takes effect before the next step, or before
//! the step that it names ([`Control::apply`]). A kinematic body moves to its pose within the step, at constant
//! velocities, so that contacts on its path are found; then it stays. So does a soft body with its vertices.
//! Guarantees: the objects that took effect are returned as they were given, so that a replay gives the same bits.

use super::control_error::ControlError;
use heurt::geometry::{Motion, Pose, Vec3};
use heurt::scene::SceneNames;
use heurt::scene::describe::read_pose;
use heurt::scene::describe::{Fields, fields};
use heurt::shape::Shape;
use heurt::world::{Body, BodyId, FARTHEST, Kind, World};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Objects of viewers and of standard input that may wait for a later step: a second of input for a thousand bodies at
/// 60 steps a second.
const MAX_WAITING: usize = 60_000;
/// Vertices of these objects: some 300 MB with the objects themselves.
const MAX_WAITING_VERTICES: usize = 1 << 20;
/// Largest acceleration by a force, in m/s²: a million times gravity. A larger one carries a body out of the world.
const MAX_ACCELERATION: f64 = 1e7;

/// The source of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A file or a record: each object names its step, and all were counted when the file was read.
    File,
    /// Standard input.
    Lines,
    /// A viewer, whose objects take effect before the next step.
    #[cfg(feature = "view")]
    Viewer(crate::view::Viewer),
}

/// The effect of an object on its body.
#[derive(Debug, Clone)]
enum Action {
    Pose(Pose),
    Force {
        force: Vec3,
        torque: Vec3,
        at: Option<Vec3>,
    },
    /// Places of all vertices, or of the vertices in `moved`, in the frame of the body.
    Vertices {
        moved: Option<Vec<u32>>,
        places: Vec<Vec3>,
    },
}

impl Action {
    /// Returns the number of vertices that it moves.
    fn vertices(&self) -> usize {
        match self {
            Self::Vertices { places, .. } => places.len(),
            _ => 0,
        }
    }
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
    origin: Origin,
}

/// Checks control objects and applies them.
#[derive(Debug)]
pub(super) struct Control {
    ids: BTreeMap<String, BodyId>,
    /// The names of the bodies, by their places.
    names: Vec<String>,
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
        Self { ids, names: names.bodies.clone(), allowed, waiting: Vec::new(), moved: Vec::new() }
    }

    /// Returns the names of the bodies that may be controlled; `None` for all.
    #[cfg(feature = "view")]
    pub(super) fn allowed(&self) -> Option<&BTreeSet<String>> {
        self.allowed.as_ref()
    }

    /// Checks an object and keeps it until its step; returns what is wrong with it.
    pub(super) fn accept(&mut self, world: &World, source: Value, origin: Origin) -> Result<(), ControlError> {
        if origin != Origin::File && self.waiting.len() >= MAX_WAITING {
            return Err(ControlError::ManyObjects { most: MAX_WAITING });
        }
        let mut push = self.read(world, source)?;
        push.origin = origin;
        #[cfg(feature = "view")]
        if matches!(origin, Origin::Viewer(_)) && push.step.is_some() {
            return Err(ControlError::StepOfViewer);
        }
        if let Some(step) = push.step.filter(|step| *step <= world.steps()) {
            return Err(ControlError::PastStep { step, next: world.steps() + 1 });
        }
        if origin != Origin::File && push.action.vertices() > 0 {
            let waiting: usize = self.waiting.iter().map(|push| push.action.vertices()).sum();
            if waiting > 0 && waiting + push.action.vertices() > MAX_WAITING_VERTICES {
                return Err(ControlError::ManyVertices { waiting });
            }
        }
        // An object takes effect on the body as it is then: only before the next step is it the body of now.
        if push.step.is_none_or(|step| step == world.steps() + 1) {
            check_effect(world, &push, &self.names)?;
        }
        self.waiting.push(push);
        Ok(())
    }

    fn read(&self, world: &World, source: Value) -> Result<Push, ControlError> {
        let mut fields = Fields::open("", source.clone())?;
        fields.only(&[&["step", "body", "pose", "force", "torque", "at", "vertices", "moved"]])?;
        let step = fields.optional("step", fields::count)?;
        let name = fields.required("body", "the name of a body", fields::text)?;
        let body = *self.ids.get(&name).ok_or_else(|| ControlError::NoSuchBody(name.clone()))?;
        if self.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&name)) {
            let names: Vec<&str> = self.allowed.iter().flatten().map(String::as_str).collect();
            return Err(ControlError::NotListed { name, list: names.join(", ") });
        }
        if let Some(action) = read_vertices(&mut fields, &name, world.body(body))? {
            return Ok(Push { step, body, action, source, origin: Origin::File });
        }
        let pose = fields.optional("pose", read_pose)?;
        let force = fields.optional("force", fields::vector)?;
        let torque = fields.optional("torque", fields::vector)?;
        let at = fields.optional("at", fields::vector)?;
        let kind = world.body(body).map(|body| &body.kind);
        let action = match (pose, force, torque, kind) {
            (Some(pose), None, None, Some(Kind::Kinematic(None))) if at.is_none() => {
                if pose.max_translation() > FARTHEST {
                    return Err(ControlError::FarPose);
                }
                Action::Pose(pose)
            }
            (Some(_), None, None, Some(Kind::Kinematic(None))) => return Err(ControlError::PoseAtPoint),
            (Some(_), None, None, Some(Kind::Kinematic(Some(_)))) => {
                return Err(ControlError::Scripted(name));
            }
            (Some(_), None, None, _) => return Err(ControlError::NotKinematic(name)),
            (None, Some(_), _, Some(Kind::Dynamic(_))) | (None, _, Some(_), Some(Kind::Dynamic(_))) => {
                let (force, torque) = (force.unwrap_or(Vec3::ZERO), torque.unwrap_or(Vec3::ZERO));
                Action::Force { force, torque, at }
            }
            (None, None, None, _) => return Err(ControlError::NoAction),
            (Some(_), ..) => return Err(ControlError::PoseAndForce),
            (None, ..) => return Err(ControlError::NotDynamic(name)),
        };
        Ok(Push { step, body, action, source, origin: Origin::File })
    }

    /// Returns the number of objects that wait for a later step.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Changes the world before a step of `dt` seconds. Returns the objects that took effect, and for others their
    /// source and the reason for which they did not. Vertices of one body that several objects move are moved at once.
    pub(super) fn apply(&mut self, world: &mut World, dt: f64) -> (Vec<Value>, Vec<(Origin, ControlError)>) {
        let next = world.steps() + 1;
        let is_due = |push: &Push| push.step.is_none_or(|step| step <= next);
        let (due, later) = std::mem::take(&mut self.waiting).into_iter().partition(is_due);
        self.waiting = later;
        let due: Vec<Push> = due;
        // A body that is moved again gets its velocity below.
        for body in std::mem::take(&mut self.moved) {
            // The body is there, and zero is finite.
            let _ = world.set_velocity(body, Vec3::ZERO, Vec3::ZERO);
        }
        let mut shapes: BTreeMap<BodyId, Vec<Vec3>> = BTreeMap::new();
        let mut results: Vec<Result<(), ControlError>> = Vec::with_capacity(due.len());
        for push in &due {
            results.push(check_effect(world, push, &self.names).and_then(|()| match &push.action {
                Action::Vertices { moved, places } => {
                    add_vertices(shapes.entry(push.body).or_default(), world.body(push.body), moved.as_deref(), places);
                    Ok(())
                }
                _ => self.apply_one(world, push, dt),
            }));
        }
        for (body, vertices) in shapes {
            let Err(error) = world.deform(body, &vertices) else { continue };
            let of_body = due.iter().zip(&mut results);
            of_body
                .filter(|(push, result)| push.body == body && push.action.vertices() > 0 && result.is_ok())
                .for_each(|(_, result)| *result = Err(error.clone().into()));
        }
        let (mut applied, mut refused) = (Vec::new(), Vec::new());
        for (push, result) in due.into_iter().zip(results) {
            match result {
                Ok(()) => applied.push(push.source),
                Err(reason) => refused.push((push.origin, reason)),
            }
        }
        (applied, refused)
    }

    fn apply_one(&mut self, world: &mut World, push: &Push, dt: f64) -> Result<(), ControlError> {
        match &push.action {
            Action::Pose(pose) => {
                let Some(body) = world.body(push.body) else { return Ok(()) };
                let motion = Motion::between(&body.pose, pose, dt)?;
                world.set_velocity(push.body, motion.velocity(), motion.angular_velocity())?;
                if !self.moved.contains(&push.body) {
                    self.moved.push(push.body);
                }
            }
            // Moved with all other vertices of the body.
            Action::Vertices { .. } => {}
            Action::Force { force, torque, at } => {
                world.apply_force(push.body, *force, *at)?;
                world.apply_torque(push.body, *torque)?;
            }
        }
        Ok(())
    }
}

/// Reads the vertices of a soft body; `None` if the object has none.
fn read_vertices(fields: &mut Fields, name: &str, body: Option<&Body>) -> Result<Option<Action>, ControlError> {
    let places = fields.optional("vertices", fields::points(None))?;
    let index = |path: &str, value: Value| {
        let index = fields::count(path, value)?;
        Ok(u32::try_from(index).unwrap_or(u32::MAX))
    };
    let moved = fields.optional("moved", |path, value| fields::list(path, value, index))?;
    let Some(places) = places else {
        return if moved.is_some() { Err(ControlError::MovedAlone) } else { Ok(None) };
    };
    if ["pose", "force", "torque", "at"].iter().any(|key| fields.take(key).is_some()) {
        return Err(ControlError::VerticesAndOthers);
    }
    let mesh = match body.map(|body| (&body.kind, &body.shape)) {
        Some((Kind::Soft(_), Shape::Mesh(mesh))) => mesh.mesh(),
        _ => return Err(ControlError::NotSoft(name.to_owned())),
    };
    let count = mesh.vertices().len();
    let due = moved.as_ref().map_or(count, Vec::len);
    if places.len() != due {
        return Err(ControlError::VertexCount { given: places.len(), count: due });
    }
    if let Some(&vertex) = moved.iter().flatten().find(|vertex| **vertex as usize >= count) {
        return Err(ControlError::NoVertex { name: name.to_owned(), vertex, count });
    }
    if places.iter().any(|place| place.abs().max_element() > FARTHEST) {
        return Err(ControlError::FarVertex);
    }
    Ok(Some(Action::Vertices { moved, places }))
}

/// Adds places to the vertices of a body, which begin as they are now.
fn add_vertices(vertices: &mut Vec<Vec3>, body: Option<&Body>, moved: Option<&[u32]>, places: &[Vec3]) {
    let Some(moved) = moved else { return *vertices = places.to_vec() };
    if let (true, Some(Shape::Mesh(mesh))) = (vertices.is_empty(), body.map(|body| &body.shape)) {
        vertices.extend_from_slice(mesh.mesh().vertices());
    }
    for (vertex, place) in moved.iter().zip(places) {
        // The numbers were checked when the object arrived.
        if let Some(vertex) = vertices.get_mut(*vertex as usize) {
            *vertex = *place;
        }
    }
}

/// Refuses what a body does not take in its present state: vertices that follow a script, and forces that accelerate
/// it, or turn it, beyond all use.
fn check_effect(world: &World, push: &Push, names: &[String]) -> Result<(), ControlError> {
    let Some(body) = world.body(push.body) else { return Ok(()) };
    let (force, torque, at, mass) = match (&push.action, &body.kind) {
        (Action::Vertices { .. }, Kind::Soft(deformation)) if deformation.moves_after(world.time()) => {
            return Err(ControlError::ScriptedVertices(names[push.body.index()].clone()));
        }
        (&Action::Force { force, torque, at }, Kind::Dynamic(mass)) => (force, torque, at, mass),
        _ => return Ok(()),
    };
    let arm = at.map_or(Vec3::ZERO, |at| at - body.centre_of_mass());
    let inertia = *body.pose.rotation() * mass.inertia * body.pose.rotation().transpose();
    let spin = inertia.inverse() * (torque + arm.cross(force));
    let is_usable = |acceleration: Vec3| acceleration.abs().max_element() <= MAX_ACCELERATION;
    // A comparison with NaN is false.
    match is_usable(force / mass.mass) && is_usable(spin) {
        true => Ok(()),
        false => Err(ControlError::LargeForce { most: MAX_ACCELERATION }),
    }
}
