//! Exact predicates of triangles, segments and hulls by definition, in integers.
//!
//! Coordinates become integers over one common power of two, so that nothing is rounded. Two convex sets meet when the
//! origin lies in the hull of their differences; by Carathéodory's theorem it then lies in a simplex of at most four of
//! them. No plane, no interval and no projection of the tested code appears here.

use crate::number::whole::{
    Big, Fraction, cross, determinant, dot, integers, integers_and_power, is_zero, minus, sign, square_root,
};
use heurt_geometry::{Pose, Triangle, Vec3};
use heurt_mesh::TriMesh;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// Reports whether the closed triangles, degenerate or not, share a point.
pub fn triangles_intersect(x: &Triangle, y: &Triangle) -> bool {
    let points = integers(&[x[0], x[1], x[2], y[0], y[1], y[2]]);
    let differences: Vec<Big> = (0..9).map(|k| minus(&points[k / 3], &points[3 + k % 3])).collect();
    hull_holds_origin(&differences)
}

/// Reports whether the convex hull of `points` holds `p`: some simplex of at most four of them does.
pub fn hull_holds(points: &[Vec3], p: Vec3) -> bool {
    let all: Vec<Vec3> = points.iter().copied().chain([p]).collect();
    let whole = integers(&all);
    let differences: Vec<Big> = whole[..points.len()].iter().map(|q| minus(q, &whole[points.len()])).collect();
    hull_holds_origin(&differences)
}

/// Tries every simplex of one to four points.
pub(crate) fn hull_holds_origin(points: &[Big]) -> bool {
    let n = points.len();
    if points.iter().any(is_zero) {
        return true;
    }
    // The sign of the determinant of points i < j < k.
    let mut volume = vec![0; n * n * n];
    for i in 0..n {
        for j in i + 1..n {
            let normal = cross(&points[i], &points[j]);
            if is_zero(&normal) && !dot(&points[i], &points[j]).is_positive() {
                return true;
            }
            for k in j + 1..n {
                let sign = sign(&dot(&normal, &points[k]));
                if sign == 0 && triangle_holds_origin(&points[i], &points[j], &points[k]) {
                    return true;
                }
                volume[(i * n + j) * n + k] = sign;
            }
        }
    }
    let of = |i: usize, j: usize, k: usize| volume[(i * n + j) * n + k];
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                for l in k + 1..n {
                    // The barycentric coordinates of the origin times the volume of the simplex, which is their sum.
                    let weights = [of(j, k, l), -of(i, k, l), of(i, j, l), -of(i, j, k)];
                    let inside = weights.iter().all(|w| *w >= 0) || weights.iter().all(|w| *w <= 0);
                    if inside && weights != [0; 4] {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Tests a triangle whose plane holds the origin.
fn triangle_holds_origin(a: &Big, b: &Big, c: &Big) -> bool {
    let normal = cross(&minus(b, a), &minus(c, a));
    !is_zero(&normal) && [(a, b), (b, c), (c, a)].iter().all(|(p, q)| !dot(&cross(p, q), &normal).is_negative())
}

/// Computes the sign of ((b − a) × (c − a)) · (d − a).
pub fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i32 {
    let p = integers(&[a, b, c, d]);
    sign(&determinant(&minus(&p[1], &p[0]), &minus(&p[2], &p[0]), &minus(&p[3], &p[0])))
}

/// Reports whether the line `origin` + t · `direction` meets the plane of `triangle` at a t within `error` of
/// `parameter`.
pub fn meets_plane_near(origin: Vec3, direction: Vec3, triangle: &Triangle, parameter: f64, error: f64) -> bool {
    let [a, b, c] = *triangle;
    let p = integers(&[origin, direction, a, b, c, Vec3::new(parameter, error, 1.0)]);
    let normal = cross(&minus(&p[3], &p[2]), &minus(&p[4], &p[2]));
    let (height, along) = (dot(&minus(&p[2], &p[0]), &normal), dot(&p[1], &normal));
    let [parameter, error, one] = &p[5];
    (parameter * &along - height * one).magnitude() <= (error * along).magnitude()
}

/// Computes a sign that is positive if the last point is inside the sphere through the first four, taken positively
/// oriented: minus the 5×5 determinant of (x, y, z, x² + y² + z², 1), summed over permutations.
pub fn insphere(points: [Vec3; 5]) -> i32 {
    let p = integers(&points);
    let rows: Vec<[BigInt; 5]> =
        p.iter().map(|[x, y, z]| [x.clone(), y.clone(), z.clone(), x * x + y * y + z * z, BigInt::from(1)]).collect();
    let mut columns = vec![0, 1, 2, 3, 4];
    -sign(&by_permutations(&rows, &mut columns, 0))
}

fn by_permutations(rows: &[[BigInt; 5]], columns: &mut [usize], row: usize) -> BigInt {
    if row == rows.len() {
        return BigInt::from(1);
    }
    let mut sum = BigInt::zero();
    for k in row..columns.len() {
        columns.swap(row, k);
        let term = &rows[row][columns[row]] * by_permutations(rows, columns, row + 1);
        sum += if k == row { term } else { -term };
        columns.swap(row, k);
    }
    sum
}

/// Computes the winding number of the closed surface around `point`, or `None` on it: signed crossings of a segment to
/// a far point, which is chosen again until it meets no edge.
///
/// # Panics
/// When a thousand segments in a row meet edges: such triangles are no test case.
pub fn winding(triangles: &[Triangle], point: Vec3) -> Option<i32> {
    let holds = |t: &Triangle| heurt_geometry::Aabb::from_points(*t).contains(point);
    if triangles.iter().any(|t| holds(t) && triangles_intersect(t, &[point; 3])) {
        return None;
    }
    let bounds = heurt_geometry::Aabb::from_points(triangles.iter().flatten().copied());
    if !bounds.contains(point) {
        return Some(0);
    }
    let reach =
        triangles.iter().flatten().map(|p| p.abs().max_element()).fold(point.abs().max_element(), f64::max) * 8.0;
    let mut random = crate::number::random::Random::new(1);
    for _ in 0..1000 {
        let far = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 1.0) * reach;
        if let Some(winding) = signed_crossings(triangles, point, far) {
            return Some(winding);
        }
    }
    panic!("a thousand random segments from {point} each meet an edge of the {} triangles", triangles.len());
}

/// `None` when the segment meets an edge or lies in a plane.
fn signed_crossings(triangles: &[Triangle], from: Vec3, to: Vec3) -> Option<i32> {
    let mut winding = 0;
    for t in triangles {
        let (before, after) = (orient3d(t[0], t[1], t[2], from), orient3d(t[0], t[1], t[2], to));
        let turns = [0, 1, 2].map(|e| orient3d(from, to, t[e], t[(e + 1) % 3]));
        let degenerate = before == 0 && after == 0 && turns == [0; 3];
        if degenerate {
            continue;
        }
        let crosses_plane = before * after <= 0;
        let within = turns.iter().all(|s| *s >= 0) || turns.iter().all(|s| *s <= 0);
        if crosses_plane && within {
            if before * after == 0 || turns.contains(&0) {
                return None;
            }
            winding += after;
        }
    }
    Some(winding)
}

/// The triangles of `mesh` as the contract places them.
pub fn placed(mesh: &TriMesh, pose: &Pose) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| pose.place(p))).collect()
}

/// Every intersecting pair of placed triangles, by trying all of them (boxes first).
pub fn intersecting_pairs(a: &[Triangle], b: &[Triangle]) -> Vec<[u32; 2]> {
    let bounds = |t: &Triangle| heurt_geometry::Aabb::from_points(*t);
    let boxes: Vec<_> = b.iter().map(bounds).collect();
    let mut found = Vec::new();
    for (i, x) in a.iter().enumerate() {
        let of_x = bounds(x);
        for (j, y) in b.iter().enumerate() {
            if of_x.overlaps(&boxes[j]) && triangles_intersect(x, y) {
                found.push([i as u32, j as u32]);
            }
        }
    }
    found
}

/// Reports whether two placed meshes share a point, the closed ones taken as solids when `solid` states so.
pub fn overlap(a: &[Triangle], solid_a: bool, b: &[Triangle], solid_b: bool) -> bool {
    let inside = |points: &[Triangle], of: &[Triangle]| points.iter().any(|t| winding(of, t[0]).is_none_or(|w| w != 0));
    !intersecting_pairs(a, b).is_empty() || solid_b && inside(a, b) || solid_a && inside(b, a)
}

/// The distance of two closed triangles, degenerate or not, rounded a few units in the last place: 0 where they share a
/// point, else the least of all corners, edges and faces against each other.
pub fn triangle_distance(x: &Triangle, y: &Triangle) -> f64 {
    if triangles_intersect(x, y) {
        return 0.0;
    }
    let (p, power) = integers_and_power(&[x[0], x[1], x[2], y[0], y[1], y[2]]);
    let (x, y) = (&p[..3], &p[3..]);
    let difference = minus(&x[0], &y[0]);
    let mut least = Fraction { over: dot(&difference, &difference), under: BigInt::from(1) };
    for (t, other) in [(x, y), (y, x)] {
        for corner in other {
            for k in 0..3 {
                let difference = minus(corner, &t[k]);
                least = least.lesser(Some(Fraction { over: dot(&difference, &difference), under: BigInt::from(1) }));
                least = least.lesser(corner_to_edge(corner, &t[k], &t[(k + 1) % 3]));
            }
            least = least.lesser(corner_to_face(corner, t));
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            least = least.lesser(edge_to_edge([&x[i], &x[(i + 1) % 3]], [&y[j], &y[(j + 1) % 3]]));
        }
    }
    square_root(&least, power)
}

/// To the inside of an edge.
fn corner_to_edge(p: &Big, a: &Big, b: &Big) -> Option<Fraction> {
    let (edge, offset) = (minus(b, a), minus(p, a));
    let (whole, part) = (dot(&edge, &edge), dot(&offset, &edge));
    let is_beside = part.is_positive() && part < whole;
    is_beside.then(|| Fraction { over: dot(&offset, &offset) * &whole - &part * &part, under: whole })
}

/// To the inside of a face.
fn corner_to_face(p: &Big, t: &[Big]) -> Option<Fraction> {
    let normal = cross(&minus(&t[1], &t[0]), &minus(&t[2], &t[0]));
    let is_inside = |k: usize| {
        let edge = minus(&t[(k + 1) % 3], &t[k]);
        dot(&cross(&normal, &edge), &minus(p, &t[k])).is_positive()
    };
    if is_zero(&normal) || !(0..3).all(is_inside) {
        return None;
    }
    let height = dot(&normal, &minus(p, &t[0]));
    Some(Fraction { over: &height * &height, under: dot(&normal, &normal) })
}

/// Along the common perpendicular where it ends on both edges.
fn edge_to_edge([a, b]: [&Big; 2], [c, d]: [&Big; 2]) -> Option<Fraction> {
    let (along, other, between) = (minus(b, a), minus(d, c), minus(c, a));
    let across = cross(&along, &other);
    let whole = dot(&across, &across);
    let (s, t) = (dot(&cross(&between, &other), &across), dot(&cross(&between, &along), &across));
    let is_on = |share: &BigInt| !share.is_negative() && share <= &whole;
    if is_zero(&across) || !is_on(&s) || !is_on(&t) {
        return None;
    }
    let height = dot(&across, &between);
    Some(Fraction { over: &height * &height, under: whole })
}

/// The distance of two placed meshes, the closed ones taken as solids when `solid` states so, by trying all pairs.
pub fn distance(a: &[Triangle], solid_a: bool, b: &[Triangle], solid_b: bool) -> f64 {
    if overlap(a, solid_a, b, solid_b) {
        return 0.0;
    }
    a.iter().flat_map(|x| b.iter().map(move |y| triangle_distance(x, y))).fold(f64::INFINITY, f64::min)
}
