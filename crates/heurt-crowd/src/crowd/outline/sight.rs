//! Sight of bodies: what bodies see, and the motion that they want.
//!
//! In: bodies. Out: for each body what it could meet and the motion that it wants.
//! Method: a body chooses like a disc without a radius to which all others are shifted by the offset of the body's
//! nearest point: gaps and directions are those of its edges, so that every model steers it. It sees walls, other
//! bodies, and persons at rest; persons that walk avoid it.
//! Guarantees: the same for any number of threads. Cost: O(what is near) a body.

use super::drive::drive;
use super::near::{NearBody, NearSegment};
use super::overlap::{depth_of_disc, depth_of_polygons, depth_of_wall};
use super::soft::{SoftCorners, deform};
use super::touch::Obstacle;
use super::{DiscEdge, OutlineBody, OutlineHold};
use crate::crowd::Crowd;
use crate::crowd::measures::Overlaps;
use crate::form::{Segment, box_gap, do_meet, nearest_points, signed_distance};
use crate::ground::nearest_on;
use crate::steer::{AgentView, NearAgent, NearEdge, NearWall, WALL_SIGHT};
use heurt_geometry::Vec2;
use rayon::prelude::*;

/// Bodies keep this distance from all others where they can, in metres.
pub(crate) const CLEARANCE: f64 = 0.1;

/// The largest distance at which bodies see edges of each other, in metres.
const FARTHEST_EDGE: f64 = 30.0;

/// Persons slower than this are at rest, in m/s.
pub(crate) const AT_REST: f64 = 0.05;

/// The sight that a body has, kept from body to body for its memory.
#[derive(Debug, Default)]
struct BodySight {
    near: NearBody,
    /// Numbers of sections.
    numbers: Vec<u32>,
    agents: Vec<NearAgent>,
    walls: Vec<NearWall>,
    others: Vec<NearEdge>,
}

impl Crowd {
    /// Reports whether a disc and an edge are near each other in height: the same for both.
    pub(super) fn is_disc_level_with(&self, slot: usize, body: &OutlineBody, edge: u32) -> bool {
        let is_flat = self.ground.floors().len() == 1;
        is_flat || self.ground.are_level((self.bodies[slot].floor, self.places[slot]), body.spot(edge))
    }

    /// Reports whether edges of two bodies are near each other in height: the same for both.
    pub(super) fn are_edges_level(&self, (a, edge): (&OutlineBody, u32), (b, other): (&OutlineBody, u32)) -> bool {
        self.ground.floors().len() == 1 || self.ground.are_level(a.spot(edge), b.spot(other))
    }

    /// Lets each body find what it could meet and choose the motion that it wants, and notes for discs the bodies that
    /// could meet them; returns the overlaps of bodies.
    pub(in crate::crowd) fn choose_for_bodies(&mut self, step: f64) -> Overlaps {
        let mut holds = std::mem::take(&mut self.outlines.holds);
        holds.resize_with(self.outlines.bodies.len(), OutlineHold::default);
        let this = &*self;
        let choose = |sight: &mut BodySight, (number, hold): (usize, &mut OutlineHold)| {
            hold.touches.clear();
            (hold.velocity, hold.turn) = (Vec2::ZERO, 0.0);
            match this.outlines.bodies[number].is_present {
                true => this.choose_for_body(number as u32, step, sight, hold),
                false => Overlaps::default(),
            }
        };
        let found: Vec<Overlaps> =
            holds.par_iter_mut().enumerate().map_init(BodySight::default, |sight, hold| choose(sight, hold)).collect();
        // Discs meet what meets them.
        for (body, hold) in (0_u32..).zip(&holds) {
            for touch in &hold.touches {
                if let Obstacle::Disc(slot) = touch.obstacle {
                    self.touches[slot as usize].edges.push(DiscEdge::of(body, touch));
                }
            }
        }
        self.outlines.holds = holds;
        found.into_iter().fold(Overlaps::default(), Overlaps::with)
    }

    fn choose_for_body(&self, number: u32, step: f64, sight: &mut BodySight, hold: &mut OutlineHold) -> Overlaps {
        let body = &self.outlines.bodies[number as usize];
        let (agent, slot) = (&self.agents[body.agent as usize], self.slots[body.agent as usize] as usize);
        self.find_near(number, step, &mut sight.near, &mut hold.touches);
        self.see_for_body(number, sight);
        hold.limit = self.bodies[slot].limit;
        let view = AgentView {
            position: agent.position,
            velocity: agent.velocity,
            radius: CLEARANCE,
            group: agent.group,
            preferred: self.preferred(body.agent, step),
            limit: hold.limit,
            step,
            agents: &sight.agents,
            walls: &sight.walls,
            edges: &sight.others,
        };
        let chosen = self.settings.model.policy().choose(&view);
        let (reach, is_chain) = (body.rig.reach, body.rig.is_chain());
        (hold.velocity, hold.turn) = drive(body.pose.headings[0], chosen, (hold.limit, reach, is_chain), step);
        if let Some(matching) = &body.rig.matching {
            let OutlineBody { corners, velocities, rig, .. } = body;
            let soft = SoftCorners { corners, velocities, edges: &rig.edges };
            hold.deformation = deform(soft, matching, (hold.turn, hold.limit), &sight.near.pushes, step);
            hold.turn = 1.0;
        }
        self.overlaps_of_body(number, hold, &sight.near.walls)
    }

    /// Finds what a body sees: all others are shifted by the offset from their nearest point of the body to its place.
    fn see_for_body(&self, number: u32, sight: &mut BodySight) {
        let body = &self.outlines.bodies[number as usize];
        let place = body.pose.place;
        sight.walls.clear();
        for &(segment, [own, theirs]) in &sight.near.walls {
            let shift = place - own;
            sight.walls.push(NearWall { segment: segment.map(|end| end + shift), nearest: theirs + shift });
        }
        sight.others.clear();
        let (model, coarse) = (self.settings.model.policy(), &self.outlines.coarse);
        let speed = body.speed();
        let farthest =
            |longest: f64, theirs: f64| model.edge_reach(CLEARANCE, longest, speed + theirs).min(FARTHEST_EDGE);
        let (largest, bounds) = (farthest(coarse.longest, coarse.speed), body.bounds());
        for section in coarse.find_near((number, bounds), largest, &mut sight.numbers) {
            let theirs = &self.outlines.bodies[section.body as usize];
            if !self.are_edges_level((body, 0), (theirs, section.edges.start)) {
                continue;
            }
            let farthest = farthest(section.longest, section.speed);
            for edge in section.edges.clone() {
                let [a, b] = theirs.ends(edge);
                // As for discs: edges of the far side are hidden.
                let is_behind = |corner: &Vec2| (b - a).perp_dot(*corner - a) > 0.0;
                if box_gap(bounds, [a, b]) >= farthest || body.corners.iter().all(is_behind) {
                    continue;
                }
                let Some([own, nearest]) = nearest_of_body(body, [a, b], farthest) else { continue };
                if is_behind(&own) || sight.near.walls.iter().any(|&(wall, _)| do_meet(wall, [own, nearest])) {
                    continue;
                }
                let (shift, velocity) = (place - own, theirs.velocity_at(edge, nearest));
                let (segment, nearest) = ([a + shift, b + shift], nearest + shift);
                sight.others.push(NearEdge { segment, nearest, velocity, share: 0.5, is_ahead: false });
            }
        }
        self.see_persons_at_rest(body, &sight.near, &mut sight.agents);
    }

    /// Finds persons at rest near the first section, with no wall in between.
    fn see_persons_at_rest(&self, body: &OutlineBody, near: &NearBody, agents: &mut Vec<NearAgent>) {
        agents.clear();
        let place = body.pose.place;
        let head = &body.corners[..body.rig.starts[1]];
        let mut found: Vec<(u32, NearAgent)> = Vec::new();
        for &(at, other) in &near.discs {
            let seen = self.seen[other as usize];
            let rests = seen.velocity.length_squared() < AT_REST * AT_REST;
            if !rests || !self.is_disc_level_with(other as usize, body, 0) {
                continue;
            }
            let edges = (0..head.len() as u32).map(|edge| nearest_on(body.ends(edge), at));
            let own = edges.min_by(|a, b| a.distance_squared(at).total_cmp(&b.distance_squared(at)));
            let Some(own) = own.filter(|own| own.distance(at) < WALL_SIGHT + seen.radius) else { continue };
            if near.walls.iter().any(|&(wall, _)| do_meet(wall, [own, at])) {
                continue;
            }
            found.push((self.order[other as usize], NearAgent { position: at + place - own, ..seen }));
        }
        let distance = |agent: &NearAgent| agent.position.distance_squared(place);
        found.sort_by(|a, b| distance(&a.1).total_cmp(&distance(&b.1)).then(a.0.cmp(&b.0)));
        found.truncate(self.settings.model.policy().most_neighbours());
        agents.extend(found.into_iter().map(|(_, agent)| agent));
    }

    /// Finds the overlaps of bodies in the present state.
    pub(in crate::crowd) fn find_overlaps_of_bodies(&self) -> Overlaps {
        let find = |near: &mut NearBody, (number, body): (usize, &OutlineBody)| {
            let mut hold = OutlineHold::default();
            if !body.is_present {
                return Overlaps::default();
            }
            self.find_near(number as u32, 0.0, near, &mut hold.touches);
            self.overlaps_of_body(number as u32, &hold, &near.walls)
        };
        let bodies = self.outlines.bodies.par_iter().enumerate();
        let found: Vec<Overlaps> = bodies.map_init(NearBody::default, find).collect();
        found.into_iter().fold(Overlaps::default(), Overlaps::with)
    }

    /// Finds the overlaps of a body with discs, walls and bodies of larger numbers that its edges touch or enclose.
    fn overlaps_of_body(&self, number: u32, hold: &OutlineHold, walls: &[NearSegment]) -> Overlaps {
        let mut overlaps = Overlaps::default();
        let body = &self.outlines.bodies[number as usize];
        let deepest = |depth: &dyn Fn(&[Vec2]) -> f64| body.sections().map(depth).fold(0.0, f64::max);
        let mut discs: Vec<u32> = Vec::new();
        let mut bodies: Vec<u32> = Vec::new();
        let mut touches_wall = false;
        for touch in &hold.touches {
            match touch.obstacle {
                Obstacle::Disc(slot) => discs.push(slot),
                Obstacle::Edge { body, .. } if body > number => bodies.push(body),
                Obstacle::Edge { .. } => {}
                Obstacle::Wall => touches_wall |= touch.gap <= 0.0,
            }
        }
        for list in [&mut discs, &mut bodies] {
            list.sort_unstable();
            list.dedup();
        }
        for slot in discs {
            let (place, disc) = (self.places[slot as usize], self.bodies[slot as usize]);
            let depth = deepest(&|corners| depth_of_disc(corners, place, disc.radius));
            if depth > 0.0 {
                let share = depth / (2.0 * disc.radius).min(body.rig.size);
                overlaps.add_pair(ordered(body.agent, self.order[slot as usize]), share);
            }
        }
        for other in bodies {
            let theirs = &self.outlines.bodies[other as usize];
            let depth = deepest(&|corners| {
                theirs.sections().map(|section| depth_of_polygons(corners, section)).fold(0.0, f64::max)
            });
            if depth > 0.0 {
                overlaps.add_pair(ordered(body.agent, theirs.agent), depth / body.rig.size.min(theirs.rig.size));
            }
        }
        for &(wall, _) in walls {
            // Walls near it that it touches or holds as a whole.
            let is_held = || body.sections().any(|corners| signed_distance(corners, wall[0]) < 0.0);
            if touches_wall || is_held() {
                let depth = deepest(&|corners| depth_of_wall(corners, wall));
                if depth > 0.0 {
                    overlaps.add_wall(depth / body.rig.size);
                }
            }
        }
        overlaps
    }
}

/// Finds the nearest points of a body and a segment that are nearer than `farthest` metres.
fn nearest_of_body(body: &OutlineBody, segment: Segment, farthest: f64) -> Option<[Vec2; 2]> {
    let (mut best, mut least) = (None, farthest);
    for edge in 0..body.rig.edges.len() as u32 {
        let ends = body.ends(edge);
        if box_gap(ends, segment) >= least {
            continue;
        }
        let points = nearest_points(ends, segment);
        let distance = points[0].distance(points[1]);
        if distance < least {
            (best, least) = (Some(points), distance);
        }
    }
    best
}

fn ordered(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
