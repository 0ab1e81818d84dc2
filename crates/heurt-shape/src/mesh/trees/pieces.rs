//! Convex hull of a mesh, and convex sets inside it.
//!
//! The shape only stores them; `heurt-query`, which can prove that they lie inside, makes them.

use crate::once::get_or_make_unlocked;
use crate::{Convex, MeshShape};
use heurt_geometry::Vec3;
use std::sync::Arc;

/// Convex sets around a mesh and inside it, in its own frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConvexPieces {
    /// The hull of the mesh; `None` beyond the range of numbers.
    pub hull: Option<Convex>,
    /// Convex sets inside the solid, none of which touches its surface; they may overlap, and need not fill it.
    pub inner: Vec<Convex>,
}

impl MeshShape {
    /// Returns the convex pieces of the mesh, made by `make` at the first request; a move of the shape discards them.
    pub fn convex_pieces(&self, make: impl FnOnce(&Self) -> ConvexPieces) -> &ConvexPieces {
        let kept: &Arc<ConvexPieces> = get_or_make_unlocked(&self.pieces, || Arc::new(make(self)));
        kept
    }

    /// Returns the convex hull of the vertices that triangles use, in the frame of the mesh, computed at the first call
    /// in O(n log n); `None` beyond the range of numbers. A deformation discards it.
    pub fn hull(&self) -> Option<&Convex> {
        let kept: &Arc<Option<Convex>> = get_or_make_unlocked(&self.hull, || {
            let mut used = vec![false; self.mesh.vertices().len()];
            self.mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
            let vertices = self.mesh.vertices().iter().zip(used);
            let points: Vec<Vec3> = vertices.filter(|(_, is_used)| *is_used).map(|(&vertex, _)| vertex).collect();
            Arc::new(Convex::hull(&points).ok())
        });
        kept.as_ref().as_ref()
    }

    /// Reports whether the mesh has been deformed since it was made.
    pub fn has_moved(&self) -> bool {
        self.deforms
    }
}
