//! Branch and bound over boxes of translations, the nearest first. A box is closed by two pieces that overlap at all
//! eight corners, or by two such pairs, one on each side of a plane; other boxes are cut in eight.

use super::DepthSearch;
use crate::depth::translation_obstacle::HalfSpaceSide;
use heurt_geometry::{Vec3, robust_length};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Maximum number of boxes that are tested.
const MAX_CELLS: u32 = 8192;
/// Ratio of the upper to the lower bound at which the search ends.
const CLOSE_ENOUGH: f64 = 1.05;
/// Half edge of the nearest open box, as a share of its distance, at which the proof ends: the pieces leave a gap
/// there.
const FINEST: f64 = 1.0 / 4096.0;
/// The same share after the end of the proof. `MAX_LEFT`: maximum number of boxes that are tested then.
const COARSE: f64 = 1.0 / 12.0;
const MAX_LEFT: u32 = 512;
/// Maximum number of obstacles that are tested in pairs: the obstacles with most corners.
const MAX_PAIRED: usize = 6;
/// Maximum length of a translation out of a box that is tested, in half edges of the box; longer ones are left to
/// others.
const REACH: f64 = 8.0;

/// A box of translations.
#[derive(Debug, Clone)]
struct TranslationBox {
    /// Distance of the box from the origin.
    nearest: f64,
    /// Number in order of creation, which breaks ties.
    number: u32,
    centre: Vec3,
    /// Distance of the faces from the centre.
    half: f64,
    /// The obstacles that may reach into it.
    obstacles: Rc<[u32]>,
}

impl TranslationBox {
    fn new(number: u32, centre: Vec3, half: f64, obstacles: Rc<[u32]>) -> Self {
        let nearest = robust_length((centre.abs() - half).max(Vec3::ZERO));
        Self { nearest, number, centre, half, obstacles }
    }

    /// Returns the point nearest to the origin.
    fn nearest_point(&self) -> Vec3 {
        Vec3::ZERO.clamp(self.centre - self.half, self.centre + self.half)
    }

    fn corner(&self, number: u32) -> Vec3 {
        let side = |axis: u32| if number >> axis & 1 == 1 { self.half } else { -self.half };
        self.centre + Vec3::new(side(0), side(1), side(2))
    }

    fn farthest(&self) -> f64 {
        robust_length(self.centre.abs() + self.half)
    }
}

impl PartialEq for TranslationBox {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TranslationBox {}

impl PartialOrd for TranslationBox {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders the nearest box as the greatest, as the heap requires.
impl Ord for TranslationBox {
    fn cmp(&self, other: &Self) -> Ordering {
        other.nearest.total_cmp(&self.nearest).then(other.number.cmp(&self.number))
    }
}

impl DepthSearch<'_> {
    /// Brings both bounds nearer to each other.
    pub(crate) fn refine(&mut self) {
        let all: Rc<[u32]> = (0..self.obstacles.len() as u32).collect();
        let mut made = 1;
        let mut open = BinaryHeap::from([TranslationBox::new(0, Vec3::ZERO, self.at_most, all)]);
        // A box too small to be cut ends the proof; coarser boxes are still searched for translations.
        let (mut finest, mut is_proved, mut left) = (FINEST, true, MAX_CELLS);
        while left > 0 {
            left -= 1;
            if self.meter.is_exhausted() {
                break;
            }
            let next = open.pop().filter(|cell| cell.nearest < self.at_most);
            if is_proved {
                self.at_least = next.as_ref().map_or(self.at_most, |cell| cell.nearest).max(self.at_least);
            }
            let Some(cell) = next.filter(|_| self.at_most > self.at_least * CLOSE_ENOUGH) else { return };
            if cell.farthest() <= self.at_least {
                continue;
            }
            let Some(obstacles) = self.open_to(&cell) else { continue };
            self.probe(&cell, &obstacles);
            if cell.half <= (cell.nearest * finest).max(self.ulp) {
                if is_proved {
                    self.leave(cell.centre);
                    (finest, is_proved, left) = (COARSE, false, left.min(MAX_LEFT));
                }
                continue;
            }
            for number in 0..8 {
                let centre = (cell.centre + cell.corner(number)) * 0.5;
                open.push(TranslationBox::new(made, centre, cell.half * 0.5, obstacles.clone()));
                made += 1;
            }
        }
        // The budget is exhausted: the nearest open box gives the lower bound.
        if let Some(cell) = open.pop().filter(|_| is_proved) {
            self.at_least = self.at_least.max(cell.nearest.min(self.at_most));
        }
    }

    /// Returns the obstacles that may reach into a box; `None` if one or two of them hold all of it.
    fn open_to(&mut self, cell: &TranslationBox) -> Option<Rc<[u32]>> {
        let mut kept = Vec::with_capacity(cell.obstacles.len());
        for &number in cell.obstacles.iter() {
            let obstacle = number as usize;
            match self.obstacles[obstacle].place(cell.centre, cell.half) {
                HalfSpaceSide::Beyond => continue,
                HalfSpaceSide::Within if (0..8).all(|corner| self.proves(obstacle, cell.corner(corner))) => {
                    return None;
                }
                HalfSpaceSide::Within | HalfSpaceSide::Across => kept.push(number),
            }
        }
        (!self.is_held_by_two(cell, &kept)).then(|| kept.into())
    }

    /// Tests whether two obstacles hold a box together, one on each side of a plane.
    fn is_held_by_two(&mut self, cell: &TranslationBox, obstacles: &[u32]) -> bool {
        let held = |&number: &u32| {
            let holds = |corner: &u32| {
                self.obstacles[number as usize].place(cell.corner(*corner), 0.0) == HalfSpaceSide::Within
            };
            (number as usize, (0..8).filter(holds).fold(0u8, |corners, corner| corners | 1 << corner))
        };
        let mut held: Vec<(usize, u8)> = obstacles.iter().map(held).filter(|(_, corners)| *corners != 0).collect();
        held.sort_by_key(|(number, corners)| (8 - corners.count_ones(), *number));
        held.truncate(MAX_PAIRED);
        for (k, &(one, of_one)) in held.iter().enumerate() {
            for &(other, of_other) in &held[k + 1..] {
                if of_one | of_other == u8::MAX && self.is_split_between(cell, one, other) {
                    return true;
                }
            }
        }
        false
    }

    /// Proves that two obstacles hold a box: `one` holds the part that is less far beyond its own plane than beyond the
    /// plane of `other`, and `other` holds the rest.
    fn is_split_between(&mut self, cell: &TranslationBox, one: usize, other: usize) -> bool {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|corner| cell.corner(corner));
        let [a, b] = [one, other].map(|obstacle| self.obstacles[obstacle].most_crossed(&corners));
        let (normal, height) = (a.normal - b.normal, a.height - b.height);
        let sides = corners.map(|corner| normal.dot(corner) - height);
        let mut between = Vec::with_capacity(6);
        for (from, to) in
            (0..8).flat_map(|from| [1, 2, 4].map(|step| (from, from | step))).filter(|(from, to)| from < to)
        {
            if (sides[from] < 0.0) != (sides[to] < 0.0) {
                let share = sides[from] / (sides[from] - sides[to]);
                between.push(corners[from] + (corners[to] - corners[from]) * share);
            }
        }
        let is_in = |search: &Self, obstacle: usize, place: Vec3| {
            search.obstacles[obstacle].place(place, 0.0) == HalfSpaceSide::Within
        };
        let parts = [(one, true), (other, false)].map(|(obstacle, is_below)| {
            let own = corners.into_iter().zip(sides).filter(|(_, side)| (*side < 0.0) == is_below);
            (obstacle, own.map(|(corner, _)| corner).chain(between.iter().copied()).collect::<Vec<Vec3>>())
        });
        // The half-spaces are tested first; the pieces prove the rest.
        parts.iter().all(|(obstacle, places)| places.iter().all(|&place| is_in(self, *obstacle, place)))
            && parts.iter().all(|(obstacle, places)| places.iter().all(|&place| self.proves(*obstacle, place)))
    }

    /// Searches an open box and its surroundings for a translation that separates the shapes.
    fn probe(&mut self, cell: &TranslationBox, obstacles: &[u32]) {
        for shift in [cell.nearest_point(), cell.centre] {
            self.try_at(shift, obstacles);
        }
        // Separating translations may begin at the crossing of obstacles, a place too narrow to be met by chance.
        if let Some(escape) = self.shortest_escape(cell.centre, obstacles)
            && robust_length(escape) <= REACH * cell.half
        {
            for more in [1e-9, 1e-3] {
                self.try_at(cell.centre + escape * (1.0 + more), obstacles);
            }
        }
    }

    /// Takes a translation if it is shorter than the shortest one and separates the shapes.
    fn try_at(&mut self, shift: Vec3, obstacles: &[u32]) {
        let is_held = |&number: &u32| self.obstacles[number as usize].place(shift, 0.0) == HalfSpaceSide::Within;
        if robust_length(shift) < self.at_most && !obstacles.iter().any(is_held) && self.is_separated(shift) {
            self.take(shift);
            self.descend();
        }
    }
}
