//! Wireframe of a mesh: every edge once, or only the feature edges.
//!
//! In: a mesh. Out: edges as pairs of vertices (representatives: the lowest index of a vertex at the same place).
//! Method: the wireframe model of S3 (slides 6–8). Feature edges are edges whose faces meet at an angle, and edges that
//! are not between exactly two faces. A wireframe is ambiguous as a model of a solid (S3 slide 8): it is for drawing.
//! Guarantees: edges come by lower and then by upper vertex, none twice. Cost: O(n log n).

use heurt_geometry::{Triangle, Vec3};
use thiserror::Error;

use crate::{Edge, Topology, TriMesh};

/// An edge that shows the shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureEdge {
    /// The representatives of its ends, the lower first.
    pub vertices: [u32; 2],
    /// The reason why it is a feature edge.
    pub kind: FeatureKind,
}

/// The kind of a feature edge.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FeatureKind {
    /// Only one triangle has it.
    Boundary,
    /// More than two triangles have it.
    NonManifold,
    /// Its two triangles meet at this angle between their normals, in radians: 0 is flat, π is folded back.
    Crease {
        /// The angle.
        angle_rad: f64,
    },
}

/// Why feature edges cannot be reported.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WireframeError {
    /// The threshold is NaN, negative or above π.
    #[error("the feature angle is {angle_rad} rad: give an angle from 0 to π")]
    BadAngle {
        /// The threshold as given.
        angle_rad: f64,
    },
}

/// Returns all edges, each once; edges of collapsed triangles do not count.
///
/// ```
/// use heurt_mesh::{generate, wireframe};
/// assert_eq!(wireframe(&generate::tetrahedron(1.0)?).len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wireframe(mesh: &TriMesh) -> Vec<[u32; 2]> {
    Topology::new(mesh).edges().map(|edge| edge.vertices).collect()
}

/// Finds the edges whose triangles' normals have an angle of at least `angle_rad`, and all edges not between exactly
/// two triangles.
///
/// A triangle of no area has no normal: its edges count as flat.
///
/// ```
/// use heurt_mesh::{feature_edges, generate};
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// assert_eq!(feature_edges(&cube, 0.5)?.len(), 12, "diagonals of the sides are flat");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WireframeError::BadAngle`] on a threshold outside 0 … π.
pub fn feature_edges(mesh: &TriMesh, angle_rad: f64) -> Result<Vec<FeatureEdge>, WireframeError> {
    if !(0.0..=std::f64::consts::PI).contains(&angle_rad) {
        return Err(WireframeError::BadAngle { angle_rad });
    }
    let topology = Topology::new(mesh);
    let normals: Vec<Vec3> = (0..mesh.triangles().len() as u32).map(|index| unit_normal(mesh.corners(index))).collect();
    let kind = |edge: &Edge| match edge.degree() {
        1 => Some(FeatureKind::Boundary),
        2 => {
            let found = crease(edge, &normals);
            (found >= angle_rad).then_some(FeatureKind::Crease { angle_rad: found })
        }
        _ => Some(FeatureKind::NonManifold),
    };
    Ok(topology
        .edges()
        .filter_map(|edge| kind(&edge).map(|kind| FeatureEdge { vertices: edge.vertices, kind }))
        .collect())
}

/// Computes the angle between the two normals at an edge, one of them reversed if the triangles disagree on which side
/// is out.
fn crease(edge: &Edge, normals: &[Vec3]) -> f64 {
    let mut faces = edge.triangles().map(|triangle| normals[triangle as usize]);
    let (Some(first), Some(second)) = (faces.next(), faces.next()) else { return 0.0 };
    let second = if edge.is_oriented() { second } else { -second };
    libm::atan2(first.cross(second).length(), first.dot(second))
}

/// Computes the outward normal of length 1; zero for a triangle of no area (the angle of zero vectors is 0: flat).
fn unit_normal([a, b, c]: Triangle) -> Vec3 {
    // Scaled so that products neither overflow nor vanish.
    let (u, v) = (b * 0.5 - a * 0.5, c * 0.5 - a * 0.5);
    let size = u.abs().max(v.abs()).max_element();
    if size == 0.0 {
        return Vec3::ZERO;
    }
    (u / size).cross(v / size).normalize_or_zero()
}
