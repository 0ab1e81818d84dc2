//! Facet of A − B nearest to the origin, for two hulls of few corners: a test of all facets in single precision.
//!
//! In: two placed hulls. Out: [`NearestFacet`].
//! Method: the facets of A − B are the facets of A, the facets of B, and pairs of edges whose arcs on the Gauss sphere
//! cross (Gregorius 2013). The nearest facet holds the foot of the origin: its edges are no farther from each other
//! than the depth, and the nearest face bounds the depth. Hence only edges count that are no farther than this in front
//! of any face of the opposite hull: a few of eighteen, if the hulls are not deep in each other. The heights of corners
//! above faces, eight faces at a time, give both these edges and the faces.
//! Guarantees: the result is proved, as every height is granted its rounding error in single precision. If the least
//! height is no more than that error, the result is [`NearestFacet::Unknown`]. Edges nearer than [`PARALLEL`] to
//! parallel are skipped: along the arc of either, the overlap of two parallel edges is a cosine. It is least at an end
//! of the arc, and there is a face.
//! Cost: some hundred wide operations for 8 corners each.

use crate::convex::minkowski::facet::MinkowskiFacet;
use crate::convex::support::{PlacedHull, along_axes, rotation_between};
use crate::numeric::lane_vectors::{dot, load, splat};
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;
use heurt_shape::SmallHull;
use smallvec::SmallVec;

/// The result for the facets of A − B.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NearestFacet {
    /// The hulls are disjoint by at least `at_least` metres along a unit vector from A to B, in the frame of A.
    Disjoint { axis: Vec3, at_least: f64 },
    /// Only this facet may be nearer than `others`. `aside`: a lower bound for the facets whose normals are more than
    /// 0.3 rad off; 0 if it was not requested.
    Facet { facet: MinkowskiFacet, others: f64, aside: f64 },
    /// There are too few digits, or a hull is not small.
    Unknown,
}

/// Bound of the rounding error of a height in single precision, as a share of the sizes of both hulls: some twenty
/// roundings of 6e-8 each.
const SINGLE: f32 = 2e-6;
/// Sine of the angle below which two edges are skipped as parallel. `PASSED_OVER`: the bound of the resulting error of
/// a height, as a share of the sizes: three turns of π.
const PARALLEL: f32 = 2e-5;
const PASSED_OVER: f32 = 10.0 * PARALLEL;
/// Maximum offset of a normal from an arc that counts as on the arc.
const ARC: f32 = 2e-6;
/// Maximum ratio of the sizes of two hulls.
const MAX_RATIO: f64 = 1e3;
/// Additional distance within which edges are tested if [`NearestFacet::Facet`] has to report `aside`, as a share of
/// the sizes.
const ASIDE_REACH: f32 = 0.025;
/// Cosine of 0.3 rad, plus the error of the normals that are compared with it: normals of edges at a sine above
/// [`SLANTED`].
const ASIDE: f32 = 0.956;
const SLANTED: f32 = 0.02;
/// Maximum number of groups of pairs of edges: more take longer than a search.
const MAX_GROUPS: usize = 48;
/// Maximum numbers of corners, planes and edges of small hulls, in whole groups.
const MAX_CORNERS: usize = SmallHull::MAX_CORNERS;
const MAX_PLANES: usize = (2 * MAX_CORNERS - 4).next_multiple_of(LANES);
const MAX_EDGES: usize = (3 * MAX_CORNERS - 6).next_multiple_of(LANES);
/// Number of planes or edges in a group.
const LANES: usize = 8;

type F<I> = <I as LanesFor<8>>::F;

/// B in the frame of A, in units of A from the middle of A.
struct Relative {
    rotation: [[f32; 3]; 3],
    shift: [f32; 3],
    /// Units of A in a unit of B.
    ratio: f32,
    /// Metres in a unit of A.
    unit: f64,
    /// Longer than any vector between points of hulls that meet.
    size: f32,
}

impl Relative {
    #[inline(always)]
    fn new(
        a: &PlacedHull<'_>,
        small_a: &SmallHull,
        b: &PlacedHull<'_>,
        small_b: &SmallHull,
        sure: f64,
    ) -> Option<Self> {
        let ratio = small_b.unit / small_a.unit;
        let shift = b.pose.place(small_b.middle) - a.pose.place(small_a.middle);
        let shift = along_axes(a.pose, shift) / small_a.unit;
        let rotation = rotation_between(a.pose, b.pose).transpose();
        let rows = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        // If middles are farther from each other than both sizes, the hulls are disjoint. Rounding errors of poses must
        // not exceed the errors of single precision.
        let size = 4.0 * (1.0 + ratio);
        let is_in_range = (1.0 / MAX_RATIO..MAX_RATIO).contains(&ratio)
            && shift.abs().max_element() < 0.5 * size
            && sure < 0.1 * f64::from(SINGLE) * small_a.unit * (1.0 + ratio);
        if !is_in_range {
            return None;
        }
        let single = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32];
        Some(Self {
            rotation: [single(rows[0]), single(rows[1]), single(rows[2])],
            shift: single(shift),
            ratio: ratio as f32,
            unit: small_a.unit,
            size: size as f32,
        })
    }

    #[inline(always)]
    fn turned(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let row = |[a, b, c]: [f32; 3]| a * x + b * y + c * z;
        [row(self.rotation[0]), row(self.rotation[1]), row(self.rotation[2])]
    }

    #[inline(always)]
    fn placed(&self, corner: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = self.turned(corner);
        let [a, b, c] = self.shift;
        [x * self.ratio + a, y * self.ratio + b, z * self.ratio + c]
    }

    #[inline(always)]
    fn metres(&self, length: f32) -> f64 {
        f64::from(length) * self.unit
    }
}

/// Eight planes.
#[derive(Clone, Copy)]
struct Planes<F> {
    normal: [F; 3],
    height: F,
}

/// The planes of a hull in the frame of A, and the heights of the corners of the opposite hull in front of them.
struct HullSide<F> {
    planes: [Planes<F>; MAX_PLANES / LANES],
    groups: usize,
    /// By corners of the opposite hull, then by groups of planes.
    fronts: [[F; MAX_PLANES / LANES]; MAX_CORNERS],
    /// Depth of the deepest of these corners behind each plane.
    heights: [F; MAX_PLANES / LANES],
}

impl<F: Lanes<8>> HullSide<F> {
    #[inline(always)]
    fn empty() -> Self {
        let none = F::splat(0.0);
        let planes = [Planes { normal: [none; 3], height: none }; MAX_PLANES / LANES];
        let heights = [F::splat(f32::NEG_INFINITY); MAX_PLANES / LANES];
        Self { planes, groups: 0, fronts: [[none; MAX_PLANES / LANES]; MAX_CORNERS], heights }
    }

    #[inline(always)]
    fn push(&mut self, normal: [F; 3], height: F) {
        self.planes[self.groups] = Planes { normal, height };
        self.groups += 1;
    }

    #[inline(always)]
    fn look_at(&mut self, corners: &[[f32; 3]]) {
        for (corner, fronts) in corners.iter().zip(&mut self.fronts) {
            let corner = splat::<F>(corner);
            for ((planes, height), front) in self.planes.iter().zip(&mut self.heights).zip(fronts).take(self.groups) {
                *front = dot(&planes.normal, &corner).sub(planes.height);
                *height = height.max(F::splat(0.0).sub(*front));
            }
        }
    }

    #[inline(always)]
    fn normal(&self, number: usize) -> [f32; 3] {
        let [x, y, z] = &self.planes[number / LANES].normal;
        let lane = number % LANES;
        [x.to_array()[lane], y.to_array()[lane], z.to_array()[lane]]
    }
}

/// The least facet, and the least height of all others.
struct Two {
    facet: MinkowskiFacet,
    normal: [f32; 3],
    height: f32,
    /// Bound of the error of the height downwards.
    open: f32,
    second: f32,
}

impl Two {
    #[inline(always)]
    fn take(&mut self, facet: MinkowskiFacet, normal: [f32; 3], height: f32, open: f32) {
        if height - open < self.height - self.open {
            self.second = self.height - self.open;
            (self.facet, self.normal, self.height, self.open) = (facet, normal, height, open);
        } else {
            self.second = if height - open < self.second { height - open } else { self.second };
        }
    }
}

/// Finds the least facet by a test of all facets.
#[inline(always)]
pub(crate) fn least_facet<I: WideIsa>(
    _isa: I,
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    sure: f64,
    wants_aside: bool,
) -> NearestFacet {
    let (Some(small_a), Some(small_b)) = (a.hull.small(), b.hull.small()) else { return NearestFacet::Unknown };
    let Some(relative) = Relative::new(a, small_a, b, small_b, sure) else { return NearestFacet::Unknown };
    let mut of_a = HullSide::<F<I>>::empty();
    for planes in &small_a.planes {
        of_a.push(load(&planes.normal), F::<I>::load(&planes.height));
    }
    let mut of_b = HullSide::<F<I>>::empty();
    let (rows, shift) = (&relative.rotation, splat::<F<I>>(&relative.shift));
    let rows = [splat::<F<I>>(&rows[0]), splat::<F<I>>(&rows[1]), splat::<F<I>>(&rows[2])];
    for planes in &small_b.planes {
        let own = load(&planes.normal);
        let normal = [dot(&rows[0], &own), dot(&rows[1], &own), dot(&rows[2], &own)];
        of_b.push(normal, F::<I>::load(&planes.height).mul(F::<I>::splat(relative.ratio)).add(dot(&normal, &shift)));
    }
    let mut corners_b = [[0.0; 3]; MAX_CORNERS];
    for (&corner, placed) in small_b.corners.iter().zip(&mut corners_b) {
        *placed = relative.placed(corner);
    }
    of_a.look_at(&corners_b[..small_b.corners.len()]);
    of_b.look_at(&small_a.corners);
    let open = SINGLE * relative.size;
    let mut two = faces::<I>(&of_a, &of_b, open);
    if two.height < open {
        let at_least = relative.metres(-two.height - open);
        let axis = Vec3::from_array(two.normal.map(f64::from));
        return if at_least > 0.0 { NearestFacet::Disjoint { axis, at_least } } else { NearestFacet::Unknown };
    }
    let reach = two.height + 2.0 * open + if wants_aside { ASIDE_REACH * relative.size } else { 0.0 };
    let (near_a, near_b) = (near_edges(small_a, &of_b, reach), near_edges(small_b, &of_a, reach));
    let found = crossings::<I>((small_a, &near_a), (small_b, &near_b), (&of_b, &corners_b), &relative, &mut two);
    let Some(crossings) = found else { return NearestFacet::Unknown };
    let (mut others, mut aside) = (two.second, 0.0);
    if crossings.passed_over {
        others -= PASSED_OVER * relative.size;
    }
    if wants_aside {
        // Skipped pairs of edges may have any normal.
        if crossings.passed_over || two.open > open / SLANTED {
            return NearestFacet::Unknown;
        }
        let of_faces = faces_aside(&of_a, 1.0, two.normal).min(faces_aside(&of_b, -1.0, two.normal));
        let of_edges = crossings.other_depth_bound(two.normal, open / SLANTED);
        aside = of_faces.min(of_edges).min(reach) - open;
    }
    NearestFacet::Facet { facet: two.facet, others: relative.metres(others), aside: relative.metres(aside.max(0.0)) }
}

/// Finds the least face, and the least height of all others.
#[inline(always)]
fn faces<I: WideIsa>(of_a: &HullSide<F<I>>, of_b: &HullSide<F<I>>, open: f32) -> Two {
    let mut least = F::<I>::splat(f32::INFINITY);
    let (mut second, mut group) = (least, F::<I>::splat(0.0));
    let mut number = 0.0;
    for side in [of_a, of_b] {
        for place in 0..side.groups {
            let height = side.heights[place];
            let is_less = least.gt(height);
            second = is_less.select(least, second.min(height));
            group = is_less.select(F::<I>::splat(number), group);
            least = least.min(height);
            number += 1.0;
        }
    }
    let (least, second, group) = (least.to_array(), second.to_array(), group.to_array());
    let mut best = 0;
    for lane in 1..LANES {
        best = if least[lane] < least[best] { lane } else { best };
    }
    let mut next = second[best];
    for (lane, &height) in least.iter().enumerate() {
        let other = if lane == best { next } else { height };
        next = if other < next { other } else { next };
    }
    let group = group[best] as usize;
    let (facet, normal) = if group < of_a.groups {
        let number = group * LANES + best;
        (MinkowskiFacet::FaceOfA(number as u32), of_a.normal(number))
    } else {
        let number = (group - of_a.groups) * LANES + best;
        let [x, y, z] = of_b.normal(number);
        (MinkowskiFacet::FaceOfB(number as u32), [-x, -y, -z])
    };
    Two { facet, normal, height: least[best], open, second: next - open }
}

/// Returns the least height of the faces whose normals, times `sign`, are more than 0.3 rad off.
#[inline(always)]
fn faces_aside<F: Lanes<8>>(side: &HullSide<F>, sign: f32, normal: [f32; 3]) -> f32 {
    let normal = splat::<F>(&[normal[0] * sign, normal[1] * sign, normal[2] * sign]);
    let (limit, mut least) = (F::splat(ASIDE), F::splat(f32::INFINITY));
    for group in 0..side.groups {
        let is_aside = limit.gt(dot(&side.planes[group].normal, &normal));
        least = least.min(is_aside.select(side.heights[group], F::splat(f32::INFINITY)));
    }
    let mut of_all = f32::INFINITY;
    for height in least.to_array() {
        of_all = of_all.min(height);
    }
    of_all
}

/// Edges that come near the opposite hull.
struct NearEdges {
    numbers: [u8; MAX_EDGES],
    count: usize,
}

/// Finds the edges that are not farther than `reach` in front of any face of the opposite hull.
#[inline(always)]
fn near_edges<F: Lanes<8>>(small: &SmallHull, other: &HullSide<F>, reach: f32) -> NearEdges {
    let mut near = NearEdges { numbers: [0; MAX_EDGES], count: 0 };
    let reach = F::splat(reach);
    for (number, edge) in small.edges.iter().enumerate() {
        let (from, to) = (&other.fronts[usize::from(edge.ends[0])], &other.fronts[usize::from(edge.ends[1])]);
        let mut is_far = F::splat(0.0);
        for group in 0..other.groups {
            is_far = is_far.or(from[group].min(to[group]).gt(reach));
        }
        near.numbers[near.count] = number as u8;
        near.count += usize::from(is_far.bits() == 0);
    }
    near
}

/// Pairs of edges that form facets.
struct EdgeCrossings {
    /// Their normals, lower bounds of their heights, and the errors of the heights.
    found: SmallVec<[([f32; 3], f32, f32); 16]>,
    passed_over: bool,
}

impl EdgeCrossings {
    /// Returns the least lower bound of the pairs whose normals are more than 0.3 rad off, or too inexact.
    #[inline(always)]
    fn other_depth_bound(&self, normal: [f32; 3], most_open: f32) -> f32 {
        let mut least = f32::INFINITY;
        for &(other, at_least, open) in &self.found {
            let cosine = normal[0] * other[0] + normal[1] * other[1] + normal[2] * other[2];
            let is_aside = cosine < ASIDE || open > most_open;
            least = if is_aside && at_least < least { at_least } else { least };
        }
        least
    }
}

/// Finds the pairs of near edges whose arcs cross, and compares their heights with the heights of the faces; returns
/// `None` if there are too many.
#[inline(always)]
fn crossings<I: WideIsa>(
    (small_a, near_a): (&SmallHull, &NearEdges),
    (small_b, near_b): (&SmallHull, &NearEdges),
    (of_b, corners_b): (&HullSide<F<I>>, &[[f32; 3]; MAX_CORNERS]),
    relative: &Relative,
    two: &mut Two,
) -> Option<EdgeCrossings> {
    let mut lanes_a = [0u32; MAX_EDGES / LANES];
    for &number in &near_a.numbers[..near_a.count] {
        lanes_a[usize::from(number) / LANES] |= 1 << (usize::from(number) % LANES);
    }
    if near_b.count * small_a.edge_lanes.len() > MAX_GROUPS {
        return None;
    }
    let (above, below) = (F::<I>::splat(-ARC), F::<I>::splat(ARC));
    let mut crossings = EdgeCrossings { found: SmallVec::new(), passed_over: false };
    for &number_b in &near_b.numbers[..near_b.count] {
        let edge_b = &small_b.edges[usize::from(number_b)];
        let along_b = relative.turned(edge_b.along);
        let [left, right] = edge_b.facets;
        let (left, right) = (of_b.normal(usize::from(left)), of_b.normal(usize::from(right)));
        let (along, left, right) = (splat::<F<I>>(&along_b), splat::<F<I>>(&left), splat::<F<I>>(&right));
        for (group, edges) in small_a.edge_lanes.iter().enumerate() {
            if lanes_a[group] == 0 {
                continue;
            }
            let along_a = load::<F<I>>(&edges.along);
            let (x, y) = (dot(&left, &along_a), dot(&right, &along_a));
            let (z, w) = (dot(&load(&edges.left), &along), dot(&load(&edges.right), &along));
            let forward = x.min(z).gt(above).and(below.gt(y.max(w)));
            let backward = below.gt(x.max(z)).and(y.min(w).gt(above));
            let mut bits = forward.or(backward).bits() & lanes_a[group];
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let number_a = group * LANES + lane;
                let edge_a = &small_a.edges[number_a];
                let cross = cross(edge_a.along, along_b);
                let sine = dot3(cross, cross).sqrt();
                if sine < PARALLEL {
                    crossings.passed_over = true;
                    continue;
                }
                let ([lx, ly, lz], [rx, ry, rz]) = (&edges.left, &edges.right);
                let outward = [lx[lane] + rx[lane], ly[lane] + ry[lane], lz[lane] + rz[lane]];
                let scale = if dot3(cross, outward) < 0.0 { -1.0 / sine } else { 1.0 / sine };
                let normal = [cross[0] * scale, cross[1] * scale, cross[2] * scale];
                let on_a = small_a.corners[usize::from(edge_a.ends[0])];
                let on_b = corners_b[usize::from(edge_b.ends[0])];
                let height = dot3(normal, [on_a[0] - on_b[0], on_a[1] - on_b[1], on_a[2] - on_b[2]]);
                let open = SINGLE * relative.size / sine;
                two.take(MinkowskiFacet::Edges([number_a as u32, u32::from(number_b)]), normal, height, open);
                crossings.found.push((normal, height - open, open));
            }
        }
    }
    Some(crossings)
}

#[inline(always)]
fn dot3(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::minkowski::facet;
    use crate::convex::sat;
    use crate::convex::support::Support;
    use heurt_bvh::simd::{Kernel, dispatch};
    use heurt_geometry::Pose;
    use heurt_shape::{Convex, Core, Hull};
    use heurt_testkit::number::random::Random;
    use std::sync::Arc;

    struct Look<'a>(PlacedHull<'a>, PlacedHull<'a>, f64, bool);

    impl Kernel for Look<'_> {
        type Output = NearestFacet;
        fn run<I: WideIsa>(self, isa: I) -> NearestFacet {
            least_facet(isa, &self.0, &self.1, self.2, self.3)
        }
    }

    fn solid(random: &mut Random, kind: u32, size: f64) -> Arc<Hull> {
        let points: Vec<Vec3> = match kind % 5 {
            0 => (0..8).map(|k| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) * size).collect(),
            1 => (0..4).map(|_| random.vector(1.0) * size).collect(),
            // A blade far from the origin of its coordinates.
            2 => (0..10).map(|_| (random.vector(1.0) * Vec3::new(1.0, 0.2, 0.02) + Vec3::splat(3.0)) * size).collect(),
            3 => (0..16).map(|_| random.vector(1.0).normalize() * size).collect(),
            _ => (0..8).map(|_| random.vector(1.0).normalize() * size).collect(),
        };
        match Convex::hull(&points).unwrap().core() {
            Core::Hull(hull) => Arc::clone(hull),
            _ => unreachable!("it was made of points"),
        }
    }

    fn pose(random: &mut Random, aligned: bool, shift: Vec3) -> Pose {
        let turn = random.vector(1.0);
        let turn = if aligned { [0.0, 0.0, 0.0, 1.0] } else { [turn.x, turn.y, turn.z, 0.5] };
        let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        Pose::from_quaternion(turn.map(|x| x / length), shift).unwrap()
    }

    /// Returns how far B can be moved along a unit vector before it leaves A.
    fn overlap_along(a: &PlacedHull<'_>, b: &PlacedHull<'_>, direction: Vec3) -> f64 {
        direction.dot(a.support(direction).point - b.support(-direction).point)
    }

    fn random_shift(round: usize) -> Vec3 {
        [Vec3::ZERO, Vec3::new(3.0, -2.0, 1.0), Vec3::new(1e3, 2e3, -5e2)][round % 3]
    }

    #[test]
    fn the_least_facet_is_the_depth_and_no_other_is_as_near_as_told() {
        let mut random = Random::new(7);
        let (mut decided, mut disjoint, mut unknown) = (0, 0, 0);
        for round in 0..12_000 {
            let size = [1.0, 1e-6, 1e5, 1e-90, 1e90][round % 5];
            let (first, second) = (solid(&mut random, round as u32, size), solid(&mut random, round as u32 / 5, size));
            let pose_a = pose(&mut random, round % 7 == 0, random_shift(round) * size);
            let middle = pose_a.place(first.bounds().centre());
            let turned = pose(&mut random, round % 7 == 0, Vec3::ZERO);
            let shift = middle - turned.place(second.bounds().centre()) + random.vector(1.0) * (0.9 * size);
            let pose_b = Pose::from_matrix(*turned.rotation(), shift).unwrap();
            let a = PlacedHull { hull: &first, pose: &pose_a, unit: 1.0 };
            let b = PlacedHull { hull: &second, pose: &pose_b, unit: 1.0 };
            let largest = (first.max_coordinate() + pose_a.max_translation())
                .max(second.max_coordinate() + pose_b.max_translation());
            let sure = facet::SURE * f64::EPSILON * largest;
            let ulps = 64.0 * f64::EPSILON * largest;
            match dispatch(Look(a, b, sure, round % 2 == 0)) {
                NearestFacet::Unknown => unknown += 1,
                NearestFacet::Disjoint { axis, at_least } => {
                    disjoint += 1;
                    let direction = *pose_a.rotation() * axis.normalize();
                    assert!(-overlap_along(&a, &b, direction) >= at_least - ulps, "round {round}");
                }
                NearestFacet::Facet { facet, others, aside } => {
                    let Some(found) = facet::across(&a, &b, facet, largest) else { continue };
                    let depth = found.gap.length;
                    if depth + 2.0 * sure >= others || found.signed > 0.0 {
                        continue;
                    }
                    decided += 1;
                    let unit = heurt_geometry::power_of_two_scale(largest);
                    let (in_a, in_b) = (PlacedHull { unit, ..a }, PlacedHull { unit, ..b });
                    let least = sat::least_overlap(&in_a, &in_b).unwrap().depth / unit;
                    assert!((least - depth).abs() <= ulps, "round {round}: {depth}, but along some axis {least}");
                    for _ in 0..40 {
                        let direction = random.vector(1.0).normalize();
                        let turn = direction.dot(found.gap.normal).clamp(-1.0, 1.0).acos();
                        // The exit is through a facet that is off, or through a facet within 0.3 rad.
                        let off = (turn - 0.3).max(0.0);
                        let near = if off < 1.57 { depth / off.cos() } else { f64::INFINITY };
                        let along = overlap_along(&a, &b, direction);
                        assert!(along >= aside.min(near) - ulps, "round {round}: {along}, aside {aside}, near {near}");
                    }
                }
            }
        }
        assert!(decided > 3_000 && disjoint > 1_000, "{decided} decided, {disjoint} disjoint, {unknown} unknown");
    }
}
