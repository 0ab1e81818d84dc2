//! Projected Gauss–Seidel sweeps over contacts, matrix-free through body velocities.
//!
//! In: impulses and their node vector z = J̃ᵀ f. Out: both after a sweep.
//! Method: block by block: the normal impulse cancels the normal velocity and is projected; then the tangent, with the
//! velocity after the normal impulse. Sweeps alternate their direction, which halves the iterations of chains.
//! Guarantees: each frictionless update lowers ½fᵀAf + cᵀf. Not guaranteed: convergence with friction coefficients so
//! large that a contact block has no solution. Cost: linear in the contacts.

use super::island::{IslandBlock, ScaledIsland, Six, add_scaled};

/// Runs one sweep, in the order of the blocks or backwards.
pub(crate) fn sweep(island: &ScaledIsland, impulses: &mut [f64], nodes: &mut [Six], backwards: bool) {
    if backwards {
        island.blocks.iter().rev().for_each(|block| relax(island, block, impulses, nodes));
    } else {
        island.blocks.iter().for_each(|block| relax(island, block, impulses, nodes));
    }
}

/// Solves one block for fixed velocities of all other contacts.
fn relax(island: &ScaledIsland, block: &IslandBlock, impulses: &mut [f64], nodes: &mut [Six]) {
    let start = block.start;
    let velocity = |k: usize, nodes: &[Six]| island.free[start + k] + island.rate(block, start + k, nodes);
    let own = velocity(0, nodes) + island.compliance[start] * impulses[start];
    let normal = block.law.project_normal(impulses[start] - own * island.step[start]);
    let change = normal - impulses[start];
    if block.law.size() == 1 {
        impulses[start] = normal;
        apply(island, block, start, change, nodes);
        return;
    }
    let trial = [1, 2].map(|k| {
        let velocity = velocity(k, nodes) + block.local[k][0] * change;
        impulses[start + k] - velocity * island.step[start + k]
    });
    let tangent = block.law.project_tangent(normal, trial);
    let next = [normal, tangent[0], tangent[1]];
    for (k, &value) in next.iter().enumerate() {
        apply(island, block, start + k, value - impulses[start + k], nodes);
        impulses[start + k] = value;
    }
}

fn apply(island: &ScaledIsland, block: &IslandBlock, unknown: usize, change: f64, nodes: &mut [Six]) {
    for side in 0..2 {
        add_scaled(&mut nodes[block.nodes[side]], &island.rows[unknown][side], change);
    }
}
