//! Drawing of voxel grids: the cells with a face on the boundary.
//!
//! In: a grid or bounds. Out: a box per cell that has a neighbour of another class, with [`Meaning::Cell`]; cells
//! within the solid are hidden. Bounds draw their mixed cells with [`Meaning::Cell`].
//! Cost: O(words + cells drawn).

use super::{BitGrid, VoxelBounds};
use heurt_geometry::{Draw, DrawSink, Meaning};

impl Draw for BitGrid {
    /// Draws each cell that has a face on the boundary of the set, x fastest.
    fn draw(&self, sink: &mut dyn DrawSink) {
        for cell in self.cells() {
            let is_hidden = (0..6).all(|k| {
                let mut next = cell;
                next[k / 2] = if k % 2 == 0 { cell[k / 2].wrapping_sub(1) } else { cell[k / 2] + 1 };
                self.contains(next)
            });
            if !is_hidden {
                sink.draw_box(&self.space.cell_bounds(cell), Meaning::Cell);
            }
        }
    }
}

impl Draw for VoxelBounds {
    /// Draws the mixed cells and, if there are none, the cells with a face on the boundary.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let mixed = self.mixed();
        if mixed.count() == 0 {
            return self.inner().draw(sink);
        }
        mixed.cells().for_each(|cell| sink.draw_box(&self.space().cell_bounds(cell), Meaning::Cell));
    }
}
