//! Root cell of an octree and the cells below it, on a lattice of planes.
//!
//! In: an origin and an edge in metres, and a depth; or the box of a mesh. Out: the coordinates of cells.
//! Method: the deepest cells have integer coordinates from 0 to 2^depth − 1. The plane k lies at origin + k·h, rounded
//! to `f64`, with h = edge / 2^depth.
//! Guarantees: planes ascend strictly, and neighbours share the same planes, so that cells tile the root. A root that
//! [`OctreeRoot::fit`] returns has an edge that is a power of two and planes without any rounding.

use super::OctreeError;
use crate::subdivision::are_lines_separate;
use heurt_geometry::{Aabb, Vec3};

/// The greatest depth: three coordinates of 21 bits fill 63 bits of a code.
pub const MAX_DEPTH: u8 = 21;

/// The root cell of an octree, with the depth to which cells are divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctreeRoot {
    origin: Vec3,
    edge: f64,
    depth: u8,
}

impl OctreeRoot {
    /// Creates the root cell with its least corner at `origin` and its edge in metres.
    ///
    /// # Errors
    /// A number that is not finite, an edge that is not positive, a depth above [`MAX_DEPTH`], or cells so small that
    /// `f64` cannot separate their planes.
    pub fn new(origin: Vec3, edge: f64, depth: u8) -> Result<Self, OctreeError> {
        if depth > MAX_DEPTH {
            return Err(OctreeError::Depth { depth });
        }
        if !origin.is_finite() || !edge.is_finite() || edge <= 0.0 || !(origin + edge).is_finite() {
            return Err(OctreeError::Root { origin, edge });
        }
        let root = Self { origin, edge, depth };
        let reach = origin.abs().max((origin + edge).abs()).max_element();
        if !are_lines_separate(root.cell_edge(), reach) {
            return Err(OctreeError::Resolution { cell: root.cell_edge(), reach, depth });
        }
        Ok(root)
    }

    /// Creates a root that holds `bounds`, with an edge that is a power of two metres and planes that are multiples of
    /// the edge of the deepest cells.
    ///
    /// # Errors
    /// As [`OctreeRoot::new`].
    pub fn fit(bounds: &Aabb, depth: u8) -> Result<Self, OctreeError> {
        if depth > MAX_DEPTH {
            return Err(OctreeError::Depth { depth });
        }
        let extent = (bounds.max - bounds.min).max_element();
        let mut edge = if extent > 0.0 { next_power_of_two(extent) } else { 1.0 };
        // The nearest plane is at most a quarter of an edge off, so an edge of twice the extent holds the box; 3 tries
        // reach four times the extent.
        for _ in 0..3 {
            let step = edge / f64::from(1u32 << depth.max(1));
            let origin = ((bounds.centre() - 0.5 * edge) / step).round() * step;
            if origin.cmple(bounds.min).all() && bounds.max.cmple(origin + edge).all() {
                return Self::new(origin, edge, depth);
            }
            edge *= 2.0;
        }
        // Only coordinates beyond the resolution of `f64` come here, which `new` refuses.
        Self::new(bounds.centre() - 0.5 * edge, edge, depth)
    }

    /// Returns the least corner.
    pub fn origin(&self) -> Vec3 {
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
    pub fn corner(&self, at: [u32; 3]) -> Vec3 {
        self.origin + Vec3::from(at.map(f64::from)) * self.cell_edge()
    }

    /// Returns the closed box of a cell.
    pub fn bounds(&self, cell: &OctreeCell) -> Aabb {
        let size = cell.size(self.depth);
        Aabb { min: self.corner(cell.min), max: self.corner(cell.min.map(|at| at + size)) }
    }
}

/// Returns the least power of two that is not below a positive number.
fn next_power_of_two(x: f64) -> f64 {
    let below = f64::from_bits(x.to_bits() & (0x7ff << 52));
    if below < x { 2.0 * below } else { below }
}

/// A cell of an octree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OctreeCell {
    /// The least corner in cells of the deepest level.
    pub min: [u32; 3],
    /// The level: 0 is the root.
    pub level: u8,
}

impl OctreeCell {
    /// Returns the edge in cells of the deepest level of an octree of that depth.
    pub fn size(&self, depth: u8) -> u32 {
        1 << depth.saturating_sub(self.level).min(MAX_DEPTH)
    }

    /// Returns the cell whose first deepest cell has this number in the order of the tree.
    pub(crate) fn at(position: u64, level: u8) -> Self {
        Self { min: [gather(position), gather(position >> 1), gather(position >> 2)], level }
    }

    /// Returns the number of the first deepest cell in the order of the tree.
    pub(crate) fn position(&self) -> u64 {
        let [x, y, z] = self.min.map(scatter);
        x | y << 1 | z << 2
    }
}

/// Returns every third bit of 63, from the lowest.
pub(crate) fn gather(position: u64) -> u32 {
    let mut x = position & 0x1249_2492_4924_9249;
    x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
    x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
    x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
    x = (x | x >> 16) & 0x001f_0000_0000_ffff;
    x = (x | x >> 32) & 0x001f_ffff;
    x as u32
}

/// Spreads 21 bits to every third of 63.
fn scatter(at: u32) -> u64 {
    let mut x = u64::from(at) & 0x001f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    x = (x | x << 2) & 0x1249_2492_4924_9249;
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_cells_are_inverse() {
        for at in [[0, 0, 0], [1, 2, 4], [0x1f_ffff, 0, 0x15_5555], [0x1f_ffff; 3], [123_456, 654_321, 2_000_000]] {
            let cell = OctreeCell { min: at, level: 21 };
            assert_eq!(OctreeCell::at(cell.position(), 21), cell);
        }
        assert_eq!(OctreeCell { min: [1, 0, 0], level: 1 }.position(), 1);
        assert_eq!(OctreeCell { min: [0, 0, 1], level: 1 }.position(), 4);
    }

    #[test]
    fn fitted_roots_hold_their_box_on_a_dyadic_lattice() {
        for (min, max) in [([-1.0; 3], [1.0; 3]), ([0.1, 0.2, 0.3], [0.9, 5.0, 0.4]), ([7.0; 3], [7.0; 3])] {
            let bounds = Aabb { min: min.into(), max: max.into() };
            for depth in 0..=MAX_DEPTH {
                let root = OctreeRoot::fit(&bounds, depth).unwrap();
                let outer = root.bounds(&OctreeCell { min: [0; 3], level: 0 });
                assert!(outer.contains(bounds.min) && outer.contains(bounds.max), "{root:?}");
                assert_eq!(root.edge().to_bits() & ((1 << 52) - 1), 0, "a power of two");
            }
        }
    }
}
