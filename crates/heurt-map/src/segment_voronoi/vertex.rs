//! Vertices of the diagram: points at equal distance from three sites.
//!
//! In: three points; or an arc of two sites and a third site. Out: position and clearance.
//! Method: on an arc one end is nearer to the third site and one is not, so that a root lies between (regula falsi,
//! Illinois, with bisection). Newton's method on the three distances then removes the rounding of the arc.
//! Guarantees: a position on the arc under any rounding; at most 80 + 3 steps. Not guaranteed: accuracy where two
//! arcs meet at a small angle; there the position slides along both, and the three distances still agree.
//! Cost: O(1).

use super::conflict::{in_front, turning};
use super::graph::DualGraph;
use super::site::{Site, Wall, is_own_end};
use heurt_geometry::Vec2;

/// Position and clearance in the local frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct ClearVertex {
    pub(super) at: Vec2,
    pub(super) clearance: f64,
}

/// The centre of the circle through three points.
pub(super) fn of_points(sites: &[Site], corners: [u32; 3]) -> ClearVertex {
    let [a, b, c] = corners.map(|corner| sites[corner as usize].foot(Vec2::ZERO));
    let (u, v) = (b - a, c - a);
    let twice = 2.0 * u.perp_dot(v);
    let (uu, vv) = (u.length_squared(), v.length_squared());
    let at = a + Vec2::new(v.y * uu - u.y * vv, u.x * vv - v.x * uu) / twice;
    let at = if at.is_finite() { at } else { (a + b + c) / 3.0 };
    finish(sites, corners, at)
}

/// The vertex at which a half-edge's arc leaves the region of a new segment.
pub(super) fn on_arc(graph: &DualGraph, half_edge: u32, site: u32, wall: &Wall) -> ClearVertex {
    let sites = &graph.sites;
    let [p, q] = graph.arc_sites(half_edge);
    let back = graph.twin[half_edge as usize];
    let touched = [p, q].into_iter().find(|&corner| wall.has_end(corner));
    let other = match (&sites[p as usize], &sites[q as usize]) {
        (Site::Segment(first), Site::Segment(second)) => first.shared_end(second),
        _ => None,
    };
    if let (true, Some(end)) = (is_own_end(sites, p, q), touched) {
        let [at, _] = wall.ends_from(end);
        return ClearVertex { at, clearance: 0.0 };
    }
    if other.is_some_and(|end| wall.has_end(end)) {
        // Both segments and the new one share an end. The region reaches to the end of the arc.
        return graph.vertices[(if back / 3 == graph.outer { half_edge } else { back } / 3) as usize];
    }
    let curve = graph.curve(half_edge);
    let [from, to] = curve.range();
    let excess = |parameter: f64| {
        let point = curve.at(parameter);
        match touched {
            Some(end) => in_front(wall, end, point),
            // Beyond an end the segment is no nearer than the end; there the place along it decides.
            None => {
                let nearer = distance(sites, [p, q], point) - wall.side(point).abs();
                nearer.min(in_front(wall, wall.ends[0], point)).min(in_front(wall, wall.ends[1], point))
            }
        }
    };
    // An end at the limit of the region may have the wrong sign: a place between that has the right sign replaces it.
    let turning = touched.and_then(|end| turning(&curve, wall, end));
    let from = turning.filter(|&at| excess(from) <= 0.0 && excess(at) > 0.0).unwrap_or(from);
    let end = if graph.was_removed(back / 3) { 0.5 * (from + to) } else { to };
    let to = graph.free_part(half_edge, wall).unwrap_or(end);
    let at = curve.at(root(from, to, excess));
    finish(sites, [p, q, site], at)
}

/// Distance from the two sites of an arc: from the point, if one is a point.
fn distance(sites: &[Site], pair: [u32; 2], point: Vec2) -> f64 {
    let [first, second] = pair.map(|site| &sites[site as usize]);
    match (first, second) {
        (Site::Segment(_), Site::Point(_)) => second.line_distance(point),
        _ => first.line_distance(point),
    }
}

/// Finds a sign change between a parameter with a positive value and a parameter with a negative value.
fn root(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b, mut fa, mut fb) = (from, to, value(from), value(to));
    if fa.is_nan() || fa <= 0.0 {
        return from;
    }
    if fb.is_nan() || fb >= 0.0 {
        return to;
    }
    for step in 0..80 {
        let secant = a + (b - a) * (fa / (fa - fb));
        let middle = if step % 8 == 7 || !(secant.min(a.max(b)) == secant && secant >= a.min(b)) {
            0.5 * (a + b)
        } else {
            secant
        };
        if middle == a || middle == b {
            return middle;
        }
        let here = value(middle);
        if here == 0.0 {
            return middle;
        }
        if here > 0.0 {
            (a, fa) = (middle, here);
            fb *= 0.5;
        } else {
            (b, fb) = (middle, here);
            fa *= 0.5;
        }
    }
    0.5 * (a + b)
}

/// Improves a position, and measures its clearance: the least distance to the three sites.
fn finish(sites: &[Site], corners: [u32; 3], at: Vec2) -> ClearVertex {
    let distances = |point: Vec2| corners.map(|corner| sites[corner as usize].distance(point));
    let spread = |[a, b, c]: [f64; 3]| a.max(b).max(c) - a.min(b).min(c);
    let (mut at, mut known) = (at, distances(at));
    for _ in 0..3 {
        let Some(step) = newton_step(sites, corners, at) else { break };
        let moved = at + step;
        let there = distances(moved);
        let is_near = step.length() <= 1e-3 * known[0].max(known[1]);
        if !is_near || spread(there).is_nan() || spread(there) >= spread(known) {
            break;
        }
        (at, known) = (moved, there);
    }
    ClearVertex { at, clearance: known[0].min(known[1]).min(known[2]) }
}

/// The step after which the three distances agree, to first order.
fn newton_step(sites: &[Site], corners: [u32; 3], at: Vec2) -> Option<Vec2> {
    let gradient = |k: usize| match &sites[corners[k] as usize] {
        Site::Point(point) => {
            let offset = at - *point;
            (offset.length(), offset / offset.length())
        }
        Site::Segment(wall) => {
            let side = wall.side(at);
            (side.abs(), if side < 0.0 { -wall.normal() } else { wall.normal() })
        }
    };
    let equation = |i: usize, j: usize| {
        if is_own_end(sites, corners[i], corners[j]) {
            // Both distances agree on the perpendicular at the end.
            let (wall, end) = match (&sites[corners[i] as usize], &sites[corners[j] as usize]) {
                (Site::Segment(wall), _) => (wall, corners[j]),
                (_, Site::Segment(wall)) => (wall, corners[i]),
                _ => return (Vec2::ZERO, 0.0),
            };
            let [from, _] = wall.ends_from(end);
            return (wall.direction, -wall.direction.dot(at - from));
        }
        let ((d, u), (e, v)) = (gradient(i), gradient(j));
        (v - u, d - e)
    };
    // The pair of a segment and its end has to be one of the two equations.
    let last = if is_own_end(sites, corners[1], corners[2]) { 1 } else { 0 };
    let ((u, c), (v, d)) = (equation(0, 1), equation(last, 2));
    let determinant = u.perp_dot(v);
    let step = Vec2::new(c * v.y - d * u.y, u.x * d - v.x * c) / determinant;
    (determinant != 0.0 && step.is_finite()).then_some(step)
}
