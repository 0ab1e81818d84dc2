//! Placed operands: a shape and its pose in the world.

use heurt_geometry::Pose;
use heurt_shape::{MeshShape, ShapeRef};

/// A placed shape.
pub(crate) type PlacedShape<'a> = (ShapeRef<'a>, &'a Pose);

/// A placed mesh.
pub(crate) type PlacedMeshShape<'a> = (&'a MeshShape, &'a Pose);
