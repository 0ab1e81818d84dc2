//! Exact point-in-tetrahedron test, and barycentric coordinates.
//!
//! In: any finite points; flat tetrahedra too. Out: no, or barycentric coordinates.
//! Method: replace each corner in turn by the point: the point is inside if the orientation stays or vanishes each
//! time: five exact signs. The coordinates are the volumes of the four tetrahedra over their sum. They are computed
//! relative to the point as origin and scaled, so that neither offsets nor sizes cost digits or overflow. A flat
//! tetrahedron is the union of its four faces: the first that holds the point gives the coordinates.
//! Guarantees: the decision is exact, touching counts. Coordinates are in [0, 1] and sum to 1 within rounding; one is 0
//! exactly where the point lies on the opposite face of a tetrahedron with volume. Not guaranteed: small relative
//! errors of the coordinates in slivers.

use heurt_geometry::{Sign, Triangle, Vec3, orient3d, point_on_triangle};

/// Reports whether `point` lies in the closed tetrahedron.
pub fn is_in_tet(point: Vec3, tet: &[Vec3; 4]) -> bool {
    match signs(point, tet) {
        Some(signs) => signs.is_some(),
        None => face_with(point, tet).is_some(),
    }
}

/// Returns the barycentric coordinates of `point` in the closed tetrahedron, corner by corner; `None` if it is outside.
pub fn barycentric_coordinates(point: Vec3, tet: &[Vec3; 4]) -> Option<[f64; 4]> {
    match signs(point, tet) {
        Some(signs) => signs.map(|signs| solid_coordinates(point, tet, signs)),
        None => face_with(point, tet).map(|missing| flat_coordinates(point, tet, missing)),
    }
}

/// Returns `None` for a flat tetrahedron; `Some(None)` for a point outside; else which coordinates are above 0.
#[inline(always)]
fn signs(point: Vec3, &[a, b, c, d]: &[Vec3; 4]) -> Option<Option<[bool; 4]>> {
    let whole = orient3d(a, b, c, d);
    if whole.is_zero() {
        return None;
    }
    // After multiplication by the sign of the whole, a coordinate is negative exactly if its sign is.
    let replaced = [[point, b, c, d], [a, point, c, d], [a, b, point, d], [a, b, c, point]];
    let mut positive = [false; 4];
    for ([a, b, c, d], positive) in replaced.into_iter().zip(&mut positive) {
        match orient3d(a, b, c, d).times(whole) {
            Sign::Negative => return Some(None),
            Sign::Zero => (),
            Sign::Positive => *positive = true,
        }
    }
    Some(Some(positive))
}

/// Returns the corners relative to the point, in a unit near their largest coordinate.
fn local(point: Vec3, tet: &[Vec3; 4]) -> [Vec3; 4] {
    // Halves cannot overflow.
    let halves = tet.map(|corner| corner * 0.5 - point * 0.5);
    let size = halves.iter().fold(0.0f64, |size, p| size.max(p.abs().max_element()));
    let (_, exponent) = libm::frexp(size);
    // Clamped so that the factor is a normal number.
    let factor = libm::ldexp(1.0, (-exponent).clamp(-1000, 1000));
    halves.map(|p| p * factor)
}

fn solid_coordinates(point: Vec3, tet: &[Vec3; 4], positive: [bool; 4]) -> [f64; 4] {
    let [a, b, c, d] = local(point, tet);
    let volumes = [b.cross(c).dot(d), a.cross(d).dot(c), a.cross(b).dot(d), a.cross(c).dot(b)];
    // The exact signs take precedence: all four volumes are positive or all negative, up to rounding.
    let whole: f64 = volumes.iter().sum();
    let turned = |i: usize| if positive[i] { (volumes[i] * whole.signum()).max(0.0) } else { 0.0 };
    let weights = [turned(0), turned(1), turned(2), turned(3)];
    normalised(weights).unwrap_or_else(|| {
        // The tetrahedron is so thin that its volume is lost in rounding. The nearest corner with a positive sign is
        // then an answer.
        let distance = |i: usize| [a, b, c, d][i].length_squared();
        let nearest = (0..4).filter(|&i| positive[i]).min_by(|&i, &j| distance(i).total_cmp(&distance(j)));
        let mut only = [0.0; 4];
        only[nearest.unwrap_or(0)] = 1.0;
        only
    })
}

/// Returns the weights divided by their sum.
fn normalised<const N: usize>(weights: [f64; N]) -> Option<[f64; N]> {
    let sum: f64 = weights.iter().sum();
    (sum > 0.0 && sum.is_finite()).then(|| weights.map(|weight| weight / sum))
}

/// Returns the corner whose opposite face holds the point.
fn face_with(point: Vec3, tet: &[Vec3; 4]) -> Option<usize> {
    (0..4).find(|&missing| point_on_triangle(point, &face(tet, missing)))
}

fn face(tet: &[Vec3; 4], missing: usize) -> Triangle {
    others(missing).map(|corner| tet[corner])
}

fn others(missing: usize) -> [usize; 3] {
    [1, 2, 3].map(|step| (missing + step) % 4)
}

fn flat_coordinates(point: Vec3, tet: &[Vec3; 4], missing: usize) -> [f64; 4] {
    let corners = others(missing);
    let at = corners.map(|corner| local(point, tet)[corner]);
    let weights = in_triangle(&at).unwrap_or_else(|| on_segment(&at));
    let mut coordinates = [0.0; 4];
    for (corner, weight) in corners.into_iter().zip(weights) {
        coordinates[corner] = weight;
    }
    coordinates
}

/// Returns the weights of the origin in a triangle; `None` if it has no area.
fn in_triangle(&[a, b, c]: &Triangle) -> Option<[f64; 3]> {
    let normal = (b - a).cross(c - a);
    let areas = [b.cross(c), c.cross(a), a.cross(b)].map(|area| area.dot(normal).max(0.0));
    normalised(areas)
}

/// Returns the weights of the origin on a triangle that is a segment or a point: on its longest edge.
fn on_segment(at: &Triangle) -> [f64; 3] {
    let length = |&(i, j): &(usize, usize)| (at[i] - at[j]).length_squared();
    let edges = [(0, 1), (1, 2), (2, 0)];
    let (i, j) = edges.into_iter().max_by(|x, y| length(x).total_cmp(&length(y))).unwrap_or((0, 1));
    let mut weights = [0.0; 3];
    let (from, to) = (at[i].length(), at[j].length());
    let share = if from + to > 0.0 { from / (from + to) } else { 0.0 };
    (weights[i], weights[j]) = (1.0 - share, share);
    weights
}
