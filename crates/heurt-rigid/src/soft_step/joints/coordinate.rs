//! The coordinates of a joint in the soft step: motor and limits.
//!
//! In: the row c of a coordinate, the equations J of the joint. Out: impulses within their bounds.
//! Method: an impulse along c − JᵀK⁻¹J M⁻¹c keeps the equations of the joint. A motor below its bound and a limit that
//! pushes become equations of the direct solution; the choice follows from their impulses. Joints with springs, with
//! friction or with several coordinates: `forces.rs`.

use super::block::{JointBlock, JointRule, JointVelocities};
use super::factor::{BlockFactor, RowNumbers};
use super::step_joint::CoordinateImpulses;
use crate::joint::JointCoordinate;
use crate::soft_step::motion::BodyState;

/// A coordinate of a joint along which something acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CoordinateRow {
    /// Its number among the coordinates of the joint.
    pub number: usize,
    /// Its row among the rows of the joint.
    pub row: usize,
    /// Its value, in radians or metres.
    pub value: f64,
    /// Distances from the limits.
    pub gaps: [f64; 2],
    /// Second-order change of the value in the sub-step, as a rate.
    pub curvature: f64,
    /// Bound of the friction, in N or N·m.
    pub friction: f64,
    /// Impulses of the equations per impulse of the row, with the opposite sign.
    weights: RowNumbers,
    /// Effective mass along the row while the equations hold; 0 if no body follows.
    pub mass: f64,
}

/// Signs of the impulses of the lower and of the upper limit along the coordinate.
pub(super) const LIMIT_SIGNS: [f64; 2] = [1.0, -1.0];

/// The reason for which the coordinate of a joint is an equation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CoordinateDrive {
    /// The coordinate is no equation.
    Free,
    /// A motor below its bound.
    Motor,
    /// The lower limit (0) or the upper limit (1), which pushes.
    Limit(usize),
    /// The rate has a value: friction that holds, a motor or a limit among other forces.
    Held(f64),
    /// Forces that are linear in the rate: rate + compliance·impulse = target.
    Soft {
        /// In 1/kg or 1/(kg·m²).
        compliance: f64,
        /// In m/s or rad/s.
        target: f64,
    },
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
pub(super) fn is_limit(gap: f64) -> bool {
    gap.is_finite()
}

impl JointBlock {
    /// Computes the effective mass along a coordinate.
    pub(super) fn couple_coordinate(&self, number: usize, coordinate: &JointCoordinate) -> CoordinateRow {
        let row = self.count + number;
        let coupling = self.coupling[row];
        let weights = self.factor.solve(&coupling);
        let own = coupling[row];
        let left = own - (0..self.count).map(|i| coupling[i] * weights[i]).sum::<f64>();
        let is_free = left > BlockFactor::TOLERANCE * own && left.is_normal();
        let &JointCoordinate { value, gaps, friction, .. } = coordinate;
        CoordinateRow {
            number,
            row,
            value,
            gaps,
            curvature: 0.0,
            friction,
            weights,
            mass: if is_free { 1.0 / left } else { 0.0 },
        }
    }

    /// Sets the impulses of rows to 0 that the joint no longer has, and bounds those of motors and friction.
    pub(super) fn drop_stale_impulses(&mut self, h: f64) {
        self.impulses.equations[self.count..].fill(0.0);
        let laws = self.joint.spring_laws();
        for (number, impulses) in self.impulses.coordinates.iter_mut().enumerate() {
            let Some(coordinate) = self.coordinates.get(number) else {
                *impulses = CoordinateImpulses::default();
                continue;
            };
            for (impulse, gap) in impulses.limits.iter_mut().zip(coordinate.gaps) {
                if !is_limit(gap) {
                    *impulse = 0.0;
                }
            }
            let most = self.joint.motor().map_or(0.0, |motor| motor.max_force * h);
            impulses.motor = impulses.motor.clamp(-most, most);
            let most = coordinate.friction * h;
            impulses.friction = impulses.friction.clamp(-most, most);
            for (at, impulse) in impulses.springs.iter_mut().enumerate() {
                let most = laws.get(at).map_or(0.0, |law| law.max_force * h);
                *impulse = impulse.clamp(-most, most);
            }
        }
    }

    /// Chooses how the coordinates enter the system.
    pub(super) fn choose_drives(&mut self, states: &[BodyState], rule: &JointRule) {
        if self.has_forces {
            self.choose_by_forces(states, rule);
        } else {
            self.choose_drive(rule.h);
        }
    }

    /// Chooses whether the coordinate is an equation, from the impulses: a motor below its bound, a limit that pushes.
    /// Returns whether the choice changes.
    fn choose_drive(&mut self, h: f64) -> bool {
        let impulses = &self.impulses.coordinates[0];
        let most = self.joint.motor().map_or(0.0, |motor| motor.max_force * h);
        let has_mass = self.coordinates.first().is_some_and(|coordinate| coordinate.mass > 0.0);
        let drive = if !has_mass {
            CoordinateDrive::Free
        } else if let Some(side) = (0..2).find(|side| impulses.limits[*side] > 0.0) {
            CoordinateDrive::Limit(side)
        } else if impulses.motor.abs() < most {
            CoordinateDrive::Motor
        } else {
            CoordinateDrive::Free
        };
        std::mem::replace(&mut self.drives[0], drive) != drive
    }

    /// Solves the motor and the limits within their bounds. Returns whether the system has to be solved again: the
    /// impulse of a coordinate that is no equation changes, or an equation leaves its bounds.
    pub(super) fn solve_coordinate(&mut self, states: &mut [BodyState], rule: &JointRule) -> bool {
        if self.has_forces {
            return self.solve_forces(states, rule);
        }
        let Some(&coordinate) = self.coordinates.first() else { return false };
        let old = self.impulses;
        let mut velocities = self.gather(states);
        self.solve_motor(&coordinate, &mut velocities, rule);
        for side in 0..2 {
            self.solve_limit(side, &coordinate, &mut velocities, rule);
        }
        self.scatter(&velocities, states);
        let was_free = self.drives[0] == CoordinateDrive::Free;
        self.choose_drive(rule.h) || (was_free && self.impulses != old)
    }

    /// Applies an impulse along the coordinate, and impulses of the equations so that they keep holding.
    pub(super) fn push(&mut self, coordinate: &CoordinateRow, impulse: f64, velocities: &mut JointVelocities) {
        self.load.add(&self.rows[coordinate.row], impulse);
        let mut change = self.responses[coordinate.row];
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
        let old = self.impulses.coordinates[0].motor;
        let goal = velocities.rate(&self.rows[coordinate.row]) - motor.velocity;
        let new = (old - goal * coordinate.mass).clamp(-most, most);
        self.impulses.coordinates[0].motor = new;
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
        let speed = velocities.rate(&self.rows[coordinate.row]) * LIMIT_SIGNS[side];
        let (bias, compliance) = rule.limit_bias(gap);
        let old = self.impulses.coordinates[0].limits[side];
        let goal = (speed + bias) * coordinate.mass + old * compliance;
        let new = (old - goal / (1.0 + compliance)).max(0.0);
        self.impulses.coordinates[0].limits[side] = new;
        self.push(coordinate, (new - old) * LIMIT_SIGNS[side], velocities);
    }
}
