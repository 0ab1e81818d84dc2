//! Exact distance and penetration depth of the convex hulls of two sets of points, of any dimension they span.
//!
//! Coordinates become whole numbers over one common power of two; only the result is rounded. Both queries are on the
//! Minkowski difference A − B, the hull of all p − q. Its distance from the origin is the distance of the hulls, and
//! the shortest translation of the origin out of it is their penetration depth.
//!
//! *Distance.* Nearest points of simplices (Wolfe 1976; Gilbert, Johnson and Keerthi 1988), solved afresh from the
//! whole numbers each time. It ends only when no p − q lies below the plane through the nearest point and across the
//! direction to it, which proves the point nearest; until then each step comes strictly nearer, so that no simplex
//! comes twice. Rounded numbers only propose the next corner. Cost: a few steps, with one pass over all points at the
//! end.
//!
//! *Depth.* The facets of a Minkowski difference have the normals of the facets of A and of B and the cross products of
//! an edge of each. Any other direction is harmless, since a long enough translation along it separates the hulls as
//! well. So all of them are tried, each in both directions. Facets and edges are those of [`ConvexHull`], which has
//! tests of its own; if some were missing, the depth would be too great, never too small. Cost: edges of A · edges of B
//! · points, rounded, and the few that may be least in full.

use crate::number::whole::{
    Big, Fraction, cross, dot, integers, integers_and_power, is_zero, minus, sign, square_root,
};
use crate::oracle::triangle::hull_holds_origin;
use heurt_geometry::{ConvexHull, Dimension, Vec3};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// Reports whether the hulls share a point, by trying every simplex of differences: O((points of a · points of b)⁴).
pub fn hulls_meet(a: &[Vec3], b: &[Vec3]) -> bool {
    let points = integers(&[a, b].concat());
    let (p, q) = points.split_at(a.len());
    let differences: Vec<Big> = p.iter().flat_map(|p| q.iter().map(move |q| minus(p, q))).collect();
    hull_holds_origin(&differences)
}

/// Computes the distance of the hulls, rounded within a unit in the last place: 0 exactly when they share a point (or
/// if the distance is below the least positive number, which takes coordinates near that).
///
/// # Panics
/// When a set is empty or a coordinate is not finite.
pub fn hull_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert!(a.iter().chain(b).all(|p| p.is_finite()), "coordinates must be finite");
    let (points, power) = integers_and_power(&[a, b].concat());
    let sets = points.split_at(a.len());
    let mut nearest = nearest_with(&[], minus(&sets.0[0], &sets.1[0]));
    while !nearest.squared.over.is_zero() {
        let level = dot(&nearest.along, &nearest.corners[0]);
        let below = |corner: &Big| dot(&nearest.along, corner) < level;
        let guess = proposed((a, b), sets, &nearest.along);
        let Some(corner) = Some(guess).filter(below).or_else(|| Some(lowest(sets, &nearest.along)).filter(below))
        else {
            return square_root(&nearest.squared, power);
        };
        let nearer = nearest_with(&nearest.corners, corner);
        assert!(nearer.squared.is_below(&nearest.squared), "a step that comes no nearer would come again");
        nearest = nearer;
    }
    0.0
}

/// The point of a simplex nearest to the origin.
struct Nearest {
    /// The corners of the face that has it inside.
    corners: Vec<Big>,
    /// The vector to it, of any length; zero at the origin.
    along: Big,
    /// Its squared distance.
    squared: Fraction,
}

/// Computes the nearest point of the simplex of `face` and `corner`, known to be nearer than `face`: the least of the
/// feet of perpendiculars on the faces that have `corner`. A foot on the rim of a face is a foot on a lesser one.
fn nearest_with(face: &[Big], corner: Big) -> Nearest {
    let squared = Fraction { over: dot(&corner, &corner), under: BigInt::from(1) };
    let mut nearest = Nearest { corners: vec![corner.clone()], along: corner.clone(), squared };
    for chosen in 1..1 << face.len() {
        let mut corners: Vec<Big> = (0..face.len()).filter(|k| chosen >> k & 1 == 1).map(|k| face[k].clone()).collect();
        corners.push(corner.clone());
        if let Some((along, squared)) = foot(&corners)
            && squared.is_below(&nearest.squared)
        {
            nearest = Nearest { corners, along, squared };
        }
    }
    nearest
}

/// Computes the perpendicular from the origin and its squared length, if its foot lies strictly inside the simplex.
fn foot(corners: &[Big]) -> Option<(Big, Fraction)> {
    match corners {
        [a, b] => foot_on_segment(a, b),
        [a, b, c] => foot_on_triangle(a, b, c),
        [a, b, c, d] => {
            // Barycentric coordinates of the origin, times the volume.
            let (ab, cd) = (cross(a, b), cross(c, d));
            let weights = [dot(b, &cd), -dot(a, &cd), dot(&ab, d), -dot(&ab, c)].map(|w| sign(&w));
            let is_inside = weights[0] != 0 && weights.iter().all(|w| *w == weights[0]);
            is_inside.then(|| (Big::default(), Fraction { over: BigInt::zero(), under: BigInt::from(1) }))
        }
        _ => None,
    }
}

fn foot_on_segment(a: &Big, b: &Big) -> Option<(Big, Fraction)> {
    let edge = minus(b, a);
    let (whole, part) = (dot(&edge, &edge), -dot(a, &edge));
    if !part.is_positive() || part >= whole {
        return None;
    }
    let along = [0, 1, 2].map(|k| &a[k] * &whole + &edge[k] * &part);
    Some((along, Fraction { over: dot(a, a) * &whole - &part * &part, under: whole }))
}

fn foot_on_triangle(a: &Big, b: &Big, c: &Big) -> Option<(Big, Fraction)> {
    let normal = cross(&minus(b, a), &minus(c, a));
    let across = [(a, b), (b, c), (c, a)].map(|(p, q)| cross(p, q));
    if is_zero(&normal) || !across.iter().all(|x| dot(x, &normal).is_positive()) {
        return None;
    }
    let height = dot(a, &across[1]);
    let squared = Fraction { over: &height * &height, under: dot(&normal, &normal) };
    Some((if height.is_negative() { normal.map(|x| -x) } else { normal }, squared))
}

/// Computes the difference of least height along `along`.
fn lowest((p, q): (&[Big], &[Big]), along: &Big) -> Big {
    let ends = (p.iter().min_by_key(|p| dot(along, p)), q.iter().max_by_key(|q| dot(along, q)));
    let (Some(p), Some(q)) = ends else { unreachable!("no points") };
    minus(p, q)
}

/// Computes the result of [`lowest`] with rounded numbers, as a proposal.
fn proposed((a, b): (&[Vec3], &[Vec3]), (p, q): (&[Big], &[Big]), along: &Big) -> Big {
    let along = rounded(along);
    let height = |x: &Vec3| (*x - a[0]).dot(along);
    let least = (0..a.len()).min_by(|i, j| height(&a[*i]).total_cmp(&height(&a[*j])));
    let most = (0..b.len()).max_by(|i, j| height(&b[*i]).total_cmp(&height(&b[*j])));
    minus(&p[least.unwrap_or(0)], &q[most.unwrap_or(0)])
}

/// Computes the unit vector along `x`, rounded.
fn rounded(x: &Big) -> Vec3 {
    let bits = x.iter().map(BigInt::bits).max().unwrap_or(0);
    // Drops low bits, so that squares stay finite.
    let drop = bits.saturating_sub(400) as usize;
    let to_f64 = |x: &BigInt| (x >> drop).to_f64().unwrap_or(0.0);
    Vec3::new(to_f64(&x[0]), to_f64(&x[1]), to_f64(&x[2])).normalize_or_zero()
}

/// Computes the least of `direction` · (q − p) over all points p of `a` and q of `b`, divided by the length of
/// `direction`. It is positive exactly if planes across `direction` separate the hulls strictly, and then their gap
/// along it. The sign is exact, the value rounded within a unit in the last place; 0 for a `direction` of zero.
///
/// # Panics
/// When a set is empty.
pub fn gap_along(a: &[Vec3], b: &[Vec3], direction: Vec3) -> f64 {
    let (points, power) = integers_and_power(&[a, b].concat());
    let along = &integers(&[direction])[0];
    let [_, gap] = overlaps(points.split_at(a.len()), along).map(|overlap| -overlap);
    let squared = Fraction { over: &gap * &gap, under: dot(along, along) };
    f64::from(sign(&gap)) * square_root(&squared, power)
}

/// Computes the distances, times the length of `along`, by which the second set has to be moved along minus and plus
/// `along` to be beyond the first.
fn overlaps((p, q): (&[Big], &[Big]), along: &Big) -> [BigInt; 2] {
    let span = |points: &[Big]| {
        let heights: Vec<BigInt> = points.iter().map(|x| dot(along, x)).collect();
        match (heights.iter().min(), heights.iter().max()) {
            (Some(low), Some(high)) => [low.clone(), high.clone()],
            _ => unreachable!("no points"),
        }
    };
    let ([p_low, p_high], [q_low, q_high]) = (span(p), span(q));
    [q_high - p_low, p_high - q_low]
}

/// Computes the length of the least translation of `b` after which the interiors are disjoint, rounded within a unit in
/// the last place: 0 when the hulls are disjoint, only touch, or have a flat Minkowski difference.
///
/// # Panics
/// When a set is empty or a coordinate is not finite.
pub fn penetration_depth(a: &[Vec3], b: &[Vec3]) -> f64 {
    penetration(a, b).map_or(0.0, |(depth, _)| depth)
}

/// Computes the [`penetration_depth`] and the direction of a least translation of `b`, a unit vector, each component
/// rounded within a few units in the last place of 1; `None` for a depth of 0.
///
/// # Panics
/// When a set is empty or a coordinate is not finite.
pub fn penetration(a: &[Vec3], b: &[Vec3]) -> Option<(f64, Vec3)> {
    let corners = [a, b].concat();
    let (whole, power) = integers_and_power(&corners);
    let mut least: Option<(Fraction, Big)> = None;
    for edge_pair in Directions::new(a, b).that_may_be_least(&corners, a.len()) {
        let [e, f] = edge_pair.map(|[from, to]| minus(&whole[to], &whole[from]));
        let along = cross(&e, &f);
        if is_zero(&along) {
            continue;
        }
        let [back, forth] = overlaps(whole.split_at(a.len()), &along);
        if !back.is_positive() || !forth.is_positive() {
            return None;
        }
        let (overlap, along) = if back < forth { (back, along.map(|x| -x)) } else { (forth, along) };
        let squared = Fraction { over: &overlap * &overlap, under: dot(&along, &along) };
        if least.as_ref().is_none_or(|(least, _)| squared.is_below(least)) {
            least = Some((squared, along));
        }
    }
    least.map(|(squared, along)| (square_root(&squared, power), rounded(&along)))
}

/// Two differences of points, by index, the cross product of which is a direction.
pub(crate) type EdgePair = [[usize; 2]; 2];

/// An edge, by indices of points.
pub(crate) struct Side {
    pub(crate) ends: [usize; 2],
    /// The third corners of the triangles on both sides of it, if it is an edge of a solid.
    pub(crate) beside: Option<[usize; 2]>,
}

/// The directions that a Minkowski difference may have for facet normals, and more.
pub(crate) struct Directions(Vec<EdgePair>);

impl Directions {
    pub(crate) fn new(a: &[Vec3], b: &[Vec3]) -> Self {
        Self::of_edges_that(a, b, |_, _| true)
    }

    /// Makes the directions of facets, and of the pairs of edges that are kept.
    pub(crate) fn of_edges_that(a: &[Vec3], b: &[Vec3], is_kept: impl Fn(&Side, &Side) -> bool) -> Self {
        let ((faces_a, edges_a), (faces_b, edges_b)) = (outline(a, 0), outline(b, a.len()));
        let of_faces = faces_a.into_iter().chain(faces_b).map(|[p, q, r]| [[p, q], [p, r]]);
        let pairs = edges_a.iter().flat_map(|e| edges_b.iter().map(move |f| (e, f)));
        let of_edges = pairs.filter(|(e, f)| is_kept(e, f)).map(|(e, f)| [e.ends, f.ends]);
        Self(of_faces.chain(of_edges).collect())
    }

    /// Keeps the directions whose estimated overlap is not plainly greater than the overlap of another direction. With
    /// sizes of 1 at most, edges are right to a unit in the last place of each component. So a cross product is off by
    /// less than 1e-15 of the product of their lengths, and heights along its unit vector by less than 2e-14 divided by
    /// the sine between the edges. Fifty times that is allowed; directions that underflow, overflow or have nearly
    /// parallel edges are never dropped.
    pub(crate) fn that_may_be_least(self, corners: &[Vec3], split: usize) -> Vec<EdgePair> {
        let extent = corners.iter().map(|p| (*p - corners[0]).abs().max_element()).fold(0.0, f64::max);
        let places: Vec<Vec3> = corners.iter().map(|p| (*p - corners[0]) / extent).collect();
        let estimates =
            self.0.into_iter().map(|edge_pair| (edge_pair, estimate(corners, &places, split, &edge_pair, extent)));
        let mut estimates: Vec<(EdgePair, [f64; 2])> = estimates.collect();
        let least = estimates.iter().map(|(_, [_, most])| *most).fold(f64::INFINITY, f64::min);
        estimates.retain(|(_, [at_least, _])| *at_least <= least);
        // A direction that decides the result alone comes early.
        estimates.sort_by(|(_, x), (_, y)| x[0].total_cmp(&y[0]));
        estimates.into_iter().map(|(edge_pair, _)| edge_pair).collect()
    }
}

/// Computes bounds of the lesser overlap along a direction, in multiples of `extent`.
fn estimate(corners: &[Vec3], places: &[Vec3], split: usize, edge_pair: &EdgePair, extent: f64) -> [f64; 2] {
    let [e, f] = edge_pair.map(|[from, to]| (corners[to] - corners[from]) / extent);
    let (along, product) = (e.cross(f), e.length() * f.length());
    let length = along.length();
    let margin = 1e-12 * product / length;
    let is_sound = extent > 1e-280 && extent < 1e280 && length > 1e-100 && margin < 1e-3;
    if !is_sound {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let along = along / length;
    let span = |places: &[Vec3]| {
        let heights = places.iter().map(|p| p.dot(along));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)])
    };
    let ([p_low, p_high], [q_low, q_high]) = (span(&places[..split]), span(&places[split..]));
    let overlap = (q_high - p_low).min(p_high - q_low);
    [overlap - margin, overlap + margin]
}

/// Returns three corners of each facet and the ends of each edge of the hull, or more edges, as indices counted from
/// `first`.
fn outline(points: &[Vec3], first: usize) -> (Vec<[usize; 3]>, Vec<Side>) {
    let hull = match ConvexHull::new(points) {
        Ok(hull) => hull,
        Err(error) => panic!("no hull: {error}"),
    };
    let corners: Vec<usize> = hull.vertices().iter().map(|v| first + *v as usize).collect();
    let count = corners.len();
    let free = |ends: [usize; 2]| Side { ends, beside: None };
    match hull.dimension() {
        Dimension::Point => (vec![], vec![]),
        Dimension::Segment => (vec![], vec![free([corners[0], corners[1]])]),
        Dimension::Planar => (
            vec![[corners[0], corners[1], corners[2]]],
            (0..count).map(|k| free([corners[k], corners[(k + 1) % count]])).collect(),
        ),
        Dimension::Solid => {
            let faces: Vec<[usize; 3]> = hull.triangles().iter().map(|t| t.map(|v| first + v as usize)).collect();
            let sides = faces.iter().flat_map(|&[a, b, c]| [([a, b], c), ([b, c], a), ([c, a], b)]);
            // Each edge is run in both directions.
            let sides: BTreeMap<[usize; 2], usize> = sides.collect();
            let forth = sides.iter().filter(|([from, to], _)| from < to);
            let edges = forth.map(|(&[from, to], &left)| Side {
                ends: [from, to],
                beside: sides.get(&[to, from]).map(|&right| [left, right]),
            });
            let edges = edges.collect();
            (faces, edges)
        }
    }
}
