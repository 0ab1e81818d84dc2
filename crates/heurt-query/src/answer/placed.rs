//! Placed operands: a shape and its pose in the world.

use heurt_geometry::Pose;
use heurt_shape::{MeshShape, ShapeRef};

/// A shape and its pose in the world. `S` is a reference to a shape of any kind, or of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a, S> {
    pub shape: S,
    pub pose: &'a Pose,
}

/// A placed shape of any kind.
pub(crate) type PlacedShape<'a> = Placed<'a, ShapeRef<'a>>;

/// A placed mesh.
pub(crate) type PlacedMeshShape<'a> = Placed<'a, &'a MeshShape>;

impl<'a, S> Placed<'a, S> {
    /// Places a shape.
    #[inline(always)]
    pub(crate) fn new(shape: S, pose: &'a Pose) -> Self {
        Self { shape, pose }
    }

    /// Places a different shape at the same pose: its core, or the shape as an operand of another type.
    #[inline(always)]
    pub(crate) fn with<T>(&self, shape: T) -> Placed<'a, T> {
        Placed { shape, pose: self.pose }
    }
}
