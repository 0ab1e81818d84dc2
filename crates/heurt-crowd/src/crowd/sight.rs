//! Sight: the agents and walls near an agent.
//!
//! In: slots of agents by cell, walls. Out: for a slot the nearest agents, the walls, and what it could touch in a
//! step.
//! Method: on open floor, agents come from the grid of places. Near walls they come from the cells within the
//! distance, from cell to cell, so that agents behind walls are left out; their places are copied once for all agents
//! of a cell that follow each other. The distance doubles until there are enough on the level of the agent. With
//! enough agents found, further ones are passed over.
//! Guarantees: the same agents by grid as by cells, the nearest by distance and number.
//! Cost: O(agents within the distance).

use super::cells::CellSearch;
use super::grid::PlacedSlot;
use super::outline::EdgeSight;
use super::separate::{Touch, Touches};
use super::{Crowd, WALL_REACH};
use crate::steer::{LONGEST_GAP, NearAgent, NearWall, SteeringPolicy};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// The first distance that is searched, in metres; it doubles until enough agents are found.
const FIRST_REACH: f64 = 0.75;

/// The first circle on open floor is this much larger than the circle around the agents that the agent before found.
const GUESS: f64 = 1.15;

/// The sight of an agent: slots by distance, and the walls.
#[derive(Default)]
pub(super) struct Sight {
    /// Squared distance, number of the agent, slot.
    nearest: Vec<(f64, u32, u32)>,
    pub agents: Vec<NearAgent>,
    pub walls: SmallVec<[NearWall; 8]>,
    pub edges: EdgeSight,
    wall_numbers: Vec<u32>,
    search: CellSearch,
    /// The cell that was searched last, and how far.
    cell: Option<u32>,
    reach: f64,
    /// The largest distance of the nearest agents that the slot before found by the grid.
    last: f64,
    /// The slots in the ranges of the search.
    placed: Vec<PlacedSlot>,
    /// How many ranges they are of.
    gathered: usize,
}

impl Sight {
    /// Forgets what was found for slots before, so that the same is found for any distribution over threads.
    pub fn begin(&mut self) {
        self.search.reset();
        (self.cell, self.last) = (None, 0.0);
        self.edges.begin();
    }

    /// Copies the places of slots within `reach` metres of a cell, unless they are there.
    fn gather(&mut self, crowd: &Crowd, cell: u32, reach: f64) {
        if self.search.cell() != Some(cell) {
            self.gathered = 0;
            self.placed.clear();
        }
        let ranges = self.search.within(&crowd.cells, &crowd.environment, cell, reach);
        for &[from, to] in &ranges[self.gathered..] {
            self.placed.extend((from..to).map(|slot| (crowd.places[slot as usize], slot)));
        }
        self.gathered = ranges.len();
    }
}

/// The nearest of agents that come in any order.
struct Nearest<'a> {
    /// Squared distance, number of the agent, slot.
    list: &'a mut Vec<(f64, u32, u32)>,
    most: usize,
    /// How many were within the distance of the search, up to the number that is enough.
    within: usize,
    /// Squares of distances: those farther than the first do not count, those nearer than the second are touched.
    limit: f64,
    touch: f64,
}

impl<'a> Nearest<'a> {
    fn new(list: &'a mut Vec<(f64, u32, u32)>, most: usize, reach: f64, touch: f64) -> Self {
        list.clear();
        Self { list, most, within: 0, limit: reach * reach, touch: touch * touch }
    }
}

impl Crowd {
    /// Finds what an agent sees and what it could touch in a step.
    pub(super) fn look(
        &self,
        slot: usize,
        step: f64,
        model: &dyn SteeringPolicy,
        sight: &mut Sight,
        touches: &mut Touches,
    ) {
        let (body, cell) = (self.bodies[slot], self.cells.cell_of[slot]);
        touches.agents.clear();
        self.see_walls(slot, step, sight, touches);
        let touch = body.radius + self.largest.radius + (body.limit + self.largest.limit) * step;
        let radii = body.radius + self.largest.radius;
        // Free space ahead counts as far as the time gap needs it.
        let gap = self.settings.time_gap.map_or(0.0, |gap| (radii + gap * body.limit).min(LONGEST_GAP));
        touches.edges.clear();
        self.see_edges(slot, &mut sight.edges);
        let (most, farthest) = (model.most_neighbours(), model.reach(radii).max(touch).max(gap));
        // This agent finds enough within the distance of the agent before, in the same cell.
        let first = if sight.cell == Some(cell) { sight.reach } else { FIRST_REACH };
        let mut reach = touch.max(first).min(farthest);
        if !self.search_grid(slot, (step, touch, farthest), most, sight, touches) {
            loop {
                sight.gather(self, cell, reach);
                let mut nearest = Nearest::new(&mut sight.nearest, most, reach, touch);
                self.see(slot, &sight.placed, step, &mut nearest, touches);
                if nearest.within >= most || reach >= farthest {
                    break;
                }
                touches.agents.clear();
                reach = (2.0 * reach).min(farthest);
            }
        }
        // A search from cell to cell would have come as far.
        let last = sight.nearest.last().map_or(0.0, |last| last.0);
        while reach < farthest && (sight.nearest.len() < most || reach * reach < last) {
            reach = (2.0 * reach).min(farthest);
        }
        (sight.cell, sight.reach) = (Some(cell), reach);
        sight.agents.clear();
        sight.agents.extend(sight.nearest.iter().map(|&(_, _, other)| self.seen[other as usize]));
        // The order of half-planes matters where none of the velocities is admissible.
        touches.agents.sort_unstable_by_key(|touch| self.order[touch.slot as usize]);
    }

    /// Finds the nearest agents by the grid of places; reports whether no wall is in the circle that was searched.
    fn search_grid(
        &self,
        slot: usize,
        (step, touch, farthest): (f64, f64, f64),
        most: usize,
        sight: &mut Sight,
        touches: &mut Touches,
    ) -> bool {
        let cell = self.cells.cell_of[slot];
        let mut reach = touch.max(GUESS * sight.last).min(farthest);
        while self.cells.is_open(cell, reach) {
            let mut nearest = Nearest::new(&mut sight.nearest, most, reach, touch);
            let see = |placed: &[PlacedSlot]| self.see(slot, placed, step, &mut nearest, touches);
            self.grid.for_each_range(self.places[slot], reach, see);
            if nearest.within >= most || reach >= farthest {
                sight.last = sight.nearest.last().map_or(reach, |last| last.0.sqrt());
                return true;
            }
            touches.agents.clear();
            reach = (2.0 * reach).min(farthest);
        }
        false
    }

    /// Keeps the nearest of some agents, and all that could be touched.
    fn see(&self, slot: usize, placed: &[PlacedSlot], step: f64, nearest: &mut Nearest<'_>, touches: &mut Touches) {
        let (place, is_flat) = (self.places[slot], self.ground.floors().len() == 1);
        for &(other_place, other) in placed {
            let distance = other_place.distance_squared(place);
            if distance > nearest.limit || other as usize == slot || !(is_flat || self.are_level(slot, other as usize))
            {
                continue;
            }
            nearest.within += 1;
            keep_nearest(nearest.list, nearest.most, (distance, self.order[other as usize], other));
            if distance <= nearest.touch {
                self.note_touch(slot, other, distance, step, touches);
            }
            if nearest.within >= nearest.most {
                nearest.limit = nearest.list.last().map_or(0.0, |last| last.0).max(nearest.touch);
            }
        }
    }

    /// Finds the walls near an agent, and which of them it could touch in a step.
    fn see_walls(&self, slot: usize, step: f64, sight: &mut Sight, touches: &mut Touches) {
        let (place, body) = (self.places[slot], self.bodies[slot]);
        touches.walls.clear();
        sight.walls.clear();
        let reach = body.radius + body.limit * step;
        let numbers = match self.cells.walls(self.cells.cell_of[slot]).filter(|_| reach <= WALL_REACH) {
            Some(walls) => walls,
            None => {
                self.find_walls(place, reach.max(WALL_REACH), &mut sight.wall_numbers);
                &sight.wall_numbers
            }
        };
        for &wall in numbers {
            let wall = self.ground.walls()[wall as usize];
            let Some(offset) = self.ground.offset_of(wall, body.floor, place) else { continue };
            let distance = offset.length();
            if distance - body.radius <= body.limit * step {
                touches.walls.push((offset / distance.max(f64::MIN_POSITIVE), distance - body.radius));
            }
            sight.walls.push(NearWall { segment: wall.ends, nearest: place - offset });
        }
    }

    /// Reports whether the agents of two slots are near each other in height.
    fn are_level(&self, slot: usize, other: usize) -> bool {
        let place = |slot: usize| (self.bodies[slot].floor, self.places[slot]);
        self.ground.are_level(place(slot), place(other))
    }

    /// Finds the walls within a distance, each once.
    fn find_walls(&self, place: Vec2, reach: f64, walls: &mut Vec<u32>) {
        walls.clear();
        self.ground.wall_index().for_each_in([place - reach, place + reach], |wall| walls.push(wall));
        walls.sort_unstable();
        walls.dedup();
    }

    fn note_touch(&self, slot: usize, other: u32, distance_sq: f64, step: f64, touches: &mut Touches) {
        let (body, theirs) = (self.bodies[slot], self.bodies[other as usize]);
        let distance = distance_sq.sqrt();
        let gap = distance - body.radius - theirs.radius;
        if gap <= (body.limit + theirs.limit) * step {
            let offset = self.places[slot] - self.places[other as usize];
            let normal = offset / distance.max(f64::MIN_POSITIVE);
            touches.agents.push(Touch { slot: other, normal, gap });
        }
    }
}

/// Keeps the nearest agents, sorted by distance and number.
fn keep_nearest(nearest: &mut Vec<(f64, u32, u32)>, most: usize, new: (f64, u32, u32)) {
    let is_before = |a: &(f64, u32, u32)| a.0 < new.0 || a.0 == new.0 && a.1 < new.1;
    if nearest.len() == most {
        match nearest.last() {
            Some(last) if !is_before(last) => _ = nearest.pop(),
            _ => return,
        }
    }
    let mut place = nearest.len();
    nearest.push(new);
    while place > 0 && !is_before(&nearest[place - 1]) {
        nearest[place] = nearest[place - 1];
        place -= 1;
    }
    nearest[place] = new;
}
