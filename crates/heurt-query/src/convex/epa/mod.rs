//! Penetration depth of two convex sets by the expanding polytope algorithm (van den Bergen 2001), certified from both
//! sides: the facet of A − B nearest to the origin.
//!
//! In: two sets given by their support points, and a simplex of A − B that holds the origin, or a tetrahedron that
//! perhaps does ([`grown`]). Out: [`Depth`].
//! Method: a closed polytope within A − B, around the origin, grows at its nearest facet until the support point along
//! the normal there adds nothing. Any support point bounds the depth from above. The least lower bound of all facets
//! bounds it from below. The lower bound of a facet is the least height of its corners along its normal, and holds
//! however wrong the normal is. Facets are not merged, and a facet that is too thin to have a normal only weakens the
//! bound.
//! Guarantees: `at_least` ≤ depth ≤ `at_most`; at most [`MAX_CORNERS`] corners. If rounding turns the polytope inside
//! out, the bounds found before count. Not guaranteed: that both bounds meet; a caller that needs tight bounds compares
//! them.

pub(crate) mod initial_tetrahedron;

use crate::convex::gjk::simplex::{Simplex, Vertex, on_triangle};
use crate::convex::support::Support;
use crate::numeric::iteration_limits::{LimitedSearch, reached};
use heurt_geometry::{Sign, Vec3, orient3d, robust_normalize};
use smallvec::SmallVec;

/// Maximum number of corners of the polytope; hulls of a hundred corners take approximately thirty.
pub(crate) const MAX_CORNERS: usize = 220;

/// The penetration depth of two sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    pub at_least: f64,
    pub at_most: f64,
    /// Unit vector from A to B: B moved along it by the depth only touches A.
    pub normal: Vec3,
    /// The points that touch after the move, at their present positions.
    pub on_a: Vec3,
    pub on_b: Vec3,
}

/// Cosine of the angle (0.3 rad) beyond which a normal is off.
pub(crate) const ASIDE: f64 = 0.955_336;
/// Maximum number of corners that the polytope grows by at facets whose normals are off. `SETTLED`: the factor by which
/// a support point must exceed the bound of such a facet.
const MAX_ASIDE: usize = 8;
const SETTLED: f64 = 1.02;

/// Square of the sine below which a facet is a needle.
const THIN_SQ: f64 = 1e-12;

#[derive(Clone, Copy)]
struct Facet {
    corners: [u8; 3],
    /// The facet across the edge from corner k to the next; `edges` is the number of that edge in it.
    beside: [u8; 3],
    edges: [u8; 3],
    is_alive: bool,
    normal: Vec3,
    /// Lower bound of the distance of its points from the origin.
    at_least: f64,
    /// Square of the height off the plane up to which the sign of a height is a rounding error, as the facet is thin.
    room_sq: f64,
}

/// Keys in groups of four; infinite for an empty place.
#[derive(Default)]
struct Keys {
    groups: SmallVec<[[f64; WIDE]; 24]>,
}

/// Number of keys that are compared together.
const WIDE: usize = 4;

impl Keys {
    #[inline(always)]
    fn set(&mut self, place: u8, key: f64) {
        let place = usize::from(place);
        if place / WIDE == self.groups.len() {
            self.groups.push([f64::INFINITY; WIDE]);
        }
        self.groups[place / WIDE][place % WIDE] = key;
    }

    /// Returns the place of the least key and that key; the first of equals.
    #[inline(always)]
    fn least(&self) -> (u8, f64) {
        let (mut least, mut groups) = ([f64::INFINITY; WIDE], [0u64; WIDE]);
        for (number, keys) in self.groups.iter().enumerate() {
            for k in 0..WIDE {
                let is_less = keys[k] < least[k];
                least[k] = if is_less { keys[k] } else { least[k] };
                groups[k] = if is_less { number as u64 } else { groups[k] };
            }
        }
        let place = |k: usize| groups[k] as usize * WIDE + k;
        let nearer = |k: usize, l: usize| {
            let is_first = least[k] < least[l] || least[k] == least[l] && place(k) < place(l);
            if is_first { k } else { l }
        };
        let best = nearer(nearer(0, 1), nearer(2, 3));
        (place(best) as u8, least[best])
    }
}

/// Returns the lesser of two numbers; `f64::min` would handle `NaN` on either side.
#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

struct Polytope {
    corners: SmallVec<[Vertex; 48]>,
    facets: SmallVec<[Facet; 96]>,
    /// Lower bounds of distances; infinite for facets that need no further test.
    keys: Keys,
    free: SmallVec<[u8; 32]>,
    rounding: f64,
}

/// Computes the depth within `gap`, if the search reaches that; `rounding` is the error of a coordinate of A − B.
#[inline(always)]
pub(crate) fn depth(a: &impl Support, b: &impl Support, start: &Simplex, gap: f64, rounding: f64) -> Option<Depth> {
    let until = ExpansionLimits { gap, rounding, wants_aside: false };
    expand_from_simplex(a, b, start, until).map(|ExpansionResult { depth, .. }| depth)
}

/// The limits of an expansion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpansionLimits {
    /// Maximum difference of the bounds of the depth at the end.
    pub gap: f64,
    /// The error of a coordinate of A − B.
    pub rounding: f64,
    pub wants_aside: bool,
}

/// A depth, and further results of an expansion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpansionResult {
    pub depth: Depth,
    /// Minimum distance of the origin from all facets whose normals are more than [`ASIDE`] off, if `wants_aside`;
    /// otherwise 0.
    pub aside: f64,
    /// Names of the corners of the nearest facet.
    pub names: [[u32; 2]; 3],
}

/// Computes [`depth`] and the further results of [`ExpansionResult`].
#[inline(always)]
pub(crate) fn expand_from_simplex(
    a: &impl Support,
    b: &impl Support,
    start: &Simplex,
    until: ExpansionLimits,
) -> Option<ExpansionResult> {
    let tetrahedron = match start.corners() {
        &[p, q, r, s] => [p, q, r, s],
        few => match surround(a, b, few, until.rounding) {
            Surrounded::Tetrahedron(corners) => corners,
            Surrounded::Flat(normal, vertex) => {
                return Some(ExpansionResult {
                    depth: flat_depth(normal, &vertex),
                    aside: 0.0,
                    names: [vertex.names; 3],
                });
            }
        },
    };
    match expand(a, b, tetrahedron, until, false) {
        ExpansionOutcome::Depth(found) => Some(found),
        ExpansionOutcome::Disjoint(_) => None,
    }
}

/// The outcome of an expansion from a tetrahedron.
pub(crate) enum ExpansionOutcome {
    Depth(ExpansionResult),
    /// The sets are disjoint, up to rounding: names of the corners between them.
    Disjoint([[u32; 2]; 4]),
}

/// Expands four points of A − B; `may_be_disjoint` if the origin need not be between them.
#[inline(always)]
pub(crate) fn expand(
    a: &impl Support,
    b: &impl Support,
    tetrahedron: [Vertex; 4],
    until: ExpansionLimits,
    may_be_disjoint: bool,
) -> ExpansionOutcome {
    let ExpansionLimits { gap, rounding, wants_aside } = until;
    // Built in place: the polytope is large.
    let mut polytope = Polytope::empty(rounding);
    polytope.begin(tetrahedron);
    let (mut at_most, mut best) = (f64::INFINITY, polytope.facets[0]);
    // Whether the best facet is as deep as its bound: a facet beneath the surface has the normal, but no points that
    // deep.
    let mut has_points = false;
    let mut settled = f64::INFINITY;
    let (at_least, is_whole) = loop {
        let (facet, key) = polytope.keys.least();
        let is_known = key >= at_most - gap;
        let is_full = polytope.corners.len() >= MAX_CORNERS;
        if is_full {
            reached(LimitedSearch::EpaCorners);
        }
        if is_known && (has_points || key == f64::INFINITY) || is_full {
            break (key.min(settled), true);
        }
        let Facet { normal, corners, .. } = polytope.facets[usize::from(facet)];
        let vertex = Vertex::<Vec3>::new(a.support(normal), b.support(-normal));
        let height = vertex.w.dot(normal);
        if may_be_disjoint && height < 0.0 {
            let [p, q, r] = polytope.names(&polytope.facets[usize::from(facet)]);
            return ExpansionOutcome::Disjoint([vertex.names, p, q, r]);
        }
        if height < at_most || is_known && height <= at_most + gap {
            (at_most, best) = (height, polytope.facets[usize::from(facet)]);
            has_points = height - key <= 2.0 * gap;
        }
        // Repeated points of curved faces have other rounding errors.
        let is_same =
            |corner: u8| (polytope.corners[usize::from(corner)].w - vertex.w).abs().max_element() <= 2.0 * rounding;
        let is_old = is_same(corners[0]) || is_same(corners[1]) || is_same(corners[2]);
        if height - key <= gap || is_old {
            settled = settled.min(if height - key <= gap { key } else { key.max(polytope.distance(facet)) });
            polytope.keys.set(facet, f64::INFINITY);
            continue;
        }
        if polytope.grow(facet, vertex).is_none() {
            // The bounds found before the polytope turned inside out still hold.
            break (key.min(settled), false);
        }
    };
    let [on_a, on_b] = polytope.witnesses(&best);
    let depth = Depth { at_least: at_least.max(0.0), at_most, normal: best.normal, on_a, on_b };
    let aside = if wants_aside && is_whole { polytope.other_depth_bound(a, b, best.normal) } else { 0.0 };
    ExpansionOutcome::Depth(ExpansionResult { depth, aside, names: polytope.names(&best) })
}

/// Returns the direction to the nearest point of a needle, whose normal is a rounding error; reversed if the origin is
/// outside.
#[cold]
fn direction_to_needle(p: Vec3, q: Vec3, r: Vec3) -> Vec3 {
    let direction = robust_normalize(on_triangle(p, q, r).1).unwrap_or(Vec3::ZERO);
    if direction == Vec3::ZERO {
        // The needle holds the origin: some direction across it.
        let longest =
            [q - p, r - q, p - r].into_iter().max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()));
        let across = robust_normalize((q - p).cross(r - p));
        return across.or_else(|| robust_normalize(longest?).map(Vec3::any_orthonormal_vector)).unwrap_or(Vec3::X);
    }
    if orient3d(p, q, r, Vec3::ZERO) == Sign::Positive { -direction } else { direction }
}

/// The extension of a simplex that holds the origin but is no tetrahedron.
enum Surrounded {
    Tetrahedron([Vertex; 4]),
    /// A − B has no thickness along the vector.
    Flat(Vec3, Vertex),
}

/// Returns the depth of sets that only touch, or that are flat in one plane.
fn flat_depth(normal: Vec3, vertex: &Vertex) -> Depth {
    Depth { at_least: 0.0, at_most: vertex.w.dot(normal).max(0.0), normal, on_a: vertex.a, on_b: vertex.b() }
}

/// Adds the support points along directions across the simplex until it is a tetrahedron.
#[cold]
#[inline(never)]
fn surround(a: &impl Support, b: &impl Support, few: &[Vertex], rounding: f64) -> Surrounded {
    let mut corners: SmallVec<[Vertex; 4]> = few.iter().copied().collect();
    while corners.len() < 4 {
        let first = corners[0].w;
        let mut best: Option<(f64, Vertex)> = None;
        let mut thinnest: Option<(f64, Vec3, Vertex)> = None;
        for direction in across(&corners) {
            for sign in [1.0, -1.0] {
                let along = direction * sign;
                let vertex = Vertex::<Vec3>::new(a.support(along), b.support(-along));
                let height = match corners.len() {
                    2 => off_line(vertex.w - first, corners[1].w - first),
                    _ => (vertex.w - first).dot(along).abs(),
                };
                if best.is_none_or(|(most, _)| height > most) {
                    best = Some((height, vertex));
                }
                if thinnest.is_none_or(|(least, ..)| vertex.w.dot(along) < least) {
                    thinnest = Some((vertex.w.dot(along), along, vertex));
                }
            }
        }
        let ((height, vertex), (_, normal, flat)) = best.zip(thinnest).expect("there is always a direction");
        if height <= 8.0 * rounding {
            return Surrounded::Flat(normal, flat);
        }
        corners.push(vertex);
    }
    Surrounded::Tetrahedron([corners[0], corners[1], corners[2], corners[3]])
}

/// Returns the distance of a point from the line along `edge`.
fn off_line(point: Vec3, edge: Vec3) -> f64 {
    let whole = edge.length_squared();
    if whole > 0.0 { (point - edge * (point.dot(edge) / whole)).length() } else { point.length() }
}

/// Returns unit vectors across a point, a segment or a triangle.
fn across(corners: &[Vertex]) -> SmallVec<[Vec3; 3]> {
    match corners {
        [p, q, r, ..] => {
            let edge = || robust_normalize(q.w - p.w).unwrap_or(Vec3::X).any_orthonormal_vector();
            let normal = robust_normalize((q.w - p.w).cross(r.w - p.w)).unwrap_or_else(edge);
            [normal].into_iter().collect()
        }
        [p, q] => {
            let along = robust_normalize(q.w - p.w).unwrap_or(Vec3::X);
            let first = along.any_orthonormal_vector();
            [first, along.cross(first)].into_iter().collect()
        }
        _ => [Vec3::X, Vec3::Y, Vec3::Z].into_iter().collect(),
    }
}

impl Polytope {
    #[inline(always)]
    fn empty(rounding: f64) -> Self {
        Self {
            corners: SmallVec::new(),
            facets: SmallVec::new(),
            keys: Keys::default(),
            free: SmallVec::new(),
            rounding,
        }
    }

    #[inline(always)]
    fn begin(&mut self, corners: [Vertex; 4]) {
        let [p, q, r, s] = corners;
        let is_turned = orient3d(p.w, q.w, r.w, s.w) == Sign::Positive;
        self.corners.push(if is_turned { q } else { p });
        self.corners.push(if is_turned { p } else { q });
        self.corners.push(r);
        self.corners.push(s);
        // Seen from outside, facet k is opposite to corner k.
        let facets: [([u8; 3], [u8; 3], [u8; 3]); 4] = [
            ([1, 3, 2], [2, 1, 3], [1, 1, 1]),
            ([0, 2, 3], [3, 0, 2], [2, 1, 0]),
            ([0, 3, 1], [1, 0, 3], [2, 0, 0]),
            ([0, 1, 2], [2, 0, 1], [2, 2, 0]),
        ];
        for &(corners, beside, edges) in &facets {
            self.add(corners, beside, edges).expect("there is room for four");
        }
    }

    /// Returns the points of three corners. (Closures over arrays are calls if they are not inlined.)
    #[inline(always)]
    fn triangle(&self, [p, q, r]: [u8; 3]) -> [Vec3; 3] {
        let corners = &self.corners[..];
        [corners[usize::from(p)].w, corners[usize::from(q)].w, corners[usize::from(r)].w]
    }

    #[inline(always)]
    fn names(&self, facet: &Facet) -> [[u32; 2]; 3] {
        let [p, q, r] = facet.corners;
        let corners = &self.corners[..];
        [corners[usize::from(p)].names, corners[usize::from(q)].names, corners[usize::from(r)].names]
    }

    /// Returns the minimum distance of the origin from all facets whose normals are more than [`ASIDE`] off `normal`.
    /// The polytope first grows there: facets that no search had to test are near the origin and bound little.
    #[inline(always)]
    fn other_depth_bound(&mut self, a: &impl Support, b: &impl Support, normal: Vec3) -> f64 {
        for _ in 0..MAX_ASIDE {
            let Some((place, facet)) = self.least_aside(normal) else { return f64::INFINITY };
            let vertex = Vertex::<Vec3>::new(a.support(facet.normal), b.support(-facet.normal));
            if vertex.w.dot(facet.normal) <= facet.at_least * SETTLED || self.corners.len() >= MAX_CORNERS {
                return facet.at_least;
            }
            if self.grow(place, vertex).is_none() {
                return 0.0;
            }
        }
        self.least_aside(normal).map_or(f64::INFINITY, |(_, facet)| facet.at_least)
    }

    /// Finds the nearest facet whose normal is off.
    #[inline(always)]
    fn least_aside(&self, normal: Vec3) -> Option<(u8, Facet)> {
        let mut least: Option<(u8, Facet)> = None;
        for (place, facet) in (0u8..).zip(&self.facets) {
            let is_nearer = least.is_none_or(|(_, least)| facet.at_least < least.at_least);
            if is_nearer && facet.is_alive && facet.normal.dot(normal) < ASIDE {
                least = Some((place, *facet));
            }
        }
        least
    }

    /// Adds a facet; returns `None` if there are too many.
    #[inline(always)]
    fn add(&mut self, corners: [u8; 3], beside: [u8; 3], edges: [u8; 3]) -> Option<u8> {
        let [p, q, r] = self.triangle(corners);
        let (pq, pr) = (q - p, r - p);
        let normal = pq.cross(pr);
        let (length_sq, product_sq) = (normal.length_squared(), pq.length_squared() * pr.length_squared());
        let inverse = 1.0 / length_sq.sqrt();
        let normal = match length_sq <= THIN_SQ * product_sq {
            true => direction_to_needle(p, q, r),
            false => normal * inverse,
        };
        let at_least = lesser(lesser(normal.dot(p), normal.dot(q)), normal.dot(r));
        let room = 32.0 * self.rounding * inverse;
        let room_sq = room * room * product_sq;
        let facet = Facet { corners, beside, edges, is_alive: true, normal, at_least, room_sq };
        let key = at_least;
        match self.free.pop() {
            Some(place) => {
                self.facets[usize::from(place)] = facet;
                self.keys.set(place, key);
                Some(place)
            }
            None => {
                let Ok(place) = u8::try_from(self.facets.len()) else {
                    reached(LimitedSearch::EpaFacets);
                    return None;
                };
                self.facets.push(facet);
                self.keys.set(place, key);
                Some(place)
            }
        }
    }

    /// Bounds the distance of a facet from the origin from below, along the direction to its nearest point.
    #[cold]
    fn distance(&self, facet: u8) -> f64 {
        let [p, q, r] = self.triangle(self.facets[usize::from(facet)].corners);
        let direction = direction_to_needle(p, q, r);
        direction.dot(p).min(direction.dot(q)).min(direction.dot(r))
    }

    /// Replaces all facets that are visible from the new corner by facets between the corner and their outline.
    #[inline(always)]
    fn grow(&mut self, seen: u8, vertex: Vertex) -> Option<()> {
        let corner = u8::try_from(self.corners.len()).ok()?;
        self.corners.push(vertex);
        let mut outline: SmallVec<[[u8; 2]; 32]> = SmallVec::new();
        let mut removed: SmallVec<[u8; 32]> = SmallVec::new();
        let Facet { beside, edges, .. } = self.facets[usize::from(seen)];
        self.remove(seen, &mut removed);
        for k in 0..3 {
            self.outline(beside[k], edges[k], &vertex.w, &mut removed, &mut outline);
        }
        if outline.len() < 3 {
            return None;
        }
        let mut first: Option<u8> = None;
        let mut before: Option<u8> = None;
        for &[facet, edge] in &outline {
            let (f, e) = (usize::from(facet), usize::from(edge));
            let from = self.facets[f].corners[(e + 1) % 3];
            let to = self.facets[f].corners[e];
            let added = self.add([from, to, corner], [facet, 0, 0], [edge, 0, 0])?;
            self.facets[f].beside[e] = added;
            self.facets[f].edges[e] = 0;
            if let Some(before) = before {
                // Outlines have the orientation of facets: each edge begins at the end of the edge before.
                if self.facets[usize::from(before)].corners[1] != from {
                    return None;
                }
                self.join(before, added);
            }
            first = first.or(Some(added));
            before = Some(added);
        }
        let (first, last) = first.zip(before)?;
        if self.facets[usize::from(last)].corners[1] != self.facets[usize::from(first)].corners[0] {
            return None;
        }
        self.join(last, first);
        // Places of removed facets are free for the next growth only, so that neighbours above are not mixed up.
        self.free.extend_from_slice(&removed);
        Some(())
    }

    /// Joins two new neighbouring facets: edge 1 of the first leads to the new corner, edge 2 of the second comes from
    /// it.
    #[inline(always)]
    fn join(&mut self, first: u8, second: u8) {
        self.facets[usize::from(first)].beside[1] = second;
        self.facets[usize::from(first)].edges[1] = 2;
        self.facets[usize::from(second)].beside[2] = first;
        self.facets[usize::from(second)].edges[2] = 1;
    }

    #[inline(always)]
    fn remove(&mut self, facet: u8, removed: &mut SmallVec<[u8; 32]>) {
        self.facets[usize::from(facet)].is_alive = false;
        self.keys.set(facet, f64::INFINITY);
        removed.push(facet);
    }

    /// Traverses the facets visible from `w`, entered through `edge`, and lists the edges of their invisible neighbours
    /// in order.
    #[inline]
    fn outline(
        &mut self,
        facet: u8,
        edge: u8,
        w: &Vec3,
        removed: &mut SmallVec<[u8; 32]>,
        found: &mut SmallVec<[[u8; 2]; 32]>,
    ) {
        let mut open: SmallVec<[[u8; 2]; 32]> = SmallVec::new();
        open.push([facet, edge]);
        while let Some([facet, edge]) = open.pop() {
            let &Facet { corners, is_alive, normal, at_least, room_sq, beside, edges } =
                &self.facets[usize::from(facet)];
            if !is_alive {
                continue;
            }
            let height = normal.dot(*w) - at_least;
            let is_seen = if height * height > room_sq {
                height > 0.0
            } else {
                // An exact decision keeps the polytope convex however thin its facets are.
                let [p, q, r] = self.triangle(corners);
                orient3d(p, q, r, *w) != Sign::Negative
            };
            if !is_seen {
                found.push([facet, edge]);
                continue;
            }
            self.remove(facet, removed);
            let [next, after] = [(usize::from(edge) + 1) % 3, (usize::from(edge) + 2) % 3];
            open.push([beside[after], edges[after]]);
            open.push([beside[next], edges[next]]);
        }
    }

    /// Returns the points of A and B that meet in the foot of the origin on a facet.
    #[inline(always)]
    fn witnesses(&self, facet: &Facet) -> [Vec3; 2] {
        let [p, q, r] = facet.corners.map(|corner| self.corners[usize::from(corner)]);
        let (pq, pr) = (q.w - p.w, r.w - p.w);
        let normal = pq.cross(pr);
        let whole = normal.length_squared();
        if whole == 0.0 {
            return Simplex::about([p, q, r]).map_or([p.a, p.b()], |(simplex, _)| simplex.witnesses());
        }
        let second = (normal.dot(pr.cross(p.w)) / whole).clamp(0.0, 1.0);
        let third = (normal.dot(p.w.cross(pq)) / whole).clamp(0.0, 1.0 - second);
        let first = 1.0 - second - third;
        [p.a * first + q.a * second + r.a * third, p.b() * first + q.b() * second + r.b() * third]
    }
}
