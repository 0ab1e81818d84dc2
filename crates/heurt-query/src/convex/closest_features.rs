//! Closest-feature search of two placed hulls, from feature to neighbouring feature (Lin and Canny 1991; Mirtich's
//! V-Clip 1998; S0 §4.4).
//!
//! In: two placed hulls of any dimension, and initial features: the features of the previous step, if there was one.
//! Out: [`Outcome`]: the nearest features, the nearest points on them, and bounds of the distance.
//! Method: the nearest points of two features are nearest of all if each lies in the Voronoi region of the opposite
//! feature: no neighbour of the feature leads towards the point. Otherwise a neighbour that does replaces the feature.
//! Differences: after each step both features are reduced to the smallest ones that hold the nearest points. Only
//! corners, edges and corners over facets remain. All steps except a counted few come strictly nearer. No region is
//! trusted at the end: the support points of both hulls along the direction prove the distance.
//! Guarantees: `at_least` ≤ distance ≤ `length` up to [`ROUNDING`] ulp; at most [`MAX_STEPS`] steps. Not guaranteed: an
//! answer. Hulls that overlap, touch or are nearer than rounding errors give [`Outcome::Undecided`]. If both bounds do
//! not meet, rounding errors have spoilt the search, and `gjk` is the method to use. In 40,000 hard pairs
//! (`HEURT_METHOD_PAIRS=40000 cargo test -p heurt-query --test it method::`), 99 % of the pairs farther from each other
//! than 64 ulp are proved.
//! Cost: with the right features one step, O(edges at a corner, corners of a facet), and two support points. Otherwise
//! there is one step for each feature on the path; an edge against a facet costs the most.

use super::sat::{accurate_cross, normal_of};
use crate::answer::feature::Feature;
use crate::convex::support::{PlacedHull, Support};
use crate::numeric::iteration_limits::{LimitedSearch, reached};
use heurt_geometry::Vec3;
use heurt_shape::{Facet, Hull};

/// Maximum number of steps; without initial features, hulls of a hundred corners take approximately ten.
const MAX_STEPS: u32 = 128;
/// Maximum number of steps that need not come nearer: steps from behind a facet to the opposite side, and steps whose
/// progress is lost in the rounding of squares.
const MAX_FREE: u32 = 16;
/// Bound of the rounding error of a height along a unit vector, in ε of the largest coordinate.
const ROUNDING: f64 = 8.0;
/// Maximum difference of both bounds of a distance, in ε of the largest coordinate.
const MAX_ERROR: f64 = 32.0;
/// Maximum slope that is a rounding error.
const LEVEL: f64 = 8.0 * f64::EPSILON;
/// Squared sine of an angle below which edges count as nearly parallel.
const NEARLY_PARALLEL: f64 = 1e-6;

/// A feature of A and a feature of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features {
    /// A corner, edge or facet of A.
    pub a: Feature,
    /// A corner, edge or facet of B.
    pub b: Feature,
}

/// The outcome of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    /// The hulls are provably disjoint.
    Disjoint(ClosestPair),
    /// The hulls overlap, touch, or are nearer than rounding errors.
    Undecided,
}

/// The nearest points of two hulls, in the unit of their placement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosestPair {
    pub features: Features,
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// The distance between both points.
    pub length: f64,
    /// A lower bound of the distance: the gap along `normal`, less the bound of its rounding error.
    pub at_least: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Bounds the error of `length`.
    pub error: f64,
    /// Above this error, rounding errors have spoilt the search.
    pub most_error: f64,
    /// Number of pairs of features that were tested.
    pub steps: u32,
}

/// The nearest points of two features, and the least features that hold them.
#[derive(Debug, Clone, Copy)]
struct NearestFeatures {
    features: Features,
    on_a: Vec3,
    on_b: Vec3,
    /// Vector from A to B, made perpendicular to the features; zero if they cross.
    offset: Vec3,
}

impl NearestFeatures {
    fn swapped(self) -> Self {
        let features = Features { a: self.features.b, b: self.features.a };
        Self { features, on_a: self.on_b, on_b: self.on_a, offset: -self.offset }
    }

    fn length_sq(&self) -> f64 {
        (self.on_b - self.on_a).length_squared()
    }

    /// Tests whether other features are as near: a slope of 1e-10 is worth a step, but its square is lost in rounding.
    fn is_level_with(&self, other: &Self) -> bool {
        self.length_sq() <= other.length_sq() * (1.0 + LEVEL) && self.features != other.features
    }

    fn or_nearer(self, other: Self) -> Self {
        if other.length_sq() < self.length_sq() { other } else { self }
    }
}

/// The next step from a feature.
enum Move {
    /// No neighbour leads towards the point.
    Stay,
    /// To a neighbour, if the neighbour comes nearer.
    Neighbour(Feature),
    /// The point is behind the current facet and in front of this facet.
    Across(Feature),
    /// The point is behind all facets.
    Inside,
}

/// Searches the closest features of two hulls, beginning with `start` if it names features of them.
pub(crate) fn closest_features(a: &PlacedHull<'_>, b: &PlacedHull<'_>, start: Option<Features>) -> Outcome {
    let start = start.and_then(|start| known(a.hull, b.hull, start)).unwrap_or_else(|| towards_each_other(a, b));
    let mut now = nearest(a, b, start);
    let (mut steps, mut free) = (1, 0);
    'search: while now.offset != Vec3::ZERO {
        let of_a = next(a, now.features.a, now.on_b, now.offset);
        let of_b = next(b, now.features.b, now.on_a, -now.offset);
        for (is_b, what) in [(false, of_a), (true, of_b)] {
            let (to, is_across) = match what {
                Move::Stay => continue,
                Move::Neighbour(to) => (to, false),
                Move::Across(to) => (to, true),
                Move::Inside => return Outcome::Undecided,
            };
            if steps == MAX_STEPS {
                reached(LimitedSearch::ClosestFeatures);
                return Outcome::Undecided;
            }
            let features = if is_b { Features { b: to, ..now.features } } else { Features { a: to, ..now.features } };
            let then = nearest(a, b, features);
            steps += 1;
            let is_nearer = then.length_sq() < now.length_sq();
            let is_level = !is_across && then.is_level_with(&now);
            if !is_nearer && is_level && is_tight(&proved(a, b, &now, steps)) {
                continue;
            }
            if is_nearer || (free < MAX_FREE && (is_across || is_level)) {
                free += u32::from(!is_nearer);
                now = then;
                continue 'search;
            }
        }
        return proved(a, b, &now, steps);
    }
    Outcome::Undecided
}

/// Tests whether the difference of both bounds is within its promised maximum.
fn is_tight(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Disjoint(found) if found.error <= found.most_error)
}

/// Bounds the distance; the direction across the features may prove more than the direction between the points, or
/// less.
fn proved(a: &PlacedHull<'_>, b: &PlacedHull<'_>, now: &NearestFeatures, steps: u32) -> Outcome {
    let ulp = f64::EPSILON * reach(a).max(reach(b));
    // A lower bound needs the support points among all corners.
    let gap_along = |offset: Vec3| {
        let normal = offset.normalize_or_zero();
        let (on_a, on_b) = (a.support(normal).point, b.support(-normal).point);
        (normal.dot(on_b - on_a), normal)
    };
    let length = now.length_sq().sqrt();
    let (mut at_least, mut normal) = gap_along(now.offset);
    if length - at_least > ROUNDING * ulp {
        let (other, along) = gap_along(now.on_b - now.on_a);
        if other > at_least {
            (at_least, normal) = (other, along);
        }
    }
    at_least -= ROUNDING * ulp;
    if at_least.is_nan() || at_least <= 0.0 {
        return Outcome::Undecided;
    }
    let NearestFeatures { features, on_a, on_b, .. } = *now;
    let (error, most_error) = ((length - at_least).max(0.0) + 0.5 * ROUNDING * ulp, MAX_ERROR * ulp);
    Outcome::Disjoint(ClosestPair { features, on_a, on_b, length, at_least, normal, error, most_error, steps })
}

/// Returns the largest coordinate that is computed for a hull.
fn reach(placed: &PlacedHull<'_>) -> f64 {
    (placed.hull.max_coordinate() + placed.pose.max_translation()) * placed.unit
}

fn corner_of(hull: &Hull, feature: Feature) -> u32 {
    match feature {
        Feature::Corner(corner) | Feature::Edge(corner, _) => corner,
        Feature::Face(face) => hull.facets()[face as usize].corners[0],
        Feature::Curved => 0,
    }
}

/// Returns the features if the hulls have them. An edge replaces one of two facets: facets are nearest at the rim of
/// one.
fn known(a: &Hull, b: &Hull, Features { a: of_a, b: of_b }: Features) -> Option<Features> {
    let has = |hull: &Hull, feature: Feature| match feature {
        Feature::Corner(corner) => (corner as usize) < hull.corners().len(),
        Feature::Edge(from, to) => facets_beside(hull, from, to).is_some(),
        Feature::Face(face) => (face as usize) < hull.facets().len(),
        Feature::Curved => false,
    };
    if !has(a, of_a) || !has(b, of_b) {
        return None;
    }
    let of_a = match (of_a, of_b) {
        (Feature::Face(face), Feature::Face(_)) => {
            let corners = &a.facets()[face as usize].corners;
            edge(corners[0], corners[1])
        }
        _ => of_a,
    };
    Some(Features { a: of_a, b: of_b })
}

/// Returns the corners that face the middle of the opposite hull.
fn towards_each_other(a: &PlacedHull<'_>, b: &PlacedHull<'_>) -> Features {
    let offset = b.middle() - a.middle();
    Features { a: Feature::Corner(a.support(offset).name), b: Feature::Corner(b.support(-offset).name) }
}

/// Builds an edge from its ends, in the order of [`Hull::edges`].
fn edge(one: u32, other: u32) -> Feature {
    let [from, to] = sorted([one, other]);
    Feature::Edge(from, to)
}

/// Returns the facets to the left and right of an edge; `None` if there is no such edge, `Some(None)` for a segment.
fn facets_beside(hull: &Hull, from: u32, to: u32) -> Option<Option<[u32; 2]>> {
    let edges = hull.edges();
    let found = edges.binary_search_by(|edge| edge.ends.cmp(&[from, to])).ok()?;
    Some(edges[found].facets)
}

/// Finds the step by which a hull comes nearer to `point` than at the nearest point of `feature`; `offset` leads from
/// there to `point`.
fn next(placed: &PlacedHull<'_>, feature: Feature, point: Vec3, offset: Vec3) -> Move {
    let offset = offset.normalize_or_zero();
    match feature {
        Feature::Corner(corner) => steepest_edge(placed, corner, offset),
        Feature::Edge(from, to) => steepest_facet(placed, [from, to], offset),
        Feature::Face(face) if normal_of(placed, &placed.hull.facets()[face as usize]).dot(offset) <= 0.0 => {
            farthest_facet(placed, point)
        }
        Feature::Face(_) | Feature::Curved => Move::Stay,
    }
}

fn steepest_edge(placed: &PlacedHull<'_>, corner: u32, offset: Vec3) -> Move {
    let from = placed.place(corner);
    let (mut best, mut steepest) = (Move::Stay, LEVEL);
    for &other in placed.hull.neighbours(corner) {
        let slope = offset.dot((placed.place(other) - from).normalize_or_zero());
        // Neighbours across a facet are not joined by an edge.
        let is_edge = || facets_beside(placed.hull, corner.min(other), corner.max(other)).is_some();
        if slope > steepest && is_edge() {
            (best, steepest) = (Move::Neighbour(edge(corner, other)), slope);
        }
    }
    best
}

fn steepest_facet(placed: &PlacedHull<'_>, ends: [u32; 2], offset: Vec3) -> Move {
    let Some(Some(facets)) = facets_beside(placed.hull, ends[0], ends[1]) else { return Move::Stay };
    let along = placed.place(ends[1]) - placed.place(ends[0]);
    let (mut best, mut steepest) = (Move::Stay, LEVEL);
    for (face, along) in facets.into_iter().zip([along, -along]) {
        let inwards = normal_of(placed, &placed.hull.facets()[face as usize]).cross(along).normalize_or_zero();
        let slope = offset.dot(inwards);
        if slope > steepest {
            (best, steepest) = (Move::Neighbour(Feature::Face(face)), slope);
        }
    }
    best
}

/// Finds the facet above which a point is highest.
fn farthest_facet(placed: &PlacedHull<'_>, point: Vec3) -> Move {
    let (mut best, mut farthest) = (Move::Inside, 0.0);
    for (face, facet) in (0u32..).zip(placed.hull.facets()) {
        let height = normal_of(placed, facet).dot(point - placed.place(facet.corners[0]));
        if height > farthest {
            (best, farthest) = (Move::Across(Feature::Face(face)), height);
        }
    }
    best
}

/// Finds the nearest points of two features.
fn nearest(a: &PlacedHull<'_>, b: &PlacedHull<'_>, Features { a: of_a, b: of_b }: Features) -> NearestFeatures {
    use Feature::{Corner, Edge, Face};
    match (of_a, of_b) {
        (Corner(p), Corner(q)) => corner_corner(a, p, b, q),
        (Corner(p), Edge(r, s)) => corner_edge(a, p, b, [r, s]),
        (Corner(p), Face(f)) => corner_face(a, p, b, f),
        (Edge(p, q), Edge(r, s)) => edge_edge(a, [p, q], b, [r, s]),
        (Edge(p, q), Face(f)) => edge_face(a, [p, q], b, f),
        (Edge(p, q), Corner(r)) => corner_edge(b, r, a, [p, q]).swapped(),
        (Face(f), Corner(p)) => corner_face(b, p, a, f).swapped(),
        (Face(f), Edge(p, q)) => edge_face(b, [p, q], a, f).swapped(),
        // No step leads here; see `known`.
        _ => corner_corner(a, corner_of(a.hull, of_a), b, corner_of(b.hull, of_b)),
    }
}

fn corner_corner(a: &PlacedHull<'_>, p: u32, b: &PlacedHull<'_>, q: u32) -> NearestFeatures {
    let (on_a, on_b) = (a.place(p), b.place(q));
    NearestFeatures {
        features: Features { a: Feature::Corner(p), b: Feature::Corner(q) },
        on_a,
        on_b,
        offset: on_b - on_a,
    }
}

fn corner_edge(a: &PlacedHull<'_>, p: u32, b: &PlacedHull<'_>, ends: [u32; 2]) -> NearestFeatures {
    let (on_a, [from, to]) = (a.place(p), ends.map(|end| b.place(end)));
    let along = to - from;
    let whole = along.length_squared();
    let share = (on_a - from).dot(along) / whole;
    if share >= 1.0 {
        return corner_corner(a, p, b, ends[1]);
    }
    // Ends that are placed at one point give no share.
    if share.is_nan() || share <= 0.0 {
        return corner_corner(a, p, b, ends[0]);
    }
    let on_b = from + along * share;
    let offset = on_b - on_a;
    let offset = offset - along * (offset.dot(along) / whole);
    NearestFeatures { features: Features { a: Feature::Corner(p), b: edge(ends[0], ends[1]) }, on_a, on_b, offset }
}

fn edge_edge(a: &PlacedHull<'_>, of_a: [u32; 2], b: &PlacedHull<'_>, of_b: [u32; 2]) -> NearestFeatures {
    let ([p, q], [r, s]) = (of_a.map(|end| a.place(end)), of_b.map(|end| b.place(end)));
    let (u, v, between) = (q - p, s - r, r - p);
    let normal = accurate_cross(u, v);
    let whole = normal.length_squared();
    // At the nearest points of the lines, between + share_b · v − share_a · u is parallel to the normal.
    let share_a = normal.dot(between.cross(v)) / whole;
    let share_b = normal.dot(between.cross(u)) / whole;
    let is_inner = |share: f64| share > 0.0 && share < 1.0;
    let features = Features { a: edge(of_a[0], of_a[1]), b: edge(of_b[0], of_b[1]) };
    let (on_a, on_b) = (p + u * share_a, r + v * share_b);
    let crossing = NearestFeatures { features, on_a, on_b, offset: normal * (normal.dot(between) / whole) };
    let crossing = (is_inner(share_a) && is_inner(share_b)).then_some(crossing);
    if let Some(crossing) = crossing
        && whole > NEARLY_PARALLEL * u.length_squared() * v.length_squared()
    {
        return crossing;
    }
    let ends = corner_edge(a, of_a[0], b, of_b)
        .or_nearer(corner_edge(a, of_a[1], b, of_b))
        .or_nearer(corner_edge(b, of_b[0], a, of_a).swapped())
        .or_nearer(corner_edge(b, of_b[1], a, of_a).swapped());
    crossing.map_or(ends, |crossing| ends.or_nearer(crossing))
}

fn corner_face(a: &PlacedHull<'_>, p: u32, b: &PlacedHull<'_>, face: u32) -> NearestFeatures {
    let facet = &b.hull.facets()[face as usize];
    let normal = normal_of(b, facet);
    let on_a = a.place(p);
    if is_over(b, facet, normal, on_a) {
        let offset = normal * -height(b, facet, normal, on_a);
        let features = Features { a: Feature::Corner(p), b: Feature::Face(face) };
        return NearestFeatures { features, on_a, on_b: on_a + offset, offset };
    }
    rim(facet)
        .map(|side| corner_edge(a, p, b, sorted(side)))
        .fold(corner_corner(a, p, b, facet.corners[0]), NearestFeatures::or_nearer)
}

fn edge_face(a: &PlacedHull<'_>, ends: [u32; 2], b: &PlacedHull<'_>, face: u32) -> NearestFeatures {
    let facet = &b.hull.facets()[face as usize];
    let normal = normal_of(b, facet);
    let [p, q] = ends.map(|end| a.place(end));
    let [above, below] = [p, q].map(|end| height(b, facet, normal, end));
    if above * below < 0.0 {
        let crossing = p + (q - p) * (above / (above - below));
        if is_over(b, facet, normal, crossing) {
            let features = Features { a: edge(ends[0], ends[1]), b: Feature::Face(face) };
            return NearestFeatures { features, on_a: crossing, on_b: crossing, offset: Vec3::ZERO };
        }
    }
    let least = corner_face(a, ends[0], b, face).or_nearer(corner_face(a, ends[1], b, face));
    rim(facet).map(|side| edge_edge(a, ends, b, sorted(side))).fold(least, NearestFeatures::or_nearer)
}

/// Returns the height of a point above the plane of a facet.
fn height(placed: &PlacedHull<'_>, facet: &Facet, normal: Vec3, point: Vec3) -> f64 {
    normal.dot(point - placed.place(facet.corners[0]))
}

/// Tests whether the foot of the perpendicular from a point lies on the facet.
fn is_over(placed: &PlacedHull<'_>, facet: &Facet, normal: Vec3, point: Vec3) -> bool {
    rim(facet).all(|side| {
        let [from, to] = side.map(|end| placed.place(end));
        normal.cross(to - from).dot(point - from) >= 0.0
    })
}

/// Sorts the ends of an edge, so that the features found have the same bits if the search begins with them.
fn sorted([from, to]: [u32; 2]) -> [u32; 2] {
    [from.min(to), from.max(to)]
}

/// Lists the edges of a facet in order.
fn rim(facet: &Facet) -> impl Iterator<Item = [u32; 2]> {
    let corners = &facet.corners;
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
}
