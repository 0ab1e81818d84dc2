//! Sight of discs: the edges of bodies that a disc sees.
//!
//! In: slots, bodies. Out: edges near a disc, the direction out of the strip that a body will cover.
//! Method: a disc sees the edges in the lists of its cell (S4 §5.7): those in the cell and in the cells next to it. In
//! the strip that a body will cover it panics: it leaves as fast as it can. All that discs need of an edge is computed
//! once a step; the edges that no place of a cell sees are left out once for all discs in it.
//! Guarantees: the same for any number of threads. Cost: O(edges listed) a cell, O(edges in reach of the cell) a disc.

use super::{BodyEdge, OutlineBody, Outlines};
use crate::crowd::Crowd;
use crate::form::Segment;
use crate::ground::{nearest_on, share_at};
use crate::steer::NearEdge;
use heurt_geometry::Vec2;
use heurt_map::registration::EntityId;

/// Places are left out early that are this much further than an edge is seen, as a share: more than rounding.
const SLACK: f64 = 1.0 + 1e-9;

/// The number of no edge.
const NO_EDGE: u32 = u32::MAX;

/// An edge, and what discs need of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenEdge {
    edge: BodyEdge,
    ends: Segment,
    /// The lower and the upper corner of a box around all places that see it.
    bounds: [Vec2; 2],
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
    numbers: Vec<u32>,
    /// Places in the list of the cell.
    hits: Vec<u32>,
    /// Edges in the lists of the cell that a disc in it may see.
    listed: Vec<SeenEdge>,
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

impl SeenEdge {
    /// Reports whether a place is on the hidden side of an outline: outlines run counter-clockwise, and from outside
    /// edges of the far side are hidden.
    fn is_hidden_from(&self, place: Vec2) -> bool {
        let [a, b] = self.ends;
        !self.is_ahead & ((b - a).perp_dot(place - a) > 0.0)
    }

    /// Reports whether a box meets the box of all places from which the edge is seen.
    fn is_near(&self, [low, high]: [Vec2; 2]) -> bool {
        let [least, most] = self.bounds;
        // No branch: whether it meets cannot be foretold.
        (least.x <= high.x) & (low.x <= most.x) & (least.y <= high.y) & (low.y <= most.y)
    }

    /// Reports whether a place in a box that is near may see it; `middle` and `half` are the middle and half of the
    /// diagonal of the box.
    fn may_be_seen_from(&self, [low, high]: [Vec2; 2], (middle, half): (Vec2, f64)) -> bool {
        let [a, b] = self.ends;
        // The corner of the box furthest to its right. Rounding keeps the order: all places in the box are as hidden.
        let along = b - a;
        let corner = Vec2::new(if along.y > 0.0 { high.x } else { low.x }, if along.x > 0.0 { low.y } else { high.y });
        let far = (self.reach + half) * SLACK;
        !self.is_hidden_from(corner) & (nearest_on([a, b], middle).distance_squared(middle) <= far * far)
    }

    /// Finds how far along it its point nearest to a place is, from 0 to 1, that point, and whether the place sees it.
    fn seen_from(&self, place: Vec2) -> (f64, Vec2, bool) {
        let [a, b] = self.ends;
        let share = share_at([a, b], place);
        let nearest = a + (b - a) * share;
        let is_in_reach = nearest.distance_squared(place) <= self.reach * self.reach;
        (share, nearest, is_in_reach & !self.is_hidden_from(place))
    }
}

/// Keeps the numbers that fulfil a condition. Whether one does cannot be foretold: each is written to the end of the
/// kept ones, and stays if it does, without a branch.
fn keep(numbers: &mut Vec<u32>, condition: impl Fn(u32) -> bool) {
    let mut kept = 0;
    for place in 0..numbers.len() {
        let number = numbers[place];
        numbers[kept] = number;
        kept += usize::from(condition(number));
    }
    numbers.truncate(kept);
}

impl Outlines {
    /// Writes down what discs see of the edges of all present bodies. `velocity` returns the velocity of an agent,
    /// `reach` how far discs see an edge of a length and a speed; `radius` is the largest one of discs.
    pub fn note_edges(&mut self, radius: f64, velocity: impl Fn(u32) -> Vec2, reach: impl Fn(f64, f64) -> f64) {
        let Self { bodies, seen, seen_of, .. } = self;
        seen.clear();
        seen_of.fill(NO_EDGE);
        for (number, body) in (0..).zip(&*bodies).filter(|(_, body)| body.is_present) {
            let (velocity, strip) = (velocity(body.agent), body.ahead.half_width + radius);
            let of_corners = |ends: [u32; 2]| ends.map(|corner| body.velocities[corner as usize]);
            let own = (0..).zip(&body.rig.edges).map(|(edge, &ends)| (body.ends(edge), of_corners(ends), 0.0, false));
            // The strip ahead of a body is as wide as the body.
            let ahead = body.edges_ahead().map(|ends| (ends, [velocity; 2], strip, true));
            let entities = body.entities.iter().chain(&body.ahead.entities);
            for ((edge, (ends, velocities, least, is_ahead)), entity) in (0..).zip(own.chain(ahead)).zip(entities) {
                let place = entity.0 as usize;
                if place >= seen_of.len() {
                    seen_of.resize(place + 1, NO_EDGE);
                }
                seen_of[place] = seen.len() as u32;
                let speed = velocities[0].length().max(velocities[1].length());
                let reach = reach(ends[0].distance(ends[1]), speed).max(least);
                let ([a, b], far) = (ends, reach * SLACK);
                let bounds = [a.min(b) - far, a.max(b) + far];
                let edge = BodyEdge { body: number, edge };
                seen.push(SeenEdge { edge, ends, bounds, velocities, reach, is_ahead });
            }
        }
    }

    /// Returns the number of an edge among all that are seen; `None` for discs.
    fn number_of(&self, entity: EntityId) -> Option<u32> {
        self.seen_of.get(entity.0 as usize).copied().filter(|&number| number != NO_EDGE)
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
        let EdgeSight { listed, hits, near, way_out, .. } = sight;
        let place = self.places[slot];
        hits.clear();
        hits.extend(0..listed.len() as u32);
        keep(hits, |number| listed[number as usize].seen_from(place).2);
        near.extend(hits.iter().filter_map(|&hit| self.see_edge(slot, &listed[hit as usize], way_out)));
    }

    /// Lists the edges for all discs of a cell, unless they are listed.
    fn gather_edges(&self, cell: u32, sight: &mut EdgeSight) {
        if sight.cell == Some(cell) {
            return;
        }
        let EdgeSight { numbers, listed, .. } = sight;
        let (outlines, bounds) = (&self.outlines, self.cells.bounds(cell));
        let [low, high] = bounds;
        let (middle, half) = (0.5 * (low + high), 0.5 * low.distance(high));
        numbers.clear();
        // In the cell, and in the cells next to it.
        if let Ok(near) = self.environment.surroundings_of(cell) {
            numbers.extend(near.others.into_iter().flatten().filter_map(|&entity| outlines.number_of(entity)));
        }
        keep(numbers, |number| outlines.seen[number as usize].is_near(bounds));
        keep(numbers, |number| outlines.seen[number as usize].may_be_seen_from(bounds, (middle, half)));
        // Lists have no order of their own.
        numbers.sort_unstable();
        listed.clear();
        listed.extend(numbers.iter().map(|&number| outlines.seen[number as usize]));
        sight.cell = Some(cell);
    }

    /// Sees an edge that a disc sees in plan, unless it is on another storey; notes the direction out of the strip that
    /// a body will cover.
    fn see_edge(&self, slot: usize, listed: &SeenEdge, way_out: &mut Option<(Vec2, f64)>) -> Option<NearEdge> {
        let &SeenEdge { edge, ends, velocities, is_ahead, .. } = listed;
        let body = &self.outlines.bodies[edge.body as usize];
        if !self.is_disc_level_with(slot, body, if is_ahead { 0 } else { edge.edge }) {
            return None;
        }
        let (share, nearest, _) = listed.seen_from(self.places[slot]);
        if is_ahead {
            self.note_way_out(slot, body, way_out);
        }
        let velocity = velocities[0].lerp(velocities[1], share);
        Some(NearEdge { segment: ends, nearest, velocity, share: 1.0, is_ahead })
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
}
