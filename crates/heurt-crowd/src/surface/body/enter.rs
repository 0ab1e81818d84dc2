//! First places of bodies on curved ground: straight, facing their first goal, clear of walls and of all agents.
//!
//! In: a rig, a place. Out: a body whose sections are registered, or a fault with its place.
//! Cost: O(agents) for each place.

use super::super::fault::SurfaceFault;
use super::super::route::Target;
use super::super::walk::Footing;
use super::super::{Roamer, SurfaceCrowd, SurfaceGroup};
use super::{LayFault, Side, SurfaceBody, SurfaceRig, depth_of_pair, do_overlap, overlaps_wall};
use heurt_geometry::Vec3;
use heurt_map::registration::{EntityId, PointId};
use std::sync::Arc;

/// Registered points are no further from the origins of their sections, in metres.
pub(super) const NEAR: f64 = 1e-3;

impl SurfaceCrowd<'_> {
    /// Places the body of an agent, which is not in the list of agents yet; returns its number and its first section.
    pub(in crate::surface) fn enter_body(
        &mut self,
        rig: &Arc<SurfaceRig>,
        at: Target,
        form: &SurfaceGroup,
        (group, number): (usize, usize),
    ) -> Result<(u32, Vec3, u32), SurfaceFault> {
        let (name, place) = (self.names[group].clone(), at.place);
        let facing = self.facing(at, group);
        let cut = rig.of_cut(self.ground, form, (at.face, place), facing);
        let is_cut = cut.is_some();
        let rig = cut.unwrap_or_else(|| Arc::clone(rig));
        let laid = self.ground.lay_straight(&rig, Footing { face: at.face, place, carried: facing });
        let sections = laid.map_err(|fault| match fault {
            LayFault::Bend(corner, angle) => {
                let degrees = angle.to_degrees();
                SurfaceFault::TooCurved { group: name.clone(), number, place, corner, degrees }
            }
            LayFault::Wall | LayFault::Shape => SurfaceFault::OverWall { group: name.clone(), number, place },
        })?;
        for section in &sections {
            if self.walls.near(section.face).any(|wall| overlaps_wall(section, wall)) {
                return Err(SurfaceFault::OverWall { group: name, number, place });
            }
            if let Some((other, depth)) = self.first_over(&Side::Section(section)) {
                let other = &self.agents[other as usize];
                let (other_group, other) = (self.names[other.group as usize].clone(), other.number as usize);
                return Err(SurfaceFault::OverEachOther { group: name, number, place, other_group, other, depth });
            }
        }
        let mut points = Vec::with_capacity(sections.len());
        for section in &sections {
            let off =
                SurfaceFault::OffSurface { group: name.clone(), what: "agent", number, place, distance: f64::INFINITY };
            points.push(self.register(section.origin).ok_or(off)?);
        }
        let agent = self.agents.len() as u32;
        for (&(entity, _), section) in points.iter().zip(0..) {
            self.note_owner(entity, (agent, section));
        }
        let (origin, face) = (sections[0].origin, sections[0].face);
        self.bodies.push(SurfaceBody::new((rig, is_cut), sections, points));
        Ok((self.bodies.len() as u32 - 1, origin, face))
    }

    /// Finds the agent of the lowest number that overlaps a side, and how deep.
    pub(in crate::surface) fn first_over(&self, side: &Side<'_>) -> Option<(u32, f64)> {
        let sections = |id: u32| 0..self.body_of(id).map_or(1, |body| body.sections.len() as u32);
        (0..self.agents.len() as u32).find_map(|id| {
            let sides = sections(id).map(|section| self.side_of(id, section));
            sides.filter(|other| do_overlap(other, side)).map(|other| (id, depth_of_pair(&other, side))).next()
        })
    }

    /// Returns the unit vector from a place towards the first goal of a group; without goals, any in the plane.
    fn facing(&self, at: Target, group: usize) -> Vec3 {
        let normal = self.ground.normal_of(at.face);
        let target = self.paths.targets[group].first().map(|&target| &self.paths.fields[target as usize]);
        let direction = target.and_then(|field| field.direction_at(at.face, at.place)).unwrap_or(Vec3::ZERO);
        let flat = direction - normal * normal.dot(direction);
        flat.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector())
    }

    /// Registers a point of the surface.
    fn register(&mut self, place: Vec3) -> Option<(EntityId, PointId)> {
        let entity = self.environment.add_particle(place.into()).ok()?;
        let point = self.environment.points(entity).ok()?.next()?;
        Some((entity, point))
    }

    /// Notes whose section an entity is; 0 for discs.
    pub(in crate::surface) fn note_owner(&mut self, entity: EntityId, owner: (u32, u32)) {
        let place = entity.0 as usize;
        self.owner_of.resize(self.owner_of.len().max(place + 1), (u32::MAX, 0));
        self.owner_of[place] = owner;
    }

    /// Lets the registered points of a body follow its sections; returns how many cells changed.
    pub(in crate::surface) fn follow_body(&mut self, id: u32) -> u32 {
        let Some(body) = self.agents[id as usize].body else { return 0 };
        let mut changes = 0;
        for number in 0..self.bodies[body as usize].sections.len() {
            let origin = self.bodies[body as usize].sections[number].origin;
            let (entity, point) = self.bodies[body as usize].points[number];
            let moved = self.environment.move_point(point, origin.into());
            changes += moved.map_or(0, |moved| moved.registered);
            let is_there = self.environment.particle(point).is_ok_and(|at| at.position.at.distance(origin) <= NEAR);
            if is_there {
                continue;
            }
            // It is behind the corner of a building, or on the far side of a sharp ridge.
            let Some(fresh) = self.register(origin) else { continue };
            // The entity is registered: removal cannot fail.
            let _ = self.environment.remove(entity);
            self.note_owner(fresh.0, (id, number as u32));
            self.bodies[body as usize].points[number] = fresh;
            changes += 1;
        }
        let (first, body) = (self.bodies[body as usize].points[0], &self.bodies[body as usize]);
        let agent: &mut Roamer = &mut self.agents[id as usize];
        (agent.entity, agent.point) = first;
        (agent.position, agent.face) = (body.sections[0].origin, body.sections[0].face);
        changes
    }
}
