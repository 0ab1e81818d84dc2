//! Drawing of an octree at a level.
//!
//! In: an octree and a level. Out: a box per cell that is not empty, down to the level, with [`Meaning::Volume`] and
//! the level of the cell.
//! Guarantees: boxes come in the order of the tree and do not overlap. Branches of the level are drawn as one box.
//! Cost: O(n).

use super::{Node, Octree, OctreeCell};
use crate::subdivision::leaves::PreOrderLeaves;
use heurt_geometry::{Draw, DrawSink, Meaning};

/// The cells of an octree down to a level.
#[derive(Debug, Clone, Copy)]
pub struct OctreeLevel<'a> {
    /// The octree.
    pub octree: &'a Octree,
    /// The level; a level below the depth draws all leaves.
    pub level: u8,
}

impl OctreeLevel<'_> {
    /// Returns the cells that are not empty: leaves down to the level, and branches of the level.
    ///
    /// ```
    /// use heurt_solid::{Node, Octree, OctreeLevel, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 4.0, 2)?;
    /// let octree = Octree::from_depth_first_code(root, "(RVVV(RVVVVVVRVVV")?;
    /// let nodes = |level| OctreeLevel { octree: &octree, level }.cells().map(|(_, node)| node).collect::<Vec<_>>();
    /// assert_eq!(nodes(0), [Node::Branch]);
    /// assert_eq!(nodes(1), [Node::Full, Node::Branch]);
    /// assert_eq!(nodes(2), [Node::Full; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells(&self) -> impl Iterator<Item = (OctreeCell, Node)> + '_ {
        let cells = PreOrderLeaves::<3>::to_level(self.octree.nodes(), self.octree.root().depth(), self.level);
        let occupied = cells.filter(|&(.., node)| node != Node::Empty);
        occupied.map(|(position, level, node)| (OctreeCell::at(position, level), node))
    }
}

impl Draw for OctreeLevel<'_> {
    /// Draws the cells that are not empty.
    fn draw(&self, sink: &mut dyn DrawSink) {
        for (cell, _) in self.cells() {
            sink.draw_box(&self.octree.root().bounds(&cell), Meaning::Volume(u32::from(cell.level)));
        }
    }
}
