//! The constraints of maps of volumes.
//!
//! In: a map whose links lead somewhere and back. Out: all violated ones. Method: the definition (S4 §3.1.1: φ₁∘φ₃ is
//! an involution too) and what the boundary promises. Cost: O(darts) and the faces.

use crate::map::{Map, round};
use crate::{CombinatorialMap, MapFault, Orbit};

/// Notes faces whose sides do not fit, faces between two boundary volumes, and edges that meet the boundary more than
/// once.
pub(crate) fn check<const D: usize>(map: &Map<D>, faults: &mut Vec<MapFault>) {
    let before = faults.len();
    for dart in map.live_darts() {
        let other = map.phi3(dart);
        if map.is_boundary(dart) && map.is_boundary(other) {
            faults.push(MapFault::BoundaryOnBothSides { dart });
        }
        if map.phi3(map.phi1(dart)) != map.phi1_inv(other) {
            faults.push(MapFault::SidesDiffer { dart });
        }
    }
    if faults.len() > before {
        return;
    }
    crate::for_each_orbit(map, Orbit::Face, |cell| {
        if map.is_same_face(cell[0], map.phi3(cell[0])) {
            faults.push(MapFault::FaceOnItself { dart: cell[0] });
        }
    });
    crate::for_each_orbit(map, Orbit::Edge, |cell| {
        let same_side = || round(cell[0], |dart| map.phi3(map.phi2(dart)));
        let mut beyond = same_side().filter(|&dart| map.is_boundary(dart));
        if let Some(dart) = beyond.next()
            && beyond.next().is_some()
        {
            faults.push(MapFault::Pinched { orbit: Orbit::Edge, dart, times: 2 + beyond.count() });
        }
    });
}
