//! The answers of `contact` and `separation`, and the depth of an overlap from both sides.

use super::feature::Feature;
use heurt_geometry::Vec3;
use smallvec::SmallVec;

/// How two shapes touch, in metres and the world frame.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The distance if they are disjoint; if they overlap, minus the length of a translation after which they do
    /// not: moving B by that much along `normal` separates.
    pub separation: f64,
    /// If they overlap, minus a certified lower bound of the depth: no shorter translation separates. If they are
    /// disjoint, a certified lower bound of the distance.
    pub separation_bound: f64,
    /// Bounds the absolute error of `separation`.
    pub error: f64,
    /// A unit vector from A to B.
    pub normal: Vec3,
    /// The places of contact: of convex shapes corners of the common part of two faces or edges, else one
    /// point; of meshes the places where the surfaces come nearest in their neighbourhood, overlapping ones once they
    /// are separated.
    pub points: SmallVec<[ContactPoint; 4]>,
}

/// Distance or depth of two shapes and its direction, in metres and the world frame: a
/// [`Contact`] without its points.
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
    /// The point of A nearest to B; if they overlap, the point deepest in B: moving B by the depth makes it meet
    /// `point_b`.
    pub point_a: Vec3,
    /// The same of B.
    pub point_b: Vec3,
}

/// A point of a [`Contact`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// In the middle between both surfaces.
    pub point: Vec3,
    /// A unit vector from A to B across what touches here; of convex shapes the normal of the contact.
    pub normal: Vec3,
    /// How far the surfaces are disjoint there along that normal; negative where they overlap.
    pub separation: f64,
    /// The features in contact, on A and on B: the same from step to step while the same parts touch.
    pub features: [Feature; 2],
    /// The primitives of A and B.
    pub primitives: [u32; 2],
}

impl Contact {
    /// The same, seen from B.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.normal = -self.normal;
        for point in &mut self.points {
            point.normal = -point.normal;
            point.features.reverse();
            point.primitives.reverse();
        }
        self
    }
}

/// The depth of an overlap from both sides, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DepthBounds {
    /// No translation shorter than this parts the shapes.
    pub at_least: f64,
    /// The translation of B by `normal · at_most` does; infinite where none can be reported in `f64`.
    pub at_most: f64,
    /// A unit vector.
    pub normal: Vec3,
}
