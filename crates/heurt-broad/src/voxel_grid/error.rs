//! What a voxel grid refuses.

use heurt_geometry::{Aabb, Vec3};
use thiserror::Error;

/// Why a grid cannot be made, or faces not be added.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelGridError {
    /// The environment holds no point, or has no end.
    #[error("the bounds run from {} to {}: give finite ones, least corner first", bounds.min, bounds.max)]
    BadBounds {
        /// What was given.
        bounds: Aabb,
    },
    /// The voxel size is no length, or so small that its inverse is none.
    #[error("the voxel size is {voxel_size:e}: give a positive length in metres")]
    BadVoxelSize {
        /// What was given.
        voxel_size: f64,
    },
    /// The grid would be too large.
    #[error("{count:e} voxels are more than {max}: give smaller bounds or voxels of {least_size:e} m")]
    TooManyVoxels {
        /// How many it would have.
        count: f64,
        /// How many it may have.
        max: usize,
        /// A voxel size, in metres, that is legal within these bounds.
        least_size: f64,
    },
    /// A margin is negative, NaN or infinite.
    #[error("the margin of object {object} is {margin}: give a finite length, 0 or more")]
    BadMargin {
        /// The object.
        object: u32,
        /// What was given.
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
    /// More faces than are counted.
    #[error("object {object} brings the grid to more than {max} faces: split the scene")]
    TooManyFaces {
        /// The object that was being added.
        object: u32,
        /// How many the grid takes.
        max: usize,
    },
    /// The lists would be too long.
    #[error("face {face} of object {object} brings the lists to more than {max} entries: give larger voxels")]
    TooManyEntries {
        /// The object that was being added.
        object: u32,
        /// The face.
        face: usize,
        /// How many entries the grid takes.
        max: usize,
    },
}
