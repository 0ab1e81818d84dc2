//! Octree of a closed triangle mesh.
//!
//! In: a closed mesh and a root or a depth. Out: its octree, with mixed leaves along the boundary.
//! Method: top down in pre-order. A cell keeps the triangles of its parent that meet the closed cell, by an exact test.
//! A cell that no triangle meets lies on one side of the boundary, and the winding number of its least corner decides:
//! inside is a winding number other than 0. Slide 46 of S3 tests edges of the cube only and so misses a boundary that
//! enters through a face; triangles against the closed cell leave no such gap.
//! Guarantees: exact on the `f64` vertices and the lattice of the root. The solid contains the full cells and is
//! contained in the full and mixed cells, up to the planes between them.
//! Cost: one exact test per visited cell and triangle of its parent, and O(log n) per cell that no triangle meets, for
//! n triangles; 4 bytes per triangle of the open cells, at most n per level.

use super::{Node, Octree, OctreeCell, OctreeError, OctreeRoot, triangle_meets_box};
use crate::subdivision::builder::{LEVELS, PreOrderBuilder};
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_query::{Location, winding_number};
use heurt_shape::MeshShape;

impl Octree {
    /// Builds the octree of a closed mesh over the root that [`OctreeRoot::fit`] returns for its box.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_solid::Octree;
    /// let ball = Octree::of_mesh(&generate::icosphere(1.0, 3)?, 6)?;
    /// let [least, most] = ball.measures().volume;
    /// assert!(least < 4.15 && 4.15 < most, "the polyhedron has some 4.15 m³, a ball 4.19");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An open mesh, a depth out of range, too small cells, or too many nodes.
    pub fn of_mesh(mesh: &TriMesh, depth: u8) -> Result<Self, OctreeError> {
        Self::of_mesh_within(mesh, OctreeRoot::fit(&mesh.bounds(), depth)?)
    }

    /// Builds the octree of the solid within a given root; what lies outside the root is cut off.
    ///
    /// # Errors
    /// An open mesh, or too many nodes.
    pub fn of_mesh_within(mesh: &TriMesh, root: OctreeRoot) -> Result<Self, OctreeError> {
        let shape = MeshShape::new(mesh.clone())?;
        if !shape.is_closed() {
            return Err(OctreeError::OpenMesh { triangles: mesh.triangles().len() });
        }
        let mut builder = PreOrderBuilder::<3>::new(root.depth());
        // The triangles of the open branches, from the root down, and for each level the range of its children.
        let mut lists: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
        let mut parent = [(0, 0); LEVELS];
        parent[0] = (0, lists.len());
        while let Some((position, level)) = builder.next_cell() {
            let cell = OctreeCell::at(position, level);
            let bounds = root.bounds(&cell);
            let (start, end) = parent[usize::from(cell.level)];
            lists.truncate(end);
            for number in start..end {
                let triangle = lists[number];
                if triangle_meets_box(&mesh.corners(triangle), &bounds) {
                    lists.push(triangle);
                    if cell.level == root.depth() {
                        break; // One is enough where nothing is divided.
                    }
                }
            }
            if lists.len() == end {
                let location = winding_number(&shape, &Pose::IDENTITY, bounds.min);
                let is_outside = location == Location::Winding(0);
                builder.push_leaf(if is_outside { Node::Empty } else { Node::Full });
            } else if cell.level == root.depth() {
                builder.push_leaf(Node::MixedLeaf);
            } else {
                parent[usize::from(cell.level) + 1] = (end, lists.len());
                builder.open_branch()?;
            }
        }
        Ok(Self { root, nodes: builder.finish() })
    }
}
