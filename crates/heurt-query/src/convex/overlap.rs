//! Overlap test of two placed convex shapes: exact for hulls of points without a margin, else right beyond 16 ulp of
//! the largest coordinate.
//!
//! Method: `gjk` until a plane between the cores or a tetrahedron around the origin is certain (`convex/separation`).

use crate::convex::gjk::SimplexCache;
use crate::convex::half_space;
use crate::convex::pair::{ConvexPair, CoreSeparation};
use crate::convex::separation::cores_decided_warm;

/// Tests whether two convex shapes share a point.
pub(crate) fn convex_overlap(pair: ConvexPair<'_>) -> bool {
    convex_overlap_warm(pair, &mut SimplexCache::default())
}

/// Computes [`convex_overlap`] from the cached simplex.
pub(crate) fn convex_overlap_warm(pair: ConvexPair<'_>, carriers: &mut SimplexCache) -> bool {
    if let Some(separation) = half_space::separation(pair) {
        return separation.length <= 0.0;
    }
    let margin = pair.a.margin() + pair.b.margin();
    match cores_decided_warm(pair, margin, margin, carriers) {
        CoreSeparation::BeyondMax => false,
        // Without a margin, any gap is disjoint, however small.
        CoreSeparation::Disjoint(gap) => margin > 0.0 && gap.length <= margin,
        CoreSeparation::Touching(..) | CoreSeparation::Penetrating(_) => true,
    }
}
