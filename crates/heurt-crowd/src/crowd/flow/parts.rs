//! Parts of flow zones, and the pieces of their borders.
//!
//! In: ground with flow zones. Out: the parts that zones have on floors, no two of them over each other at one height;
//! each border in pieces, with what is beyond each piece.
//! Method: zones are cut with floors (`overlay`), and what an earlier zone has is taken off. An edge is cut at the ends
//! of the walls and at the corners of the parts near it. A point a little outside shows what is beyond a piece.
//! Guarantees: a piece that a disc of the least radius cannot be centred on, for a wall across its normal, is closed.
//! Not guaranteed: parts of less than 10 cm²; they are left out.
//! Cost: O(edges · walls near an edge), O(zones) overlays for each zone of a floor.

use crate::Ground;
use crate::ground::{Rings, SAME_FLOOR, WallIndex, rings_of, shared_at_height, subtract};
use heurt_geometry::{FloorArea, PlanArea, Vec2, ring_edges};

/// Parts of this size are rounding, in square metres.
const MIN_PART: f64 = 1e-3;

/// How far beyond a border a place is out of its part, in metres: zones with a gap of less touch each other.
pub(super) const NUDGE: f64 = 1e-3;

/// Pieces shorter than this are left out, in metres: rounding of cuts.
const SHORTEST: f64 = 1e-9;

/// A connected part of a flow zone on one floor.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub zone: usize,
    pub floor: u32,
    pub area: FloorArea,
}

/// Kinds of places beyond a piece of a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    /// A wall, or less room than a disc needs.
    Closed,
    /// Floor of no flow.
    Floor,
    /// Another part, by number.
    Part(usize),
}

/// A piece of a border; its part is on the left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub ends: [Vec2; 2],
    pub beyond: Beyond,
}

/// Finds the parts of all flow zones.
pub(super) fn parts_of(ground: &Ground) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (zone, areas) in ground.flow_zones().iter().enumerate() {
        for area in areas {
            for (floor, here) in ground.floors().iter().enumerate() {
                let found: Vec<PlanArea> = shared_at_height(here, area).into_iter().map(|part| part.area).collect();
                if found.is_empty() {
                    continue;
                }
                let is_here = |part: &&Part| part.floor as usize == floor;
                let taken: Vec<Rings> = parts.iter().filter(is_here).map(|part| rings_of(&part.area.area)).collect();
                let found = if taken.is_empty() { found } else { subtract(&found, &taken) };
                let new = found.into_iter().filter(|area| area.area() > MIN_PART);
                parts.extend(new.map(|area| Part { zone, floor: floor as u32, area: here.with_area(area) }));
            }
        }
    }
    parts
}

/// Cuts the borders of all parts into pieces; `radius` is the least of the agents. Returns by part the pieces of each
/// ring.
pub(super) fn borders_of(ground: &Ground, parts: &[Part], radius: f64) -> Vec<Vec<Vec<Piece>>> {
    let corners: Vec<Vec2> =
        parts.iter().flat_map(|part| part.area.area.rings().flatten().copied().collect::<Vec<_>>()).collect();
    let ends: Vec<[Vec2; 2]> = corners.iter().map(|&corner| [corner; 2]).collect();
    let index = WallIndex::new(&ends);
    let bounds = parts.iter().map(|part| part.area.area.bounds()).collect();
    let borders = Borders { ground, parts, corners, index, bounds, radius };
    (0..parts.len()).map(|part| borders.of(part)).collect()
}

struct Borders<'a> {
    ground: &'a Ground,
    parts: &'a [Part],
    /// The corners of all parts.
    corners: Vec<Vec2>,
    index: WallIndex,
    /// By part.
    bounds: Vec<[Vec2; 2]>,
    radius: f64,
}

impl Borders<'_> {
    fn of(&self, part: usize) -> Vec<Vec<Piece>> {
        let ring = |ring: &Vec<[f64; 2]>| {
            let ring: Vec<Vec2> = ring.iter().copied().map(Vec2::from_array).collect();
            ring_edges(&ring).flat_map(|edge| self.cut(part, edge)).collect()
        };
        rings_of(&self.parts[part].area.area).iter().map(ring).collect()
    }

    /// Cuts an edge into pieces, each with one kind of place beyond it.
    fn cut(&self, part: usize, [a, b]: [Vec2; 2]) -> Vec<Piece> {
        let length = a.distance(b);
        if length <= SHORTEST {
            return Vec::new();
        }
        let (along, outward) = ((b - a) / length, -(b - a).perp() / length);
        let mut cuts = vec![0.0, length];
        let reach = self.radius + NUDGE;
        self.ground.wall_index().for_each_in([a.min(b) - reach, a.max(b) + reach], |wall| {
            let [p, q] = self.ground.walls()[wall as usize].ends;
            cuts.extend([p, q].map(|end| (end - a).dot(along)));
            // From these points on, the wall is in the reach of discs on the edge.
            let [from, to] = [p, q].map(|end| (end - a).dot(outward));
            for level in [-self.radius, 0.0, self.radius] {
                let share = (level - from) / (to - from);
                if share > 0.0 && share < 1.0 {
                    cuts.push((p.lerp(q, share) - a).dot(along));
                }
            }
        });
        self.index.for_each_in([a.min(b) - NUDGE, a.max(b) + NUDGE], |corner| {
            cuts.push((self.corners[corner as usize] - a).dot(along));
        });
        cuts.retain(|cut| (0.0..=length).contains(cut));
        cuts.sort_by(f64::total_cmp);
        let place = |cut: f64| if cut == length { b } else { a + along * cut };
        let piece = |cuts: &[f64]| {
            let ends = [place(cuts[0]), place(cuts[1])];
            Piece { ends, beyond: self.beyond(part, ends[0].midpoint(ends[1]), outward) }
        };
        cuts.windows(2).filter(|cuts| cuts[1] - cuts[0] > SHORTEST).map(piece).collect()
    }

    /// Finds the kind of place beyond a point of a border.
    fn beyond(&self, part: usize, point: Vec2, outward: Vec2) -> Beyond {
        let Part { floor, area, .. } = &self.parts[part];
        let line = [point - outward * self.radius, point + outward * self.radius];
        let mut is_closed = false;
        self.ground.wall_index().for_each_in([line[0].min(line[1]), line[0].max(line[1])], |wall| {
            let wall = self.ground.walls()[wall as usize];
            is_closed |= crosses(line, wall.ends) && self.ground.offset_of(wall, *floor, point).is_some();
        });
        if is_closed {
            return Beyond::Closed;
        }
        let probe = area.over(point + outward * NUDGE);
        let is_in = |other: &usize| {
            let [low, high] = self.bounds[*other];
            let is_near = probe.truncate().cmpge(low).all() && probe.truncate().cmple(high).all();
            *other != part && is_near && self.parts[*other].area.contains(probe, SAME_FLOOR)
        };
        (0..self.parts.len()).find(is_in).map_or(Beyond::Floor, Beyond::Part)
    }
}

/// Reports whether two segments cross or touch.
fn crosses([p, q]: [Vec2; 2], [a, b]: [Vec2; 2]) -> bool {
    let (line, wall) = (q - p, b - a);
    line.perp_dot(a - p) * line.perp_dot(b - p) <= 0.0 && wall.perp_dot(p - a) * wall.perp_dot(q - a) <= 0.0
}
