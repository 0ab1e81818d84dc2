//! Validity of polygons: rings against themselves and against each other.
//!
//! In: polygons in metres, as read. Out: the first fault, with its rings and its point.
//! Method: edges are sorted by their lowest x; each is compared with edges whose range of x begins inside its own, and
//! whose range of y overlaps. Pairs meet or not by the exact signs of `orient2d`. Without a contact of edges, one
//! corner decides whether a hole is inside. Holes may touch each other, as pieces of an obstacle do.
//! Guarantees: a fault is found exactly if there is one; its point is rounded.
//! Cost: O(n log n + k) for n edges and k pairs whose ranges of x overlap: O(n²) if all edges lie over each other.

use super::fault::{PlanError, RingName};
use heurt_geometry::{PlanArea, Sign, Vec2, orient2d};

/// An edge of a ring: its ends, the number of its ring, and its number in the ring of `count` edges.
#[derive(Clone, Copy)]
struct RingEdge {
    ends: [Vec2; 2],
    ring: usize,
    number: usize,
    count: usize,
}

/// The contact of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EdgeContact {
    /// They cross inside both.
    Cross(Vec2),
    /// An end of one lies on the second one, or they overlap.
    Touch(Vec2),
}

/// Checks the rings of a polygon with the given number, counted from 1; returns whether holes touch each other.
pub(super) fn check_area(area: &PlanArea, polygon: usize) -> Result<bool, PlanError> {
    let name = |hole| RingName { polygon, hole };
    let edges = sorted_edges(area.rings());
    let mut found = None;
    let mut touching = vec![false; area.holes.len() + 1];
    for_each_contact(&edges, |a, b, contact| {
        if a.ring.min(b.ring) > 0 && a.ring != b.ring && matches!(contact, EdgeContact::Touch(_)) {
            touching[a.ring] = true;
            touching[b.ring] = true;
            return true;
        }
        found = Some((a.ring.max(b.ring), a.ring.min(b.ring), contact));
        false
    });
    match found {
        Some((ring, with, EdgeContact::Cross(at))) if ring == with => {
            return Err(PlanError::CrossesItself { ring: name(ring), at });
        }
        Some((ring, with, EdgeContact::Touch(at))) if ring == with => {
            return Err(PlanError::TouchesItself { ring: name(ring), at });
        }
        Some((ring, with, EdgeContact::Cross(at))) => {
            return Err(PlanError::RingsCross { ring: name(ring), with: name(with), at });
        }
        Some((ring, with, EdgeContact::Touch(at))) => {
            return Err(PlanError::RingsTouch { ring: name(ring), with: name(with), at });
        }
        None => {}
    }
    check_nesting(area, &touching, name)?;
    Ok(touching.contains(&true))
}

/// Checks that each hole lies inside the outline and in no hole, if no edges cross. Holes that touch count as one.
fn check_nesting(area: &PlanArea, touching: &[bool], name: impl Fn(usize) -> RingName) -> Result<(), PlanError> {
    let ring_area = |outline: &[Vec2]| PlanArea { outline: outline.to_vec(), holes: Vec::new() };
    let outline = ring_area(&area.outline);
    let holes: Vec<_> = area.holes.iter().map(|hole| ring_area(hole)).collect();
    let boxes: Vec<_> = holes.iter().map(PlanArea::bounds).collect();
    for (number, hole) in area.holes.iter().enumerate() {
        let at = hole[0];
        if !outline.contains(at) {
            return Err(PlanError::HoleOutside { ring: name(number + 1), at });
        }
        if touching[number + 1] {
            continue;
        }
        for (around, [low, high]) in boxes.iter().enumerate() {
            let is_near = at.cmpge(*low).all() && at.cmple(*high).all();
            if around != number && is_near && holes[around].contains(at) {
                return Err(PlanError::HoleInHole { ring: name(number + 1), within: name(around + 1), at });
            }
        }
    }
    Ok(())
}

/// Reports whether two edges of the areas cross. Areas may touch each other and themselves.
pub(super) fn have_crossing(areas: &[PlanArea]) -> bool {
    let edges = sorted_edges(areas.iter().flat_map(PlanArea::rings));
    let mut is_crossed = false;
    for_each_contact(&edges, |_, _, contact| {
        is_crossed = matches!(contact, EdgeContact::Cross(_));
        !is_crossed
    });
    is_crossed
}

/// Finds a point where two edges of a ring cross, else one where the ring touches itself.
pub(super) fn find_self_contact(ring: &[Vec2]) -> Option<EdgeContact> {
    let mut found = None;
    for_each_contact(&sorted_edges(std::iter::once(ring)), |_, _, contact| {
        let is_cross = matches!(contact, EdgeContact::Cross(_));
        if is_cross || found.is_none() {
            found = Some(contact);
        }
        !is_cross
    });
    found
}

/// Calls `visit` with two lines and a point in which they cross, or in which a corner of one lies on the second one;
/// several times for lines that meet several times. Lines are open: their last point is not joined to the first.
pub(super) fn for_each_crossing(lines: &[Vec<Vec2>], mut visit: impl FnMut(usize, usize, Vec2)) {
    let mut edges = Vec::new();
    for (ring, line) in lines.iter().enumerate() {
        let edge = |(number, ends): (usize, &[Vec2])| RingEdge {
            ends: [ends[0], ends[1]],
            ring,
            number,
            // More than there are: the last edge has no successor.
            count: usize::MAX,
        };
        edges.extend(line.windows(2).enumerate().map(edge));
    }
    sort_edges(&mut edges);
    for_each_contact(&edges, |a, b, contact| {
        let (EdgeContact::Cross(at) | EdgeContact::Touch(at)) = contact;
        if a.ring != b.ring {
            visit(a.ring, b.ring, at);
        }
        true
    });
}

/// Collects the edges of rings, sorted by their lowest x.
fn sorted_edges<'a>(rings: impl Iterator<Item = &'a [Vec2]>) -> Vec<RingEdge> {
    let mut edges = Vec::new();
    for (ring, corners) in rings.enumerate() {
        let count = corners.len();
        edges.extend((0..count).map(|number| {
            let ends = [corners[number], corners[(number + 1) % count]];
            RingEdge { ends, ring, number, count }
        }));
    }
    sort_edges(&mut edges);
    edges
}

fn sort_edges(edges: &mut [RingEdge]) {
    edges.sort_by(|a, b| lowest(a).total_cmp(&lowest(b)).then((a.ring, a.number).cmp(&(b.ring, b.number))));
}

fn lowest(edge: &RingEdge) -> f64 {
    edge.ends[0].x.min(edge.ends[1].x)
}

/// Calls `visit` for each contact of two edges until it returns false. Neighbours that share an end meet only if they
/// overlap.
fn for_each_contact(edges: &[RingEdge], mut visit: impl FnMut(&RingEdge, &RingEdge, EdgeContact) -> bool) {
    for (place, a) in edges.iter().enumerate() {
        let high = a.ends[0].max(a.ends[1]);
        let low_y = a.ends[0].y.min(a.ends[1].y);
        for b in edges[place + 1..].iter().take_while(|b| lowest(b) <= high.x) {
            if b.ends[0].y.min(b.ends[1].y) > high.y || b.ends[0].y.max(b.ends[1].y) < low_y {
                continue;
            }
            let contact = match shared_end(a, b) {
                Some([before, at, after]) => spike(before, at, after),
                None => edge_contact(a.ends, b.ends),
            };
            if contact.is_some_and(|contact| !visit(a, b, contact)) {
                return;
            }
        }
    }
}

/// Returns the three corners of two edges that follow each other in a ring.
fn shared_end(a: &RingEdge, b: &RingEdge) -> Option<[Vec2; 3]> {
    if a.ring != b.ring {
        None
    } else if (a.number + 1) % a.count == b.number {
        Some([a.ends[0], a.ends[1], b.ends[1]])
    } else if (b.number + 1) % b.count == a.number {
        Some([b.ends[0], b.ends[1], a.ends[1]])
    } else {
        None
    }
}

/// Finds the contact of an edge that runs back along the edge before it.
fn spike(before: Vec2, at: Vec2, after: Vec2) -> Option<EdgeContact> {
    let is_back = orient2d(before, at, after).is_zero() && (before - at).dot(after - at) > 0.0;
    is_back.then_some(EdgeContact::Touch(at))
}

/// Finds the contact of two edges.
fn edge_contact([a, b]: [Vec2; 2], [c, d]: [Vec2; 2]) -> Option<EdgeContact> {
    let sides = [orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b)];
    let is_between = |p: Vec2, from: Vec2, to: Vec2| p.cmpge(from.min(to)).all() && p.cmple(from.max(to)).all();
    let ends = [(c, a, b), (d, a, b), (a, c, d), (b, c, d)];
    let touching = sides.iter().zip(ends).find(|&(side, (p, from, to))| side.is_zero() && is_between(p, from, to));
    if let Some((_, (at, _, _))) = touching {
        return Some(EdgeContact::Touch(at));
    }
    let differ = |one: Sign, two: Sign| !one.is_zero() && !two.is_zero() && one != two;
    if !(differ(sides[0], sides[1]) && differ(sides[2], sides[3])) {
        return None;
    }
    let [along, across] = [b - a, d - c];
    let share = (c - a).perp_dot(across) / along.perp_dot(across);
    Some(EdgeContact::Cross(a + along * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }))
}
