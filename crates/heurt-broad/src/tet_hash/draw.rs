//! Drawing of a spatial hash: the cells that vertices lie in.
//!
//! In: a hash after a pass. Out: boxes with [`Meaning::BroadPhase`] in the world, in metres, in the order of their
//! places along x, y and z. Cost: O(vertices · log vertices).

use super::TetHash;
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Vec3};

impl Draw for TetHash {
    /// Draws each cell with a vertex of the last pass, once. Cells beyond the range of numbers are left out.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let mut cells: Vec<[i64; 3]> = self.points.iter().map(|point| self.table.cell(*point)).collect();
        cells.sort_unstable();
        cells.dedup();
        let size = self.table.cell_size();
        for cell in cells {
            let min = Vec3::from_array(cell.map(|place| place as f64)) * size;
            let bounds = Aabb { min, max: min + size };
            if bounds.max.is_finite() && bounds.min.is_finite() {
                sink.draw_box(&bounds, Meaning::BroadPhase);
            }
        }
    }
}
