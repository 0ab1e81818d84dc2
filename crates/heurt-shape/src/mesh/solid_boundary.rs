//! Boundary of a solid mesh: all triangles, or only the pieces with the outside on one side.
//!
//! The shape only stores it; `heurt-query`, which can locate points, computes it.

use crate::MeshShape;
use crate::once::get_or_make_unlocked;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The boundary of the set of points with a winding number other than 0.
#[derive(Debug, Clone)]
pub enum SolidBoundary {
    /// Every triangle is a part of it, as in nearly all meshes.
    Whole,
    /// Some triangles, or parts of them, lie inside.
    Pieces(Box<BoundaryPieces>),
}

/// Pieces of triangles, in the frame of the mesh.
#[derive(Debug, Clone, Default)]
pub struct BoundaryPieces {
    /// Pieces that are a part of the boundary; `None` if there is none.
    pub decided: Option<PieceSet>,
    /// Undecided pieces: none unless triangles are cut more often than a bound allows, or are thinner than rounding.
    pub open: Option<PieceSet>,
    /// The largest of the roundings of all pieces, in metres.
    pub rounding: f64,
}

/// Pieces of triangles as a surface of their own.
#[derive(Debug, Clone)]
pub struct PieceSet {
    /// The pieces: a surface without an inside, oriented as the triangles are.
    pub surface: MeshShape,
    /// The triangle of the mesh that each piece is a part of, ascending.
    pub triangles: Vec<u32>,
    /// The sides of each piece on which the solid lies.
    pub sides: Vec<PieceSide>,
    /// Maximum distance of a point of each piece from the boundary, and of the boundary from the piece, in metres; 0
    /// for a whole triangle.
    pub roundings: Vec<f64>,
}

/// The sides of a piece on which the solid lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceSide {
    /// Behind it: the normal leads out of the solid.
    Behind,
    /// In front of it: the normal leads into the solid.
    InFront,
    /// On neither side: a sheet that only touches the solid or is isolated.
    Neither,
    /// As a coincident piece of a triangle with a lower number.
    Repeated,
}

impl PieceSet {
    /// Returns the range of the pieces of a triangle of the mesh.
    pub fn of_triangle(&self, triangle: u32) -> Range<usize> {
        let from = self.triangles.partition_point(|&other| other < triangle);
        from..from + self.triangles[from..].partition_point(|&other| other == triangle)
    }
}

impl MeshShape {
    /// Returns the boundary of the solid, computed by `make` at the first call; a deformation discards it.
    pub fn solid_boundary(&self, make: impl FnOnce(&Self) -> SolidBoundary) -> &SolidBoundary {
        let kept: &Arc<SolidBoundary> = get_or_make_unlocked(&self.boundary, || Arc::new(make(self)));
        kept
    }

    /// Marks all faces as boundary, for a mesh such as a convex hull, whose faces are all on the boundary regardless of
    /// rounding.
    pub(crate) fn with_whole_boundary(mut self) -> Self {
        self.boundary = OnceLock::from(Arc::new(SolidBoundary::Whole));
        self
    }
}
