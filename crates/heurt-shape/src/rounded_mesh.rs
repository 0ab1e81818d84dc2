//! Mesh with a margin: all points within it of the mesh, or of the solid that the mesh bounds.

use crate::offset_mass::grown;
use crate::{ConvexError, MassError, MeshShape};
use heurt_geometry::{Aabb, Vec3, power_of_two_scale};
use heurt_mesh::{Measures, TriMesh, measures};
use std::sync::Arc;

/// A mesh and a margin round it.
#[derive(Debug, Clone)]
pub struct RoundedMesh {
    mesh: Arc<MeshShape>,
    margin: f64,
}

impl RoundedMesh {
    /// Creates the set of points within `margin` of a mesh.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_shape::{MeshShape, RoundedMesh};
    /// use std::sync::Arc;
    /// let part = Arc::new(MeshShape::new(generate::cuboid([0.5, 0.5, 0.5])?)?);
    /// // With a clearance of 1 cm around it.
    /// let guarded = RoundedMesh::new(part, 0.01)?;
    /// assert_eq!(guarded.bounds().max.x, 0.51);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a margin that is negative, not finite or too large.
    pub fn new(mesh: Arc<MeshShape>, margin: f64) -> Result<Self, ConvexError> {
        Ok(Self { mesh, margin: crate::convex::not_negative("margin", margin)? })
    }

    /// Returns the mesh within the margin.
    #[inline(always)]
    pub fn mesh(&self) -> &Arc<MeshShape> {
        &self.mesh
    }

    /// Returns the margin around the mesh, in metres.
    #[inline(always)]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns a box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        let mesh = self.mesh.bounds();
        Aabb { min: mesh.min - self.margin, max: mesh.max + self.margin }
    }

    /// Computes area, volume, centroid and inertia at unit density by lines through the shape (`offset_mass`): at best
    /// within 1e-6, and within [`SAMPLED`](crate::SAMPLED) by the difference of two sums. Components, Euler's
    /// characteristic and genus are those of the mesh, though a margin may join parts and close holes.
    ///
    /// # Errors
    /// [`MassError::TooThin`] for margins below 1e-12 of the size and for shapes that hardly any line meets,
    /// [`MassError::NotConverged`] if the sums differ too much.
    pub fn measures(&self) -> Result<Measures, MassError> {
        let mesh = self.mesh.mesh();
        let bare = measures(mesh);
        if self.margin == 0.0 {
            return Ok(bare);
        }
        let (centre, unit, triangles) = in_units(mesh, self.margin);
        let local = grown(&triangles, self.mesh.is_exact_solid(), self.margin * unit, None)?;
        let Measures { euler, components, genus, .. } = bare;
        Ok(Measures { euler, components, genus, ..local.in_metres(centre, unit) })
    }
}

/// Scales the triangles around the middle of their box to a unit in which they and a margin are approximately 1.
/// Returns the middle, the units in a metre, the triangles.
pub(crate) fn in_units(mesh: &TriMesh, margin: f64) -> (Vec3, f64, Vec<[Vec3; 3]>) {
    let (centre, half) = (mesh.bounds().centre(), mesh.bounds().half_extents().max_element());
    let unit = power_of_two_scale(half.max(margin));
    // Halves cannot overflow.
    let local = |&corners: &[u32; 3]| corners.map(|v| (mesh.vertices()[v as usize] * 0.5 - centre * 0.5) * unit * 2.0);
    (centre, unit, mesh.triangles().iter().map(local).collect())
}
