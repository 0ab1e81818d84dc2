//! Drawing of a quadtree at a level, in the plane z = 0.
//!
//! In: a quadtree and a level. Out: a flat box per cell that is not empty, down to the level, with [`Meaning::Volume`]
//! and the level of the cell.
//! Guarantees: boxes come in the order of the tree and do not overlap. Branches of the level are drawn as one box.
//! Cost: O(n).

use super::{Quadtree, QuadtreeCell};
use crate::subdivision::Node;
use crate::subdivision::leaves::PreOrderLeaves;
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning};

/// The cells of a quadtree down to a level.
#[derive(Debug, Clone, Copy)]
pub struct QuadtreeLevel<'a> {
    /// The quadtree.
    pub quadtree: &'a Quadtree,
    /// The level; a level below the depth draws all leaves.
    pub level: u8,
}

impl Draw for QuadtreeLevel<'_> {
    /// Draws the cells that are not empty.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let root = self.quadtree.root();
        for (position, level, node) in PreOrderLeaves::<2>::to_level(self.quadtree.nodes(), root.depth(), self.level) {
            if node != Node::Empty {
                let [min, max] = root.bounds(&QuadtreeCell::at(position, level)).map(|corner| corner.extend(0.0));
                sink.draw_box(&Aabb { min, max }, Meaning::Volume(u32::from(level)));
            }
        }
    }
}
