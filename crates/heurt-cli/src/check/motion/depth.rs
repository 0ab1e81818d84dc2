//! How deep parts that clash are found in each other: a look, no proof.
//!
//! In: two parts where they stand. Out: a depth in metres, and where.
//! Method: corners, middles of sides and of triangles of each, where they lie in the box of the other: how far is the deepest of them
//! from the boundary that it is under?
//! Guarantees: something of one part is as deep in the other. Something may be deeper that no such place is on; in a part that is not
//! solid nothing is.

use crate::check::interference::Placed;
use heurt::geometry::Vec3;
use heurt::query::closest;

/// Places that are looked at of each part, at most.
const MOST_PLACES: usize = 4096;

/// The deepest place found, and its depth; 0 where none is inside. The first one that is deeper than `enough` ends the search.
pub(super) fn depth(pair: &[Placed<'_>; 2], enough: f64) -> (f64, Vec3) {
    let [a, b] = pair;
    let mut deepest = (0.0, Vec3::ZERO);
    for (of, within) in [(a, b), (b, a)] {
        for place in places(of).filter(|&place| within.bounds.contains(place)) {
            let under = closest(within.shape, within.pose, place).signed_distance.map_or(0.0, |signed| -signed);
            if under > deepest.0 {
                deepest = (under, place);
            }
            if deepest.0 > enough {
                return deepest;
            }
        }
    }
    deepest
}

/// Places all over the surface of a part, in the world.
fn places<'a>(part: &'a Placed<'_>) -> impl Iterator<Item = Vec3> + 'a {
    let mesh = part.shape.mesh();
    let count = mesh.triangles().len() as u32;
    let stride = (7 * count as usize).div_ceil(MOST_PLACES).max(1);
    let of_triangle = move |triangle: u32| {
        let [p, q, r] = mesh.corners(triangle);
        [p, q, r, (p + q) * 0.5, (q + r) * 0.5, (r + p) * 0.5, (p + q + r) / 3.0]
    };
    (0..count).step_by(stride).flat_map(of_triangle).map(|place| part.pose.place(place))
}
