//! The closest features of two placed hulls, found from feature to neighbouring feature (Lin and Canny 1991; Mirtich's
//! V-Clip 1998; S0 §4.4).
//!
//! In: two hulls on their poses, of any dimension, and features to begin with: those of the step before, where there
//! was one.
//! Out: [`Outcome`]: the features that are nearest, the points on them, the distance between bounds.
//! Method: the nearest points of two features are nearest of all when each lies in the Voronoi region of the other's
//! feature: nothing that begins at the feature leads towards the point. Else a neighbour that does comes in its place.
//! Where ours differs: after each step both features are cut down to the least ones that hold the nearest points, so
//! that only corners, edges and corners over facets remain; but for a counted few, steps come strictly nearer; and no
//! region is trusted in the end: the distance is proved by the support points of both hulls along the way.
//! Guarantees: `at_least` ≤ distance ≤ `length` but for [`ROUNDING`] ulp; at most [`MAX_STEPS`] steps. Not guaranteed:
//! an answer. Hulls that overlap, touch or are nearer than roundings are [`Outcome::Undecided`], and where both bounds
//! do not meet, roundings have spoilt the search; `gjk` is the one to ask then. Of 40,000 hard pairs
//! (HEURT_METHOD_PAIRS=40000 cargo test -p heurt-query --test method), 99 % of those that are farther from each other
//! than 64 ulp are proved.
//! Cost: with the right features one step, O(edges round a corner, corners of a facet), and two support points; else a
//! step for each feature on the way, an edge against a facet being the dearest.

use super::sat::{accurate_cross, normal_of};
use crate::answer::feature::Feature;
use crate::convex::support::{PlacedHull, Support};
use crate::numeric::iteration_limits::{LimitedSearch, reached};
use heurt_geometry::Vec3;
use heurt_shape::{Facet, Hull};

/// Steps at most; begun afresh, hulls of a hundred corners take about ten.
const MAX_STEPS: u32 = 128;
/// How many steps need not come nearer: those from behind a facet to the other side, and those that come nearer by less
/// than squares tell.
const MAX_FREE: u32 = 16;
/// What roundings leave open of a height along a unit vector, in ε of the largest coordinate.
const ROUNDING: f64 = 8.0;
/// What both bounds of a distance may differ by, in the same.
const MAX_ERROR: f64 = 32.0;
/// A slope that is none but for roundings.
const LEVEL: f64 = 8.0 * f64::EPSILON;
/// Squared sine of an angle below which edges count as nearly parallel.
const NEARLY_PARALLEL: f64 = 1e-6;

/// A feature of A and one of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Features {
    /// A corner, edge or facet of A.
    pub a: Feature,
    /// A corner, edge or facet of B.
    pub b: Feature,
}

/// How the search ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    /// The hulls are provably disjoint.
    Apart(ClosestPair),
    /// They overlap, touch, or are nearer than roundings tell.
    Undecided,
}

/// Where two hulls are nearest, in the unit of their placement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosestPair {
    pub features: Features,
    pub on_a: Vec3,
    pub on_b: Vec3,
    /// Between both points.
    pub length: f64,
    /// A lower bound of the distance: the gap along `normal`, above what roundings leave open.
    pub at_least: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// Bounds the error of `length`.
    pub error: f64,
    /// Above this error roundings have spoilt the search.
    pub most_error: f64,
    /// How many pairs of features were looked at.
    pub steps: u32,
}

/// The nearest points of two features, and the least features that hold them.
#[derive(Debug, Clone, Copy)]
struct NearestFeatures {
    features: Features,
    on_a: Vec3,
    on_b: Vec3,
    /// From A to B, made perpendicular to the features; zero where they cross.
    way: Vec3,
}

impl NearestFeatures {
    fn swapped(self) -> Self {
        let features = Features { a: self.features.b, b: self.features.a };
        Self { features, on_a: self.on_b, on_b: self.on_a, way: -self.way }
    }

    fn length_sq(&self) -> f64 {
        (self.on_b - self.on_a).length_squared()
    }

    /// Other features, as near: a slope of 1e-10 is worth a step, but its square is lost among roundings.
    fn is_level_with(&self, other: &Self) -> bool {
        self.length_sq() <= other.length_sq() * (1.0 + LEVEL) && self.features != other.features
    }

    fn or_nearer(self, other: Self) -> Self {
        if other.length_sq() < self.length_sq() { other } else { self }
    }
}

/// Where to go from a feature.
enum Move {
    /// Nothing that begins here leads towards the point.
    Stay,
    /// To a neighbour, if that comes nearer.
    Neighbour(Feature),
    /// The point is behind this facet and before that one.
    Across(Feature),
    /// The point is behind all facets.
    Inside,
}

/// Searches the closest features of two hulls, beginning with `start` where it names features of them.
pub(crate) fn closest_features(a: &PlacedHull<'_>, b: &PlacedHull<'_>, start: Option<Features>) -> Outcome {
    let start = start.and_then(|start| known(a.hull, b.hull, start)).unwrap_or_else(|| towards_each_other(a, b));
    let mut now = nearest(a, b, start);
    let (mut steps, mut free) = (1, 0);
    'search: while now.way != Vec3::ZERO {
        let of_a = next(a, now.features.a, now.on_b, now.way);
        let of_b = next(b, now.features.b, now.on_a, -now.way);
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

/// Both bounds are as near to each other as is promised.
fn is_tight(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Apart(found) if found.error <= found.most_error)
}

/// The distance between bounds; the way across the features may be better than that between the points, or the reverse.
fn proved(a: &PlacedHull<'_>, b: &PlacedHull<'_>, now: &NearestFeatures, steps: u32) -> Outcome {
    let ulp = f64::EPSILON * reach(a).max(reach(b));
    // What proves a distance must be the farthest of all.
    let gap_along = |way: Vec3| {
        let normal = way.normalize_or_zero();
        let (on_a, on_b) = (a.support(normal).point, b.support(-normal).point);
        (normal.dot(on_b - on_a), normal)
    };
    let length = now.length_sq().sqrt();
    let (mut at_least, mut normal) = gap_along(now.way);
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
    Outcome::Apart(ClosestPair { features, on_a, on_b, length, at_least, normal, error, most_error, steps })
}

/// The largest coordinate that is made of a hull.
fn reach(placed: &PlacedHull<'_>) -> f64 {
    (placed.hull.reach() + placed.pose.span()) * placed.unit
}

fn corner_of(hull: &Hull, feature: Feature) -> u32 {
    match feature {
        Feature::Corner(corner) | Feature::Edge(corner, _) => corner,
        Feature::Face(face) => hull.facets()[face as usize].corners[0],
        Feature::Curved => 0,
    }
}

/// The features if hulls have them. Of two facets one makes way for an edge: facets are nearest at the rim of one.
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

/// The corners that face the middle of the other hull.
fn towards_each_other(a: &PlacedHull<'_>, b: &PlacedHull<'_>) -> Features {
    let way = b.middle() - a.middle();
    Features { a: Feature::Corner(a.support(way).name), b: Feature::Corner(b.support(-way).name) }
}

/// An edge by its ends in the order of [`Hull::edges`].
fn edge(one: u32, other: u32) -> Feature {
    let [from, to] = sorted([one, other]);
    Feature::Edge(from, to)
}

/// The facets to the left and right of an edge; `None` where there is no such edge, `Some(None)` for a segment.
fn facets_beside(hull: &Hull, from: u32, to: u32) -> Option<Option<[u32; 2]>> {
    let edges = hull.edges();
    let found = edges.binary_search_by(|edge| edge.ends.cmp(&[from, to])).ok()?;
    Some(edges[found].facets)
}

/// Where a hull comes nearer to `point` than at the nearest point of `feature`, from which `way` leads there.
fn next(placed: &PlacedHull<'_>, feature: Feature, point: Vec3, way: Vec3) -> Move {
    let way = way.normalize_or_zero();
    match feature {
        Feature::Corner(corner) => steepest_edge(placed, corner, way),
        Feature::Edge(from, to) => steepest_facet(placed, [from, to], way),
        Feature::Face(face) if normal_of(placed, &placed.hull.facets()[face as usize]).dot(way) <= 0.0 => {
            farthest_facet(placed, point)
        }
        Feature::Face(_) | Feature::Curved => Move::Stay,
    }
}

fn steepest_edge(placed: &PlacedHull<'_>, corner: u32, way: Vec3) -> Move {
    let from = placed.place(corner);
    let (mut best, mut steepest) = (Move::Stay, LEVEL);
    for &other in placed.hull.neighbours(corner) {
        let slope = way.dot((placed.place(other) - from).normalize_or_zero());
        // Neighbours across a facet are no edges.
        let is_edge = || facets_beside(placed.hull, corner.min(other), corner.max(other)).is_some();
        if slope > steepest && is_edge() {
            (best, steepest) = (Move::Neighbour(edge(corner, other)), slope);
        }
    }
    best
}

fn steepest_facet(placed: &PlacedHull<'_>, ends: [u32; 2], way: Vec3) -> Move {
    let Some(Some(facets)) = facets_beside(placed.hull, ends[0], ends[1]) else { return Move::Stay };
    let along = placed.place(ends[1]) - placed.place(ends[0]);
    let (mut best, mut steepest) = (Move::Stay, LEVEL);
    for (face, along) in facets.into_iter().zip([along, -along]) {
        let inwards = normal_of(placed, &placed.hull.facets()[face as usize]).cross(along).normalize_or_zero();
        let slope = way.dot(inwards);
        if slope > steepest {
            (best, steepest) = (Move::Neighbour(Feature::Face(face)), slope);
        }
    }
    best
}

/// The facet that a point is farthest before.
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

/// The nearest points of two features.
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
        way: on_b - on_a,
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
    // Ends that are placed in one point leave no share.
    if share.is_nan() || share <= 0.0 {
        return corner_corner(a, p, b, ends[0]);
    }
    let on_b = from + along * share;
    let way = on_b - on_a;
    let way = way - along * (way.dot(along) / whole);
    NearestFeatures { features: Features { a: Feature::Corner(p), b: edge(ends[0], ends[1]) }, on_a, on_b, way }
}

fn edge_edge(a: &PlacedHull<'_>, of_a: [u32; 2], b: &PlacedHull<'_>, of_b: [u32; 2]) -> NearestFeatures {
    let ([p, q], [r, s]) = (of_a.map(|end| a.place(end)), of_b.map(|end| b.place(end)));
    let (u, v, between) = (q - p, s - r, r - p);
    let normal = accurate_cross(u, v);
    let whole = normal.length_squared();
    // Where the lines are nearest: between + share_b · v − share_a · u is parallel to the normal.
    let share_a = normal.dot(between.cross(v)) / whole;
    let share_b = normal.dot(between.cross(u)) / whole;
    let is_inner = |share: f64| share > 0.0 && share < 1.0;
    let features = Features { a: edge(of_a[0], of_a[1]), b: edge(of_b[0], of_b[1]) };
    let (on_a, on_b) = (p + u * share_a, r + v * share_b);
    let crossing = NearestFeatures { features, on_a, on_b, way: normal * (normal.dot(between) / whole) };
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
        let way = normal * -height(b, facet, normal, on_a);
        let features = Features { a: Feature::Corner(p), b: Feature::Face(face) };
        return NearestFeatures { features, on_a, on_b: on_a + way, way };
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
            return NearestFeatures { features, on_a: crossing, on_b: crossing, way: Vec3::ZERO };
        }
    }
    let least = corner_face(a, ends[0], b, face).or_nearer(corner_face(a, ends[1], b, face));
    rim(facet).map(|side| edge_edge(a, ends, b, sorted(side))).fold(least, NearestFeatures::or_nearer)
}

/// How far a point is above the plane of a facet.
fn height(placed: &PlacedHull<'_>, facet: &Facet, normal: Vec3, point: Vec3) -> f64 {
    normal.dot(point - placed.place(facet.corners[0]))
}

/// Reports whether the foot of the perpendicular from a point lies on the facet.
fn is_over(placed: &PlacedHull<'_>, facet: &Facet, normal: Vec3, point: Vec3) -> bool {
    rim(facet).all(|side| {
        let [from, to] = side.map(|end| placed.place(end));
        normal.cross(to - from).dot(point - from) >= 0.0
    })
}

/// An edge is always run the same way, so that features found are the same to the last bit when the search begins with
/// them.
fn sorted([from, to]: [u32; 2]) -> [u32; 2] {
    [from.min(to), from.max(to)]
}

/// The edges of a facet in turn.
fn rim(facet: &Facet) -> impl Iterator<Item = [u32; 2]> {
    let corners = &facet.corners;
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
}
