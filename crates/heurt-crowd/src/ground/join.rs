//! Joining floors: edges that two floors share become passages.
//!
//! In: floors. Out: the same floors, with corners added where a neighbour's corner is on an edge, so that a passage is
//! an edge of both.
//! Method: corners of different floors that nearly meet become one; corners near an edge of another floor at its height
//! are inserted into it. A passage is an edge of a floor that another one has in the opposite direction.
//! Guarantees: no corner moves by more than `JOIN_WITHIN`. Cost: O(n log n) for n corners.

use super::walls::WallIndex;
use heurt_geometry::{DOORSTEP, FloorArea, PlanArea, Vec2, Vec3};
use std::collections::HashMap;

/// Corners of two floors this near to each other, or to an edge of the second, meet; in metres. Plans are drawn to a
/// centimetre or finer.
const JOIN_WITHIN: f64 = 1e-3;

/// An edge of a floor by the bits of its ends.
type EdgeKey = [u64; 4];

/// The passages of floors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passages {
    /// By edge: floors that have it in this direction.
    edges: HashMap<EdgeKey, Vec<u32>>,
}

fn key([a, b]: [Vec2; 2]) -> EdgeKey {
    // Adding 0 makes −0 and 0 one.
    [a.x, a.y, b.x, b.y].map(|x| (x + 0.0).to_bits())
}

impl Passages {
    /// Lists the edges of floors whose outlines run counter-clockwise, holes clockwise. A single area has no passages.
    fn new(floors: &[FloorArea]) -> Self {
        let mut edges: HashMap<EdgeKey, Vec<u32>> = HashMap::new();
        if floors.len() > 1 {
            for (number, floor) in floors.iter().enumerate() {
                for edge in floor.area.rings().flat_map(heurt_geometry::ring_edges) {
                    edges.entry(key(edge)).or_default().push(number as u32);
                }
            }
        }
        Self { edges }
    }

    /// Returns the floors beyond an edge of a floor.
    pub fn beyond<'a>(
        &'a self,
        floors: &'a [FloorArea],
        floor: usize,
        [a, b]: [Vec2; 2],
    ) -> impl Iterator<Item = u32> + 'a {
        let near = self.edges.get(&key([b, a])).map(Vec::as_slice).unwrap_or_default();
        near.iter().copied().filter(move |&other| {
            let step = |p: Vec2| floors[floor].height_at(p) - floors[other as usize].height_at(p);
            other as usize != floor && step(a).abs() <= DOORSTEP && step(b).abs() <= DOORSTEP
        })
    }
}

/// Joins floors, and returns their passages.
pub(crate) fn join(floors: &mut [FloorArea]) -> Passages {
    for floor in &mut *floors {
        orient(&mut floor.area);
    }
    if floors.len() > 1 {
        merge_corners(floors);
        insert_corners(floors);
    }
    Passages::new(floors)
}

/// Turns the outline counter-clockwise and the holes clockwise.
fn orient(area: &mut PlanArea) {
    let turn = |ring: &mut Vec<Vec2>, is_left: bool| {
        let from = ring.first().copied().unwrap_or_default();
        let doubled: f64 = heurt_geometry::ring_edges(ring).map(|[a, b]| (a - from).perp_dot(b - from)).sum();
        if (doubled > 0.0) != is_left {
            ring.reverse();
        }
    };
    turn(&mut area.outline, true);
    area.holes.iter_mut().for_each(|hole| turn(hole, false));
}

/// Makes corners of different floors that nearly meet one: the first of them.
fn merge_corners(floors: &mut [FloorArea]) {
    let mut squares: HashMap<[i64; 2], Vec<(Vec3, usize)>> = HashMap::new();
    let square = |p: Vec2| [p.x, p.y].map(|x| (x / JOIN_WITHIN).floor() as i64);
    for (number, floor) in floors.iter_mut().enumerate() {
        let plane = floor.with_area(PlanArea::default());
        for corner in floor.area.outline.iter_mut().chain(floor.area.holes.iter_mut().flatten()) {
            let here = plane.over(*corner);
            let [x, y] = square(*corner);
            let near = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [x + dx, y + dy]));
            let near = near.filter_map(|square| squares.get(&square)).flatten();
            let is_one = |(place, other): &&(Vec3, usize)| {
                let offset = *place - here;
                *other != number && offset.truncate().length() <= JOIN_WITHIN && offset.z.abs() <= DOORSTEP
            };
            match near.filter(is_one).min_by(|a, b| a.0.distance(here).total_cmp(&b.0.distance(here))) {
                Some((place, _)) => *corner = place.truncate(),
                None => squares.entry([x, y]).or_default().push((here, number)),
            }
        }
    }
}

/// Inserts corners of other floors into edges that they are on.
fn insert_corners(floors: &mut [FloorArea]) {
    let corners: Vec<(Vec3, usize)> = floors
        .iter()
        .enumerate()
        .flat_map(|(number, floor)| floor.area.rings().flatten().map(move |&corner| (floor.over(corner), number)))
        .collect();
    let points: Vec<[Vec2; 2]> = corners.iter().map(|(corner, _)| [corner.truncate(); 2]).collect();
    let index = WallIndex::new(&points);
    for (number, floor) in floors.iter_mut().enumerate() {
        let plane = floor.with_area(PlanArea::default());
        let split = |ring: &mut Vec<Vec2>| {
            let mut next = Vec::with_capacity(ring.len());
            for [a, b] in heurt_geometry::ring_edges(ring) {
                let mut on: Vec<(f64, Vec2)> = Vec::new();
                index.for_each_in([a.min(b) - JOIN_WITHIN, a.max(b) + JOIN_WITHIN], |corner| {
                    let (place, other) = corners[corner as usize];
                    let share = (place.truncate() - a).dot(b - a) / (b - a).length_squared();
                    let off = (a + (b - a) * share).distance(place.truncate());
                    let is_on = share > 0.0 && share < 1.0 && off <= JOIN_WITHIN;
                    let is_free = place.truncate() != a && place.truncate() != b;
                    let is_level = (plane.height_at(place.truncate()) - place.z).abs() <= DOORSTEP;
                    if other != number && is_on && is_free && is_level {
                        on.push((share, place.truncate()));
                    }
                });
                on.sort_by(|a, b| a.0.total_cmp(&b.0));
                next.push(a);
                next.extend(on.into_iter().map(|(_, place)| place));
            }
            next.dedup();
            if next.len() > 1 && next.first() == next.last() {
                next.pop();
            }
            *ring = next;
        };
        split(&mut floor.area.outline);
        floor.area.holes.iter_mut().for_each(split);
    }
}
