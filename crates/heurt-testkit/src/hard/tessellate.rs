//! Convex shapes as the hulls of many points of their surface: slow, and accurate as the number of points grows.

use heurt_geometry::{ConvexHull, Mat3, Vec3};
use heurt_mesh::{Measures, TriMesh, generate, measures};

/// Computes the hull of many points of a convex shape with an inside, given by its support function for unit vectors.
///
/// # Panics
/// For points that are not finite.
pub fn tessellated(farthest: impl Fn(Vec3) -> Vec3, pieces: u32) -> TriMesh {
    let sphere = generate::octasphere(1.0, pieces).expect("a sphere");
    let points: Vec<Vec3> = sphere.vertices().iter().map(|direction| farthest(direction.normalize())).collect();
    let hull = ConvexHull::new(&points).expect("finite points");
    TriMesh::new(points, hull.triangles().to_vec()).expect("a mesh")
}

/// Computes the measures of such a shape from those of two tessellations, whose errors decrease with the square of the
/// step.
pub fn measures_of_tessellation(farthest: impl Fn(Vec3) -> Vec3, pieces: u32) -> Measures {
    let [coarse, fine] = [pieces, 2 * pieces].map(|pieces| measures(&tessellated(&farthest, pieces)));
    let better = |coarse: f64, fine: f64| fine + (fine - coarse) / 3.0;
    let entries = |x: Mat3, y: Mat3| {
        let (x, y) = (x.to_cols_array(), y.to_cols_array());
        Mat3::from_cols_array(&std::array::from_fn(|k| better(x[k], y[k])))
    };
    Measures {
        area: better(coarse.area, fine.area),
        volume: coarse.volume.zip(fine.volume).map(|(x, y)| better(x, y)),
        centroid: coarse.centroid.zip(fine.centroid).map(|(x, y)| y + (y - x) / 3.0),
        inertia: coarse.inertia.zip(fine.inertia).map(|(x, y)| entries(x, y)),
        ..fine
    }
}
