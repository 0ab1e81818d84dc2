//! GJK simplex: up to four points of the difference A − B of two convex sets, and the point of their hull nearest to
//! the origin.
//!
//! Method: Voronoi regions, as in Ericson (Real-Time Collision Detection, 2005, §5.1) for a point and a triangle. The
//! vector to the origin is not the rest of a sum of corners, but is made perpendicular to them: a cross product over a
//! face, an orthogonalised difference over an edge. Hence a bound of the distance along it is good to a few ulp of the
//! corners. That holds even if the distance is a small part of the corners.

use crate::convex::support::SupportPoint;
use crate::numeric::twofold::{Scalar, Vector};
use heurt_geometry::Vec3;

/// A point of A less a point of B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex<V = Vec3> {
    pub w: V,
    /// The point of A.
    pub a: Vec3,
    /// Names of both points.
    pub names: [u32; 2],
}

impl<V: Vector> Vertex<V> {
    #[inline(always)]
    pub(crate) fn new(a: SupportPoint, b: SupportPoint) -> Self {
        Self { w: V::between(b.point, a.point), a: a.point, names: [a.name, b.name] }
    }

    /// Returns the point of B, up to rounding.
    #[inline(always)]
    pub(crate) fn b(&self) -> Vec3 {
        self.a - self.w.rounded()
    }
}

/// Corners none of which is superfluous.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simplex<V = Vec3> {
    corners: [Vertex<V>; 4],
    count: usize,
}

/// The place of the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin<V> {
    /// Outside: the point of the hull that is nearest to the origin.
    Nearest(V),
    /// In the tetrahedron, up to rounding.
    Inside,
}

/// The corners of a triangle that carry the nearest point, and that point.
pub(crate) type OfTriangle<V> = ([bool; 3], V);

impl<V: Vector> Simplex<V> {
    #[inline(always)]
    pub(crate) fn of(corner: Vertex<V>) -> Self {
        Self { corners: [corner; 4], count: 1 }
    }

    #[inline(always)]
    pub(crate) fn corners(&self) -> &[Vertex<V>] {
        &self.corners[..self.count]
    }

    /// Tests whether `vertex` is one of the corners.
    #[inline(always)]
    pub(crate) fn holds(&self, vertex: &Vertex<V>) -> bool {
        self.corners().iter().any(|corner| corner.w == vertex.w)
    }

    /// Builds the simplex of one to three corners, reduced to the corners that carry the point of their hull nearest to
    /// the origin. Returns the simplex and that point. Equal corners count once.
    #[inline(always)]
    pub(crate) fn about(corners: impl IntoIterator<Item = Vertex<V>>) -> Option<(Self, V)> {
        let mut corners = corners.into_iter();
        let mut simplex = Self::of(corners.next()?);
        for corner in corners.take(2) {
            if !simplex.holds(&corner) {
                simplex.corners[simplex.count] = corner;
                simplex.count += 1;
            }
        }
        let nearest = match simplex.count {
            1 => simplex.w(0),
            2 => simplex.reduce_segment(),
            _ => simplex.reduce_triangle(),
        };
        Some((simplex, nearest))
    }

    /// Adds a corner, and keeps the corners that carry the point nearest to the origin.
    #[inline(always)]
    pub(crate) fn advance(&mut self, vertex: Vertex<V>) -> Origin<V> {
        self.corners[self.count] = vertex;
        self.count += 1;
        match self.count {
            2 => Origin::Nearest(self.reduce_segment()),
            3 => Origin::Nearest(self.reduce_triangle()),
            _ => self.reduce_tetrahedron(),
        }
    }

    /// Removes the corner of an [`Simplex::advance`] that found the origin inside.
    pub(crate) fn drop_last(&mut self) {
        self.count -= 1;
    }

    #[inline(always)]
    fn w(&self, corner: usize) -> V {
        self.corners[corner].w
    }

    #[inline(always)]
    fn reduce_segment(&mut self) -> V {
        let (kept, nearest) = on_segment(self.w(0), self.w(1));
        self.keep(&kept);
        nearest
    }

    #[inline(always)]
    fn reduce_triangle(&mut self) -> V {
        let (kept, nearest) = on_triangle(self.w(0), self.w(1), self.w(2));
        self.keep(&kept);
        nearest
    }

    /// Reduces a tetrahedron. The origin is on this side of the face opposite to the last corner, or there would be no
    /// last corner.
    #[inline(always)]
    fn reduce_tetrahedron(&mut self) -> Origin<V> {
        let top = self.w(3);
        let mut best: Option<(V::Scalar, [bool; 4], V)> = None;
        for [i, j, other] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let normal = (self.w(i) - top).cross(self.w(j) - top);
            let (inner, origin) = (normal.dot(self.w(other) - top), -normal.dot(top));
            if inner * origin > V::Scalar::ZERO {
                continue;
            }
            let (kept, nearest) = on_triangle(self.w(i), self.w(j), top);
            let distance_sq = nearest.length_sq();
            if best.is_none_or(|(least, ..)| distance_sq < least) {
                let mut of_all = [false, false, false, kept[2]];
                (of_all[i], of_all[j]) = (kept[0], kept[1]);
                best = Some((distance_sq, of_all, nearest));
            }
        }
        match best {
            None => Origin::Inside,
            Some((_, kept, nearest)) => {
                self.keep(&kept);
                Origin::Nearest(nearest)
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, kept: &[bool]) {
        let mut count = 0;
        for (number, &is_kept) in kept.iter().enumerate() {
            if is_kept {
                self.corners[count] = self.corners[number];
                count += 1;
            }
        }
        self.count = count;
    }

    /// Returns the points of A and B whose difference is the nearest point: at most three corners carry it.
    #[inline(always)]
    pub(crate) fn witnesses(&self) -> [Vec3; 2] {
        let shares = self.shares();
        let mut points = [Vec3::ZERO; 2];
        for (corner, share) in self.corners().iter().zip(shares) {
            points[0] += corner.a * share;
            points[1] += corner.b() * share;
        }
        points
    }

    /// Returns the weight of each corner in the nearest point.
    #[inline(always)]
    fn shares(&self) -> [f64; 4] {
        let zero = V::Scalar::ZERO;
        let mut shares = [1.0, 0.0, 0.0, 0.0];
        match self.count {
            1 => {}
            2 => {
                let along = self.w(1) - self.w(0);
                let whole = along.length_sq();
                if whole <= zero {
                    // A branch, because a conditional move would delay all cases.
                    std::hint::cold_path();
                } else {
                    let share = (-self.w(0).dot(along) / whole).rounded().clamp(0.0, 1.0);
                    shares = [1.0 - share, share, 0.0, 0.0];
                }
            }
            _ => {
                let (to_1, to_2) = (self.w(1) - self.w(0), self.w(2) - self.w(0));
                let normal = to_1.cross(to_2);
                let whole = normal.length_sq();
                if whole > zero {
                    let second = (normal.dot(to_2.cross(self.w(0))) / whole).rounded().clamp(0.0, 1.0);
                    let third = (normal.dot(self.w(0).cross(to_1)) / whole).rounded().clamp(0.0, 1.0 - second);
                    shares = [1.0 - second - third, second, third, 0.0];
                }
            }
        }
        shares
    }
}

/// Finds the point of a segment nearest to the origin, and the ends that carry it.
#[inline(always)]
fn on_segment<V: Vector>(p: V, q: V) -> ([bool; 2], V) {
    let along = q - p;
    let (part, whole) = (-p.dot(along), along.length_sq());
    if part <= V::Scalar::ZERO {
        return ([true, false], p);
    }
    if part >= whole {
        return ([false, true], q);
    }
    ([true, true], across_edge(p, along, part / whole, whole))
}

/// Returns the vector from the origin to p + share · along, made perpendicular to the edge once more.
#[inline(always)]
fn across_edge<V: Vector>(p: V, along: V, share: V::Scalar, whole: V::Scalar) -> V {
    let nearest = p + along.times(share);
    nearest - along.times(nearest.dot(along) / whole)
}

/// Finds the point of a triangle nearest to the origin, and the corners that carry it.
#[inline(always)]
pub(crate) fn on_triangle<V: Vector>(a: V, b: V, c: V) -> OfTriangle<V> {
    let zero = V::Scalar::ZERO;
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= zero && d2 <= zero {
        return ([true, false, false], a);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= zero && d4 <= d3 {
        return ([false, true, false], b);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= zero && d5 <= d6 {
        return ([false, false, true], c);
    }
    // If a part is 0, the corner was nearest, or the edge is so short that its square is 0.
    let vc = d1 * d4 - d3 * d2;
    if vc <= zero && d1 > zero && d3 <= zero {
        let whole = ab.length_sq();
        return ([true, true, false], across_edge(a, ab, d1 / whole, whole));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= zero && d2 > zero && d6 <= zero {
        let whole = ac.length_sq();
        return ([true, false, true], across_edge(a, ac, d2 / whole, whole));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= zero && d4 - d3 > zero && d5 - d6 >= zero {
        let (bc, part) = (c - b, d4 - d3);
        let whole = bc.length_sq();
        return ([false, true, true], across_edge(b, bc, part / whole, whole));
    }
    let normal = ab.cross(ac);
    let whole = normal.length_sq();
    let nearest = if whole > zero { normal.times(normal.dot(a) / whole) } else { a };
    ([true, true, true], nearest)
}
