//! Traces: one JSON line a step, for other programs.
//!
//! Contacts: first the pairs that the response solved, with their impulses and the motion before it; then all other
//! pairs that touch. On request: all pairs of faces that intersect as the step ends, and the vertices of soft bodies.
//! Joints: the force on B at the anchor, as a mean over the step, and the joints that broke in it.

use super::record::hash_text;
use crate::describe::feature::TouchingFeatures;
use crate::scene::SceneNames;
use heurt_geometry::{Pose, Quat};
use heurt_shape::Shape;
use heurt_world::{Body, ContactPlace, Kind, World};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use thiserror::Error;

#[derive(Serialize)]
struct TraceLine<'w> {
    step: u64,
    time: f64,
    hash: String,
    energy: EnergyJson,
    momentum: [f64; 3],
    angular_momentum: [f64; 3],
    bodies: Vec<BodyJson<'w>>,
    contacts: Vec<TraceContactJson<'w>>,
    /// The faces that intersect, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    faces: Option<Vec<TraceFacesJson<'w>>>,
    /// Absent in scenes without joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    joints: Option<Vec<TraceJointJson<'w>>>,
    /// The joints that broke in this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<Vec<&'w str>>,
}

#[derive(Serialize)]
struct TraceJointJson<'w> {
    name: &'w str,
    a: &'w str,
    /// Null for the world.
    b: Option<&'w str>,
    kind: &'static str,
    /// In N, on b at the anchor; a has the opposite.
    force: [f64; 3],
    /// In N m.
    torque: [f64; 3],
    /// Distance of the points that it holds together, in m; null if its limits let them part.
    opening: Option<f64>,
}

#[derive(Serialize)]
struct EnergyJson {
    kinetic: f64,
    potential: f64,
}

#[derive(Serialize)]
struct BodyJson<'w> {
    name: &'w str,
    translation: [f64; 3],
    rotation: [f64; 4],
    linear_velocity: [f64; 3],
    angular_velocity: [f64; 3],
    /// The vertices of soft bodies, in their frame, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<[f64; 3]>>,
}

/// The faces of two bodies that intersect.
#[derive(Serialize)]
struct TraceFacesJson<'w> {
    a: &'w str,
    b: &'w str,
    /// Numbers of triangles of a and b; 0 for a convex shape.
    pairs: Vec<[u32; 2]>,
}

#[derive(Serialize)]
struct TraceContactJson<'w> {
    a: &'w str,
    b: &'w str,
    point: [f64; 3],
    normal: [f64; 3],
    separation: f64,
    kind: &'static str,
    impulse: f64,
    /// On b with friction, in N, as a mean over the step; absent for a pair that was not solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    forces: Option<[f64; 3]>,
    /// Absent at an impact of a pair that was not solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<TouchingFeatures>,
    /// The time of a first impact within the step, from the start of the run; absent for bodies that touched before.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
}

/// The choices of a trace.
#[derive(Debug, Clone, Default)]
pub struct TraceOptions {
    /// The traced bodies; all if none is named.
    pub chosen: Option<BTreeSet<String>>,
    /// Lines have the vertices of soft bodies.
    pub has_vertices: bool,
    /// Lines have the faces that intersect.
    pub has_faces: bool,
}

/// Errors of a trace.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A sum over the bodies overflows.
    #[error("energy and momentum of its bodies are beyond the range of numbers: choose other units")]
    BeyondRange,
    /// The world has a body or a joint without a name, which was inserted after the scene was built.
    #[error("{what} {number} has no name: add one to the names of the scene")]
    NoName {
        /// `body` or `joint`.
        what: &'static str,
        /// Its number.
        number: usize,
    },
    /// The line cannot be written.
    #[error(transparent)]
    Unwritable(#[from] io::Error),
}

/// Writes the state of a world after a step as a JSON object on one line; `begun` is the time at which the step began.
///
/// # Errors
/// [`TraceError`].
pub fn write_trace_line(
    world: &World,
    names: &SceneNames,
    options: &TraceOptions,
    begun: f64,
    out: &mut dyn Write,
) -> Result<(), TraceError> {
    let TraceOptions { chosen, has_vertices, has_faces } = options;
    let nameless = |what, number| Err(TraceError::NoName { what, number });
    if let Some((id, _)) = world.bodies().find(|(id, _)| id.index() >= names.bodies.len()) {
        return nameless("body", id.index());
    }
    if let Some((id, _)) = world.joints().find(|(id, _)| id.index() >= names.joints.len()) {
        return nameless("joint", id.index());
    }
    let is_chosen = |name: &str| chosen.as_ref().is_none_or(|chosen| chosen.contains(name));
    let bodies = world.bodies().map(|(id, body)| (names.bodies[id.index()].as_str(), body));
    let energy = world.energy();
    let [momentum, angular_momentum] = world.momentum().map(|v| v.to_array());
    let sums = [energy.kinetic, energy.potential].into_iter().chain(momentum).chain(angular_momentum);
    if !sums.into_iter().all(f64::is_finite) {
        return Err(TraceError::BeyondRange);
    }
    let line = TraceLine {
        step: world.steps(),
        time: world.time(),
        hash: hash_text(world.state_hash()),
        energy: EnergyJson { kinetic: energy.kinetic, potential: energy.potential },
        momentum,
        angular_momentum,
        bodies: bodies
            .filter(|(name, _)| is_chosen(name))
            .map(|(name, body)| body_json(name, body, *has_vertices))
            .collect(),
        contacts: list_contacts(world, &names.bodies, begun),
        faces: has_faces.then(|| list_faces(world, &names.bodies)),
        joints: (!names.joints.is_empty()).then(|| list_joints(world, names)),
        broken: (!names.joints.is_empty()).then(|| list_broken(world, names)),
    };
    // Buffered here: each number is a write of its own.
    let mut out = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer(&mut out, &line).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn body_json<'w>(name: &'w str, body: &Body, has_vertices: bool) -> BodyJson<'w> {
    let soft = match (&body.kind, &body.shape) {
        (Kind::Soft(_), Shape::Mesh(mesh)) if has_vertices => Some(mesh.mesh()),
        _ => None,
    };
    BodyJson {
        vertices: soft.map(|mesh| mesh.vertices().iter().map(|vertex| vertex.to_array()).collect()),
        name,
        translation: body.pose.translation().to_array(),
        rotation: quaternion(&body.pose),
        linear_velocity: body.velocity.to_array(),
        angular_velocity: body.angular_velocity.to_array(),
    }
}

fn quaternion(pose: &Pose) -> [f64; 4] {
    Quat::from_mat3(pose.rotation()).normalize().to_array()
}

/// Lists the contacts that the response solved, then the pairs that touch and were not solved.
fn list_contacts<'w>(world: &World, names: &'w [String], begun: f64) -> Vec<TraceContactJson<'w>> {
    let list = world.contact_places().map(|place| {
        let [a, b] = place.bodies.map(|id| names[id.index()].as_str());
        let [body_a, body_b] = place.bodies.map(|id| world.body(id));
        let shapes = body_a.zip(body_b).map(|(a, b)| [(&a.shape).into(), (&b.shape).into()]);
        let features = place.features.zip(shapes).map(|(features, shapes)| TouchingFeatures::new(features, shapes));
        let ContactPlace { motion, impulse, force, .. } = place;
        TraceContactJson {
            a,
            b,
            point: motion.point.to_array(),
            normal: motion.normal.to_array(),
            separation: motion.separation,
            kind: motion.approach.name(),
            impulse,
            forces: force.map(|force| force.to_array()),
            features,
            time: motion.time.map(|time| begun + time),
        }
    });
    list.collect()
}

/// Lists all faces that intersect, pair by pair.
fn list_faces<'w>(world: &World, names: &'w [String]) -> Vec<TraceFacesJson<'w>> {
    let faces = world.contacts().iter().map(|touch| {
        let [a, b] = [touch.a, touch.b].map(|id| names[id.index()].as_str());
        TraceFacesJson { a, b, pairs: world.intersecting_faces(touch) }
    });
    faces.filter(|faces| !faces.pairs.is_empty()).collect()
}

fn list_joints<'w>(world: &World, names: &'w SceneNames) -> Vec<TraceJointJson<'w>> {
    let joints = world.joints().map(|(id, joint)| TraceJointJson {
        name: &names.joints[id.index()],
        a: &names.bodies[joint.a.index()],
        b: joint.b.map(|id| names.bodies[id.index()].as_str()),
        kind: joint.joint.kind().name(),
        force: joint.load.force.to_array(),
        torque: joint.load.torque.to_array(),
        opening: world.joint_opening(id),
    });
    joints.collect()
}

fn list_broken<'w>(world: &World, names: &'w SceneNames) -> Vec<&'w str> {
    world.broken_joints().iter().map(|id| names.joints[id.index()].as_str()).collect()
}
