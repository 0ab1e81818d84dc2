//! The constraints of a [`Map3`].
//!
//! In: a map. Out: all violated ones. Method: the definition (S4 §3.1.1: φ₂ and φ₃ are involutions, and φ₁∘φ₃ too) and
//! what the boundary promises. Cost: O(darts) and the orbits.

use crate::fault::{check_ids, check_links};
use crate::map::{Map3, round};
use crate::{CombinatorialMap, MapFault, Orbit};

impl Map3 {
    /// Lists every violated constraint; none for a map that only its own operations have touched.
    pub fn validate(&self) -> Vec<MapFault> {
        let mut faults = Vec::new();
        check_links(self, &mut faults);
        if !faults.is_empty() {
            return faults; // Orbits are walked only over links that lead somewhere and back.
        }
        for dart in self.live_darts() {
            let other = self.phi3(dart);
            if self.is_boundary(dart) && self.is_boundary(other) {
                faults.push(MapFault::BoundaryOnBothSides { dart });
            }
            if self.phi3(self.phi1(dart)) != self.phi1_inv(other) {
                faults.push(MapFault::SidesDiffer { dart });
            }
        }
        if !faults.is_empty() {
            return faults;
        }
        crate::for_each_orbit(self, Orbit::Face, |cell| {
            if self.face_darts(cell[0]).any(|dart| dart == self.phi3(cell[0])) {
                faults.push(MapFault::FaceOnItself { dart: cell[0] });
            }
        });
        crate::for_each_orbit(self, Orbit::Edge, |cell| {
            let same_way = || round(cell[0], |dart| self.phi3(self.phi2(dart)));
            let mut beyond = same_way().filter(|&dart| self.is_boundary(dart));
            if let Some(dart) = beyond.next()
                && beyond.next().is_some()
            {
                faults.push(MapFault::Pinched { orbit: Orbit::Edge, dart, times: 2 + beyond.count() });
            }
        });
        check_ids(self, &mut faults);
        faults
    }
}
