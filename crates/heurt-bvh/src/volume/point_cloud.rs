//! Point cloud to which a volume is fitted.

use super::obb_axes::BoxAxes;
use heurt_geometry::Vec3;

/// The points of some primitives in local units of a tree, in `f64`, each at least once.
#[derive(Debug, Clone, Copy)]
pub struct PointCloud<'a> {
    /// The points; at least one.
    pub points: &'a [Vec3],
    /// The sum of the area vectors (half the cross product of two sides) of the primitives: their facing. Zero if that
    /// gives no direction.
    pub facing: Vec3,
    /// Method to choose the axes of oriented boxes.
    pub axes: BoxAxes,
}

impl PointCloud<'_> {
    /// Returns the least and the greatest of the dot products with `axis`.
    #[inline(always)]
    pub fn range(&self, axis: Vec3) -> (f64, f64) {
        range(self.points, axis)
    }
}

/// Returns the least and the greatest of the dot products of `points` with `axis`.
#[inline(always)]
pub(super) fn range(points: &[Vec3], axis: Vec3) -> (f64, f64) {
    let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
    for point in points {
        let along = axis.dot(*point);
        least = if along < least { along } else { least };
        greatest = if along > greatest { along } else { greatest };
    }
    (least, greatest)
}
