//! Direct solution of the equations of all joints: sparse block L·D·Lᵀ in minimum degree order.
//!
//! In: which joints share a movable body, their coupling matrices. Out: impulses that solve all equations at once.
//! Method: the nodes of the graph are joints; joints of a movable body are neighbours. A node of least degree is
//! eliminated first, which makes chains and trees free of fill. Pivots are compared with the diagonal before the
//! elimination, so that redundant rows of closed loops are left out.
//! Guarantees: the order depends only on the graph. Bounded cost: joints of an assembly in which a node of least degree
//! has more than [`MAX_DEGREE`] neighbours are left out.
//! Cost: linear for chains and trees; the order is kept while the graph does not change.

use super::factor::{BlockFactor, EMPTY_MATRIX, RowMatrix, RowNumbers};
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of neighbours of a node that is eliminated. 24: its elimination takes 300 products of blocks, as many
/// as 100 joints of a chain take. A body with 25 joints is the hub of a wheel with all its spokes.
const MAX_DEGREE: usize = 24;

/// Movable bodies of a joint.
type JointEnds = [Option<u32>; 2];

/// The factor of the equations of all joints.
#[derive(Debug, Clone, Default)]
pub(super) struct JointSystem {
    /// The graph that the order belongs to.
    ends: Vec<JointEnds>,
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
    /// Finds the order of elimination.
    pub fn build(&mut self, ends: impl Iterator<Item = JointEnds> + Clone) {
        if self.ends.iter().copied().eq(ends.clone()) {
            return;
        }
        self.ends = ends.collect();
        let neighbours = neighbours(&self.ends);
        let (order, later, left) = eliminate(neighbours.clone());
        (self.assemblies, self.assembly_count) = find_assemblies(&neighbours);
        let mut is_left = vec![false; self.assembly_count];
        for joint in left {
            is_left[self.assemblies[joint as usize] as usize] = true;
        }
        self.is_member = self.assemblies.iter().map(|assembly| !is_left[*assembly as usize]).collect();
        for (member, ends) in self.is_member.iter_mut().zip(&self.ends) {
            *member &= *ends != [None; 2];
        }
        let mut positions = vec![u32::MAX; self.ends.len()];
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
        self.is_member.iter().zip(&self.ends).all(|(is_member, ends)| *is_member || *ends == [None; 2])
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

/// Finds the joints that share a movable body with each joint.
fn neighbours(ends: &[JointEnds]) -> Vec<BTreeSet<u32>> {
    let mut of_body: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (joint, ends) in (0..).zip(ends) {
        for body in ends.iter().flatten() {
            of_body.entry(*body).or_default().push(joint);
        }
    }
    let mut neighbours = vec![BTreeSet::new(); ends.len()];
    for (joint, ends) in (0..).zip(ends) {
        for body in ends.iter().flatten() {
            neighbours[joint as usize].extend(of_body[body].iter().copied().filter(|other| *other != joint));
        }
    }
    neighbours
}

/// Eliminates nodes of least degree. Returns the order, the later neighbours of each eliminated node, and the nodes
/// that are left because of their degree.
fn eliminate(mut neighbours: Vec<BTreeSet<u32>>) -> (Vec<u32>, Vec<BTreeSet<u32>>, Vec<u32>) {
    let mut queue: BTreeSet<(usize, u32)> = (0..).zip(&neighbours).map(|(node, near)| (near.len(), node)).collect();
    let (mut order, mut later) = (Vec::new(), Vec::new());
    while let Some(&(degree, node)) = queue.first() {
        if degree > MAX_DEGREE {
            break;
        }
        queue.pop_first();
        let near = std::mem::take(&mut neighbours[node as usize]);
        for &other in &near {
            let set = &mut neighbours[other as usize];
            queue.remove(&(set.len(), other));
            set.remove(&node);
            set.extend(near.iter().copied().filter(|next| *next != other));
            queue.insert((set.len(), other));
        }
        order.push(node);
        later.push(near);
    }
    (order, later, queue.iter().map(|(_, node)| *node).collect())
}

/// Numbers the connected components of the graph. Returns the component of each node, and the number of components.
fn find_assemblies(neighbours: &[BTreeSet<u32>]) -> (Vec<u32>, usize) {
    let mut assemblies = vec![u32::MAX; neighbours.len()];
    let mut count = 0;
    for start in 0..neighbours.len() {
        if assemblies[start] != u32::MAX {
            continue;
        }
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut assemblies[node], count) == u32::MAX {
                open.extend(neighbours[node].iter().map(|next| *next as usize));
            }
        }
        count += 1;
    }
    (assemblies, count as usize)
}
