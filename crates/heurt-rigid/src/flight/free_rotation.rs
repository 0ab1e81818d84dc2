//! Rotation of a free rigid body over a step: implicit Lie midpoint rule in body axes, solved by Newton's method.
//!
//! In: inertia, its inverse, and the angular momentum L₀ in body axes. Out: the constant rate Ω of the step.
//! Method: the end momentum is L₁ = exp(−hΩ)·L₀ with Ω = I⁻¹m, m = (L₀ + L₁)/2. Then L₁ − L₀ = h′·m × Ω, with
//! h′ = 2·tan(h|Ω|/2)/|Ω|, and exp(hΩ) = cay(h′Ω).
//! Proof that energy is kept: 1. L₁ − L₀ is at right angles to the axis Ω. 2. ½L₁·I⁻¹L₁ − ½L₀·I⁻¹L₀ =
//! (L₁ − L₀)·I⁻¹m = (L₁ − L₀)·Ω = 0. This holds for any h′; h′ = h is the rule with Cayley's map. The corrected h′
//! rotates a body on a principal axis by exactly h|Ω|, which Cayley's map with h shortens (by 7 % at 1 rad per step).
//! Momentum R·L is kept as Rₙ₊₁ = Rₙ·exp(hΩ).
//! Newton's method solves IΩ − L₀ + κ·Ω × IΩ = 0, κ = h′/2. The norm |m| ≤ |L₀| bounds all solutions.
//! Pieces: a step of more than a sixteenth of a radian is divided into at most 64 pieces of at most half a radian;
//! their rotations are composed to one rotation vector, with the number of full turns nearest to the sum of theirs.
//! Fallback: beyond 64 pieces (32 rad per step), or if Newton's method fails, the body rotates around L₀ at the rate
//! 2E/|L₀|, the component of ω along L₀. This leaves L₀ in body axes, and so energy and momentum, unchanged.
//! Cost: 3 to 4 Newton iterations for a piece.

use heurt_geometry::{Mat3, Quat, Vec3};
use std::f64::consts::TAU;

/// How the rotation of a step was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotationMethod {
    /// Angular velocity and angular momentum are parallel: the rotation is exact.
    Steady,
    /// The midpoint rule in the given number of pieces, 1 up to a sixteenth of a radian per step.
    Midpoint {
        /// At most 64.
        pieces: u32,
    },
    /// The fallback for more than 32 rad per step: rotation around the angular momentum at the component of the angular
    /// velocity along it. Energy and momentum are kept; a tumbling body has another attitude at the end.
    Precession,
    /// The rule for locked rotations.
    Locked,
}

/// Radians of a piece as long as the number of pieces allows it: the error of a period falls with the square, and is
/// 0.02 % here (half-period of I = (1, 2, 3) at 5 rad/s).
const PIECE: f64 = 1.0 / 16.0;
/// Radians of the longest piece: Newton's method converges in three or four iterations.
const LONGEST_PIECE: f64 = 0.5;
/// Bound of the work; 32 rad per step is 18,000 turns a minute at 60 steps a second.
const MAX_PIECES: u32 = 64;
/// The sine of the angle between ω and L that rounding errors explain.
const PARALLEL: f64 = 8.0 * f64::EPSILON;

/// Computes the constant rate Ω over a step of `dt` seconds, in the body axes of its start.
pub(super) fn angular_momentum_rate(inertia: &Mat3, inverse: &Mat3, momentum: Vec3, dt: f64) -> (Vec3, RotationMethod) {
    let rate = *inverse * momentum;
    let speed = rate.length();
    if rate.cross(momentum).length() <= PARALLEL * speed * momentum.length() {
        return (rate, RotationMethod::Steady);
    }
    let angle = speed * dt;
    let most = f64::from(MAX_PIECES);
    let mut pieces = (angle / PIECE).ceil().clamp(1.0, most).max((angle / LONGEST_PIECE).ceil());
    while pieces <= most {
        if let Some(rate) = rotate_in_pieces(inertia, inverse, momentum, dt, pieces as u32) {
            return (rate, RotationMethod::Midpoint { pieces: pieces as u32 });
        }
        // The rate rises within the step above its value at the start.
        pieces *= 2.0;
    }
    (momentum * (rate.dot(momentum) / momentum.length_squared()), RotationMethod::Precession)
}

/// Composes the rotations of `pieces` midpoint steps; `None` if an iteration fails.
fn rotate_in_pieces(inertia: &Mat3, inverse: &Mat3, momentum: Vec3, dt: f64, pieces: u32) -> Option<Vec3> {
    if pieces == 1 {
        return midpoint_rate(inertia, inverse, momentum, dt);
    }
    let piece = dt / f64::from(pieces);
    let mut total = Quat::IDENTITY;
    let mut sum = Vec3::ZERO;
    for _ in 0..pieces {
        let current = total.conjugate() * momentum;
        let rotation = midpoint_rate(inertia, inverse, current, piece)? * piece;
        sum += total * rotation;
        total = (total * rotation_of(rotation)).normalize();
    }
    let sine = total.xyz().length();
    if sine == 0.0 {
        // Full turns.
        let turns = libm::rint(sum.length() / TAU);
        return Some(sum.normalize_or_zero() * (turns * TAU / dt));
    }
    let axis = total.xyz() / sine;
    let angle = 2.0 * libm::atan2(sine, total.w);
    let turns = libm::rint((sum.dot(axis) - angle) / TAU);
    Some(axis * ((angle + turns * TAU) / dt))
}

/// Solves the midpoint equation for a step of roughly half a radian.
fn midpoint_rate(inertia: &Mat3, inverse: &Mat3, momentum: Vec3, dt: f64) -> Option<Vec3> {
    // Quadratic convergence from a second-order prediction takes 3; more means that a piece is too long.
    const ITERATIONS: usize = 10;
    /// The square of this relative correction is below rounding.
    const CONVERGED: f64 = 1e-9;
    /// Half the angle beyond which a step is no piece: the tangent has a pole at π/2.
    const MAX_HALF_ANGLE: f64 = 0.75;
    let half = 0.5 * dt;
    let start = *inverse * momentum;
    let mut rate = start + *inverse * (momentum.cross(start) * half);
    for _ in 0..ITERATIONS {
        let angle = rate.length() * half;
        if angle.is_nan() || angle > MAX_HALF_ANGLE {
            return None;
        }
        let (ratio, slope) = tangent_ratio(angle);
        let middle = *inertia * rate;
        let twist = rate.cross(middle);
        let residual = middle - momentum + twist * (half * ratio);
        let derivative = *inertia
            + (cross_matrix(rate) * *inertia - cross_matrix(middle)) * (half * ratio)
            + outer(twist, rate) * (half * half * half * slope);
        let correction = solve(&derivative, residual)?;
        rate -= correction;
        if correction.length() <= CONVERGED * rate.length() {
            return Some(rate);
        }
    }
    None
}

/// Returns tan(y)/y and its derivative divided by y.
fn tangent_ratio(y: f64) -> (f64, f64) {
    // The closed form of the derivative cancels; two terms of its series suffice for a Jacobian.
    const SMALL: f64 = 1e-2;
    if y < SMALL {
        let square = y * y;
        // The next term, 62 y⁸/2835, is below a rounding error.
        let ratio = 1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0 + square * (17.0 / 315.0)));
        return (ratio, 2.0 / 3.0 + square * (8.0 / 15.0));
    }
    let tangent = libm::tan(y);
    (tangent / y, (y * (1.0 + tangent * tangent) - tangent) / (y * y * y))
}

/// Solves a 3×3 system; `None` if it is singular or out of range.
fn solve(matrix: &Mat3, right: Vec3) -> Option<Vec3> {
    let scale = heurt_geometry::power_of_two_scale(crate::inertia::largest_entry(matrix));
    let scaled = *matrix * scale;
    let solution = scaled.inverse() * (right * scale);
    (scaled.determinant() != 0.0 && solution.is_finite()).then_some(solution)
}

/// Removes rounding errors from a rotation: two Newton steps towards the nearest orthonormal matrix.
pub(super) fn orthonormalize(rotation: &Mat3) -> Mat3 {
    let step = |matrix: Mat3| matrix * ((Mat3::IDENTITY * 3.0 - matrix.transpose() * matrix) * 0.5);
    step(step(*rotation))
}

/// Returns the unit quaternion of a rotation by |`vector`| around `vector`.
fn rotation_of(vector: Vec3) -> Quat {
    let angle = vector.length();
    if angle == 0.0 {
        return Quat::IDENTITY;
    }
    let axis = vector * (libm::sin(0.5 * angle) / angle);
    Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(0.5 * angle))
}

/// Returns the matrix of v ↦ `vector` × v.
fn cross_matrix(vector: Vec3) -> Mat3 {
    Mat3::from_cols(vector.cross(Vec3::X), vector.cross(Vec3::Y), vector.cross(Vec3::Z))
}

/// Returns the matrix of v ↦ `left`·(`right` · v).
fn outer(left: Vec3, right: Vec3) -> Mat3 {
    Mat3::from_cols(left * right.x, left * right.y, left * right.z)
}
