//! Map from metres to voxels.
//!
//! In: points. Out: coordinates in which voxels are unit cubes, and the voxel of a point, clamped to the border for
//! points outside.
//! Guarantees: the map of each axis is monotone, rounding included, so that a point between two others never lands in a
//! voxel outside theirs. No coordinate becomes NaN; distant ones may become infinite.

use super::VoxelGridError;
use heurt_geometry::{Aabb, Vec3};

/// Maximum number of voxels of a grid: 16 bytes each, 1 GiB.
pub(super) const MAX_VOXELS: usize = 1 << 26;

/// A range of voxels, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VoxelRange {
    pub low: [u32; 3],
    pub high: [u32; 3],
}

impl VoxelRange {
    /// Returns the number of voxels.
    #[inline(always)]
    pub fn count(&self) -> u64 {
        let side = |axis: usize| u64::from(self.high[axis] - self.low[axis]) + 1;
        side(0) * side(1) * side(2)
    }
}

/// Layout of the voxels.
#[derive(Debug, Clone)]
pub(super) struct CellSpace {
    origin: Vec3,
    inverse: f64,
    dims: [u32; 3],
    last: Vec3,
}

impl CellSpace {
    pub fn new(bounds: &Aabb, voxel_size: f64) -> Result<Self, VoxelGridError> {
        if bounds.is_empty() || !bounds.min.is_finite() || !bounds.max.is_finite() {
            return Err(VoxelGridError::BadBounds { bounds: *bounds });
        }
        let inverse = 1.0 / voxel_size;
        if !(voxel_size.is_finite() && voxel_size > 0.0 && inverse.is_finite()) {
            return Err(VoxelGridError::BadVoxelSize { voxel_size });
        }
        let extent = bounds.max - bounds.min;
        let count = voxels(extent, voxel_size);
        if count > MAX_VOXELS as f64 {
            // Each doubling divides the count by up to 8; from 1e-308 to 1e308 there are some 2,050.
            let enough = (0..2100).scan(voxel_size, |size, _| {
                *size *= 2.0;
                Some(*size)
            });
            let least_size = enough.into_iter().find(|&size| voxels(extent, size) <= MAX_VOXELS as f64);
            return Err(VoxelGridError::TooManyVoxels {
                count,
                max: MAX_VOXELS,
                least_size: least_size.unwrap_or(f64::MAX),
            });
        }
        let sides = (extent * inverse).ceil().max(Vec3::ONE);
        let dims = sides.to_array().map(|n| n as u32);
        Ok(Self { origin: bounds.min, inverse, dims, last: sides - Vec3::ONE })
    }

    /// Returns the number of voxels.
    pub fn len(&self) -> usize {
        self.dims.iter().map(|&n| n as usize).product()
    }

    /// Returns the number of voxels along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// Converts a length to voxels.
    pub fn length(&self, metres: f64) -> f64 {
        metres * self.inverse
    }

    /// Converts a point to voxels.
    #[inline(always)]
    pub fn local(&self, point: Vec3) -> Vec3 {
        (point - self.origin) * self.inverse
    }

    /// Reports whether a local box lies within the grid, so that no clamping moves it.
    #[inline(always)]
    pub fn holds(&self, low: Vec3, high: Vec3) -> bool {
        low.cmpge(Vec3::ZERO).all() && high.cmple(self.last + Vec3::ONE).all()
    }

    /// Returns the voxels of a local box.
    #[inline(always)]
    pub fn range(&self, low: Vec3, high: Vec3) -> VoxelRange {
        let voxel = |p: Vec3| p.max(Vec3::ZERO).min(self.last).to_array().map(|x| x as u32);
        VoxelRange { low: voxel(low), high: voxel(high) }
    }

    /// Returns the least and the greatest corner of a voxel by its number, in metres.
    pub fn corners(&self, cell: u32) -> [Vec3; 2] {
        let (x, row) = (cell % self.dims[0], cell / self.dims[0]);
        let at = Vec3::new(f64::from(x), f64::from(row % self.dims[1]), f64::from(row / self.dims[1]));
        [at, at + Vec3::ONE].map(|corner| corner / self.inverse + self.origin)
    }

    /// Returns the number of a voxel.
    #[inline(always)]
    pub fn index(&self, [x, y, z]: [u32; 3]) -> u32 {
        x + self.dims[0] * (y + self.dims[1] * z)
    }
}

/// Returns how many voxels an extent needs, as a number that may be huge or infinite.
fn voxels(extent: Vec3, voxel_size: f64) -> f64 {
    let sides = (extent / voxel_size).ceil().max(Vec3::ONE);
    sides.x * sides.y * sides.z
}
