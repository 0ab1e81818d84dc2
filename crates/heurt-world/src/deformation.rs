//! How the vertices of a soft body move while nothing simulates them.

use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A wave that runs along the x axis of a mesh and lifts its vertices along z.
#[derive(Debug, Clone, PartialEq)]
pub struct Deformation {
    /// How far it lifts, in metres.
    pub amplitude: f64,
    /// In seconds.
    pub period: f64,
    rest: Arc<Vec<Vec3>>,
    /// Radians a metre along x.
    wave_number: f64,
}

impl Deformation {
    /// A wave as long as the mesh.
    pub fn wave(mesh: &TriMesh, amplitude: f64, period: f64) -> Self {
        let bounds = mesh.bounds();
        let length = bounds.max.x - bounds.min.x;
        let wave_number = if length > 0.0 { TAU / length } else { 0.0 };
        Self { amplitude, period, rest: Arc::new(mesh.vertices().to_vec()), wave_number }
    }

    /// How many vertices it moves.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// Where the vertices are at `time`, in the frame of the mesh.
    pub fn vertices(&self, time: f64) -> Vec<Vec3> {
        let phase = TAU * (time / self.period);
        let lift = |v: &Vec3| *v + Vec3::Z * (self.amplitude * libm::sin(phase - self.wave_number * v.x));
        self.rest.iter().map(lift).collect()
    }
}
