//! Erosion: the parts of floors where the centre of a disc can be.
//!
//! In: floors with walls, and a radius. Out: floors.
//! Method: a strip on each wall and a polygon around each corner are subtracted from the floor (crate `i_overlay`, on a
//! lattice of 62 bits over the extent), for the walls of its own and those next to it at its height. The polygon is
//! drawn around the circle, so that the result is inside the exact one. Corners of round walls are thinned out first,
//! and the radius grows by the tolerance.
//! Guarantees: a disc whose centre is in the result touches no wall with its inside, up to the lattice (1e-12 of the
//! extent). Not guaranteed: next to corners up to 3 % of the radius is missing. Cost: O(n log n).

use crate::Ground;
use crate::ground::{HEADROOM, Rings, Wall, WallIndex, nearest_on, subtract};
use heurt_geometry::{FloorArea, PlanArea, Vec2};
use std::collections::HashSet;
use std::f64::consts::PI;

/// Corners of the polygon around a corner's circle: 16 keep it within 2 % of the radius of the circle.
const CIRCLE_CORNERS: u32 = 16;

/// Corners are left out that are this near to the rest of the wall, as a share of the radius: round walls have many.
const THINNING: f64 = 0.005;

/// The most edges that one chord replaces: bounds the time.
const MAX_CHORD: usize = 256;

/// Returns the parts of floors whose points are at least `radius` from all walls.
pub(crate) fn erode(ground: &Ground, radius: f64) -> Vec<FloorArea> {
    if radius <= 0.0 {
        return ground.floors().to_vec();
    }
    let walls = thinned(ground.walls(), radius);
    let radius = if walls.len() < ground.walls().len() { radius * (1.0 + THINNING) } else { radius };
    let starts: HashSet<[u64; 2]> = walls.iter().map(|wall| wall.ends[0].to_array().map(f64::to_bits)).collect();
    if let [floor] = ground.floors() {
        let all: Vec<Rings> = walls.iter().flat_map(|wall| shapes_of(wall, radius, &starts)).collect();
        return eroded(floor, &all);
    }
    let ends: Vec<[Vec2; 2]> = walls.iter().map(|wall| wall.ends).collect();
    let index = WallIndex::new(&ends);
    let erode_floor = |(number, floor): (usize, &FloorArea)| {
        let mut near = Vec::new();
        let [low, high] = floor.area.bounds();
        index.for_each_in([low - 2.0 * radius, high + 2.0 * radius], |wall| near.push(wall));
        near.sort_unstable();
        near.dedup();
        let near = near.into_iter().filter_map(|wall| part_at_height(ground, walls[wall as usize], number as u32));
        let shapes: Vec<Rings> = near.flat_map(|wall| shapes_of(&wall, radius, &starts)).collect();
        eroded(floor, &shapes)
    };
    ground.floors().iter().enumerate().flat_map(erode_floor).collect()
}

fn eroded(floor: &FloorArea, shapes: &Vec<Rings>) -> Vec<FloorArea> {
    let areas: Vec<PlanArea> = subtract(std::slice::from_ref(&floor.area), shapes);
    areas.into_iter().map(|area| floor.with_area(area)).collect()
}

/// Returns the part of a wall that is less than the headroom above or below the plane of a floor.
fn part_at_height(ground: &Ground, wall: Wall, floor: u32) -> Option<Wall> {
    if wall.floor == floor {
        return Some(wall);
    }
    let [own, plane] = [wall.floor, floor].map(|floor| &ground.floors()[floor as usize]);
    let gap = |end: Vec2| own.height_at(end) - plane.height_at(end);
    let [a, b] = wall.ends;
    let (from, to) = (gap(a), gap(b));
    // The shares of the wall at which the gap is −HEADROOM and HEADROOM.
    let [first, second] = [-HEADROOM, HEADROOM].map(|limit| (limit - from) / (to - from));
    let (low, high) = match from == to {
        true if from.abs() < HEADROOM => (0.0, 1.0),
        true => return None,
        false => (first.min(second).max(0.0), first.max(second).min(1.0)),
    };
    let at = |share: f64| {
        if share == 0.0 {
            a
        } else if share == 1.0 {
            b
        } else {
            a + (b - a) * share
        }
    };
    (low < high).then(|| Wall { ends: [at(low), at(high)], ..wall })
}

/// Returns the strip along a wall and the polygon around its first end; also around the second if no wall starts there.
fn shapes_of(wall: &Wall, radius: f64, starts: &HashSet<[u64; 2]>) -> impl Iterator<Item = Rings> + use<> {
    let [a, b] = wall.ends;
    let side = (b - a).normalize_or_zero().perp() * radius;
    let strip = [a + side, a - side, b - side, b + side].map(|corner| corner.to_array()).to_vec();
    let last = (!starts.contains(&b.to_array().map(f64::to_bits))).then(|| vec![circle_around(b, radius)]);
    [vec![strip], vec![circle_around(a, radius)]].into_iter().chain(last)
}

/// Leaves out corners of chains of walls that are within [`THINNING`] of chords no longer than a radius.
fn thinned(walls: &[Wall], radius: f64) -> Vec<Wall> {
    let mut kept: Vec<Wall> = Vec::new();
    let mut start = 0;
    while start < walls.len() {
        let first = walls[start];
        let is_chord = |end: usize| {
            let chord = [first.ends[0], walls[end].ends[1]];
            let is_near = |wall: &Wall| nearest_on(chord, wall.ends[1]).distance(wall.ends[1]) <= THINNING * radius;
            chord[0].distance(chord[1]) <= radius && walls[start..end].iter().all(is_near)
        };
        let mut end = start;
        let goes_on = |end: usize| {
            let next = walls.get(end + 1);
            next.is_some_and(|next| next.floor == first.floor && next.ends[0] == walls[end].ends[1])
        };
        while end - start < MAX_CHORD && goes_on(end) && walls[end + 1].ends[1] != first.ends[0] && is_chord(end + 1) {
            end += 1;
        }
        kept.push(Wall { ends: [first.ends[0], walls[end].ends[1]], ..first });
        start = end + 1;
    }
    kept
}

/// Returns the regular polygon whose sides touch a circle.
fn circle_around(centre: Vec2, radius: f64) -> Vec<[f64; 2]> {
    let step = 2.0 * PI / f64::from(CIRCLE_CORNERS);
    let reach = radius / libm::cos(step / 2.0);
    let corner = |k: u32| {
        let angle = step * (f64::from(k) + 0.5);
        (centre + Vec2::new(libm::cos(angle), libm::sin(angle)) * reach).to_array()
    };
    (0..CIRCLE_CORNERS).map(corner).collect()
}
