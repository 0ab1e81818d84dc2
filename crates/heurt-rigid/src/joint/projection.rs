//! Projection of positions on the constraints of joints: Newton's method with conjugate gradients.
//!
//! In: joints, inverse masses and inertias, frames. Out: frames at which the errors of all joints are 0, and the
//! largest error that remains.
//! Method: each Newton step moves the bodies by M⁻¹Jᵀλ with J M⁻¹Jᵀλ = −error, the smallest change in the norm of the
//! masses (Goldenthal et al. 2007, fast projection). A damping µ in proportion to the error (Levenberg and Marquardt)
//! allows rows that depend on each other, as in closed loops. Conjugate gradients solve the system, matrix-free. A
//! violated limit is an equation for one Newton step. Velocities do not change.
//! Guarantees: bounded loops; frames stay finite; the same bits for any number of threads.
//! Not guaranteed: convergence for joints that contradict each other; the report holds the error that remains.
//! Cost: Newton steps × rows × conjugate gradient iterations (at most twice the rows).

use super::{Joint, JointFrame, rotation_by};
use crate::body::RigidBody;
use crate::problem::{ConstraintRow, ProblemError};
use heurt_geometry::Vec3;

/// How well a projection ended.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointProjection {
    /// The largest error of a row that remains, in metres or radians.
    pub error: f64,
    /// Newton steps that were made.
    pub steps: u32,
}

/// Moves bodies so that their joints hold within `tolerance` (metres, radians), in at most `max_steps` Newton steps.
/// Each joint comes with the indices of its bodies in both lists. Inverse masses and inertias come from `bodies`.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::{Joint, JointFrame, RigidBody, project_joints};
/// let bob = JointFrame::at_rest(Vec3::Z * -1.0, Mat3::IDENTITY);
/// let rod = Joint::distance([None, Some(0)], [&JointFrame::WORLD, &bob], [Vec3::ZERO, bob.centre])?;
/// let bodies = [RigidBody::FIXED, RigidBody { inverse_mass: 1.0, ..RigidBody::FIXED }];
/// let mut frames = [JointFrame::WORLD, JointFrame::at_rest(Vec3::Z * -1.1, Mat3::IDENTITY)];
/// let report = project_joints(&[([0, 1], rod)], &bodies, &mut frames, 8, 1e-12)?;
/// assert!((frames[1].centre - Vec3::Z * -1.0).length() < 1e-12);
/// assert!(report.error < 1e-12 && report.steps <= 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProblemError::NoSuchBody`] for an index beyond one of the lists.
pub fn project_joints(
    joints: &[([u32; 2], Joint)],
    bodies: &[RigidBody],
    frames: &mut [JointFrame],
    max_steps: u32,
    tolerance: f64,
) -> Result<JointProjection, ProblemError> {
    let count = bodies.len().min(frames.len());
    for (index, (ends, _)) in joints.iter().enumerate() {
        if let Some(&body) = ends.iter().find(|body| **body as usize >= count) {
            return Err(ProblemError::NoSuchBody { what: "joint", index, body, count });
        }
    }
    let mut report = JointProjection::default();
    loop {
        let rows = position_rows(joints, frames);
        report.error = rows.iter().map(|row| row.error.abs()).fold(0.0, f64::max);
        if report.error <= tolerance || report.steps == max_steps {
            return Ok(report);
        }
        let Some(changes) = newton_step(&rows, bodies, report.error) else { return Ok(report) };
        if !apply(&changes, frames) {
            return Ok(report);
        }
        report.steps += 1;
    }
}

/// A translation and a rotation vector of each body.
type Changes = Vec<[Vec3; 2]>;

fn position_rows(joints: &[([u32; 2], Joint)], frames: &[JointFrame]) -> Vec<ConstraintRow> {
    let rows = |(ends, joint): &([u32; 2], Joint)| joint.position_rows(*ends, ends.map(|body| &frames[body as usize]));
    joints.iter().flat_map(rows).collect()
}

/// Solves (J M⁻¹Jᵀ + µ)λ = −error by conjugate gradients and returns M⁻¹Jᵀλ; `None` if no progress is possible.
fn newton_step(rows: &[ConstraintRow], bodies: &[RigidBody], error: f64) -> Option<Changes> {
    let damping = damping_of(rows, bodies, error);
    // The errors of the next Newton step are of second order; a better solution of the linear system is of no use.
    const RELATIVE: f64 = 1e-12;
    let mut residual: Vec<f64> = rows.iter().map(|row| -row.error).collect();
    let mut direction = residual.clone();
    let mut changes = vec![[Vec3::ZERO; 2]; bodies.len()];
    let mut square = dot(&residual, &residual);
    let enough = square * (RELATIVE * RELATIVE);
    for _ in 0..2 * rows.len() {
        let step = spread(rows, bodies, &direction);
        let image: Vec<f64> =
            rows.iter().zip(&direction).map(|(row, along)| rate(row, &step) + damping * along).collect();
        let curvature = dot(&direction, &image);
        // A direction that no body follows: fixed bodies, or rows that contradict each other.
        if curvature.is_nan() || curvature <= f64::EPSILON * f64::EPSILON * dot(&direction, &direction) {
            break;
        }
        let length = square / curvature;
        for (change, step) in changes.iter_mut().zip(&step) {
            change[0] += step[0] * length;
            change[1] += step[1] * length;
        }
        for (left, image) in residual.iter_mut().zip(&image) {
            *left -= length * image;
        }
        let next = dot(&residual, &residual);
        if next <= enough {
            break;
        }
        for (along, left) in direction.iter_mut().zip(&residual) {
            *along = left + *along * (next / square);
        }
        square = next;
    }
    let is_move = changes.iter().any(|change| *change != [Vec3::ZERO; 2]);
    let is_finite = changes.iter().all(|change| change[0].is_finite() && change[1].is_finite());
    (is_move && is_finite).then_some(changes)
}

/// Returns the damping µ, in units of the diagonal of J M⁻¹Jᵀ.
fn damping_of(rows: &[ConstraintRow], bodies: &[RigidBody], error: f64) -> f64 {
    /// Per metre of error: rows that depend on each other at an error of 0 have eigenvalues of the order of the square
    /// of the error; a tenth damps them, and chains of 12 bodies still converge in 4 to 6 steps.
    const PER_ERROR: f64 = 0.1;
    /// Damping of large errors: a Newton step still removes most of the error of well-conditioned rows.
    const LARGEST: f64 = 0.05;
    let diagonal = |row: &ConstraintRow| {
        let [a, b] = row.bodies.map(|body| &bodies[body as usize]);
        let [spin_a, spin_b] = row.angular;
        let linear = row.linear.length_squared() * (a.inverse_mass + b.inverse_mass);
        linear + spin_a.dot(a.inverse_inertia * spin_a) + spin_b.dot(b.inverse_inertia * spin_b)
    };
    let mean = rows.iter().map(diagonal).sum::<f64>() / rows.len().max(1) as f64;
    mean * (PER_ERROR * error).min(LARGEST)
}

/// Computes M⁻¹Jᵀλ.
fn spread(rows: &[ConstraintRow], bodies: &[RigidBody], weights: &[f64]) -> Changes {
    let mut sums = vec![[Vec3::ZERO; 2]; bodies.len()];
    for (row, weight) in rows.iter().zip(weights) {
        for (k, linear) in [-row.linear, row.linear].into_iter().enumerate() {
            let sum = &mut sums[row.bodies[k] as usize];
            sum[0] += linear * *weight;
            sum[1] += row.angular[k] * *weight;
        }
    }
    for (sum, body) in sums.iter_mut().zip(bodies) {
        *sum = [sum[0] * body.inverse_mass, body.inverse_inertia * sum[1]];
    }
    sums
}

/// Computes J·change.
fn rate(row: &ConstraintRow, changes: &[[Vec3; 2]]) -> f64 {
    let [a, b] = row.bodies.map(|body| &changes[body as usize]);
    row.linear.dot(b[0] - a[0]) + row.angular[0].dot(a[1]) + row.angular[1].dot(b[1])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Moves the frames; all changes are scaled so that no body rotates by more than the bound. Returns false, and moves
/// nothing, if a frame would not be finite.
fn apply(changes: &Changes, frames: &mut [JointFrame]) -> bool {
    /// Radians: the gradients of angular rows change sign beyond a right angle.
    const LARGEST_ROTATION: f64 = 0.5;
    let largest = changes.iter().map(|change| change[1].length()).fold(0.0, f64::max);
    let scale = if largest > LARGEST_ROTATION { LARGEST_ROTATION / largest } else { 1.0 };
    let moved = |(change, frame): (&[Vec3; 2], &JointFrame)| {
        let [shift, turn] = change.map(|vector| vector * scale);
        if turn == Vec3::ZERO {
            return JointFrame { centre: frame.centre + shift, ..*frame };
        }
        JointFrame { centre: frame.centre + shift, rotation: rotation_by(turn) * frame.rotation, ..*frame }
    };
    let moved: Vec<JointFrame> = changes.iter().zip(frames.iter()).map(moved).collect();
    let is_finite = moved.iter().all(JointFrame::is_finite);
    if is_finite {
        frames[..moved.len()].copy_from_slice(&moved);
    }
    is_finite
}
