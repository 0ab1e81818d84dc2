//! Layers of a voxel grid as quadtrees.
//!
//! In: a grid, an axis and the number of a layer across it. Out: the quadtree of the cells of that layer, over the two
//! axes that follow: y and z for x, z and x for y, x and y for z.
//! Guarantees: exact; the cells of the quadtree are the cells of the grid, and empty cells beyond its box.
//! Cost: O(cells of the layer · depth).

use super::{BitGrid, VoxelError, VoxelSpace};
use crate::octree::{Axis, CellClass};
use crate::quadtree::{Quadtree, QuadtreeCell, QuadtreeRoot};
use heurt_geometry::Vec2;

impl BitGrid {
    /// Builds the quadtree of a layer across an axis.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_solid::{Axis, BitGrid, VoxelSpace};
    /// let ring = generate::torus(1.0, 0.3, 32, 16)?;
    /// let space = VoxelSpace::fit(&ring.bounds(), 64)?;
    /// let cells = BitGrid::of_mesh_centres(&ring, space)?;
    /// let middle = space.counts()[2] / 2;
    /// let area = cells.slice(Axis::Z, middle)?.measures().area[0];
    /// assert!((area - 3.14 * (1.3 * 1.3 - 0.7 * 0.7)).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`VoxelError::Layer`] beyond the box; the root of the quadtree is out of range.
    pub fn slice(&self, axis: Axis, layer: u32) -> Result<Quadtree, VoxelError> {
        let k = axis as usize;
        let [u, v] = [(k + 1) % 3, (k + 2) % 3];
        let space = self.space();
        let counts = space.counts();
        if layer >= counts[k] {
            return Err(VoxelError::Layer { layer, count: counts[k] });
        }
        let cell_at = |at: [u32; 2]| {
            let mut cell = [layer; 3];
            (cell[u], cell[v]) = (at[0], at[1]);
            cell
        };
        let root = quadtree_root(space, [u, v])?;
        let classify = |cell: &QuadtreeCell| {
            let size = cell.size(root.depth());
            let end = [u, v].map(|axis| counts[axis]);
            let inside: [u32; 2] = std::array::from_fn(|k| end[k].saturating_sub(cell.min[k]).min(size));
            if inside.contains(&0) {
                return CellClass::Empty;
            }
            let first = self.contains(cell_at(cell.min));
            let all = (0..inside[1]).flat_map(|y| (0..inside[0]).map(move |x| [cell.min[0] + x, cell.min[1] + y]));
            let is_cut = inside != [size; 2];
            match (first, all.into_iter().all(|at| self.contains(cell_at(at)) == first)) {
                (true, true) if !is_cut => CellClass::Full,
                (false, true) => CellClass::Empty,
                _ => CellClass::Mixed,
            }
        };
        Ok(Quadtree::from_cells(root, classify)?)
    }
}

/// Returns the least root whose deepest cells are the cells of a layer.
fn quadtree_root(space: VoxelSpace, [u, v]: [usize; 2]) -> Result<QuadtreeRoot, VoxelError> {
    let counts = space.counts();
    let size = counts[u].max(counts[v]).next_power_of_two();
    let origin = Vec2::new(space.origin()[u], space.origin()[v]);
    Ok(QuadtreeRoot::new(origin, space.cell_edge() * f64::from(size), size.trailing_zeros() as u8)?)
}
