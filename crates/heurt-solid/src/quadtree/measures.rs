//! Measures of a quadtree: area between bounds, perimeter, numbers of nodes, corners where cells alternate.
//!
//! In: a quadtree. Out: whole numbers of deepest cells, and the same in metres.
//! Method: one pass over the leaves for area and nodes; the boundary by dual traversal (`boundary`).
//! Guarantees: whole numbers are exact. Metres are these numbers times powers of the edge of the deepest cells, and
//! rounded.
//! Cost: O(n · depth) for n nodes at most.

use super::Quadtree;
use super::boundary::count_outline;
use crate::subdivision::level_count::{LevelCount, NodeCounts, count_nodes};

/// Measures of a quadtree.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadtreeMeasures {
    /// The area in deepest cells of the full cells.
    pub full_cells: u64,
    /// The number of mixed leaves, which are deepest cells.
    pub mixed_cells: u64,
    /// The area in m² of the full cells, and of the full and mixed cells: bounds of the area of the figure.
    pub area: [f64; 2],
    /// The number of edges of deepest cells between full cells and cells that are not full.
    pub boundary_edges: u64,
    /// The length in metres of these edges. It is not the perimeter of the figure that was enumerated: a disc of radius
    /// r has the steps of its cells, 8r.
    pub perimeter: f64,
    /// The number of corners around which full cells and cells that are not full alternate.
    pub alternating_corners: u64,
    /// The numbers of nodes per level, from the root down to the deepest.
    pub levels: Vec<LevelCount>,
}

impl Quadtree {
    /// Computes the measures.
    ///
    /// ```
    /// use heurt_solid::{Quadtree, QuadtreeRoot};
    /// let root = QuadtreeRoot::new([0.0; 2].into(), 2.0, 1)?;
    /// let measures = Quadtree::from_depth_first_code(root, "(RVVR")?.measures();
    /// assert_eq!((measures.area, measures.perimeter, measures.alternating_corners), ([2.0; 2], 8.0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measures(&self) -> QuadtreeMeasures {
        let NodeCounts { levels, full_cells, mixed_cells } = count_nodes::<2>(&self.nodes, self.root.depth());
        let (edge, outline) = (self.root.cell_edge(), count_outline(self));
        QuadtreeMeasures {
            full_cells,
            mixed_cells,
            area: [full_cells, full_cells + mixed_cells].map(|cells| cells as f64 * edge * edge),
            boundary_edges: outline.edges,
            perimeter: outline.edges as f64 * edge,
            alternating_corners: outline.alternating_corners,
            levels,
        }
    }
}
