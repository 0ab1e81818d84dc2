//! Convex hull of points as a closed mesh.
//!
//! In: points, in the unit of the mesh. Out: a [`TriMesh`] over the extreme points, facing outward.
//! Method: [`ConvexHull`] (quickhull with exact predicates). Guarantees: every point is inside the hull or on it,
//! exactly; the vertices are points of the input, bit for bit, in their order. Facets of more than three corners come
//! as coplanar triangles. Points that span no volume are an error that names their dimension. Cost: O(n log n) on well
//! spread points.

use heurt_geometry::{ConvexHull, Dimension, HullError, Vec3};
use thiserror::Error;

use crate::{MeshError, TriMesh};

/// Errors of a hull with a volume.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HullMeshError {
    /// The points lie in one plane, on one line or at one place.
    #[error("the {count} points {}: give at least four points that do not lie in one plane", extent(*dimension))]
    Flat {
        /// The dimension that the points span.
        dimension: Dimension,
        /// The number of points.
        count: usize,
    },
    /// There are no points, too many of them, or one is not finite.
    #[error(transparent)]
    Points(#[from] HullError),
    /// The hull is too large for a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// States where flat points lie.
fn extent(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Point => "lie at one place",
        Dimension::Segment => "lie on one line",
        Dimension::Planar => "lie in one plane",
        Dimension::Solid => "span a volume",
    }
}

/// Computes the convex hull of points.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{convex_hull, measures};
/// let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(0.1)];
/// let hull = convex_hull(&points)?;
/// assert_eq!((hull.vertices().len(), hull.triangles().len()), (4, 4));
/// assert_eq!(measures(&hull).volume, Some(1.0 / 6.0));
/// # Ok::<(), heurt_mesh::HullMeshError>(())
/// ```
///
/// # Errors
/// [`HullMeshError`] if there is no point, if one is not finite, or if they span no volume.
pub fn convex_hull(points: &[Vec3]) -> Result<TriMesh, HullMeshError> {
    let hull = ConvexHull::new(points)?;
    if hull.dimension() != Dimension::Solid {
        return Err(HullMeshError::Flat { dimension: hull.dimension(), count: points.len() });
    }
    let vertices = hull.vertices().iter().map(|&index| points[index as usize]).collect();
    // The corners of a solid are listed in ascending order.
    let number = |index: u32| hull.vertices().partition_point(|&other| other < index) as u32;
    let triangles = hull.triangles().iter().map(|corners| corners.map(number)).collect();
    Ok(TriMesh::new(vertices, triangles)?)
}
