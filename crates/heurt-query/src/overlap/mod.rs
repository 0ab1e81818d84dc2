//! `overlap`: do two placed shapes share a point? Touching counts, and so does containment in a solid.

mod compound;
mod mesh_convex;
mod rounded;
mod superquadric;

pub use crate::mesh::overlap::overlap_with_trees;

pub(crate) use crate::mesh::overlap::{
    contained, holds, mesh_overlap, mesh_overlap_asked, mesh_overlap_counted, overlap_near, point_inside,
};
pub(crate) use mesh_convex::hull_of_placed_points;

use crate::budget::Spending;
use crate::convex::overlap::convex_overlap;
use crate::convex::separation::ConvexPair;
use compound::compound_overlap;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use mesh_convex::mesh_convex_overlap;
use rounded::rounded_overlap;
use superquadric::superquadric_overlap;

/// One of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// What proves that two shapes overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// Two primitives that intersect.
    Primitives {
        /// The triangle of A; 0 for a convex shape, for a compound counted through its parts.
        a: u32,
        /// That of B.
        b: u32,
    },
    /// No surfaces meet, but a connected part of this shape lies inside the other, which is solid.
    Contained(Side),
}

impl Witness {
    /// The same, seen from B.
    #[must_use]
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Primitives { a, b } => Self::Primitives { a: b, b: a },
            Self::Contained(Side::A) => Self::Contained(Side::B),
            Self::Contained(Side::B) => Self::Contained(Side::A),
        }
    }
}

/// Tells whether two placed shapes share a point, with a witness.
pub fn overlap<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> Option<Witness> {
    match (a.into(), b.into()) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_overlap(a, pose_a, b, pose_b),
        (a, b) => overlap_counted(a, pose_a, b, pose_b).0,
    }
}

/// [`overlap`], with the work done.
pub fn overlap_counted<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> (Option<Witness>, Work) {
    let spending = Spending::default();
    let witness = overlap_asked((a.into(), pose_a), (b.into(), pose_b), &spending);
    (witness, spending.done())
}

/// [`overlap()`]; where nothing is left to spend before it is told, there is no witness.
pub(crate) fn overlap_asked(
    (a, pose_a): (ShapeRef<'_>, &Pose),
    (b, pose_b): (ShapeRef<'_>, &Pose),
    spending: &Spending<'_>,
) -> Option<Witness> {
    if spending.ends() {
        return None;
    }
    match (a, b) {
        (ShapeRef::Mesh(a), ShapeRef::Mesh(b)) => mesh_overlap_asked((a, pose_a), (b, pose_b), spending),
        (ShapeRef::Mesh(a), ShapeRef::Convex(b)) => mesh_convex_overlap(a, pose_a, b, pose_b, spending),
        (ShapeRef::Convex(a), ShapeRef::Mesh(b)) => {
            mesh_convex_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped)
        }
        (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
            spending.add_pair();
            convex_overlap(ConvexPair { a, pose_a, b, pose_b }).then_some(Witness::Primitives { a: 0, b: 0 })
        }
        (ShapeRef::Compound(a), b) => compound_overlap(a, pose_a, b, pose_b, spending),
        (a, ShapeRef::Compound(b)) => compound_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped),
        (ShapeRef::Superquadric(a), b) => superquadric_overlap(a, pose_a, b, pose_b, spending),
        (a, ShapeRef::Superquadric(b)) => superquadric_overlap(b, pose_b, a, pose_a, spending).map(Witness::swapped),
        (a @ ShapeRef::Rounded(_), b) | (a, b @ ShapeRef::Rounded(_)) => {
            rounded_overlap((a, pose_a), (b, pose_b), spending)
        }
    }
}
