//! Gap of two placed hulls across a facet of their Minkowski difference: a face and a corner, or two edges, that are
//! nearest or least deep.
//!
//! In: two placed hulls and features of them ([`MinkowskiFacet`]), guessed from the previous step or found along a
//! normal. Out: the gap across the features ([`FacetGap`]), if it is one: the foot of the origin lies inside their
//! facet of A − B, by some room.
//! Method: guessed and searched features run through the same operations, so that both give the same bits. A facet
//! whose foot is well inside is the only one near its normal, and a search that is off by ulp finds it.
//! Guarantees: the gap is taken along the normal, a minimum of the overlap among all directions within 2·atan(room /
//! depth) of it. If the hulls are disjoint, the gap is the distance. Bounds within [`MAX_SLACK`] + [`ROUNDING`] ulp of
//! the largest coordinate.
//! Not guaranteed: an answer. Features that are nearly flat, nearly parallel, nearly touching or near a rim are left to
//! searches.

use crate::convex::pair::Gap;
use crate::convex::support::{PlacedHull, Support, along_axes};
use heurt_geometry::Vec3;
use heurt_shape::{Edge, Hull};
use smallvec::SmallVec;

/// A facet of A − B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MinkowskiFacet {
    /// A facet of A, and the corner of B that is deepest behind it.
    FaceOfA(u32),
    /// A facet of B, and the corner of A that is deepest behind it.
    FaceOfB(u32),
    /// Edges of A and B, by their numbers.
    Edges([u32; 2]),
}

/// The gap across features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FacetGap {
    /// The gap between the hulls: a distance, or a depth.
    pub gap: Gap,
    /// The length of the gap, negative for a depth.
    pub signed: f64,
    /// Distance of the foot of the origin from the rim of the facet.
    pub room: f64,
}

/// In ε of the largest coordinate: bound of the rounding error of a height; `MAX_SLACK`, the maximum difference of both
/// bounds; `SURE`, the minimum length that is provably no touch.
const ROUNDING: f64 = 8.0;
const MAX_SLACK: f64 = 16.0;
pub(crate) const SURE: f64 = 128.0;
/// Minimum distance of the foot from the rim, as a share of the largest coordinate: a search that is off by 32 ulp then
/// ends within 1e-10 of the normal.
const MIN_ROOM: f64 = 1e-5;
/// Maximum angle between the result of a search and the normal.
const NEAR: f64 = 1e-8;
/// Maximum number of corners of a hull whose facets are tested one by one.
const FEW: usize = 64;
/// Normals nearer to each other than this are not distinguished.
const ALIKE: f64 = 1e-7;
/// Minimum sine of the angle by which an edge turns between its facets and the normal. No corner except its ends is
/// then as far along the result of a search: no edge of a crisp hull continues straight in another.
const TURNED: f64 = 1e-5;
/// Minimum sine of the angle between two edges.
const CROSSED: f64 = 1e-3;
/// Maximum defect of a rotation. `SIZES`: the range of coordinates in which a product of four keeps its digits, and a
/// length keeps them in `f32`.
const ORTHONORMAL: f64 = 16.0 * f64::EPSILON;
const SIZES: std::ops::Range<f64> = 1e-30..1e30;

/// Tests whether the features of two hulls, whose largest placed coordinate is given, are reliable.
#[inline(always)]
pub(crate) fn has_stable_features(a: &PlacedHull<'_>, b: &PlacedHull<'_>, largest: f64) -> bool {
    let is_well_formed = |placed: &PlacedHull<'_>| placed.hull.is_crisp() && placed.pose.defect() <= ORTHONORMAL;
    SIZES.contains(&largest) && is_well_formed(a) && is_well_formed(b)
}

/// Returns the gap across features, if it is one.
#[inline(always)]
pub(crate) fn across(a: &PlacedHull<'_>, b: &PlacedHull<'_>, facet: MinkowskiFacet, largest: f64) -> Option<FacetGap> {
    let found = match facet {
        MinkowskiFacet::FaceOfA(face) => face_and_corner(a, face, b),
        MinkowskiFacet::FaceOfB(face) => {
            let found = face_and_corner(b, face, a)?;
            // If facets of A and B lie on each other, the facet of A counts.
            let normal = along_axes(a.pose, -found.normal);
            let is_alike =
                |&other: &u32| (a.hull.facets()[other as usize].normal - normal).length_squared() <= ALIKE * ALIKE;
            if a.hull.facets_about(found.corner).iter().any(is_alike) {
                return None;
            }
            Some(FacetHeights { normal: -found.normal, on_a: found.on_b, on_b: found.on_a, ..found })
        }
        MinkowskiFacet::Edges([edge_a, edge_b]) => {
            crossing(a, a.hull.edges().get(edge_a as usize)?, b, b.hull.edges().get(edge_b as usize)?)
        }
    }?;
    let ulp = f64::EPSILON * largest;
    let is_sound =
        found.room >= MIN_ROOM * largest && found.slack <= MAX_SLACK * ulp && found.signed.abs() >= SURE * ulp;
    if !is_sound {
        return None;
    }
    let FacetHeights { signed, slack, normal, on_a, on_b, room, .. } = found;
    let (length, error) = (signed.abs(), slack + ROUNDING * ulp);
    let gap = Gap { length, at_least: (length - error).max(0.0), error, normal, on_a, on_b };
    Some(FacetGap { gap, signed, room })
}

/// Finds the features whose normal is within rounding errors of a given normal, and the gap across them. The corners
/// that carry the result, if known, identify the features faster: if they are reported, no others are within rounding
/// errors of the normal.
#[inline(always)]
pub(crate) fn along(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    normal: Vec3,
    largest: f64,
    corners: Option<[[u32; 2]; 3]>,
) -> Option<(MinkowskiFacet, FacetGap)> {
    if let Some(facet) = corners.and_then(|corners| carried_by(a.hull, b.hull, corners))
        && let Some(found) = stable_features(a, b, facet, normal, largest)
    {
        return Some(found);
    }
    // Plain loops: closures over lists are calls if they are not inlined.
    let (mut of_a, mut of_b) = (Tied::along(a, normal), Tied::along(b, -normal));
    for face in of_a.facets(a.hull) {
        if let Some(found) = stable_features(a, b, MinkowskiFacet::FaceOfA(face), normal, largest) {
            return Some(found);
        }
    }
    for face in of_b.facets(b.hull) {
        if let Some(found) = stable_features(a, b, MinkowskiFacet::FaceOfB(face), normal, largest) {
            return Some(found);
        }
    }
    let edges_b = of_b.edges(b.hull);
    for x in of_a.edges(a.hull) {
        for &y in &edges_b {
            if let Some(found) = stable_features(a, b, MinkowskiFacet::Edges([x, y]), normal, largest) {
                return Some(found);
            }
        }
    }
    None
}

/// Returns the gap across features, if it is along the normal.
#[inline(always)]
fn stable_features(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    facet: MinkowskiFacet,
    normal: Vec3,
    largest: f64,
) -> Option<(MinkowskiFacet, FacetGap)> {
    let found = across(a, b, facet, largest)?;
    ((found.gap.normal - normal).length_squared() <= NEAR * NEAR).then_some((facet, found))
}

/// Returns the features that three corners of A − B span, if they span a facet.
#[inline(always)]
fn carried_by(a: &Hull, b: &Hull, [p, q, r]: [[u32; 2]; 3]) -> Option<MinkowskiFacet> {
    let numbers = [[p[0], q[0], r[0]], [p[1], q[1], r[1]]];
    match (ends(numbers[0]), ends(numbers[1])) {
        (Ends::Three, Ends::One) => facet_of(a, numbers[0]).map(MinkowskiFacet::FaceOfA),
        (Ends::One, Ends::Three) => facet_of(b, numbers[1]).map(MinkowskiFacet::FaceOfB),
        (Ends::Two(of_a), Ends::Two(of_b)) => Some(MinkowskiFacet::Edges([edge_of(a, of_a)?, edge_of(b, of_b)?])),
        _ => None,
    }
}

/// The number of distinct corners among three.
enum Ends {
    One,
    /// The two corners, ascending.
    Two([u32; 2]),
    Three,
}

#[inline(always)]
fn ends([p, q, r]: [u32; 3]) -> Ends {
    let (low, high) = (p.min(q).min(r), p.max(q).max(r));
    match [p, q, r].iter().all(|&corner| corner == low || corner == high) {
        true if low == high => Ends::One,
        true => Ends::Two([low, high]),
        false => Ends::Three,
    }
}

#[inline(always)]
fn facet_of(hull: &Hull, [p, q, r]: [u32; 3]) -> Option<u32> {
    if p as usize >= hull.corners().len() {
        return None;
    }
    for &facet in hull.facets_about(p) {
        let corners = &hull.facets()[facet as usize].corners;
        if corners.contains(&q) && corners.contains(&r) {
            return Some(facet);
        }
    }
    None
}

/// Returns the edge with the given ends, which ascend.
#[inline(always)]
fn edge_of(hull: &Hull, ends: [u32; 2]) -> Option<u32> {
    hull.edges().binary_search_by(|edge| edge.ends.cmp(&ends)).ok().map(|number| number as u32)
}

/// The corners of a hull that are most distant along a direction, up to [`NEAR`]: the support point, and the ends of
/// edges that run across the direction. Directions this near to each other lead from the cell of one corner in the
/// Gauss map into another cell only over such edges. Hence every facet whose normal is as near has one of these
/// corners.
struct Tied {
    /// The direction along the axes of the hull.
    direction: Vec3,
    corners: SmallVec<[u32; 8]>,
}

impl Tied {
    #[inline(always)]
    fn along(placed: &PlacedHull<'_>, direction: Vec3) -> Self {
        Self { direction: along_axes(placed.pose, direction), corners: SmallVec::new() }
    }

    /// Finds the corners, the support point first.
    #[inline(always)]
    fn find(&mut self, hull: &Hull) {
        self.corners.push(hull.farthest(self.direction));
        let mut seen = 0;
        // Each corner is added once.
        while seen < self.corners.len() {
            let corner = self.corners[seen];
            seen += 1;
            for &other in hull.neighbours(corner) {
                if self.runs_across(hull, corner, other, 4.0 * NEAR) && !self.corners.contains(&other) {
                    self.corners.push(other);
                }
            }
        }
    }

    #[inline(always)]
    fn is_near(&self, hull: &Hull, facet: u32) -> bool {
        (hull.facets()[facet as usize].normal - self.direction).length_squared() <= NEAR * NEAR
    }

    #[inline(always)]
    fn runs_across(&self, hull: &Hull, from: u32, to: u32, within: f64) -> bool {
        let along = hull.corners()[to as usize] - hull.corners()[from as usize];
        let height = along.dot(self.direction);
        height * height <= within * within * along.length_squared()
    }

    /// Returns the facets whose normals are within [`NEAR`], ascending. The facets of hulls of at most [`FEW`]
    /// corners are tested one by one.
    #[inline(always)]
    fn facets(&mut self, hull: &Hull) -> SmallVec<[u32; 4]> {
        let mut found = SmallVec::new();
        if hull.corners().len() <= FEW {
            for facet in 0..hull.facets().len() as u32 {
                if self.is_near(hull, facet) {
                    found.push(facet);
                }
            }
            return found;
        }
        self.find(hull);
        for &corner in &self.corners {
            for &facet in hull.facets_about(corner) {
                if self.is_near(hull, facet) && !found.contains(&facet) {
                    found.push(facet);
                }
            }
        }
        if found.len() > 1 {
            found.sort_unstable();
        }
        found
    }

    /// Returns the edges at the support point that run across the direction.
    #[inline(always)]
    fn edges(&self, hull: &Hull) -> SmallVec<[u32; 4]> {
        let farthest = self.corners.first().copied().unwrap_or_else(|| hull.farthest(self.direction));
        let mut found = SmallVec::new();
        for &other in hull.neighbours(farthest) {
            if self.runs_across(hull, farthest, other, NEAR) {
                found.extend(edge_of(hull, [farthest.min(other), farthest.max(other)]));
            }
        }
        found
    }
}

/// Heights of features along a normal from A to B.
struct FacetHeights {
    normal: Vec3,
    /// The gap along the normal; negative if the hulls overlap.
    signed: f64,
    /// Maximum difference between this gap and the heights of the features themselves.
    slack: f64,
    room: f64,
    on_a: Vec3,
    on_b: Vec3,
    /// The corner opposite to a face; 0 for edges.
    corner: u32,
}

/// Computes the heights of a facet of a hull and of the corner of the opposite hull that is most distant against its
/// normal.
#[inline(always)]
fn face_and_corner(a: &PlacedHull<'_>, face: u32, b: &PlacedHull<'_>) -> Option<FacetHeights> {
    let facet = a.hull.facets().get(face as usize)?;
    let turned = *a.pose.rotation() * facet.normal;
    // Rescaled to length 1 to the last digit: a rotation that is orthonormal only up to a defect does not keep the
    // length.
    let normal = turned * (1.5 - 0.5 * turned.length_squared());
    let deepest = b.support(-normal);
    let top = normal.dot(a.support(normal).point);
    let (mut low, mut room) = (f64::INFINITY, f64::INFINITY);
    let mut from = a.place(*facet.corners.last()?);
    for &corner in &facet.corners {
        let to = a.place(corner);
        let along = to - from;
        low = low.min(normal.dot(to));
        let inside = normal.cross(along).dot(deepest.point - from) / along.length();
        // Placed corners that coincide have no inner side, and a minimum ignores `NaN`.
        if !inside.is_finite() {
            return None;
        }
        room = room.min(inside);
        from = to;
    }
    let signed = normal.dot(deepest.point) - top;
    let on_a = deepest.point - normal * signed;
    Some(FacetHeights { normal, signed, slack: top - low, room, on_a, on_b: deepest.point, corner: deepest.name })
}

/// Computes the heights of two edges that cross each other.
#[inline(always)]
fn crossing(a: &PlacedHull<'_>, edge_a: &Edge, b: &PlacedHull<'_>, edge_b: &Edge) -> Option<FacetHeights> {
    let ([p, q], [r, s]) = (edge_a.ends, edge_b.ends);
    let (p, q, r, s) = (a.place(p), a.place(q), b.place(r), b.place(s));
    let (u, v, between) = (q - p, s - r, r - p);
    let cross = u.cross(v);
    let (whole, of_u, of_v) = (cross.length_squared(), u.length_squared(), v.length_squared());
    if whole.is_nan() || whole <= CROSSED * CROSSED * of_u * of_v {
        return None;
    }
    let (length, length_u, length_v) = (whole.sqrt(), of_u.sqrt(), of_v.sqrt());
    let mut normal = cross / length;
    // The facets next to an edge decide which direction is outwards; for segments, the opposite segment decides.
    let outwards = [outwards(a, edge_a, u, normal, length_u)?, -outwards(b, edge_b, v, normal, length_v)?];
    let sign = match outwards {
        [0.0, 0.0] => between.dot(normal).signum(),
        [of_a, of_b] if of_a * of_b >= 0.0 => (of_a + of_b).signum(),
        _ => return None,
    };
    normal *= sign;
    let (share_a, share_b) = (cross.dot(between.cross(v)) / whole, cross.dot(between.cross(u)) / whole);
    let inner = |share: f64| share.min(1.0 - share);
    let room = (inner(share_a) * length / length_v).min(inner(share_b) * length / length_u);
    let (of_p, of_q, of_r, of_s) = (normal.dot(p), normal.dot(q), normal.dot(r), normal.dot(s));
    let signed = of_r.min(of_s) - of_p.max(of_q);
    let slack = (of_p - of_q).abs() + (of_r - of_s).abs();
    let on_a = p + u * share_a;
    Some(FacetHeights { normal, signed, slack, room, on_a, on_b: on_a + normal * signed, corner: 0 })
}

/// Returns 1 if a unit vector across an edge leads out between the facets next to it, and −1 if its opposite does. The
/// result is 0 for a segment, and `None` if neither does by some angle.
#[inline(always)]
fn outwards(placed: &PlacedHull<'_>, edge: &Edge, along: Vec3, normal: Vec3, length: f64) -> Option<f64> {
    let Some([left, right]) = edge.facets else { return Some(0.0) };
    let of = |facet: u32| *placed.pose.rotation() * placed.hull.facets()[facet as usize].normal;
    let into_left = of(left).cross(along).dot(normal);
    let into_right = along.cross(of(right)).dot(normal);
    let room = TURNED * length;
    if into_left < -room && into_right < -room {
        Some(1.0)
    } else if into_left > room && into_right > room {
        Some(-1.0)
    } else {
        None
    }
}
