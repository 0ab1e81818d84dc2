//! The matrix I + J̃ᵀ W J̃ over bodies, W block diagonal over contacts and rows.
//!
//! In: one 3×3 weight per block. Out: the factored matrix and solutions.
//! Method: each block adds J_aᵀWJ_a, J_aᵀWJ_b, J_bᵀWJ_a and J_bᵀWJ_b. The pattern and the elimination order of
//! `BlockLu` are computed once per island. Guarantees: bodies that no impulse moves take no room. Cost: linear in the
//! contacts, plus the factorization.

use super::block_lu::{BlockLu, BlockPlace, SixSix};
use super::island::{ScaledIsland, Six, add_scaled};

/// The matrix of one island.
pub(crate) struct BodyMatrix {
    lu: BlockLu,
    /// Places of the blocks (A, B) and (B, A) of each contact between two movable bodies.
    places: Vec<Option<[BlockPlace; 2]>>,
}

impl BodyMatrix {
    /// Creates the pattern and the elimination order.
    pub fn new(island: &ScaledIsland) -> Self {
        let pairs: Vec<[usize; 2]> = island.blocks.iter().map(|block| block.nodes).collect();
        let lu = BlockLu::new(island.node_count, &pairs);
        let fixed = island.node_count;
        let places = pairs
            .iter()
            .map(|&[a, b]| if a == fixed || b == fixed { None } else { Some([lu.place(a, b)?, lu.place(b, a)?]) });
        Self { places: places.collect(), lu }
    }

    /// Builds and factors the matrix for the weight of each block; returns `false` if it is singular.
    pub fn factor(&mut self, island: &ScaledIsland, mut weight: impl FnMut(usize) -> [[f64; 3]; 3]) -> bool {
        self.lu.reset();
        for index in 0..island.blocks.len() {
            let weight = weight(index);
            if weight.iter().flatten().any(|&entry| entry != 0.0) {
                self.add(island, index, &weight);
            }
        }
        self.lu.factor()
    }

    /// Solves the factored system in place.
    pub fn solve(&self, island: &ScaledIsland, right: &mut [Six]) {
        self.lu.solve(&mut right[..island.node_count]);
    }

    fn add(&mut self, island: &ScaledIsland, index: usize, weight: &[[f64; 3]; 3]) {
        let block = &island.blocks[index];
        let (start, size) = (block.start, block.law.size());
        let mut weighted = [[[0.0; 6]; 3]; 2];
        for (side, rows) in weighted.iter_mut().enumerate() {
            for (i, row) in rows.iter_mut().enumerate().take(size) {
                for (j, &entry) in weight[i].iter().enumerate().take(size) {
                    if entry != 0.0 {
                        add_scaled(row, &island.rows[start + j][side], entry);
                    }
                }
            }
        }
        for side in 0..2 {
            if block.nodes[side] < island.node_count {
                let target = self.lu.diagonal_mut(block.nodes[side]);
                add_outer(target, island, start, side, &weighted[side][..size]);
            }
        }
        if let Some([ab, ba]) = self.places[index] {
            add_outer(self.lu.block_mut(ab), island, start, 0, &weighted[1][..size]);
            add_outer(self.lu.block_mut(ba), island, start, 1, &weighted[0][..size]);
        }
    }
}

/// Adds J̃ᵀ·rows of one side to a block.
fn add_outer(target: &mut SixSix, island: &ScaledIsland, start: usize, side: usize, rows: &[Six]) {
    let left = &island.rows[start..start + rows.len()];
    if let ([a, b, c], [x, y, z]) = (left, rows) {
        // One pass over the block for the three rows of a contact.
        for i in 0..6 {
            let (a, b, c) = (a[side][i], b[side][i], c[side][i]);
            for j in 0..6 {
                target[6 * i + j] += a * x[j] + b * y[j] + c * z[j];
            }
        }
        return;
    }
    for (left, right) in left.iter().zip(rows) {
        for i in 0..6 {
            for j in 0..6 {
                target[6 * i + j] += left[side][i] * right[j];
            }
        }
    }
}
