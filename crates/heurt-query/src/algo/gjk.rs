//! The nearest points of two convex sets (Gilbert, Johnson and Keerthi 1988): the point of A − B nearest to the origin.
//!
//! In: two sets by their farthest points, in a unit in which they are about 1. Out: [`Found`].
//! Method: a simplex of A − B goes towards the origin, one farthest point at a time. It stops by the duality gap: what the
//! farthest point along the way to the origin leaves of the distance is a lower bound of it.
//! Guarantees: `at_least` ≤ distance ≤ length of `way`, up to 4 ε of the coordinates; however degenerate the sets are, there are
//! at most [`MOST_STEPS`] steps. Not guaranteed: that both bounds meet; who needs that looks at the gap.

use super::placed_convex::Support;
use super::simplex::{Origin, Simplex, Vertex};
use heurt_geometry::Vec3;

/// Steps at most; hulls of a hundred corners take about ten.
const MOST_STEPS: u32 = 96;

/// How the search ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
    /// The sets are apart.
    Apart(Nearest),
    /// A tetrahedron of A − B holds the origin, but for rounding.
    Inside(Simplex),
    /// The origin lies on the simplex as far as roundings tell: apart by nearly nothing, touching, or overlapping.
    Close(Simplex),
}

/// Where two sets are nearest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub simplex: Simplex,
    /// From B to A.
    pub way: Vec3,
    /// A lower bound of the distance.
    pub at_least: f64,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until {
    /// Both bounds of the distance are this near to each other.
    pub gap: f64,
    /// The sets are surely farther apart than this.
    pub beyond: f64,
    /// The origin is this near.
    pub close: f64,
}

/// Searches from a first way from B to A; any will do.
#[inline(always)]
pub(crate) fn nearest(a: &impl Support, b: &impl Support, first: Vec3, until: Until) -> Found {
    let start = if first == Vec3::ZERO { Vec3::X } else { first };
    let vertex = Vertex::new(a.support(-start), b.support(start));
    let mut simplex = Simplex::of(vertex);
    let mut last = vertex;
    let mut way = vertex.w;
    let mut at_least = f64::NEG_INFINITY;
    for _ in 0..MOST_STEPS {
        let length_sq = way.length_squared();
        let length = length_sq.sqrt();
        if length <= until.close {
            return Found::Close(simplex);
        }
        let vertex = Vertex::new(a.support_from(-way, last.a.name), b.support_from(way, last.b.name));
        last = vertex;
        let along = vertex.w.dot(way) / length;
        at_least = at_least.max(along);
        if along > until.beyond || length - along <= until.gap || simplex.holds(&vertex) {
            break;
        }
        let before = simplex;
        match simplex.advance(vertex) {
            Origin::Inside => return Found::Inside(simplex),
            Origin::Nearest(nearer) if nearer.length_squared() < length_sq => way = nearer,
            Origin::Nearest(_) => {
                simplex = before;
                break;
            }
        }
    }
    Found::Apart(Nearest { simplex, way, at_least })
}
