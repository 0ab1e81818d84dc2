//! Segments in plan: whether two meet, and their nearest points.
//!
//! In: ends in metres. Out: yes or no, decided exactly; nearest points, rounded. Cost: O(1).

use crate::ground::nearest_on;
use heurt_geometry::{Sign, Vec2, orient2d};

/// A segment in plan, in metres.
pub(crate) type Segment = [Vec2; 2];

/// Computes the distance along an axis of the boxes of two segments: they are no nearer to each other. Below 0 the
/// boxes overlap.
pub(crate) fn box_gap([a, b]: Segment, [c, d]: Segment) -> f64 {
    (a.min(b) - c.max(d)).max(c.min(d) - a.max(b)).max_element()
}

/// Reports whether two segments have a point in common, decided exactly.
pub(crate) fn do_meet([a, b]: Segment, [c, d]: Segment) -> bool {
    let (c_side, d_side) = (orient2d(a, b, c), orient2d(a, b, d));
    let (a_side, b_side) = (orient2d(c, d, a), orient2d(c, d, b));
    let is_in_box = |p: Vec2, [a, b]: Segment| p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all();
    let touches = |side: Sign, point: Vec2, segment: Segment| side == Sign::Zero && is_in_box(point, segment);
    let is_opposite = |a: Sign, b: Sign| a != Sign::Zero && b != Sign::Zero && a != b;
    is_opposite(c_side, d_side) && is_opposite(a_side, b_side)
        || touches(c_side, c, [a, b])
        || touches(d_side, d, [a, b])
        || touches(a_side, a, [c, d])
        || touches(b_side, b, [c, d])
}

/// Finds the nearest points of two segments, the first on the first. Segments that meet have one point.
pub(crate) fn nearest_points(first: Segment, second: Segment) -> [Vec2; 2] {
    if box_gap(first, second) <= 0.0 && do_meet(first, second) {
        let point = common_point(first, second);
        return [point, point];
    }
    let ends = [
        [first[0], nearest_on(second, first[0])],
        [first[1], nearest_on(second, first[1])],
        [nearest_on(first, second[0]), second[0]],
        [nearest_on(first, second[1]), second[1]],
    ];
    let mut best = ends[0];
    for pair in &ends[1..] {
        if pair[0].distance_squared(pair[1]) < best[0].distance_squared(best[1]) {
            best = *pair;
        }
    }
    best
}

/// Finds the unit vector along which the first segment is furthest beyond the second, and how far, in metres: their
/// distance, up to rounding, if they do not meet, else not above 0. Near each other the normals of the segments are far
/// more accurate than the offset of their nearest points.
pub(crate) fn separation(first: Segment, second: Segment) -> (Vec2, f64) {
    let [p, q] = nearest_points(first, second);
    let across = [first, second].map(|[a, b]| (b - a).normalize_or_zero().perp());
    let candidates = [(p - q).normalize_or_zero(), across[0], -across[0], across[1], -across[1]];
    let gap = |normal: Vec2| {
        let [a, b] = first.map(|end| normal.dot(end - q));
        let [c, d] = second.map(|end| normal.dot(end - q));
        a.min(b) - c.max(d)
    };
    let mut best = (Vec2::ZERO, f64::NEG_INFINITY);
    for normal in candidates.into_iter().filter(|&normal| normal != Vec2::ZERO) {
        let value = gap(normal);
        if value > best.1 {
            best = (normal, value);
        }
    }
    if best.1 == f64::NEG_INFINITY { (Vec2::ZERO, 0.0) } else { best }
}

/// Computes a point of two segments that meet.
fn common_point([a, b]: Segment, [c, d]: Segment) -> Vec2 {
    let (along, other) = (b - a, d - c);
    let across = along.perp_dot(other);
    let share = (c - a).perp_dot(other) / across;
    if share.is_finite() {
        return a + along * share.clamp(0.0, 1.0);
    }
    // Parallel ones that meet have an end in common.
    let on_first = |point: Vec2| nearest_on([a, b], point).distance_squared(point);
    if on_first(c) <= on_first(d) { c } else { d }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    #[test]
    fn nearest_points_are_as_near_as_a_fine_scan() {
        let mut random = SplitMix64::new(11);
        let mut point = || Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let mut meetings = 0;
        for _ in 0..2000 {
            let (first, second) = ([point(), point()], [point(), point()]);
            let [p, q] = nearest_points(first, second);
            let at = |[a, b]: Segment, k: u32| a + (b - a) * (f64::from(k) / 50.0);
            let scan = (0..=50).map(|k| nearest_on(second, at(first, k)).distance(at(first, k)));
            let least = scan.fold(f64::INFINITY, f64::min);
            assert!(p.distance(q) <= least + 1e-12 && p.distance(q) >= least - 0.03);
            assert!(nearest_on(first, p).distance(p) < 1e-12 && nearest_on(second, q).distance(q) < 1e-12);
            assert_eq!(do_meet(first, second), do_meet(second, [first[1], first[0]]));
            let (normal, gap) = separation(first, second);
            match do_meet(first, second) {
                true => assert!(gap <= 1e-15, "{gap}"),
                false => assert!((gap - p.distance(q)).abs() < 1e-12 && (normal.length() - 1.0).abs() < 1e-12),
            }
            meetings += u32::from(do_meet(first, second));
        }
        assert!(meetings > 200, "{meetings}");
        // A corner a picometre over a wall: the offset of its nearest point has hardly a correct digit.
        let wall = [Vec2::new(35.9, 7.0), Vec2::new(36.1, 19.0)];
        let along = (wall[1] - wall[0]).normalize();
        let corner = wall[0].lerp(wall[1], 0.3) + 1e-12 * along.perp();
        let (normal, _) = separation([corner, corner + along.perp() + along], wall);
        assert!((normal - along.perp()).length() < 1e-15);
        let [o, x, y] = [Vec2::ZERO, Vec2::X, Vec2::Y];
        for (first, second, meet) in [
            ([o, x], [x, x + y], true),
            ([o, x], [2.0 * x, 3.0 * x], false),
            ([o, 2.0 * x], [x, 3.0 * x], true),
            ([o, o], [o, x], true),
            ([y, y], [o, x], false),
            ([o, x], [y, x + y], false),
        ] {
            assert_eq!(do_meet(first, second), meet, "{first:?} {second:?}");
            let [p, q] = nearest_points(first, second);
            assert_eq!(p.distance(q) == 0.0, meet);
        }
    }
}
