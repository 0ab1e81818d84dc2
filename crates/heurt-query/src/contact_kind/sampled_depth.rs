//! Sampled penetration depth of overlapping meshes: an estimate without proof ([`contact`](crate::contact()) proves, at
//! a higher cost).
//!
//! In: two placed meshes. Out: a depth in metres, and its place.
//! Method: the samples are corners, middles of sides and of triangles of each mesh within the box of the opposite mesh.
//! The result is the largest distance of a sample inside from the boundary.
//! Guarantees: a point of a mesh has this depth in the opposite mesh. Points that are no samples may be deeper; in a
//! mesh that is not solid no point counts. Cost: at most [`MAX_PLACES`] nearest points a mesh.

use crate::closest::closest;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{MeshShape, ShapeRef};

/// Limit of samples of each mesh.
const MAX_PLACES: usize = 4096;

/// Finds the deepest sample, in the world, and its depth; 0 if none is inside. The first sample deeper than `enough`
/// metres ends the search.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::cuboid;
/// use heurt_query::contact_kind::sampled_depth;
/// use heurt_shape::MeshShape;
/// let cube = MeshShape::new(cuboid([0.5; 3])?)?;
/// let moved = Pose::from_translation(Vec3::new(0.9, 0.2, 0.3))?;
/// let (depth, _) = sampled_depth((&cube, &Pose::IDENTITY), (&cube, &moved), f64::INFINITY);
/// assert!((depth - 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sampled_depth(a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), enough: f64) -> (f64, Vec3) {
    let mut deepest = (0.0, Vec3::ZERO);
    for (of, (within, pose)) in [(a, b), (b, a)] {
        let bounds = ShapeRef::Mesh(within).bounds_at(pose);
        for place in places(of).filter(|&place| bounds.contains(place)) {
            let under = closest(within, pose, place).signed_distance.map_or(0.0, |signed| -signed);
            if under > deepest.0 {
                deepest = (under, place);
            }
            if deepest.0 > enough {
                return deepest;
            }
        }
    }
    deepest
}

/// Returns samples spread over a surface, in the world.
fn places<'a>((shape, pose): (&'a MeshShape, &'a Pose)) -> impl Iterator<Item = Vec3> + 'a {
    let mesh = shape.mesh();
    let count = mesh.triangles().len() as u32;
    let stride = (7 * count as usize).div_ceil(MAX_PLACES).max(1);
    let of_triangle = move |triangle: u32| {
        let [p, q, r] = mesh.corners(triangle);
        [p, q, r, (p + q) * 0.5, (q + r) * 0.5, (r + p) * 0.5, (p + q + r) / 3.0]
    };
    (0..count).step_by(stride).flat_map(of_triangle).map(|place| pose.place(place))
}
