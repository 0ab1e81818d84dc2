//! Results of `contact` and `separation`, and lower and upper bounds of a penetration depth.

use super::feature::Feature;
use heurt_geometry::Vec3;
use smallvec::SmallVec;

/// Contact of two shapes, in metres and the world frame.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The distance of disjoint shapes. For overlapping shapes, minus the length of a translation that separates them:
    /// B moved by that length along `normal` does not overlap A.
    pub separation: f64,
    /// For overlapping shapes, minus a certified lower bound of the depth: no shorter translation separates. For
    /// disjoint shapes, a certified lower bound of the distance.
    pub separation_bound: f64,
    /// Bounds the absolute error of `separation`.
    pub error: f64,
    /// A unit vector from A to B.
    pub normal: Vec3,
    /// The contact points. For convex shapes: corners of the common part of two faces or edges, else one point. For
    /// meshes: the places at which the distance of the surfaces has a local minimum, for overlapping meshes after the
    /// translation that separates them.
    pub points: SmallVec<[ContactPoint; 4]>,
}

/// Signed distance or depth of two shapes and its direction, in metres and the world frame: a [`Contact`] without its
/// points.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// As [`Contact::separation`].
    pub separation: f64,
    /// As [`Contact::separation_bound`].
    pub separation_bound: f64,
    /// Bounds the absolute error of `separation`.
    pub error: f64,
    /// A unit vector from A to B.
    pub normal: Vec3,
    /// The point of A nearest to B. For overlapping shapes, the point of A deepest in B: moving B by the depth brings
    /// it to `point_b`.
    pub point_a: Vec3,
    /// The corresponding point of B.
    pub point_b: Vec3,
}

/// A point of a [`Contact`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// The middle between both surfaces.
    pub point: Vec3,
    /// A unit vector from A to B across the features that touch here; for convex shapes the normal of the contact.
    pub normal: Vec3,
    /// The distance of the surfaces there along that normal; negative if they overlap.
    pub separation: f64,
    /// The features of A and of B that touch: constant from step to step while the same parts touch.
    pub features: [Feature; 2],
    /// The primitives of A and B.
    pub primitives: [u32; 2],
}

impl Contact {
    /// Returns the contact with A and B swapped.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.normal = -self.normal;
        for point in &mut self.points {
            *point = point.swapped();
        }
        self
    }
}

impl ContactPoint {
    /// Returns the point with A and B swapped.
    pub(crate) fn swapped(mut self) -> Self {
        self.normal = -self.normal;
        self.features.reverse();
        self.primitives.reverse();
        self
    }
}

/// Lower and upper bound of a penetration depth, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DepthBounds {
    /// No translation shorter than this separates the shapes.
    pub at_least: f64,
    /// The translation of B by `normal · at_most` separates; infinite if none can be represented in `f64`.
    pub at_most: f64,
    /// Direction of unit length.
    pub normal: Vec3,
}
