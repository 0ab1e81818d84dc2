//! Pace: the speed of agents on stairs and in zones, as a share of their speed on the level.

use super::{Ground, SAME_FLOOR};
use heurt_geometry::{FloorArea, Vec2, Vec3};

/// Rise a metre in plan from which a floor is a stair: ramps for people are no steeper than 1 in 8.
const STAIR_SLOPE: f64 = 1.0 / 7.0 - 1e-9;

/// Speed on a stair or in a zone as a share of the speed on the level; both are speeds in plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// On the rise.
    pub up: f64,
    /// On the descent, and on level ground.
    pub down: f64,
}

impl Pace {
    /// The mean speeds in plan on stairs, 0.610 m/s up and 0.694 m/s down, next to 1.34 m/s on the level (Weidmann
    /// 1993).
    pub const STAIRS: Self = Self { up: 0.610 / 1.34, down: 0.694 / 1.34 };
}

/// A part of the ground with its own pace.
#[derive(Debug, Clone)]
pub(crate) struct PaceZone {
    pub area: FloorArea,
    pace: Pace,
}

impl Ground {
    /// Gives all stairs a pace: floors that rise by at least 1 in 7. The usual one is [`Pace::STAIRS`].
    pub fn with_stairs(mut self, pace: Pace) -> Self {
        self.stairs = pace;
        self
    }

    /// Gives a part of the ground a pace: smoke, a steep ramp, a moving walkway. The last of zones over each
    /// other or over a stair counts.
    pub fn with_zone(mut self, area: FloorArea, pace: Pace) -> Self {
        self.add_zone(area, pace);
        self
    }

    /// Gives a part of the ground a pace, as [`with_zone`](Self::with_zone).
    pub fn add_zone(&mut self, area: FloorArea, pace: Pace) {
        self.zones.push(PaceZone { area, pace });
    }

    pub(crate) fn zones(&self) -> &[PaceZone] {
        &self.zones
    }

    /// Returns the share of its speed that an agent has at a place of a floor, heading in a direction of the plan;
    /// `zones` may have the place in them.
    pub(crate) fn pace_at(&self, floor: u32, place: Vec3, heading: Vec2, zones: &[u32]) -> f64 {
        let slope = self.floors()[floor as usize].slope;
        let mut near = zones.iter().rev().map(|&zone| &self.zones[zone as usize]);
        let zone = near.find(|zone| zone.area.contains(place, SAME_FLOOR));
        let pace = match zone {
            Some(zone) => zone.pace,
            None if slope.length() >= STAIR_SLOPE => self.stairs,
            None => return 1.0,
        };
        if slope.dot(heading) > 0.0 { pace.up } else { pace.down }
    }

    /// Returns the time that a metre takes at each of places, next to level ground: the mean of both directions of its
    /// slope.
    pub(crate) fn slowness_at(&self, places: impl Iterator<Item = Vec3>) -> Vec<f64> {
        let boxes: Vec<[Vec2; 2]> = self.zones.iter().map(|zone| zone.area.area.bounds()).collect();
        let slowness = |place: Vec3| {
            let Some(floor) = self.floor_near(place) else { return 1.0 };
            let point = place.truncate();
            let is_near = |&zone: &u32| {
                let [low, high] = boxes[zone as usize];
                point.cmpge(low).all() && point.cmple(high).all()
            };
            let near: Vec<u32> = (0..self.zones.len() as u32).filter(is_near).collect();
            let slope = self.floors()[floor as usize].slope;
            let slow = |heading: Vec2| 1.0 / self.pace_at(floor, place, heading, &near);
            slow(slope).midpoint(slow(-slope))
        };
        places.map(slowness).collect()
    }
}
