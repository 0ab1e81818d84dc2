//! Triangle–voxel overlap test by separating axes.
//!
//! In: a triangle in local coordinates, in which voxels are unit cubes. Out: no, or perhaps.
//! Method: separating axes (Akenine-Möller 2001): the plane of the triangle and the nine products of its edges with the
//! axes; the three axes themselves are the caller's range of voxels. Everything that does not depend on the voxel is
//! computed once a triangle.
//! Guarantees: never no for a voxel that the triangle meets. Voxels are taken a millionth larger on each side: more
//! than the rounding of local coordinates (up to 2²⁶, thus 2⁻²⁶ each) moves a triangle, and in proportion to each edge,
//! so that short edges are as safe as long ones; the normal, whose terms may cancel, has a bound of its own.
//! Not guaranteed: a voxel missed by less than that may be kept.

use heurt_geometry::{Triangle, Vec3};

/// Enlargement of a voxel, in voxels.
const SLACK: f64 = 1.0 / (1 << 20) as f64;
/// A generous bound on the rounding of the plane test, in units of (longest edges' product) × (distance).
const PLANE_ERROR: f64 = 1e-14;

/// An axis across an edge: the projection of the triangle on it, grown by the projection of a voxel.
#[derive(Debug, Clone, Copy, Default)]
struct EdgeAxis {
    u: f64,
    v: f64,
    low: f64,
    high: f64,
}

/// A triangle, prepared for tests against voxels.
#[derive(Debug, Clone)]
pub(super) struct VoxelTest {
    corner: Vec3,
    normal: Vec3,
    radius: f64,
    error: f64,
    half: f64,
    /// Three for each coordinate plane: yz, zx, xy.
    axes: [[EdgeAxis; 3]; 3],
}

impl VoxelTest {
    /// Prepares `triangle` for voxels grown by `margin` on each side; both in voxels.
    pub fn new(triangle: &Triangle, margin: f64) -> Self {
        let [a, b, c] = *triangle;
        let edges = [b - a, c - b, a - c];
        let half = 0.5 + margin + SLACK;
        let normal = edges[0].cross(edges[1]);
        let length = |edge: Vec3| edge.abs().max_element();
        let error = PLANE_ERROR * length(edges[0]) * length(edges[1]);
        let radius = half * (normal.x.abs() + normal.y.abs() + normal.z.abs());
        let mut axes = [[EdgeAxis::default(); 3]; 3];
        for (dropped, row) in axes.iter_mut().enumerate() {
            let (i, j) = ((dropped + 1) % 3, (dropped + 2) % 3);
            for (edge, axis) in edges.iter().zip(row) {
                let (u, v) = (-edge[j], edge[i]);
                // Relative to the first corner, as the voxels' centres will be.
                let shadow = [Vec3::ZERO, b - a, c - a].map(|p| u * p[i] + v * p[j]);
                let reach = half * (u.abs() + v.abs());
                let low = shadow[0].min(shadow[1]).min(shadow[2]) - reach;
                let high = shadow[0].max(shadow[1]).max(shadow[2]) + reach;
                *axis = EdgeAxis { u, v, low, high };
            }
        }
        Self { corner: a, normal, radius, error, half, axes }
    }

    /// Reports whether the voxel may meet the triangle.
    #[inline]
    pub fn meets(&self, voxel: [u32; 3]) -> bool {
        let centre = Vec3::from_array(voxel.map(|x| f64::from(x) + 0.5)) - self.corner;
        let distance = self.normal.x * centre.x + self.normal.y * centre.y + self.normal.z * centre.z;
        let [x, y, z] = centre.to_array().map(f64::abs);
        if distance.abs() > self.radius + self.error * (x + y + z + self.half) {
            return false;
        }
        self.axes.iter().enumerate().all(|(dropped, row)| {
            let (p, q) = (centre[(dropped + 1) % 3], centre[(dropped + 2) % 3]);
            row.iter().all(|axis| {
                let at = axis.u * p + axis.v * q;
                axis.low <= at && at <= axis.high
            })
        })
    }
}
