//! Samples of a surface by bisection of triangles and greedy thinning.
//!
//! In: a closed, oriented mesh and a spacing s. Out: points on the surface with area vectors, such that each point of
//! the surface is at most s from a sample.
//! Method: 1. Triangles are bisected across their longest edge until it is at most 0.74 s. A triangle lies within ⅔ of
//! its longest edge around its centroid, so centroids cover the surface within s / 2. 2. A centroid within s / 2 of a
//! sample with a similar normal is dropped, and the sample takes over its area; else the centroid becomes a sample.
//! Guarantees: area vectors of all samples sum to the sum over all triangles, 0 for a closed mesh, up to rounding.
//! Opposite sides of a thin plate are never merged. The order of the triangles decides, threads do not.
//! Cost: O(area / s² + triangles).

use super::error::PointShellError;
use super::point_shell::MAX_SHELL_POINTS;
use heurt_geometry::{Triangle, Vec3, robust_normalize};
use heurt_mesh::TriMesh;
use std::collections::HashMap;

/// The longest edge of a piece, in units of the spacing: below 3/4, which leaves room for rounding.
const MAX_EDGE: f64 = 0.74;

/// The least cosine between normals of centroids that are merged: 60°.
const MIN_COSINE: f64 = 0.5;

/// The greatest number of centroids before thinning, in units of the greatest number of points.
const MAX_PIECES_PER_POINT: usize = 8;

/// A sample: a point on the surface, and the sum of the area vectors of its pieces, outward, in m².
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceSample {
    pub point: Vec3,
    /// The unit normal of the piece of the point, outward; zero for a piece without area.
    pub normal: Vec3,
    pub area: Vec3,
}

/// Samples the surface.
pub(super) fn sample_surface(mesh: &TriMesh, spacing: f64) -> Result<Vec<SurfaceSample>, PointShellError> {
    let too_many = PointShellError::TooManyPoints { spacing, limit: MAX_SHELL_POINTS };
    // A piece is at most an equilateral triangle of the longest edge.
    let piece = 0.25 * 3f64.sqrt() * (MAX_EDGE * spacing) * (MAX_EDGE * spacing);
    let corners = (0..mesh.triangles().len() as u32).map(|number| mesh.corners(number));
    let area: f64 = corners.map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    if area > piece * (MAX_PIECES_PER_POINT * MAX_SHELL_POINTS) as f64 {
        return Err(too_many);
    }
    let mut thinning = Thinning::new(mesh.bounds().min, 0.5 * spacing);
    let mut open: Vec<Triangle> = Vec::new();
    let mut pieces = 0;
    for number in 0..mesh.triangles().len() as u32 {
        let triangle = mesh.corners(number);
        let [a, b, c] = triangle;
        let normal = robust_normalize((b - a).cross(c - a)).unwrap_or(Vec3::ZERO);
        open.push(triangle);
        while let Some(piece) = open.pop() {
            if let Some(halves) = bisect(&piece, MAX_EDGE * spacing) {
                open.extend(halves);
                // Each open piece becomes at least one sample or centroid.
                if open.len() + pieces > MAX_PIECES_PER_POINT * MAX_SHELL_POINTS {
                    return Err(too_many);
                }
                continue;
            }
            pieces += 1;
            let [a, b, c] = piece;
            thinning.add((a + b + c) / 3.0, normal, 0.5 * (b - a).cross(c - a));
        }
        if pieces > MAX_PIECES_PER_POINT * MAX_SHELL_POINTS || thinning.samples.len() > MAX_SHELL_POINTS {
            return Err(too_many);
        }
    }
    Ok(thinning.samples)
}

/// Bisects a triangle across its longest edge; `None` if that edge is short enough.
fn bisect(&[a, b, c]: &Triangle, max_edge: f64) -> Option<[Triangle; 2]> {
    let edges = [(b - a).length(), (c - b).length(), (a - c).length()];
    let longest = if edges[0] >= edges[1] && edges[0] >= edges[2] {
        0
    } else if edges[1] >= edges[2] {
        1
    } else {
        2
    };
    let [from, to, apex] = [[a, b, c], [b, c, a], [c, a, b]][longest];
    let middle = from + (to - from) * 0.5;
    // A middle that rounds to an end divides nothing.
    if edges[longest] <= max_edge || middle == from || middle == to {
        return None;
    }
    Some([[from, middle, apex], [middle, to, apex]])
}

/// Samples in a hashed grid.
struct Thinning {
    samples: Vec<SurfaceSample>,
    /// The last sample of each cell; looked up and never iterated.
    last: HashMap<[i64; 3], u32>,
    /// The sample before in the same cell.
    before: Vec<u32>,
    origin: Vec3,
    /// The distance within which centroids are merged, and the edge of a cell, in metres.
    radius: f64,
}

const NONE: u32 = u32::MAX;

impl Thinning {
    fn new(origin: Vec3, radius: f64) -> Self {
        Self { samples: Vec::new(), last: HashMap::new(), before: Vec::new(), origin, radius }
    }

    /// Adds a centroid with its normal and area vector.
    fn add(&mut self, point: Vec3, normal: Vec3, area: Vec3) {
        let cell = ((point - self.origin) / self.radius).floor().to_array().map(|at| at as i64);
        if let Some(found) = self.nearest(cell, point, normal) {
            self.samples[found as usize].area += area;
            return;
        }
        let number = self.samples.len() as u32;
        self.before.push(self.last.insert(cell, number).unwrap_or(NONE));
        self.samples.push(SurfaceSample { point, normal, area });
    }

    /// Finds the nearest sample within the radius with a similar normal; ties go to the lowest number.
    fn nearest(&self, cell: [i64; 3], point: Vec3, normal: Vec3) -> Option<u32> {
        let mut best = (self.radius, NONE);
        for neighbour in 0..27 {
            let at = [neighbour % 3, neighbour / 3 % 3, neighbour / 9];
            let at = [0, 1, 2].map(|axis| cell[axis].saturating_add(at[axis] - 1));
            let mut next = self.last.get(&at).copied().unwrap_or(NONE);
            while next != NONE {
                let sample = &self.samples[next as usize];
                let distance = (sample.point - point).length();
                let is_similar = normal == Vec3::ZERO || sample.normal.dot(normal) >= MIN_COSINE;
                if is_similar && (distance, next) < best {
                    best = (distance, next);
                }
                next = self.before[next as usize];
            }
        }
        (best.1 != NONE).then_some(best.1)
    }
}
