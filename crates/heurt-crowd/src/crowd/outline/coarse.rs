//! Coarse registration of bodies: sections by their boxes, on a level of their own (S4, conclusion 2.1).
//!
//! In: bodies. Out: the sections whose boxes are within a distance of a box.
//! Method: the middles of boxes are in a grid of places; searches reach further by the largest box.
//! Guarantees: all sections within the distance, in the order of bodies and sections. Cost: O(sections) to build;
//! O(sections within the distance and a box) to search. Discs see bodies by the edges that are registered in cells; two
//! bodies in wide cells would see all edges in them.

use super::OutlineBody;
use crate::crowd::grid::PlaceGrid;
use crate::form::box_gap;
use heurt_geometry::Vec2;
use std::ops::Range;

/// The side of a square of the grid, in metres: as long as a car.
const SQUARE: f64 = 4.0;

/// A section of a body with its box.
#[derive(Debug, Clone)]
pub(super) struct SectionBox {
    pub body: u32,
    /// Its edges, which have the numbers of its corners.
    pub edges: Range<u32>,
    /// The lower and the upper corner, in metres.
    pub bounds: [Vec2; 2],
    /// The largest speed of its corners, in m/s.
    pub speed: f64,
    /// The length of its longest edge, in metres.
    pub longest: f64,
}

impl SectionBox {
    fn of((number, body): (u32, &OutlineBody), section: usize) -> Self {
        let edges = body.rig.starts[section] as u32..body.rig.starts[section + 1] as u32;
        let (mut bounds, mut speed, mut longest) = ([Vec2::INFINITY, Vec2::NEG_INFINITY], 0.0_f64, 0.0_f64);
        for corner in edges.clone() {
            let ([a, b], velocity) = (body.ends(corner), body.velocities[corner as usize]);
            bounds = [bounds[0].min(a), bounds[1].max(a)];
            (speed, longest) = (speed.max(velocity.length_squared()), longest.max(a.distance_squared(b)));
        }
        Self { body: number, edges, bounds, speed: speed.sqrt(), longest: longest.sqrt() }
    }

    pub fn middle(&self) -> Vec2 {
        0.5 * (self.bounds[0] + self.bounds[1])
    }
}

/// The sections of all bodies by place.
#[derive(Debug, Default)]
pub(super) struct CoarseBodies {
    grid: PlaceGrid,
    sections: Vec<SectionBox>,
    /// By body: its first section; the number of sections at the end.
    starts: Vec<u32>,
    /// Middles of boxes, in squares.
    middles: Vec<Vec2>,
    /// The largest half of a diagonal, in metres.
    reach: f64,
    /// The largest speed of a corner, in m/s.
    pub speed: f64,
    /// The length of the longest edge, in metres.
    pub longest: f64,
}

impl CoarseBodies {
    /// Registers all bodies that are present.
    pub fn update(&mut self, bodies: &[OutlineBody]) {
        self.sections.clear();
        self.starts.clear();
        self.starts.push(0);
        for (number, body) in bodies.iter().enumerate() {
            let count = if body.is_present { body.rig.starts.len() - 1 } else { 0 };
            self.sections.extend((0..count).map(|section| SectionBox::of((number as u32, body), section)));
            self.starts.push(self.sections.len() as u32);
        }
        self.middles.clear();
        self.middles.extend(self.sections.iter().map(|section| section.middle() / SQUARE));
        let largest = |of: fn(&SectionBox) -> f64| self.sections.iter().map(of).fold(0.0, f64::max);
        self.reach = largest(|section| 0.5 * section.bounds[0].distance(section.bounds[1]));
        self.speed = largest(|section| section.speed);
        self.longest = largest(|section| section.longest);
        self.grid.update(&self.middles);
    }

    /// Returns the sections of a body.
    pub fn sections_of(&self, body: u32) -> &[SectionBox] {
        &self.sections[self.starts[body as usize] as usize..self.starts[body as usize + 1] as usize]
    }

    /// Lists the sections of all but one body whose boxes are at most `reach` metres from a box.
    pub fn find_near<'a>(
        &'a self,
        (body, bounds): (u32, [Vec2; 2]),
        reach: f64,
        numbers: &'a mut Vec<u32>,
    ) -> impl Iterator<Item = &'a SectionBox> + 'a {
        numbers.clear();
        let half = 0.5 * bounds[0].distance(bounds[1]);
        let middle = 0.5 * (bounds[0] + bounds[1]);
        self.grid.for_each_range(middle / SQUARE, (half + self.reach + reach) / SQUARE, |placed| {
            let is_near = |number: &u32| {
                let section = &self.sections[*number as usize];
                section.body != body && box_gap(bounds, section.bounds) <= reach
            };
            numbers.extend(placed.iter().map(|&(_, number)| number).filter(is_near));
        });
        numbers.sort_unstable();
        numbers.iter().map(|&number| &self.sections[number as usize])
    }
}
