//! Exact overlap test of a closed triangle and a closed axis-aligned box.
//!
//! In: `f64` corners. Out: whether the two share a point.
//! Method: separating axes (Akenine-Möller 2001), with exact signs in place of projected radii. Two disjoint convex
//! bodies are separated by a face of their Minkowski difference. Its normals are those of the box, of the triangle, and
//! cross products of an edge of each; in the third case the triangle lies on one side of its edge, seen along the edge
//! of the box, and the box strictly on the opposite side. Dropping a coordinate rounds nothing, so such a side is the
//! sign of `orient2d`. Which corner of the box is extreme follows from signs of differences, which are comparisons.
//! Guarantees: exact for all finite coordinates, degenerate triangles and boxes without volume included.
//! Cost: at most 21 determinants of two dimensions and 2 of three; most pairs end at the boxes.

use heurt_geometry::{Aabb, Sign, Triangle, Vec2, Vec3, orient2d, orient3d};

/// Reports whether the closed triangle and the closed box share a point, exactly.
///
/// ```
/// use heurt_geometry::{Aabb, Vec3};
/// use heurt_solid::triangle_meets_box;
/// let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
/// let [x, y, z] = [3.0, 3.0, 3.0].map(|at: f64| at);
/// assert!(triangle_meets_box(&[Vec3::X * x, Vec3::Y * y, Vec3::Z * z], &unit), "only the corner (1, 1, 1) touches");
/// assert!(!triangle_meets_box(&[Vec3::X * x.next_up(), Vec3::Y * y, Vec3::Z * z], &unit));
/// ```
pub fn triangle_meets_box(triangle: &Triangle, bounds: &Aabb) -> bool {
    if !Aabb::from_points(*triangle).overlaps(bounds) {
        return false;
    }
    if triangle.iter().any(|&corner| bounds.contains(corner)) {
        return true;
    }
    !plane_separates(triangle, bounds) && !(0..3).any(|axis| edge_separates(triangle, bounds, axis))
}

/// Returns the two axes across `axis`, in cyclic order.
fn cross_axes(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// Projects along an axis.
fn project(point: Vec3, axis: usize) -> Vec2 {
    let [u, v] = cross_axes(axis);
    Vec2::new(point[u], point[v])
}

/// Reports whether the box lies strictly on one side of the plane of the triangle.
fn plane_separates(triangle: &Triangle, bounds: &Aabb) -> bool {
    let &[a, b, c] = triangle;
    // The normal (b − a) × (c − a), by the signs of its components.
    let normal: [Sign; 3] = std::array::from_fn(|axis| orient2d(project(a, axis), project(b, axis), project(c, axis)));
    let corner =
        |up: Sign| Vec3::from(std::array::from_fn(|k| if normal[k] == up { bounds.max[k] } else { bounds.min[k] }));
    // The extreme corners against and along the normal.
    let ends = [corner(Sign::Negative), corner(Sign::Positive)].map(|corner| orient3d(a, b, c, corner));
    ends[0] == ends[1] && !ends[0].is_zero()
}

/// Reports whether an edge of the triangle, seen along an axis, separates the triangle from the box.
fn edge_separates(triangle: &Triangle, bounds: &Aabb, axis: usize) -> bool {
    let corners = triangle.map(|corner| project(corner, axis));
    let (min, max) = (project(bounds.min, axis), project(bounds.max, axis));
    (0..3).any(|k| {
        let [a, b, c] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
        // The determinant of a, b, p grows with p.y as b.x − a.x, and with p.x as a.y − b.y.
        let (right, up) = (a.y > b.y, b.x > a.x);
        let pick = |right: bool, up: bool| Vec2::new(if right { max.x } else { min.x }, if up { max.y } else { min.y });
        let third = orient2d(a, b, c);
        (third != Sign::Positive && orient2d(a, b, pick(!right, !up)) == Sign::Positive)
            || (third != Sign::Negative && orient2d(a, b, pick(right, up)) == Sign::Negative)
    })
}
