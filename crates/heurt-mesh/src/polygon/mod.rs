//! Triangulation of polygons by ear clipping, in place.
//!
//! In: vertices in metres and polygons as lists of vertex indices, counter-clockwise seen from outside. Out: n − 2
//! triangles for a polygon of n corners, in the place of the polygon, with its orientation, and the polygon of each.
//! Method: the polygon is projected along the axis nearest to its Newell normal. A convex polygon becomes the fan from
//! its first corner. Other polygons are cut ear by ear, with the exact orientation test on projected coordinates.
//! Guarantees: nothing is dropped or reordered; a simple polygon (after projection) gives triangles that tile it, and
//! none of zero area unless its corners force one. A polygon of no area, and what is left of one that crosses itself,
//! becomes a fan. Cost: O(n) for convex polygons, O(n · reflex corners) for others of at most 80 corners, O(n log n)
//! for larger ones where ears are small and O(n √n) where they are long (`ear_queue`), up to a budget beyond which the
//! rest becomes a fan.

mod ear_queue;
mod reflex_tree;

use heurt_geometry::{Sign, Vec2, Vec3, orient2d};
use thiserror::Error;

use crate::axis_projection::AxisProjection;
use crate::tri_mesh::index_remedy;
use crate::{MeshError, TriMesh};

/// A mesh made of polygons and where its triangles come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangulated {
    /// The mesh.
    pub mesh: TriMesh,
    /// For each triangle the number of its polygon, ascending.
    pub polygon_of: Vec<u32>,
}

/// Why vertices and polygons do not make a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// A polygon has fewer than three corners.
    #[error("polygon {polygon} has {count} corners: give at least 3")]
    TooFewCorners {
        /// The polygon.
        polygon: usize,
        /// How many corners it has.
        count: usize,
    },
    /// A polygon names a vertex that is not there.
    #[error(
        "corner {corner} of polygon {polygon} names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*count)
    )]
    IndexOutOfRange {
        /// The polygon.
        polygon: usize,
        /// Which of its corners.
        corner: usize,
        /// The index it names.
        index: u32,
        /// How many vertices there are.
        count: usize,
    },
    /// The vertices, or the numbers of vertices or triangles, are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl TriMesh {
    /// Triangulates polygons, each in its place and none dropped.
    ///
    /// # Errors
    /// [`PolygonError`] names the first offending polygon or vertex.
    pub fn from_polygons<P: AsRef<[u32]>>(
        vertices: Vec<Vec3>,
        polygons: impl IntoIterator<Item = P>,
    ) -> Result<Triangulated, PolygonError> {
        // The ears are cut by predicates that trust finite numbers.
        if let Some(vertex) = vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(MeshError::NotFinite { vertex, position: vertices[vertex] }.into());
        }
        let mut triangulator = Triangulator::default();
        let (mut triangles, mut polygon_of) = (Vec::new(), Vec::new());
        for (polygon, corners) in polygons.into_iter().enumerate() {
            let corners = corners.as_ref();
            if corners.len() < 3 {
                return Err(PolygonError::TooFewCorners { polygon, count: corners.len() });
            }
            let count = vertices.len();
            if let Some(corner) = corners.iter().position(|&index| index as usize >= count) {
                return Err(PolygonError::IndexOutOfRange { polygon, corner, index: corners[corner], count });
            }
            triangulator.triangulate(&vertices, corners, &mut triangles);
            polygon_of.resize(triangles.len(), polygon as u32);
        }
        Ok(Triangulated { mesh: Self::new(vertices, triangles)?, polygon_of })
    }
}

/// Triangulates one polygon with holes, seen along the axis nearest to its normal, by constrained Delaunay
/// triangulation. No vertex is added; the holes may run in either direction. `None` if a loop has fewer than three
/// corners or an index that is out of range, if one has no area, if loops touch, cross themselves or each other, and if
/// a hole is outside.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::triangulate_with_holes;
/// let square = |low: f64, high: f64| {
///     [[low, low], [high, low], [high, high], [low, high]].map(|[x, y]| Vec3::new(x, y, 0.0))
/// };
/// let vertices = [square(0.0, 3.0), square(1.0, 2.0)].concat();
/// let triangles = triangulate_with_holes(&vertices, &[0, 1, 2, 3], &[vec![4, 5, 6, 7]]).unwrap();
/// assert_eq!(triangles.len(), 8);
/// ```
pub fn triangulate_with_holes(vertices: &[Vec3], outline: &[u32], holes: &[Vec<u32>]) -> Option<Vec<[u32; 3]>> {
    let is_loop = |cycle: &[u32]| {
        let at = |&vertex: &u32| vertices.get(vertex as usize);
        cycle.len() >= 3 && cycle.iter().all(|vertex| at(vertex).is_some_and(|point| point.is_finite()))
    };
    if !is_loop(outline) || !holes.iter().all(|hole| is_loop(hole)) {
        return None;
    }
    crate::repair::fill::triangulate_with_holes(outline, holes, vertices)
}

/// Point-in-ear tests that one mesh may cost beyond those for each corner: some seconds.
const EAR_TEST_BUDGET: u64 = 1 << 29;

/// Point-in-ear tests for each corner of a polygon cut by `ear_queue`: 512 nodes of its tree, for approximately three
/// ears.
const TESTS_PER_CORNER: u64 = 2048;

/// Corners up to which a polygon is cut without a queue and a tree: a list of so few reflex corners is short.
const SMALL: usize = 80;

/// The successor of a corner that is gone.
const CUT: u32 = u32::MAX;

/// Triangulates polygons in turn, with buffers kept between them.
struct Triangulator {
    budget: u64,
    points: Vec<Vec2>,
    next: Vec<u32>,
    previous: Vec<u32>,
    reflex: Vec<u32>,
}

impl Default for Triangulator {
    fn default() -> Self {
        let (points, next, previous, reflex) = Default::default();
        Self { budget: EAR_TEST_BUDGET, points, next, previous, reflex }
    }
}

impl Triangulator {
    fn triangulate(&mut self, vertices: &[Vec3], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
        if let &[a, b, c] = corners {
            triangles.push([a, b, c]);
            return;
        }
        let flat = self.project(vertices, corners);
        if flat || self.is_fan() {
            let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]);
            triangles.extend(fan);
        } else if corners.len() <= SMALL {
            self.budget = self.budget.saturating_add(256 * corners.len() as u64);
            self.cut_ears(corners, triangles);
        } else {
            self.budget = self.budget.saturating_add(TESTS_PER_CORNER * corners.len() as u64);
            ear_queue::cut_ears(&self.points, corners, &mut self.budget, triangles);
        }
    }

    /// Projects the polygon along the axis nearest to its normal; reports whether it has no area.
    fn project(&mut self, vertices: &[Vec3], corners: &[u32]) -> bool {
        let normal = newell_normal(vertices, corners);
        let projection = AxisProjection::along(normal);
        self.points.clear();
        self.points.extend(corners.iter().map(|&vertex| projection.apply(vertices[vertex as usize])));
        projection.component(normal) == 0.0
    }

    /// Reports whether the fan from the first corner tiles the polygon with triangles of positive area.
    ///
    /// No corner turns clockwise and every fan triangle is counter-clockwise: the corners go round the first one by
    /// less than a half turn in all, so the polygon is convex and the fan triangles lie side by side.
    fn is_fan(&self) -> bool {
        let count = self.points.len() as u32;
        (1..count - 1).all(|i| self.turn(0, i, i + 1) == Sign::Positive)
            && (0..count).all(|i| self.turn((i + count - 1) % count, i, (i + 1) % count) != Sign::Negative)
    }

    fn turn(&self, a: u32, b: u32, c: u32) -> Sign {
        orient2d(self.points[a as usize], self.points[b as usize], self.points[c as usize])
    }

    /// Cuts ears of positive area; when none is left, a corner of no area; when none is left either, what remains
    /// crosses itself and becomes a fan.
    fn cut_ears(&mut self, corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
        let count = corners.len() as u32;
        self.next.clear();
        self.next.extend((1..count).chain([0]));
        self.previous.clear();
        self.previous.extend([count - 1].into_iter().chain(0..count - 1));
        self.collect_reflex(0, count);
        let (mut left, mut at, mut misses) = (count, 1u32, 0u32);
        while left > 3 {
            let (before, after) = (self.previous[at as usize], self.next[at as usize]);
            self.budget = self.budget.saturating_sub(1);
            let cut = match self.turn(before, at, after) {
                Sign::Positive => self.is_ear(before, at, after),
                // A whole round found no proper ear: a spike or a straight corner may go.
                Sign::Zero => misses >= left,
                Sign::Negative => false,
            };
            if cut {
                triangles.push([before, at, after].map(|i| corners[i as usize]));
                self.next[before as usize] = after;
                self.previous[after as usize] = before;
                self.next[at as usize] = CUT;
                left -= 1;
                // In a simple polygon, corners become convex as ears go, never reflex: the list stays complete. Now and
                // then, make it short.
                if left.is_power_of_two() {
                    self.collect_reflex(before, left);
                }
                misses = 0;
                // Skipping the corner after the ear spreads the cuts, which keeps slivers away from one corner.
                at = self.next[after as usize];
            } else if misses > 2 * left || self.budget == 0 {
                break;
            } else {
                misses += 1;
                at = after;
            }
        }
        let mut i = self.next[at as usize];
        for _ in 2..left {
            let after = self.next[i as usize];
            triangles.push([at, i, after].map(|i| corners[i as usize]));
            i = after;
        }
    }

    /// Lists the corners that do not turn counter-clockwise. In a simple polygon, only these can lie in an ear.
    fn collect_reflex(&mut self, start: u32, count: u32) {
        self.reflex.clear();
        let mut at = start;
        for _ in 0..count {
            if self.turn(self.previous[at as usize], at, self.next[at as usize]) != Sign::Positive {
                self.reflex.push(at);
            }
            at = self.next[at as usize];
        }
    }

    /// Reports whether no reflex corner lies in the closed counter-clockwise triangle, those at its own corners aside.
    fn is_ear(&mut self, before: u32, at: u32, after: u32) -> bool {
        let [a, b, c] = [before, at, after].map(|i| self.points[i as usize]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        self.budget = self.budget.saturating_sub(self.reflex.len() as u64);
        self.reflex.iter().all(|&i| {
            let point = self.points[i as usize];
            let is_outside = point.cmplt(low).any() || point.cmpgt(high).any();
            // Corners at the same place, as where a slit joins a hole to the outline, do not block.
            is_outside
                || self.next[i as usize] == CUT
                || point == a
                || point == b
                || point == c
                || [(a, b), (b, c), (c, a)].into_iter().any(|(p, q)| orient2d(p, q, point) == Sign::Negative)
        })
    }
}

/// Twice the area times the normal, up to a positive factor that keeps products in range.
fn newell_normal(vertices: &[Vec3], corners: &[u32]) -> Vec3 {
    let origin = vertices[corners[0] as usize];
    let mut extent = 0.0f64;
    for &corner in corners {
        extent = extent.max((vertices[corner as usize] * 0.5 - origin * 0.5).abs().max_element());
    }
    if extent == 0.0 {
        return Vec3::ZERO;
    }
    let local = |corner: u32| (vertices[corner as usize] * 0.5 - origin * 0.5) / extent;
    let mut normal = Vec3::ZERO;
    let mut previous = local(corners[corners.len() - 1]);
    for &corner in corners {
        let point = local(corner);
        normal += previous.cross(point);
        previous = point;
    }
    normal
}
