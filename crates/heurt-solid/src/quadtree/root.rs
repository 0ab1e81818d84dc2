//! Root cell of a quadtree and the cells below it, on a lattice of lines.
//!
//! In: an origin and an edge in metres, and a depth; or points. Out: the coordinates of cells.
//! Method: the deepest cells have integer coordinates from 0 to 2^depth − 1. The line k lies at origin + k·h, rounded
//! to `f64`, with h = edge / 2^depth.
//! Guarantees: lines ascend strictly, and neighbours share them, so that cells tile the root.

use super::QuadtreeError;
use crate::octree::{MAX_DEPTH, OctreeError, OctreeRoot};
use crate::subdivision::are_lines_separate;
use heurt_geometry::{Aabb, Vec2, Vec3};

/// The greatest depth: two coordinates of 31 bits fill 62 bits of a code.
pub const MAX_QUADTREE_DEPTH: u8 = 31;

/// The root cell of a quadtree, with the depth to which cells are divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadtreeRoot {
    origin: Vec2,
    edge: f64,
    depth: u8,
}

impl QuadtreeRoot {
    /// Creates the root cell with its least corner at `origin` and its edge in metres.
    ///
    /// # Errors
    /// A number that is not finite, an edge that is not positive, a depth above [`MAX_QUADTREE_DEPTH`], or cells so
    /// small that `f64` cannot separate their lines.
    pub fn new(origin: Vec2, edge: f64, depth: u8) -> Result<Self, QuadtreeError> {
        if depth > MAX_QUADTREE_DEPTH {
            return Err(QuadtreeError::Depth { depth });
        }
        if !origin.is_finite() || !edge.is_finite() || edge <= 0.0 || !(origin + edge).is_finite() {
            return Err(QuadtreeError::Root { origin, edge });
        }
        let root = Self { origin, edge, depth };
        let max_coordinate = origin.abs().max((origin + edge).abs()).max_element();
        if !are_lines_separate(root.cell_edge(), max_coordinate) {
            return Err(QuadtreeError::Resolution { cell: root.cell_edge(), max_coordinate, depth });
        }
        Ok(root)
    }

    /// Creates a root that holds finite points, with an edge that is a power of two metres and lines that are multiples
    /// of the edge of the deepest cells.
    ///
    /// # Errors
    /// As [`QuadtreeRoot::new`].
    pub fn fit(points: impl IntoIterator<Item = Vec2>, depth: u8) -> Result<Self, QuadtreeError> {
        let bounds = Aabb::from_points(points.into_iter().map(|point| Vec3::new(point.x, point.y, point.y)));
        let bounds = if bounds.is_empty() { Aabb::from_points([Vec3::ZERO]) } else { bounds };
        // The rule of octrees: its choice of edge and origin depends on the extent and the depth only.
        let root = OctreeRoot::fit(&bounds, depth.min(MAX_DEPTH)).map_err(|error| match error {
            OctreeError::Resolution { cell, reach, .. } => {
                QuadtreeError::Resolution { cell, max_coordinate: reach, depth }
            }
            OctreeError::Root { origin, edge } => QuadtreeError::Root { origin: Vec2::new(origin.x, origin.y), edge },
            _ => QuadtreeError::Depth { depth },
        })?;
        Self::new(Vec2::new(root.origin().x, root.origin().y), root.edge(), depth)
    }

    /// Returns the least corner.
    pub fn origin(&self) -> Vec2 {
        self.origin
    }

    /// Returns the edge in metres.
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Returns the level of the deepest cells; the root has level 0.
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// Returns the edge of the deepest cells in metres.
    pub fn cell_edge(&self) -> f64 {
        self.edge / f64::from(1u32 << self.depth)
    }

    /// Returns the corner of the lattice with these coordinates, each at most 2^depth.
    pub fn corner(&self, at: [u32; 2]) -> Vec2 {
        self.origin + Vec2::from(at.map(f64::from)) * self.cell_edge()
    }

    /// Returns the least and the greatest corner of a cell.
    pub fn bounds(&self, cell: &QuadtreeCell) -> [Vec2; 2] {
        let size = 1 << (self.depth - cell.level.min(self.depth));
        [self.corner(cell.min), self.corner(cell.min.map(|at| at + size))]
    }
}

/// A cell of a quadtree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuadtreeCell {
    /// The least corner in cells of the deepest level.
    pub min: [u32; 2],
    /// The level: 0 is the root.
    pub level: u8,
}

impl QuadtreeCell {
    /// Returns the edge in cells of the deepest level of a quadtree of that depth.
    pub fn size(&self, depth: u8) -> u32 {
        1 << depth.saturating_sub(self.level).min(MAX_QUADTREE_DEPTH)
    }

    /// Returns the cell whose first deepest cell has this number in the order of the tree.
    pub(super) fn at(position: u64, level: u8) -> Self {
        Self { min: [gather(position), gather(position >> 1)], level }
    }

    /// Returns the number of the first deepest cell in the order of the tree.
    pub(super) fn position(&self) -> u64 {
        let [x, y] = self.min.map(scatter);
        x | y << 1
    }
}

/// Returns every second bit of 64, from the lowest.
fn gather(position: u64) -> u32 {
    let mut x = position & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0f0f_0f0f_0f0f_0f0f),
        (4, 0x00ff_00ff_00ff_00ff),
        (8, 0x0000_ffff_0000_ffff),
        (16, 0x0000_0000_ffff_ffff),
    ] {
        x = (x | x >> shift) & mask;
    }
    x as u32
}

/// Spreads 32 bits to every second of 64.
fn scatter(at: u32) -> u64 {
    let mut x = u64::from(at);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_cells_are_inverse() {
        for at in [[0, 0], [1, 2], [0x7fff_ffff, 0], [0x7fff_ffff; 2], [0x1234_5678, 0x0765_4321]] {
            let cell = QuadtreeCell { min: at, level: 31 };
            assert_eq!(QuadtreeCell::at(cell.position(), 31), cell);
        }
        assert_eq!(QuadtreeCell { min: [1, 0], level: 1 }.position(), 1);
        assert_eq!(QuadtreeCell { min: [0, 1], level: 1 }.position(), 2);
    }
}
