//! Paths of bodies in a step: where each began and ended, and a box around all that it swept.
//!
//! In: the bodies before and after a step, and every box in which the step searched for pairs. Out: a [`BodyPath`] of
//! each body that moved, in the order of places.
//! Method: the union of the bounds at the start, of all searched boxes, and of the bounds at the end. A step with a
//! response searches several times, once for each piece between two impacts.
//! Guarantees: in continuous detection the box holds the whole path of a body that no soft step advanced. In discrete
//! detection, and for bodies of soft steps, it holds the bounds at the start and at the end.
//! Cost: one pass over the bodies before and one after the step; nothing unless it is switched on.

use crate::body::{Body, BodyId, Kind};
use crate::state::bodies::Bodies;
use crate::state::memory_report::bytes_of_list;
use heurt_broad::Move;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::ShapeRef;

/// The path of a body in a step, in the world frame, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPath {
    /// The body.
    pub id: BodyId,
    /// The origin of the body at the start and at the end of the step. Between them it may bend, or bounce.
    pub ends: [Vec3; 2],
    /// A box around what the body swept, and around what it would have swept without the impacts of the step; infinite
    /// for an unbounded body.
    pub swept: Aabb,
}

/// A body before a step.
#[derive(Debug, Clone)]
struct PathStart {
    id: BodyId,
    pose: Pose,
    bounds: Aabb,
    /// The union of the boxes in which the step searched.
    searched: Aabb,
}

/// The paths of the last step, and the starts of the bodies in a step that is being taken.
#[derive(Debug, Default)]
pub(crate) struct StepPaths {
    starts: Vec<Option<PathStart>>,
    paths: Vec<BodyPath>,
}

impl StepPaths {
    /// The paths of the last step.
    pub(crate) fn paths(&self) -> &[BodyPath] {
        &self.paths
    }

    /// Drops all paths.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.paths.clear();
    }

    /// Keeps where the bodies are, before a step or another attempt at it.
    pub(crate) fn begin(&mut self, bodies: &Bodies) {
        self.clear();
        self.starts.resize(bodies.slots().len(), None);
        for (id, body) in bodies.iter().filter(|(_, body)| !matches!(body.kind, Kind::Static)) {
            let bounds = bounds_of(body);
            self.starts[id.index()] = Some(PathStart { id, pose: body.pose, bounds, searched: bounds });
        }
    }

    /// Adds boxes in which the step searches for pairs.
    pub(crate) fn add_searched(&mut self, moves: &[Move]) {
        for moved in moves {
            if let Some(Some(start)) = self.starts.get_mut(moved.id as usize) {
                start.searched = start.searched.union(moved.bounds);
            }
        }
    }

    /// Lists the paths after a step. A body with the same pose and the same bounds as before has none.
    pub(crate) fn finish(&mut self, bodies: &Bodies) {
        for start in self.starts.drain(..).flatten() {
            let Some(body) = bodies.get(start.id) else { continue };
            let bounds = bounds_of(body);
            if body.pose != start.pose || bounds != start.bounds {
                let ends = [start.pose, body.pose].map(|pose| pose.translation());
                self.paths.push(BodyPath { id: start.id, ends, swept: start.searched.union(bounds) });
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.starts) + bytes_of_list(&self.paths)
    }
}

fn bounds_of(body: &Body) -> Aabb {
    ShapeRef::from(&body.shape).bounds_at(&body.pose)
}
