//! Floors over each other: a part that two share at one height belongs to the first of them, all others leave room.
//!
//! In: floors. Out: floors that share no part at heights within a doorstep of each other, or the first two without
//! [`HEADROOM`] between them.
//! Method: the shared parts in plan of each pair (`overlay`). Parts at one height are cut out of the second floor.
//! Guarantees: floors without such a part keep their bits. Not guaranteed: areas of exactly one plane, which readers
//! of plans unite; parts of less than 10 cm², which are rounding.
//! Cost: O(n log n), and an overlay for each pair of floors whose boxes overlap.

use super::overlay::{intersect, rings_of, subtract};
use super::{GroundError, HEADROOM};
use heurt_geometry::{DOORSTEP, FloorArea, PlanArea, Vec2};
use std::slice::from_ref;

/// Parts of this size that two floors share are rounding, in square metres.
const OVERLAP_ROUNDING: f64 = 1e-3;

/// Cuts the parts that two floors share at one height out of the second of them.
pub(super) fn trim(floors: Vec<FloorArea>) -> Result<Vec<FloorArea>, GroundError> {
    let mut cuts: Vec<Vec<PlanArea>> = vec![Vec::new(); floors.len()];
    let mut found = Ok(());
    for_each_pair(&floors, |first, second| {
        if found.is_ok() {
            match shared_parts(&floors[first], &floors[second]) {
                Ok(parts) => cuts[second].extend(parts),
                Err(error) => found = Err(error),
            }
        }
    });
    found?;
    let mut trimmed = Vec::new();
    for (floor, cuts) in floors.into_iter().zip(cuts) {
        if cuts.is_empty() {
            trimmed.push(floor);
            continue;
        }
        let left = subtract(from_ref(&floor.area), &cuts.iter().map(rings_of).collect());
        trimmed
            .extend(left.into_iter().filter(|area| area.area() > OVERLAP_ROUNDING).map(|area| floor.with_area(area)));
    }
    Ok(trimmed)
}

/// Calls `visit` with each pair of floors whose boxes in plan overlap, the smaller number first.
fn for_each_pair(floors: &[FloorArea], mut visit: impl FnMut(usize, usize)) {
    let mut order: Vec<usize> = (0..floors.len()).collect();
    let bounds: Vec<[Vec2; 2]> = floors.iter().map(|floor| floor.area.bounds()).collect();
    order.sort_by(|&a, &b| bounds[a][0].x.total_cmp(&bounds[b][0].x));
    for (place, &first) in order.iter().enumerate() {
        let reach = bounds[first][1];
        for &second in order[place + 1..].iter().take_while(|&&second| bounds[second][0].x < reach.x) {
            let is_apart = bounds[second][0].y >= reach.y || bounds[second][1].y <= bounds[first][0].y;
            if !is_apart {
                visit(first.min(second), first.max(second));
            }
        }
    }
}

/// Finds the parts that two floors share at one height; parts at other heights have room between them.
fn shared_parts(a: &FloorArea, b: &FloorArea) -> Result<Vec<PlanArea>, GroundError> {
    let ([low, high], [least, most]) = (a.heights(), b.heights());
    let mut level = Vec::new();
    // Readers of plans unite areas of one plane, of which a map has many.
    let is_one_plane = a.slope == b.slope && a.height_at(b.at.truncate()) == b.at.z;
    if is_one_plane || low - most >= HEADROOM || least - high >= HEADROOM {
        return Ok(level);
    }
    let room = |point: Vec2| a.height_at(point) - b.height_at(point);
    for part in intersect(from_ref(&a.area), from_ref(&b.area)) {
        let corners = || part.rings().flatten().copied();
        let (least, most) = corners()
            .map(room)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), room| (low.min(room), high.max(room)));
        // Rooms on both sides of 0: the floors cut each other.
        let is_free = least >= HEADROOM - 1e-9 || most <= 1e-9 - HEADROOM;
        if is_free || part.area() <= OVERLAP_ROUNDING {
            continue;
        }
        if least >= -DOORSTEP && most <= DOORSTEP {
            level.push(part);
            continue;
        }
        let near = corners().min_by(|&p, &q| room(p).abs().total_cmp(&room(q).abs())).unwrap_or_default();
        return Err(GroundError::NoHeadroom { near, heights: [a.height_at(near), b.height_at(near)] });
    }
    Ok(level)
}
