//! Projection of a planar polygon along the coordinate axis nearest to its normal.
//!
//! In: a normal, then points. Out: points of the plane in which the polygon runs counter-clockwise.
//! Guarantees: coordinates are copied, not computed, so exact predicates in the plane decide on the input itself.

use heurt_geometry::{Vec2, Vec3};

/// A projection that drops one coordinate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AxisProjection {
    axis: usize,
    /// Whether the normal points in the negative direction of the axis: the remaining two coordinates are swapped then.
    mirrored: bool,
}

impl AxisProjection {
    /// Chooses the axis with the largest component of the normal; of equal ones z, then y.
    pub(crate) fn along(normal: Vec3) -> Self {
        let size = normal.abs();
        let axis = if size.z >= size.x && size.z >= size.y {
            2
        } else if size.y >= size.x {
            1
        } else {
            0
        };
        Self { axis, mirrored: normal[axis] < 0.0 }
    }

    /// The component of a vector along the axis.
    pub(crate) fn component(self, vector: Vec3) -> f64 {
        vector[self.axis]
    }

    /// Drops a coordinate. Adding 0 turns −0 into 0.
    pub(crate) fn apply(self, point: Vec3) -> Vec2 {
        let [u, v] = match self.axis {
            0 => [point.y, point.z],
            1 => [point.z, point.x],
            _ => [point.x, point.y],
        };
        if self.mirrored { Vec2::new(v + 0.0, u + 0.0) } else { Vec2::new(u + 0.0, v + 0.0) }
    }
}
