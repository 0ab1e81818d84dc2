//! Closed shells that are turned outward, by what they bound.
//!
//! In: the closed shells of a mesh. Out: the triangles to reverse, and the shells nested in the material of another.
//! Method: containers before what they contain. A shell is decided by the winding number w of the shells around it as
//! they are decided, and v as they were given:
//! - inward and w ≥ 1: a cavity; it stays. Inward and w < 1: nothing is there to be carved out; it is turned.
//! - outward and w < 1: a body; it stays. Outward and w ≥ 1: a cavity if v + 1 = 0, since the mesh as given does not
//!   wind around its inside: it is turned with the shell around it, which was inside out. Else a body in a body; it
//!   stays and is reported.
//!
//! So a solid with cavities that is inside out as a whole comes back as the solid, and bodies are turned one by one.
//! A shell that crosses another is not in its material: it is a body.
//! A shell in the box of an open shell stays: what the open shell bounds is not known.
//! Guarantees: shells whose volume is 0 within rounding stay. A single outward shell costs nothing more.
//! Not guaranteed: crossings are noticed at a few points of a shell (`shells`), so a shell whose points are all inside
//! counts as nested even if it crosses. Beyond the budget, boxes decide.
//! Cost: a tree over the boxes of the shells, and winding numbers of nested shells up to a budget of solid angles.

use std::ops::Range;

use crate::shells::{ClosedShells, Containment, PROBES, Shell};

/// Limit of solid angles that are summed if a shell faces inward: approximately a second.
const TURN_BUDGET: usize = 1 << 25;

/// The decision: triangles to reverse, with the shells on which it is based.
#[derive(Debug, Default)]
pub(super) struct Outward {
    /// The triangles to reverse.
    pub(super) reverse: Vec<u32>,
    /// The triangles of closed shells, grouped by shell, and the ranges of the shells in them.
    pub(super) order: Vec<u32>,
    pub(super) shells: Vec<Range<usize>>,
    /// The first triangles of outward shells in the material of other shells, ascending.
    pub(super) nested: Vec<u32>,
    /// The budget sufficed.
    pub(super) is_exact: bool,
}

impl Outward {
    /// Decides each closed shell.
    pub(super) fn of(closed: ClosedShells) -> Self {
        let has_inward = closed.shells.iter().any(Shell::is_inward);
        let (reverse, nested, is_exact) = if closed.shells.len() < 2 && !closed.has_open() {
            let reverse = if has_inward { closed.order.clone() } else { Vec::new() };
            (reverse, Vec::new(), true)
        } else {
            decide(&closed, has_inward)
        };
        let shells = closed.shells.into_iter().map(|shell| shell.triangles).collect();
        Self { reverse, order: closed.order, shells, nested, is_exact }
    }
}

/// Decides which of several shells are turned: the triangles to reverse, the nested shells, whether the budget
/// sufficed.
fn decide(closed: &ClosedShells, has_inward: bool) -> (Vec<u32>, Vec<u32>, bool) {
    // If all face outward, nested shells are only reported: for that, one pass over the triangles with each
    // probe must do.
    let budget = if has_inward { TURN_BUDGET } else { PROBES * closed.order.len() };
    let mut containment = Containment::new(closed, budget);
    let mut turned = vec![false; closed.shells.len()];
    let mut nested = Vec::new();
    for index in containers_first(closed) {
        let shell = &closed.shells[index as usize];
        if !(shell.is_inward() || shell.is_outward()) || containment.is_in_open_box(index) {
            continue;
        }
        let (mut given, mut decided) = (0.0, 0.0);
        for container in containment.containers(index) {
            given += container.winding;
            decided += if turned[container.shell as usize] { -container.winding } else { container.winding };
        }
        let is_in_material = decided > 0.5;
        let is_cavity = is_in_material && (shell.is_inward() || given == -1.0);
        turned[index as usize] = shell.is_inward() != is_cavity;
        if is_in_material && !is_cavity {
            nested.push(closed.triangles(shell)[0]);
        }
    }
    nested.sort_unstable();
    let reverse = closed.shells.iter().zip(&turned).filter(|&(_, &turned)| turned);
    let reverse = reverse.flat_map(|(shell, _)| closed.triangles(shell)).copied().collect();
    (reverse, nested, !containment.is_exhausted)
}

/// Sorts the shells by the size of their boxes, the largest first: a box contains only boxes that are no larger. Equal
/// sizes keep their order.
fn containers_first(closed: &ClosedShells) -> Vec<u32> {
    let size = |index: &u32| closed.shells[*index as usize].bounds.half_extents().element_sum();
    let mut order: Vec<u32> = (0..closed.shells.len() as u32).collect();
    order.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
    order
}
