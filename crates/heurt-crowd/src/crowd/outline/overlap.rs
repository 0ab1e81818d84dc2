//! Overlaps of bodies: how deep they are in discs, walls and each other.
//!
//! In: polygons, discs, segments. Out: depths in metres. Method: the depth of a disc is exact. The depth of two
//! polygons is the largest distance of a point of one inside the other from its border, over corners and eighths of
//! edges. Guarantees: 0 if and only if they have no inner point in common, but for overlaps without such a point.
//! Cost: O(corners) a disc, O(corners²) a pair.

use crate::form::{Segment, do_meet, signed_distance};
use heurt_geometry::Vec2;

/// Points of an edge that are tried.
const PIECES: u32 = 8;

/// Computes how deep a disc is in a polygon, in metres; negative if it is apart.
pub(in crate::crowd) fn depth_of_disc(corners: &[Vec2], centre: Vec2, radius: f64) -> f64 {
    radius - signed_distance(corners, centre)
}

/// Computes how deep two polygons are in each other, in metres.
pub(in crate::crowd) fn depth_of_polygons(a: &[Vec2], b: &[Vec2]) -> f64 {
    let edges = |corners: &[Vec2]| -> Vec<Segment> {
        (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]]).collect()
    };
    let (first, second) = (edges(a), edges(b));
    let is_in = |corners: &[Vec2], point: Vec2| -signed_distance(corners, point);
    let meet = first.iter().any(|&edge| second.iter().any(|&other| do_meet(edge, other)));
    let pieces = if meet { PIECES } else { 1 };
    let deepest = |edges: &[Segment], other: &[Vec2]| {
        let points =
            edges.iter().flat_map(|&[p, q]| (0..pieces).map(move |k| p.lerp(q, f64::from(k) / f64::from(pieces))));
        points.map(|point| is_in(other, point)).fold(0.0, f64::max)
    };
    deepest(&first, b).max(deepest(&second, a))
}

/// Computes how deep a wall is in a polygon, in metres; the floor is on the left of the wall.
pub(in crate::crowd) fn depth_of_wall(corners: &[Vec2], wall: Segment) -> f64 {
    (0..=PIECES)
        .map(|k| wall[0].lerp(wall[1], f64::from(k) / f64::from(PIECES)))
        .map(|point| -signed_distance(corners, point))
        .fold(0.0, f64::max)
        .max(beyond(corners, wall))
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
        assert_eq!(depth_of_polygons(&square(0.0), &inner), 0.75);
        let wall = |x: f64| [Vec2::new(x, 3.0), Vec2::new(x, -3.0)];
        assert_eq!(depth_of_wall(&square(0.0), wall(-0.5)), 0.0);
        // The floor is to the right, x > 0.25.
        assert_eq!(depth_of_wall(&square(0.0), wall(0.25)), 0.25);
    }
}
