//! Sparse LU factorization over bodies with 6×6 blocks.
//!
//! In: pairs of nodes that a contact joins; block entries. Out: solutions of the linear system.
//! Method: symmetric elimination order of least degree (Tinney and Walker 1967), computed once per island;
//! right-looking block elimination; pivot blocks are inverted with partial pivoting. No exchange between blocks: the
//! matrices are the identity plus a positive semidefinite sum, up to the coupling of sliding friction.
//! Guarantees: deterministic; a singular pivot block is reported. Cost: a chain of bodies is linear; a pile of n bodies
//! takes of the order of n² block operations.

use super::island::Six;

/// A 6×6 block, row by row.
pub(crate) type SixSix = [f64; 36];

/// Sparse matrix with a fixed pattern, and its factors in place.
#[derive(Debug, Clone)]
pub(crate) struct BlockLu {
    /// Position of each node in the elimination order.
    position: Vec<usize>,
    /// Later neighbours of each position, sorted; `first[p]..first[p + 1]` in `later`.
    first: Vec<usize>,
    later: Vec<usize>,
    diagonal: Vec<SixSix>,
    /// Blocks right of the diagonal, in the order of `later`.
    upper: Vec<SixSix>,
    /// Blocks below the diagonal, in the order of `later`.
    lower: Vec<SixSix>,
}

/// A place of a block in the matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BlockPlace {
    /// Row is before the column.
    Upper(usize),
    /// Row is after the column.
    Lower(usize),
}

impl BlockLu {
    /// Creates the pattern of a set of node pairs.
    pub fn new(node_count: usize, pairs: &[[usize; 2]]) -> Self {
        let mut neighbours = vec![Vec::new(); node_count];
        for &[a, b] in pairs {
            if a != b && a < node_count && b < node_count {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let (order, lists) = eliminate_by_degree(neighbours);
        let mut position = vec![0; node_count];
        order.iter().enumerate().for_each(|(place, &node)| position[node] = place);
        let (mut first, mut later) = (vec![0], Vec::new());
        for list in &lists {
            let mut places: Vec<usize> = list.iter().map(|&node| position[node]).collect();
            places.sort_unstable();
            later.extend(places);
            first.push(later.len());
        }
        let zero = [0.0; 36];
        Self {
            position,
            first,
            diagonal: vec![zero; node_count],
            upper: vec![zero; later.len()],
            lower: vec![zero; later.len()],
            later,
        }
    }

    /// Finds the place of the block (row, column) of two different nodes that a pair joins.
    pub fn place(&self, row: usize, column: usize) -> Option<BlockPlace> {
        let (row, column) = (self.position[row], self.position[column]);
        let (early, late) = (row.min(column), row.max(column));
        let start = self.first[early];
        let index = start + self.later[start..self.first[early + 1]].binary_search(&late).ok()?;
        Some(if row < column { BlockPlace::Upper(index) } else { BlockPlace::Lower(index) })
    }

    /// Resets the matrix to the identity.
    pub fn reset(&mut self) {
        self.upper.fill([0.0; 36]);
        self.lower.fill([0.0; 36]);
        let mut identity = [0.0; 36];
        (0..6).for_each(|i| identity[7 * i] = 1.0);
        self.diagonal.fill(identity);
    }

    /// Returns the diagonal block of a node.
    pub fn diagonal_mut(&mut self, node: usize) -> &mut SixSix {
        &mut self.diagonal[self.position[node]]
    }

    /// Returns the block at a place.
    pub fn block_mut(&mut self, place: BlockPlace) -> &mut SixSix {
        match place {
            BlockPlace::Upper(index) => &mut self.upper[index],
            BlockPlace::Lower(index) => &mut self.lower[index],
        }
    }

    /// Factors the matrix in place; returns `false` if a pivot block is singular.
    pub fn factor(&mut self) -> bool {
        for pivot in 0..self.diagonal.len() {
            let Some(inverse) = invert(&self.diagonal[pivot]) else {
                return false;
            };
            self.diagonal[pivot] = inverse;
            let range = self.first[pivot]..self.first[pivot + 1];
            for k in range.clone() {
                self.lower[k] = multiply(&self.lower[k], &inverse);
            }
            for k in range.clone() {
                self.update_row(k, range.clone());
            }
        }
        true
    }

    /// Subtracts L(k, pivot)·U(pivot, l) from the blocks (k, l) of all later neighbours l.
    fn update_row(&mut self, k: usize, range: std::ops::Range<usize>) {
        let row = self.later[k];
        let factor = self.lower[k];
        subtract_product(&mut self.diagonal[row], &factor, &self.upper[k]);
        // Both lists are sorted: one pass finds the targets.
        let mut target = self.first[row];
        for l in k + 1..range.end {
            while self.later[target] < self.later[l] {
                target += 1;
            }
            let (right, other) = (self.upper[l], self.lower[l]);
            subtract_product(&mut self.upper[target], &factor, &right);
            subtract_product(&mut self.lower[target], &other, &self.upper[k]);
        }
    }

    /// Solves the factored system in place. The vector may have more entries than nodes.
    pub fn solve(&self, right: &mut [Six]) {
        let count = self.diagonal.len();
        let mut work = vec![[0.0; 6]; count];
        self.position.iter().zip(right.iter()).for_each(|(&place, &entry)| work[place] = entry);
        for pivot in 0..count {
            let entry = work[pivot];
            for k in self.first[pivot]..self.first[pivot + 1] {
                subtract_image(&mut work[self.later[k]], &self.lower[k], &entry);
            }
        }
        for pivot in (0..count).rev() {
            let mut entry = work[pivot];
            for k in self.first[pivot]..self.first[pivot + 1] {
                subtract_image(&mut entry, &self.upper[k], &work[self.later[k]]);
            }
            let mut solved = [0.0; 6];
            subtract_image(&mut solved, &self.diagonal[pivot], &entry);
            work[pivot] = solved.map(|value| -value);
        }
        self.position.iter().zip(right.iter_mut()).for_each(|(&place, entry)| *entry = work[place]);
    }
}

/// Eliminates nodes by least degree, the least index among equals; returns the order and the later neighbours of each.
fn eliminate_by_degree(mut neighbours: Vec<Vec<usize>>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let count = neighbours.len();
    let mut open: std::collections::BTreeSet<(usize, usize)> =
        neighbours.iter().enumerate().map(|(node, list)| (list.len(), node)).collect();
    let (mut order, mut lists) = (Vec::with_capacity(count), Vec::with_capacity(count));
    while let Some((_, node)) = open.pop_first() {
        let list = std::mem::take(&mut neighbours[node]);
        for &other in &list {
            let old = &neighbours[other];
            open.remove(&(old.len(), other));
            let merged = merge_without(old, &list, [node, other]);
            open.insert((merged.len(), other));
            neighbours[other] = merged;
        }
        order.push(node);
        lists.push(list);
    }
    (order, lists)
}

/// Merges two sorted lists and leaves two nodes out.
fn merge_without(a: &[usize], b: &[usize], without: [usize; 2]) -> Vec<usize> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if !without.contains(&next) {
            merged.push(next);
        }
    }
    merged
}

fn row(block: &SixSix, i: usize) -> &[f64] {
    &block[6 * i..6 * i + 6]
}

fn multiply(a: &SixSix, b: &SixSix) -> SixSix {
    let mut product = [0.0; 36];
    subtract_product(&mut product, a, b);
    product.map(|entry| -entry)
}

fn subtract_product(target: &mut SixSix, a: &SixSix, b: &SixSix) {
    for i in 0..6 {
        for k in 0..6 {
            let factor = a[6 * i + k];
            for j in 0..6 {
                target[6 * i + j] -= factor * b[6 * k + j];
            }
        }
    }
}

fn subtract_image(target: &mut Six, block: &SixSix, vector: &Six) {
    for (i, entry) in target.iter_mut().enumerate() {
        let r = row(block, i);
        *entry -= (r[0] * vector[0] + r[1] * vector[1])
            + (r[2] * vector[2] + r[3] * vector[3])
            + (r[4] * vector[4] + r[5] * vector[5]);
    }
}

/// Inverts a block by Gauss–Jordan elimination with partial pivoting.
fn invert(block: &SixSix) -> Option<SixSix> {
    let mut a = *block;
    let mut inverse = [0.0; 36];
    (0..6).for_each(|i| inverse[7 * i] = 1.0);
    for step in 0..6 {
        let best =
            (step..6).fold(step, |best, i| if a[6 * i + step].abs() > a[6 * best + step].abs() { i } else { best });
        let pivot = a[6 * best + step];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        if best != step {
            for j in 0..6 {
                a.swap(6 * step + j, 6 * best + j);
                inverse.swap(6 * step + j, 6 * best + j);
            }
        }
        let scale = 1.0 / pivot;
        for j in 0..6 {
            a[6 * step + j] *= scale;
            inverse[6 * step + j] *= scale;
        }
        for i in (0..6).filter(|&i| i != step) {
            let factor = a[6 * i + step];
            for j in 0..6 {
                a[6 * i + j] -= factor * a[6 * step + j];
                inverse[6 * i + j] -= factor * inverse[6 * step + j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::SquareMatrix;
    use heurt_geometry::SplitMix64;

    #[test]
    fn sparse_solutions_equal_dense_ones() {
        let mut random = SplitMix64::new(11);
        for _ in 0..40 {
            let count = 1 + random.below(9);
            let mut pairs = Vec::new();
            for _ in 0..count + random.below(8) {
                pairs.push([random.below(count), random.below(count)]);
            }
            let mut lu = BlockLu::new(count, &pairs);
            lu.reset();
            let mut dense = SquareMatrix::zero(6 * count);
            let mut random_block = || [0.0; 36].map(|_: f64| random.between(-1.0, 1.0));
            let mut write = |row: usize, column: usize, block: &SixSix| {
                for (k, &entry) in block.iter().enumerate() {
                    dense.set(6 * row + k / 6, 6 * column + k % 6, entry);
                }
            };
            for node in 0..count {
                let mut block = random_block();
                (0..6).for_each(|i| block[7 * i] += 40.0);
                *lu.diagonal_mut(node) = block;
                write(node, node, &block);
            }
            for &[a, b] in pairs.iter().filter(|pair| pair[0] != pair[1]) {
                for [row, column] in [[a, b], [b, a]] {
                    let block = random_block();
                    *lu.block_mut(lu.place(row, column).unwrap()) = block;
                    write(row, column, &block);
                }
            }
            let right: Vec<Six> = (0..count).map(|_| [0.0; 6].map(|_: f64| random.between(-1.0, 1.0))).collect();
            let flat: Vec<f64> = right.iter().flatten().copied().collect();
            let expected = dense.solve(&flat);
            let mut found = right.clone();
            assert!(lu.factor());
            lu.solve(&mut found);
            for (a, b) in found.iter().flatten().zip(&expected) {
                assert!((a - b).abs() < 1e-13, "{a} {b}");
            }
        }
    }
}
