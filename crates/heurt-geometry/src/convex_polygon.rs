//! Convex polygons of the plane: support corner along a direction in O(log n), and the separating axis with the largest
//! separation.
//!
//! In: points of the plane, directions. Out: [`ConvexPolygon`], corners by number, [`AxisSeparation`].
//! Method: the polar dual (S1, extremal points). The outward normals of the edges cut the circle of directions into
//! arcs, one for each corner. A tree of half-planes (BSP) finds the arc of a direction d by tests e · d ≥ 0 with edges
//! e, which are the rotated normals. S1 builds the tree from a list in any order; here the ring is used directly. The
//! root cuts the circle across the first normal, and each half is then cut in the middle, so the tree is balanced and
//! needs no nodes. The largest separation of two polygons is along a normal of an edge (separating axes): the gap along
//! it is that between the edge and the support corner of the opposite polygon against the normal.
//! Guarantees: the corners are exact (`orient2d`): no point is missing, none is superfluous. The corner found is the
//! support corner up to a few roundings of its coordinates; exactly so if products and sums are exact. At a tie either
//! corner is returned. Not guaranteed: the sign of a separation smaller than roundings.
//! Cost: O(n log n) once; `extremal` O(log n); `separation` O(n log m + m log n). A scan of all corners is faster up to
//! approximately 32 corners (`cargo run --release -p heurt-geometry --example extremal_crossover`).

use crate::hull::{check, flat_corners};
use crate::{HullError, Vec2, power_of_two_scale};

/// A convex polygon; a segment if it has two corners, a point if it has one.
///
/// ```
/// use heurt_geometry::{ConvexPolygon, Vec2};
/// let points = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y, Vec2::splat(0.5)];
/// let square = ConvexPolygon::new(&points)?;
/// assert_eq!(square.corners().len(), 4, "the centre is no corner");
/// assert_eq!(square.corners()[square.extremal(Vec2::new(1.0, 2.0))], Vec2::ONE);
/// let other = ConvexPolygon::new(&points.map(|p| p + Vec2::new(3.0, 0.0)))?;
/// assert_eq!(square.separation(&other).separation, 2.0);
/// # Ok::<(), heurt_geometry::HullError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolygon {
    corners: Vec<Vec2>,
    /// Offsets from each corner to the next, in units of approximately the reach.
    edges: Vec<Vec2>,
    /// The first edge whose normal lies beyond the half-circle that begins with the first normal.
    half: usize,
}

/// The best separation of two convex polygons along the normal of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisSeparation {
    /// In metres. If positive, a lower bound of the distance. If negative, minus the depth: translating the second
    /// polygon by that much along `normal` separates, no shorter translation does.
    pub separation: f64,
    /// A unit vector from the first polygon to the second.
    pub normal: Vec2,
    /// Numbers of the support corners of the first polygon along it and of the second against it.
    pub corners: [usize; 2],
}

impl ConvexPolygon {
    /// Computes the hull of `points`.
    ///
    /// ```
    /// use heurt_geometry::{ConvexPolygon, Vec2};
    /// let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 2.0], [0.0, 2.0]].map(Vec2::from_array);
    /// assert_eq!(ConvexPolygon::new(&points)?.corners().len(), 4, "one point lies inside");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`HullError`] for no points, too many of them, or a coordinate that is not finite.
    pub fn new(points: &[Vec2]) -> Result<Self, HullError> {
        check(points.iter().map(Vec2::to_array))?;
        Ok(Self::of_corners(flat_corners(points).into_iter().map(|index| points[index as usize]).collect()))
    }

    fn of_corners(corners: Vec<Vec2>) -> Self {
        let reach = corners.iter().fold(0.0, |most, p| f64::max(most, p.abs().max_element()));
        // A quarter, so that differences stay finite.
        let unit = power_of_two_scale(reach) * 0.25;
        let count = corners.len();
        let edges: Vec<Vec2> = (0..count).map(|k| corners[(k + 1) % count] * unit - corners[k] * unit).collect();
        let half = edges.iter().skip(1).position(|edge| edges[0].perp_dot(*edge) <= 0.0).map_or(count, |k| k + 1);
        Self { corners, edges, half }
    }

    /// Returns the corners, counter-clockwise: no point of the polygon is missing, none is superfluous.
    pub fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// Returns the number of a support corner along `direction`, of any length whose products with coordinates are
    /// finite.
    pub fn extremal(&self, direction: Vec2) -> usize {
        let rises = |edge: &Vec2| edge.dot(direction) >= 0.0;
        if self.corners.len() == 1 {
            return 0;
        }
        // The last normal not beyond the direction; the arc of the corner after it begins there.
        let after = match rises(&self.edges[0]) {
            true => 1 + self.edges[1..self.half].partition_point(rises),
            false => self.half + self.edges[self.half..].partition_point(rises),
        };
        self.climb(if after == self.corners.len() { 0 } else { after }, direction)
    }

    /// Corrects errors due to roundings of nearly parallel edges: hardly ever a step.
    fn climb(&self, mut best: usize, direction: Vec2) -> usize {
        let count = self.corners.len();
        for _ in 0..count {
            let here = self.corners[best].dot(direction);
            let [next, before] = [(best + 1) % count, (best + count - 1) % count];
            let farther = [next, before].into_iter().find(|&corner| self.corners[corner].dot(direction) > here);
            match farther {
                Some(corner) => best = corner,
                None => break,
            }
        }
        best
    }

    /// Finds the edge normal of either polygon along which their separation is largest, or their overlap least.
    ///
    /// ```
    /// use heurt_geometry::{ConvexPolygon, Vec2};
    /// let corners = |x: f64| [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]].map(Vec2::from_array);
    /// let square = |x: f64| ConvexPolygon::new(&corners(x));
    /// let [left, right] = [square(0.0)?, square(3.0)?];
    /// assert_eq!(left.separation(&right).separation, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn separation(&self, other: &Self) -> AxisSeparation {
        let mut best: Option<AxisSeparation> = None;
        let mut offer = |found: AxisSeparation| {
            if found.normal != Vec2::ZERO && best.is_none_or(|best| found.separation > best.separation) {
                best = Some(found);
            }
        };
        (0..self.corners.len()).for_each(|edge| offer(beyond(self, edge, other)));
        (0..other.corners.len()).for_each(|edge| offer(beyond(other, edge, self).swapped()));
        if self.corners.len() <= 2 && other.corners.len() <= 2 {
            // Collinear segments are separated along their line, points along their difference.
            for axis in [self.edges[0], other.edges[0], other.corners[0] - self.corners[0]] {
                offer(along(self, other, axis));
                offer(along(self, other, -axis));
            }
        }
        best.unwrap_or(AxisSeparation { separation: 0.0, normal: Vec2::X, corners: [0, 0] })
    }
}

impl AxisSeparation {
    fn swapped(self) -> Self {
        Self { normal: -self.normal, corners: [self.corners[1], self.corners[0]], ..self }
    }
}

/// Returns the separation of `other` from an edge of `polygon`; the normal is zero for a point.
fn beyond(polygon: &ConvexPolygon, edge: usize, other: &ConvexPolygon) -> AxisSeparation {
    let normal = -polygon.edges[edge].perp().normalize_or_zero();
    let nearest = other.extremal(-normal);
    let separation = normal.dot(other.corners[nearest] - polygon.corners[edge]);
    AxisSeparation { separation, normal, corners: [edge, nearest] }
}

/// Returns the gap of two polygons along a direction.
fn along(a: &ConvexPolygon, b: &ConvexPolygon, axis: Vec2) -> AxisSeparation {
    let normal = axis.normalize_or_zero();
    let corners = [a.extremal(normal), b.extremal(-normal)];
    AxisSeparation { separation: normal.dot(b.corners[corners[1]] - a.corners[corners[0]]), normal, corners }
}
