//! Triangle surfaces of convex shapes: facets of hulls, inscribed polyhedra of curved faces.
//!
//! Method: spheres, cylinders, cones and ellipsoids come from the mesh generators. Any other core with a margin is the
//! hull of support points: for directions over the sphere, and for the normals of the facets of the core, so that its
//! flat faces stay flat.

use super::{Surface, SurfaceOptions};
use heurt_geometry::{ConvexHull, Dimension, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_shape::{Convex, Core, Hull, Round};

/// Subdivisions of the icosahedron for the directions of support points: 642 directions, 4.3° from each other.
const DIRECTION_LEVELS: u32 = 3;

/// Builds the surface of a convex shape.
pub(super) fn convex_surface(convex: &Convex, options: &SurfaceOptions) -> Surface {
    let margin = convex.margin();
    let built = match convex.core() {
        Core::HalfSpace { normal, offset } => return plane_square(*normal, *offset, margin, options.plane_half_size),
        Core::Hull(hull) if margin == 0.0 => return hull_surface(hull),
        Core::Hull(hull) if hull.corners().len() == 1 => {
            sphere(margin, options).map(|mesh| moved(mesh, hull.corners()[0]))
        }
        Core::Round(round) if margin == 0.0 => round_mesh(round, options),
        core => support_hull(convex, core),
    };
    built.map_or_else(Surface::default, |mesh| Surface::of_mesh(&mesh))
}

/// Returns the facets of a hull; a flat hull is its polygon, a segment one edge.
fn hull_surface(hull: &Hull) -> Surface {
    let vertices = hull.corners().to_vec();
    match hull.dimension() {
        Dimension::Point => return Surface::default(),
        Dimension::Segment => return Surface { vertices, edges: vec![[0, 1]], ..Surface::default() },
        Dimension::Planar | Dimension::Solid => {}
    }
    let triangles = hull.triangles().to_vec();
    match TriMesh::new(vertices, triangles) {
        Ok(mesh) => Surface::of_mesh(&mesh),
        Err(_) => Surface::default(),
    }
}

fn sphere(radius: f64, options: &SurfaceOptions) -> Option<TriMesh> {
    // An icosphere of n levels has approximately 5 · 2^n edges around a great circle.
    let levels = (f64::from(options.segments) / 5.0).log2().ceil().clamp(1.0, 5.0) as u32;
    generate::icosphere(radius, levels).ok()
}

fn moved(mesh: TriMesh, offset: Vec3) -> TriMesh {
    let mut mesh = mesh;
    let vertices: Vec<Vec3> = mesh.vertices().iter().map(|vertex| *vertex + offset).collect();
    // A move beyond the range of numbers leaves the mesh where it is.
    let _ = mesh.move_vertices(&vertices);
    mesh
}

fn round_mesh(round: &Round, options: &SurfaceOptions) -> Option<TriMesh> {
    let segments = options.segments.max(8);
    match *round {
        Round::Cylinder { radius, half_height } => generate::cylinder(radius, half_height, segments).ok(),
        Round::Cone { radius, half_height } => generate::cone(radius, half_height, segments).ok(),
        Round::Ellipsoid { radii } => {
            let ball = sphere(1.0, options)?;
            let (vertices, triangles) = ball.into_parts();
            TriMesh::new(vertices.into_iter().map(|vertex| vertex * radii).collect(), triangles).ok()
        }
        Round::Superellipsoid { radii, n1, n2 } => {
            let segments = segments.max(16).next_multiple_of(8);
            generate::superellipsoid(radii.to_array(), n1, n2, segments).ok()
        }
    }
}

/// Builds the hull of support points of a shape with a margin.
fn support_hull(convex: &Convex, core: &Core) -> Option<TriMesh> {
    let directions = generate::icosphere(1.0, DIRECTION_LEVELS).ok()?;
    let mut points: Vec<Vec3> = Vec::new();
    let sphere = directions.vertices().iter().copied();
    points.extend(sphere.filter_map(|direction| convex.support(direction)));
    if let Core::Hull(hull) = core {
        for facet in hull.facets() {
            let offset = facet.normal.normalize_or_zero() * convex.margin();
            points.extend(facet.corners.iter().map(|corner| hull.corners()[*corner as usize] + offset));
        }
    }
    let hull = ConvexHull::new(&points).ok()?;
    // Points within the hull are left out.
    let mut index_of = vec![u32::MAX; points.len()];
    hull.vertices().iter().zip(0..).for_each(|(point, index)| index_of[*point as usize] = index);
    let vertices = hull.vertices().iter().map(|point| points[*point as usize]).collect();
    let triangles = hull.triangles().iter().map(|corners| corners.map(|corner| index_of[corner as usize])).collect();
    TriMesh::new(vertices, triangles).ok()
}

/// Builds the square of the boundary plane around the foot of the origin.
fn plane_square(normal: Vec3, offset: f64, margin: f64, half: f64) -> Surface {
    let length = normal.length();
    let unit = normal.normalize_or(Vec3::Z);
    let centre = unit * (offset / length + margin);
    let (u, v) = unit.any_orthonormal_pair();
    let corner = |i: f64, j: f64| centre + (u * i + v * j) * half;
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    // The pair may be of either hand: the face looks along the normal.
    let is_direct = u.cross(v).dot(unit) > 0.0;
    let triangles = if is_direct { vec![[0, 1, 2], [0, 2, 3]] } else { vec![[0, 2, 1], [0, 3, 2]] };
    Surface { vertices, triangles, edges: vec![[0, 1], [1, 2], [2, 3], [0, 3]] }
}
