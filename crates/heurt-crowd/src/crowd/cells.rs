//! Cells of a crowd: the agents of each cell side by side, and the agents and walls near a cell.
//!
//! In: an environment with agents in its cells. Out: for each agent the agents and walls near it.
//! Method: agents are sorted by cell: the agents of a cell are a range of slots. A search goes from cell to cell
//! through common vertices (S4 §5.1), as far as boxes of cells are within the distance. An agent takes the nearest
//! agents; the distance doubles until there are enough.
//! Cells more than twice the headroom above or below are left out.
//! Guarantees: agents within the distance are complete unless walls lie between and all paths around them leave the
//! distance. The same answers for any order of search. Cost: O(agents in cells within the distance).

use crate::Ground;
use crate::ground::{HEADROOM, PaceZone};
use heurt_geometry::Vec2;
use heurt_map::registration::{CellChange, PlaneEnvironment};
use heurt_map::{CombinatorialMap, Orbit};
use smallvec::SmallVec;

/// The most walls that a cell lists: agents of other cells look into the index of walls, which takes longer.
const MAX_WALLS: usize = 64;

/// The most entries of the index of walls around a cell that are searched for its list.
const MAX_LISTED: usize = 16 * MAX_WALLS;

/// The largest distance from walls that a cell knows, in metres: a little more than models see agents.
const MAX_CLEAR: f64 = 6.0;

/// The box of a cell.
#[derive(Debug, Clone, Copy, Default)]
struct CellBox {
    low: Vec2,
    high: Vec2,
    /// The lowest and the highest corner, in metres.
    heights: [f64; 2],
}

impl CellBox {
    /// Computes the squared distance from another box in plan; `None` if they are on storeys far from each other.
    fn distance_squared(&self, other: &Self) -> Option<f64> {
        let ([bottom, top], [lowest, highest]) = (self.heights, other.heights);
        let is_near = bottom - highest < 2.0 * HEADROOM && lowest - top < 2.0 * HEADROOM;
        is_near.then(|| (self.low - other.high).max(other.low - self.high).max(Vec2::ZERO).length_squared())
    }
}

/// The floor of a cell, and what is near it.
#[derive(Debug, Clone, Default)]
struct CellFacts {
    floor: u32,
    /// Zones of their own pace that may reach into it.
    zones: SmallVec<[u32; 2]>,
    /// No wall is within this distance of its box along an axis, in metres.
    clear: f64,
    /// Walls within the reach of walls from its box; `None` for too many to be listed.
    walls: Option<SmallVec<[u32; 4]>>,
}

/// Cells, and the slots of the agents in them.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    facts: Vec<CellFacts>,
    /// Searches read the boxes of all cells near, and no other fact of them.
    boxes: Vec<CellBox>,
    wall_reach: f64,
    /// By cell: first slot and end.
    slots: Vec<[u32; 2]>,
    occupied: Vec<u32>,
    /// By slot.
    pub cell_of: Vec<u32>,
}

impl Cells {
    /// Computes the facts of all cells; walls within `wall_reach` metres are listed.
    pub fn new(ground: &Ground, environment: &PlaneEnvironment, wall_reach: f64) -> Self {
        let mut cells = Self { wall_reach, ..Self::default() };
        for cell in environment.cells() {
            cells.add(ground, environment, cell, ground.floor_of_cell(cell));
        }
        cells
    }

    /// Computes the facts of cells that took the place of other ones.
    pub fn update(&mut self, ground: &Ground, environment: &PlaneEnvironment, change: &CellChange) {
        // Numbers of cells may be used again: the floor is read first.
        let floor =
            change.before.first().and_then(|&cell| self.facts.get(cell as usize)).map_or(0, |facts| facts.floor);
        for &cell in &change.after {
            self.add(ground, environment, cell, floor);
        }
    }

    fn add(&mut self, ground: &Ground, environment: &PlaneEnvironment, cell: u32, floor: u32) {
        let map = environment.map().map();
        let Some(dart) = environment.dart(cell) else { return };
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        let [mut bottom, mut top] = [f64::INFINITY, f64::NEG_INFINITY];
        for dart in map.face_darts(dart) {
            let corner = environment.geometry().positions()[map.id(Orbit::Vertex, dart) as usize];
            let height = ground.floors()[floor as usize].height_at(corner);
            (low, high) = (low.min(corner), high.max(corner));
            (bottom, top) = (bottom.min(height), top.max(height));
        }
        let place = CellBox { low, high, heights: [bottom, top] };
        let walls = self.walls_near(ground, floor, &place);
        let is_near = |(_, zone): &(usize, &PaceZone)| {
            let ([least, most], [lowest, highest]) = (zone.area.area.bounds(), zone.area.heights());
            let gap = (least - high).max(low - most).max_element().max(lowest - top).max(bottom - highest);
            gap <= HEADROOM
        };
        let zones = ground.zones().iter().enumerate().filter(is_near).map(|(zone, _)| zone as u32).collect();
        let clear = clearance(ground, floor, &place);
        self.insert(cell, place, CellFacts { floor, zones, clear, walls });
    }

    /// Lists the walls near a cell at its height.
    fn walls_near(&self, ground: &Ground, floor: u32, place: &CellBox) -> Option<SmallVec<[u32; 4]>> {
        let (reach, &CellBox { low, high, heights: [bottom, top] }) = (self.wall_reach, place);
        // The plane of the floor goes on beyond the cell.
        let room = HEADROOM + reach * ground.floors()[floor as usize].slope.length();
        let mut walls: SmallVec<[u32; 4]> = SmallVec::new();
        let is_crowded = ground.wall_index().count_in([low - reach, high + reach]) > MAX_LISTED;
        if is_crowded {
            return None;
        }
        ground.wall_index().for_each_in([low - reach, high + reach], |number| {
            let wall = ground.walls()[number as usize];
            let ([a, b], [lowest, highest]) = (wall.ends, ground.heights_of(wall));
            let gap = (a.min(b) - high).max(low - a.max(b));
            if gap.max_element() <= reach && lowest - top < room && bottom - highest < room {
                walls.push(number);
            }
        });
        walls.sort_unstable();
        walls.dedup();
        (walls.len() <= MAX_WALLS).then_some(walls)
    }

    /// Returns the lower and the upper corner of the box of a cell, in plan.
    pub fn bounds(&self, cell: u32) -> [Vec2; 2] {
        let CellBox { low, high, .. } = self.boxes[cell as usize];
        [low, high]
    }

    /// Returns the floor of a cell.
    pub fn floor(&self, cell: u32) -> u32 {
        self.facts.get(cell as usize).map_or(0, |facts| facts.floor)
    }

    /// Returns the zones that may reach into a cell.
    pub fn zones(&self, cell: u32) -> &[u32] {
        self.facts.get(cell as usize).map(|facts| facts.zones.as_slice()).unwrap_or_default()
    }

    fn insert(&mut self, cell: u32, place: CellBox, facts: CellFacts) {
        if cell as usize >= self.facts.len() {
            self.facts.resize(cell as usize + 1, CellFacts::default());
            self.boxes.resize(cell as usize + 1, CellBox::default());
            self.slots.resize(cell as usize + 1, [0; 2]);
        }
        self.facts[cell as usize] = facts;
        self.boxes[cell as usize] = place;
    }

    /// Reports whether the cells within `reach` metres of a cell are all those of the plane: no wall is between.
    pub fn is_open(&self, cell: u32, reach: f64) -> bool {
        reach < self.facts[cell as usize].clear
    }

    /// Sorts agents by cell: returns the agent of each slot. Takes agents with their cells.
    pub fn sort(&mut self, agents: &[(u32, u32)], order: &mut Vec<u32>) {
        for &cell in &self.occupied {
            self.slots[cell as usize] = [0; 2];
        }
        self.occupied.clear();
        for &(_, cell) in agents {
            let slots = &mut self.slots[cell as usize];
            if slots[1] == 0 {
                self.occupied.push(cell);
            }
            slots[1] += 1;
        }
        // In order of first appearance: cells stay in the order of the slots before, which keeps neighbours close.
        let mut next = 0;
        for &cell in &self.occupied {
            let count = self.slots[cell as usize][1];
            self.slots[cell as usize] = [next, next];
            next += count;
        }
        order.clear();
        order.resize(agents.len(), 0);
        self.cell_of.clear();
        self.cell_of.resize(agents.len(), 0);
        for &(agent, cell) in agents {
            let slot = &mut self.slots[cell as usize][1];
            order[*slot as usize] = agent;
            self.cell_of[*slot as usize] = cell;
            *slot += 1;
        }
    }

    /// Returns the walls near a cell; `None` for too many to be listed.
    pub fn walls(&self, cell: u32) -> Option<&[u32]> {
        self.facts[cell as usize].walls.as_deref()
    }
}

/// Finds a distance from the box of a cell within which there is no wall of any storey, up to [`MAX_CLEAR`].
fn clearance(ground: &Ground, floor: u32, place: &CellBox) -> f64 {
    let bounds = [place.low - MAX_CLEAR, place.high + MAX_CLEAR];
    // On a slope agents in plan near each other may be far above each other.
    if ground.floors()[floor as usize].slope != Vec2::ZERO || ground.wall_index().count_in(bounds) > MAX_LISTED {
        return 0.0;
    }
    let mut clear = MAX_CLEAR;
    ground.wall_index().for_each_in(bounds, |wall| {
        let [a, b] = ground.walls()[wall as usize].ends;
        let gap = (a.min(b) - place.high).max(place.low - a.max(b));
        clear = clear.min(gap.max_element());
    });
    clear
}

/// A search around one cell, or a box, that grows; kept from agent to agent of the cell.
#[derive(Debug, Default)]
pub(super) struct CellSearch {
    cell: Option<u32>,
    /// The box that distances are measured from.
    from: CellBox,
    reach: f64,
    /// Slots of agents in cells within the reach.
    ranges: Vec<[u32; 2]>,
    /// Cells found and not entered.
    queue: Vec<u32>,
    /// Cells next to entered ones that are beyond the reach, and their squared distance.
    beyond: Vec<(f64, u32)>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl CellSearch {
    /// Returns the slots of all agents in cells within `reach` metres of a cell, and perhaps of more.
    pub fn within(&mut self, cells: &Cells, environment: &PlaneEnvironment, cell: u32, reach: f64) -> &[[u32; 2]] {
        if self.cell != Some(cell) {
            self.begin(cells, cell, cells.boxes[cell as usize]);
            self.cell = Some(cell);
        }
        if reach > self.reach {
            self.grow(cells, environment, reach);
        }
        &self.ranges
    }

    /// Returns the cell of the last search; `None` if it was forgotten.
    pub fn cell(&self) -> Option<u32> {
        self.cell
    }

    /// Forgets all: cells or agents have changed.
    pub fn reset(&mut self) {
        self.cell = None;
    }

    fn begin(&mut self, cells: &Cells, first: u32, from: CellBox) {
        if self.stamps.len() < cells.facts.len() || self.stamp == u32::MAX {
            self.stamps.clear();
            self.stamps.resize(cells.facts.len(), 0);
            self.stamp = 0;
        }
        self.stamp += 1;
        (self.cell, self.from) = (None, from);
        self.reach = -1.0;
        self.ranges.clear();
        self.beyond.clear();
        self.stamps[first as usize] = self.stamp;
        self.beyond.push((0.0, first));
    }

    fn grow(&mut self, cells: &Cells, environment: &PlaneEnvironment, reach: f64) {
        self.reach = reach;
        let (here, most) = (self.from, reach * reach);
        let queue = &mut self.queue;
        queue.clear();
        self.beyond.retain(|&(distance, cell)| {
            let is_in = distance <= most;
            if is_in {
                queue.push(cell);
            }
            !is_in
        });
        let mut place = 0;
        while let Some(&next) = self.queue.get(place) {
            place += 1;
            let [from, to] = cells.slots[next as usize];
            if from < to {
                self.ranges.push([from, to]);
            }
            let adjacent = environment.adjacent_cells(next).ok().flatten().unwrap_or_default();
            for &other in adjacent {
                let stamp = &mut self.stamps[other as usize];
                if std::mem::replace(stamp, self.stamp) == self.stamp {
                    continue;
                }
                let Some(distance) = cells.boxes[other as usize].distance_squared(&here) else { continue };
                if distance <= most {
                    self.queue.push(other);
                } else {
                    self.beyond.push((distance, other));
                }
            }
        }
    }
}
