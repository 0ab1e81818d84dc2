//! What is known about the inside of a mesh: its hull, and convex sets that lie in it.
//!
//! The shape only keeps them; `heurt-query` makes them, which can prove that they lie inside.

use crate::lazy::made_outside;
use crate::{Convex, MeshShape};
use std::sync::Arc;

/// Convex sets about a mesh and inside it, in its own frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConvexPieces {
    /// The hull of the mesh; `None` beyond the range of numbers.
    pub hull: Option<Convex>,
    /// Convex sets inside the solid, none of which touches its surface; they may overlap, and need not fill it.
    pub inner: Vec<Convex>,
}

impl MeshShape {
    /// The convex pieces of the mesh, made by `make` when first asked for; the shape forgets them when it moves.
    pub fn convex_pieces(&self, make: impl FnOnce(&Self) -> ConvexPieces) -> &ConvexPieces {
        let kept: &Arc<ConvexPieces> = made_outside(&self.pieces, || Arc::new(make(self)));
        kept
    }

    /// Tells whether the mesh has been deformed since it was made.
    pub fn has_moved(&self) -> bool {
        self.deforms
    }
}
