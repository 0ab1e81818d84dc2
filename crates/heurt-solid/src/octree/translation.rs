//! Translation of an octree by whole cells of the deepest level.
//!
//! In: an octree and a shift. Out: the shifted octree over the same root, in canonical form.
//! Method: top down. A cell of the result covers at most 2 × 2 × 2 cells of its level in the source, and the offset
//! between both lattices is one number per axis and level. The eight source cells of a child are children of the eight
//! source cells of its parent. Cells whose sources are one kind of leaf are not divided.
//! Guarantees: exact; a solid that would leave the root is refused.
//! Cost: O(n + r) for r nodes of the result before equal children merge.

use super::{MoveError, Node, Octree};
use crate::subdivision::builder::PreOrderBuilder;
use crate::subdivision::child_table::{ChildTable, OUTSIDE};

/// The source cells of a cell: digit by digit, the lower or upper neighbour on each axis.
type Sources = [u32; 8];

impl Octree {
    /// Shifts the solid by whole cells of the deepest level.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 1.0, 1)?;
    /// let low = Octree::from_depth_first_code(root, "(RVVVVVVV")?;
    /// assert_eq!(low.translated([1, 0, 1])?.to_depth_first_code(), "(VVVVVRVV");
    /// assert!(low.translated([-1, 0, 0]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The solid would leave the root, or the result has too many nodes.
    pub fn translated(&self, shift: [i32; 3]) -> Result<Self, MoveError> {
        let depth = self.root.depth();
        let Some([min, max]) = self.occupied_cells() else { return Ok(self.clone()) };
        let cells = 1u32 << depth;
        let leaves = |k: usize| {
            let by = i64::from(shift[k]);
            i64::from(min[k]) + by < 0 || i64::from(max[k]) + by > i64::from(cells)
        };
        if (0..3).any(leaves) {
            return Err(MoveError::LeavesRoot { shift, min, max, cells });
        }
        let table = ChildTable::new(&self.nodes);
        let mut builder = PreOrderBuilder::<3>::new(depth);
        let mut open = vec![sources_of_root(shift, depth)];
        while let (Some(sources), Some((_, level))) = (open.pop(), builder.next_cell()) {
            let leaf = table.node(sources[0]);
            if leaf != Node::Branch && sources.iter().all(|&source| table.node(source) == leaf) {
                builder.push_leaf(leaf);
                continue;
            }
            builder.open_branch()?;
            let size = cells >> (level + 1);
            open.extend((0..8).rev().map(|digit| sources_of_child(&table, &sources, digit, shift, size)));
        }
        Ok(Self { root: self.root, nodes: builder.finish() })
    }
}

/// Returns the sources of the root: the lower source of an axis is the cell that holds its shifted least corner.
fn sources_of_root(shift: [i32; 3], depth: u8) -> Sources {
    let size = 1i32 << depth;
    std::array::from_fn(|digit| {
        let is_root = |k: usize| {
            // The lower source is the root for shifts down, the cell before the root for shifts up.
            let upper = digit >> k & 1 == 1 && shift[k].rem_euclid(size) != 0;
            (shift[k] > 0) == upper
        };
        if (0..3).all(is_root) { 0 } else { OUTSIDE }
    })
}

/// Returns the sources of a child whose edge is `size` deepest cells.
fn sources_of_child(table: &ChildTable<3>, sources: &Sources, child: usize, shift: [i32; 3], size: u32) -> Sources {
    let size = size as i32;
    // For each axis, the half of the lower source at which the child begins, and whether it straddles two cells.
    let half: [usize; 3] = std::array::from_fn(|k| {
        let offset = shift[k].wrapping_neg().rem_euclid(2 * size);
        usize::from(offset >= size) + (child >> k & 1)
    });
    let straddles: [bool; 3] = std::array::from_fn(|k| shift[k].rem_euclid(size) != 0);
    std::array::from_fn(|digit| {
        let (mut source, mut within) = (0, 0);
        for k in 0..3 {
            let at = half[k] + usize::from(digit >> k & 1 == 1 && straddles[k]);
            source |= at >> 1 << k;
            within |= (at & 1) << k;
        }
        table.child(sources[source], within)
    })
}
