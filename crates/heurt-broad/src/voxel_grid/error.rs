//! Errors of voxel grids.

use heurt_geometry::{Aabb, Vec3};
use thiserror::Error;

/// Reason why a grid cannot be made, or faces are rejected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelGridError {
    /// Bounds that are empty or infinite.
    #[error("the bounds run from {} to {}: give finite ones, least corner first", bounds.min, bounds.max)]
    BadBounds {
        /// The given bounds.
        bounds: Aabb,
    },
    /// A voxel size that is not a positive length, or is so small that its inverse is not finite.
    #[error("the voxel size is {voxel_size:e}: give a positive length in metres")]
    BadVoxelSize {
        /// The given voxel size.
        voxel_size: f64,
    },
    /// The grid would be too large.
    #[error("{count:e} voxels are more than {max}: give smaller bounds or voxels of {least_size:e} m")]
    TooManyVoxels {
        /// Number of voxels it would have.
        count: f64,
        /// Maximum number of voxels.
        max: usize,
        /// A voxel size, in metres, that is legal within these bounds.
        least_size: f64,
    },
    /// A margin is negative, NaN or infinite.
    #[error("the margin of object {object} is {margin}: give a finite length, 0 or more")]
    BadMargin {
        /// The object.
        object: u32,
        /// The given margin.
        margin: f64,
    },
    /// A corner is NaN or infinite.
    #[error("face {face} of object {object} has a corner at {position}: give finite numbers")]
    NotFinite {
        /// The object.
        object: u32,
        /// The face.
        face: usize,
        /// The corner.
        position: Vec3,
    },
    /// More faces than can be counted.
    #[error("object {object} brings the grid to more than {max} faces: split the scene")]
    TooManyFaces {
        /// The object that was being added.
        object: u32,
        /// Maximum number of faces.
        max: usize,
    },
    /// The lists would be too long.
    #[error("face {face} of object {object} brings the lists to more than {max} entries: give larger voxels")]
    TooManyEntries {
        /// The object that was being added.
        object: u32,
        /// The face.
        face: usize,
        /// Maximum number of entries.
        max: usize,
    },
}
