//! The coordinate of a joint in the soft step: motor and limits.
//!
//! In: the row c of the coordinate, the equations J of the joint. Out: impulses within their bounds.
//! Method: an impulse along c − JᵀK⁻¹J M⁻¹c keeps the equations of the joint. A motor below its bound and a limit that
//! pushes become equations of the direct solution; the choice follows from their impulses.

use super::block::{JointBlock, JointRule, JointVelocities};
use super::factor::{BlockFactor, RowNumbers};
use crate::soft_step::motion::BodyState;

/// The coordinate of a joint with limits or a motor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CoordinateRow {
    /// Distances from the limits.
    pub gaps: [f64; 2],
    /// Impulses of the equations per impulse of the row, with the opposite sign.
    weights: RowNumbers,
    /// Effective mass along the row while the equations hold; 0 if no body follows.
    pub mass: f64,
}

/// Signs of the impulses of the lower and of the upper limit along the coordinate.
pub(super) const LIMIT_SIGNS: [f64; 2] = [1.0, -1.0];

/// The reason for which the coordinate of a joint is an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CoordinateDrive {
    /// The coordinate is no equation.
    Free,
    /// A motor below its bound.
    Motor,
    /// The lower limit (0) or the upper limit (1), which pushes.
    Limit(usize),
}

impl JointRule {
    /// Returns the bias and the compliance of a limit: an open limit may close by its gap, a violated limit follows the
    /// spring.
    pub(super) fn limit_bias(&self, gap: f64) -> (f64, f64) {
        if gap > 0.0 {
            (gap / self.h, 0.0)
        } else if self.is_soft {
            ((gap * self.softness.bias_rate).max(-self.max_push_speed), self.compliance)
        } else {
            (0.0, 0.0)
        }
    }
}

/// Reports whether a distance from a limit is finite; a joint without limit has an infinite one.
fn is_limit(gap: f64) -> bool {
    gap.is_finite()
}

impl JointBlock {
    /// Computes the effective mass along the coordinate.
    pub(super) fn couple_coordinate(&self, gaps: [f64; 2]) -> CoordinateRow {
        let coupling = self.coupling[self.count];
        let weights = self.factor.solve(&coupling);
        let own = coupling[self.count];
        let left = own - (0..self.count).map(|i| coupling[i] * weights[i]).sum::<f64>();
        let is_free = left > BlockFactor::TOLERANCE * own && left.is_normal();
        CoordinateRow { gaps, weights, mass: if is_free { 1.0 / left } else { 0.0 } }
    }

    /// Sets the impulses of rows to 0 that the joint no longer has, and bounds the impulse of the motor.
    pub(super) fn drop_stale_impulses(&mut self, h: f64) {
        self.impulses.equations[self.count..].fill(0.0);
        let gaps = self.coordinate.map_or([f64::INFINITY; 2], |coordinate| coordinate.gaps);
        for (impulse, gap) in self.impulses.limits.iter_mut().zip(gaps) {
            if !is_limit(gap) {
                *impulse = 0.0;
            }
        }
        let most = self.coordinate.and(self.joint.motor()).map_or(0.0, |motor| motor.max_force * h);
        self.impulses.motor = self.impulses.motor.clamp(-most, most);
    }

    /// Chooses whether the coordinate is an equation, from the impulses: a motor below its bound, a limit that pushes.
    /// Returns whether the choice changes.
    pub(super) fn choose_drive(&mut self, h: f64) -> bool {
        let most = self.joint.motor().map_or(0.0, |motor| motor.max_force * h);
        let has_mass = self.coordinate.is_some_and(|coordinate| coordinate.mass > 0.0);
        let drive = if !has_mass {
            CoordinateDrive::Free
        } else if let Some(side) = (0..2).find(|side| self.impulses.limits[*side] > 0.0) {
            CoordinateDrive::Limit(side)
        } else if self.impulses.motor.abs() < most {
            CoordinateDrive::Motor
        } else {
            CoordinateDrive::Free
        };
        std::mem::replace(&mut self.drive, drive) != drive
    }

    /// Solves the motor and the limits within their bounds. Returns whether the system has to be solved again: the
    /// impulse of a coordinate that is no equation changes, or an equation leaves its bounds.
    pub(super) fn solve_coordinate(&mut self, states: &mut [BodyState], rule: &JointRule) -> bool {
        let Some(coordinate) = self.coordinate else { return false };
        let old = self.impulses;
        let mut velocities = self.gather(states);
        self.solve_motor(&coordinate, &mut velocities, rule);
        for side in 0..2 {
            self.solve_limit(side, &coordinate, &mut velocities, rule);
        }
        self.scatter(&velocities, states);
        let was_free = self.drive == CoordinateDrive::Free;
        self.choose_drive(rule.h) || (was_free && self.impulses != old)
    }

    /// Applies an impulse along the coordinate, and impulses of the equations so that they keep holding.
    fn push(&mut self, coordinate: &CoordinateRow, impulse: f64, velocities: &mut JointVelocities) {
        self.load.add(&self.rows[self.count], impulse);
        let mut change = self.responses[self.count];
        for i in 0..self.count {
            let weight = -coordinate.weights[i];
            self.impulses.equations[i] += weight * impulse;
            self.load.add(&self.rows[i], weight * impulse);
            change.add(&self.responses[i], weight);
        }
        self.applied.add(&change, impulse);
        velocities.add(&change, impulse);
    }

    fn solve_motor(&mut self, coordinate: &CoordinateRow, velocities: &mut JointVelocities, rule: &JointRule) {
        let Some(motor) = self.joint.motor() else { return };
        let most = motor.max_force * rule.h;
        let old = self.impulses.motor;
        let goal = velocities.rate(&self.rows[self.count]) - motor.velocity;
        let new = (old - goal * coordinate.mass).clamp(-most, most);
        self.impulses.motor = new;
        self.push(coordinate, new - old, velocities);
    }

    /// Solves the lower limit (side 0) or the upper limit: an open limit may close by its gap, a violated limit follows
    /// the spring.
    fn solve_limit(
        &mut self,
        side: usize,
        coordinate: &CoordinateRow,
        velocities: &mut JointVelocities,
        rule: &JointRule,
    ) {
        let gap = coordinate.gaps[side];
        if !is_limit(gap) {
            return;
        }
        let speed = velocities.rate(&self.rows[self.count]) * LIMIT_SIGNS[side];
        let (bias, compliance) = rule.limit_bias(gap);
        let old = self.impulses.limits[side];
        let goal = (speed + bias) * coordinate.mass + old * compliance;
        let new = (old - goal / (1.0 + compliance)).max(0.0);
        self.impulses.limits[side] = new;
        self.push(coordinate, (new - old) * LIMIT_SIGNS[side], velocities);
    }
}
