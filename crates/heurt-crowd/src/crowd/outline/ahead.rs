//! Edges ahead of bodies: from a body to the tip of its velocity (S4 §8.2.2, "anticipation").
//!
//! In: a pose, the velocity that a body wants, a time. Out: registered edges, seen by agents in the cells that they
//! pass.
//! Method: one edge from the place of the body; wide bodies have two, from their front corners, which form a point.
//! These corners are points that the edges of the body have, too, so that each is tracked once. The
//! tip stops at walls. S4 takes the present velocity; a body that a crowd holds up would have no edge then, and
//! the crowd no reason to part. Guarantees: edges keep inside the ground. Cost: O(cells between).

use super::rig::Rig;
use crate::form::Segment;
use heurt_geometry::Vec2;
use heurt_map::registration::{Element, EntityId, MovedAll, PlaneEnvironment, PointId};
use smallvec::SmallVec;

/// The edges ahead of a body.
#[derive(Debug, Clone, Default)]
pub(in crate::crowd) struct Ahead {
    pub entities: SmallVec<[EntityId; 2]>,
    /// The start of a single edge, and the tip at the end: the points that are no corners.
    points: SmallVec<[PointId; 2]>,
    /// From the place of the body to the tip.
    pub middle: Segment,
    /// Half of the width of the strip ahead that the body will cover, in metres.
    pub half_width: f64,
}

/// Returns the edges ahead over the points of a body, and how many of these points are at its place: the tip, and the
/// start of a single edge. They come before the corners.
pub(super) fn elements_ahead(rig: &Rig) -> (u32, SmallVec<[Element; 2]>) {
    match rig.is_wide {
        true => (1, rig.front.iter().map(|&corner| Element::Edge([corner + 1, 0])).collect()),
        false => (2, SmallVec::from_slice(&[Element::Edge([1, 0])])),
    }
}

impl Ahead {
    /// Takes the registered edges of a body at rest.
    pub fn new(
        (rig, place, corners): (&Rig, Vec2, &[Vec2]),
        entities: &[EntityId],
        environment: &PlaneEnvironment,
    ) -> Self {
        let ends = entities.first().and_then(|&entity| environment.points(entity).ok());
        let points = ends.into_iter().flatten().skip(usize::from(rig.is_wide)).collect();
        let [left, right] = rig.front.map(|corner| corners[corner as usize]);
        let half_width = 0.5 * left.distance(right);
        Self { entities: SmallVec::from_slice(entities), points, middle: [place; 2], half_width }
    }

    /// Lists the moves of the points that are no corners: the start to the place of the body, the tip to a target.
    pub fn moves(&self, place: Vec2, target: Vec2) -> impl Iterator<Item = (PointId, Vec2)> {
        let last = self.points.len().saturating_sub(1);
        self.points.iter().enumerate().map(move |(k, &point)| (point, if k == last { target } else { place }))
    }

    /// Takes the place of the tip after its moves; a tip that met a wall goes as far towards its target as there is
    /// ground between.
    pub fn follow(&mut self, place: Vec2, target: Vec2, moved: &MovedAll, environment: &mut PlaneEnvironment) {
        let Some(&tip) = self.points.last() else { return };
        if moved.stopped.iter().any(|(point, _)| *point == tip) {
            // A wall between the tip and its target need not be between the body and the target.
            let _ = environment.move_points(&[(tip, place)]);
            let _ = environment.move_point(tip, target);
        }
        let tip = environment.particle(tip).map_or(place, |particle| particle.position);
        self.middle = [place, tip];
    }
}
