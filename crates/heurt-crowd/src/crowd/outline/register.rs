//! Registration of bodies: their corners as tracked points, their edges as entities (S4 §5.3).
//!
//! In: rigs, poses, motions. Out: edges in the lists of cells. Method: the first corner is tracked from the centre of
//! the agent, each further one from the corner before. All points of a body move before its edges are registered.
//! Guarantees: all edges or none. Cost: O(cells met).

use super::ahead::{Ahead, elements_ahead};
use super::hold::OutlineMotion;
use super::rig::Rig;
use super::{OutlineBody, Outlines};
use crate::crowd::cells::Cells;
use heurt_geometry::Vec2;
use heurt_map::registration::{Element, EntityId, PlaneEnvironment, PointId, RegistrationMode};
use smallvec::SmallVec;
use std::sync::Arc;

impl Outlines {
    /// Adds the body of an agent; `from` is a point in the body, in a cell. Returns its number; `None` if its edges
    /// cannot be registered.
    pub fn add(
        &mut self,
        (agent, rig): (u32, &Arc<Rig>),
        (place, facing): (Vec2, Vec2),
        from: (u32, Vec2),
        environment: &mut PlaneEnvironment,
    ) -> Option<u32> {
        let pose = rig.straight(place, facing);
        let corners: Vec<Vec2> = rig.corners(&pose).collect();
        let has_ahead = self.anticipation > 0.0;
        let (before, ahead) = if has_ahead { elements_ahead(rig) } else { Default::default() };
        let positions: Vec<Vec2> =
            std::iter::repeat_n(pose.place, before as usize).chain(corners.iter().copied()).collect();
        let edges = rig.edges.iter().map(|&ends| Element::Edge(ends.map(|corner| before + corner)));
        let elements: Vec<Element> = edges.chain(ahead).collect();
        let mut entities = environment.add_from(from, &positions, &elements, RegistrationMode::default()).ok()?;
        let ahead = entities.split_off(rig.edges.len());
        let ahead = match has_ahead {
            true => Ahead::new((rig, pose.place, &corners), &ahead, environment),
            false => Ahead::default(),
        };
        // Each corner is the first end of the edge of its number.
        let first = |&entity: &EntityId| environment.points(entity).ok()?.next();
        let points: Vec<PointId> = entities.iter().filter_map(first).collect();
        let number = self.bodies.len() as u32;
        let velocities = vec![Vec2::ZERO; corners.len()];
        let floors = vec![0; rig.starts.len() - 1];
        let rig = Arc::clone(rig);
        self.bodies.push(OutlineBody {
            agent,
            rig,
            pose,
            corners,
            velocities,
            points,
            entities,
            ahead,
            floors,
            is_present: true,
        });
        Some(number)
    }

    /// Finds the floors of the sections of all bodies.
    pub fn find_floors(&mut self, environment: &PlaneEnvironment, cells: &Cells) {
        for body in self.bodies.iter_mut().filter(|body| body.is_present) {
            for (floor, &corner) in body.floors.iter_mut().zip(&body.rig.starts) {
                *floor = environment.cell_of(body.points[corner]).map_or(*floor, |cell| cells.floor(cell));
            }
        }
    }

    /// Moves all bodies, and registers their edges.
    pub fn follow(&mut self, motions: &[OutlineMotion], step: f64, environment: &mut PlaneEnvironment) {
        let bodies = self.bodies.iter_mut().zip(&self.holds).zip(motions);
        for ((body, hold), motion) in bodies.filter(|((body, _), _)| body.is_present) {
            body.velocities.clear();
            body.velocities.extend(motion.displacements.iter().map(|&displacement| displacement / step));
            body.pose = motion.pose.clone();
            if body.rig.matching.is_none() {
                body.corners.clear();
                body.corners.extend(body.rig.corners(&body.pose));
            } else {
                body.corners.iter_mut().zip(&motion.displacements).for_each(|(corner, by)| *corner += *by);
            }
            let (place, target) = (body.pose.place, body.pose.place + hold.velocity * self.anticipation);
            let corners = body.points.iter().copied().zip(body.corners.iter().copied());
            let moves: SmallVec<[(PointId, Vec2); 8]> = corners.chain(body.ahead.moves(place, target)).collect();
            // The points are registered. A rounding beyond a wall stops a point there.
            let moved = environment.move_points(&moves).unwrap_or_default();
            body.ahead.follow(place, target, &moved, environment);
        }
    }

    /// Removes the body of an agent that leaves.
    pub fn remove(&mut self, body: u32, environment: &mut PlaneEnvironment) {
        let body = &mut self.bodies[body as usize];
        body.is_present = false;
        for entity in body.entities.drain(..).chain(body.ahead.entities.drain(..)) {
            // The entity is registered: removal cannot fail.
            let _ = environment.remove(entity);
        }
    }
}
