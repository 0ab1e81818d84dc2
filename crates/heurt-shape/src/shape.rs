//! Any shape, owned or by reference.

use crate::{
    Compound, CompoundError, Convex, ConvexError, Core, MassError, MeshShape, RoundedMesh, Superquadric,
    SuperquadricShape,
};
use heurt_bvh::simd::Isa;
use heurt_geometry::{Aabb, Pose};
use heurt_mesh::{Measures, measures};
use std::sync::Arc;
use thiserror::Error;

/// Any shape; copies share it.
///
/// A closed enum on purpose, not a trait: every verb has a table of all pairs of kinds, each with an exact test or with
/// bounds that are proved for both, and a kind from outside would have neither. Other convex shapes enter as the hull
/// of their points by [`Convex::hull`], curved ones with a margin ([`Convex::with_margin`]); all else as a mesh.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::{Compound, Convex, Shape};
/// let head = Shape::from(Convex::cuboid(Vec3::new(0.1, 0.03, 0.03))?);
/// let handle = Shape::from(Convex::cylinder(0.015, 0.15)?);
/// let below = Pose::from_translation(Vec3::Z * -0.15)?;
/// let hammer = Shape::from(Compound::new([(head, Pose::IDENTITY), (handle, below)])?);
/// assert_eq!(hammer.primitives(), 2);
/// assert!((hammer.bounds().min.z + 0.3).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub enum Shape {
    /// A mesh, solid or not.
    Mesh(Arc<MeshShape>),
    /// A convex shape.
    Convex(Arc<Convex>),
    /// Several shapes as one.
    Compound(Arc<Compound>),
    /// All points within a margin of a mesh.
    Rounded(Arc<RoundedMesh>),
    /// All points within a margin of a superellipsoid that is not convex, or of a supertoroid.
    Superquadric(Arc<SuperquadricShape>),
}

/// Any shape, by reference: the operand of queries.
#[derive(Debug, Clone, Copy)]
pub enum ShapeRef<'a> {
    /// A mesh, solid or not.
    Mesh(&'a MeshShape),
    /// A convex shape.
    Convex(&'a Convex),
    /// Several shapes as one.
    Compound(&'a Compound),
    /// All points within a margin of a mesh.
    Rounded(&'a RoundedMesh),
    /// All points within a margin of a superellipsoid that is not convex, or of a supertoroid.
    Superquadric(&'a SuperquadricShape),
}

impl ShapeRef<'_> {
    /// Reports whether the shape is a half-space, the only shape without bounds.
    #[inline(always)]
    pub fn is_half_space(self) -> bool {
        matches!(self, Self::Convex(convex) if convex.is_half_space())
    }
}

impl Shape {
    /// Returns a box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        ShapeRef::from(self).bounds()
    }

    /// Returns the address of the shape's data, which copies share: equal for copies of one shape as long as one of
    /// them lives.
    pub fn address(&self) -> usize {
        match self {
            Self::Mesh(shape) => Arc::as_ptr(shape).addr(),
            Self::Convex(shape) => Arc::as_ptr(shape).addr(),
            Self::Compound(shape) => Arc::as_ptr(shape).addr(),
            Self::Rounded(shape) => Arc::as_ptr(shape).addr(),
            Self::Superquadric(shape) => Arc::as_ptr(shape).addr(),
        }
    }

    /// Returns a box that holds the placed shape: [`ShapeRef::bounds_at`].
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        ShapeRef::from(self).bounds_at(pose)
    }

    /// Performs [`MeshShape::prepare_contacts`] of all meshes in it.
    pub fn prepare_contacts(&self) {
        match self {
            Self::Mesh(mesh) => mesh.prepare_contacts(),
            Self::Rounded(rounded) => rounded.mesh().prepare_contacts(),
            Self::Compound(compound) => compound.parts().iter().for_each(|part| part.shape.prepare_contacts()),
            Self::Convex(_) | Self::Superquadric(_) => {}
        }
    }

    /// Prefetches the data that queries on a convex shape read first. Each part is reached through the previous one:
    /// its own fields, the fields of its hull, the corners of the hull.
    #[inline]
    pub fn prefetch<I: Isa>(&self, isa: I, part: usize) {
        let Self::Convex(convex) = self else { return };
        if part == 0 {
            isa.prefetch(&**convex);
        } else if let Core::Hull(hull) = convex.core() {
            if part == 1 { isa.prefetch(&**hull) } else { hull.expect_corners(isa) }
        }
    }

    /// Returns the number of primitives: the triangles of meshes, one for a convex shape, all of the parts of a
    /// compound.
    pub fn primitives(&self) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.mesh().triangles().len() as u32,
            Self::Convex(_) | Self::Superquadric(_) => 1,
            Self::Compound(compound) => compound.parts().last().map_or(0, |last| last.first + last.shape.primitives()),
            Self::Rounded(rounded) => rounded.mesh().mesh().triangles().len() as u32,
        }
    }

    /// Computes area, volume, centroid and inertia at unit density; for a compound the sums over its parts.
    ///
    /// # Errors
    /// As [`Convex::measures`], [`RoundedMesh::measures`] and [`SuperquadricShape::measures`].
    pub fn measures(&self) -> Result<Measures, MassError> {
        match self {
            Self::Mesh(mesh) => Ok(measures(mesh.mesh())),
            Self::Convex(convex) => convex.measures(),
            Self::Compound(compound) => compound.measures(),
            Self::Rounded(rounded) => rounded.measures(),
            Self::Superquadric(shape) => shape.measures(),
        }
    }

    /// Returns the shape grown by `margin` in all directions; a compound part by part.
    ///
    /// # Errors
    /// [`CompoundError`] or [`ConvexError`] for a margin that is negative, not finite or too large.
    pub fn with_margin(self, margin: f64) -> Result<Self, MarginError> {
        Ok(match self {
            Self::Mesh(mesh) => Self::Rounded(Arc::new(RoundedMesh::new(mesh, margin)?)),
            Self::Convex(convex) => Arc::unwrap_or_clone(convex).with_margin(margin)?.into(),
            Self::Compound(compound) => {
                let grown = |part: &crate::Part| Ok((part.shape.clone().with_margin(margin)?, part.pose));
                let parts: Vec<_> = compound.parts().iter().map(grown).collect::<Result<_, MarginError>>()?;
                Self::Compound(Arc::new(Compound::new(parts)?))
            }
            Self::Rounded(rounded) => {
                Self::Rounded(Arc::new(RoundedMesh::new(Arc::clone(rounded.mesh()), rounded.margin() + margin)?))
            }
            Self::Superquadric(shape) => Self::Superquadric(Arc::new((*shape).clone().with_margin(margin)?)),
        })
    }
}

/// Reason why a shape cannot be grown by a margin.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MarginError {
    /// An invalid margin.
    #[error(transparent)]
    Convex(#[from] ConvexError),
    /// A part grows beyond the range of numbers.
    #[error(transparent)]
    Compound(#[from] CompoundError),
}

impl ShapeRef<'_> {
    /// Returns a box that holds the shape, in its own frame; infinite for a half-space.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => *mesh.bounds(),
            Self::Convex(convex) => convex.bounds(),
            Self::Compound(compound) => *compound.bounds(),
            Self::Rounded(rounded) => rounded.bounds(),
            Self::Superquadric(shape) => shape.bounds(),
        }
    }

    /// Reports whether the inside of the shape is decided exactly: not so for a mesh of
    /// [`Solidity::Winding`](crate::Solidity::Winding), nor for shapes made of one.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_exact(),
            Self::Rounded(rounded) => rounded.mesh().is_exact(),
            Self::Compound(compound) => compound.parts().iter().all(|part| Self::from(&part.shape).is_exact()),
            Self::Convex(_) | Self::Superquadric(_) => true,
        }
    }

    /// Returns the largest coordinate of that box in magnitude; 0 for a half-space, which has none.
    pub fn max_coordinate(&self) -> f64 {
        let bounds = self.bounds();
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        if reach.is_finite() { reach } else { 0.0 }
    }
}

impl From<MeshShape> for Shape {
    fn from(mesh: MeshShape) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl From<Convex> for Shape {
    fn from(convex: Convex) -> Self {
        Self::Convex(Arc::new(convex))
    }
}

impl From<Compound> for Shape {
    fn from(compound: Compound) -> Self {
        Self::Compound(Arc::new(compound))
    }
}

impl From<RoundedMesh> for Shape {
    fn from(rounded: RoundedMesh) -> Self {
        Self::Rounded(Arc::new(rounded))
    }
}

impl From<SuperquadricShape> for Shape {
    fn from(shape: SuperquadricShape) -> Self {
        Self::Superquadric(Arc::new(shape))
    }
}

/// Chooses the fastest representation: convex superellipsoids become convex shapes.
impl From<Superquadric> for Shape {
    fn from(surface: Superquadric) -> Self {
        if let Superquadric::Ellipsoid(shape) = surface {
            let [n1, n2] = shape.exponents();
            if let Ok(convex) = Convex::superellipsoid(shape.radii(), n1, n2) {
                return convex.into();
            }
        }
        SuperquadricShape::from(surface).into()
    }
}

impl<'a> From<&'a Shape> for ShapeRef<'a> {
    fn from(shape: &'a Shape) -> Self {
        match shape {
            Shape::Mesh(mesh) => Self::Mesh(mesh),
            Shape::Convex(convex) => Self::Convex(convex),
            Shape::Compound(compound) => Self::Compound(compound),
            Shape::Rounded(rounded) => Self::Rounded(rounded),
            Shape::Superquadric(shape) => Self::Superquadric(shape),
        }
    }
}

impl<'a> From<&'a MeshShape> for ShapeRef<'a> {
    #[inline(always)]
    fn from(mesh: &'a MeshShape) -> Self {
        Self::Mesh(mesh)
    }
}

impl<'a> From<&&'a MeshShape> for ShapeRef<'a> {
    #[inline(always)]
    fn from(mesh: &&'a MeshShape) -> Self {
        Self::Mesh(mesh)
    }
}

/// Meshes are often shared.
impl<'a> From<&'a Arc<MeshShape>> for ShapeRef<'a> {
    #[inline(always)]
    fn from(mesh: &'a Arc<MeshShape>) -> Self {
        Self::Mesh(mesh)
    }
}

/// The content of [`Shape::Convex`].
impl<'a> From<&'a Arc<Convex>> for ShapeRef<'a> {
    #[inline(always)]
    fn from(convex: &'a Arc<Convex>) -> Self {
        Self::Convex(convex)
    }
}

impl<'a> From<&'a Convex> for ShapeRef<'a> {
    #[inline(always)]
    fn from(convex: &'a Convex) -> Self {
        Self::Convex(convex)
    }
}

impl<'a> From<&'a Compound> for ShapeRef<'a> {
    #[inline(always)]
    fn from(compound: &'a Compound) -> Self {
        Self::Compound(compound)
    }
}

impl<'a> From<&'a RoundedMesh> for ShapeRef<'a> {
    #[inline(always)]
    fn from(rounded: &'a RoundedMesh) -> Self {
        Self::Rounded(rounded)
    }
}

impl<'a> From<&'a SuperquadricShape> for ShapeRef<'a> {
    #[inline(always)]
    fn from(shape: &'a SuperquadricShape) -> Self {
        Self::Superquadric(shape)
    }
}
