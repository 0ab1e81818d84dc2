//! Convex hull of points, of any dimension they span.
//!
//! In: finite points in any frame, any number of them equal, collinear or coplanar. Out: the extreme points by index
//! and, when they span space, triangles oriented outward.
//! Method: quickhull (Barber, Dobkin and Huhdanpaa 1996) for solids, Andrew's monotone chain (1979) in a plane.
//! Differences from the source: every side is decided by exact predicates, so there are no tolerances and no merged
//! facets; rounded heights only choose the next point.
//! Guarantees: exactly the extreme points, the least index of equal ones; every point is inside or on the hull; the
//! same hull from the same points. Facets with more than three corners come as several coplanar triangles in an
//! unspecified triangulation. Cost: O(n log n) on well spread points, O(n²) at worst.

mod flat;
mod solid;

pub(crate) use flat::flat_corners;

use crate::predicates::{Sign, orient3d};
use crate::triangle::{is_degenerate, point_on_segment};
use crate::{Triangle, Vec3};
use std::cmp::Ordering;
use thiserror::Error;

/// Dimension of the span of a set of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// A single point.
    Point,
    /// A segment of a line.
    Segment,
    /// A convex polygon in a plane.
    Planar,
    /// A convex polyhedron.
    Solid,
}

/// Reason why points have no hull.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HullError {
    /// There are no points.
    #[error("no points: give at least one")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("point {index} has the coordinate {value}: give finite numbers")]
    NotFinite {
        /// The index of the point.
        index: usize,
        /// The offending coordinate.
        value: f64,
    },
    /// There are more points than indices.
    #[error("{count} points: give fewer than {}", u32::MAX)]
    TooMany {
        /// Number of points.
        count: usize,
    },
}

/// A fault of a hull of given points; see [`ConvexHull::validate`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HullFault {
    /// An index that refers to none of the points.
    #[error("the index {index} names none of the {count} points: pass the points the hull was made of")]
    NoSuchPoint {
        /// The offending index.
        index: u32,
        /// Number of points.
        count: usize,
    },
    /// The triangles do not close.
    #[error("the edge from point {from} to point {to} has no opposite: pass the points the hull was made of")]
    Open {
        /// Index of the first point of the edge.
        from: u32,
        /// Index of the second point of the edge.
        to: u32,
    },
    /// A point is not on or inside the hull.
    #[error("point {index} lies outside: pass the points the hull was made of")]
    Outside {
        /// The index of the point.
        index: usize,
    },
}

/// The convex hull of points, by their indices.
///
/// ```
/// use heurt_geometry::{ConvexHull, Dimension, Vec3};
/// let corners = (0..8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)));
/// let points: Vec<Vec3> = corners.chain([Vec3::splat(0.5)]).collect();
/// let hull = ConvexHull::new(&points)?;
/// assert_eq!(hull.dimension(), Dimension::Solid);
/// assert_eq!(hull.vertices(), [0, 1, 2, 3, 4, 5, 6, 7], "the centre is no corner");
/// assert_eq!(hull.triangles().len(), 12);
/// # Ok::<(), heurt_geometry::HullError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvexHull {
    dimension: Dimension,
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl ConvexHull {
    /// Computes the hull of `points`.
    ///
    /// ```
    /// use heurt_geometry::{ConvexHull, Dimension, Vec3};
    /// let cube = (0..8u8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)));
    /// let points: Vec<Vec3> = cube.chain([Vec3::splat(0.5)]).collect();
    /// let hull = ConvexHull::new(&points)?;
    /// assert_eq!((hull.dimension(), hull.vertices().len()), (Dimension::Solid, 8), "the centre is inside");
    /// assert_eq!(hull.triangles().len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`HullError`] for no points, too many of them, or a coordinate that is not finite.
    pub fn new(points: &[Vec3]) -> Result<Self, HullError> {
        check(points.iter().map(Vec3::to_array))?;
        Ok(Self::of_distinct(points, &distinct(points)))
    }

    /// Computes the hull of the points that `order` lists: distinct, at least one, sorted by coordinates.
    fn of_distinct(points: &[Vec3], order: &[u32]) -> Self {
        let at = |index: u32| points[index as usize];
        let (first, last) = (order[0], order[order.len() - 1]);
        if first == last {
            return Self { dimension: Dimension::Point, vertices: vec![first], triangles: Vec::new() };
        }
        let (a, b) = (at(first), at(last));
        let height = |p: Vec3| (b - a).cross(p - a).length_squared();
        let Some(third) = farthest(order, |p| height(at(p)), |p| !is_degenerate(&[a, b, at(p)])) else {
            return Self { dimension: Dimension::Segment, vertices: vec![first, last], triangles: Vec::new() };
        };
        let c = at(third);
        let normal = (b - a).cross(c - a);
        let apex = farthest(order, |p| normal.dot(at(p) - a).abs(), |p| !orient3d(a, b, c, at(p)).is_zero());
        let Some(fourth) = apex else {
            let vertices = flat::polygon(points, order, &[a, b, c]);
            return Self { dimension: Dimension::Planar, vertices, triangles: Vec::new() };
        };
        match solid::surface(points, order, [first, last, third, fourth]) {
            Ok(triangles) => Self { dimension: Dimension::Solid, vertices: corners(&triangles), triangles },
            // At most once: among extreme points only, every corner is extreme.
            Err(extreme) => Self::of_distinct(points, &extreme),
        }
    }

    /// Returns the dimension that the points span.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Returns the extreme points, by index into the given points: ascending for a solid, in turn for a polygon, both
    /// ends of a segment, a single point.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Returns the surface of a solid: indices into the given points, counter-clockwise seen from outside. Empty for a
    /// flat hull.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Checks exactly, by brute force, that the surface closes and that it holds every one of `points`, from which the
    /// hull was made. For tests: O(points · triangles).
    ///
    /// # Errors
    /// The first [`HullFault`].
    pub fn validate(&self, points: &[Vec3]) -> Result<(), HullFault> {
        let named = self.triangles.iter().flatten().chain(&self.vertices);
        if let Some(&index) = named.clone().find(|v| **v as usize >= points.len()) {
            return Err(HullFault::NoSuchPoint { index, count: points.len() });
        }
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        if let Some(&[from, to]) = edges.iter().find(|[from, to]| edges.binary_search(&[*to, *from]).is_err()) {
            return Err(HullFault::Open { from, to });
        }
        match points.iter().position(|p| !self.holds(points, *p)) {
            Some(index) => Err(HullFault::Outside { index }),
            None => Ok(()),
        }
    }

    /// Reports whether the hull, made of `points`, holds `p`.
    fn holds(&self, points: &[Vec3], p: Vec3) -> bool {
        let at = |index: u32| points[index as usize];
        match self.vertices.as_slice() {
            [only] => p == at(*only),
            [a, b] => point_on_segment(p, at(*a), at(*b)),
            loop_ if self.dimension == Dimension::Planar => {
                let fan = loop_[1..].windows(2).map(|edge| [at(loop_[0]), at(edge[0]), at(edge[1])]);
                fan.into_iter().any(|t: Triangle| crate::point_on_triangle(p, &t))
            }
            _ => self.triangles.iter().all(|&[a, b, c]| orient3d(at(a), at(b), at(c), p) != Sign::Positive),
        }
    }
}

/// Rejects points that have no hull, in space or in a plane.
pub(crate) fn check<const D: usize>(points: impl ExactSizeIterator<Item = [f64; D]>) -> Result<(), HullError> {
    match points.len() {
        0 => return Err(HullError::Empty),
        count if count >= u32::MAX as usize => return Err(HullError::TooMany { count }),
        _ => {}
    }
    for (index, point) in points.enumerate() {
        if let Some(value) = point.into_iter().find(|x| !x.is_finite()) {
            return Err(HullError::NotFinite { index, value });
        }
    }
    Ok(())
}

/// Returns the points sorted by x, y, z; of equal ones the least index.
fn distinct(points: &[Vec3]) -> Vec<u32> {
    let compare = |p: &u32, q: &u32| {
        let (p, q) = (points[*p as usize].to_array(), points[*q as usize].to_array());
        p.partial_cmp(&q).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|p, q| compare(p, q).then(p.cmp(q)));
    order.dedup_by(|later, kept| compare(later, kept) == Ordering::Equal);
    order
}

/// Returns the point of greatest rounded height if `counts` holds for it, else the first point for which it holds.
fn farthest(order: &[u32], height: impl Fn(u32) -> f64, counts: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut best, mut greatest) = (order[0], 0.0);
    for &point in order {
        let height = height(point);
        if height > greatest {
            (best, greatest) = (point, height);
        }
    }
    if counts(best) { Some(best) } else { order.iter().copied().find(|p| counts(*p)) }
}

/// Returns the corners of `triangles`, ascending.
fn corners(triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut corners = triangles.as_flattened().to_vec();
    corners.sort_unstable();
    corners.dedup();
    corners
}
