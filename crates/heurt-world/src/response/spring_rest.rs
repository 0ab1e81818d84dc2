//! Springs and position motors between steps: their work, their periods, whether they are at rest.
//!
//! In: joints with springs, bodies at the end of a step. Out: what sleep and the length of pieces need.
//! Method: a spring is at rest after two times of [`CALM_SECONDS`] in which its coordinate stayed within a small bound.
//! A slow oscillation hardly moves as it turns, yet moves in the time before: one time is not enough.
//! Cost: linear in the joints.

use crate::response::assignment::Assignment;
use crate::response::candidates::radius_of;
use crate::response::exact::impacts::JointImpulses;
use crate::response::exact::problem::rigid_body;
use crate::response::joints::{JointTable, WorldJoint};
use crate::state::view::WorldView;
use heurt_geometry::Vec3;
use heurt_rigid::{JointKind, RigidBody};

/// Length of a time of calm, in seconds: that after which a body is at rest.
const CALM_SECONDS: f64 = 0.5;

/// Largest change of the coordinate in a time of calm: radians of a hinge, radii of the smaller body of other joints.
/// 1e-4 is 1 mm in 5 s at a body of 1 m.
const LARGEST_CHANGE: f64 = 1e-4;

/// Times of calm after which a spring is at rest.
const CALM_TIMES: u8 = 2;

/// How long the coordinate of a spring has been at rest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SpringRest {
    coordinate: f64,
    seconds: f64,
    calm: u8,
}

impl SpringRest {
    /// Notes the coordinate at the end of a step of `dt` seconds; `bound` is its largest change at rest.
    fn note(&mut self, coordinate: f64, bound: f64, dt: f64) {
        self.seconds += dt;
        let is_near = (coordinate - self.coordinate).abs() <= bound;
        if is_near && self.seconds < CALM_SECONDS {
            return;
        }
        let calm = if is_near { (self.calm + 1).min(CALM_TIMES) } else { 0 };
        *self = Self { coordinate, seconds: 0.0, calm };
    }
}

impl WorldJoint {
    /// Reports whether a motor or a spring of the joint keeps its bodies from sleep.
    pub(crate) fn drives(&self) -> bool {
        let has_spring = self.joint.spring().is_some() || self.joint.position_motor().is_some();
        let runs = self.joint.motor().is_some_and(|motor| motor.velocity != 0.0);
        runs || has_spring && self.rest.calm < CALM_TIMES
    }

    fn masses(&self, view: &WorldView) -> [RigidBody; 2] {
        let mass = |body| rigid_body(body, Vec3::ZERO);
        [Some(self.a), self.b].map(|id| id.and_then(|id| view.bodies.get(id)).map_or(RigidBody::FIXED, mass))
    }

    /// Returns the largest change of the coordinate at rest.
    fn largest_change(&self, view: &WorldView) -> f64 {
        let bodies = [Some(self.a), self.b].into_iter().flatten().filter_map(|id| view.bodies.get(id));
        let radius = bodies.map(radius_of).filter(|radius| radius.is_finite()).fold(f64::INFINITY, f64::min);
        match self.joint.kind() {
            JointKind::Hinge => LARGEST_CHANGE,
            _ if radius.is_finite() => LARGEST_CHANGE * radius,
            _ => 0.0,
        }
    }
}

impl JointTable {
    /// Notes the coordinates of springs and position motors at the end of a step of `dt` seconds.
    pub(crate) fn note_springs(&mut self, view: &WorldView, dt: f64) {
        for joint in self.all_mut() {
            if joint.joint.spring().is_none() && joint.joint.position_motor().is_none() {
                continue;
            }
            let (frames, bound) = (joint.frames(&view.bodies), joint.largest_change(view));
            joint.rest.note(joint.joint.coordinate([&frames[0], &frames[1]]), bound, dt);
        }
    }

    /// Adds the work of springs in a piece of a step, of which a share has acted.
    pub(crate) fn add_spring_work(&mut self, impulses: &[JointImpulses], share: f64) {
        for piece in impulses {
            if let Some(joint) = self.get_mut(piece.joint) {
                let [at_start, by_change] = piece.spring_work;
                joint.spring_work += share * (at_start + share * by_change);
            }
        }
    }

    /// Lists the angular frequencies of the springs that the exact solver moves, in rad/s.
    pub(crate) fn spring_frequencies(&self, view: &WorldView, assignment: &Assignment) -> impl Iterator<Item = f64> {
        let exact = self.iter().map(|(_, joint)| joint).filter(move |joint| joint.is_exact(assignment));
        exact.map(move |joint| {
            let (frames, masses) = (joint.frames(&view.bodies), joint.masses(view));
            joint.joint.spring_frequency([&frames[0], &frames[1]], [&masses[0], &masses[1]])
        })
    }
}
