//! Certified distance, depth and gap of the convex hulls of two sets of points, computed quickly, or no answer. The
//! tests call [`convex_oracle`](crate::oracle::convex) for pairs without a certified answer.
//!
//! In: two sets of points. Out: their distance, their depth, their gap along a direction, each within 2^-70 of the
//! largest coordinate and two units in the last place; `None` if the digits do not suffice. 0 is returned only if it is
//! proved.
//! Method: numbers that bound their own errors; the differences of points have error 0. *Distance:* a search like the
//! search of the oracle proposes a simplex of differences. The foot of the perpendicular on it proves the upper bound,
//! since its shares are certain to be positive: it is a difference of points of the two hulls. The plane across the
//! perpendicular proves the lower bound: all differences provably lie beyond it. Hulls meet if a simplex has the origin
//! strictly inside, or on it while nothing was rounded (small whole numbers, common corners). *Depth:* the directions
//! that the oracle tries, except pairs of edges that provably form no facet of the Minkowski difference. As in the
//! oracle, only the directions that rounded numbers leave over are evaluated in full.
//! Guarantees: only an initial direction comes from the code under test, and no answer depends on it. Each bound is
//! rigorous by itself; the tests compare a part of all pairs with the oracle nevertheless.

use crate::number::ball::{Ball, Balls, cross, dot, length, minus};
use crate::oracle::convex::{Directions, Side};
use heurt_geometry::Vec3;

/// Largest number of steps of the search.
const MAX_STEPS: u32 = 48;
/// Largest difference of the bounds, with the largest coordinate between 1 and 2.
const TIGHT: f64 = 1.0 / (1u128 << 71) as f64;
/// Bound of the error of rounded heights: three products of at most 2 with components of at most 1, and their sums,
/// rounded.
const HEIGHT_ROOM: f64 = 1.0 / (1u64 << 47) as f64;
/// Largest error of directions, as a share of their length.
const SHARP: f64 = 1.0 / (1u64 << 60) as f64;
/// Coordinates are multiples of this, so that products of ten have no bits below the range.
const LOWEST_BIT: f64 = 1.0 / (1u128 << 100) as f64;

/// Two sets of points, scaled by a power of two so that the largest coordinate is between 1 and 2.
pub struct ConvexCertificate {
    sets: [Vec<Vec3>; 2],
    scale: f64,
}

/// The point of a simplex of differences that is nearest to the origin.
#[derive(Clone)]
struct Foot {
    corners: Vec<Balls>,
    /// The vector to it, of any length.
    along: Balls,
    distance: Ball,
}

impl ConvexCertificate {
    /// Makes a certificate; `None` for coordinates beyond the range in which nothing under- or overflows.
    pub fn new(a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let largest = a.iter().chain(b).fold(0.0, |most, p| f64::max(most, p.abs().max_element()));
        if !(1e-200..1e200).contains(&largest) || a.is_empty() || b.is_empty() {
            return None;
        }
        let scale = f64::from_bits((2046 - (largest.to_bits() >> 52)) << 52);
        let is_kept = |x: f64| {
            let bits = x * scale / LOWEST_BIT;
            x * scale / scale == x && bits == bits.trunc()
        };
        let sets = [a, b].map(|set| set.iter().map(|p| *p * scale).collect());
        let all_kept = a.iter().chain(b).flat_map(|p| p.to_array()).all(is_kept);
        all_kept.then_some(Self { sets, scale })
    }

    /// Computes the distance of the hulls: 0 exactly when they share a point. `normal` is a guess of the direction from
    /// A to B.
    pub fn distance(&self, normal: Option<Vec3>) -> Option<f64> {
        let [a, b] = &self.sets;
        if a.iter().any(|p| b.contains(p)) {
            return Some(0.0);
        }
        let guess = normal.unwrap_or_else(|| b[0] - a[0]);
        let first = self.lowest(&(-guess).to_array().map(Ball::exact))?.0;
        let mut nearest = foot(&[first])?;
        for _ in 0..MAX_STEPS {
            if nearest.distance.sign() == Some(0) {
                return Some(0.0);
            }
            let along = nearest.along.map(Ball::middle);
            let (corner, height) = self.lowest(&along)?;
            let at_least = height.over(length(&along))?;
            let open = nearest.distance - at_least;
            if open.high.abs() + open.error <= TIGHT {
                return at_least.is_positive().then_some(nearest.distance.high / self.scale);
            }
            let nearer = nearest_with(&nearest.corners, &corner)?;
            if !nearer.distance.is_below(nearest.distance) {
                return None;
            }
            nearest = nearer;
        }
        None
    }

    /// Computes the gap of the hulls along a direction with components of 1 at most: the least of n · (q − p) over its
    /// length.
    pub fn gap_along(&self, direction: Vec3) -> Option<f64> {
        let is_in_range = |x: f64| x == 0.0 || (1e-60..=1.0).contains(&x.abs());
        let along = (-direction).to_array().map(Ball::exact);
        if !direction.to_array().into_iter().all(is_in_range) {
            return None;
        }
        let gap = self.lowest(&along)?.1.over(length(&along))?;
        (gap.error <= TIGHT).then_some(gap.high / self.scale)
    }

    /// Computes the length of the least translation of b after which the interiors are disjoint, for hulls that share a
    /// point.
    pub fn depth(&self) -> Option<f64> {
        let [a, b] = &self.sets;
        let corners = [&a[..], b].concat();
        let (mut at_least, mut at_most) = (f64::INFINITY, None);
        let extent = corners.iter().map(|p| (*p - corners[0]).abs().max_element()).fold(0.0, f64::max);
        let directions = Directions::of_edges_that(a, b, |e, f| may_make_a_facet(&corners, extent, [e, f]));
        for edge_pair in directions.that_may_be_least(&corners, a.len()) {
            let [e, f] = edge_pair.map(|[from, to]| difference(corners[to], corners[from]));
            let along = cross(&e, &f);
            if along.iter().all(|x| x.sign() == Some(0)) {
                continue;
            }
            let back = -self.lowest(&along)?.1;
            let forth = -self.lowest(&along.map(|x| -x))?.1;
            if [back, forth].iter().any(|overlap| matches!(overlap.sign(), Some(0 | -1))) {
                return Some(0.0);
            }
            let overlap = if back.is_below(forth) { back } else { forth };
            let depth = overlap.over(length(&along))?;
            at_least = f64::min(at_least, depth.high - depth.error);
            at_most = Some(at_most.map_or(depth, |most: Ball| if depth.is_below(most) { depth } else { most }));
        }
        // If all edges are along one line, the difference is flat.
        let Some(depth) = at_most else { return Some(0.0) };
        let is_tight = depth.high + depth.error - at_least <= TIGHT + 4.0 * f64::EPSILON * depth.high;
        (is_tight && depth.is_positive()).then_some(depth.high / self.scale)
    }

    /// Computes the difference p − q of least height along `along`, and its height; `None` for a direction of too large
    /// an error.
    fn lowest(&self, along: &Balls) -> Option<(Balls, Ball)> {
        let largest = along.iter().fold(0.0, |most, x| f64::max(most, x.high.abs()));
        let vague = along.iter().any(|x| x.error > SHARP * largest);
        if vague || largest == 0.0 {
            return None;
        }
        let rounded = Vec3::from_array(along.map(|x| x.high)) / largest;
        let [(p, low), (minus_q, minus_high)] = [(0, 1.0), (1, -1.0)].map(|(set, sign)| {
            let points = &self.sets[set];
            let heights = || points.iter().map(|p| p.dot(rounded) * sign);
            let most = heights().fold(f64::INFINITY, f64::min) + HEIGHT_ROOM;
            let mut least: Option<(Vec3, Ball)> = None;
            let mut error: f64 = 0.0;
            for (p, _) in points.iter().zip(heights()).filter(|(_, height)| *height <= most) {
                let height = dot(along, &(*p * sign).to_array().map(Ball::exact));
                error = error.max(height.error);
                if least.is_none_or(|(_, least)| height.is_below(least)) {
                    least = Some((*p, height));
                }
            }
            let (p, height) = least.expect("the least is among them");
            (p, Ball { error, ..height })
        });
        Some((difference(p, minus_q), low + minus_high))
    }
}

/// Reports whether a plane across the cross product of two edges, one of each hull, may have each hull on one side
/// only, the two on different sides: else it contains no facet of the difference. With sizes of 1 at most, heights are
/// off by less than 1e-14 of the product of the lengths of both edges; a hundred times that is allowed.
fn may_make_a_facet(corners: &[Vec3], extent: f64, sides: [&Side; 2]) -> bool {
    let [e, f] = sides.map(|side| (corners[side.ends[1]] - corners[side.ends[0]]) / extent);
    let (along, room) = (e.cross(f), 1e-12 * e.length() * f.length());
    let [mut is_below, mut is_above] = [true; 2];
    for (side, sign) in sides.into_iter().zip([1.0, -1.0]) {
        for other in side.beside.into_iter().flatten() {
            let height = sign * along.dot((corners[other] - corners[side.ends[0]]) / extent);
            is_below &= height <= room;
            is_above &= height >= -room;
        }
    }
    is_below || is_above
}

/// Computes p − q, without loss.
fn difference(p: Vec3, q: Vec3) -> Balls {
    [0, 1, 2].map(|k| Ball::difference(p[k], q[k]))
}

/// Computes the nearest of the feet on the simplices of `corner` and some corners of `face`.
fn nearest_with(face: &[Balls], corner: &Balls) -> Option<Foot> {
    let mut nearest = foot(&[*corner])?;
    for chosen in 1..1 << face.len() {
        let mut corners: Vec<Balls> = (0..face.len()).filter(|k| chosen >> k & 1 == 1).map(|k| face[k]).collect();
        corners.push(*corner);
        if let Some(foot) = foot(&corners)
            && foot.distance.is_below(nearest.distance)
        {
            nearest = foot;
        }
    }
    Some(nearest)
}

/// Computes the foot of the perpendicular from the origin on the plane of a simplex, if it is certain to lie inside.
fn foot(corners: &[Balls]) -> Option<Foot> {
    let (along, distance) = match corners {
        [a] => (*a, length(a)),
        [a, b] => {
            let edge = minus(b, a);
            let (whole, part) = (dot(&edge, &edge), -dot(a, &edge));
            if !part.is_positive() || !(whole - part).is_positive() {
                return None;
            }
            let along = [0, 1, 2].map(|k| a[k] * whole + edge[k] * part);
            (along, length(&cross(a, b)).over(whole.root())?)
        }
        [a, b, c] => {
            let normal = cross(&minus(b, a), &minus(c, a));
            let across = [(a, b), (b, c), (c, a)].map(|(p, q)| cross(p, q));
            if !across.iter().all(|x| dot(x, &normal).is_positive()) {
                return None;
            }
            let height = dot(a, &across[1]);
            let along = if height.high < 0.0 { normal.map(|x| -x) } else { normal };
            (along, height.abs().over(length(&normal))?)
        }
        [a, b, c, d] => {
            // Barycentric coordinates of the origin, times the volume.
            let (ab, cd) = (cross(a, b), cross(c, d));
            let weights = [dot(b, &cd), -dot(a, &cd), dot(&ab, d), -dot(&ab, c)].map(Ball::sign);
            let is_inside = [Some(1), Some(-1)].iter().any(|sign| weights.iter().all(|w| w == sign));
            return is_inside.then(|| Foot { corners: corners.to_vec(), along: [Ball::ZERO; 3], distance: Ball::ZERO });
        }
        _ => return None,
    };
    Some(Foot { corners: corners.to_vec(), along, distance })
}
