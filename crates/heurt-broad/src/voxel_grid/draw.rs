//! Drawing of a voxel grid: the voxels that list faces.
//!
//! In: a grid. Out: boxes with [`Meaning::BroadPhase`] in the world, in metres: voxels of static faces by number, then
//! those of the moving faces of this step that list no static face.
//! Cost: O(entries · log entries).

use super::VoxelGrid;
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning};

impl Draw for VoxelGrid {
    /// Draws each voxel that lists a face, once. Faces that are in no voxel are left out.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let sorted = |cells: &[u32]| {
            let mut cells = cells.to_vec();
            cells.sort_unstable();
            cells.dedup();
            cells
        };
        let fixed = sorted(&self.fixed.cells);
        let moving = sorted(&self.moving.cells);
        let new = moving.iter().filter(|cell| fixed.binary_search(cell).is_err());
        for &cell in fixed.iter().chain(new) {
            let [min, max] = self.space.corners(cell);
            sink.draw_box(&Aabb { min, max }, Meaning::BroadPhase);
        }
    }
}
