//! Any shape.

use crate::{Convex, MeshShape};
use heurt_geometry::Aabb;
use std::sync::Arc;

/// Any shape; copies share what is large.
#[derive(Debug, Clone)]
pub enum Shape {
    /// A mesh, solid or not.
    Mesh(Arc<MeshShape>),
    /// A convex shape.
    Convex(Convex),
}

/// Any shape, by reference: what verbs are asked about.
#[derive(Debug, Clone, Copy)]
pub enum ShapeRef<'a> {
    /// A mesh, solid or not.
    Mesh(&'a MeshShape),
    /// A convex shape.
    Convex(&'a Convex),
}

impl Shape {
    /// A box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(mesh) => *mesh.bounds(),
            Self::Convex(convex) => convex.bounds(),
        }
    }
}

impl From<MeshShape> for Shape {
    fn from(mesh: MeshShape) -> Self {
        Self::Mesh(Arc::new(mesh))
    }
}

impl From<Convex> for Shape {
    fn from(convex: Convex) -> Self {
        Self::Convex(convex)
    }
}

impl<'a> From<&'a Shape> for ShapeRef<'a> {
    fn from(shape: &'a Shape) -> Self {
        match shape {
            Shape::Mesh(mesh) => Self::Mesh(mesh),
            Shape::Convex(convex) => Self::Convex(convex),
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

impl<'a> From<&'a Convex> for ShapeRef<'a> {
    #[inline(always)]
    fn from(convex: &'a Convex) -> Self {
        Self::Convex(convex)
    }
}
