//! Oriented boxes around triangles with coordinates up to 1.
//!
//! Method: a box has the axes of the covariance of its corners (Gottschalk, Lin and Manocha 1996). Two boxes are
//! disjoint if one of fifteen axes separates them: the three of each box, and the products of one of each.
//! Guarantees: rounding only makes boxes larger.

use heurt_bvh::volume::eigenvectors;
use heurt_geometry::{Triangle, Vec3};

/// Rounding error of a height: products of three terms with coordinates up to 1, and what the rounding of a frame moves
/// points by.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Rounding error of the height of a box: its axes are orthonormal up to 4 ε, and points are up to 2√3 from its centre.
pub(super) const BOX_ROUNDING: f64 = ROUNDING + 16.0 * f64::EPSILON;

/// The least sine of the angle between two axes whose product is tried: a shorter product has no sure direction.
const MIN_SINE: f64 = 1e-6;

/// A box with orthonormal axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct OrientedBox {
    pub(super) centre: Vec3,
    pub(super) axes: [Vec3; 3],
    pub(super) half: Vec3,
}

impl OrientedBox {
    /// Makes a box around the corners of triangles, along the axes of their covariance.
    pub(super) fn around(corners: &[Triangle], run: &[u32]) -> Self {
        let points = || run.iter().flat_map(|&triangle| corners[triangle as usize]);
        let mean = points().sum::<Vec3>() / (3 * run.len()).max(1) as f64;
        let mut covariance = [0.0; 6];
        for point in points() {
            let Vec3 { x, y, z } = point - mean;
            let terms = [x * x, x * y, x * z, y * y, y * z, z * z];
            covariance.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let axes = orthonormal(eigenvectors(covariance));
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points() {
            let along = along_axes(&axes, point - mean);
            (least, most) = (least.min(along), most.max(along));
        }
        let middle = 0.5 * (least + most);
        let centre = mean + axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle.z;
        Self { centre, axes, half: 0.5 * (most - least) }
    }

    /// Computes a bound of the height of its points along a direction.
    pub(super) fn top(&self, normal: Vec3) -> f64 {
        normal.dot(self.centre) + self.reach(normal) + BOX_ROUNDING
    }

    /// Reports whether an axis separates two boxes, rounding included. False where they may meet.
    pub(super) fn is_disjoint_from(&self, other: &Self) -> bool {
        let between = other.centre - self.centre;
        let separates =
            |axis: Vec3| axis.dot(between).abs() > self.reach(axis) + other.reach(axis) + 2.0 * BOX_ROUNDING;
        let crossed = |a: Vec3, b: Vec3| {
            let across = a.cross(b);
            let sine = across.length();
            sine > MIN_SINE && separates(across / sine)
        };
        self.axes.iter().chain(&other.axes).any(|axis| separates(*axis))
            || self.axes.iter().any(|&a| other.axes.iter().any(|&b| crossed(a, b)))
    }

    /// Returns the greatest height of its points above its centre along a direction.
    fn reach(&self, normal: Vec3) -> f64 {
        along_axes(&self.axes, normal).abs().dot(self.half)
    }
}

/// Returns the components of a vector along three axes.
pub(super) fn along_axes(axes: &[Vec3; 3], vector: Vec3) -> Vec3 {
    Vec3::new(axes[0].dot(vector), axes[1].dot(vector), axes[2].dot(vector))
}

/// Makes three vectors orthonormal up to rounding; the coordinate axes if they are not nearly so.
fn orthonormal([a, b, _]: [Vec3; 3]) -> [Vec3; 3] {
    let unit = |vector: Vec3| (vector.length() > 0.5).then(|| vector.normalize());
    let first = unit(a);
    let second = first.and_then(|first| unit(b - first * first.dot(b)).map(|second| (first, second)));
    second.map_or([Vec3::X, Vec3::Y, Vec3::Z], |(first, second)| [first, second, first.cross(second)])
}
