//! The point of a triangle nearest to a given one, in `f64`.
//!
//! Method: Ericson's regions for the inside, and each edge on its own beside it: the edges are exact to a few ulp whatever
//! the shape of the triangle, so that needles and degenerate triangles cost accuracy only where it cannot be seen.

use heurt_geometry::{Triangle, Vec3};

/// The nearest point of the closed triangle to `p`.
pub(crate) fn closest_on_triangle(p: Vec3, t: &Triangle) -> Vec3 {
    let [a, b, c] = *t;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    let area_sq = normal.length_squared();
    // Barycentric weights of the foot of the perpendicular, times `area_sq`.
    let v = normal.dot(ap.cross(ac));
    let w = normal.dot(ab.cross(ap));
    if v > 0.0 && w > 0.0 && v + w < area_sq && area_sq.is_normal() {
        let foot = p - normal * (normal.dot(ap) / area_sq);
        if foot.is_finite() {
            return foot;
        }
    }
    let feet = [foot_on_segment(p, a, b), foot_on_segment(p, b, c), foot_on_segment(p, c, a)];
    let nearer = |x: Vec3, y: Vec3| if (y - p).length_squared() < (x - p).length_squared() { y } else { x };
    nearer(nearer(feet[0], feet[1]), feet[2])
}

/// The nearest point of the closed segment to `p`, measured from the nearer end.
fn foot_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let along = b - a;
    let length_sq = along.length_squared();
    let share = (p - a).dot(along) / length_sq;
    if share > 0.0 && share <= 0.5 {
        a + along * share
    } else if share > 0.5 && share < 1.0 {
        b - along * ((b - p).dot(along) / length_sq)
    } else if share >= 1.0 {
        b
    } else {
        a
    }
}
