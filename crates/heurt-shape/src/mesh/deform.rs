//! Deformation of mesh shapes: updates trees and blocks to moved vertices, in time linear in all vertices or in the
//! moved vertices.

use crate::mesh::blocks::leaf_blocks::LeafBlocks;
use crate::mesh::blocks::leaf_corners::LeafCorners;
use crate::mesh::trees::mesh_tree::Triangles;
use crate::mesh::upkeep::NewTrees;
use crate::mesh::{UserTree, merges, uses_all};
use crate::{MeshShape, ShapeError, Solidity, TriBlock};
use heurt_bvh::{BvhError, check_boxes, check_point};
use heurt_geometry::{Aabb, Vec3, is_degenerate};
use heurt_mesh::{Topology, TriMesh, components_by_number};
use std::sync::{Arc, OnceLock};

/// If more than one vertex in this many has moved, a full refit is faster: it visits leaves in the order of memory, not
/// triangle by triangle (docs/deforming.md).
const FEW: usize = 12;
/// Maximum growth of boxes that are not refitted, as a share of the half extent that the root has with them.
const LOOSEST: f64 = 0.25;
/// Meshes of fewer triangles are always refitted whole.
const SMALL: usize = 4096;

impl MeshShape {
    /// Moves the vertices (in metres, as many as before) and refits tree and blocks in linear time. From then on pairs
    /// walk axis-aligned boxes, or the chosen tree, refitted. If triangles and the number of vertices are unchanged,
    /// [`MeshShape::deform`] is faster.
    ///
    /// # Errors
    /// [`ShapeError::Tree`] when the number of triangles changed or a coordinate is not finite,
    /// [`ShapeError::Collapsed`] when no triangle has an area; the shape is then as before.
    pub fn refit(&mut self, mesh: TriMesh) -> Result<(), ShapeError> {
        let moved = Triangles::from(&mesh);
        refuse_collapsed(&moved)?;
        self.tree.refit(&moved)?;
        self.grown = 0.0;
        move_chosen(&mut self.chosen, moved)?;
        self.leaf_corners = None;
        self.mesh = mesh;
        self.uses_all = uses_all(&self.mesh);
        self.bounds = self.mesh.bounds();
        self.faces = OnceLock::new();
        self.find_topology();
        self.follow_move();
        Ok(())
    }

    /// Moves the vertices in place, in metres, as many as before and in their order, and refits tree and blocks in
    /// linear time: intended for each step of a simulation. From then on pairs walk axis-aligned boxes, or the chosen
    /// tree, refitted.
    ///
    /// Closedness and components are computed again only if coincident vertices counted as one, since these may
    /// separate. Vertices that become coincident later stay distinct.
    ///
    /// # Errors
    /// [`ShapeError::VertexCount`] on another number of vertices, [`ShapeError::Tree`] when a coordinate is not finite
    /// or too large, [`ShapeError::Collapsed`] when no triangle has an area; the shape is then as before.
    pub fn deform(&mut self, vertices: &[Vec3]) -> Result<(), ShapeError> {
        let count = self.mesh.vertices().len();
        if vertices.len() != count {
            return Err(ShapeError::VertexCount { count, given: vertices.len() });
        }
        // The trees reject bad vertices before they change; after that nothing can fail.
        let moved = Triangles { vertices, triangles: self.mesh.triangles() };
        refuse_collapsed(&moved)?;
        let (_, bounds) = self.tree.move_points_bounded(&moved)?;
        move_chosen(&mut self.chosen, moved)?;
        self.mesh.move_vertices(vertices).expect("as many vertices as before, all finite");
        self.follow_whole_move(bounds);
        Ok(())
    }

    /// Reports whether [`MeshShape::deform`] refuses `vertices` (in metres, as many as there are, all finite) as
    /// collapsed: no triangle has an area with them.
    pub fn collapses(&self, vertices: &[Vec3]) -> bool {
        refuse_collapsed(&Triangles { vertices, triangles: self.mesh.triangles() }).is_err()
    }

    /// Performs [`MeshShape::deform`], but refits the tree only near the boxes `near` (in metres, in the frame of the
    /// mesh; [`MeshShape::cover`] returns those of another shape, from its pose in that frame). All other boxes grow by
    /// the deviation of the vertex displacements from the motion of the whole body, and after some steps all are
    /// refitted. This is faster for a body of which only a small part may touch anything. Every query has the same
    /// result as after [`MeshShape::deform`]; queries elsewhere are sometimes slower.
    ///
    /// # Errors
    /// As [`MeshShape::deform`]; [`ShapeError::Tree`] also for a box with a corner that is NaN; the shape is then as
    /// before.
    pub fn deform_near(&mut self, vertices: &[Vec3], near: &[Aabb]) -> Result<(), ShapeError> {
        check_boxes(near)?;
        let count = self.mesh.vertices().len();
        // The first time all vertices have to be read. Chosen trees and small trees are refitted whole: that costs less
        // than locating the moved vertices.
        if vertices.len() != count || !self.deforms || self.chosen.is_some() || self.mesh.triangles().len() < SMALL {
            return self.deform(vertices);
        }
        let moved = Triangles { vertices, triangles: self.mesh.triangles() };
        refuse_collapsed(&moved)?;
        let room = LOOSEST * self.tree.frame().half_extents().max_element() - self.grown;
        let done = self.tree.refit_near(&moved, self.mesh.vertices(), near, room)?;
        self.grown = if done.grown == 0.0 { 0.0 } else { self.grown + done.grown };
        self.mesh.move_vertices(vertices).expect("as many vertices as before, all finite");
        self.bounds = if self.uses_all { done.bounds } else { self.mesh.bounds() };
        self.find_topology_after_move();
        self.find_corners();
        self.follow_move();
        Ok(())
    }

    /// Moves a few vertices in place: vertex `moved[k]` to `places[k]`, in metres, and refits the volumes above them.
    /// For a repeated vertex the last position counts. Otherwise as [`MeshShape::deform`], in time proportional to the
    /// triangles of the moved vertices, except for a mesh of several components or with seams.
    ///
    /// # Errors
    /// [`ShapeError::VertexCount`] when there are not as many positions as vertices, [`ShapeError::NoVertex`] for a
    /// vertex out of range, [`ShapeError::Tree`] when a coordinate is not finite or too large,
    /// [`ShapeError::Collapsed`] when no triangle has an area; the shape is then as before.
    pub fn deform_moved(&mut self, moved: &[u32], places: &[Vec3]) -> Result<(), ShapeError> {
        let vertices = self.mesh.vertices();
        let count = vertices.len();
        if places.len() != moved.len() {
            return Err(ShapeError::VertexCount { count: moved.len(), given: places.len() });
        }
        if let Some(&vertex) = moved.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(ShapeError::NoVertex { vertex, count });
        }
        if moved.is_empty() {
            return Ok(());
        }
        for (&vertex, place) in moved.iter().zip(places) {
            check_point(*place, vertex as usize)?;
        }
        let before: Vec<Vec3> = moved.iter().map(|&vertex| vertices[vertex as usize]).collect();
        let are_few = moved.len() <= count / FEW;
        let faces = are_few.then(|| self.faces.get_or_init(|| VertexFaces::of(&self.mesh)));
        let triangles: Option<Vec<u32>> =
            faces.map(|faces| moved.iter().flat_map(|&vertex| faces.of_vertex(vertex)).copied().collect());
        self.mesh.move_some_vertices(moved, places).expect("vertices that are there, to finite places");
        let fitted = refuse_collapsed(&Triangles::from(&self.mesh)).and_then(|()| match &triangles {
            Some(triangles) => Ok(self.refit_above(triangles).map(|()| None)?),
            None => Ok(self.refit_whole().map(Some)?),
        });
        match fitted {
            Ok(None) => {}
            Ok(Some(bounds)) => {
                self.follow_whole_move(bounds);
                return Ok(());
            }
            Err(error) => {
                self.mesh.move_some_vertices(moved, &before).expect("where they were");
                return Err(error);
            }
        }
        let was_on_bounds = |point: &Vec3| {
            let sides = [self.bounds.min, self.bounds.max];
            sides.iter().any(|side| (0..3).any(|k| side[k] == point[k]))
        };
        self.bounds = if self.uses_all && !before.iter().any(was_on_bounds) {
            let places = moved.iter().map(|&vertex| self.mesh.vertices()[vertex as usize]);
            places.fold(self.bounds, Aabb::grown_to)
        } else {
            self.mesh.bounds()
        };
        self.find_topology_after_move();
        self.follow_with_volumes();
        Ok(())
    }

    /// Refits the trees to the mesh, and returns the box of its vertices; an error comes before any change.
    fn refit_whole(&mut self) -> Result<Aabb, BvhError> {
        let source = Triangles::from(&self.mesh);
        let (_, bounds) = self.tree.move_points_bounded(&source)?;
        move_chosen(&mut self.chosen, source)?;
        Ok(bounds)
    }

    /// Refits the trees above `triangles`, and their blocks; an error comes before any change.
    fn refit_above(&mut self, triangles: &[u32]) -> Result<(), BvhError> {
        let source = Triangles::from(&self.mesh);
        let frame = *self.tree.frame();
        self.tree.refit_moved(&source, triangles)?;
        if let Some(blocks) = self.blocks.get_mut() {
            TriBlock::refill_above(blocks, &mut self.tree, &frame, source, triangles);
        }
        if let Some(chosen) = &mut self.chosen {
            Arc::make_mut(&mut chosen.tree).move_some(source, triangles)?;
        }
        let mut single = std::mem::take(&mut self.leaf_blocks);
        if self.tree.frame().is_as_placed(&frame) {
            for leaf in self.tree.leaves_of(triangles) {
                if let Some(block) = single.get_mut(leaf.ordinal) {
                    self.fill_block(leaf, block);
                }
            }
            self.leaf_blocks = single;
        }
        Ok(())
    }

    /// Returns the looseness of the axis-aligned tree: the surfaces of its volumes over the surface of the mesh, both
    /// sides counted. It grows under deformations that degrade the tree, and hardly changes under rotation, bending or
    /// scaling of the mesh. Infinite or `NaN` for a mesh without area.
    pub fn looseness(&self) -> f64 {
        let unit = self.tree.frame().scale();
        let doubled = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|vertex| self.mesh.vertices()[vertex as usize]);
            ((b - a) / unit).cross((c - a) / unit).length()
        };
        self.tree.surface() * 2.0 / self.mesh.triangles().iter().map(doubled).sum::<f64>()
    }

    /// Rotates the nodes of the axis-aligned tree; see [`heurt_bvh::Bvh::rotate`]. Leaves stay as they are.
    pub fn rotate(&mut self) -> usize {
        self.tree.rotate()
    }

    /// Replaces the trees by others over the same triangles, refitted to their present positions.
    pub(crate) fn adopt(&mut self, trees: NewTrees) -> Result<(), BvhError> {
        let NewTrees { mut aligned, mut chosen } = trees;
        let moved = Triangles::from(&self.mesh);
        aligned.refit(&moved)?;
        move_chosen(&mut chosen, moved)?;
        (self.tree, self.chosen) = (aligned, chosen);
        self.grown = 0.0;
        (self.blocks, self.vertex_blocks) = (OnceLock::new(), OnceLock::new());
        (self.leaf_blocks, self.leaf_corners) = (LeafBlocks::default(), None);
        Ok(())
    }

    /// Computes the whole topology.
    fn find_topology(&mut self) {
        let topology = Topology::new(&self.mesh);
        (self.closed, self.components) = (topology.is_closed(), topology.components());
        self.merges = merges(&topology);
        if self.solidity == Solidity::Solid && !self.closed {
            self.solidity = Solidity::Surface;
        }
        (self.vertex_blocks, self.stars) = (OnceLock::new(), OnceLock::new());
    }

    /// Updates the topology for unchanged triangles: mostly nothing.
    fn find_topology_after_move(&mut self) {
        if self.merges {
            return self.find_topology();
        }
        match self.components.as_mut_slice() {
            [only] => only.bounds = self.bounds,
            // Vertices that became coincident stay distinct: the components are unchanged.
            _ => self.components = components_by_number(&self.mesh),
        }
    }

    /// Updates the derived data after a move of trees and mesh as a whole; `bounds` is the box of all vertices.
    fn follow_whole_move(&mut self, bounds: Aabb) {
        self.grown = 0.0;
        self.bounds = if self.uses_all { bounds } else { self.mesh.bounds() };
        self.find_topology_after_move();
        self.find_corners();
        self.follow_move();
    }

    /// Computes the corners of leaves for a mesh whose vertices move in place, so that no query has to.
    fn find_corners(&mut self) {
        if self.leaf_corners.is_none() {
            self.leaf_corners = LeafCorners::new(&self.tree, (&self.mesh).into());
        }
    }

    /// Updates the blocks after a move, if they were requested after the first move: they will probably be requested
    /// again.
    fn follow_move(&mut self) {
        let whole = self.blocks.take().filter(|_| self.deforms);
        let mut single = std::mem::take(&mut self.leaf_blocks);
        match whole {
            Some(mut blocks) => {
                self.tree.for_each_leaf(|leaf| self.fill_block(leaf, &mut blocks[leaf.ordinal as usize]));
                self.blocks = OnceLock::from(blocks);
            }
            None => {
                single.follow(|ordinal, block| self.fill_listed(ordinal, block));
                self.leaf_blocks = single;
            }
        }
        self.follow_with_volumes();
    }

    /// Discards the data that does not follow a move: all volumes except axis-aligned boxes and those of the chosen
    /// tree.
    fn follow_with_volumes(&mut self) {
        (self.oriented, self.polytopes) = (OnceLock::new(), OnceLock::new());
        (self.pieces, self.inverted) = (OnceLock::new(), OnceLock::new());
        (self.windings, self.boundary, self.hull) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        self.deforms = true;
    }
}

/// The triangles of each vertex.
#[derive(Debug, Clone)]
pub(crate) struct VertexFaces {
    /// Start of the triangles of each vertex, and a last entry for the end.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl VertexFaces {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.faces.as_slice())
    }

    fn of(mesh: &TriMesh) -> Self {
        let mut starts = vec![0u32; mesh.vertices().len() + 1];
        let corners = || mesh.triangles().iter().enumerate().flat_map(|(face, corners)| corners.map(|v| (face, v)));
        corners().for_each(|(_, vertex)| starts[vertex as usize] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Filled from behind, so each entry of `starts` ends at its start.
        let mut faces = vec![0; end as usize];
        for (face, vertex) in corners() {
            starts[vertex as usize] -= 1;
            faces[starts[vertex as usize] as usize] = face as u32;
        }
        Self { starts, faces }
    }

    /// Returns the triangles of a vertex; a triangle with two corners there occurs twice.
    fn of_vertex(&self, vertex: u32) -> &[u32] {
        let at = vertex as usize;
        &self.faces[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Rejects a mesh without any triangle of nonzero area: it has collapsed to a line or a point, and has no surface.
/// Single triangles may be degenerate.
fn refuse_collapsed(moved: &Triangles<'_>) -> Result<(), ShapeError> {
    let is_flat = |corners: &[u32; 3]| {
        let corners = corners.map(|vertex| moved.vertices[vertex as usize]);
        // The trees reject coordinates that are not finite.
        corners.iter().all(|corner| corner.is_finite()) && is_degenerate(&corners)
    };
    // Mostly the first triangle decides.
    if moved.triangles.iter().all(is_flat) { Err(ShapeError::Collapsed) } else { Ok(()) }
}

/// Fits the chosen tree to moved vertices, or leaves it unchanged: it accepts all vertices that the shape's own tree
/// accepts.
fn move_chosen(chosen: &mut Option<UserTree>, moved: Triangles<'_>) -> Result<(), BvhError> {
    match chosen {
        Some(chosen) => Arc::make_mut(&mut chosen.tree).move_to(moved),
        None => Ok(()),
    }
}
