//! The constraints of maps of faces.
//!
//! In: a map whose links lead somewhere and back. Out: all violated ones. Method: what the boundary promises.
//! Cost: O(darts).

use crate::map::{Map, round};
use crate::{CombinatorialMap, MapFault, Orbit};

/// Notes edges between two boundary faces, and vertices that meet the boundary more than once.
pub(crate) fn check<const D: usize>(map: &Map<D>, faults: &mut Vec<MapFault>) {
    for dart in map.live_darts() {
        if map.is_boundary(dart) && map.is_boundary(map.phi2(dart)) {
            faults.push(MapFault::BoundaryOnBothSides { dart });
        }
    }
    crate::for_each_orbit(map, Orbit::Vertex, |cell| {
        let same = || round(cell[0], |dart| map.phi2(map.phi1_inv(dart)));
        let mut beyond = same().filter(|&dart| map.is_boundary(dart));
        if let Some(dart) = beyond.next()
            && beyond.next().is_some()
        {
            faults.push(MapFault::Pinched { orbit: Orbit::Vertex, dart, times: 2 + beyond.count() });
        }
    });
}
