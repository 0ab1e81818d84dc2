//! Relative pose of two placed trees, in `f32` with one error constant.
//!
//! In: two tree frames and the poses of their primitives. Out: frame B seen from frame A in `f64` ([`RelativeFrame`]),
//! unless the placed trees are provably disjoint; and for each tree the placement of the second tree's local frame in
//! its own local units ([`Placement`]).
//! Method: S0 §4.5.4 (rotation and its magnitude once per pair of meshes); frames and error bound are ours.
//!
//! # Why the box tests never report two touching primitives as disjoint
//! Let a pair of placed primitives share a world point. Write u = 2⁻²⁴. Call x, y the local coordinates of that point
//! seen from tree A (units of A) and from tree B (units of B); ρ = s_b/s_a; R = AᵀB; t the local position of B's
//! centre.
//!
//! 1. *Placement.* The contract rounds every placed coordinate (6 roundings in `f64`), so the two exact preimages miss
//!    each other by at most 2⁻⁴⁶·T metres in any direction, T = reach_a + reach_b + |t_a| + |t_b|; the `f64` arithmetic
//!    that makes R and t adds less than the same again. Rotations are used transposed for inverted; with δ the entries
//!    of |RᵀR − I| of each pose this misplaces by ≤ 3√3δ·reach, the difference of two points of one mesh by as much.
//! 2. *Face axes of the receiving tree.* Seen from A, d = ρRy + t − c, in doubled coordinates (lo + hi, hi − lo, so
//!    that no halving is needed): magnitudes are bounded by S = 2(1 + √3ρ + |t|). Converting R and t to `f32` and at
//!    most eight operations in `f32` err by at most 10u·S on either side of the comparison. The face axes of B are the
//!    same seen from B; the fast test evaluates them so, with the query box placed in the frame of the children.
//! 3. *Face axes of B from A's frame.* p_j = Σ R_ij d_i carries √3 of the above and three more roundings: under 28u·S.
//!    The `f32` column of R is not quite a unit vector, but *any* vector is a legal axis; what matters is the extent of
//!    B along it, which the stored magnitudes |R_ij| + ε cover when ε ≥ 4(δ + u).
//! 4. *Edge axes.* L = e_i × R_j is again taken as given. Both |L·d| and the share of A in the radius scale with |L|₁,
//!    so inflating A's half extents covers their error; the share of B is |R_ik| only up to cofactor errors O(δ) that
//!    do *not* scale with L, and the same ε covers them.
//!
//! So E = 32u(1 + √3ρ + |t|) + (2⁻⁴⁵T + 6δ·reach)/s, added once to the half extents of the query box, suffices for all
//! fifteen axes. If the ratio or the translation exceeds the safe range of `f32`, E is infinite, which keeps every
//! pair.

use crate::frame::tree_frame::{TreeFrame, round_up};
use heurt_geometry::{Mat3, Pose, Vec3};

/// The local frame of one tree placed in the local frame of another: `x = rotation · (ratio · y) + translation`.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Row i, column j, padded.
    pub rotation: [[f32; 4]; 3],
    /// |rotation| + ε.
    pub magnitude: [[f32; 3]; 3],
    /// ratio · rotation, column by column and padded: maps a local vector of the placed tree to the receiving one.
    pub scaled_rotation: [[f32; 4]; 3],
    /// ratio · magnitude, column by column and padded: maps half extents of the placed tree to half extents of the
    /// receiving tree.
    pub scaled_abs_rotation: [[f32; 4]; 3],
    /// Translation in units of the receiving tree.
    pub translation: [f32; 4],
    /// Units of the receiving tree in a unit of the placed tree.
    pub ratio: f32,
    /// Error bound to add to the half extents of a box, in units of the receiving tree.
    pub error: f32,
    /// Error that the defect of the poses adds to the entries of a product of rotations: 8δ.
    pub product_defect: f32,
    /// Whether the axes of both trees are parallel ([`RelativeFrame::is_parallel`]).
    pub is_parallel: bool,
}

/// The frame of tree B seen from the frame of tree A, in `f64`, before it is rounded to both placements.
#[derive(Debug, Clone, Copy)]
pub struct RelativeFrame {
    /// Rotates vectors of B's frame into A's frame.
    pub rotation: Mat3,
    /// Offset from A's centre to B's, along A's axes, in metres.
    pub offset: Vec3,
    /// Maximum error of a placed point of B seen from a placed point of A by rotation and offset, in metres.
    pub slack: f64,
    /// The sum of the defects of both poses.
    pub defect: f64,
}

/// Both placements of a pair of trees.
#[derive(Debug, Clone, Copy)]
pub struct RelativePose {
    /// Tree B seen from tree A.
    pub b_in_a: Placement,
    /// Tree A seen from tree B.
    pub a_in_b: Placement,
    /// Whether the nine edge axes are tested, too: [`RelativePose::with_edge_axes`].
    pub edge_axes: bool,
}

/// Both placements of a pair of trees, seen from the tree whose volume is tested against children of the second tree.
#[derive(Debug, Clone, Copy)]
pub struct QueryView<'a> {
    /// The tree of the children, in the frame of the query volume.
    pub candidates: &'a Placement,
    /// The tree of the query volume, in the frame of the children.
    pub query: &'a Placement,
    /// Whether the nine edge axes are tested, too.
    pub edge_axes: bool,
    /// Whether the query volume belongs to tree B.
    pub is_from_b: bool,
}

/// The ε of the proof for exact rotations: at least 4u.
const PARALLEL_EPSILON: f64 = 1.0 / (1u64 << 20) as f64;

/// Maximum span, in local units: sums of squares of longer spans could overflow `f32`.
const FAR: f64 = (1u64 << 60) as f64;

impl RelativePose {
    /// Returns the view of a volume of A on children of B.
    #[inline(always)]
    pub fn from_a(&self) -> QueryView<'_> {
        QueryView { candidates: &self.b_in_a, query: &self.a_in_b, edge_axes: self.edge_axes, is_from_b: false }
    }

    /// Returns the view of a volume of B on children of A.
    #[inline(always)]
    pub fn from_b(&self) -> QueryView<'_> {
        QueryView { candidates: &self.a_in_b, query: &self.b_in_a, edge_axes: self.edge_axes, is_from_b: true }
    }

    /// Composes in `f64`, then rounds.
    pub fn new(frame_a: &TreeFrame, pose_a: &Pose, frame_b: &TreeFrame, pose_b: &Pose) -> Self {
        Self::of(&RelativeFrame::new(frame_a, pose_a, frame_b, pose_b), frame_a, frame_b)
    }

    /// Rounds a frame to both placements. Not inlined, so that the searches over all kinds of trees share it.
    #[inline(never)]
    pub fn of(composed: &RelativeFrame, frame_a: &TreeFrame, frame_b: &TreeFrame) -> Self {
        let RelativeFrame { rotation, offset, slack, defect } = *composed;
        let back = rotation.transpose();
        let is_parallel = composed.is_parallel();
        Self {
            b_in_a: Placement { is_parallel, ..Placement::new(&rotation, offset, frame_a, frame_b, slack, defect) },
            a_in_b: Placement {
                is_parallel,
                ..Placement::new(&back, -(back * offset), frame_b, frame_a, slack, defect)
            },
            edge_axes: false,
        }
    }

    /// Tests all fifteen axes of two boxes instead of the six face axes: fewer volumes are opened, each costs
    /// approximately twice as much.
    #[must_use]
    pub fn with_edge_axes(self) -> Self {
        Self { edge_axes: true, ..self }
    }
}

impl RelativeFrame {
    /// Composes the poses of two trees.
    #[inline(always)]
    pub fn new(frame_a: &TreeFrame, pose_a: &Pose, frame_b: &TreeFrame, pose_b: &Pose) -> Self {
        let (centre_a, centre_b) = (pose_a.place(frame_a.centre()), pose_b.place(frame_b.centre()));
        let reach = frame_a.max_coordinate() + frame_b.max_coordinate();
        let world = reach + pose_a.max_translation() + pose_b.max_translation();
        let (rotation, offset) = turned(pose_a, pose_b, centre_b - centre_a);
        let defect = pose_a.defect() + pose_b.defect();
        Self { rotation, offset, slack: slack(world, defect, reach), defect }
    }

    /// Reports whether the axes of both trees are parallel, in any order and with either sign, to approximately 2⁻¹¹
    /// rad. Boxes along the axes of either tree are then equally tight.
    #[inline(always)]
    pub fn is_parallel(&self) -> bool {
        let columns = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis];
        columns.into_iter().all(|column| largest(column) >= 1.0 - 1e-7)
    }

    /// Composes the poses of two trees, unless the spheres or the boxes around them are provably disjoint.
    #[inline(always)]
    pub fn unless_separated(frame_a: &TreeFrame, pose_a: &Pose, frame_b: &TreeFrame, pose_b: &Pose) -> Option<Self> {
        let (centre_a, centre_b) = (pose_a.place(frame_a.centre()), pose_b.place(frame_b.centre()));
        // Bound for every rounding, and for rotations that stretch.
        let reach = frame_a.max_coordinate() + frame_b.max_coordinate();
        let world = reach + pose_a.max_translation() + pose_b.max_translation();
        let defect = pose_a.defect() + pose_b.defect();
        let stretch = 1.0 + 3.0 * defect;
        let touch = (frame_a.radius() + frame_b.radius()) * stretch + world * (1.0 / (1u64 << 43) as f64);
        // Squares that underflow prove nothing; squares that overflow compare false.
        if (centre_b - centre_a).length_squared() > touch * touch * (1.0 + 1e-12) + 1e-290 {
            return None;
        }
        let (rotation, offset) = turned(pose_a, pose_b, centre_b - centre_a);
        let slack = slack(world, defect, reach);
        let are_disjoint =
            boxes_are_disjoint(&rotation, offset, frame_a.half_extents(), frame_b.half_extents(), 2.0 * slack);
        (!are_disjoint).then_some(Self { rotation, offset, slack, defect })
    }
}

/// Returns the pose of B, and a vector of the world, in the frame of A.
#[inline(always)]
fn turned(pose_a: &Pose, pose_b: &Pose, vector: Vec3) -> (Mat3, Vec3) {
    let back = pose_a.rotation().transpose();
    (back * *pose_b.rotation(), back * vector)
}

/// Bounds the error of a placed point of B seen from a placed point of A; `world` is T in the proof.
#[inline(always)]
fn slack(world: f64, defect: f64, reach: f64) -> f64 {
    world * (1.0 / (1u64 << 45) as f64) + 6.0 * defect * reach
}

/// Tests the six face axes of two boxes whose centres differ by `offset`, in `f64`, whose roundings here are far below
/// `slack`.
#[inline(always)]
fn boxes_are_disjoint(rotation: &Mat3, offset: Vec3, half_a: Vec3, half_b: Vec3, slack: f64) -> bool {
    let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let sizes = columns.map(|column| column.abs());
    let reach_b = sizes[0] * half_b.x + sizes[1] * half_b.y + sizes[2] * half_b.z;
    if greatest(offset.abs() - half_a - reach_b) > slack {
        return true;
    }
    let reach_a = Vec3::from_array(sizes.map(|size| size.dot(half_a)));
    let along_b = Vec3::from_array(columns.map(|column| column.dot(offset)));
    greatest(along_b.abs() - half_b - reach_a) > slack
}

/// Returns the largest component in magnitude.
#[inline(always)]
fn largest(v: Vec3) -> f64 {
    greatest(v.abs())
}

/// Returns the largest component; `NaN` in x or y is skipped.
#[inline(always)]
fn greatest(v: Vec3) -> f64 {
    greater(v.x, greater(v.y, v.z))
}

/// Returns the maximum; `f64::max` handles `NaN` on either side, which costs three times as much.
#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

impl Placement {
    #[inline(always)]
    fn new(turned: &Mat3, offset: Vec3, to: &TreeFrame, from: &TreeFrame, slack: f64, defect: f64) -> Self {
        let inverse = to.inverse_scale();
        let translation = offset * inverse;
        let ratio = from.scale() * inverse;
        let epsilon = (PARALLEL_EPSILON + 4.0 * defect) as f32;
        let rounding = 32.0 / (1u64 << 24) as f64;
        let span = 1.0 + 1.7321 * ratio + largest(translation);
        // `NaN` also makes the error infinite.
        let error = if span < FAR { rounding * span + slack * inverse } else { f64::INFINITY };
        let columns = [turned.x_axis, turned.y_axis, turned.z_axis].map(|c| [c.x as f32, c.y as f32, c.z as f32]);
        let rotation = [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i], 0.0]);
        let magnitude = rotation.map(|[x, y, z, _]| [x.abs() + epsilon, y.abs() + epsilon, z.abs() + epsilon]);
        let scaled = |m: &[[f32; 3]; 3]| {
            let ratio = ratio as f32;
            [0, 1, 2].map(|j| [m[0][j] * ratio, m[1][j] * ratio, m[2][j] * ratio, 0.0])
        };
        Self {
            scaled_rotation: scaled(&rotation.map(|[x, y, z, _]| [x, y, z])),
            scaled_abs_rotation: scaled(&magnitude),
            rotation,
            magnitude,
            translation: [translation.x as f32, translation.y as f32, translation.z as f32, 0.0],
            ratio: ratio as f32,
            error: round_up(error),
            product_defect: (8.0 * defect) as f32,
            is_parallel: false,
        }
    }
}
