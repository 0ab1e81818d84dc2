//! Direction rules of `gjk`: the next search direction toward the origin, with momentum, or for smooth shapes by a
//! secant to the normal.
//!
//! In: the vector to the origin, and the support points along earlier directions. Out: a direction, if there is a
//! better one.
//! Method: at the nearest points of smooth shapes, the point of A − B that is most distant against a direction lies
//! along it. Its offset across the vector to the origin is taken as affine in the direction. The last three directions
//! determine that map, and its zero is the next direction (Broyden 1965 has the same for any equations). If the three
//! determine it in one dimension only, the last two are used.
//! Guarantees: none are needed: any direction gives a bound, and so does any point of A − B. After a secant that does
//! not halve the open gap, the next iteration is plain; momentum ends when it no longer helps. Momentum is Nesterov's,
//! both parts normalised (Montaut and others, Collision Detection Accelerated, 2022). No query uses it, as it saves no
//! time anywhere (docs/benchmarks.md).

use heurt_geometry::{Vec2, Vec3};

/// The rule for the next direction.
pub(crate) trait DirectionRule: Default {
    /// Returns a direction to search along instead of `offset`, the vector to the origin, which has that length.
    fn next_direction(&mut self, offset: Vec3, length: f64) -> Option<Vec3>;
    /// Records the support point along a direction, and the gap that it leaves open.
    fn record(&mut self, direction: Vec3, w: Vec3, open: f64);
}

/// The rule that always searches toward the origin.
#[derive(Default)]
pub(crate) struct TowardOrigin;

impl DirectionRule for TowardOrigin {
    #[inline(always)]
    fn next_direction(&mut self, _offset: Vec3, _length: f64) -> Option<Vec3> {
        None
    }
    #[inline(always)]
    fn record(&mut self, _direction: Vec3, _w: Vec3, _open: f64) {}
}

/// The rule that searches along the zero of the secant.
#[derive(Default)]
pub(crate) struct Secant {
    /// Unit directions and the support points along them, most recent first.
    seen: [[Vec3; 2]; 3],
    count: u32,
    open: f64,
    was_aimed: bool,
    is_worth: bool,
}

impl DirectionRule for Secant {
    #[inline]
    fn next_direction(&mut self, offset: Vec3, length: f64) -> Option<Vec3> {
        let is_known = self.count >= 3 && self.is_worth;
        let aim = if is_known { zero_of_secant(&self.seen, offset / length, length) } else { None };
        self.was_aimed = aim.is_some();
        aim
    }

    #[inline]
    fn record(&mut self, direction: Vec3, w: Vec3, open: f64) {
        self.is_worth = !self.was_aimed || open <= 0.5 * self.open;
        self.open = open;
        self.seen = [[direction.normalize_or_zero(), w], self.seen[0], self.seen[1]];
        self.count += 1;
    }
}

/// The rule that mixes the vector to the origin, the support point and the direction before, by weights that turn less
/// and less.
#[derive(Default)]
pub(crate) struct Nesterov {
    /// The last direction and the support point along it.
    seen: [Vec3; 2],
    count: u32,
    length: f64,
    is_over: bool,
}

/// Momentum ends if this share of the length or less is open: near the end it misleads.
const NEARLY_CLOSED: f64 = 0.3;

impl DirectionRule for Nesterov {
    #[inline]
    fn next_direction(&mut self, offset: Vec3, length: f64) -> Option<Vec3> {
        self.length = length;
        if self.is_over || self.count == 0 {
            return None;
        }
        let (k, [before, w]) = (f64::from(self.count), self.seen);
        let share = (k + 1.0) / (k + 3.0);
        let ahead = (offset / length * share + w.normalize_or_zero() * (1.0 - share)).normalize_or_zero();
        let aim = before * share + ahead * (1.0 - share);
        (aim.dot(offset) > 0.0).then_some(aim)
    }

    #[inline]
    fn record(&mut self, direction: Vec3, w: Vec3, open: f64) {
        self.is_over |= open <= NEARLY_CLOSED * self.length || self.count > 0 && w == self.seen[1];
        self.seen = [direction.normalize_or_zero(), w];
        self.count += 1;
    }
}

/// Squared sine below which three directions count as two.
const NEARLY_PARALLEL: f64 = 1e-4;
/// Tangent beyond which a direction is too far off to be used.
const FAR_OFF: f64 = 0.5;

/// Finds the direction along which the support point lies, by the secant through three directions, in the tangent plane
/// of the unit vector `towards`.
fn zero_of_secant(seen: &[[Vec3; 2]; 3], towards: Vec3, length: f64) -> Option<Vec3> {
    let (s, t) = towards.any_orthonormal_pair();
    if seen.iter().any(|[direction, _]| direction.dot(towards) < FAR_OFF) {
        return None;
    }
    let at = seen.map(|[direction, _]| Vec2::new(direction.dot(s), direction.dot(t)) / direction.dot(towards));
    let offsets = [0, 1, 2].map(|k| Vec2::new(seen[k][1].dot(s), seen[k][1].dot(t)) - at[k] * length);
    let [step, other] = [1, 2].map(|k| at[k] - at[0]);
    let [e, f] = [1, 2].map(|k| offsets[k] - offsets[0]);
    let whole = e.perp_dot(f);
    let [first, second] = if whole * whole > NEARLY_PARALLEL * e.dot(e) * f.dot(f) {
        [f.perp_dot(offsets[0]) / whole, offsets[0].perp_dot(e) / whole]
    } else {
        [-offsets[0].dot(e) / e.dot(e), 0.0]
    };
    let zero = at[0] + step * first + other * second;
    // `NaN` if two directions have the same support point.
    (zero.dot(zero) < FAR_OFF * FAR_OFF).then(|| towards + s * zero.x + t * zero.y)
}

#[cfg(test)]
mod tests {
    use super::{Nesterov, Secant, TowardOrigin};
    use crate::convex::gjk::{GjkOutcome, SimplexCache, StopCriteria, nearest_at};
    use crate::convex::support::{Counted, PlacedCore, Support};
    use heurt_geometry::{Pose, Vec3};
    use heurt_shape::Convex;
    use heurt_testkit::number::random::Random;
    use std::cell::Cell;

    fn pose(random: &mut Random, shift: Vec3) -> Pose {
        let quaternion = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
        let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        Pose::from_quaternion(quaternion.map(|x| x / norm), shift).unwrap()
    }

    #[test]
    fn all_paces_tell_the_same_within_their_bounds_and_smooth_shapes_take_fewer_steps_with_secants() {
        let mut random = Random::new(17);
        let ellipsoid = |x, y, z| Convex::ellipsoid(Vec3::new(x, y, z)).unwrap();
        let kinds = [
            ("ellipsoids", ellipsoid(1.0, 0.7, 0.5), true),
            ("flat ellipsoids", ellipsoid(1.0, 1.0, 0.1), true),
            ("long ellipsoids", ellipsoid(1.0, 0.1, 0.1), true),
            ("superellipsoids", Convex::superellipsoid(Vec3::new(1.0, 0.7, 0.5), 0.5, 1.5).unwrap(), true),
            ("cones", Convex::cone(0.5, 0.7).unwrap(), false),
            ("cylinders", Convex::cylinder(0.5, 0.7).unwrap(), false),
            ("boxes", Convex::cuboid(Vec3::new(1.0, 0.7, 0.5)).unwrap(), false),
        ];
        for (name, shape, is_smooth) in &kinds {
            let mut steps = [0, 0, 0];
            for _ in 0..400 {
                let far = random.between(0.5, 4.0);
                let direction = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.5).normalize();
                let (p, q) = (pose(&mut random, Vec3::ZERO), pose(&mut random, direction * far));
                let [a, b] = [&p, &q].map(|pose| Counted(PlacedCore::new(shape, pose, 1.0).unwrap(), Cell::new(0)));
                let ulp = f64::EPSILON * (1.3 + far);
                let until = StopCriteria { gap: 8.0 * ulp, beyond: f64::INFINITY, close: 4.0 * ulp };
                let first = || a.middle() - b.middle();
                let plain = nearest_at::<Vec3, TowardOrigin>(&a, &b, &SimplexCache::default(), first, until);
                steps[0] += a.1.replace(0);
                let quick = nearest_at::<Vec3, Secant>(&a, &b, &SimplexCache::default(), first, until);
                steps[1] += a.1.replace(0);
                let moved = nearest_at::<Vec3, Nesterov>(&a, &b, &SimplexCache::default(), first, until);
                steps[2] += a.1.replace(0);
                for other in [&quick, &moved] {
                    let (GjkOutcome::Disjoint(x), GjkOutcome::Disjoint(y)) = (&plain, other) else {
                        let is_disjoint = |found: &GjkOutcome| matches!(found, GjkOutcome::Disjoint(found) if found.length > 64.0 * ulp);
                        assert!(!is_disjoint(&plain) && !is_disjoint(other), "{name}: {plain:?} {other:?}");
                        continue;
                    };
                    let ([of_x, most_x], [of_y, most_y]) =
                        [x, y].map(|found| [found.proved().0, found.proved().1]).into();
                    let room = (most_x - x.at_least) + (most_y - y.at_least) + 16.0 * ulp;
                    assert!((of_x - of_y).abs() <= room, "{name}: {of_x} and {of_y}");
                }
            }
            println!("{name}: {} plain steps, {} with secants, {} with momentum", steps[0], steps[1], steps[2]);
            assert!(!is_smooth || 3 * steps[1] < 2 * steps[0], "{name}: {steps:?}");
        }
    }
}
