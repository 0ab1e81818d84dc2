//! Voxel grids: solids as sets of equal cells of a box.
//!
//! In: a box of cells, and a closed mesh, a rule or an octree. Out: sets of cells ([`BitGrid`]), or inner and outer
//! sets that enclose a solid ([`VoxelBounds`]); set operations, conversions.
//! Method: S3 slides 24 to 27 (exhaustive enumeration), with one bit per cell; see the modules.
//! Guarantees: decisions on meshes are exact on `f64` coordinates. Results do not depend on the number of threads.
//! Cost: one bit per cell, at most [`MAX_GRID_CELLS`] of them.

mod bit_grid;
mod bounds;
mod brick_octree;
mod bricks;
mod centres;
mod conservative;
mod corner_fans;
mod corner_words;
mod draw;
mod error;
mod measures;
mod moves;
mod octree;
mod slice;
mod space;
mod surface;
mod triangle_filter;

pub use bit_grid::{BitGrid, MAX_GRID_CELLS};
pub use bounds::VoxelBounds;
pub use bricks::BrickSet;
pub use error::VoxelError;
pub use measures::GridMeasures;
pub use space::{MAX_AXIS_CELLS, VoxelSpace};
