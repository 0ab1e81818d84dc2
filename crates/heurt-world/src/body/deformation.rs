//! Prescribed motion of the vertices of a soft body.

use crate::body::keyframes::{KeyframesError, before, check_times};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The places of the vertices of a mesh at each time: a wave, or keyframes.
#[derive(Debug, Clone, PartialEq)]
pub struct Deformation(SoftMotion);

#[derive(Debug, Clone, PartialEq)]
enum SoftMotion {
    /// Runs along the x axis of a mesh and lifts its vertices along z.
    Wave {
        /// Its amplitude in metres.
        amplitude: f64,
        /// In seconds.
        period: f64,
        rest: Arc<Vec<Vec3>>,
        /// Radians a metre along x.
        wave_number: f64,
    },
    /// In order of their times; as many vertices in each.
    Keyed(Arc<Vec<(f64, Vec<Vec3>)>>),
}

impl Deformation {
    /// A wave as long as the mesh, which lifts by `amplitude` metres and takes `period` seconds.
    pub fn wave(mesh: &TriMesh, amplitude: f64, period: f64) -> Self {
        let bounds = mesh.bounds();
        let length = bounds.max.x - bounds.min.x;
        let wave_number = if length > 0.0 { TAU / length } else { 0.0 };
        Self(SoftMotion::Wave { amplitude, period, rest: Arc::new(mesh.vertices().to_vec()), wave_number })
    }

    /// The places of all vertices at given times, in seconds and in the frame of the mesh. Between two of these each
    /// vertex goes straight; before the first and after the last it stays.
    ///
    /// # Errors
    /// [`KeyframesError`].
    pub fn keyed(keys: Vec<(f64, Vec<Vec3>)>) -> Result<Self, KeyframesError> {
        check_times(keys.iter().map(|(time, _)| *time))?;
        let count = keys[0].1.len();
        match keys.iter().position(|(_, vertices)| vertices.len() != count) {
            Some(key) => Err(KeyframesError::Vertices { key, given: keys[key].1.len(), count }),
            None => Ok(Self(SoftMotion::Keyed(Arc::new(keys)))),
        }
    }

    /// Returns the number of vertices that it moves.
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            SoftMotion::Wave { rest, .. } => rest.len(),
            SoftMotion::Keyed(keys) => keys[0].1.len(),
        }
    }

    /// Returns the amplitude in metres and the period in seconds of a wave; `None` for keyframes.
    pub(crate) fn wave_numbers(&self) -> Option<[f64; 2]> {
        match self.0 {
            SoftMotion::Wave { amplitude, period, .. } => Some([amplitude, period]),
            SoftMotion::Keyed(_) => None,
        }
    }

    /// Computes the vertices at `time`, in the frame of the mesh.
    pub fn vertices(&self, time: f64) -> Vec<Vec3> {
        match &self.0 {
            SoftMotion::Wave { amplitude, period, rest, wave_number } => {
                let phase = TAU * (time / period);
                let lift = |v: &Vec3| *v + Vec3::Z * (amplitude * libm::sin(phase - wave_number * v.x));
                rest.iter().map(lift).collect()
            }
            SoftMotion::Keyed(keys) => {
                let Some(at) = before(keys, time) else { return keys[0].1.clone() };
                let (begun, from) = &keys[at];
                let Some((end, to)) = keys.get(at + 1).filter(|_| time > *begun) else { return from.clone() };
                let share = (time - begun) / (end - begun);
                from.iter().zip(to).map(|(from, to)| *from + (*to - *from) * share).collect()
            }
        }
    }

    /// Computes the velocity with which a vertex arrives at its place at `time`, in the frame of the mesh; at the first
    /// key that with which it leaves.
    pub(crate) fn velocity(&self, vertex: usize, time: f64) -> Vec3 {
        match &self.0 {
            SoftMotion::Wave { amplitude, period, rest, wave_number } => {
                let rate = TAU / period;
                Vec3::Z * (amplitude * rate * libm::cos(rate * time - wave_number * rest[vertex].x))
            }
            SoftMotion::Keyed(keys) => {
                let after = keys.partition_point(|(key, _)| *key < time).max(usize::from(time == keys[0].0));
                let Some((begun, from)) = after.checked_sub(1).map(|before| &keys[before]) else { return Vec3::ZERO };
                let Some((end, to)) = keys.get(after) else { return Vec3::ZERO };
                (to[vertex] - from[vertex]) / (end - begun)
            }
        }
    }
}
