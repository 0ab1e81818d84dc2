//! Surroundings of a body: discs, walls and edges that it could meet in a step.
//!
//! In: a body, a step. Out: touches; the walls near it, each with the offset of the body's nearest point.
//! Method: section by section, by the grid of places, the boxes of bodies and the index of walls. Guarantees: complete;
//! what is behind a wall may be among it. The same order for any number of threads.
//! Cost: O(discs, edges and walls within the distance).

use super::coarse::SectionBox;
use super::soft::{EdgePush, PUSH_REACH};
use super::touch::{EdgeTouch, Obstacle};
use super::{OutlineBody, share_along};
use crate::crowd::Crowd;
use crate::crowd::grid::PlacedSlot;
use crate::form::{Segment, box_gap, nearest_points};
use crate::ground::Wall;
use crate::steer::WALL_SIGHT;
use heurt_geometry::Vec2;

/// A segment near a body, and the nearest points of the body and of the segment.
pub(super) type NearSegment = (Segment, [Vec2; 2]);

/// The surroundings of a body, kept from body to body for its memory.
#[derive(Debug, Default)]
pub(super) struct NearBody {
    /// Numbers of walls, slots or sections.
    numbers: Vec<u32>,
    /// Discs so near to the first section that it may see them, up to the width of a square of the grid.
    pub discs: Vec<PlacedSlot>,
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

impl Crowd {
    /// Finds what a body could meet in a step, and the walls near it.
    pub(super) fn find_near(&self, number: u32, step: f64, near: &mut NearBody, touches: &mut Vec<EdgeTouch>) {
        let body = &self.outlines.bodies[number as usize];
        let slot = self.slots[body.agent as usize] as usize;
        let own = 2.0 * self.bodies[slot].limit;
        touches.clear();
        near.discs.clear();
        near.walls.clear();
        near.pushes.clear();
        let is_soft = body.rig.matching.is_some();
        for section in self.outlines.coarse.sections_of(number) {
            self.touch_walls(body, section, own * step, near, touches);
            self.touch_discs(body, section, (own + self.largest.limit) * step, near, touches);
            let edges = (own + self.outlines.top_speed) * step;
            let seen = if is_soft { edges.max(PUSH_REACH) } else { edges };
            self.touch_edges(section, (edges, seen), near, touches);
        }
    }

    fn touch_walls(
        &self,
        body: &OutlineBody,
        section: &SectionBox,
        reach: f64,
        near: &mut NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        let (sight, (floor, _)) = (reach.max(WALL_SIGHT), body.spot(section.edges.start));
        let ([low, high], middle) = (section.bounds, section.middle());
        near.numbers.clear();
        let numbers = &mut near.numbers;
        self.ground.wall_index().for_each_in([low - sight, high + sight], |wall| numbers.push(wall));
        numbers.sort_unstable();
        numbers.dedup();
        for place in 0..near.numbers.len() {
            let wall: Wall = self.ground.walls()[near.numbers[place] as usize];
            if self.ground.offset_of(wall, floor, middle).is_none() {
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

    fn touch_discs(
        &self,
        body: &OutlineBody,
        section: &SectionBox,
        reach: f64,
        near: &mut NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        let [low, high] = section.bounds;
        let far = reach + self.largest.radius;
        // Discs at rest near the first section are seen, too.
        let is_first = section.edges.start == 0 && self.settings.push;
        let widest = if is_first { far.max(WALL_SIGHT + self.largest.radius) } else { far };
        near.numbers.clear();
        self.grid.for_each_range(section.middle(), 0.5 * (high - low).max_element() + widest, |placed| {
            for &(place, slot) in placed {
                let gap = (low - place).max(place - high).max_element();
                if gap <= far {
                    near.numbers.push(slot);
                }
                if is_first && gap <= widest {
                    near.discs.push((place, slot));
                }
            }
        });
        near.numbers.sort_unstable();
        for &other in &near.numbers {
            let (place, disc) = (self.places[other as usize], self.bodies[other as usize]);
            if !self.is_disc_level_with(other as usize, body, section.edges.start) {
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
        section: &SectionBox,
        (reach, seen): (f64, f64),
        near: &mut NearBody,
        touches: &mut Vec<EdgeTouch>,
    ) {
        let number = section.body;
        let body = &self.outlines.bodies[number as usize];
        let mut numbers = std::mem::take(&mut near.numbers);
        let found = self.outlines.coarse.find_near((number, section.bounds), seen, &mut numbers);
        let edges = found.flat_map(|section| section.edges.clone().map(move |edge| (section.body, edge)));
        for (other, theirs) in edges {
            let theirs_of = &self.outlines.bodies[other as usize];
            let ends = theirs_of.ends(theirs);
            if box_gap(section.bounds, ends) > seen
                || !self.are_edges_level((body, section.edges.start), (theirs_of, theirs))
            {
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
        near.numbers = numbers;
    }
}
