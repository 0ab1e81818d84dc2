//! Polygons of convex arcs to a bound of the distance.
//!
//! In: a function from a parameter to a point and the direction of its normal, and a tolerance in metres. Out: points
//! of the arc.
//! Method: an arc that is convex and turns by at most a quarter turn lies in the triangle of its chord, of length L,
//! and the tangents at its ends. With the angles α and β between chord and tangents the triangle has the height
//! L sin α sin β / sin(α + β). The parameter is halved until all heights are at most the tolerance.
//! Guarantees: the distance of arc and polygon is at most the largest height, in both directions: each line across the
//! chord meets the arc within the triangle.
//! Cost: O(points).

use super::CurveError;
use heurt_geometry::Vec2;

/// The largest number of corners of a polygon.
const MAX_CORNERS: usize = 1 << 22;

/// A point of an arc and the direction of its normal, of any length but 0.
pub(super) type ArcPoint = (Vec2, Vec2);

/// Appends the points of an arc from `low` to `high` to `points`, without the last.
pub(super) fn flatten(
    arc: impl Fn(f64) -> ArcPoint,
    [low, high]: [f64; 2],
    tolerance: f64,
    points: &mut Vec<Vec2>,
) -> Result<(), CurveError> {
    let mut start = (low, arc(low));
    let mut ends = vec![(high, arc(high))];
    while let Some(&end) = ends.last() {
        let middle = start.0 + (end.0 - start.0) * 0.5;
        let is_divisible = (middle - start.0) * (end.0 - middle) != 0.0;
        if is_divisible && height(start.1, end.1) > tolerance {
            if points.len() + ends.len() > MAX_CORNERS {
                return Err(CurveError::TooManyCorners { tolerance, max: MAX_CORNERS });
            }
            ends.push((middle, arc(middle)));
        } else {
            if points.last() != Some(&start.1.0) {
                points.push(start.1.0);
            }
            start = end;
            ends.pop();
        }
    }
    Ok(())
}

/// Computes the height of the triangle of a chord and the tangents at its ends.
fn height((a, normal_a): ArcPoint, (b, normal_b): ArcPoint) -> f64 {
    let chord = b - a;
    let length = chord.length();
    if length == 0.0 {
        return 0.0;
    }
    let direction = chord / length;
    let angle = |normal: Vec2| {
        let normal = normal / normal.length();
        (normal.dot(direction).abs(), normal.perp_dot(direction).abs())
    };
    let ((sin_a, cos_a), (sin_b, cos_b)) = (angle(normal_a), angle(normal_b));
    let sum = sin_a * cos_b + cos_a * sin_b;
    if sum == 0.0 { 0.0 } else { length * sin_a * sin_b / sum }
}
