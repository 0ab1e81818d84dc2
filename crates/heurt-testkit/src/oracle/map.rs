//! Cells of combinatorial maps by definition: union-find over generalised darts.
//!
//! In: the links of a map, φ₁ to φ₃, as a function. Out: for each dart the least dart of its cell.
//! Method: S4 §3.1.1. A dart becomes two, one at either end; α₀ leads to the opposite end, φᵢ = αᵢ∘α₀, and a k-cell is
//! the set joined by all αᵢ except αₖ. Shares nothing with the traversal of orbits. Cost: nearly O(darts).

use heurt_mesh::DisjointSets;

/// Returns for each dart the least dart of its cell of dimension `cell`; of its component if `cell` is above the
/// dimension of the map. `phi(i, dart)` for `i` from 1 to `dimension`; darts without links give `None`.
pub fn cells(dimension: usize, cell: usize, count: usize, phi: impl Fn(usize, u32) -> Option<u32>) -> Vec<u32> {
    let mut sets = DisjointSets::new(2 * count);
    // Generalised darts: 2d at the start of dart d, 2d + 1 at its end.
    for dart in 0..count as u32 {
        if cell != 0 && phi(1, dart).is_some() {
            sets.unite(2 * dart, 2 * dart + 1);
        }
        for i in (1..=dimension).filter(|&i| i != cell) {
            if let Some(other) = phi(i, dart) {
                // αᵢ from the end of a dart leads to the start of φᵢ of it.
                sets.unite(2 * dart + 1, 2 * other);
                if i > 1 {
                    // αᵢ is an involution, so that it also leads from the start to the end.
                    sets.unite(2 * dart, 2 * other + 1);
                }
            }
        }
    }
    let mut least = vec![u32::MAX; 2 * count];
    (0..count as u32)
        .map(|dart| {
            let root = sets.find(2 * dart) as usize;
            least[root] = least[root].min(dart);
            least[root]
        })
        .collect()
}
