//! The constraints of a [`Map2`].
//!
//! In: a map. Out: all violated ones. Method: the definition (S4 §3.1.1) and what the boundary promises.
//! Cost: O(darts) and the orbits.

use crate::fault::{check_ids, check_links};
use crate::map::Map2;
use crate::{CombinatorialMap, MapFault, Orbit};

impl Map2 {
    /// Lists every violated constraint; none for a map that only its own operations have touched.
    pub fn validate(&self) -> Vec<MapFault> {
        let mut faults = Vec::new();
        check_links(self, &mut faults);
        if !faults.is_empty() {
            return faults; // Orbits are walked only over links that lead somewhere and back.
        }
        for dart in self.live_darts() {
            if self.is_boundary(dart) && self.is_boundary(self.phi2(dart)) {
                faults.push(MapFault::BoundaryOnBothSides { dart });
            }
        }
        crate::for_each_orbit(self, Orbit::Vertex, |cell| {
            let mut beyond = cell.iter().filter(|&&dart| self.is_boundary(dart));
            if let Some(&dart) = beyond.next()
                && beyond.next().is_some()
            {
                let times = 2 + beyond.count();
                faults.push(MapFault::Pinched { orbit: Orbit::Vertex, dart, times });
            }
        });
        check_ids(self, &mut faults);
        faults
    }
}
