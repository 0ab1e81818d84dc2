//! Triangulation of a loop in space by dynamic programming over its intervals.
//!
//! In: the places of the vertices of a loop, and the diagonals that may not be used. Out: n − 2 triangles.
//! Method: Barequet and Sharir, "Filling gaps in the boundary of a polyhedron" (1995): the best triangulation of the
//! vertices i … k joins, for the best m, the best ones of i … m and m … k with the triangle imk. The weight is the sum
//! of areas, or, after Liepa, "Filling holes in meshes" (2003), first the largest angle between the normals of
//! neighbours and then the area.
//! Guarantees: the least weight among the triangulations without degenerate triangles and without forbidden diagonals,
//! as far as rounded areas and angles decide; ties go to the lower m.
//! Not guaranteed: that the triangles do not intersect each other; the caller tests that exactly.
//! Cost: O(n³) time, O(n²) memory.

use heurt_geometry::{Vec3, is_degenerate};

/// The weight that the triangulation minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// The sum of the areas.
    Area,
    /// The largest angle between the normals of two triangles that share an edge, then the area.
    AngleThenArea,
}

/// The weight of a triangulation: 1 − the cosine of the largest angle (or 0), and the area.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Cost(f64, f64);

const IMPOSSIBLE: Cost = Cost(f64::INFINITY, f64::INFINITY);

/// The table of best triangulations of intervals.
struct AreaTable<'a> {
    points: &'a [Vec3],
    weight: Weight,
    /// By i · n + k, the cost of the interval.
    cost: Vec<Cost>,
    /// By i · n + k, the vertex that the interval is split at.
    middle: Vec<u32>,
}

/// Triangulates a loop; `None` if every triangulation has a degenerate triangle or a forbidden diagonal.
///
/// `outward` holds for each edge i → i + 1 the unit normal of the triangle of the mesh at it, if that has one.
pub(super) fn triangulate(
    points: &[Vec3],
    outward: &[Option<Vec3>],
    weight: Weight,
    is_forbidden: impl Fn(usize, usize) -> bool,
) -> Option<Vec<[usize; 3]>> {
    let count = points.len();
    let mut table =
        AreaTable { points, weight, cost: vec![Cost(0.0, 0.0); count * count], middle: vec![0; count * count] };
    for length in 2..count {
        for i in 0..count - length {
            let k = i + length;
            let is_border = length == count - 1;
            let (cost, middle) =
                if !is_border && is_forbidden(i, k) { (IMPOSSIBLE, 0) } else { table.best(i, k, outward) };
            table.cost[i * count + k] = cost;
            table.middle[i * count + k] = middle as u32;
        }
    }
    (table.cost[count - 1] < IMPOSSIBLE).then(|| table.triangles())
}

impl AreaTable<'_> {
    fn best(&self, i: usize, k: usize, outward: &[Option<Vec3>]) -> (Cost, usize) {
        let count = self.points.len();
        let mut best = (IMPOSSIBLE, 0);
        for m in i + 1..k {
            let (left, right) = (self.cost[i * count + m], self.cost[m * count + k]);
            let below = Cost(left.0.max(right.0), left.1 + right.1);
            if below >= best.0 {
                continue;
            }
            let Some(normal) = self.normal([i, m, k]) else { continue };
            let mut angle = below.0;
            if self.weight == Weight::AngleThenArea {
                let direction = normal.normalize_or_zero();
                let closes = i == 0 && k == count - 1;
                let sides = [(i, m), (m, k)].map(|(a, b)| self.neighbour(a, b, outward));
                let closing = if closes { outward[count - 1] } else { None };
                for other in sides.into_iter().chain([closing]).flatten() {
                    angle = angle.max(1.0 - direction.dot(other));
                }
            }
            let cost = Cost(angle, below.1 + 0.5 * normal.length());
            if cost < best.0 {
                best = (cost, m);
            }
        }
        best
    }

    /// Returns the unit normal of the triangle beyond the edge a → b.
    fn neighbour(&self, a: usize, b: usize, outward: &[Option<Vec3>]) -> Option<Vec3> {
        if b == a + 1 {
            return outward[a];
        }
        let middle = self.middle[a * self.points.len() + b] as usize;
        self.normal([a, middle, b]).map(Vec3::normalize_or_zero)
    }

    /// The normal of a triangle, twice its area long; `None` if it is degenerate.
    fn normal(&self, corners: [usize; 3]) -> Option<Vec3> {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        // Far above the rounding errors of the product, which are a few ulp of |u|·|v|.
        let is_clear = normal.length_squared() > 1e-20 * u.length_squared() * v.length_squared();
        (is_clear || !is_degenerate(&[a, b, c])).then_some(normal)
    }

    fn triangles(&self) -> Vec<[usize; 3]> {
        let count = self.points.len();
        let mut triangles = Vec::with_capacity(count - 2);
        let mut intervals = vec![(0, count - 1)];
        while let Some((i, k)) = intervals.pop() {
            if k - i < 2 {
                continue;
            }
            let m = self.middle[i * count + k] as usize;
            triangles.push([i, m, k]);
            intervals.push((i, m));
            intervals.push((m, k));
        }
        triangles
    }
}
