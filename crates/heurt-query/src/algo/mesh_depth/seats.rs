//! The frame in which a depth is searched for: that of one of the bodies, wherever both stand together.
//!
//! Guarantees: it is the same when both are moved together, to the bit, and when they are named the other way round. The relative pose is
//! all that is left of the world in it, and is rounded far more coarsely than poses are in `f64` ([`STEPS`]): only those that lie where two
//! steps meet, one in a thousand, may go either way. Proofs are asked in the world, too.

use super::OnPose;
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_shape::ShapeRef;

/// What a pose may be off a rotation for its inverse to be its transpose.
const MOST_DEFECT: f64 = 64.0 * f64::EPSILON;

/// Steps of a size to which poses are rounded.
const STEPS: i32 = 40;
/// Steps in which bodies are told apart.
const COARSE: f64 = (1u64 << 36) as f64;

/// Where two bodies stand in the frame of one of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seats {
    /// The second of the two comes first, in whose frame both are.
    pub is_swapped: bool,
    /// From the frame to the world.
    pub turn: Mat3,
    /// Of the first and of the second.
    pub poses: [Pose; 2],
    /// How far a point of the second may be from where it stands in the world, turned back.
    pub slack: f64,
    /// What the poses are off rotations.
    pub defect: f64,
    /// A power of two, far above what roundings make of a length; 0 in the world.
    step: f64,
}

impl Seats {
    pub fn of(a: OnPose<'_>, b: OnPose<'_>) -> Self {
        let size = a.0.reach() + b.0.reach() + (b.1.translation() - a.1.translation()).length();
        let relative = [[a, b], [b, a]].map(|[of, other]| seen_from(of.1, other.1, size));
        let [Some(in_a), Some(in_b)] = relative else { return Self::in_world(a, b) };
        let is_swapped = key(b.0, &in_b, size) < key(a.0, &in_a, size);
        let (of, other) = if is_swapped { (b.1, in_b) } else { (a.1, in_a) };
        // Three products and a sum are off by half a step each, in each of three coordinates; frames, by what they are no rotations.
        let defect = 4.0 * (a.1.defect() + b.1.defect());
        let slack = (4.0 * libm::ldexp(1.0, 1 - STEPS) + defect) * size;
        let step = libm::ldexp(1.0, libm::frexp(size).1 - STEPS);
        Self { is_swapped, turn: *of.rotation(), poses: [Pose::IDENTITY, other], slack, defect, step }
    }

    /// Of A and of B, as they are named.
    pub fn as_named(&self) -> [&Pose; 2] {
        let [first, second] = &self.poses;
        if self.is_swapped { [second, first] } else { [first, second] }
    }

    /// A length that was found in the world, rounded down as coarsely as poses are.
    pub fn rounded_down(&self, length: f64) -> f64 {
        if self.are_in_world() { length } else { (length / self.step).floor() * self.step }
    }

    /// Tells whether the frame is that of the world.
    pub fn are_in_world(&self) -> bool {
        self.step == 0.0
    }

    /// Poses that are no rotations have no frame of their own.
    fn in_world(a: OnPose<'_>, b: OnPose<'_>) -> Self {
        let size = a.1.span() + b.1.span() + f64::MIN_POSITIVE;
        let is_swapped = key(b.0, b.1, size) < key(a.0, a.1, size);
        let poses = if is_swapped { [*b.1, *a.1] } else { [*a.1, *b.1] };
        Self { is_swapped, turn: Mat3::IDENTITY, poses, slack: 0.0, defect: 0.0, step: 0.0 }
    }
}

/// Where one pose stands in the frame of another; `None` for what is no rotation, and beyond the range of numbers.
fn seen_from(of: &Pose, other: &Pose, size: f64) -> Option<Pose> {
    if of.defect().max(other.defect()) > MOST_DEFECT || !(1e-250..1e250).contains(&size) {
        return None;
    }
    let back = of.rotation().transpose();
    let way = back * (other.translation() - of.translation());
    let (_, exponent) = libm::frexp(size);
    let rounded =
        |value: f64, exponent: i32| libm::ldexp(libm::ldexp(value, STEPS - exponent).round(), exponent - STEPS);
    let turned = (back * *other.rotation()).to_cols_array().map(|entry| rounded(entry, 0));
    Pose::from_matrix(Mat3::from_cols_array(&turned), way.map(|entry| rounded(entry, exponent))).ok()
}

/// Numbers that tell two bodies apart: of the shape first, then where a pose stands, so coarsely that roundings hardly count.
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
