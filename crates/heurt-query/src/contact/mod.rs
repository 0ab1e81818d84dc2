//! `contact`: how deep two placed shapes are in each other, or how far apart, along which direction, and where they touch.

mod compound;
mod convex_convex;
mod feature;

pub use compound::{CompoundContactError, compound_contact};
pub use feature::Feature;

use crate::algo::convex_pair::ConvexPair;
use convex_convex::convex_contact;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Convex;
use smallvec::SmallVec;

/// How two shapes touch, in metres and the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Where they are apart, the distance; where they overlap, minus the length of a translation after which they do not: moving
    /// B by that much along `normal` separates.
    pub separation: f64,
    /// Where they overlap, minus a certified lower bound of the depth: no shorter translation separates. Where they are apart,
    /// a certified lower bound of the distance.
    pub separation_bound: f64,
    /// Bounds the absolute error of `separation`.
    pub error: f64,
    /// A unit vector from A to B.
    pub normal: Vec3,
    /// Where they touch or nearly do: corners of the common part of two faces or edges, else one point.
    pub points: SmallVec<[ContactPoint; 8]>,
}

/// A point of a [`Contact`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// In the middle between both surfaces.
    pub point: Vec3,
    /// How far the surfaces are apart there along the normal of the contact; negative where they overlap.
    pub separation: f64,
    /// What touches, on A and on B: the same from step to step while the same parts touch.
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
            point.features.reverse();
            point.primitives.reverse();
        }
        self
    }
}

/// Finds how two placed convex shapes touch; `None` where they are farther apart than `margin` metres.
pub fn contact(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose, margin: f64) -> Option<Contact> {
    convex_contact(ConvexPair { a, pose_a, b, pose_b }, margin)
}
