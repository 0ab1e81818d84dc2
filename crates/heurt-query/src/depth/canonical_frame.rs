//! Canonical frame of a depth search: the frame of one of the bodies, the same for any common motion of both.
//!
//! Guarantees: the frame has the same bits if both bodies are moved together, and if their order is reversed. It keeps
//! only the relative pose, rounded to steps far above the rounding errors of the world ([`STEPS`]). Poses near the
//! border of two steps may be rounded either to the lower or to the upper step. For bodies moved by as much as their
//! size, this concerns one pose in ten thousand. Rounding errors grow with the motion: for bodies moved by a thousand
//! sizes, it concerns one pose in a hundred. Proofs in the frame are repeated in the world.

use crate::answer::placed::{Placed, PlacedShape};
use heurt_geometry::{Mat3, Pose, StateHash, Vec3};
use heurt_shape::{MeshShape, ShapeRef};

/// Maximum defect of a rotation whose inverse is its transpose.
const MAX_DEFECT: f64 = 64.0 * f64::EPSILON;

/// Number of binary digits of a size to which poses are rounded.
const STEPS: i32 = 32;
/// Steps in a size by which bodies are distinguished.
const COARSE: f64 = (1u64 << 36) as f64;

/// The poses of two bodies in the frame of one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CanonicalFrame {
    /// Whether the second body comes first and gives the frame.
    pub is_swapped: bool,
    /// Rotation from the frame to the world.
    pub turn: Mat3,
    /// Poses of the first and of the second body.
    pub poses: [Pose; 2],
    /// Maximum distance of a point of the second body from its place in the world, turned back, in metres.
    pub slack: f64,
    /// Defect of the poses as rotations.
    pub defect: f64,
    /// A power of two in metres, far above the rounding error of a length; 0 in the world.
    step: f64,
}

impl CanonicalFrame {
    pub fn of(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Self {
        let size = a.shape.max_coordinate()
            + b.shape.max_coordinate()
            + (b.pose.translation() - a.pose.translation()).length();
        let relative = [[a, b], [b, a]].map(|[of, other]| seen_from(of.pose, other.pose, size));
        let [Some(in_a), Some(in_b)] = relative else { return Self::in_world(a, b) };
        let is_swapped = is_first(Placed::new(b.shape, &in_b), Placed::new(a.shape, &in_a), size);
        let (of, other) = if is_swapped { (b.pose, in_b) } else { (a.pose, in_a) };
        // Three products and a sum have errors of half a step each, in each of three coordinates; frames that are no
        // rotations add their defect.
        let defect = 4.0 * (a.pose.defect() + b.pose.defect());
        let slack = (4.0 * libm::ldexp(1.0, 1 - STEPS) + defect) * size;
        let step = libm::ldexp(1.0, libm::frexp(size).1 - STEPS);
        Self { is_swapped, turn: *of.rotation(), poses: [Pose::IDENTITY, other], slack, defect, step }
    }

    /// Returns the poses of A and of B, in the order of the caller.
    pub fn as_named(&self) -> [&Pose; 2] {
        let [first, second] = &self.poses;
        if self.is_swapped { [second, first] } else { [first, second] }
    }

    /// Rounds a length found in the world down to the step of the poses.
    pub fn rounded_down(&self, length: f64) -> f64 {
        if self.are_in_world() { length } else { (length / self.step).floor() * self.step }
    }

    /// Tests whether the frame is the world.
    pub fn are_in_world(&self) -> bool {
        self.step == 0.0
    }

    /// Returns the world as the frame: poses that are no rotations have no frame of their own.
    fn in_world(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Self {
        let size = a.pose.max_translation() + b.pose.max_translation() + f64::MIN_POSITIVE;
        let is_swapped = is_first(b, a, size);
        let poses = if is_swapped { [*b.pose, *a.pose] } else { [*a.pose, *b.pose] };
        Self { is_swapped, turn: Mat3::IDENTITY, poses, slack: 0.0, defect: 0.0, step: 0.0 }
    }
}

/// Returns a pose in the frame of another; `None` if one of them is no rotation, and beyond the range of numbers.
fn seen_from(of: &Pose, other: &Pose, size: f64) -> Option<Pose> {
    if of.defect().max(other.defect()) > MAX_DEFECT || !(1e-250..1e250).contains(&size) {
        return None;
    }
    let back = of.rotation().transpose();
    let offset = back * (other.translation() - of.translation());
    let (_, exponent) = libm::frexp(size);
    let rounded =
        |value: f64, exponent: i32| libm::ldexp(libm::ldexp(value, STEPS - exponent).round(), exponent - STEPS);
    let turned = (back * *other.rotation()).to_cols_array().map(|entry| rounded(entry, 0));
    Pose::from_matrix(Mat3::from_cols_array(&turned), offset.map(|entry| rounded(entry, exponent))).ok()
}

/// Tests whether body A comes first of the two.
fn is_first(a: PlacedShape<'_>, b: PlacedShape<'_>, size: f64) -> bool {
    let by_key = key(a.shape, a.pose, size).cmp(&key(b.shape, b.pose, size));
    // Shapes that are mirror images of each other may have the same relative pose.
    by_key.then_with(|| content(a.shape).cmp(&content(b.shape))).is_lt()
}

/// Returns a hash of all that a shape is made of.
fn content(shape: ShapeRef<'_>) -> u64 {
    let of_mesh = |mesh: &MeshShape| mesh.mesh().vertices().iter().copied().fold(StateHash::new(), StateHash::vector);
    let hash = match shape {
        ShapeRef::Mesh(mesh) => of_mesh(mesh),
        ShapeRef::Rounded(rounded) => of_mesh(rounded.mesh()).number(rounded.margin()),
        ShapeRef::Convex(convex) => {
            let all = |hash: StateHash, vector: Vec3| hash.vector(convex.support(vector).unwrap_or(Vec3::ZERO));
            DIRECTIONS.into_iter().fold(StateHash::new().number(convex.margin()), all)
        }
        ShapeRef::Superquadric(exact) => {
            let norms = DIRECTIONS.into_iter().map(|point| exact.surface().norm(point));
            norms.fold(StateHash::new().number(exact.margin()), StateHash::number)
        }
        ShapeRef::Compound(compound) => compound.parts().iter().fold(StateHash::new(), |hash, part| {
            let [x, y, z] = [part.pose.rotation().x_axis, part.pose.rotation().y_axis, part.pose.translation()];
            hash.bits(content((&part.shape).into())).vector(x).vector(y).vector(z)
        }),
    };
    hash.finish()
}

/// Directions by which shapes without corners of their own are distinguished.
const DIRECTIONS: [Vec3; 7] = [
    Vec3::new(1.0, 0.3, 0.2),
    Vec3::new(-0.3, 1.0, 0.1),
    Vec3::new(0.2, -0.1, 1.0),
    Vec3::new(0.7, 0.6, -0.5),
    Vec3::new(-0.6, 0.5, 0.7),
    Vec3::new(0.5, -0.8, 0.6),
    Vec3::new(-0.4, -0.7, -0.9),
];

/// Returns numbers that distinguish two bodies: first of the shape, then of the pose, so coarse that rounding errors
/// hardly count.
fn key(shape: ShapeRef<'_>, pose: &Pose, size: f64) -> ([u64; 8], [i64; 12]) {
    let (kind, count) = match shape {
        ShapeRef::Mesh(mesh) => (0, mesh.mesh().triangles().len()),
        ShapeRef::Convex(_) => (1, 0),
        ShapeRef::Compound(compound) => (2, compound.parts().len()),
        ShapeRef::Rounded(rounded) => (3, rounded.mesh().mesh().triangles().len()),
        ShapeRef::Superquadric(_) => (4, 0),
    };
    let ([a, b, c], [d, e, f]) = {
        let bounds = shape.bounds();
        (bounds.min.to_array().map(f64::to_bits), bounds.max.to_array().map(f64::to_bits))
    };
    let axes = pose.rotation();
    let numbers = [pose.translation() / size, axes.x_axis, axes.y_axis, axes.z_axis];
    let mut places = [0; 12];
    for (place, number) in places.iter_mut().zip(numbers.iter().flat_map(|vector: &Vec3| vector.to_array())) {
        *place = (number * COARSE).round() as i64;
    }
    ([kind, count as u64, a, b, c, d, e, f], places)
}
