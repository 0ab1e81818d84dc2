//! Two placed convex shapes: exact for hulls of points without a margin, else right beyond 16 ulp of the largest coordinate.
//!
//! Method: `gjk` until a plane between the cores or a tetrahedron round the origin is certain (`convex/separation`).

use crate::convex::gjk::Carriers;
use crate::convex::half_space;
use crate::convex::pair::{ConvexPair, Cores};
use crate::convex::separation::cores_decided_since;

/// Tells whether two convex shapes share a point.
pub(crate) fn convex_overlap(pair: ConvexPair<'_>) -> bool {
    convex_overlap_since(pair, &mut Carriers::default())
}

/// [`convex_overlap`] from what was found before.
pub(crate) fn convex_overlap_since(pair: ConvexPair<'_>, carriers: &mut Carriers) -> bool {
    if let Some(separation) = half_space::separation(pair) {
        return separation.length <= 0.0;
    }
    let margin = pair.a.margin() + pair.b.margin();
    match cores_decided_since(pair, margin, margin, carriers) {
        Cores::Beyond => false,
        // Without a margin, apart is apart, however little.
        Cores::Apart(gap) => margin > 0.0 && gap.length <= margin,
        Cores::Common(..) | Cores::Deep(_) => true,
    }
}
