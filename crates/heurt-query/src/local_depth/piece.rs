//! Pieces of a placed triangle: convex polygons, cut where another facet becomes the nearest.
//!
//! In: a polygon whose corners know their nearest facets. Out: two polygons that together cover it.
//! Method: `cut` divides a polygon along a line through two points of its outline at which a function of the place
//! changes its sign: the difference of the distances from two facets, the distance from one less a limit, or a
//! coordinate.
//! Guarantees: both pieces together cover the polygon, up to rounding, for any function.

use heurt_geometry::{Triangle, Vec3};
use smallvec::SmallVec;

/// A corner of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    /// The place, in the world frame.
    pub at: Vec3,
    /// A facet of the opposite boundary: the nearest one, or one so near that a nearer one does not matter.
    pub nearest: u32,
    /// Its distance, in metres; of one that is not the nearest, an upper bound of the distance of the boundary. Only
    /// corners with exact distances are ever known to be outside.
    pub distance: f64,
    /// Whether the corner lies in the opposite solid, if that was decided.
    pub is_inside: Option<bool>,
}

/// Corners of a convex polygon, in order.
pub(super) type Polygon = SmallVec<[Corner; 8]>;

/// Share of the size of a polygon below which two corners are one.
const SAME_PLACE: f64 = 1e-10;
/// Steps of a search for the root of a function along an edge: each gains two digits or more where a facet changes.
const MAX_STEPS: usize = 6;

/// Returns a point of a facet that is nearest to a point, up to rounding that may be large for a needle; it is a point
/// of the facet all the same, which is what an upper bound of a distance needs.
pub(super) fn foot_on(point: Vec3, [a, b, c]: &Triangle) -> Vec3 {
    let (ab, ac, ap) = (*b - *a, *c - *a, point - *a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = point - *b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return *a + ab * (d1 / (d1 - d3)).clamp(0.0, 1.0);
    }
    let cp = point - *c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return *a + ac * (d2 / (d2 - d6)).clamp(0.0, 1.0);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return *b + (*c - *b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))).clamp(0.0, 1.0);
    }
    let (v, w) = (vb / (va + vb + vc), vc / (va + vb + vc));
    match v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
        true => *a + ab * v + ac * w,
        // Not a number: a facet without an area.
        false => *a,
    }
}

/// Bounds the distance of a point from a facet from above, in metres.
pub(super) fn distance_from(point: Vec3, facet: &Triangle) -> f64 {
    (point - foot_on(point, facet)).length()
}

/// Returns the largest distance of a corner from another one.
pub(super) fn reach_from(corner: &Corner, polygon: &[Corner]) -> f64 {
    polygon.iter().map(|other| (other.at - corner.at).length_squared()).fold(0.0, f64::max).sqrt()
}

/// Returns the facets that the corners of a polygon know, each once.
pub(super) fn near_facets(polygon: &[Corner]) -> impl Iterator<Item = u32> {
    let is_first = |k: usize| polygon[..k].iter().all(|other| other.nearest != polygon[k].nearest);
    (0..polygon.len()).filter(move |&k| is_first(k)).map(|k| polygon[k].nearest)
}

/// Cuts a polygon along the line on which `value` changes its sign. The first part has the corners with values of at
/// most 0. `None` unless these and the remaining corners are one run each, and each part has at least the share `least`
/// of the area. `locate` makes a corner of a place.
pub(super) fn cut(
    polygon: &[Corner],
    least: f64,
    value: impl Fn(Vec3) -> f64,
    mut locate: impl FnMut(Vec3) -> Corner,
) -> Option<[Polygon; 2]> {
    let values: SmallVec<[f64; 8]> = polygon.iter().map(|corner| value(corner.at)).collect();
    let next = |k: usize| (k + 1) % polygon.len();
    let changes: SmallVec<[usize; 4]> =
        (0..polygon.len()).filter(|&k| (values[k] > 0.0) != (values[next(k)] > 0.0)).collect();
    let [leaves, returns] = *changes else { return None };
    // The edge on which the polygon leaves the first part, and the edge on which it returns.
    let (leaves, returns) = if values[leaves] > 0.0 { (returns, leaves) } else { (leaves, returns) };
    let root = |k: usize| find_root(polygon[k].at, polygon[next(k)].at, [values[k], values[next(k)]], &value);
    let (out, back) = (root(leaves), root(returns));
    // A cut that leaves one part nearly as it was gains nothing.
    let area = |from: usize, to: usize| {
        let corners = run(polygon, from, to).map(|corner| corner.at).chain([back]);
        let mut before = out;
        let fan = |corner: Vec3| {
            let twice = (before - out).cross(corner - out);
            before = corner;
            twice
        };
        corners.map(fan).sum::<Vec3>().length()
    };
    let (near, far) = (area(returns, leaves), area(leaves, returns));
    if near.min(far) < least * (near + far) {
        return None;
    }
    let size = polygon.iter().map(|corner| (corner.at - polygon[0].at).length_squared()).fold(0.0, f64::max).sqrt();
    let (out, back) = (locate(out), locate(back));
    let part = |from: usize, to: usize, ends: [Corner; 2]| {
        let mut corners: Polygon = run(polygon, from, to).copied().chain(ends).collect();
        // Two corners at one place are one; three make a polygon.
        let mut k = corners.len();
        while k > 0 && corners.len() > 3 {
            k -= 1;
            let before = corners[(k + corners.len() - 1) % corners.len()];
            if (corners[k].at - before.at).length() <= SAME_PLACE * size {
                corners.remove(k);
            }
        }
        corners
    };
    Some([part(returns, leaves, [out, back]), part(leaves, returns, [back, out])])
}

/// Returns the corners after the edge `from` up to the edge `to`.
fn run(polygon: &[Corner], from: usize, to: usize) -> impl Iterator<Item = &Corner> {
    let count = (to + polygon.len() - from - 1) % polygon.len() + 1;
    (1..=count).map(move |step| &polygon[(from + step) % polygon.len()])
}

/// Returns a point of an edge near a root of `value`, which has other signs at its ends.
fn find_root(from: Vec3, to: Vec3, ends: [f64; 2], value: &impl Fn(Vec3) -> f64) -> Vec3 {
    let (mut low, mut high) = ((0.0, ends[0]), (1.0, ends[1]));
    let mut last_side = 0;
    let at = |share: f64| from * (1.0 - share) + to * share;
    let mut share = 0.5;
    for _ in 0..MAX_STEPS {
        share = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        if !(share > low.0 && share < high.0) {
            share = 0.5 * (low.0 + high.0);
        }
        let found = value(at(share));
        // The Illinois rule: an end that stays twice counts half, so that both ends approach the root.
        let side = if (found > 0.0) == (low.1 > 0.0) { -1 } else { 1 };
        if side < 0 {
            low = (share, found);
            high.1 *= if last_side < 0 { 0.5 } else { 1.0 };
        } else {
            high = (share, found);
            low.1 *= if last_side > 0 { 0.5 } else { 1.0 };
        }
        last_side = side;
        if found.abs() <= 1e-9 * (ends[0].abs() + ends[1].abs()) {
            break;
        }
    }
    at(share)
}

/// Returns the coordinate by which a polygon is halved: along its longest extent, 0 at the middle.
pub(super) fn across(polygon: &[Corner]) -> impl Fn(Vec3) -> f64 + use<> {
    let mut longest = (0.0, [Vec3::ZERO; 2]);
    for (k, one) in polygon.iter().enumerate() {
        for other in &polygon[k + 1..] {
            let length = (other.at - one.at).length_squared();
            if length > longest.0 {
                longest = (length, [one.at, other.at]);
            }
        }
    }
    let [from, to] = longest.1;
    let (middle, direction) = (from * 0.5 + to * 0.5, to - from);
    move |point| (point - middle).dot(direction)
}
