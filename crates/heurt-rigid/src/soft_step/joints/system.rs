//! Direct solution of the equations of all joints: sparse block L·D·Lᵀ in minimum degree order.
//!
//! In: which joints share a movable body, their coupling matrices. Out: impulses that solve all equations at once.
//! Method: the nodes of the graph (`graph.rs`) are joints; joints of a movable body are neighbours. A node of least
//! degree is eliminated first, which makes chains and trees free of fill. Pivots are compared with the diagonal before
//! the elimination, so that redundant rows of closed loops are left out.
//! Guarantees: the order depends only on the graph. Bounded cost and memory for a joint: an assembly is left out if a
//! body has more than `MAX_DEGREE` + 1 joints, before its neighbours are listed, or if a node of least degree has more
//! than `MAX_DEGREE` neighbours.
//! Cost: linear for chains and trees; the order is kept while the graph does not change, also if indices of bodies do.

use super::super::memory::bytes_of;
use super::factor::{BlockFactor, EMPTY_MATRIX, RowMatrix, RowNumbers};
use super::graph::{JointEnds, JointGraph, eliminate};
use std::collections::BTreeSet;

/// The factor of the equations of all joints.
#[derive(Debug, Clone, Default)]
pub(super) struct JointSystem {
    /// The graph that the order belongs to.
    graph: JointGraph,
    columns: Vec<SystemColumn>,
    /// The assembly of each joint: joints that movable bodies connect.
    assemblies: Vec<u32>,
    assembly_count: usize,
    /// Whether each joint is in the system.
    is_member: Vec<bool>,
}

/// A joint and the joints after it that its elimination changes.
#[derive(Debug, Clone)]
struct SystemColumn {
    joint: u32,
    assembly: u32,
    /// Positions of the columns of later neighbours, ascending, and their joints.
    later: Vec<u32>,
    later_joints: Vec<u32>,
    count: usize,
    /// The scale of pivots, before the elimination.
    scale: RowMatrix,
    diagonal: RowMatrix,
    factor: BlockFactor,
    /// The blocks below the diagonal: A, then A·D⁻¹.
    blocks: Vec<RowMatrix>,
}

impl JointSystem {
    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        let of_columns = self
            .columns
            .iter()
            .map(|column| bytes_of(&column.later) + bytes_of(&column.later_joints) + bytes_of(&column.blocks));
        let lists = bytes_of(&self.columns) + bytes_of(&self.assemblies) + bytes_of(&self.is_member);
        lists + of_columns.sum::<usize>() + self.graph.bytes()
    }

    /// Finds the order of elimination, if the graph has changed.
    pub fn build(&mut self, ends: impl Iterator<Item = JointEnds>) {
        if self.graph.update(ends) {
            self.find_order();
        }
    }

    fn find_order(&mut self) {
        (self.assemblies, self.assembly_count) = self.graph.assemblies();
        self.is_member = self.graph.movable_joints().collect();
        self.leave_assemblies_of(&self.graph.crowded_joints());
        let (order, later, left) = eliminate(self.graph.neighbours(&self.is_member));
        self.leave_assemblies_of(&left);
        let mut positions = vec![u32::MAX; self.is_member.len()];
        let members = order.iter().zip(later).filter(|(joint, _)| self.is_member[**joint as usize]);
        let members: Vec<(u32, BTreeSet<u32>)> = members.map(|(joint, later)| (*joint, later)).collect();
        for (position, (joint, _)) in members.iter().enumerate() {
            positions[*joint as usize] = position as u32;
        }
        let column = |(joint, later): &(u32, BTreeSet<u32>)| {
            let mut later: Vec<u32> = later.iter().map(|joint| positions[*joint as usize]).collect();
            later.sort_unstable();
            let later_joints = later.iter().map(|position| members[*position as usize].0).collect();
            let blocks = vec![EMPTY_MATRIX; later.len()];
            SystemColumn {
                joint: *joint,
                assembly: self.assemblies[*joint as usize],
                later,
                later_joints,
                count: 0,
                scale: EMPTY_MATRIX,
                diagonal: EMPTY_MATRIX,
                factor: BlockFactor::EMPTY,
                blocks,
            }
        };
        self.columns = members.iter().map(column).collect();
    }

    /// Leaves the assemblies of joints to sweeps.
    fn leave_assemblies_of(&mut self, joints: &[u32]) {
        let mut is_left = vec![false; self.assembly_count];
        for joint in joints {
            is_left[self.assemblies[*joint as usize] as usize] = true;
        }
        for (is_member, assembly) in self.is_member.iter_mut().zip(&self.assemblies) {
            *is_member &= !is_left[*assembly as usize];
        }
    }

    /// Reports whether the system solves the equations of a joint.
    pub fn contains(&self, joint: usize) -> bool {
        self.is_member[joint]
    }

    /// Returns the number of assemblies.
    pub fn assembly_count(&self) -> usize {
        self.assembly_count
    }

    /// Returns the assembly of a joint.
    pub fn assembly(&self, joint: usize) -> usize {
        self.assemblies[joint] as usize
    }

    /// Reports whether the system solves the equations of all joints with a movable body.
    pub fn contains_all(&self) -> bool {
        self.is_member.iter().zip(self.graph.movable_joints()).all(|(is_member, is_movable)| *is_member || !is_movable)
    }

    /// Factors the matrix of the marked assemblies. `own` writes the diagonal block of a joint and the scale of its
    /// pivots, and returns the number of its rows; `coupling` returns the block of the rows of one joint and the
    /// columns of another.
    pub fn factor(
        &mut self,
        marked: &[bool],
        own: impl Fn(u32, &mut RowMatrix, &mut RowMatrix) -> usize,
        coupling: impl Fn(u32, u32) -> RowMatrix,
    ) {
        for column in self.columns.iter_mut().filter(|column| marked[column.assembly as usize]) {
            column.count = own(column.joint, &mut column.diagonal, &mut column.scale);
            for (block, later) in column.blocks.iter_mut().zip(&column.later_joints) {
                *block = coupling(*later, column.joint);
            }
        }
        for k in 0..self.columns.len() {
            if marked[self.columns[k].assembly as usize] {
                self.eliminate_column(k);
            }
        }
    }

    fn eliminate_column(&mut self, k: usize) {
        let (head, tail) = self.columns.split_at_mut(k + 1);
        let column = &mut head[k];
        column.factor = BlockFactor::new(&column.diagonal, column.count, &column.scale);
        for i in 0..column.later.len() {
            let original = column.blocks[i];
            let target = &mut tail[column.later[i] as usize - k - 1];
            let mut scaled = EMPTY_MATRIX;
            for (scaled, row) in scaled.iter_mut().zip(&original).take(target.count) {
                *scaled = column.factor.solve(row);
            }
            subtract_product(&mut target.diagonal, &scaled, &original, target.count);
            for j in i + 1..column.later.len() {
                let row = column.later[j];
                if let Ok(at) = target.later.binary_search(&row) {
                    // A_ji −= A_jk·D⁻¹·A_ikᵀ; the blocks after i are not scaled yet.
                    subtract_product(&mut target.blocks[at], &column.blocks[j], &scaled, target.count);
                }
            }
            column.blocks[i] = scaled;
        }
    }

    /// Replaces right-hand sides of the marked assemblies by the solution.
    pub fn solve(&self, marked: &[bool], numbers: &mut [RowNumbers]) {
        let columns = || self.columns.iter().filter(|column| marked[column.assembly as usize]);
        for column in columns() {
            let own = numbers[column.joint as usize];
            for (block, later) in column.blocks.iter().zip(&column.later) {
                let target = &mut numbers[self.columns[*later as usize].joint as usize];
                for (target, row) in target.iter_mut().zip(block) {
                    *target -= dot(row, &own);
                }
            }
        }
        for column in columns().rev() {
            let mut own = column.factor.solve(&numbers[column.joint as usize]);
            for (block, later) in column.blocks.iter().zip(&column.later) {
                let solved = &numbers[self.columns[*later as usize].joint as usize];
                for (row, solved) in block.iter().zip(solved) {
                    for (own, entry) in own.iter_mut().zip(row) {
                        *own -= entry * solved;
                    }
                }
            }
            numbers[column.joint as usize] = own;
        }
    }
}

fn dot(a: &RowNumbers, b: &RowNumbers) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes target − a·bᵀ for the first `count` columns of the target.
fn subtract_product(target: &mut RowMatrix, a: &RowMatrix, b: &RowMatrix, count: usize) {
    for (target, a) in target.iter_mut().zip(a) {
        for (target, b) in target.iter_mut().zip(b).take(count) {
            *target -= dot(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system_of(ends: &[JointEnds]) -> JointSystem {
        let mut system = JointSystem::default();
        system.build(ends.iter().copied());
        system
    }

    /// Counts the entries of the graph and of the factor.
    fn entries(system: &JointSystem) -> [usize; 2] {
        let near = system.graph.neighbours(&system.is_member).iter().map(BTreeSet::len).sum();
        [near, system.columns.iter().map(|column| column.later.len()).sum()]
    }

    fn order(system: &JointSystem) -> Vec<(u32, u32, Vec<u32>)> {
        system.columns.iter().map(|column| (column.joint, column.assembly, column.later.clone())).collect()
    }

    /// Joints from a hub to each of `count` bodies, and a link after each of these.
    fn spokes(hub: u32, count: u32) -> impl Iterator<Item = JointEnds> {
        let body = move |i: u32| Some(hub + 1 + i);
        (0..count).flat_map(move |i| [[Some(hub), body(2 * i)], [body(2 * i), body(2 * i + 1)]])
    }

    #[test]
    fn a_hub_of_5000_joints_takes_no_entries() {
        let chain = (0..100_u32).map(|i| [i.checked_sub(1), Some(i)]);
        let ends: Vec<JointEnds> = spokes(200, 5000).chain(chain).collect();
        let system = system_of(&ends);
        assert_eq!((0..ends.len()).filter(|joint| system.contains(*joint)).count(), 100);
        assert!(!system.contains_all() && system.assembly_count() == 2);
        // Only those of the chain.
        assert_eq!(entries(&system), [198, 99]);
    }

    #[test]
    fn the_entries_of_other_hubs_are_linear_in_the_joints() {
        // 200 hubs of 25 joints, and links.
        let ends: Vec<JointEnds> = (0..200).flat_map(|hub| spokes(1000 * hub, 25)).collect();
        let system = system_of(&ends);
        assert!(system.contains_all() && system.assembly_count() == 200);
        assert_eq!(entries(&system), [200 * (25 * 24 + 50), 200 * (25 * 12 + 25)]);
    }

    #[test]
    fn assemblies_of_30_spokes_are_left_and_of_25_are_not() {
        for (count, is_solved) in [(25, true), (26, false), (30, false)] {
            let ends: Vec<JointEnds> = spokes(0, count).collect();
            let system = system_of(&ends);
            assert!((0..ends.len()).all(|joint| system.contains(joint) == is_solved), "{count}");
            assert_eq!(system.contains_all(), is_solved);
        }
    }

    #[test]
    fn a_shift_of_the_indices_keeps_the_order() {
        let mut ends: Vec<JointEnds> = spokes(2, 10).chain([[None, Some(2)], [Some(5), Some(8)]]).collect();
        let mut system = system_of(&ends);
        let before = order(&system);
        // A mark shows whether the columns are built again.
        system.columns[0].count = 77;
        for ends in &mut ends {
            *ends = ends.map(|body| body.map(|body| body - 1));
        }
        system.build(ends.iter().copied());
        assert_eq!((system.columns[0].count, order(&system)), (77, before.clone()));
        assert_eq!(order(&system_of(&ends)), before);
        ends.pop();
        system.build(ends.iter().copied());
        assert_ne!(system.columns[0].count, 77);
    }
}
