//! Motion of the vertices of a soft body: a wave, keyframes, or vertices that a caller computes.

use crate::body::keyframes::{KeyframesError, before, check_times};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The places of the vertices of a mesh at each time: a wave, keyframes, or those of
/// [`World::deform`](crate::World::deform).
#[derive(Debug, Clone, PartialEq)]
pub struct Deformation {
    motion: SoftMotion,
    /// The places to which the next step moves the vertices, in place of the motion.
    target: Option<Arc<Vec<Vec3>>>,
}

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
        SoftMotion::Wave { amplitude, period, rest: Arc::new(mesh.vertices().to_vec()), wave_number }.into()
    }

    /// Vertices that stay until [`World::deform`](crate::World::deform) moves them.
    pub fn driven(mesh: &TriMesh) -> Self {
        SoftMotion::Keyed(Arc::new(vec![(0.0, mesh.vertices().to_vec())])).into()
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
            None => Ok(SoftMotion::Keyed(Arc::new(keys)).into()),
        }
    }

    /// Reports whether vertices move by themselves after `time`, in seconds: a wave, or keyframes that are not over.
    /// The first [`World::deform`](crate::World::deform) ends that.
    pub fn moves_after(&self, time: f64) -> bool {
        match &self.motion {
            SoftMotion::Wave { .. } => true,
            SoftMotion::Keyed(keys) => keys.len() > 1 && keys[keys.len() - 1].0 > time,
        }
    }

    /// Returns the number of vertices that it moves.
    pub(crate) fn len(&self) -> usize {
        match &self.motion {
            SoftMotion::Wave { rest, .. } => rest.len(),
            SoftMotion::Keyed(keys) => keys[0].1.len(),
        }
    }

    /// Returns the amplitude in metres and the period in seconds of a wave; `None` for keyframes.
    pub(crate) fn wave_numbers(&self) -> Option<[f64; 2]> {
        match self.motion {
            SoftMotion::Wave { amplitude, period, .. } => Some([amplitude, period]),
            SoftMotion::Keyed(_) => None,
        }
    }

    /// Returns the places to which the next step moves the vertices; `None` if its motion decides.
    pub(crate) fn target(&self) -> Option<&Arc<Vec<Vec3>>> {
        self.target.as_ref()
    }

    /// Makes the next step move the vertices to `target`, in the frame of the mesh.
    pub(crate) fn with_target(&self, target: Vec<Vec3>) -> Self {
        Self { motion: self.motion.clone(), target: Some(Arc::new(target)) }
    }

    /// Returns the motion of a step from `start`, where the vertices are, to the target, from time to time in seconds;
    /// `None` without a target.
    pub(crate) fn toward_target(&self, start: &[Vec3], [from, to]: [f64; 2]) -> Option<Self> {
        let end = (to, self.target.as_ref()?.to_vec());
        // A step that is lost in the rounding of the time has one moment.
        let keys = if from < to { vec![(from, start.to_vec()), end] } else { vec![end] };
        Some(SoftMotion::Keyed(Arc::new(keys)).into())
    }

    /// Computes the vertices at `time`, in the frame of the mesh.
    pub fn vertices(&self, time: f64) -> Vec<Vec3> {
        match &self.motion {
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
        match &self.motion {
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

impl From<SoftMotion> for Deformation {
    fn from(motion: SoftMotion) -> Self {
        Self { motion, target: None }
    }
}
