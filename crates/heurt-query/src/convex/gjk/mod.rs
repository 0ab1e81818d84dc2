//! GJK search for the nearest points of two convex sets (Gilbert, Johnson and Keerthi 1988): the point of A − B nearest
//! to the origin.
//!
//! In: two sets given by their support points, in a unit in which they are approximately 1. Out: [`GjkOutcome`].
//! Method: a simplex of A − B approaches the origin by one support point per iteration. The search stops by the duality
//! gap: the height of the support point along the direction to the origin is a lower bound of the distance. Between
//! smooth shapes, secants give better directions (`direction`). If the corners of a face carried the nearest points in
//! the previous query, [`verify_cached_face`] tests them before any search.
//! Guarantees: `at_least` ≤ distance ≤ upper bound of `proved`, up to 4 ε of the coordinates. However degenerate the
//! sets are, the search takes at most [`MAX_STEPS`] iterations. Not guaranteed: that both bounds meet; a caller that
//! needs tight bounds tests the gap.

pub(crate) mod direction;
pub(crate) mod raycast;
pub(crate) mod simplex;

use crate::convex::gjk::direction::{DirectionRule, TowardOrigin};
use crate::convex::gjk::simplex::{Origin, Simplex, Vertex};
use crate::convex::support::{NO_VERTEX, Support, SupportPoint};
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use crate::numeric::twofold::Twofold;
use crate::numeric::twofold::{Scalar, Vector};
use heurt_geometry::{Vec3, robust_normalize};

/// Maximum number of iterations; hulls of a hundred corners take approximately ten.
pub(crate) const MAX_STEPS: u32 = 96;

/// Minimum square of twice the area of a triangle that [`verify_cached_face`] accepts, in the unit of the search. The
/// products of smaller triangles are rounding errors.
const MIN_AREA_SQ: f64 = 1e-200;

/// The outcome of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GjkOutcome<V = Vec3> {
    /// The sets are disjoint.
    Disjoint(GjkSeparation<V>),
    /// A tetrahedron of A − B holds the origin, up to rounding.
    Inside(Simplex<V>),
    /// The origin lies on the simplex up to rounding: the sets touch, overlap, or are separated by almost nothing.
    Close(Simplex<V>),
}

/// The separation of two disjoint sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GjkSeparation<V = Vec3> {
    pub simplex: Simplex<V>,
    /// The distance from B to A between the points that the simplex carries, as computed; not a proved bound.
    pub length: f64,
    /// A lower bound of the distance: the gap along `offset`.
    pub at_least: f64,
    /// A vector from B to A, of any length.
    pub offset: Vec3,
}

impl<V: Vector> GjkSeparation<V> {
    /// Returns a length between both bounds, the upper bound, and the points of A and B that prove the upper bound.
    #[inline(always)]
    pub(crate) fn proved(&self) -> (f64, f64, [Vec3; 2]) {
        let points = self.simplex.witnesses();
        let (length, at_most) = between_bounds(self.length, self.at_least, points);
        (length, at_most, points)
    }

    /// Returns the unit vector from B to A along `offset`.
    #[inline(always)]
    pub(crate) fn direction(&self) -> Vec3 {
        robust_normalize(self.offset).unwrap_or(Vec3::X)
    }
}

/// Returns a length between the lower bound and the upper bound that two points prove, and the upper bound.
#[inline(always)]
fn between_bounds(length: f64, at_least: f64, [on_a, on_b]: [Vec3; 2]) -> (f64, f64) {
    let at_most = (on_b - on_a).length().max(at_least);
    (length.clamp(at_least.max(0.0), at_most), at_most)
}

/// Lower and upper bounds of the distance of two sets, with their proofs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DistanceBracket {
    /// The gap along `normal`, a unit vector from A to B; up to rounding, no points are nearer.
    pub at_least: f64,
    pub normal: Vec3,
    /// The distance between `points`, an upper bound; `length` lies between both bounds.
    pub at_most: f64,
    pub length: f64,
    pub points: [Vec3; 2],
}

impl DistanceBracket {
    #[inline(always)]
    pub(crate) fn new<V: Vector>(found: &GjkSeparation<V>) -> Self {
        let (length, at_most, points) = found.proved();
        Self { at_least: found.at_least, normal: -found.direction(), at_most, length, points }
    }

    /// Tightens both bounds by the bounds of another bracket.
    pub(crate) fn learn(&mut self, other: &Self) {
        if other.at_least > self.at_least {
            (self.at_least, self.normal) = (other.at_least, other.normal);
        }
        if other.at_most < self.at_most {
            (self.at_most, self.length, self.points) = (other.at_most, other.length, other.points);
        }
        self.at_most = self.at_most.max(self.at_least);
        self.length = self.length.max(self.at_least);
    }

    /// Returns the difference of both bounds.
    pub(crate) fn open(&self) -> f64 {
        self.at_most - self.at_least
    }
}

/// The conditions that stop the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StopCriteria {
    /// Both bounds of the distance are this near to each other.
    pub gap: f64,
    /// The sets are provably farther from each other than this.
    pub beyond: f64,
    /// The origin is this near.
    pub close: f64,
}

/// The corners that carried the nearest points of a pair in its previous query.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SimplexCache {
    names: [[u32; 2]; 3],
    count: usize,
}

impl SimplexCache {
    /// Returns the corners of a simplex; none for a tetrahedron.
    pub(crate) fn of<V: Vector>(simplex: &Simplex<V>) -> Self {
        let mut carriers = Self::default();
        carriers.take(simplex);
        carriers
    }

    /// Takes the corners of a simplex; none for a tetrahedron.
    #[inline(always)]
    pub(crate) fn take<V: Vector>(&mut self, simplex: &Simplex<V>) {
        self.count = 0;
        if simplex.corners().len() <= 3 {
            for corner in simplex.corners() {
                self.names[self.count] = corner.names;
                self.count += 1;
            }
        }
    }

    /// Returns the first three of the given corners that have names.
    #[inline(always)]
    pub(crate) fn named(names: impl IntoIterator<Item = [u32; 2]>) -> Self {
        let mut carriers = Self::default();
        for name in names {
            if carriers.count < 3 && name != [NO_VERTEX; 2] {
                carriers.names[carriers.count] = name;
                carriers.count += 1;
            }
        }
        carriers
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns all three corners, or `None` if there are fewer.
    #[inline(always)]
    pub(crate) fn three(&self) -> Option<[[u32; 2]; 3]> {
        (self.count == 3).then_some(self.names)
    }

    /// Returns the simplex of the same corners at their present positions, and its point nearest to the origin.
    #[inline(always)]
    fn simplex<V: Vector>(&self, a: &impl Support, b: &impl Support) -> Option<(Simplex<V>, V)> {
        let mut corners = [[SupportPoint::NONE; 2]; 3];
        for (corner, names) in corners.iter_mut().zip(&self.names[..self.count]) {
            *corner = [a.corner(names[0])?, b.corner(names[1])?];
        }
        Simplex::about(corners[..self.count].iter().map(|&[on_a, on_b]| Vertex::new(on_a, on_b)))
    }
}

/// Searches from the cached simplex, or from a first direction from B to A if nothing is cached; any direction will do.
#[inline(always)]
pub(crate) fn nearest<V: Vector>(
    a: &impl Support,
    b: &impl Support,
    before: &SimplexCache,
    first: impl FnOnce() -> Vec3,
    until: StopCriteria,
) -> GjkOutcome<V> {
    nearest_at::<V, TowardOrigin>(a, b, before, first, until)
}

/// Finds the nearest points of two polytopes within the triangle of three cached corners.
///
/// The three corners carried the nearest points before, or another search ended at them. Returns `None` if the nearest
/// point is outside the triangle, or if the support points along its normal do not prove it; then a search has to
/// decide. The function takes half the time of a search from these corners: the same products decide whether the
/// nearest point is within, and give the weight of each corner.
#[inline(always)]
pub(crate) fn verify_cached_face(
    a: &impl Support,
    b: &impl Support,
    before: &SimplexCache,
    until: StopCriteria,
) -> Option<DistanceBracket> {
    let [p, q, r] = before.three()?;
    let corner = |[on_a, on_b]: [u32; 2]| Some(Vertex::<Vec3>::new(a.corner(on_a)?, b.corner(on_b)?));
    let (p, q, r) = (corner(p)?, corner(q)?, corner(r)?);
    let (to_q, to_r) = (q.w - p.w, r.w - p.w);
    let normal = to_q.cross(to_r);
    let (whole, height) = (normal.length_squared(), normal.dot(p.w));
    let (of_q, of_r) = (normal.dot(to_r.cross(p.w)), normal.dot(p.w.cross(to_q)));
    // The products of triangles of almost no area are rounding errors.
    let is_within = of_q > 0.0 && of_r > 0.0 && of_q + of_r < whole && whole > MIN_AREA_SQ;
    if !is_within {
        return None;
    }
    let per_normal = (1.0 / whole.sqrt()).copysign(height);
    let from_b = normal * per_normal;
    let farthest = Vertex::<Vec3>::new(a.support(-from_b), b.support(from_b));
    let (length, at_least) = (height * per_normal, farthest.w.dot(from_b));
    let is_proved = length > until.close && length - at_least <= until.gap;
    if !is_proved {
        return None;
    }
    let per_whole = 1.0 / whole;
    let (of_q, of_r) = (of_q * per_whole, of_r * per_whole);
    let of_p = 1.0 - of_q - of_r;
    let on_a = p.a * of_p + q.a * of_q + r.a * of_r;
    let on_b = p.b() * of_p + q.b() * of_q + r.b() * of_r;
    let (length, at_most) = between_bounds(length, at_least, [on_a, on_b]);
    Some(DistanceBracket { at_least, normal: -from_b, at_most, length, points: [on_a, on_b] })
}

/// Returns the simplex of a single corner, and the vector to it.
#[inline(always)]
fn first_corner<V: Vector>(a: &impl Support, b: &impl Support, first: Vec3) -> (Simplex<V>, V) {
    let start = if first == Vec3::ZERO { Vec3::X } else { first };
    let vertex = Vertex::<V>::new(a.support(-start), b.support(start));
    (Simplex::of(vertex), vertex.w)
}

/// Runs [`nearest`] for two polytopes of approximately `corners` corners each, from the triangle of the support points
/// along three directions around the first.
///
/// The nearest points of polytopes mostly lie in faces. Three independent support queries take less time than three
/// iterations, each of which depends on the iteration before: a search takes 0.95, 0.82 and 0.80 of the time between
/// hulls of 8, 32 and 128 corners.
#[inline(always)]
pub(crate) fn nearest_of_polytopes<V: Vector>(
    a: &impl Support,
    b: &impl Support,
    corners: f64,
    before: &SimplexCache,
    first: impl FnOnce() -> Vec3,
    until: StopCriteria,
) -> GjkOutcome<V> {
    let start = match before.simplex(a, b) {
        Some(start) => start,
        None => {
            let first = first();
            first_triangle(a, b, corners, first).unwrap_or_else(|| first_corner(a, b, first))
        }
    };
    search::<V, TowardOrigin>(a, b, start, until)
}

/// The offset of the three directions of [`first_triangle`] from the first direction, times the square root of the
/// number of corners. The offset is approximately the distance of neighbouring corners of a ball. (Among offsets from
/// 0.05 to 0.9, 0.4 to 0.9 is best for 8 corners, 0.2 to 0.4 for 32 and 0.1 to 0.2 for 128.)
const SPREAD: f64 = 1.6;

/// Returns the simplex of up to three support points around a direction, and the vector to it; `None` if the direction
/// has no length.
#[inline(always)]
fn first_triangle<V: Vector>(a: &impl Support, b: &impl Support, corners: f64, first: Vec3) -> Option<(Simplex<V>, V)> {
    let middle = first / first.length();
    if !middle.is_finite() {
        return None;
    }
    let (x, y) = middle.any_orthonormal_pair();
    let turn = SPREAD / corners.sqrt();
    let (front, back, side) = (x * turn, x * (-0.5 * turn), y * (0.75f64.sqrt() * turn));
    // (A closure over an array is a call if it is not inlined.)
    let (first, left, right) = (middle + front, middle + (back + side), middle + (back - side));
    let first = Vertex::new(a.support(-first), b.support(first));
    let left = Vertex::new(a.support(-left), b.support(left));
    let right = Vertex::new(a.support(-right), b.support(right));
    Simplex::about([first, left, right])
}

/// Runs [`nearest`] with the direction rule `P`.
#[inline(always)]
pub(crate) fn nearest_at<V: Vector, P: DirectionRule>(
    a: &impl Support,
    b: &impl Support,
    before: &SimplexCache,
    first: impl FnOnce() -> Vec3,
    until: StopCriteria,
) -> GjkOutcome<V> {
    let start = before.simplex(a, b).unwrap_or_else(|| first_corner(a, b, first()));
    search::<V, P>(a, b, start, until)
}

/// Runs [`nearest`] in twofold numbers: a rare search, which all its callers share.
pub(crate) fn nearest_twofold(
    a: &impl Support,
    b: &impl Support,
    before: &SimplexCache,
    first: Vec3,
    until: StopCriteria,
) -> GjkOutcome<Twofold> {
    nearest_from(a, b, before.simplex(a, b).unwrap_or_else(|| first_corner(a, b, first)), until)
}

/// Runs [`nearest`] from points of A − B and the point of their hull that is nearest to the origin.
#[inline(never)]
pub(crate) fn nearest_from<V: Vector>(
    a: &impl Support,
    b: &impl Support,
    start: (Simplex<V>, V),
    until: StopCriteria,
) -> GjkOutcome<V> {
    search::<V, TowardOrigin>(a, b, start, until)
}

#[inline(always)]
fn search<V: Vector, P: DirectionRule>(
    a: &impl Support,
    b: &impl Support,
    (mut simplex, mut offset): (Simplex<V>, V),
    until: StopCriteria,
) -> GjkOutcome<V> {
    let mut length_sq = offset.length_sq();
    let (mut at_least, mut widest) = (f64::NEG_INFINITY, offset.rounded());
    let mut pace = P::default();
    for _ in bounded(LimitedSearch::Gjk, MAX_STEPS) {
        let (direction, length) = (offset.rounded(), length_sq.rounded().sqrt());
        if length <= until.close {
            return GjkOutcome::Close(simplex);
        }
        let aimed = pace.next_direction(direction, length);
        let towards = aimed.unwrap_or(direction);
        let height = |vertex: &Vertex<V>| match aimed {
            Some(aim) => vertex.w.rounded().dot(aim) / aim.length(),
            None => vertex.w.dot(offset).rounded() / length,
        };
        let ends = |vertex: &Vertex<V>, along: f64| {
            along > until.beyond || length - along <= until.gap || aimed.is_none() && simplex.holds(vertex)
        };
        let vertex = Vertex::<V>::new(a.support(-towards), b.support(towards));
        let along = height(&vertex);
        let ends = ends(&vertex, along);
        pace.record(towards, vertex.w.rounded(), length - along);
        if along > at_least {
            (at_least, widest) = (along, towards);
        }
        if ends {
            break;
        }
        let gained = length_sq.rounded() - vertex.w.dot(offset).rounded();
        if aimed.is_some() && (simplex.holds(&vertex) || gained <= until.gap * length) {
            // The support point comes no nearer: the next iteration searches along `offset`.
            continue;
        }
        let kept = simplex;
        match simplex.advance(vertex) {
            // Corners nearly in one plane may seem to enclose the origin, although a plane is known to separate it from
            // them.
            Origin::Inside if at_least > until.close => {
                simplex.drop_last();
                break;
            }
            Origin::Inside => return GjkOutcome::Inside(simplex),
            // If small features are near and large ones far, an iteration may turn `offset` more than it shortens it.
            Origin::Nearest(nearer) if simplex.holds(&vertex) => {
                offset = nearer;
                length_sq = nearer.length_sq();
            }
            Origin::Nearest(_) if aimed.is_some() => simplex = kept,
            Origin::Nearest(_) => break,
        }
    }
    let length = length_sq.rounded().sqrt();
    GjkOutcome::Disjoint(GjkSeparation { simplex, length, at_least, offset: widest })
}
