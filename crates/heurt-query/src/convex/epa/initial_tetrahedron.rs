//! Four points of A − B from which a depth is searched at once, before it is known that the hulls overlap.
//!
//! In: two hulls on their poses, each with a point well inside. Out: [`InitialSimplex`].
//! Method: of the four points one is inside A − B: the difference of the points inside. The line from there through the
//! origin leaves A − B near where the origin is least deep if that is shallow. The support point along the line lies
//! next to it by so much; between balls that are as large as the hulls the direction to its other side turns by that
//! over the radius. There two more support points are taken, left and right.
//! Guarantees: none are needed: whatever is grown from there is a polytope within A − B, with the origin inside or not.
//! Cost: three support points of each hull, of which a search for a tetrahedron about the origin takes five or six.

use crate::convex::gjk::simplex::Vertex;
use crate::convex::support::{NO_VERTEX, PlacedHull, Support};
use heurt_geometry::Vec3;

/// What to begin with.
pub(crate) enum InitialSimplex {
    Tetrahedron([Vertex; 4]),
    /// They are disjoint along the line through the points inside, up to roundings; the support point along it.
    Apart(Vertex),
    /// The hulls are flat or have few corners, or their points inside fall together.
    Unknown,
}

/// With fewer corners than this in the mean a depth is found hardly sooner, and a distance later by half.
const FEW: f64 = 16.0;
/// How far the direction turns at the least, times the root of how many corners a hull has: fewer lie farther from each
/// other.
const TURN: f64 = 2.0;
/// How far it turns where that leads to corners that are there already.
const WIDE_TURN: f64 = 1.4;
/// A tetrahedron is thick whose volume is at least this share of the edges at its inner corner, multiplied.
const THICK: f64 = 1e-6;

#[inline(always)]
fn is_thick([inner, first, second, third]: &[Vertex; 4]) -> bool {
    let [p, q, r] = [first.w - inner.w, second.w - inner.w, third.w - inner.w];
    let volume = p.dot(q.cross(r));
    volume * volume > THICK * THICK * p.length_squared() * q.length_squared() * r.length_squared()
}

/// Finds them.
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
        return InitialSimplex::Apart(first);
    }
    let beside = first.w - along * height;
    let off = beside.length();
    let back = if off > 0.0 { -beside / off } else { along.any_orthonormal_vector() };
    let across = along.cross(back);
    let turn = (2.0 * off / (a.radius() + b.radius())).max(TURN / corners.sqrt());
    // Plain loops: closures over hulls are calls where they are not inlined.
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
