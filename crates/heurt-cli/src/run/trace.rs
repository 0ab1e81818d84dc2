//! Traces: one JSON line a step, for other programs.

use super::record::{shown, unwritable};
use crate::Failure;
use heurt::geometry::{Pose, Quat};
use heurt::world::{Body, BodyId, World};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
    /// The time of a first impact within the step, from the start of the run; absent for bodies that touched before.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
}

/// Writer of a trace.
pub(super) struct Tracer {
    file: BufWriter<File>,
    path: PathBuf,
    every: u64,
    /// The traced bodies; all if none is named.
    chosen: Option<BTreeSet<String>>,
}

impl Tracer {
    pub(super) fn create(path: &Path, every: u64, chosen: Option<BTreeSet<String>>) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|source| unwritable(path, source))?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned(), every, chosen })
    }

    /// Writes a line, if it is the turn of this step; `begun` is the time at which the step began.
    pub(super) fn step(&mut self, world: &World, names: &[String], begun: f64) -> Result<(), Failure> {
        if !world.steps().is_multiple_of(self.every) {
            return Ok(());
        }
        let is_told = |name: &str| self.chosen.as_ref().is_none_or(|chosen| chosen.contains(name));
        let bodies = world.bodies().map(|(id, body)| (names[id.index()].as_str(), body));
        let energy = world.energy();
        let [momentum, angular_momentum] = world.momentum().map(|v| v.to_array());
        let sums = [energy.kinetic, energy.potential].into_iter().chain(momentum).chain(angular_momentum);
        if !sums.into_iter().all(f64::is_finite) {
            let reason =
                "energy and momentum of its bodies are beyond the range of numbers: choose other units".to_owned();
            return Err(Failure::Stopped { step: world.steps(), reason });
        }
        let line = TraceLine {
            step: world.steps(),
            time: world.time(),
            hash: shown(world.state_hash()),
            energy: EnergyJson { kinetic: energy.kinetic, potential: energy.potential },
            momentum,
            angular_momentum,
            bodies: bodies.filter(|(name, _)| is_told(name)).map(|(name, body)| body_json(name, body)).collect(),
            contacts: contacts(world, names, begun),
        };
        let written = serde_json::to_writer(&mut self.file, &line).map_err(std::io::Error::from);
        let written = written.and_then(|()| self.file.write_all(b"\n")).and_then(|()| self.file.flush());
        written.map_err(|source| unwritable(&self.path, source))
    }
}

fn body_json<'w>(name: &'w str, body: &Body) -> BodyJson<'w> {
    BodyJson {
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

fn contacts<'w>(world: &World, names: &'w [String], begun: f64) -> Vec<TraceContactJson<'w>> {
    let mut list = Vec::new();
    for touch in world.touches() {
        let [a, b] = [touch.a, touch.b].map(|id: BodyId| names[id.index()].as_str());
        list.extend(world.contact_motions(touch).into_iter().map(|met| TraceContactJson {
            a,
            b,
            point: met.point.to_array(),
            normal: met.normal.to_array(),
            separation: met.separation,
            kind: met.approach.name(),
            impulse: 0.0,
            time: met.time.map(|time| begun + time),
        }));
    }
    list
}
