//! Surroundings of a body: discs, walls and edges that it could meet in a step.
//!
//! In: a body, a step. Out: touches; the walls near it, each with the offset of the body's nearest point.
//! Method: section by section, from the cells that its edges are in to cells within the distance, and by the index of
//! walls. Guarantees: complete for what is reached without leaving the distance. The same order for any number of
//! threads. Cost: O(cells, discs, edges and walls within the distance).

use super::soft::{EdgePush, PUSH_REACH};
use super::touch::{EdgeTouch, Obstacle};
use super::{BodyEdge, OutlineBody, share_along};
use crate::crowd::Crowd;
use crate::crowd::cells::CellSearch;
use crate::form::{Segment, box_gap, nearest_points};
use crate::ground::Wall;
use crate::steer::WALL_SIGHT;
use heurt_geometry::Vec2;

/// A segment near a body, and the nearest points of the body and of the segment.
pub(super) type NearSegment = (Segment, [Vec2; 2]);

/// The surroundings of a body, kept from body to body for its memory.
#[derive(Debug, Default)]
pub(super) struct NearBody {
    search: CellSearch,
    cells: Vec<u32>,
    numbers: Vec<u32>,
    edges: Vec<BodyEdge>,
    /// Walls, section by section.
    pub walls: Vec<NearSegment>,
    /// Pushes on the edges of a body that deforms.
    pub pushes: Vec<EdgePush>,
}

impl NearBody {
    fn note_push(&mut self, touch: &EdgeTouch, ends: Segment, other: Segment) {
        if touch.gap < PUSH_REACH {
            let [own, _] = nearest_points(ends, other);
            let share = share_along(ends, own);
            self.pushes.push(EdgePush { edge: touch.edge, normal: touch.normal, gap: touch.gap, share });
        }
    }
}

/// A section of a body with its box.
struct Section {
    edges: std::ops::Range<u32>,
    bounds: [Vec2; 2],
    middle: Vec2,
}

impl Crowd {
    /// Finds what a body could meet in a step, and the walls near it.
    pub(super) fn find_near(&self, number: u32, step: f64, near: &mut NearBody, touches: &mut Vec<EdgeTouch>) {
        let body = &self.outlines.bodies[number as usize];
        let slot = self.slots[body.agent as usize] as usize;
        let own = 2.0 * self.bodies[slot].limit;
        touches.clear();
        near.walls.clear();
        near.pushes.clear();
        let is_soft = body.rig.matching.is_some();
        for range in body.rig.starts.windows(2) {
            let corners = &body.corners[range[0]..range[1]];
            let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
            let bounds = corners.iter().fold(empty, |[low, high], &corner| [low.min(corner), high.max(corner)]);
            let middle = 0.5 * (bounds[0] + bounds[1]);
            let section = Section { edges: range[0] as u32..range[1] as u32, bounds, middle };
            self.touch_walls(body, &section, own * step, near, touches);
            let discs = (own + self.largest.limit) * step;
            let edges = (own + self.outlines.top_speed) * step;
            let seen = if is_soft { edges.max(PUSH_REACH) } else { edges };
            self.search_section(body, &section, (discs + self.largest.radius).max(seen), near);
            self.touch_discs(body, &section, discs, near, touches);
            self.touch_edges(number, &section, (edges, seen), near, touches);
        }
    }

    fn touch_walls(
        &self,
        body: &OutlineBody,
        section: &Section,
        reach: f64,
        near: &mut NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        let (sight, (floor, _)) = (reach.max(WALL_SIGHT), body.spot(section.edges.start));
        let [low, high] = section.bounds;
        near.numbers.clear();
        let numbers = &mut near.numbers;
        self.ground.wall_index().for_each_in([low - sight, high + sight], |wall| numbers.push(wall));
        numbers.sort_unstable();
        numbers.dedup();
        for place in 0..near.numbers.len() {
            let wall: Wall = self.ground.walls()[near.numbers[place] as usize];
            if self.ground.offset_of(wall, floor, section.middle).is_none() {
                continue;
            }
            let mut nearest: Option<EdgeTouch> = None;
            for edge in section.edges.clone().filter(|&edge| box_gap(body.ends(edge), wall.ends) <= sight) {
                let touch = EdgeTouch::segment(edge, body.ends(edge), (Obstacle::Wall, wall.ends), true, sight);
                let Some(touch) = touch else { continue };
                if touch.gap <= reach {
                    touches.push(touch);
                }
                if body.rig.matching.is_some() {
                    near.note_push(&touch, body.ends(edge), wall.ends);
                }
                if nearest.is_none_or(|known| touch.gap < known.gap) {
                    nearest = Some(touch);
                }
            }
            if let Some(touch) = nearest {
                let points = nearest_points(body.ends(touch.edge), wall.ends);
                near.walls.push((wall.ends, points));
            }
        }
    }

    /// Searches the cells within a distance of a section.
    fn search_section(&self, body: &OutlineBody, section: &Section, reach: f64, near: &mut NearBody) {
        near.cells.clear();
        for edge in section.edges.clone() {
            let cells = body.entities.get(edge as usize).map(|&entity| self.environment.cells_of(entity));
            near.cells.extend(cells.into_iter().flatten().flatten());
        }
        near.cells.sort_unstable();
        near.cells.dedup();
        near.search.within_box(&self.cells, &self.environment, &near.cells, section.bounds, reach);
    }

    fn touch_discs(
        &self,
        body: &OutlineBody,
        section: &Section,
        reach: f64,
        near: &NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        let [low, high] = section.bounds;
        let far = reach + self.largest.radius;
        for other in near.search.ranges().iter().flat_map(|&[from, to]| from..to) {
            // Bodies have no place among discs.
            let (place, disc) = (self.places[other as usize], self.bodies[other as usize]);
            let is_near = (low - place).max(place - high).max_element() <= far;
            if !is_near || !self.is_disc_level_with(other as usize, body, section.edges.start) {
                continue;
            }
            let is_near = |edge: &u32| box_gap(body.ends(*edge), [place; 2]) <= reach + disc.radius;
            for edge in section.edges.clone().filter(is_near) {
                touches.extend(EdgeTouch::disc(edge, body.ends(edge), (other, place, disc.radius), reach));
            }
        }
    }

    fn touch_edges(
        &self,
        number: u32,
        section: &Section,
        (reach, seen): (f64, f64),
        near: &mut NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        near.edges.clear();
        let edges = &mut near.edges;
        self.outlines.edges_in(&self.environment, near.search.entered(), |edge| {
            if edge.body != number {
                edges.push(edge);
            }
        });
        edges.sort_unstable();
        edges.dedup();
        let body = &self.outlines.bodies[number as usize];
        let [low, high] = section.bounds;
        for place in 0..near.edges.len() {
            let BodyEdge { body: other, edge: theirs } = near.edges[place];
            let theirs_of = &self.outlines.bodies[other as usize];
            let ends = theirs_of.ends(theirs);
            let gap = (low - ends[0].max(ends[1])).max(ends[0].min(ends[1]) - high);
            if gap.max_element() > seen || !self.are_edges_level((body, section.edges.start), (theirs_of, theirs)) {
                continue;
            }
            let obstacle = Obstacle::Edge { body: other, edge: theirs };
            for edge in section.edges.clone().filter(|&edge| box_gap(body.ends(edge), ends) <= seen) {
                let touch = EdgeTouch::segment(edge, body.ends(edge), (obstacle, ends), number < other, seen);
                let Some(touch) = touch else { continue };
                if touch.gap <= reach {
                    touches.push(touch);
                }
                if body.rig.matching.is_some() {
                    near.note_push(&touch, body.ends(edge), ends);
                }
            }
        }
    }
}
