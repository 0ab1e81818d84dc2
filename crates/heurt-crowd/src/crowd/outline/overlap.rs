//! Overlaps of bodies: how deep they are in discs, walls and each other.
//!
//! In: polygons, discs, segments. Out: depths in metres. Method: the depth of a disc is exact. The depth of two
//! polygons is the largest distance of a point inside both from the border of one, over inner points and the points at
//! eighths of the pieces into which edges are cut by their partner. Guarantees: it is above 0 for polygons that share
//! more than their borders, up to rounding. Not guaranteed: points between those tried may be deeper.
//! Cost: O(corners) a disc, O(corners²) a pair, O(corners³) for each edge that is cut.

use crate::form::{Segment, do_meet, signed_distance};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Points of a piece that are tried.
const POINTS: u32 = 8;

/// Computes how deep a disc is in a polygon, in metres; negative if they do not touch.
pub(in crate::crowd) fn depth_of_disc(corners: &[Vec2], centre: Vec2, radius: f64) -> f64 {
    radius - signed_distance(corners, centre)
}

/// Computes how deep two polygons are in each other, in metres.
pub(crate) fn depth_of_polygons(a: &[Vec2], b: &[Vec2]) -> f64 {
    let of_edges = edges_of(a).map(|edge| depth_of_segment(b, edge));
    let of_others = edges_of(b).map(|edge| depth_of_segment(a, edge));
    // Polygons in one place have no corner in each other.
    let of_insides = [-signed_distance(b, inner_point(a)), -signed_distance(a, inner_point(b))];
    of_edges.chain(of_others).chain(of_insides).fold(0.0, f64::max)
}

/// Finds a point in a polygon: in the triangle of one of its corners.
fn inner_point(corners: &[Vec2]) -> Vec2 {
    let count = corners.len();
    let middle = |k: usize| (corners[k] + corners[(k + 1) % count] + corners[(k + 2) % count]) / 3.0;
    (0..count).map(middle).find(|&point| signed_distance(corners, point) < 0.0).unwrap_or(corners[0])
}

fn edges_of(corners: &[Vec2]) -> impl Iterator<Item = Segment> {
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
}

/// Computes how deep a segment is in a polygon, in metres.
fn depth_of_segment(corners: &[Vec2], [a, b]: Segment) -> f64 {
    let cut = |[c, d]: Segment| (c - a).perp_dot(d - c) / (b - a).perp_dot(d - c);
    let meeting: SmallVec<[f64; 4]> = edges_of(corners).filter(|&edge| do_meet(edge, [a, b])).map(cut).collect();
    // A segment that meets no edge is in the polygon or outside of it as a whole.
    let points = if meeting.is_empty() { 1 } else { POINTS };
    let mut cuts: SmallVec<[f64; 4]> =
        meeting.into_iter().filter(|share| *share > 0.0 && *share < 1.0).chain([0.0, 1.0]).collect();
    cuts.sort_by(f64::total_cmp);
    let pieces = cuts.windows(2).flat_map(|ends| {
        let [from, to] = [ends[0], ends[1]];
        (0..=points).map(move |k| from + (to - from) * (f64::from(k) / f64::from(points)))
    });
    pieces.map(|share| -signed_distance(corners, a.lerp(b, share))).fold(0.0, f64::max)
}

/// Computes how deep a wall is in a polygon, in metres; the floor is on the left of the wall.
pub(crate) fn depth_of_wall(corners: &[Vec2], wall: Segment) -> f64 {
    depth_of_segment(corners, wall).max(beyond(corners, wall))
}

/// Computes how far corners of edges that cross a wall are beyond it.
fn beyond(corners: &[Vec2], [a, b]: Segment) -> f64 {
    let right = -(b - a).normalize_or_zero().perp();
    let edges = (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]]);
    let crossing = edges.filter(|&edge| do_meet(edge, [a, b]));
    let depth = |edge: Segment| edge.map(|end| right.dot(end - a)).into_iter().fold(0.0, f64::max);
    crossing.map(depth).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_those_of_a_square() {
        let square = |at: f64| [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]].map(|[x, y]| Vec2::new(x + at, y));
        assert_eq!(depth_of_disc(&square(0.0), Vec2::new(-0.5, 1.0), 0.75), 0.25);
        assert_eq!(depth_of_disc(&square(0.0), Vec2::new(1.0, 1.0), 0.5), 1.5);
        assert_eq!(depth_of_polygons(&square(0.0), &square(2.5)), 0.0);
        // Side by side along a whole edge, 0.25 m deep.
        assert_eq!(depth_of_polygons(&square(0.0), &square(1.75)), 0.25);
        let inner = square(0.0).map(|corner| Vec2::new(0.75, 0.75) + 0.25 * corner);
        // Its corners are 0.75 m deep, and its inside deeper.
        assert!((0.75..1.0).contains(&depth_of_polygons(&square(0.0), &inner)));
        assert!(depth_of_polygons(&square(0.0), &square(0.0)) > 0.5);
        // Two planks that cross like an X have no corner in each other.
        let plank = [[-4.0, -0.15], [4.0, -0.15], [4.0, 0.15], [-4.0, 0.15]].map(Vec2::from_array);
        let across = plank.map(|corner| Vec2::from_angle(0.7).rotate(corner) + Vec2::new(0.37, 0.0));
        assert!((depth_of_polygons(&plank, &across) - 0.15).abs() < 0.02);
        let wall = |x: f64| [Vec2::new(x, 3.0), Vec2::new(x, -3.0)];
        assert_eq!(depth_of_wall(&square(0.0), wall(-0.5)), 0.0);
        // The floor is to the right, x > 0.25.
        assert_eq!(depth_of_wall(&square(0.0), wall(0.25)), 0.25);
    }
}
