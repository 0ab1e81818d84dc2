//! Hierarchical evaluation of the generalised winding number (Barill et al. 2018) with an error bound.
//!
//! In: a placed mesh, a point. Out: the winding number with a bound on its error, or whether it is at least ½ in
//! magnitude.
//! Method: the dipole hierarchy of the mesh (`WindingTree`) is traversed from the root. A node is replaced by its
//! dipole if the error bound of the dipole is at most a tolerance, else it is expanded. The triangles of an expanded
//! leaf contribute their solid angles. For a decision the tolerance is lowered until the sum of all bounds is less than
//! the distance of the sum from ½.
//! Guarantees: deterministic; up to rounding, a decision equals the decision of the exact sum over all triangles. Not
//! guaranteed: the sign of a difference below the rounding error of the solid angles, some 1e-15 a triangle and more
//! next to the surface.
//! Cost: some 300 nodes for a point far from the surface, two to four times as many next to it, for any number of
//! triangles.

use super::solid_angle::solid_angle;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Dipole, MeshShape, WindingTree};
use std::f64::consts::PI;

/// The error that a dipole may add to a winding number at first: with some hundreds of dipoles, whose bounds are mostly
/// far below it, the sum stays below ½ for most points.
const FIRST_TOLERANCE: f64 = 1.0 / 512.0;
/// Factor by which the tolerance is lowered: a point next to a passage through ½ takes two or three evaluations.
const FACTOR: f64 = 1.0 / 64.0;
/// Least tolerance except 0, which means the exact sum: below it rounding decides.
const MIN_TOLERANCE: f64 = 1e-15;

/// A winding number and the bound on its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindingEstimate {
    /// The generalised winding number.
    pub value: f64,
    /// A bound on its absolute error, without the rounding of sums.
    pub error: f64,
}

/// Computes the generalised winding number of the placed mesh around `point` (world frame) with an error of at most
/// `max_error`: 1 inside a closed mesh, 0 outside; a fraction for open meshes.
pub fn generalised_winding(a: &MeshShape, pose: &Pose, point: Vec3, max_error: f64) -> WindingEstimate {
    let mut field = Field::new(a, pose, point);
    let mut tolerance = FIRST_TOLERANCE;
    loop {
        let found = field.winding(tolerance);
        if found.error <= max_error || tolerance == 0.0 {
            return found;
        }
        tolerance = lowered(tolerance);
    }
}

/// Reports whether the generalised winding number around a point is at least ½ in magnitude.
pub(crate) fn is_wound_half(a: &MeshShape, pose: &Pose, point: Vec3, work: &mut Work) -> bool {
    let mut field = Field::new(a, pose, point);
    let mut tolerance = FIRST_TOLERANCE;
    loop {
        let WindingEstimate { value, error } = field.winding(tolerance);
        if (value.abs() - 0.5).abs() > error || tolerance == 0.0 {
            work.primitives += field.evaluated;
            return value.abs() >= 0.5;
        }
        tolerance = lowered(tolerance);
    }
}

fn lowered(tolerance: f64) -> f64 {
    let next = tolerance * FACTOR;
    if next < MIN_TOLERANCE { 0.0 } else { next }
}

/// A mesh in the frame of a query point.
struct Field<'a> {
    shape: &'a MeshShape,
    tree: &'a WindingTree,
    /// The point relative to the origin of the tree, in its unit.
    point: Vec3,
    /// Levels and nodes still to visit.
    open: Vec<(usize, usize)>,
    /// The number of dipoles and triangles evaluated.
    evaluated: u64,
}

impl<'a> Field<'a> {
    fn new(shape: &'a MeshShape, pose: &Pose, point: Vec3) -> Self {
        let tree = shape.winding_tree();
        let local = pose.rotation().transpose() * (point - pose.translation());
        let point = (local - tree.origin()) * tree.unit();
        Self { shape, tree, point, open: Vec::new(), evaluated: 0 }
    }

    /// Computes the winding number; each dipole may add an error of at most `tolerance`.
    fn winding(&mut self, tolerance: f64) -> WindingEstimate {
        let mut sum = WindingEstimate { value: 0.0, error: 0.0 };
        let levels = self.tree.levels();
        self.open.clear();
        self.open.push((levels.len() - 1, 0));
        while let Some((level, number)) = self.open.pop() {
            if let Some(far) = self.far_field(&levels[level][number], tolerance) {
                sum.value += far.value;
                sum.error += far.error;
                self.evaluated += 1;
            } else if level == 0 {
                sum.value += self.of_triangles(number);
            } else {
                let from = number * WindingTree::FANOUT;
                let to = levels[level - 1].len().min(from + WindingTree::FANOUT);
                // The last entry is visited first: in descending order sums run in the order of the triangles.
                self.open.extend((from..to).rev().map(|child| (level - 1, child)));
            }
        }
        sum
    }

    /// Returns the dipole of a node if its error is small enough.
    #[inline(always)]
    fn far_field(&self, node: &Dipole, tolerance: f64) -> Option<WindingEstimate> {
        let offset = node.centre - self.point;
        let distance = offset.length();
        let gap = distance - node.radius;
        if !(gap > 0.0 && node.moment <= tolerance * (2.0 * PI) * (gap * gap * gap)) {
            return None;
        }
        let value = node.normal.dot(offset) / (4.0 * PI * (distance * distance * distance));
        Some(WindingEstimate { value, error: node.moment / ((2.0 * PI) * (gap * gap * gap)) })
    }

    /// Computes the exact sum over the triangles of a leaf.
    fn of_triangles(&mut self, leaf: usize) -> f64 {
        let triangles = self.tree.triangles_of(leaf);
        self.evaluated += triangles.len() as u64;
        let angle = |&triangle: &u32| {
            let place = |corner: Vec3| (corner - self.tree.origin()) * self.tree.unit() - self.point;
            solid_angle(self.shape.mesh().corners(triangle).map(place))
        };
        triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
    }
}
