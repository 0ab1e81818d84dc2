//! Convex hull of points, of any dimension they span, with data for support, facet and edge queries.
//!
//! In: finite points in the frame of the shape. Out: [`Hull`]: its corners, in groups of four for SIMD, its facets as
//! polygons, its edges with the adjacent facets, the neighbours of each corner.
//! Method: corners and triangles by exact predicates ([`ConvexHull`]); triangles whose corners lie in one plane within
//! 16 ulp make one facet.
//! Guarantees: exactly the convex set of the points: every corner is one of them. Points that are no corners are kept
//! unless they are deep inside, because a pose rounds every point separately and may place them outside the hull of the
//! placed corners. Cost: the cost of the convex hull, once.

use super::ConvexError;
use super::facets::{Edge, Facet, are_crisp, edges_of, merged_facets, polygon_normal};
use super::small_hull::SmallHull;
use super::support_table::{GROUP, SupportTable};
use crate::MeshShape;
use crate::csr::Csr;
use crate::once::get_or_make_unlocked;
use heurt_bvh::simd::{Avx2, Isa};
use heurt_geometry::{Aabb, ConvexHull, Dimension, StateHash, Vec3, power_of_two_scale, scaled_to_unit_range};
use heurt_mesh::TriMesh;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Number of corners processed together.
const WIDE: usize = 4;

/// Maximum number of corners for a full scan; larger hulls use cells of directions.
const MAX_SCANNED: usize = 112;

/// Minimum distance of [`Hull::inner`] from all facets, as a share of the reach.
const WELL_INSIDE: f64 = 1e-6;

/// Points left out of [`Hull::loose`] are deeper than this share of the reach. No pose with a translation below 10⁷
/// times the reach rounds them out.
const DEEP: f64 = 1.0 / (1u32 << 20) as f64;

/// A point, segment, convex polygon or convex polyhedron.
#[derive(Debug, Clone)]
pub struct Hull {
    corners: Vec<Vec3>,
    loose: Vec<Vec3>,
    /// Corners in units of approximately their reach, coordinate by coordinate; the last is repeated.
    lanes: Vec<[[f64; WIDE]; 3]>,
    /// Metres in such a unit.
    metre: f64,
    /// Support table of hulls of more than [`MAX_SCANNED`] corners.
    table: Option<SupportTable>,
    dimension: Dimension,
    facets: Vec<Facet>,
    edges: Vec<Edge>,
    neighbours: Csr,
    /// The facets around each corner.
    about: Csr,
    triangles: Vec<[u32; 3]>,
    bounds: Aabb,
    reach: f64,
    radius: f64,
    fingerprint: u64,
    is_crisp: bool,
    inner: Option<Vec3>,
    small: Option<Box<SmallHull>>,
    /// The hull as a mesh, made at the first request.
    surface: OnceLock<MeshShape>,
}

/// Equal corners span equal sets; with equal loose points, placed sets are equal for any pose.
impl PartialEq for Hull {
    fn eq(&self, other: &Self) -> bool {
        self.corners == other.corners && self.loose == other.loose
    }
}

impl Hull {
    /// Computes the hull of `points`.
    ///
    /// # Errors
    /// [`ConvexError`] for no points, too many of them, or a coordinate that is not finite or beyond 2^1019.
    pub fn new(points: &[Vec3]) -> Result<Self, ConvexError> {
        let hull = ConvexHull::new(points)?;
        for value in points.iter().flat_map(|point| point.to_array()) {
            super::finite("points", value)?;
        }
        let kept = hull.vertices();
        let numbers: BTreeMap<u32, u32> = kept.iter().copied().zip(0u32..).collect();
        let corners: Vec<Vec3> = kept.iter().map(|&point| points[point as usize]).collect();
        let triangles: Vec<[u32; 3]> = hull.triangles().iter().map(|t| t.map(|point| numbers[&point])).collect();
        let mut assembled = Self::assembled(corners, hull.dimension(), triangles);
        if points.len() > assembled.corners.len() {
            let others =
                (0u32..).zip(points).filter(|(number, _)| !numbers.contains_key(number)).map(|(_, point)| *point);
            assembled.keep_loose(others);
        }
        Ok(assembled)
    }

    /// Keeps the points among `others` that are not provably deep in the hull: outside a ball around [`Hull::inner`].
    fn keep_loose(&mut self, others: impl Iterator<Item = Vec3>) {
        let unit = power_of_two_scale(self.reach);
        let mut ball = (Vec3::ZERO, f64::NEG_INFINITY);
        if let Some(inner) = self.inner {
            let depth = |facet: &Facet| {
                let corner = facet.corners.first().map_or(inner, |&corner| self.corners[corner as usize]);
                facet.normal.dot((corner - inner) * unit)
            };
            ball = (inner, self.facets.iter().map(depth).fold(f64::INFINITY, f64::min) - DEEP * self.reach * unit);
        }
        let is_deep = |point: Vec3| ((point - ball.0) * unit).length() < ball.1;
        // Both zeros are equal.
        let key = |point: &Vec3| point.to_array().map(|x| (x + 0.0).to_bits());
        let mut loose: Vec<Vec3> = others.filter(|point| !is_deep(*point)).collect();
        loose.sort_unstable_by_key(key);
        loose.dedup();
        let known: BTreeSet<[u64; 3]> = self.corners.iter().map(key).collect();
        loose.retain(|point| !known.contains(&key(point)));
        if !loose.is_empty() {
            self.fingerprint = fingerprint(self.corners.iter().chain(&loose));
        }
        self.loose = loose;
    }

    fn assembled(corners: Vec<Vec3>, dimension: Dimension, mut triangles: Vec<[u32; 3]>) -> Self {
        let bounds = Aabb::from_points(corners.iter().copied());
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        let all: Vec<u32> = (0..corners.len() as u32).collect();
        let facets = match dimension {
            Dimension::Solid => merged_facets(&corners, &triangles, reach),
            Dimension::Planar => {
                triangles = all[1..].windows(2).map(|edge| [0, edge[0], edge[1]]).collect();
                let normal = polygon_normal(&corners, &all);
                let back = all.iter().rev().copied().collect();
                vec![Facet { normal, corners: all }, Facet { normal: -normal, corners: back }]
            }
            Dimension::Segment | Dimension::Point => {
                triangles = vec![[0, 0, corners.len() as u32 - 1]];
                Vec::new()
            }
        };
        let edges = match dimension {
            Dimension::Segment => vec![Edge { ends: [0, 1], facets: None }],
            _ => edges_of(&facets),
        };
        // Edges of the triangles are included: a corner may lie on a facet within the tolerance and not be in its
        // polygon.
        let mut pairs: Vec<[u32; 2]> = edges.iter().map(|edge| edge.ends).collect();
        pairs.extend(triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).filter(|[a, b]| a != b));
        pairs.extend(pairs.clone().into_iter().map(|[a, b]| [b, a]));
        let neighbours = Csr::new(corners.len(), pairs);
        let sides = (0u32..).zip(&facets).flat_map(|(number, facet)| facet.corners.iter().map(move |&c| [c, number]));
        let about = Csr::new(corners.len(), sides.collect());
        let lanes = lanes_of(&corners, reach);
        let has_many = corners.len() > MAX_SCANNED;
        let table = has_many.then(|| SupportTable::new(&corners, &neighbours, &bounds));
        let is_crisp = match dimension {
            Dimension::Point | Dimension::Segment => true,
            Dimension::Planar => false,
            Dimension::Solid => are_crisp(&corners, &facets, &edges, reach),
        };
        let inner = if dimension == Dimension::Solid { inner(&corners, &facets, reach) } else { None };
        let is_small = dimension == Dimension::Solid && is_crisp;
        let small = if is_small { SmallHull::new(&corners, &facets, &edges, &bounds).map(Box::new) } else { None };
        Self {
            lanes,
            metre: 1.0 / power_of_two_scale(reach),
            table,
            dimension,
            facets,
            edges,
            neighbours,
            about,
            triangles,
            bounds,
            reach,
            is_crisp,
            inner,
            small,
            radius: radius_about(bounds.centre(), &corners),
            fingerprint: fingerprint(&corners),
            corners,
            loose: Vec::new(),
            surface: OnceLock::new(),
        }
    }

    /// Returns the corners: no corner of the hull is missing, none is superfluous.
    #[inline(always)]
    pub fn corners(&self) -> &[Vec3] {
        &self.corners
    }

    /// Returns the given points that are no corners, each once, except points deep inside. A pose rounds each point
    /// separately, and may place points of the surface outside the hull of the placed corners.
    pub fn loose(&self) -> &[Vec3] {
        &self.loose
    }

    /// Returns the dimension that the corners span.
    #[inline(always)]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Returns the facets; a polygon has two, back to back; a segment and a point have none.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// Returns the edges, each once.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the surface as triangles: closed for a solid, a fan for a polygon, one without area for a segment or a
    /// point.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns a hash of the corners and the loose points. Other hulls have another hash, except for one case in 2⁶⁴
    /// and for deliberate collisions.
    #[inline(always)]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the hull as a mesh, solid if it has an inside.
    pub fn surface(&self) -> &MeshShape {
        get_or_make_unlocked(&self.surface, || {
            let mesh = TriMesh::new(self.corners.clone(), self.triangles.clone()).expect("its corners are finite");
            let shape = MeshShape::new(mesh).expect("its corners are in range");
            let solid = self.dimension == Dimension::Solid;
            shape.with_solid(solid).expect("the surface of a solid is closed").with_whole_boundary()
        })
    }

    /// Returns [`Hull::surface`] and consumes the hull.
    pub fn into_surface(self) -> MeshShape {
        self.surface();
        self.surface.into_inner().expect("it was just made")
    }

    /// Returns the box of the corners.
    #[inline(always)]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the largest coordinate in magnitude.
    #[inline(always)]
    pub fn max_coordinate(&self) -> f64 {
        self.reach
    }

    /// Reports whether facets and edges are robust against roundings. This holds for a point, a segment, or a solid
    /// whose edges are all longer than a millionth of the longest, turn by more than a millionth of a radian, and do
    /// not continue straight in another edge within a ten-thousandth.
    #[inline(always)]
    pub fn is_crisp(&self) -> bool {
        self.is_crisp
    }

    /// Returns a point inside, farther from all facets than a millionth of [`Hull::max_coordinate`]; `None` if the
    /// inside is too thin or missing.
    #[inline(always)]
    pub fn inner(&self) -> Option<Vec3> {
        self.inner
    }

    /// Returns the hull in single precision, if it is a solid of few corners and [`Hull::is_crisp`].
    #[inline(always)]
    pub fn small(&self) -> Option<&SmallHull> {
        self.small.as_deref()
    }

    /// Returns the corners that share an edge with `corner`.
    #[inline(always)]
    pub fn neighbours(&self, corner: u32) -> &[u32] {
        self.neighbours.of(corner)
    }

    /// Returns the numbers of the facets with `corner`.
    #[inline(always)]
    pub fn facets_about(&self, corner: u32) -> &[u32] {
        self.about.of(corner)
    }

    /// Returns the number of the support corner along `direction`, which has any length but 0, up to rounding.
    #[inline]
    pub fn support(&self, direction: Vec3) -> u32 {
        let direction = scaled_to_unit_range(direction);
        match Avx2::detect() {
            Some(isa) => isa.enter(
                #[inline(always)]
                || self.farthest(direction),
            ),
            None => self.farthest(direction),
        }
    }

    /// Returns the support values of the corners along three directions, negative and positive, up to rounding.
    pub fn extents(&self, axes: [Vec3; 3]) -> [Vec3; 2] {
        match Avx2::detect() {
            Some(isa) => isa.enter(
                #[inline(always)]
                || self.scan_extents(axes),
            ),
            None => self.scan_extents(axes),
        }
    }

    #[inline(always)]
    fn scan_extents(&self, axes: [Vec3; 3]) -> [Vec3; 2] {
        let (mut low, mut high) = ([[f64::INFINITY; WIDE]; 3], [[f64::NEG_INFINITY; WIDE]; 3]);
        for [x, y, z] in &self.lanes {
            for (axis, direction) in axes.iter().enumerate() {
                for k in 0..WIDE {
                    let along = direction.x * x[k] + direction.y * y[k] + direction.z * z[k];
                    low[axis][k] = if along < low[axis][k] { along } else { low[axis][k] };
                    high[axis][k] = if along > high[axis][k] { along } else { high[axis][k] };
                }
            }
        }
        let least = |lanes: [f64; WIDE]| lanes.into_iter().fold(f64::INFINITY, f64::min) * self.metre;
        let most = |lanes: [f64; WIDE]| lanes.into_iter().fold(f64::NEG_INFINITY, f64::max) * self.metre;
        [Vec3::from_array(low.map(least)), Vec3::from_array(high.map(most))]
    }

    /// Returns the radius of a ball around the middle of the box that holds the hull, in metres.
    #[inline(always)]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Computes [`Hull::support`] within a kernel, for directions whose length is between 1e-280 and 1e300.
    #[inline(always)]
    pub fn farthest(&self, direction: Vec3) -> u32 {
        match &self.table {
            None => self.farthest_of_all(direction),
            Some(table) => self.farthest_by(table, direction),
        }
    }

    /// Returns the support value of the corners along `direction` in metres times its length, which is between 1e-280
    /// and 1e300, up to rounding. Within a kernel.
    #[inline(always)]
    pub fn reach_along(&self, direction: Vec3) -> f64 {
        let Some(table) = &self.table else { return self.reach_of_all(direction) };
        direction.dot(self.corners[self.farthest_by(table, direction) as usize])
    }

    #[inline(always)]
    fn reach_of_all(&self, direction: Vec3) -> f64 {
        let mut farthest = [f64::NEG_INFINITY; WIDE];
        for [x, y, z] in &self.lanes {
            for k in 0..WIDE {
                let along = direction.x * x[k] + direction.y * y[k] + direction.z * z[k];
                farthest[k] = if along > farthest[k] { along } else { farthest[k] };
            }
        }
        farthest[farthest_lane(farthest)] * self.metre
    }

    /// Prefetches the data from which support points are computed.
    #[inline(always)]
    pub(crate) fn expect_corners<I: Isa>(&self, isa: I) {
        if self.table.is_some() {
            return;
        }
        self.lanes.iter().for_each(|group| isa.prefetch(group));
        let (whole, rest) = self.corners.as_chunks::<WIDE>();
        whole.iter().for_each(|four| isa.prefetch(four));
        rest.iter().for_each(|one| isa.prefetch(one));
    }

    /// Computes [`Hull::support`] by hill climbing from corner to neighbour, beginning at the corner `from`. A near
    /// start takes few steps; the cells of directions are faster. For corners with distances of a few ulp it may end
    /// early.
    ///
    /// # Panics
    /// If no corner has the number `from`.
    pub fn climb(&self, direction: Vec3, from: u32) -> u32 {
        let (unit, direction) = (power_of_two_scale(self.reach), scaled_to_unit_range(direction));
        let along = |corner: u32| direction.dot(self.corners[corner as usize] * unit);
        let (mut best, mut farthest) = (from, along(from));
        // Each step increases the support value strictly.
        loop {
            let before = best;
            for &next in self.neighbours(before) {
                let there = along(next);
                if there > farthest {
                    (best, farthest) = (next, there);
                }
            }
            if best == before {
                return best;
            }
        }
    }

    #[inline(always)]
    fn farthest_of_all(&self, direction: Vec3) -> u32 {
        let mut farthest = [f64::NEG_INFINITY; WIDE];
        let mut group = [0u64; WIDE];
        // Two groups at a time: halves the chain of dependent comparisons with the maximum.
        for (number, [even, odd]) in self.lanes.as_chunks::<2>().0.iter().enumerate() {
            let (first, second) = (2 * number as u64, 2 * number as u64 + 1);
            for k in 0..WIDE {
                let of_even = direction.x * even[0][k] + direction.y * even[1][k] + direction.z * even[2][k];
                let of_odd = direction.x * odd[0][k] + direction.y * odd[1][k] + direction.z * odd[2][k];
                let is_odd = of_odd > of_even;
                let along = if is_odd { of_odd } else { of_even };
                let here = if is_odd { second } else { first };
                let is_farther = along > farthest[k];
                farthest[k] = if is_farther { along } else { farthest[k] };
                group[k] = if is_farther { here } else { group[k] };
            }
        }
        // The last corner is repeated.
        let best = farthest_lane(farthest);
        (group[best] as usize * WIDE + best).min(self.corners.len() - 1) as u32
    }

    /// (Inlined into a search, it slows the search for hulls of few corners.)
    #[inline(never)]
    fn farthest_by(&self, table: &SupportTable, direction: Vec3) -> u32 {
        let (mut farthest, mut found) = (f64::NEG_INFINITY, 0);
        for group in table.corners_along(direction).as_chunks::<GROUP>().0 {
            let along = group.map(|corner| {
                let ([x, y, z], k) = (&self.lanes[corner as usize / WIDE], corner as usize % WIDE);
                direction.x * x[k] + direction.y * y[k] + direction.z * z[k]
            });
            let best = farthest_lane(along);
            if along[best] > farthest {
                (farthest, found) = (along[best], group[best]);
            }
        }
        found
    }
}

/// Returns the index of the largest of four numbers.
#[inline(always)]
fn farthest_lane(along: [f64; 4]) -> usize {
    let left = if along[1] > along[0] { 1 } else { 0 };
    let right = if along[3] > along[2] { 3 } else { 2 };
    if along[right] > along[left] { right } else { left }
}

/// Returns the mean of the corners that extend most along the axes, if it is well inside.
fn inner(corners: &[Vec3], facets: &[Facet], reach: f64) -> Option<Vec3> {
    // In units in which products stay in range.
    let unit = power_of_two_scale(reach);
    let mut sum = Vec3::ZERO;
    for axis in Vec3::AXES {
        let along = |corner: &&Vec3| axis.dot(**corner * unit);
        let least = corners.iter().min_by(|x, y| along(x).total_cmp(&along(y)))?;
        let most = corners.iter().max_by(|x, y| along(x).total_cmp(&along(y)))?;
        sum += (*least + *most) * (unit * 0.125);
    }
    let mean = sum * (8.0 / 6.0);
    let is_inside = |facet: &Facet| {
        let corner = facet.corners.first().map_or(mean, |&corner| corners[corner as usize] * unit);
        facet.normal.dot(corner - mean) > WELL_INSIDE * reach * unit
    };
    facets.iter().all(is_inside).then_some(mean / unit)
}

fn fingerprint<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> u64 {
    points.into_iter().copied().fold(StateHash::new(), StateHash::vector).finish()
}

/// Returns the maximum distance of the points from `centre`, rounded up.
fn radius_about(centre: Vec3, points: &[Vec3]) -> f64 {
    let offsets = points.iter().map(|&point| point - centre);
    let size = offsets.clone().fold(0.0, |most, offset| f64::max(most, offset.abs().max_element()));
    // In units in which squares stay in range.
    let unit = power_of_two_scale(size);
    offsets.map(|offset| (offset * unit).length()).fold(0.0, f64::max) / unit * (1.0 + 1e-14)
}

/// Returns the corners in groups of four, scaled by a power of two; an even number of groups.
fn lanes_of(corners: &[Vec3], reach: f64) -> Vec<[[f64; WIDE]; 3]> {
    let unit = power_of_two_scale(reach);
    let groups = corners.len().div_ceil(2 * WIDE) * 2;
    let corner = |number: usize| corners[number.min(corners.len() - 1)] * unit;
    let wide = (0..groups).map(|group| [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|k| corner(group * WIDE + k)[axis])));
    wide.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_testkit::number::random::Random;

    #[test]
    fn a_look_at_all_corners_finds_the_farthest() {
        let mut random = Random::new(47);
        for count in 1..=70 {
            let ball: Vec<Vec3> = (0..count).map(|_| random.vector(1.0).normalize_or_zero()).collect();
            let ties: Vec<Vec3> = ball.iter().map(|point| point.round()).collect();
            for hull in [Hull::new(&ball).unwrap(), Hull::new(&ties).unwrap()] {
                for _ in 0..50 {
                    let direction = random.vector(1.0).round() + random.vector(1.0) * f64::from(random.one_in(2));
                    let along = |corner: &Vec3| direction.dot(*corner);
                    let most = hull.corners().iter().map(along).fold(f64::NEG_INFINITY, f64::max);
                    let found = hull.corners()[hull.support(direction) as usize];
                    assert!(along(&found) >= most - 8.0 * f64::EPSILON, "{count}: {found:?} along {direction:?}");
                }
            }
        }
    }

    #[test]
    fn from_corner_to_neighbour_leads_to_the_farthest() {
        let mut random = Random::new(49);
        for count in [1, 2, 3, 4, 8, 40, 300] {
            let points: Vec<Vec3> = (0..count).map(|_| random.vector(1.0)).collect();
            for scale in [1.0, 1e-150, 1e150] {
                let hull = Hull::new(&points.iter().map(|&p| p * scale).collect::<Vec<_>>()).unwrap();
                for _ in 0..200 {
                    let direction = random.vector(1.0);
                    let along = |corner: u32| direction.dot(hull.corners()[corner as usize] / scale);
                    let from = random.whole(0, hull.corners().len() as i64 - 1) as u32;
                    let found = along(hull.climb(direction, from));
                    assert!((found - along(hull.support(direction))).abs() <= 1e-15, "{count} × {scale}");
                }
            }
        }
    }

    #[test]
    fn the_inner_point_is_behind_all_facets() {
        let mut random = Random::new(31);
        for scale in [1.0, 1e-150, 1e150] {
            for count in 4..60 {
                let points: Vec<Vec3> = (0..count).map(|_| random.vector(1.0) * scale).collect();
                let hull = Hull::new(&points).unwrap();
                let Some(inner) = hull.inner() else { continue };
                for facet in hull.facets() {
                    let height = facet.normal.dot((inner - hull.corners()[facet.corners[0] as usize]) / scale);
                    assert!(
                        height < -0.9 * WELL_INSIDE * hull.max_coordinate() / scale,
                        "{count} corners, {scale}: {height}"
                    );
                }
            }
            let cuboid = Hull::new(
                &(0..8)
                    .map(|k| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) * scale)
                    .collect::<Vec<_>>(),
            );
            assert!(cuboid.unwrap().inner().is_some());
        }
    }

    #[test]
    fn what_is_flat_has_no_inner_point() {
        let flat = |height: f64| {
            let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.3, height)];
            Hull::new(&points).unwrap().inner()
        };
        assert_eq!(flat(0.0), None);
        assert_eq!(flat(1e-9), None);
        assert!(flat(1e-3).is_some());
    }
}
