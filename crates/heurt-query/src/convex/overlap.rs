//! Two placed convex shapes: exact for hulls of points without a margin, else right beyond 16 ulp of the largest
//! coordinate.
//!
//! Method: `gjk` until a plane between the cores or a tetrahedron round the origin is certain (`convex/separation`).

use crate::convex::gjk::SimplexCache;
use crate::convex::half_space;
use crate::convex::pair::{ConvexPair, CoreSeparation};
use crate::convex::separation::cores_decided_warm;

/// Reports whether two convex shapes share a point.
pub(crate) fn convex_overlap(pair: ConvexPair<'_>) -> bool {
    convex_overlap_warm(pair, &mut SimplexCache::default())
}

/// [`convex_overlap`] from what was found before.
pub(crate) fn convex_overlap_warm(pair: ConvexPair<'_>, carriers: &mut SimplexCache) -> bool {
    if let Some(separation) = half_space::separation(pair) {
        return separation.length <= 0.0;
    }
    let margin = pair.a.margin() + pair.b.margin();
    match cores_decided_warm(pair, margin, margin, carriers) {
        CoreSeparation::Beyond => false,
        // Without a margin, apart is disjoint, however little.
        CoreSeparation::Apart(gap) => margin > 0.0 && gap.length <= margin,
        CoreSeparation::Common(..) | CoreSeparation::Deep(_) => true,
    }
}
