//! Choice of the axes of an oriented box.
//!
//! In: points and the facing of their primitives. Out: three orthonormal axes.
//! Method: S0 §4.5.6. The covariance of the raw vertices (S2 §4.2) is biased towards regions with dense vertices; the
//! covariance of the convex hull's triangles is not. [`BoxAxes::Best`] tries both kinds of covariance on extreme points
//! only. It also lays boxes flat on the surface at several angles, and keeps the box with the least surface.
//! Cost: O(n), except [`BoxAxes::Hull`], which builds the hull.

use super::PointCloud;
use crate::volume::point_cloud::range;
use heurt_geometry::{ConvexHull, Mat3, Vec3};

/// Method to choose the axes of oriented boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BoxAxes {
    /// The eigenvectors of the covariance of all vertices (S2 §4.2).
    Vertices,
    /// The eigenvectors of the covariance of the convex hull's triangles (S0 §4.5.6).
    Hull,
    /// The least surface among several candidates.
    #[default]
    Best,
}

impl BoxAxes {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vertices, Self::Hull, Self::Best];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertices => "vertices",
            Self::Hull => "hull",
            Self::Best => "best",
        }
    }
}

/// Maximum number of points of a set that is used whole; larger sets are reduced to their extreme points.
const FEW: usize = 32;
/// Number of angles, within a quarter turn, by which a box laid flat on the surface is rotated.
const ANGLES: usize = 8;

/// Returns the axes for `cloud`.
pub(super) fn least_axes(cloud: &PointCloud<'_>) -> [Vec3; 3] {
    match cloud.axes {
        BoxAxes::Vertices => eigenvectors(vertex_covariance(cloud.points)),
        BoxAxes::Hull => eigenvectors(hull_covariance(cloud.points)),
        BoxAxes::Best => {
            let extremes;
            let points = if cloud.points.len() <= FEW {
                cloud.points
            } else {
                extremes = extreme_points(cloud.points);
                &extremes
            };
            best_of(points, cloud)
        }
    }
}

/// Returns the candidate whose box has the least surface.
fn best_of(points: &[Vec3], cloud: &PointCloud<'_>) -> [Vec3; 3] {
    let of_vertices = eigenvectors(vertex_covariance(cloud.points));
    let mut best = ([Vec3::X, Vec3::Y, Vec3::Z], f64::INFINITY);
    let mut try_axes = |axes: [Vec3; 3]| {
        let [x, y, z] = axes.map(|axis| {
            let (least, greatest) = range(points, axis);
            greatest - least
        });
        let surface = x * y + y * z + z * x;
        if surface < best.1 {
            best = (axes, surface);
        }
    };
    try_axes([Vec3::X, Vec3::Y, Vec3::Z]);
    try_axes(of_vertices);
    try_axes(eigenvectors(vertex_covariance(points)));
    if let Some(normal) = cloud.facing.try_normalize() {
        let side = perpendicular(of_vertices[0], normal).or_else(|| perpendicular(of_vertices[1], normal));
        let side = side.unwrap_or_else(|| normal.any_orthonormal_vector());
        let other = normal.cross(side);
        for (sin, cos) in TURNS {
            let turned = side * cos + other * sin;
            try_axes([turned, normal.cross(turned), normal]);
        }
    }
    best.0
}

/// Sine and cosine of the angles within a quarter turn.
const TURNS: [(f64, f64); ANGLES] = {
    // sin and cos of k · 11.25°, k = 0 … 7.
    const S: [f64; 8] = [
        0.0,
        0.195_090_322_016_128_28,
        0.382_683_432_365_089_8,
        0.555_570_233_019_602_2,
        std::f64::consts::FRAC_1_SQRT_2,
        0.831_469_612_302_545_3,
        0.923_879_532_511_286_7,
        0.980_785_280_403_230_4,
    ];
    [(S[0], 1.0), (S[1], S[7]), (S[2], S[6]), (S[3], S[5]), (S[4], S[4]), (S[5], S[3]), (S[6], S[2]), (S[7], S[1])]
};

/// Returns `axes` rotated so that the axis closest to `facing` is aligned with it: used to update a box whose
/// primitives rotate.
pub(super) fn tilted_axes(axes: [Vec3; 3], facing: Vec3) -> [Vec3; 3] {
    let Some(normal) = facing.try_normalize() else { return axes };
    let closeness = axes.map(|axis| axis.dot(normal).abs());
    let k = (0..3).max_by(|&i, &j| closeness[i].total_cmp(&closeness[j])).unwrap_or(2);
    let side = perpendicular(axes[(k + 1) % 3], normal).unwrap_or_else(|| normal.any_orthonormal_vector());
    [side, normal.cross(side), normal]
}

/// Returns the unit vector along the component of `v` across the unit vector `normal`, unless that is nearly zero.
fn perpendicular(v: Vec3, normal: Vec3) -> Option<Vec3> {
    let across = v - normal * v.dot(normal);
    (across.length_squared() > 1e-12).then(|| across.normalize())
}

/// Directions of the extreme-point search: the directions of a 26-DOP, one of each two opposite ones.
const DIRECTIONS: [Vec3; 13] = [
    Vec3::new(1.0, 0.0, 0.0),
    Vec3::new(0.0, 1.0, 0.0),
    Vec3::new(0.0, 0.0, 1.0),
    Vec3::new(1.0, 1.0, 0.0),
    Vec3::new(1.0, -1.0, 0.0),
    Vec3::new(1.0, 0.0, 1.0),
    Vec3::new(1.0, 0.0, -1.0),
    Vec3::new(0.0, 1.0, 1.0),
    Vec3::new(0.0, 1.0, -1.0),
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(1.0, -1.0, -1.0),
];

/// Returns the points that are extreme along the directions of a 26-DOP.
pub(super) fn extreme_points(points: &[Vec3]) -> Vec<Vec3> {
    let mut ends = [[(f64::INFINITY, 0usize), (f64::NEG_INFINITY, 0usize)]; 13];
    for (index, point) in points.iter().enumerate() {
        for (end, direction) in ends.iter_mut().zip(&DIRECTIONS) {
            let along = direction.dot(*point);
            if along < end[0].0 {
                end[0] = (along, index);
            }
            if along > end[1].0 {
                end[1] = (along, index);
            }
        }
    }
    let mut chosen: Vec<usize> = ends.iter().flatten().map(|(_, index)| *index).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.into_iter().map(|index| points[index]).collect()
}

/// Returns the covariance of points with equal weights: upper triangle xx, xy, xz, yy, yz, zz.
fn vertex_covariance(points: &[Vec3]) -> [f64; 6] {
    let count = points.len() as f64;
    let mean = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / count;
    let mut sum = [0.0; 6];
    for point in points {
        add_square(&mut sum, *point - mean, 1.0 / count);
    }
    sum
}

/// Returns the covariance of the surface of the convex hull with a uniform weight.
fn hull_covariance(points: &[Vec3]) -> [f64; 6] {
    let Ok(hull) = ConvexHull::new(points) else { return vertex_covariance(points) };
    let corner = |index: u32| points[index as usize];
    if hull.triangles().is_empty() {
        let extremes: Vec<Vec3> = hull.vertices().iter().map(|&index| corner(index)).collect();
        return vertex_covariance(&extremes);
    }
    let triangles: Vec<([Vec3; 3], f64)> = hull
        .triangles()
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(corner);
            ([a, b, c], (b - a).cross(c - a).length() / 2.0)
        })
        .collect();
    let area: f64 = triangles.iter().map(|(_, area)| area).sum();
    if area <= 0.0 {
        return vertex_covariance(points);
    }
    let mean = triangles.iter().fold(Vec3::ZERO, |sum, ([a, b, c], area)| sum + (*a + *b + *c) * *area) / (3.0 * area);
    let mut sum = [0.0; 6];
    for ([a, b, c], of_this) in &triangles {
        // ∫ x xᵀ over a triangle is area/12 · (9 g gᵀ + a aᵀ + b bᵀ + c cᵀ), g its centre.
        let weight = of_this / area / 12.0;
        let [a, b, c] = [*a - mean, *b - mean, *c - mean];
        add_square(&mut sum, (a + b + c) / 3.0, 9.0 * weight);
        for corner in [a, b, c] {
            add_square(&mut sum, corner, weight);
        }
    }
    sum
}

/// Adds `weight · v vᵀ`.
fn add_square(sum: &mut [f64; 6], v: Vec3, weight: f64) {
    let w = v * weight;
    for (slot, product) in sum.iter_mut().zip([w.x * v.x, w.x * v.y, w.x * v.z, w.y * v.y, w.y * v.z, w.z * v.z]) {
        *slot += product;
    }
}

/// Number of sweeps of Jacobi rotations; each squares the off-diagonal entries, so three suffice in practice.
const SWEEPS: usize = 8;

/// Returns the unit eigenvectors of a symmetric matrix given by its upper triangle, the largest eigenvalue first.
pub fn eigenvectors(covariance: [f64; 6]) -> [Vec3; 3] {
    let [xx, xy, xz, yy, yz, zz] = covariance;
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let scale = xx.abs() + yy.abs() + zz.abs();
    for _ in 0..SWEEPS {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off <= 1e-15 * scale || off.is_nan() {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() <= 1e-300 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let sign = if theta < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
            let cos = 1.0 / (t * t + 1.0).sqrt();
            let sin = t * cos;
            for row in [&mut a, &mut v].into_iter().flatten() {
                (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
            }
            let (of_p, of_q) = (a[p], a[q]);
            for (k, (x, y)) in of_p.into_iter().zip(of_q).enumerate() {
                (a[p][k], a[q][k]) = (cos * x - sin * y, sin * x + cos * y);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let basis = order.map(|k| Vec3::new(v[0][k], v[1][k], v[2][k]));
    orthonormal(basis)
}

/// Returns the same axes, orthogonal to the last bits; the coordinate axes if numbers were lost.
fn orthonormal([x, y, _]: [Vec3; 3]) -> [Vec3; 3] {
    let fallback = [Vec3::X, Vec3::Y, Vec3::Z];
    let Some(x) = x.try_normalize() else { return fallback };
    let Some(y) = (y - x * x.dot(y)).try_normalize() else { return fallback };
    let z = x.cross(y);
    if Mat3::from_cols(x, y, z).is_finite() { [x, y, z] } else { fallback }
}
