//! Pairs of triangles of two meshes near each other, for the search for contact points.
//!
//! In: two placed meshes, and the distances to search ([`Near`]). Out: pairs in order, not too many.
//! Method: a walk lists the pairs within a reach; if there are too many, the reach is shortened.
//! Guarantees: the pairs do not depend on the trees of the meshes, nor on the walk, unless a budget ends it or the
//! shortest reach has more than [`MAX_AT_LAST`] pairs.
//! Cost: a walk for each reach; a distance of two triangles for each pair of a shortened reach.

use crate::answer::budget::WorkMeter;
use crate::answer::contact::DepthBounds;
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::distance::pairs_near;
use crate::mesh::walk::pair_walk::place;
use crate::triangle::distance::nearest_points;
use heurt_geometry::Vec3;

/// Limit of pairs of triangles. If there are more, the reach is shortened, at most `SHORTENINGS` times. If that does
/// not help (large faces of many triangles that touch), only a part of the pairs is used.
pub(crate) const MAX_LOOKED_AT: usize = 2048;
/// Pairs that a walk lists, and pairs that are few in any case: trees differ by far less than an eighth in the pairs
/// that they list beyond the reach.
const MAX_LISTED: usize = MAX_LOOKED_AT + MAX_LOOKED_AT / 8;
const SURELY_FEW: usize = MAX_LOOKED_AT - MAX_LOOKED_AT / 8;
const SHORTENINGS: u32 = 12;
/// Pairs that a walk lists at the shortest reach, of which an even part is used: the rim of a bore of 144 edges on a
/// ball has some thousand. If there are more, the part depends on the trees. Their distances take some 10 ms.
const MAX_AT_LAST: usize = 1 << 15;

/// Parameters of a query for contact points of two surfaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    /// Translation of B after which the surfaces are disjoint, in metres.
    pub shift: Vec3,
    /// Separations above this are left out.
    pub margin: f64,
    /// Lower bound of the distance of the surfaces after the shift, in metres.
    least: f64,
    /// Upper bound of the same.
    pub most: f64,
}

impl Near {
    /// Returns the parameters for surfaces at the given distance from each other, in metres.
    pub(crate) fn from_distance(distance: f64, margin: f64) -> Self {
        Self { shift: Vec3::ZERO, margin, least: distance * (1.0 + 1e-6), most: margin }
    }

    /// Returns the parameters for surfaces with the given penetration depth.
    pub(crate) fn parted(depth: &DepthBounds, margin: f64) -> Self {
        let (at_most, margin) = (depth.at_most, margin.max(0.0));
        Self { shift: depth.normal * at_most, margin, least: 1e-3 * at_most, most: margin + at_most }
    }

    /// Returns the distances to search, largest first; none exceeds `least` by more than four times `size`.
    pub(crate) fn reaches(&self, size: f64) -> impl IntoIterator<Item = f64> + use<> {
        let (least, farthest) = (self.least, self.most.min(self.least + 4.0 * size));
        (0..SHORTENINGS).map(move |times| least + (farthest - least).max(0.0) / f64::from(1u32 << (2 * times)))
    }
}

/// Lists, sorted, the pairs of triangles within the largest distance of a query at which there are not too many. `size`
/// is the size of both meshes; surfaces are nearer than their triangles by `nearer`, both in metres.
pub(crate) fn pairs_to_look_at(
    [a, b]: [PlacedMeshShape<'_>; 2],
    near: &Near,
    (size, nearer): (f64, f64),
    meter: &WorkMeter<'_>,
) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (shortenings, reach) in (0..).zip(near.reaches(size)) {
        let is_last = shortenings + 1 == SHORTENINGS;
        let (found, is_all) = pairs_near(a, b, reach + nearer, if is_last { MAX_AT_LAST } else { MAX_LISTED }, meter);
        pairs = found;
        if meter.was_interrupted() {
            break;
        }
        // A walk lists pairs that are slightly farther, which depends on the trees. The whole reach needs no second
        // test: points beyond it are left out.
        if is_last || is_all && (shortenings > 0 || pairs.len() > SURELY_FEW) {
            let distance =
                |[i, j]: [u32; 2]| nearest_points(&place(a.shape, a.pose, i), &place(b.shape, b.pose, j)).distance;
            pairs.retain(|&pair| distance(pair) <= reach + nearer);
        }
        if is_all && pairs.len() <= MAX_LOOKED_AT {
            break;
        }
    }
    // An even part: neighbouring triangles mostly have near numbers.
    let each = pairs.len().div_ceil(MAX_LOOKED_AT).max(1);
    pairs.into_iter().step_by(each).collect()
}
