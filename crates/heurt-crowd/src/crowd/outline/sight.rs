//! Sight of bodies: what discs see of bodies, and what bodies see.
//!
//! In: slots, bodies. Out: edges near a disc; for each body what it could meet and the motion that it wants.
//! Method: a disc sees the edges in the lists of its cell (S4 §5.7): those in the cell and in the cells next to it. In
//! the strip that a body will cover it panics: it leaves as fast as it can. A body chooses like a disc without a radius
//! to which all others are shifted by the offset of the body's nearest point: gaps and directions are those of its
//! edges, so that every model steers it. It sees walls, other bodies, and persons at rest; persons that walk avoid it.
//! Guarantees: the same for any number of threads. Cost: O(edges listed) a disc.

use super::drive::drive;
use super::near::{NearBody, NearSegment};
use super::overlap::{depth_of_disc, depth_of_polygons, depth_of_wall};
use super::soft::{SoftCorners, deform};
use super::touch::Obstacle;
use super::{BodyEdge, DiscEdge, OutlineBody, OutlineHold, Outlines, share_along};
use crate::crowd::Crowd;
use crate::crowd::measures::Overlaps;
use crate::form::{Segment, box_gap, do_meet, nearest_points, signed_distance};
use crate::ground::nearest_on;
use crate::steer::{AgentView, NearAgent, NearEdge, NearWall, WALL_SIGHT};
use heurt_geometry::Vec2;
use heurt_map::registration::PlaneEnvironment;
use rayon::prelude::*;

/// Bodies keep this distance from all others where they can, in metres.
pub(crate) const CLEARANCE: f64 = 0.1;

/// The largest distance at which bodies see edges of each other, in metres.
const FARTHEST_EDGE: f64 = 30.0;

/// Persons slower than this are at rest, in m/s.
pub(crate) const AT_REST: f64 = 0.05;

/// An edge in the lists of a cell, and what discs need of it.
#[derive(Debug, Clone, Copy)]
struct ListedEdge {
    edge: BodyEdge,
    ends: Segment,
    /// Velocities of its ends, in m/s.
    velocities: [Vec2; 2],
    /// How far discs see it, in metres.
    reach: f64,
    is_ahead: bool,
}

/// The sight that a disc has of bodies, kept from disc to disc for its memory.
#[derive(Debug, Default)]
pub(in crate::crowd) struct EdgeSight {
    /// The cell that the lists are of.
    cell: Option<u32>,
    numbers: Vec<BodyEdge>,
    /// Edges in the lists of the cell that a disc in it may see.
    listed: Vec<ListedEdge>,
    pub near: Vec<NearEdge>,
    /// The direction out of the strip that the nearest body will cover, and the distance from its middle.
    way_out: Option<(Vec2, f64)>,
}

impl EdgeSight {
    /// Forgets what was found for slots before.
    pub fn begin(&mut self) {
        self.cell = None;
    }

    /// Returns the direction out of the strip that a body will cover.
    pub fn way_out(&self) -> Option<Vec2> {
        self.way_out.map(|(direction, _)| direction)
    }
}

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

impl Outlines {
    /// Hands the edges in the lists of a cell to `visit`: of the cell and of the cells next to it.
    fn listed_edges(&self, environment: &PlaneEnvironment, cell: u32, visit: impl FnMut(BodyEdge)) {
        let Ok(near) = environment.surroundings_of(cell) else { return };
        near.others.into_iter().flatten().filter_map(|&entity| self.edge(entity)).for_each(visit);
    }
}

impl Crowd {
    /// Finds the edges that a disc sees.
    pub(in crate::crowd) fn see_edges(&self, slot: usize, sight: &mut EdgeSight) {
        sight.near.clear();
        sight.way_out = None;
        if self.outlines.is_empty() {
            return;
        }
        self.gather_edges(self.cells.cell_of[slot], sight);
        let EdgeSight { listed, near, way_out, .. } = sight;
        near.extend(listed.iter().filter_map(|listed| self.see_edge(slot, listed, way_out)));
    }

    /// Lists the edges for all discs of a cell, unless they are listed.
    fn gather_edges(&self, cell: u32, sight: &mut EdgeSight) {
        if sight.cell == Some(cell) {
            return;
        }
        let EdgeSight { numbers, listed, .. } = sight;
        numbers.clear();
        self.outlines.listed_edges(&self.environment, cell, |edge| numbers.push(edge));
        // Lists have no order of their own.
        numbers.sort_unstable();
        numbers.dedup();
        let (model, radii, bounds) = (self.settings.model.policy(), 2.0 * self.largest.radius, self.cells.bounds(cell));
        listed.clear();
        listed.extend(numbers.iter().filter_map(|&edge| {
            let body = &self.outlines.bodies[edge.body as usize];
            let is_ahead = self.outlines.is_ahead(edge);
            let (ends, velocities) = if is_ahead {
                let velocity = self.agents[body.agent as usize].velocity;
                (body.edge_ahead(edge.edge as usize - body.rig.edges.len()), [velocity; 2])
            } else {
                let velocities = body.rig.edges[edge.edge as usize].map(|corner| body.velocities[corner as usize]);
                (body.ends(edge.edge), velocities)
            };
            let speed = velocities[0].length().max(velocities[1].length());
            let reach = model.edge_reach(radii, ends[0].distance(ends[1]), speed);
            // The strip ahead of a body is as wide as the body.
            let reach = if is_ahead { reach.max(body.ahead.half_width + self.largest.radius) } else { reach };
            (box_gap(bounds, ends) <= reach).then_some(ListedEdge { edge, ends, velocities, reach, is_ahead })
        }));
        sight.cell = Some(cell);
    }

    /// Sees an edge that is in the lists of the cell of a disc, if it is near enough, and the disc before it; notes the
    /// direction out of the strip that a body will cover.
    fn see_edge(&self, slot: usize, listed: &ListedEdge, way_out: &mut Option<(Vec2, f64)>) -> Option<NearEdge> {
        let &ListedEdge { edge, ends: [a, b], velocities, reach, is_ahead } = listed;
        let place = self.places[slot];
        // Outlines run counter-clockwise: from outside, edges of the far side are hidden.
        let is_hidden = !is_ahead && (b - a).perp_dot(place - a) > 0.0;
        if is_hidden || box_gap([a, b], [place; 2]) > reach {
            return None;
        }
        let body = &self.outlines.bodies[edge.body as usize];
        let nearest = nearest_on([a, b], place);
        if nearest.distance_squared(place) > reach * reach
            || !self.is_disc_level_with(slot, body, if is_ahead { 0 } else { edge.edge })
        {
            return None;
        }
        if is_ahead {
            self.note_way_out(slot, body, way_out);
        }
        let velocity = velocities[0].lerp(velocities[1], share_along([a, b], nearest));
        Some(NearEdge { segment: [a, b], nearest, velocity, share: 1.0, is_ahead })
    }

    /// Notes the direction out of the strip that a body will cover, if a disc is in it and in none whose middle is
    /// nearer.
    fn note_way_out(&self, slot: usize, body: &OutlineBody, way_out: &mut Option<(Vec2, f64)>) {
        let (place, middle) = (self.places[slot], body.ahead.middle);
        let offset = place - nearest_on(middle, place);
        let distance = offset.length();
        let is_nearest = way_out.is_none_or(|(_, least)| distance < least);
        if is_nearest && distance < body.ahead.half_width + self.bodies[slot].radius {
            let left = (middle[1] - middle[0]).normalize_or_zero().perp();
            *way_out = Some((if left.dot(offset) < 0.0 { -left } else { left }, distance));
        }
    }

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
        let largest = farthest(coarse.longest, coarse.speed);
        for section in coarse.find_near((number, body.bounds()), largest, &mut sight.numbers) {
            let theirs = &self.outlines.bodies[section.body as usize];
            if !self.are_edges_level((body, 0), (theirs, section.edges.start)) {
                continue;
            }
            let farthest = farthest(section.longest, section.speed);
            for edge in section.edges.clone() {
                let [a, b] = theirs.ends(edge);
                let Some([own, nearest]) = nearest_of_body(body, [a, b], farthest) else { continue };
                // As for discs: edges of the far side are hidden.
                let is_hidden = (b - a).perp_dot(own - a) > 0.0;
                if is_hidden || sight.near.walls.iter().any(|&(wall, _)| do_meet(wall, [own, nearest])) {
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
        if !self.settings.push {
            return;
        }
        let place = body.pose.place;
        let head = &body.corners[..body.rig.starts[1]];
        let mut found: Vec<(u32, NearAgent)> = Vec::new();
        let reach = body.rig.reach + WALL_SIGHT + self.largest.radius;
        self.grid.for_each_range(place, reach, |placed| {
            for &(at, other) in placed {
                let seen = self.seen[other as usize];
                let rests = seen.velocity.length_squared() < AT_REST * AT_REST && at.is_finite();
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
        });
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
