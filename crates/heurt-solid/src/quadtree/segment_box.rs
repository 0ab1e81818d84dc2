//! Exact overlap test of a closed segment and a closed axis-aligned box in the plane.
//!
//! In: `f64` corners. Out: whether the two share a point.
//! Method: separating axes: the axes of the box, and the line of the segment, for which the extreme corners of the box
//! have exact sides (`orient2d`).
//! Guarantees: exact for all finite coordinates, segments of one point and boxes without area included.
//! Cost: at most 2 determinants.

use heurt_geometry::{Sign, Vec2, orient2d};

/// Reports whether the closed segment and the closed box share a point, exactly.
///
/// ```
/// use heurt_geometry::Vec2;
/// use heurt_solid::segment_meets_box;
/// let unit = [Vec2::ZERO, Vec2::ONE];
/// assert!(segment_meets_box([Vec2::new(2.0, 0.0), Vec2::new(0.0, 2.0)], unit), "only the corner (1, 1) touches");
/// assert!(!segment_meets_box([Vec2::new(2.0f64.next_up(), 0.0), Vec2::new(0.0, 2.0)], unit));
/// ```
pub fn segment_meets_box([a, b]: [Vec2; 2], [min, max]: [Vec2; 2]) -> bool {
    if !(a.min(b).cmple(max).all() && min.cmple(a.max(b)).all()) {
        return false;
    }
    // The determinant of a, b, p grows with p.y as b.x − a.x, and with p.x as a.y − b.y.
    let (right, up) = (a.y > b.y, b.x > a.x);
    let pick = |right: bool, up: bool| Vec2::new(if right { max.x } else { min.x }, if up { max.y } else { min.y });
    orient2d(a, b, pick(right, up)) != Sign::Negative && orient2d(a, b, pick(!right, !up)) != Sign::Positive
}
