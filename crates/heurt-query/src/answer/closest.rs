//! Results of `closest` and `winding_number`: the nearest point of a boundary, and the location of a point.

use heurt_geometry::Vec3;

/// The nearest point of a boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Closest {
    /// On the boundary, in the world frame.
    pub point: Vec3,
    /// From the given point, in metres.
    pub distance: f64,
    /// Negative inside; `None` if the shape is not solid.
    pub signed_distance: Option<f64>,
    /// Whether the given point is inside or on the boundary; `None` if the shape is not solid.
    pub inside: Option<bool>,
    /// The triangle that contains `point`; 0 for a convex shape, for a compound counted through its parts.
    pub primitive: u32,
    /// Bounds the absolute error of the distance, in metres.
    pub error: f64,
}

/// The location of a point with respect to a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Location {
    /// On the surface.
    Boundary {
        /// The lowest triangle that contains the point.
        triangle: u32,
    },
    /// Off the surface, with the winding number of the surface around the point (meaningful for closed meshes); 0 is
    /// outside.
    Winding(i32),
}
