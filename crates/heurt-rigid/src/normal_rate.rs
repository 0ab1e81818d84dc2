//! Rate of change of a contact normal: vertex against face, edge against edge.
//!
//! In: the normal, angular velocities, directions of the edges. Out: ṅ in 1/s.
//! Method: S1. A face normal turns with the body of the face. The edge normal is n = s(E_a×E_b)/L, s = ±1; with
//! U = s(E_a×(ω_b×E_b) + (ω_a×E_a)×E_b) the quotient rule gives ṅ = (U − (U·n)n)/L.
//! Guarantees: the rate is perpendicular to the normal. Not guaranteed: a rate for contacts of smooth surfaces, whose
//! contact point moves over the surface. Cost: constant.

use heurt_geometry::Vec3;

/// Sine of the angle between two edges below which they count as parallel: their normal has no direction of its own.
const PARALLEL_SINE: f64 = 1e-9;

/// Computes the rate of the normal of a vertex against a face; `face_rate` is the angular velocity of the body that
/// the face belongs to.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::vertex_face_normal_rate;
/// assert_eq!(vertex_face_normal_rate(Vec3::X, Vec3::Z * 2.0), Vec3::Y * 2.0);
/// ```
pub fn vertex_face_normal_rate(normal: Vec3, face_rate: Vec3) -> Vec3 {
    face_rate.cross(normal)
}

/// Computes the rate of the normal of two edges; `rates` are the angular velocities of A and B. Returns `None` if the
/// edges are parallel: such edges are a face contact.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::edge_edge_normal_rate;
/// let rate = edge_edge_normal_rate(Vec3::Z, [Vec3::X, Vec3::Y], [Vec3::X, Vec3::X]);
/// assert_eq!(rate, Some(-Vec3::Y)); // both edges turn around X: so does their normal
/// assert_eq!(edge_edge_normal_rate(Vec3::Z, [Vec3::X, Vec3::X], [Vec3::X, Vec3::X]), None);
/// ```
pub fn edge_edge_normal_rate(normal: Vec3, edges: [Vec3; 2], rates: [Vec3; 2]) -> Option<Vec3> {
    let [edge_a, edge_b] = [edges[0].try_normalize()?, edges[1].try_normalize()?];
    let cross = edge_a.cross(edge_b);
    let length = cross.length();
    if length.is_nan() || length < PARALLEL_SINE {
        return None;
    }
    let sign = if cross.dot(normal) < 0.0 { -1.0 } else { 1.0 };
    let unit = cross * (sign / length);
    let change = edge_a.cross(rates[1].cross(edge_b)) + rates[0].cross(edge_a).cross(edge_b);
    let change = change * sign;
    Some((change - unit * change.dot(unit)) / length)
}
