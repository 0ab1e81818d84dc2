//! Measures of an octree: volume between bounds, area, numbers of nodes, edges that are not manifold.
//!
//! In: an octree. Out: whole numbers of deepest cells, and the same in metres.
//! Method: one pass over the leaves for volumes and nodes; the boundary by dual traversal (`boundary`).
//! Guarantees: whole numbers are exact. Metres are these numbers times powers of the edge of the deepest cells, and
//! rounded.
//! Cost: O(n) for n nodes.

use super::Octree;
use super::boundary::count_boundary;
use crate::subdivision::level_count::{LevelCount, NodeCounts, count_nodes};

/// Measures of an octree.
#[derive(Debug, Clone, PartialEq)]
pub struct OctreeMeasures {
    /// The volume in deepest cells of the full cells.
    pub full_cells: u64,
    /// The number of mixed leaves, which are deepest cells.
    pub mixed_cells: u64,
    /// The volume in m³ of the full cells, and of the full and mixed cells: bounds of the volume of the solid.
    pub volume: [f64; 2],
    /// The number of faces of deepest cells between full cells and cells that are not full.
    pub surface_faces: u64,
    /// The area in m² of these faces. It is not the area of the solid that was enumerated: a ball has the faces of its
    /// steps.
    pub surface: f64,
    /// The number of edges of deepest cells around which full cells and cells that are not full alternate.
    pub alternating_edges: u64,
    /// The numbers of nodes per level, from the root down to the deepest.
    pub levels: Vec<LevelCount>,
}

impl OctreeMeasures {
    /// Returns the numbers of nodes of all levels together.
    pub fn nodes(&self) -> LevelCount {
        LevelCount::sum(&self.levels)
    }

    /// Reports whether the boundary of the full cells has an edge that four faces share.
    pub fn has_non_manifold_edge(&self) -> bool {
        self.alternating_edges > 0
    }
}

impl Octree {
    /// Computes the measures.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 2.0, 1)?;
    /// let measures = Octree::from_depth_first_code(root, "(RVVRVVVV")?.measures();
    /// assert_eq!((measures.volume, measures.surface), ([2.0, 2.0], 12.0));
    /// assert!(measures.has_non_manifold_edge(), "the cells share an edge");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measures(&self) -> OctreeMeasures {
        let NodeCounts { levels, full_cells, mixed_cells } = count_nodes::<3>(&self.nodes, self.root.depth());
        let (edge, boundary) = (self.root.cell_edge(), count_boundary(self));
        let volume = |cells: u64| cells as f64 * edge * edge * edge;
        OctreeMeasures {
            full_cells,
            mixed_cells,
            volume: [volume(full_cells), volume(full_cells + mixed_cells)],
            surface_faces: boundary.faces,
            surface: boundary.faces as f64 * edge * edge,
            alternating_edges: boundary.alternating_edges,
            levels,
        }
    }
}
