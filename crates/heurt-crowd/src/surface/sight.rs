//! Sight on a surface: the agents and walls that an agent sees, and those it could touch in a step.
//!
//! In: an agent. Out: agents within reach, turned into its plane; half-spaces of velocities.
//! Method: agents are found from cell to cell, as far as boxes of cells are within the reach: so an agent on a sheet of
//! the surface that is only near in space is not seen. Their offsets in space are projected into the plane of the agent
//! and keep their lengths. A chord never shrinks faster than the path along the plane, so that half of the gap each
//! leaves no overlap, up to the turn of the plane within the step; a margin takes most of that.
//! Guarantees: every agent that an agent could touch is found, unless all paths to it leave the reach. Cost: O(agents
//! in cells within the reach).

use super::SurfaceCrowd;
use super::body::{BodyTouches, SectionTouch, WayOut};
use super::route::turn;
use crate::crowd::measures::Overlaps;
use crate::space::VelocityHalfSpace;
use crate::space::separate::{MARGIN, ROUNDINGS};
use crate::space::sight::Seen;
use heurt_geometry::Vec3;
use heurt_map::registration::{EntityId, Visit};
use smallvec::SmallVec;

/// Agents keep this share of their radii as a gap, so that a step over a curve seldom ends in an overlap and has to be
/// shortened: two agents of 0.2 m that walk 0.05 m side by side on a ball of 1 m come nearer by 0.5 mm.
pub(super) const CURVATURE_MARGIN: f64 = 1e-3;

/// Walls in directions closer than this cosine are one to a model: it sees the nearest of them.
const ONE_WALL: f64 = 0.5;

/// Offsets with a smaller part along the plane have no direction in it.
const ACROSS: f64 = 1e-9;

/// Agents that an agent could touch in a step.
pub(super) type Touched = SmallVec<[SectionTouch; 8]>;

/// Buffers of a thread.
#[derive(Debug, Default)]
pub(super) struct SurfaceSight {
    pub visit: Visit,
    /// Agents within reach, in the plane of the agent.
    pub near: Vec<Seen>,
    /// Unit vectors from walls, and distances from them to the centre.
    pub walls: Vec<(Vec3, f64)>,
    pub spaces: Vec<VelocityHalfSpace>,
    pub touched: Touched,
    /// Touches of a body.
    pub around: BodyTouches,
    /// The direction out of the strip ahead of a body.
    pub way_out: WayOut,
}

impl SurfaceCrowd<'_> {
    /// Finds what an agent sees and could touch in the plane of a normal; adds its overlaps.
    pub(super) fn look(
        &self,
        id: u32,
        (own, normal): (&Seen, Vec3),
        step: f64,
        sight: &mut SurfaceSight,
        overlaps: &mut Overlaps,
    ) {
        let limit_of = |seen: &Seen| seen.limit.min(self.longest_move / step);
        let (model, limit) = (&self.models[own.group as usize], limit_of(own));
        let rounding = ROUNDINGS * f64::EPSILON * self.extent;
        let SurfaceSight { visit, near, walls, spaces, touched, way_out, .. } = sight;
        *way_out = None;
        near.clear();
        walls.clear();
        spaces.clear();
        touched.clear();
        let radii = own.radius + self.largest.radius;
        let reach = model.reach(radii).max(radii + (limit + limit_of(&self.largest)) * step);
        let body_reach = self.reach_to_bodies(own, step);
        let add = |entity: EntityId, distance: f64| {
            let (other_id, section) = self.owner_of[entity.0 as usize];
            if self.agents[other_id as usize].body.is_some() {
                self.see_section((id, own, normal), (other_id, section), step, (touched, near, spaces), way_out);
                return;
            }
            if distance > reach {
                return;
            }
            let other = self.seen[other_id as usize];
            let radii = own.radius + other.radius;
            let chord = own.position - other.position;
            let distance = chord.length();
            let gap = distance - radii;
            if gap < 0.0 && id < other_id {
                let smaller = (2.0 * own.radius.min(other.radius)).max(f64::MIN_POSITIVE);
                overlaps.add_pair([id, other_id], -gap / smaller);
            }
            let touches = gap <= (limit + limit_of(&other)) * step;
            if touches {
                touched.push(SectionTouch { own: 0, other: other_id, section: 0 });
            }
            let along = chord - normal * normal.dot(chord);
            let length = along.length();
            // An agent straight above or below has no direction in the plane.
            if length <= ACROSS * distance || distance == 0.0 {
                return;
            }
            let away = along / length;
            let velocity = turn(other.velocity, self.ground.normal_of(self.agents[other_id as usize].face), normal);
            near.push(Seen { position: own.position - away * distance, velocity, ..other });
            if touches {
                let free = (gap - CURVATURE_MARGIN * radii - rounding).max(0.0);
                spaces.push(VelocityHalfSpace { normal: away, least: -0.5 * free / step });
            }
        };
        let point = self.agents[id as usize].point;
        // The point is registered, and the radius is a number: this cannot fail.
        let _ = self.environment.for_each_within(point, reach.max(body_reach), visit, add);
        self.look_at_walls(id, (own, normal), limit * step, step, (walls, spaces), overlaps);
    }

    /// Finds the walls near an agent that moves by no more than `most` metres.
    fn look_at_walls(
        &self,
        id: u32,
        (own, normal): (&Seen, Vec3),
        most: f64,
        step: f64,
        (walls, spaces): (&mut Vec<(Vec3, f64)>, &mut Vec<VelocityHalfSpace>),
        overlaps: &mut Overlaps,
    ) {
        let rounding = ROUNDINGS * f64::EPSILON * self.extent;
        for offset in self.walls.offsets(self.agents[id as usize].face, own.position) {
            let distance = offset.length();
            if distance < own.radius {
                overlaps.add_wall((own.radius - distance) / (2.0 * own.radius).max(f64::MIN_POSITIVE));
            }
            let along = offset - normal * normal.dot(offset);
            let length = along.length();
            if length <= ACROSS * distance || distance == 0.0 {
                continue;
            }
            walls.push((along / length, distance));
            if distance <= own.radius + most {
                let free = (distance - own.radius * (1.0 + MARGIN) - rounding).max(0.0);
                spaces.push(VelocityHalfSpace { normal: along / length, least: -free / step });
            }
        }
        keep_nearest_walls(walls);
    }
}

/// Sorts walls by distance, and keeps the nearest in each direction.
pub(super) fn keep_nearest_walls(walls: &mut Vec<(Vec3, f64)>) {
    walls.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut kept = 0;
    for place in 0..walls.len() {
        let wall = walls[place];
        if walls[..kept].iter().all(|nearer| nearer.0.dot(wall.0) < ONE_WALL) {
            walls[kept] = wall;
            kept += 1;
        }
    }
    walls.truncate(kept);
}
