//! Edges ahead of bodies: from a body to the tip of its velocity (S4 §8.2.2, "anticipation").
//!
//! In: a pose, the velocity that a body wants, a time. Out: registered edges, seen by agents in the cells that they
//! pass.
//! Method: one edge from the place of the body; wide bodies have two, from their front corners, which form a point. The
//! tip stops at walls. S4 takes the present velocity; a body that a crowd holds up would have no edge then, and
//! the crowd no reason to part. Guarantees: edges keep inside the ground. Cost: O(cells between).

use super::rig::{Rig, RigPose};
use crate::form::Segment;
use heurt_geometry::Vec2;
use heurt_map::registration::{Element, EntityId, PlaneEnvironment, PointId, RegistrationMode};
use heurt_map::track::MoveEnd;
use smallvec::SmallVec;

/// The edges ahead of a body.
#[derive(Debug, Clone, Default)]
pub(in crate::crowd) struct Ahead {
    pub entities: SmallVec<[EntityId; 2]>,
    /// The starts, and the tip at the end.
    points: SmallVec<[PointId; 3]>,
    starts: SmallVec<[Vec2; 2]>,
    /// From the place of the body to the tip.
    pub middle: Segment,
    /// Half of the width of the strip ahead that the body will cover, in metres.
    pub half_width: f64,
}

/// Returns the starts of the edges ahead.
fn starts(rig: &Rig, pose: &RigPose, corners: &[Vec2]) -> SmallVec<[Vec2; 2]> {
    match rig.is_wide {
        true => rig.front.iter().map(|&corner| corners[corner as usize]).collect(),
        false => SmallVec::from_slice(&[pose.place]),
    }
}

impl Ahead {
    /// Registers the edges of a body at rest, from a point of a cell.
    pub fn register(
        (rig, pose, corners): (&Rig, &RigPose, &[Vec2]),
        from: (u32, Vec2),
        environment: &mut PlaneEnvironment,
    ) -> Self {
        let starts = starts(rig, pose, corners);
        let tip = starts.len() as u32;
        let positions: SmallVec<[Vec2; 3]> = starts.iter().copied().chain([pose.place]).collect();
        let edges: SmallVec<[Element; 2]> = (0..tip).map(|start| Element::Edge([start, tip])).collect();
        let added = environment.add_from(from, &positions, &edges, RegistrationMode::default());
        let entities: SmallVec<[EntityId; 2]> = added.unwrap_or_default().into_iter().collect();
        let mut points: SmallVec<[PointId; 3]> = SmallVec::new();
        for (place, &entity) in entities.iter().enumerate() {
            let ends: SmallVec<[PointId; 2]> = environment.points(entity).into_iter().flatten().collect();
            points.insert(place, ends[0]);
            if place == 0 {
                points.push(ends[1]);
            }
        }
        let [left, right] = rig.front.map(|corner| corners[corner as usize]);
        Self { entities, points, starts, middle: [pose.place; 2], half_width: 0.5 * left.distance(right) }
    }

    /// Moves the edges to a pose; the tip goes to the end of an offset, or as far as there is ground.
    pub fn follow(
        &mut self,
        (rig, pose, corners): (&Rig, &RigPose, &[Vec2]),
        offset: Vec2,
        environment: &mut PlaneEnvironment,
    ) {
        let Some((&tip, points)) = self.points.split_last() else { return };
        self.starts = starts(rig, pose, corners);
        // The points are registered: a move that meets a wall ends there.
        let moves: SmallVec<[(PointId, Vec2); 2]> = points.iter().copied().zip(self.starts.iter().copied()).collect();
        let _ = environment.move_points(&moves);
        let target = pose.place + offset;
        let moved = environment.move_point(tip, target);
        if moved.is_ok_and(|moved| moved.end != MoveEnd::Arrived) {
            // A wall between the tip and its target need not be between the body and the target.
            let _ = environment.move_points(&[(tip, pose.place)]);
            let _ = environment.move_point(tip, target);
        }
        let tip = environment.particle(tip).map_or(pose.place, |particle| particle.position);
        self.middle = [pose.place, tip];
    }

    /// Returns the edges.
    pub fn segments(&self) -> impl Iterator<Item = Segment> {
        // Without registered edges there is none.
        self.starts.iter().take(self.entities.len()).map(|&start| [start, self.middle[1]])
    }
}
