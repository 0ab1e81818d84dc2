//! Superquadric as an operand of queries: with a margin, and with convex sets around and inside it.

use super::Superquadric;
use crate::convex::not_negative;
use crate::once::get_or_make_unlocked;
use crate::{ConvexError, ConvexPieces, MassError};
use heurt_geometry::Aabb;
use heurt_mesh::Measures;
use std::sync::OnceLock;

/// All points within a margin of a superquadric. For convex superellipsoids [`Convex`](crate::Convex::superellipsoid)
/// is faster.
///
/// ```
/// use heurt_mesh::generate::Supertoroid;
/// use heurt_shape::{Superquadric, SuperquadricShape};
/// let ring = SuperquadricShape::from(Superquadric::Toroid(Supertoroid::new(2.0, 0.5, 1.0, 1.0)?));
/// let volume = ring.measures()?.volume.unwrap_or(0.0);
/// assert!((volume - std::f64::consts::PI.powi(2)).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SuperquadricShape {
    surface: Superquadric,
    margin: f64,
    pieces: OnceLock<ConvexPieces>,
}

impl From<Superquadric> for SuperquadricShape {
    fn from(surface: Superquadric) -> Self {
        Self { surface, margin: 0.0, pieces: OnceLock::new() }
    }
}

impl SuperquadricShape {
    /// Returns the shape grown by `margin` in all directions.
    ///
    /// # Errors
    /// [`ConvexError`] for a margin that is negative, not finite or too large.
    pub fn with_margin(mut self, margin: f64) -> Result<Self, ConvexError> {
        self.margin = not_negative("margin", self.margin + not_negative("margin", margin)?)?;
        Ok(self)
    }

    /// Returns the superquadric within the margin.
    #[inline(always)]
    pub fn surface(&self) -> &Superquadric {
        &self.surface
    }

    /// Returns the margin around the superquadric, in metres.
    #[inline(always)]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns a box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        let core = self.surface.bounds();
        Aabb { min: core.min - self.margin, max: core.max + self.margin }
    }

    /// Returns convex sets around the superquadric and inside it, without the margin, made at the first request.
    pub fn convex_pieces(&self) -> &ConvexPieces {
        get_or_make_unlocked(&self.pieces, || self.surface.convex_pieces())
    }

    /// Computes area, volume, centroid and inertia at unit density.
    ///
    /// # Errors
    /// As [`Superquadric::measures`]; with a margin as [`RoundedMesh::measures`](crate::RoundedMesh::measures).
    pub fn measures(&self) -> Result<Measures, MassError> {
        if self.margin > 0.0 { self.surface.measures_within(self.margin) } else { self.surface.measures() }
    }
}
