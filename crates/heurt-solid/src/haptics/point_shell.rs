//! Point shell of a closed mesh: points on its surface with inward area vectors, in a tree of spheres.
//!
//! In: a closed, oriented mesh and a spacing in metres. Out: [`PointShell`] in the frame of the mesh.
//! Method: McNeely et al. 1999, with points on the surface (`surface_samples`) in place of the centres of voxels, and
//! with areas, so that forces do not depend on the density of the points.
//! Guarantees: each point of the surface is at most the spacing from a point of the shell. Inward area vectors of all
//! points sum to 0, up to rounding: a uniform pressure has no resultant.

use super::error::PointShellError;
use super::sphere_tree::{SphereNode, build_sphere_tree};
use super::surface_samples::sample_surface;
use heurt_geometry::Vec3;
use heurt_mesh::{Topology, TriMesh};

/// The greatest number of points of a shell: 48 bytes each.
pub const MAX_SHELL_POINTS: usize = 1 << 22;

/// A point of a shell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellPoint {
    /// On the surface, in the frame of the mesh, in metres.
    pub position: Vec3,
    /// The inward area vector in m²: its length is the area, its direction the inward normal.
    pub area: Vec3,
}

impl ShellPoint {
    /// Returns the inward unit normal; zero for a point without area.
    pub fn normal(&self) -> Vec3 {
        heurt_geometry::robust_normalize(self.area).unwrap_or(Vec3::ZERO)
    }
}

/// Points on the surface of a solid with inward normals, in a tree of spheres.
#[derive(Debug, Clone, PartialEq)]
pub struct PointShell {
    points: Vec<ShellPoint>,
    nodes: Vec<SphereNode>,
    spacing: f64,
    radius: f64,
}

impl PointShell {
    /// Samples a closed mesh.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate;
    /// use heurt_solid::PointShell;
    /// let shell = PointShell::of_mesh(&generate::cuboid([1.0; 3])?, 0.1)?;
    /// let area: f64 = shell.points().iter().map(|point| point.area.length()).sum();
    /// assert!((area - 24.0).abs() < 1e-9, "m²");
    /// let total: Vec3 = shell.points().iter().map(|point| point.area).sum();
    /// assert!(total.length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A mesh that is open or not oriented, a spacing out of range, or too many points.
    pub fn of_mesh(mesh: &TriMesh, spacing: f64) -> Result<Self, PointShellError> {
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(PointShellError::Spacing { spacing });
        }
        let topology = Topology::new(mesh);
        if !topology.is_closed() {
            return Err(PointShellError::OpenMesh { triangles: mesh.triangles().len() });
        }
        if !topology.is_oriented() {
            return Err(PointShellError::Inconsistent);
        }
        let samples = sample_surface(mesh, spacing)?;
        let inward = if encloses_negative_volume(mesh) { 1.0 } else { -1.0 };
        let positions: Vec<Vec3> = samples.iter().map(|sample| sample.point).collect();
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        let nodes = build_sphere_tree(&positions, &mut order);
        let points: Vec<ShellPoint> = order
            .iter()
            .map(|&number| &samples[number as usize])
            .map(|sample| ShellPoint { position: sample.point, area: sample.area * inward })
            .collect();
        let radius = positions.iter().map(|point| point.length()).fold(0.0, f64::max);
        Ok(Self { points, nodes, spacing, radius })
    }

    /// Returns the points, near points next to each other.
    pub fn points(&self) -> &[ShellPoint] {
        &self.points
    }

    /// Returns the spacing in metres.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Returns the greatest distance of a point from the origin of the frame, in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the memory of the shell in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.points) + size_of_val(&*self.nodes)
    }

    pub(super) fn nodes(&self) -> &[SphereNode] {
        &self.nodes
    }
}

/// Reports whether the mesh is inside out as a whole.
fn encloses_negative_volume(mesh: &TriMesh) -> bool {
    let bounds = mesh.bounds();
    let scale = heurt_geometry::power_of_two_scale((bounds.max - bounds.min).max_element());
    let at = |corner: Vec3| (corner - bounds.min) * scale;
    let volume: f64 = (0..mesh.triangles().len() as u32)
        .map(|number| mesh.corners(number).map(at))
        .map(|[a, b, c]| a.cross(b).dot(c))
        .sum();
    volume < 0.0
}
