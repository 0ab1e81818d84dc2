//! Strips along lines: the area within half a width of a polyline, with round ends.
//!
//! In: a polyline in metres and a width. Out: convex rings that run counter-clockwise; their union is the strip.
//! Method: a rectangle for each segment. Neighbours that turn by less than 30° share the corners of a mitre; at
//! larger turns and at ends there is a regular polygon of [`SIDES`] corners. Guarantees: the strip reaches half a width
//! to both sides of each segment; around turns it is at most 1.7 % of the width too narrow. Cost: O(points).

use heurt_geometry::Vec2;

/// Corners of the polygon around an end: its sides are 0.034 half widths inside the circle.
const SIDES: usize = 12;
/// Cosine of the largest turn that is mitred, of 30°: the corner reaches 3.5 % farther than half the width.
const MITRE_COS: f64 = 0.866;

/// Returns the rings of a strip.
pub(super) fn strip(line: &[Vec2], width: f64) -> Vec<Vec<Vec2>> {
    let radius = 0.5 * width;
    let mut points: Vec<Vec2> = line.to_vec();
    points.dedup();
    let count = points.len();
    let is_closed = count > 3 && points.first() == points.last();
    let side = |k: usize| (points[k + 1] - points[k]).perp().normalize_or_zero() * radius;
    // The shared corner between segment `k - 1` and segment `k`, if they are mitred.
    let mitre = |k: usize| -> Option<Vec2> {
        let before = match k {
            0 if is_closed => count - 2,
            0 => return None,
            _ if k == count - 1 && !is_closed => return None,
            _ => k - 1,
        };
        let after = if k == count - 1 { 0 } else { k };
        let is_long = |k: usize| points[k].distance(points[k + 1]) > radius;
        let (one, two) = (side(before), side(after));
        let cos = one.dot(two) / (radius * radius);
        (cos > MITRE_COS && is_long(before) && is_long(after)).then(|| (one + two) / (1.0 + cos))
    };
    let mut rings = Vec::new();
    for k in 0..count.saturating_sub(1) {
        let [from, to] = [mitre(k), mitre(k + 1)].map(|corner| corner.unwrap_or(side(k)));
        rings.push(vec![points[k] - from, points[k + 1] - to, points[k + 1] + to, points[k] + from]);
        if mitre(k).is_none() {
            rings.push(circle(points[k], radius));
        }
    }
    if count > 1 && !is_closed {
        rings.push(circle(points[count - 1], radius));
    }
    rings
}

/// Returns a regular polygon around a point.
fn circle(centre: Vec2, radius: f64) -> Vec<Vec2> {
    let corner = |number: usize| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * number as f64 / SIDES as f64);
        centre + Vec2::new(cos, sin) * radius
    };
    (0..SIDES).map(corner).collect()
}

/// Returns a square around a point.
pub(super) fn square(centre: Vec2, side: f64) -> Vec<Vec2> {
    let half = 0.5 * side;
    [[-half, -half], [half, -half], [half, half], [-half, half]]
        .map(|corner| centre + Vec2::from_array(corner))
        .to_vec()
}
