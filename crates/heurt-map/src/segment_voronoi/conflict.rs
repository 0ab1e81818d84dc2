//! Vertices and arcs of the diagram against a new segment.
//!
//! In: the dual graph, a segment whose ends are sites. Out: whether a vertex vanishes; the place of an arc that stays
//! although both ends vanish.
//! Method: a vertex vanishes if its foot lies inside the segment and the segment is nearer than its sites. Next to an
//! end that has segments, the side of these decides, by `orient2d` of the input. Along an arc the difference of the two
//! distances has one minimum for each side of the segment, in closed form.
//! Guarantees: the order of segments around a shared end is exact. Not guaranteed: all else is rounded. Cost: O(1).

use super::curve::ArcCurve;
use super::graph::DualGraph;
use super::site::{Site, Wall, is_own_end};
use heurt_geometry::{Sign, Vec2, orient2d};

impl DualGraph {
    /// Reports whether the vertex of a triangle is nearer to the segment than to its sites.
    pub(super) fn vanishes(&self, triangle: u32, wall: &Wall, slack: f64) -> bool {
        if triangle == self.outer {
            return false;
        }
        let corners = self.corners(triangle);
        let mut is_decided = false;
        for k in (0..3).filter(|&k| wall.has_end(corners[k])) {
            let (end, ahead, behind) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
            let [_, tip] = wall.ends_from(end);
            for (neighbour, wanted) in [(ahead, Sign::Positive), (behind, Sign::Negative)] {
                let Site::Segment(other) = &self.sites[neighbour as usize] else { continue };
                if !other.has_end(end) {
                    continue;
                }
                let [from, to] = other.ends_from(end);
                if orient2d(from, to, tip) != wanted {
                    return false;
                }
                is_decided = true;
            }
        }
        if is_decided {
            return true;
        }
        let vertex = &self.vertices[triangle as usize];
        let along = wall.along(vertex.at);
        let is_in_front = along > 0.0 && wall.direction.dot(wall.stop - vertex.at) > 0.0;
        if corners.iter().any(|&corner| wall.has_end(corner)) {
            return is_in_front;
        }
        is_in_front && wall.side(vertex.at).abs() < vertex.clearance * (1.0 + slack)
    }

    /// Finds a parameter of an arc at which the segment is not nearer, given that both ends vanish.
    pub(super) fn free_part(&self, half_edge: u32, wall: &Wall) -> Option<f64> {
        let [p, q] = self.arc_sites(half_edge);
        let (first, second) = (&self.sites[p as usize], &self.sites[q as usize]);
        let is_own = is_own_end(&self.sites, p, q);
        let touched = [p, q].into_iter().find(|&site| wall.has_end(site));
        let focus = match (first, second) {
            (Site::Point(at), _) | (_, Site::Point(at)) => *at,
            // The clearance is linear, the distance convex: both ends decide.
            (Site::Segment(_), Site::Segment(_)) => return None,
        };
        if is_own && touched.is_some() {
            return None;
        }
        let curve = self.curve(half_edge);
        if let Some(end) = touched {
            return free_in_front(&curve, wall, end);
        }
        let candidates: [f64; 2] = match curve {
            ArcCurve::Line { ends: [from, to] } => {
                let (offset, along) = (from - focus, to - from);
                let (side, slope) = (wall.side(from), wall.direction.perp_dot(along));
                let at = (side * slope - offset.dot(along)) / (along.length_squared() - slope * slope);
                [at, f64::NAN]
            }
            ArcCurve::Parabola { axis, normal, height, .. } => {
                let (flat, steep) = (wall.direction.perp_dot(axis), wall.direction.perp_dot(normal));
                [1.0, -1.0].map(|sign: f64| -sign * flat * height / (1.0 + sign * steep))
            }
        };
        let [low, high] = curve.sorted_range();
        let excess = |at: f64| {
            let point = curve.at(at);
            let nearer = (point - focus).length() - wall.side(point).abs();
            wall.ends.into_iter().fold(nearer, |least, end| least.min(in_front(wall, end, point)))
        };
        let turns = wall.ends.into_iter().filter_map(|end| turning(&curve, wall, end));
        let inside = candidates.into_iter().chain(turns).filter(|&at| at > low && at < high);
        let lowest = inside.map(|at| (excess(at), at)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        (lowest.0 <= 0.0).then_some(lowest.1)
    }
}

/// Finds the parameter of an arc of an end of the segment at which the arc is behind this end.
fn free_in_front(curve: &ArcCurve, wall: &Wall, end: u32) -> Option<f64> {
    turning(curve, wall, end).filter(|&at| in_front(wall, end, curve.at(at)) <= 0.0)
}

/// Finds the parameter inside a parabola at which the place along the segment has an extremum.
pub(super) fn turning(curve: &ArcCurve, wall: &Wall, end: u32) -> Option<f64> {
    let ArcCurve::Parabola { axis, normal, height, .. } = *curve else { return None };
    let direction = outward(wall, end);
    let at = -direction.dot(axis) * height / direction.dot(normal);
    let [low, high] = curve.sorted_range();
    (at > low && at < high).then_some(at)
}

/// The direction of a segment from one of its ends.
fn outward(wall: &Wall, end: u32) -> Vec2 {
    if wall.ends[0] == end { wall.direction } else { -wall.direction }
}

/// Distance of a point in front of an end, along the segment.
pub(super) fn in_front(wall: &Wall, end: u32, point: Vec2) -> f64 {
    let [from, _] = wall.ends_from(end);
    outward(wall, end).dot(point - from)
}
