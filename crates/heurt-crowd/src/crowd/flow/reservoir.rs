//! Reservoirs: the connected parts of flow zones, and the openings between them and to other floor.
//!
//! In: ground with flow zones. Out: reservoirs with their areas, openings with their widths.
//! Method: parts of one zone that share a border are one reservoir. Pieces of a border that lead to the same place are
//! one opening as long as they follow each other; its width is the sum of their lengths.
//! Guarantees: an opening between two reservoirs is found from both sides. Cost: O(pieces · parts).

use super::parts::{Beyond, Part, Piece, borders_of, parts_of};
use crate::Ground;
use crate::ground::{SAME_FLOOR, nearest_on};
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use smallvec::SmallVec;

/// A connected part of a flow zone.
#[derive(Debug, Default)]
pub(super) struct Reservoir {
    parts: Vec<FloorArea>,
    /// Its area in plan, in square metres.
    pub area: f64,
    low: Vec2,
    high: Vec2,
    /// The numbers of the openings that lead out of it.
    pub openings: Vec<u32>,
}

impl Reservoir {
    /// Reports whether a place is in it, its border included.
    pub fn contains(&self, place: Vec3) -> bool {
        self.is_near(place.truncate(), 0.0) && self.parts.iter().any(|part| part.contains(place, SAME_FLOOR))
    }

    /// Reports whether a point is at most `reach` metres from its box.
    pub fn is_near(&self, point: Vec2, reach: f64) -> bool {
        (self.low - point).max(point - self.high).max_element() <= reach
    }
}

/// An opening that leads out of a reservoir.
#[derive(Debug)]
pub(super) struct Opening {
    pub from: u32,
    /// The reservoir beyond it; none if individuals walk there.
    pub to: Option<u32>,
    /// Its pieces one after another; the reservoir is on the left.
    pub pieces: Vec<[Vec2; 2]>,
    /// In metres.
    pub width: f64,
    /// The plane of its floor.
    plane: FloorArea,
}

/// A point of an opening.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BorderPoint {
    pub point: Vec2,
    /// Unit vector.
    pub outward: Vec2,
    /// Its distance along the opening, in metres.
    pub at: f64,
}

impl Opening {
    /// Returns the place of its floor at a point.
    pub fn over(&self, point: Vec2) -> Vec3 {
        self.plane.over(point)
    }

    /// Reports whether it is at the height of a place.
    pub fn is_level_with(&self, place: Vec3) -> bool {
        (self.plane.height_at(place.truncate()) - place.z).abs() <= SAME_FLOOR
    }

    /// Finds where a straight step from inside leaves through it, and the share of the step until then.
    pub fn left_at(&self, [from, to]: [Vec2; 2]) -> Option<(f64, BorderPoint)> {
        let mut first: Option<(f64, BorderPoint)> = None;
        self.for_each_piece(|[a, b], at| {
            let Some((share, point)) = meet([from, to], [a, b]) else { return };
            let is_out = (b - a).perp_dot(to - from) < 0.0;
            if is_out && first.is_none_or(|(least, _)| share < least) {
                first = Some((share, BorderPoint { point, outward: outward_of([a, b]), at: at + a.distance(point) }));
            }
        });
        first
    }

    /// Reports whether a straight step from outside enters through it.
    pub fn is_entered(&self, step: [Vec2; 2]) -> bool {
        let is_in = |&[a, b]: &[Vec2; 2]| (b - a).perp_dot(step[1] - step[0]) > 0.0 && meet(step, [a, b]).is_some();
        self.pieces.iter().any(is_in)
    }

    /// Finds the point nearest to another one, and its distance.
    pub fn nearest(&self, point: Vec2) -> (f64, BorderPoint) {
        let mut best = (f64::INFINITY, BorderPoint { point, outward: Vec2::X, at: 0.0 });
        self.for_each_piece(|[a, b], at| {
            let on = nearest_on([a, b], point);
            if on.distance(point) < best.0 {
                best = (
                    on.distance(point),
                    BorderPoint { point: on, outward: outward_of([a, b]), at: at + a.distance(on) },
                );
            }
        });
        best
    }

    /// Returns the point at a distance along it.
    pub fn border_point(&self, at: f64) -> Option<BorderPoint> {
        let mut found = None;
        self.for_each_piece(|[a, b], before| {
            let length = a.distance(b);
            if found.is_none() && (before..=before + length).contains(&at) {
                let point = a.lerp(b, (at - before) / length);
                found = Some(BorderPoint { point, outward: outward_of([a, b]), at });
            }
        });
        found
    }

    /// Lists for a point outside the directions from the pieces within a distance, and the distances.
    pub fn offsets(&self, point: Vec2, reach: f64) -> SmallVec<[(Vec2, f64); 2]> {
        let offset = |&piece: &[Vec2; 2]| {
            let offset = point - nearest_on(piece, point);
            let distance = offset.length();
            let direction = if distance > 0.0 { offset / distance } else { outward_of(piece) };
            (distance <= reach).then_some((direction, distance))
        };
        self.pieces.iter().filter_map(offset).collect()
    }

    /// Calls `visit` with each piece and its distance along the opening.
    fn for_each_piece(&self, mut visit: impl FnMut([Vec2; 2], f64)) {
        let mut at = 0.0;
        for &[a, b] in &self.pieces {
            visit([a, b], at);
            at += a.distance(b);
        }
    }
}

fn outward_of([a, b]: [Vec2; 2]) -> Vec2 {
    -(b - a).perp().normalize_or_zero()
}

/// How far beyond its ends a piece is met, as a share of its length, so that a step through a joint meets one.
const JOINT: f64 = 1e-9;

/// Finds where a step meets a piece: the share of the step, and the point.
fn meet([from, to]: [Vec2; 2], [a, b]: [Vec2; 2]) -> Option<(f64, Vec2)> {
    let (step, along) = (to - from, b - a);
    let across = step.perp_dot(along);
    let (share, place) = ((a - from).perp_dot(along) / across, (a - from).perp_dot(step) / across);
    // Parallel ones have NaN or infinite shares.
    let is_met = (0.0..=1.0).contains(&share) && (-JOINT..=1.0 + JOINT).contains(&place);
    is_met.then(|| (share, a + along * place.clamp(0.0, 1.0)))
}

/// Finds all reservoirs and openings; `radius` is the least of the agents.
pub(super) fn reservoirs_of(ground: &Ground, radius: f64) -> (Vec<Reservoir>, Vec<Opening>) {
    let parts = parts_of(ground);
    let borders = borders_of(ground, &parts, radius);
    let numbers = number_parts(&parts, &borders);
    let count = numbers.iter().max().map_or(0, |last| last + 1);
    let mut reservoirs: Vec<Reservoir> = (0..count)
        .map(|_| Reservoir { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY, ..Reservoir::default() })
        .collect();
    let mut openings = Vec::new();
    for ((part, rings), &number) in parts.iter().zip(&borders).zip(&numbers) {
        let [low, high] = part.area.area.bounds();
        let reservoir = &mut reservoirs[number];
        (reservoir.low, reservoir.high) = (reservoir.low.min(low), reservoir.high.max(high));
        reservoir.area += part.area.area.area();
        reservoir.parts.push(part.area.clone());
        for (to, pieces) in rings.iter().flat_map(|ring| chains_of(ring, number, &numbers)) {
            let width = pieces.iter().map(|[a, b]| a.distance(*b)).sum();
            reservoir.openings.push(openings.len() as u32);
            let (to, plane) = (to.map(|to| to as u32), part.area.with_area(PlanArea::default()));
            openings.push(Opening { from: number as u32, to, pieces, width, plane });
        }
    }
    (reservoirs, openings)
}

/// Numbers reservoirs: parts of one zone that share a border have one number. Returns the number by part.
fn number_parts(parts: &[Part], borders: &[Vec<Vec<Piece>>]) -> Vec<usize> {
    let mut labels: Vec<usize> = (0..parts.len()).collect();
    for (part, rings) in borders.iter().enumerate() {
        for piece in rings.iter().flatten() {
            let Beyond::Part(other) = piece.beyond else { continue };
            let (kept, replaced) = (labels[part].min(labels[other]), labels[part].max(labels[other]));
            if kept != replaced && parts[part].zone == parts[other].zone {
                labels.iter_mut().filter(|label| **label == replaced).for_each(|label| *label = kept);
            }
        }
    }
    let mut known: Vec<usize> = labels.clone();
    known.sort_unstable();
    known.dedup();
    labels.iter().map(|label| known.partition_point(|other| other < label)).collect()
}

/// An opening to a reservoir or to none, and its pieces.
type Chain = (Option<usize>, Vec<[Vec2; 2]>);

/// Joins pieces of a ring that follow each other and lead to the same place.
fn chains_of(ring: &[Piece], number: usize, numbers: &[usize]) -> Vec<Chain> {
    let target = |piece: &Piece| match piece.beyond {
        Beyond::Closed => None,
        Beyond::Floor => Some(None),
        Beyond::Part(part) => Some(Some(numbers[part])).filter(|to| *to != Some(number)),
    };
    // A chain begins where the piece before leads elsewhere.
    let count = ring.len();
    let is_first = |place: &usize| target(&ring[*place]) != target(&ring[(place + count - 1) % count]);
    let first = (0..count).find(is_first).unwrap_or(0);
    let mut chains: Vec<Chain> = Vec::new();
    let mut last = None;
    for place in (0..count).map(|place| (first + place) % count) {
        let to = target(&ring[place]);
        match (to, chains.last_mut()) {
            (Some(_), Some((_, pieces))) if last == Some(to) => pieces.push(ring[place].ends),
            (Some(to), _) => chains.push((to, vec![ring[place].ends])),
            (None, _) => {}
        }
        last = Some(to);
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice::from_ref;

    fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
        PlanArea::rectangle(Vec2::new(x0, y0), Vec2::new(x1, y1))
    }

    /// Areas of reservoirs, and of openings the reservoirs on both sides and the width.
    type Facts = (Vec<f64>, Vec<(u32, Option<u32>, f64)>);

    fn facts(floors: &[PlanArea], zones: &[&[PlanArea]]) -> Facts {
        let ground = Ground::new(floors.iter().cloned()).expect("sound");
        let ground = zones.iter().fold(ground, |ground, zone| ground.with_flow(zone.iter().cloned()));
        let (reservoirs, openings) = reservoirs_of(&ground, 0.2);
        let round = |x: f64| (x * 1e6).round() / 1e6;
        let areas = reservoirs.iter().map(|reservoir| round(reservoir.area)).collect();
        (areas, openings.iter().map(|opening| (opening.from, opening.to, round(opening.width))).collect())
    }

    #[test]
    fn openings_are_borders_without_walls() {
        let room = [rectangle(0.0, 0.0, 8.0, 5.0), rectangle(8.0, 2.0, 8.2, 3.0), rectangle(8.2, 0.0, 20.0, 5.0)];
        let door = (vec![40.0], vec![(0, None, 1.0)]);
        assert_eq!(facts(&room, &[&room[..1]]), door);
        assert_eq!(facts(&room, &[&[rectangle(-9.0, -9.0, 8.0, 9.0)]]), door);
        // Strips along walls that no disc fits into are no openings, on either side of a thin wall.
        let (_, openings) = facts(&room, &[&[rectangle(0.1, 0.1, 7.9, 4.9)]]);
        assert_eq!(openings, [(0, None, 1.0)]);
        let (_, openings) = facts(&room, &[&[rectangle(0.0, 0.0, 8.3, 5.0)]]);
        assert_eq!(openings, [(0, None, 1.0)]);
        // A zone within a hall is open all around; with a hole also inwards.
        let hall = [rectangle(0.0, 0.0, 30.0, 20.0)];
        assert_eq!(facts(&hall, &[&[rectangle(5.0, 5.0, 15.0, 9.0)]]), (vec![40.0], vec![(0, None, 28.0)]));
        let mut ring = rectangle(5.0, 5.0, 15.0, 11.0);
        ring.holes = vec![rectangle(7.0, 7.0, 9.0, 9.0).outline];
        assert_eq!(facts(&hall, &[&[ring]]), (vec![56.0], vec![(0, None, 32.0), (0, None, 8.0)]));
        assert_eq!(facts(&hall, &[&hall]), (vec![600.0], vec![]));
    }

    #[test]
    fn reservoirs_are_connected_parts() {
        let corridor = [rectangle(0.0, 0.0, 30.0, 4.0)];
        // Two areas of one zone that touch are one reservoir; two zones are two, open to each other.
        let [left, right] = [rectangle(5.0, 0.0, 10.0, 4.0), rectangle(10.0, 0.0, 20.0, 4.0)];
        let (areas, openings) = facts(&corridor, &[&[left.clone(), right.clone()]]);
        assert_eq!((areas, openings), (vec![60.0], vec![(0, None, 4.0), (0, None, 4.0)]));
        let (areas, mut openings) = facts(&corridor, &[from_ref(&left), &[right]]);
        openings.sort_by_key(|&(from, to, _)| (from, to));
        let wanted = [(0, None, 4.0), (0, Some(1), 4.0), (1, None, 4.0), (1, Some(0), 4.0)];
        assert_eq!((areas, openings), (vec![20.0, 40.0], wanted.to_vec()));
        // The first of zones over each other counts; a part of less than 10 cm² is none.
        let (areas, _) = facts(&corridor, &[from_ref(&left), &[rectangle(5.0, 0.0, 12.0, 4.0)], from_ref(&left)]);
        assert_eq!(areas, [20.0, 8.0]);
        assert!(facts(&corridor, &[&[rectangle(5.0, 1.0, 5.03, 1.03)]]).0.is_empty());
        // A wall makes two parts, a joint of floors none.
        let floors = [rectangle(0.0, 0.0, 9.0, 2.0), rectangle(0.0, 3.0, 9.0, 5.0), rectangle(9.0, 0.0, 12.0, 2.0)];
        let (areas, openings) = facts(&floors, &[&[rectangle(0.0, 0.0, 11.0, 5.0)]]);
        assert_eq!((areas, openings), (vec![22.0, 18.0], vec![(0, None, 2.0)]));
    }

    #[test]
    fn steps_meet_openings_at_their_place() {
        let corridor = Ground::new([rectangle(0.0, 0.0, 30.0, 4.0)]).expect("sound");
        let (_, openings) = reservoirs_of(&corridor.with_flow([rectangle(0.0, 0.0, 10.0, 4.0)]), 0.2);
        let [opening] = &openings[..] else { panic!("one opening: {openings:?}") };
        let step = [Vec2::new(9.0, 1.0), Vec2::new(11.0, 1.0)];
        let (share, point) = opening.left_at(step).expect("out");
        assert!((share - 0.5).abs() < 1e-9 && point.point.distance(Vec2::new(10.0, 1.0)) < 1e-6, "{point:?}");
        assert!((point.outward - Vec2::X).length() < 1e-9 && (point.at - 1.0).abs() < 1e-6, "{point:?}");
        assert!(!opening.is_entered(step) && opening.is_entered([step[1], step[0]]));
        assert!(opening.left_at([step[1], step[0]]).is_none());
        assert_eq!(opening.left_at([step[0], Vec2::new(9.9, 1.0)]), None);
        let there = opening.border_point(1.0).expect("on it");
        assert!(there.point.distance(point.point) < 1e-6 && opening.border_point(4.1).is_none());
        let near = opening.offsets(Vec2::new(10.3, 1.0), 0.5);
        assert!(near.len() == 1 && (near[0].1 - 0.3).abs() < 1e-6 && (near[0].0 - Vec2::X).length() < 1e-6);
        assert!(opening.offsets(Vec2::new(10.6, 1.0), 0.5).is_empty());
    }
}
