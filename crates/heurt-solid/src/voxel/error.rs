//! Errors of voxel grids: of boxes and meshes, of set operations, of conversions, of moves.

use super::{MAX_AXIS_CELLS, MAX_GRID_CELLS, VoxelSpace};
use crate::octree::{NodeLimit, OctreeError};
use crate::quadtree::QuadtreeError;
use heurt_geometry::Vec3;
use heurt_mesh::MeshError;
use thiserror::Error;

/// Errors of voxel grids.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// The box has no cells, or too many along an axis.
    #[error("the box has {} × {} × {} cells: choose 1 to {MAX_AXIS_CELLS} along each axis", counts[0], counts[1], counts[2])]
    Counts {
        /// The numbers of cells.
        counts: [u32; 3],
    },
    /// The box has no finite size.
    #[error("the box at {origin} has cells of {cell} m: give finite numbers, and an edge above 0")]
    Space {
        /// The least corner.
        origin: Vec3,
        /// The edge of a cell in metres.
        cell: f64,
    },
    /// The cells are smaller than coordinates resolve.
    #[error(
        "cells of {cell} m cannot be separated at coordinates up to {max_coordinate} m: choose larger cells, or move the solid to the origin"
    )]
    Resolution {
        /// The edge of a cell in metres.
        cell: f64,
        /// The largest coordinate of the box.
        max_coordinate: f64,
    },
    /// A dense grid would take more memory than allowed.
    #[error(
        "the grid has {cells} cells with rows padded to words of 64, more than {MAX_GRID_CELLS}: choose larger cells, or sparse bricks"
    )]
    TooManyCells {
        /// The number of cells, rows padded to words.
        cells: u64,
    },
    /// The box has no such layer.
    #[error("there is no layer {layer}: the box has {count}, counted from 0")]
    Layer {
        /// The layer.
        layer: u32,
        /// The number of layers.
        count: u32,
    },
    /// A layer has no quadtree.
    #[error(transparent)]
    Quadtree(#[from] QuadtreeError),
    /// The mesh is open, so that no point is inside.
    #[error("the mesh of {triangles} triangles is not closed, so it has no inside: close it with `heurt repair`")]
    OpenMesh {
        /// The number of its triangles.
        triangles: usize,
    },
    /// The cells of two grids differ.
    #[error(
        "the boxes differ: {:?} cells of {} m at {}, and {:?} cells of {} m at {}: build both grids over one box",
        a.counts(), a.cell_edge(), a.origin(), b.counts(), b.cell_edge(), b.origin()
    )]
    SpacesDiffer {
        /// The box of the first grid.
        a: VoxelSpace,
        /// The box of the second grid.
        b: VoxelSpace,
    },
    /// Bounds of a solid whose inner grid is not contained in the outer one.
    #[error("{cells} cells are inner and not outer cells: give an outer grid that contains the inner one")]
    BoundsCross {
        /// The number of such cells.
        cells: u64,
    },
    /// The solid would leave its box.
    #[error(
        "a shift by {shift:?} cells takes the cells {min:?} to {max:?} out of the box of {counts:?} cells: build the grid over a larger box"
    )]
    LeavesSpace {
        /// The shift in cells.
        shift: [i32; 3],
        /// The least corner of the full cells.
        min: [u32; 3],
        /// The greatest corner of the full cells.
        max: [u32; 3],
        /// The numbers of cells of the box.
        counts: [u32; 3],
    },
    /// The grid has no boundary.
    #[error("the grid has no full cell, so its boundary has no face: a mesh needs at least one")]
    NoFaces,
    /// The octree over the box is refused.
    #[error(transparent)]
    Octree(#[from] OctreeError),
    /// The boundary is no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl From<NodeLimit> for VoxelError {
    fn from(limit: NodeLimit) -> Self {
        Self::Octree(limit.into())
    }
}
