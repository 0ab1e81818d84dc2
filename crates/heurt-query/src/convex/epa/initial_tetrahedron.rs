//! Initial tetrahedron of A − B for a depth search that starts before the hulls are known to overlap.
//!
//! In: two placed hulls, each with a point well inside. Out: [`InitialSimplex`].
//! Method: the first of the four points is inside A − B: the difference of the points inside. The line from there
//! through the origin leaves A − B near the place at which the origin is least deep, if it is shallow. The support
//! point along the line lies next to it at an offset. Between balls as large as the hulls, the direction to the
//! opposite side of the line turns by the offset over the radius. There two more support points are taken, left and
//! right.
//! Guarantees: none are needed: any expansion from there is a polytope within A − B, with the origin inside or not.
//! Cost: three support points of each hull; a search for a tetrahedron around the origin takes five or six.

use crate::convex::gjk::simplex::Vertex;
use crate::convex::support::{NO_VERTEX, PlacedHull, Support};
use heurt_geometry::Vec3;

/// The simplex to begin with.
pub(crate) enum InitialSimplex {
    Tetrahedron([Vertex; 4]),
    /// The hulls are disjoint along the line through the points inside, up to rounding; the support point along it.
    Disjoint(Vertex),
    /// The hulls are flat or have few corners, their points inside coincide, or no tetrahedron is thick.
    Unknown,
}

/// Minimum mean number of corners: with fewer, a depth is hardly faster, and a distance slower by half.
const FEW: f64 = 16.0;
/// Minimum turn of the direction, times the square root of the number of corners of a hull: fewer corners lie farther
/// from each other.
const TURN: f64 = 2.0;
/// Minimum turn if the first turn leads to corners that are there already.
const WIDE_TURN: f64 = 1.4;
/// Minimum volume of a thick tetrahedron, as a share of the product of the edges at its inner corner.
const THICK: f64 = 1e-6;

#[inline(always)]
fn is_thick([inner, first, second, third]: &[Vertex; 4]) -> bool {
    let [p, q, r] = [first.w - inner.w, second.w - inner.w, third.w - inner.w];
    let volume = p.dot(q.cross(r));
    volume * volume > THICK * THICK * p.length_squared() * q.length_squared() * r.length_squared()
}

/// Finds the initial simplex.
#[inline(always)]
pub(crate) fn initial_simplex(a: &PlacedHull<'_>, b: &PlacedHull<'_>) -> InitialSimplex {
    let corners = (a.hull.corners().len() + b.hull.corners().len()) as f64 * 0.5;
    if corners < FEW {
        return InitialSimplex::Unknown;
    }
    let (Some(in_a), Some(in_b)) = (a.inner(), b.inner()) else { return InitialSimplex::Unknown };
    let inner = Vertex::<Vec3> { w: in_a - in_b, a: in_a, names: [NO_VERTEX; 2] };
    let along = -inner.w / inner.w.length();
    if !along.is_finite() {
        return InitialSimplex::Unknown;
    }
    let first = Vertex::<Vec3>::new(a.support(along), b.support(-along));
    let height = first.w.dot(along);
    if height < 0.0 {
        return InitialSimplex::Disjoint(first);
    }
    let beside = first.w - along * height;
    let off = beside.length();
    let back = if off > 0.0 { -beside / off } else { along.any_orthonormal_vector() };
    let across = along.cross(back);
    let turn = (2.0 * off / (a.radius() + b.radius())).max(TURN / corners.sqrt());
    // Plain loops: closures over hulls are calls if they are not inlined.
    for turn in [turn, WIDE_TURN.max(turn)] {
        let middle = along + back * (0.5 * turn);
        let side = across * (0.866 * turn);
        let (left, right) = (middle + side, middle - side);
        let second = Vertex::<Vec3>::new(a.support(left), b.support(-left));
        let third = Vertex::<Vec3>::new(a.support(right), b.support(-right));
        let corners = [inner, first, second, third];
        if is_thick(&corners) {
            return InitialSimplex::Tetrahedron(corners);
        }
    }
    InitialSimplex::Unknown
}
