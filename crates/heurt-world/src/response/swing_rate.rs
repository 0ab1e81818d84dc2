//! How fast bodies swing on the forces of their joints: the links of a chain that holds a heavy load swing fast.
//!
//! In: islands and their impulses before a motion. Out: a bound of the angular frequency of each island's swings, of
//! which the largest is returned, in rad/s.
//! Method: a force F at an arm r pulls a body back that turns by a small angle, with the torque |F|·|r| per radian at
//! most, across r. Forces of all joints of a body add up; ω² is this stiffness over the least moment of inertia across
//! the arm.
//! Why: forces are constant over a piece of a step, so that a swing that is not resolved gains energy without bound
//! (ω·dt < 2 is the limit of the leapfrog scheme).
//! Cost: linear in joints.

use crate::response::exact::problem::{ExactIsland, SHARE_BEFORE_MOTION};
use crate::response::joints::JointTable;
use crate::state::bodies::Bodies;
use heurt_geometry::{Mat3, Vec3, robust_normalize};
use heurt_rigid::Solution;

/// Angle of the phase by which bodies swing in a piece, in radians: the energy of a swing is right within a hundredth.
const LARGEST_PHASE: f64 = 0.5;

/// Pieces of a step at most: ten links of 1 kg with a load of 1,000 kg take some forty at 1/60 s.
const MAX_PIECES: f64 = 64.0;

/// Share of the length of a piece that a piece with other impulses must fall short of, to be solved again.
const MUCH_SHORTER: f64 = 0.7;

/// Returns the longest piece at a swing of `rate` rad/s, of which `left` seconds are left in a step of `dt` seconds.
pub(crate) fn limit_by_swing(length: f64, rate: f64, [left, dt]: [f64; 2]) -> f64 {
    let pieces = (rate * dt / LARGEST_PHASE).ceil().clamp(1.0, MAX_PIECES);
    let longest = dt / pieces;
    // The last two are one if the rest is little more than one.
    if left > 1.5 * longest { length.min(longest) } else { length }
}

/// Reports whether the impulses of a piece show swings that need a much shorter one.
pub(crate) fn is_much_shorter(shorter: f64, length: f64) -> bool {
    shorter < MUCH_SHORTER * length
}

/// Returns the largest angular frequency of the swings of all bodies, in rad/s, from the impulses of a piece of
/// `duration` seconds.
pub(crate) fn find_swing_rate(
    bodies: &Bodies,
    table: &JointTable,
    islands: &[ExactIsland],
    solutions: &[Option<Solution>],
    duration: f64,
) -> f64 {
    let rate = |(island, solution): (&ExactIsland, &Option<Solution>)| {
        let Some(solution) = solution else { return 0.0 };
        let mut squares = vec![0.0; island.places.len()];
        for (id, range) in &island.joints {
            let Some(joint) = table.get(*id) else { continue };
            let rows = &island.problem.rows[range.clone()];
            let Some(first) = rows.first() else { continue };
            let impulse: Vec3 = rows.iter().zip(&solution.rows[range.clone()]).map(|(row, by)| row.linear * *by).sum();
            let force = impulse.length() / (SHARE_BEFORE_MOTION * duration);
            let frames = joint.frames(bodies);
            let anchors = joint.joint.anchors([&frames[0], &frames[1]]);
            for side in 0..2 {
                let body = first.bodies[side] as usize;
                let arm = anchors[side] - frames[side].centre;
                let compliance = largest_compliance(&island.problem.bodies[body].inverse_inertia, arm);
                squares[body] += force * arm.length() * compliance;
            }
        }
        squares.into_iter().fold(0.0, f64::max).sqrt()
    };
    islands.iter().zip(solutions).map(rate).filter(|rate| rate.is_finite()).fold(0.0, f64::max)
}

/// Returns the largest component of an inverse inertia for axes across an arm.
fn largest_compliance(inverse_inertia: &Mat3, arm: Vec3) -> f64 {
    let Some(along) = robust_normalize(arm) else { return 0.0 };
    let (first, second) = along.any_orthonormal_pair();
    let [a, b, c] = [(first, first), (first, second), (second, second)].map(|(u, v)| u.dot(*inverse_inertia * v));
    0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt()
}
