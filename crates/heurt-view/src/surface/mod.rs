//! Triangle surfaces of shapes of any kind, for display.
//!
//! In: a [`Shape`]. Out: a [`Surface`] in the frame of the shape, in metres.
//! Method: meshes are taken as they are, hulls by their facets, curved shapes by inscribed polyhedra (`convex`),
//! compounds by the union of their parts' surfaces. A half-space is a square of its boundary plane.
//! Not guaranteed: the vertices of a mesh with a margin move along their mean normals, so that sharp edges are not
//! rounded.

mod convex;

use heurt_geometry::{Draw, DrawSink, Meaning, Pose, Vec3};
use heurt_mesh::{TriMesh, feature_edges};
use heurt_shape::{RoundedMesh, Shape, Superquadric, SuperquadricShape};

/// Faces that meet at a larger angle, in radians, have a feature edge: 30°, as most modellers draw.
const FEATURE_ANGLE: f64 = std::f64::consts::PI / 6.0;

/// Triangles and feature edges that show a shape, in its frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// Vertices, in metres.
    pub vertices: Vec<Vec3>,
    /// Indices of the corners, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Edges between faces that meet at more than 30°, and edges of one face only, as indices of vertices.
    pub edges: Vec<[u32; 2]>,
}

/// Fineness of curved faces, and the size of faces without bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceOptions {
    /// Number of edges around a full circle; at least 4.
    pub segments: u32,
    /// Half the side of the square that shows a half-space, in metres.
    pub plane_half_size: f64,
}

impl Default for SurfaceOptions {
    /// 32 segments: the sagitta is 0.5 % of the radius, less than a pixel for a circle of 200 pixels.
    fn default() -> Self {
        Self { segments: 32, plane_half_size: 10.0 }
    }
}

impl Surface {
    /// Returns the surface of a mesh: its vertices and triangles, and its feature edges.
    pub fn of_mesh(mesh: &TriMesh) -> Self {
        let edges = feature_edges(mesh, FEATURE_ANGLE).unwrap_or_default();
        Self {
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
            edges: edges.into_iter().map(|edge| edge.vertices).collect(),
        }
    }

    /// Appends a surface, placed by `pose`.
    pub fn append(&mut self, other: &Self, pose: &Pose) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices.iter().map(|vertex| pose.place(*vertex)));
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
        self.edges.extend(other.edges.iter().map(|ends| ends.map(|end| end + first)));
    }

    /// Reports whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.edges.is_empty()
    }
}

impl Draw for Surface {
    /// Draws the triangles, then the feature edges, in the frame of the shape. So any shape is drawn: by its
    /// [`surface_of`].
    fn draw(&self, sink: &mut dyn DrawSink) {
        let at = |index: u32| self.vertices[index as usize];
        self.triangles.iter().for_each(|corners| sink.draw_triangle(corners.map(at), Meaning::Surface));
        self.edges.iter().for_each(|ends| sink.draw_line(ends.map(at), Meaning::Edge));
    }
}

/// Builds the surface of a shape; it is empty for a point without a margin.
///
/// ```
/// use heurt_shape::{Convex, Shape};
/// use heurt_view::{SurfaceOptions, surface_of};
/// let cube = Shape::from(Convex::cuboid(heurt_geometry::Vec3::ONE)?);
/// let surface = surface_of(&cube, &SurfaceOptions::default());
/// assert_eq!((surface.triangles.len(), surface.edges.len()), (12, 12));
/// # Ok::<(), heurt_shape::ConvexError>(())
/// ```
pub fn surface_of(shape: &Shape, options: &SurfaceOptions) -> Surface {
    match shape {
        Shape::Mesh(mesh) => Surface::of_mesh(mesh.mesh()),
        Shape::Convex(convex) => convex::convex_surface(convex, options),
        Shape::Rounded(rounded) => rounded_surface(rounded),
        Shape::Superquadric(superquadric) => superquadric_surface(superquadric, options),
        Shape::Compound(compound) => {
            let mut all = Surface::default();
            for part in compound.parts() {
                all.append(&surface_of(&part.shape, options), &part.pose);
            }
            all
        }
    }
}

/// Moves the vertices of a mesh by its margin along their mean normals.
fn rounded_surface(rounded: &RoundedMesh) -> Surface {
    let mesh = rounded.mesh().mesh();
    let mut normals = vec![Vec3::ZERO; mesh.vertices().len()];
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|corner| mesh.vertices()[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        corners.iter().for_each(|corner| normals[*corner as usize] += normal);
    }
    let mut surface = Surface::of_mesh(mesh);
    for (vertex, normal) in surface.vertices.iter_mut().zip(normals) {
        *vertex += normal.normalize_or_zero() * rounded.margin();
    }
    surface
}

/// Meshes a superquadric that is not convex, its vertices moved by its margin along their normals.
fn superquadric_surface(shape: &SuperquadricShape, options: &SurfaceOptions) -> Surface {
    // A multiple of 8, as the arcs of both curves have eight eighths.
    let segments = options.segments.max(16).next_multiple_of(8);
    let mesh = match shape.surface() {
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.mesh(segments),
        Superquadric::Toroid(toroid) => toroid.mesh(segments),
    };
    let Ok(mesh) = mesh else { return Surface::default() };
    let mut surface = Surface::of_mesh(&mesh);
    if shape.margin() > 0.0 {
        for vertex in &mut surface.vertices {
            *vertex += shape.surface().normal(*vertex).unwrap_or(Vec3::ZERO) * shape.margin();
        }
    }
    surface
}
