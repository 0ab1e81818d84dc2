//! Emergence: places where persons of a flow become individuals.
//!
//! In: a person that leaves a reservoir, the individuals at the end of the step. Out: a place for it.
//! Method: first the end of its own step, then places along the opening, the nearest to its path first; without a free
//! one, those of other openings near it (`walk`). A place counts
//! if it is in no flow and a radius clear of walls and individuals; these include the ones that emerged before it.
//! Guarantees: an individual that emerges overlaps no other one and no wall. Cost: O(places tried).

use super::parts::NUDGE;
use super::reservoir::BorderPoint;
use super::{Crowd, Flows};
use crate::crowd::squares::Squares;
use heurt_geometry::{Vec2, Vec3};

/// How far from its path a person emerges, in metres: two persons to each side have room there.
pub(super) const SPREAD: f64 = 1.0;

/// Distance of the places that are tried along an opening, in metres: a radius of 0.2 m finds gaps between persons.
const SPACING: f64 = 0.1;

/// Discs are placed as near to each other and to walls as this share of their radius: rounding.
const MARGIN: f64 = 1e-9;

/// Individuals by squares, and where no place was found.
#[derive(Debug)]
pub(super) struct Standing {
    /// Their places, radii and floors.
    discs: Squares<(Vec2, f64, u32)>,
    /// Openings, points and radii of persons that found no place in this step.
    failed: Vec<(u32, Vec2, f64)>,
}

impl Standing {
    /// Sorts the individuals of a crowd into squares.
    pub fn new(crowd: &Crowd, largest: f64) -> Self {
        let mut standing = Self { discs: Squares::new(2.0 * largest.max(NUDGE)), failed: Vec::new() };
        for &id in &crowd.order {
            let agent = &crowd.agents[id as usize];
            standing.add(agent.position, agent.radius, agent.floor);
        }
        standing
    }

    /// Adds an individual.
    pub fn add(&mut self, place: Vec2, radius: f64, floor: u32) {
        self.discs.add(place, (place, radius, floor));
    }

    /// Reports whether a disc overlaps no individual.
    fn is_free(&self, crowd: &Crowd, point: Vec2, radius: f64, floor: u32) -> bool {
        self.discs.around(point).all(|&(place, other, there)| {
            place.distance(point) >= (radius + other) * (1.0 + MARGIN)
                || !crowd.ground.are_level((floor, point), (there, place))
        })
    }
}

impl Crowd {
    /// Finds a place at which a person that leaves through an opening becomes an individual; `target` is the end of its
    /// step.
    pub(super) fn free_place(
        &self,
        (flows, standing): (&Flows, &mut Standing),
        id: u32,
        (number, spot): (u32, BorderPoint),
        target: Vec2,
    ) -> Option<Vec2> {
        let (radius, opening) = (self.agents[id as usize].radius, &flows.openings[number as usize]);
        let is_hopeless = |&(tried, point, other): &(u32, Vec2, f64)| {
            tried == number && other <= radius && point.distance(spot.point) <= SPACING
        };
        let is_hopeless = standing.failed.iter().any(is_hopeless);
        let ahead = spot.point + (target - spot.point).normalize_or_zero() * NUDGE;
        let count = (SPREAD / SPACING) as i32;
        let offsets = (0..=count).flat_map(|k| [f64::from(k), -f64::from(k)]).map(|k| k * SPACING);
        let offsets = offsets.filter(|_| !is_hopeless);
        let along = offsets.filter_map(|offset| opening.border_point(spot.at + offset));
        let places = [target, ahead].into_iter().chain(along.map(|spot| spot.point + spot.outward * NUDGE));
        let is_free = |point: &Vec2| {
            let place: Vec3 = opening.over(*point);
            flows.reservoir_at(place).is_none()
                && self.ground.is_clear(place, radius * (1.0 - MARGIN))
                && self.ground.floor_near(place).is_some_and(|floor| standing.is_free(self, *point, radius, floor))
        };
        let found = { places }.find(is_free);
        if found.is_none() {
            standing.failed.push((number, spot.point, radius));
        }
        found
    }
}
