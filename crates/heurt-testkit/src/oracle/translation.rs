//! Least translation that separates two unions of few convex parts, by trying every place where it can end.
//!
//! Two parts overlap while the translation is inside the Minkowski difference of both, a convex polytope. The nearest
//! point that is inside of none of these polytopes is the foot of the origin on a facet's plane, on the line of two, or
//! the point of three: all of them are tried. Rounded, with a tolerance of 1e-9 for sizes of approximately 1. Cost:
//! planes³.

use heurt_geometry::{ConvexHull, Vec3};

/// A point counts as inside a polytope if it is deeper in it than this.
const DEEP: f64 = 1e-9;
/// Radius of the search for a free place next to a candidate.
const BESIDE: f64 = 1e-7;

type Plane = (Vec3, f64);

/// Computes the length of the least translation of `b` after which the insides share no point. Parts are corners of
/// convex sets with an inside, sizes approximately 1.
pub fn least_translation(a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> f64 {
    let obstacles: Vec<Vec<Plane>> = a.iter().flat_map(|p| b.iter().map(|q| difference(p, q))).collect();
    let planes: Vec<Plane> = obstacles.iter().flatten().copied().collect();
    let mut least = f64::INFINITY;
    let mut offer = |place: Vec3| {
        let length = place.length();
        if length < least && is_free_beside(&obstacles, place) {
            least = length;
        }
    };
    offer(Vec3::ZERO);
    for (i, &(n, d)) in planes.iter().enumerate() {
        offer(n * d);
        for (j, &(m, e)) in planes.iter().enumerate().skip(i + 1) {
            let along = n.cross(m);
            let sine_sq = along.length_squared();
            if sine_sq < 1e-12 {
                continue;
            }
            let foot = (m.cross(along) * d + along.cross(n) * e) / sine_sq;
            offer(foot);
            for &(k, f) in &planes[j + 1..] {
                let cosine = k.dot(along);
                if cosine.abs() > 1e-6 {
                    offer(foot + along * ((f - k.dot(foot)) / cosine));
                }
            }
        }
    }
    least
}

/// Computes the planes of the facets of the difference of two hulls, each once.
fn difference(p: &[Vec3], q: &[Vec3]) -> Vec<Plane> {
    let points: Vec<Vec3> = p.iter().flat_map(|p| q.iter().map(move |q| *p - *q)).collect();
    let hull = ConvexHull::new(&points).expect("finite points");
    let mut planes: Vec<Plane> = Vec::new();
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let normal = (b - a).cross(c - a);
        // Slivers have no reliable normal; their neighbours have.
        if normal.length() < 1e-9 {
            continue;
        }
        let normal = normal.normalize();
        let height = points.iter().map(|point| normal.dot(*point)).fold(f64::NEG_INFINITY, f64::max);
        if !planes.iter().any(|(other, _)| other.dot(normal) > 1.0 - 1e-12) {
            planes.push((normal, height));
        }
    }
    planes
}

fn is_free_beside(obstacles: &[Vec<Plane>], place: Vec3) -> bool {
    let is_free = |place: Vec3| {
        !obstacles.iter().any(|planes| planes.iter().all(|(normal, height)| normal.dot(place) < height - DEEP))
    };
    let steps = (0..27).map(|k| Vec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1)));
    steps.into_iter().any(|step| is_free(place + step * BESIDE))
}
