//! Orthonormal tangent basis of a contact normal.
//!
//! In: a unit normal. Out: two unit tangents; normal, first and second tangent are a right-handed basis.
//! Method: the coordinate axis with the least share in the normal is projected onto the tangent plane.
//! Guarantees: deterministic; the same normal gives the same tangents. Not guaranteed: continuity where the least axis
//! changes; a friction box then turns. Cost: constant.

use heurt_geometry::Vec3;

/// Computes the two tangents of a unit normal.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::tangent_basis;
/// let [first, second] = tangent_basis(Vec3::Z);
/// assert_eq!((first, second), (Vec3::X, Vec3::Y));
/// ```
pub fn tangent_basis(normal: Vec3) -> [Vec3; 2] {
    let size = normal.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        Vec3::X
    } else if size.y <= size.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let first = (axis - normal * normal.dot(axis)).normalize_or(axis);
    [first, normal.cross(first)]
}
