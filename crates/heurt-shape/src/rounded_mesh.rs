//! A mesh with a margin: all points within it of the mesh, or of the solid that the mesh bounds.

use crate::{ConvexError, MeshShape};
use heurt_geometry::Aabb;
use std::sync::Arc;

/// A mesh and a margin round it.
#[derive(Debug, Clone)]
pub struct RoundedMesh {
    mesh: Arc<MeshShape>,
    margin: f64,
}

impl RoundedMesh {
    /// The points within `margin` of a mesh.
    ///
    /// # Errors
    /// [`ConvexError`] for a margin that is negative, not finite or too large.
    pub fn new(mesh: Arc<MeshShape>, margin: f64) -> Result<Self, ConvexError> {
        Ok(Self { mesh, margin: crate::convex::not_negative("margin", margin)? })
    }

    /// What lies within the margin.
    #[inline(always)]
    pub fn mesh(&self) -> &Arc<MeshShape> {
        &self.mesh
    }

    /// How far the shape reaches beyond the mesh, in metres.
    #[inline(always)]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// A box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        let mesh = self.mesh.bounds();
        Aabb { min: mesh.min - self.margin, max: mesh.max + self.margin }
    }
}
