//! Exact tests of hulls that are nearer than rounding errors: a common point in a few corners, or a direction that
//! separates.
//!
//! In: two placed hulls; a simplex of their difference, or a direction. Out: whether that proves an overlap or a gap.
//! Method: a simplex of differences holds the origin only if the simplex of its corners of A meets the simplex of its
//! corners of B: exact predicates test faces of both. Sums without loss distinguish corners along a direction if
//! rounding errors do not.
//! Guarantees: a proof holds for the placed `f64` corners. Not guaranteed: a proof.

use crate::convex::gjk::simplex::Simplex;
use crate::convex::support::PlacedHull;
use crate::numeric::expansion::{Sum, two_product};
use heurt_geometry::{Triangle, Vec3, triangles_intersect};
use smallvec::SmallVec;

/// Bound of the rounding error of the height of a corner along a unit vector, in ε of the largest coordinate.
const ROUNDING: f64 = 4.0;

/// Minimum magnitude whose products with the components of a unit vector have no bits below the range of numbers.
const LEAST: f64 = 1e-200;

/// Proves that the hulls share a point, by the corners of a simplex of their difference.
pub(crate) fn provably_intersect(a: &PlacedHull<'_>, b: &PlacedHull<'_>, simplex: &Simplex) -> bool {
    let of_a = faces(a, simplex.corners().iter().map(|corner| corner.names[0]));
    let of_b = faces(b, simplex.corners().iter().map(|corner| corner.names[1]));
    of_a.iter().any(|x| of_b.iter().any(|y| triangles_intersect(x, y)))
}

/// Returns the triangles of up to four corners; fewer than three corners make a degenerate one.
fn faces(placed: &PlacedHull<'_>, names: impl Iterator<Item = u32>) -> SmallVec<[Triangle; 4]> {
    let mut corners: SmallVec<[u32; 4]> = names.collect();
    corners.sort_unstable();
    corners.dedup();
    let at = |name: u32| placed.pose.place(placed.hull.corners()[name as usize]);
    match corners[..] {
        [p, q, r, s] => [[p, q, r], [p, q, s], [p, r, s], [q, r, s]].map(|face| face.map(at)).into_iter().collect(),
        [p, q, r] => [[p, q, r].map(at)].into_iter().collect(),
        [p, q] => [[p, q, q].map(at)].into_iter().collect(),
        [p] => [[p; 3].map(at)].into_iter().collect(),
        _ => SmallVec::new(),
    }
}

/// Proves that the hulls share no point: all points of A are farther along `direction`, a vector of length
/// approximately 1, than all points of B.
pub(crate) fn provably_disjoint(a: &PlacedHull<'_>, b: &PlacedHull<'_>, direction: Vec3) -> bool {
    let is_exact = |x: f64| x == 0.0 || (LEAST..=2.0).contains(&x.abs());
    if !direction.to_array().into_iter().all(is_exact) {
        return false;
    }
    let of_a = lowest(a, direction);
    let of_b = lowest(b, -direction);
    of_a.zip(of_b).is_some_and(|(p, q)| is_lower(q, p, direction))
}

/// Finds the point that is least far along `direction`, exactly; `None` beyond the range of numbers.
fn lowest(placed: &PlacedHull<'_>, direction: Vec3) -> Option<Vec3> {
    let points =
        || placed.hull.corners().iter().chain(placed.hull.loose()).map(|&point| placed.pose.place(point) * placed.unit);
    let (mut least, mut largest) = (f64::INFINITY, 0.0f64);
    for point in points() {
        least = least.min(point.dot(direction));
        largest = largest.max(point.abs().max_element());
    }
    let most = least + 4.0 * ROUNDING * f64::EPSILON * largest * direction.abs().max_element();
    let is_exact = |x: f64| x == 0.0 || (LEAST..1.0 / LEAST).contains(&x.abs());
    let mut lowest: Option<Vec3> = None;
    for point in points().filter(|point| point.dot(direction) <= most) {
        if !point.to_array().into_iter().all(is_exact) {
            return None;
        }
        if lowest.is_none_or(|lowest| is_lower(point, lowest, direction)) {
            lowest = Some(point);
        }
    }
    lowest
}

/// Tests exactly whether p is less far along `direction` than q.
fn is_lower(p: Vec3, q: Vec3, direction: Vec3) -> bool {
    let mut sum = Sum::<12>::new();
    for k in 0..3 {
        for (x, y) in [(q[k], direction[k]), (p[k], -direction[k])] {
            let (high, low) = two_product(x, y);
            sum.add(low);
            sum.add(high);
        }
    }
    sum.rounded() > 0.0
}

#[cfg(test)]
mod tests {
    use super::{provably_disjoint, provably_intersect};
    use crate::convex::gjk::simplex::{Simplex, Vertex};
    use crate::convex::support::{PlacedHull, SupportPoint};
    use heurt_geometry::{Pose, Vec3};
    use heurt_shape::Hull;

    fn cube(low: f64) -> Hull {
        let end = |k: u32, axis: u32| low + f64::from(k >> axis & 1);
        Hull::new(&(0..8).map(|k| Vec3::new(end(k, 0), end(k, 1), end(k, 2))).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn an_ulp_is_told_and_a_common_corner_found() {
        let (left, touching, beyond) = (cube(0.0), cube(1.0), cube(1.0f64.next_up()));
        let [a, b, c] = [&left, &touching, &beyond].map(|hull| PlacedHull { hull, pose: &Pose::IDENTITY, unit: 1.0 });
        for direction in [Vec3::NEG_X, Vec3::new(-0.6, -0.64, -0.48), Vec3::splat(-0.1)] {
            assert!(provably_disjoint(&a, &c, direction));
            assert!(!provably_disjoint(&a, &b, direction) && !provably_disjoint(&c, &a, direction));
        }
        let corner = |placed: &PlacedHull<'_>, at: Vec3| {
            let name = placed.hull.corners().iter().position(|corner| *corner == at).unwrap() as u32;
            SupportPoint { point: at, name }
        };
        let common = Vertex::new(corner(&a, Vec3::ONE), corner(&b, Vec3::ONE));
        assert!(provably_intersect(&a, &b, &Simplex::of(common)));
        let disjoint = Vertex::new(corner(&a, Vec3::ONE), corner(&c, Vec3::splat(1.0f64.next_up())));
        assert!(!provably_intersect(&a, &c, &Simplex::of(disjoint)));
    }
}
