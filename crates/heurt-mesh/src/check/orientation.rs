//! Closed shells that are inside out.
//!
//! In: a [`Topology`]. Out: a fault for each closed shell whose faces point inward and that is no cavity.
//! Method: a shell whose faces point inward encloses a negative volume. That is right for a cavity, where the winding
//! number of the shells around it is at least one, and a fault elsewhere (`shells`). A shell in the box of an open one
//! may be a cavity of it, and is no fault.
//! Guarantees: a shell is only called inward if its volume is negative beyond its rounding error.
//! Not guaranteed: beyond a budget of solid angles, the boxes of the outward shells decide what is a cavity.
//! Cost: O(n log n + inward shells × triangles of the shells whose boxes hold them), the latter up to the budget.

use super::Fault;
use crate::Topology;
use crate::shells::{ClosedShells, Containment};

/// Limit of solid angles summed for one mesh: approximately a second.
const SOLID_ANGLE_BUDGET: usize = 1 << 25;

/// The volumes of the closed shells of a mesh, by their faults.
pub(crate) struct ShellFaults {
    /// The shells with negative volume that are no cavities, by their first triangles.
    pub(crate) inward: Vec<Fault>,
    /// Some closed shell has a volume other than 0.
    pub(crate) has_volume: bool,
}

/// Examines the closed shells of a mesh.
pub(crate) fn shell_faults(topology: &Topology) -> ShellFaults {
    let closed = ClosedShells::new(topology);
    let has_volume = closed.shells.iter().any(|shell| shell.is_inward() || shell.is_outward());
    ShellFaults { inward: inward_shells(&closed), has_volume }
}

/// Finds the closed shells with negative volume that are no cavities.
fn inward_shells(closed: &ClosedShells) -> Vec<Fault> {
    let inward: Vec<u32> =
        (0..).zip(&closed.shells).filter(|(_, shell)| shell.is_inward()).map(|(index, _)| index).collect();
    if inward.is_empty() {
        return Vec::new();
    }
    let mut containment = Containment::new(closed, SOLID_ANGLE_BUDGET);
    let mut faults = Vec::new();
    for index in inward {
        let winding: f64 = containment.containers(index).iter().map(|container| container.winding).sum();
        // A cavity is carved out of the material around it.
        if winding < 0.5 && !containment.is_in_open_box(index) {
            let shell = &closed.shells[index as usize];
            let volume = closed.frame.volume_in_metres(shell.volume);
            let triangles = closed.triangles(shell).to_vec();
            faults.push(Fault::InwardShell { triangle: triangles[0], volume, triangles });
        }
    }
    faults
}
