//! Joints of a soft step: direct solution of the equations of a joint, then its motor and its limits.
//!
//! In: joints with warm impulses, states of the bodies. Out: new velocities; impulses and loads of the joints.
//! Method: "TGS soft" as for contacts, with the rows J of the current poses. The equations of a joint form a block with
//! K = J M⁻¹Jᵀ, solved by LDLᵀ. The coordinate (angle, translation or distance) has the row c. Motor and limits act along
//! c − JᵀK⁻¹J M⁻¹c, so that they keep the equations of the joint. The soft sweep has the target −(C(q ⊕ v·h) − C(q) −
//! J·v·h)/h: with the spring, C at the end of the sub-step is right to second order; with the velocity projection of the
//! relaxation at the new pose, a sub-step is a RATTLE step (Andersen 1983).
//! The soft sweep visits joints in their order, the relaxation in the opposite order, so that impulses travel through a
//! chain in both directions.
//! Warm start: the bodies keep the change of velocity of the last sub-step ([`BodyMotion`]). The rows of joints rotate
//! within a step, and old rows would do work on a swinging body. A joint therefore replaces its share of this change by
//! the change that the same impulses give with the current rows and the current inverse inertia.
//! Guarantees: equal and opposite impulses; the same bits for any number of threads, because one thread solves all
//! joints in order.

use super::block_factor::{BlockFactor, MAX_ROWS, RowMatrix, RowNumbers};
use super::input::StepBody;
use super::joint_system::JointSystem;
use super::motion::{BodyMotion, BodyState};
use super::settings::Softness;
use super::step_joint::{JointWarmStart, StepJoint};
use super::sweep::SubStep;
use crate::joint::{Joint, JointFrame, JointLoad};
use crate::problem::ConstraintRow;
use heurt_geometry::{Mat3, Vec3};
use smallvec::SmallVec;
use std::array::from_fn;

const EMPTY_MATRIX: RowMatrix = [[0.0; MAX_ROWS]; MAX_ROWS];
const PROXIMAL: f64 = 1e-9;
const PASSES: usize = 2;
const SWEEPS: usize = 4;

/// Velocities of the bodies of a joint, or their changes: A and B.
#[derive(Debug, Clone, Copy, PartialEq)]
struct JointVelocities {
    linear: [Vec3; 2],
    angular: [Vec3; 2],
}

impl JointVelocities {
    const ZERO: Self = Self { linear: [Vec3::ZERO; 2], angular: [Vec3::ZERO; 2] };

    /// Adds a multiple of a change.
    fn add(&mut self, change: &Self, factor: f64) {
        for side in 0..2 {
            self.linear[side] += change.linear[side] * factor;
            self.angular[side] += change.angular[side] * factor;
        }
    }

    /// Computes J·v.
    fn rate(&self, row: &ConstraintRow) -> f64 {
        let angular = row.angular[0].dot(self.angular[0]) + row.angular[1].dot(self.angular[1]);
        row.linear.dot(self.linear[1] - self.linear[0]) + angular
    }
}

/// Inverse masses of the bodies of a joint at the current pose.
#[derive(Debug, Clone, Copy, PartialEq)]
struct JointMass {
    inverse_mass: [Vec3; 2],
    inverse_inertia: [Mat3; 2],
}

impl JointMass {
    const ZERO: Self = Self { inverse_mass: [Vec3::ZERO; 2], inverse_inertia: [Mat3::ZERO; 2] };

    /// Computes M⁻¹Jᵀ for a row.
    fn response(&self, row: &ConstraintRow) -> JointVelocities {
        JointVelocities {
            linear: [-(row.linear * self.inverse_mass[0]), row.linear * self.inverse_mass[1]],
            angular: from_fn(|side| self.inverse_inertia[side] * row.angular[side]),
        }
    }
}

/// The force and the torque that impulses give B at the anchor, times the length of a sub-step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ImpulseLoad {
    force: Vec3,
    torque: Vec3,
}

impl ImpulseLoad {
    /// Adds the impulse of a row, as [`Joint::load`] counts it.
    fn add(&mut self, row: &ConstraintRow, impulse: f64) {
        if row.linear == Vec3::ZERO {
            self.torque += row.angular[1] * impulse;
        } else {
            self.force += row.linear * impulse;
        }
    }
}

/// The coordinate of a joint with limits or a motor.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CoordinateRow {
    /// Distances from the limits.
    gaps: [f64; 2],
    /// Impulses of the equations per impulse of the row, with the opposite sign.
    weights: RowNumbers,
    /// Effective mass along the row while the equations hold; 0 if no body follows.
    mass: f64,
}

/// A joint during a step.
#[derive(Debug, Clone, PartialEq)]
struct JointBlock {
    joint: Joint,
    bodies: [u32; 2],
    is_movable: [bool; 2],
    frames: [JointFrame; 2],
    mass: JointMass,
    /// The equations, then the coordinate.
    rows: SmallVec<[ConstraintRow; MAX_ROWS]>,
    /// M⁻¹Jᵀ of each row.
    responses: SmallVec<[JointVelocities; MAX_ROWS]>,
    /// J M⁻¹Jᵀ of the rows.
    coupling: RowMatrix,
    /// Number of equations.
    count: usize,
    /// Whether the coordinate is an equation too, in this sweep.
    drive: CoordinateDrive,
    /// Factor of the equations.
    factor: BlockFactor,
    coordinate: Option<CoordinateRow>,
    /// Impulses of the sub-step.
    impulses: JointWarmStart,
    /// Changes of velocity by the impulses of the sub-step.
    applied: JointVelocities,
    load: ImpulseLoad,
    /// Load of the sub-steps before, in this step.
    total: ImpulseLoad,
}

/// The rule of a sweep.
#[derive(Debug, Clone, Copy)]
struct JointRule {
    softness: Softness,
    /// Whether the spring acts: a soft sweep. Else the relaxation.
    is_soft: bool,
    /// Whether the equations hold at the end of the sub-step to second order.
    is_second_order: bool,
    /// Share of the coupling matrix of a joint that its spring adds to the diagonal.
    compliance: f64,
    h: f64,
    max_push_speed: f64,
}

/// Signs of the impulses of the lower and of the upper limit along the coordinate.
const LIMIT_SIGNS: [f64; 2] = [1.0, -1.0];

/// What makes the coordinate of a joint an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoordinateDrive {
    /// Nothing.
    Free,
    /// A motor below its bound.
    Motor,
    /// The lower limit (0) or the upper limit (1), which pushes.
    Limit(usize),
}

impl JointRule {
    fn new(softness: Softness, sub: &SubStep, is_soft: bool, is_second_order: bool) -> Self {
        let compliance = if is_soft { softness.impulse_scale / softness.mass_scale } else { 0.0 };
        let SubStep { h, max_push_speed, .. } = *sub;
        Self { softness, is_soft, is_second_order, compliance, h, max_push_speed }
    }

    /// Returns the bias and the compliance of a limit: an open limit may close by its gap, a violated limit follows the
    /// spring.
    fn limit_bias(&self, gap: f64) -> (f64, f64) {
        if gap > 0.0 {
            (gap / self.h, 0.0)
        } else if self.is_soft {
            ((gap * self.softness.bias_rate).max(-self.max_push_speed), self.compliance)
        } else {
            (0.0, 0.0)
        }
    }
}

impl JointBlock {
    /// Returns `None` if no body is movable.
    fn new(input: &StepJoint, motions: &[BodyMotion]) -> Option<Self> {
        let is_movable = input.bodies.map(|body| motions[body as usize].is_movable);
        let is_joint = is_movable != [false; 2];
        is_joint.then(|| Self {
            joint: input.joint,
            bodies: input.bodies,
            is_movable,
            frames: [JointFrame::WORLD; 2],
            mass: JointMass::ZERO,
            rows: SmallVec::new(),
            count: 0,
            drive: CoordinateDrive::Free,
            responses: SmallVec::new(),
            coupling: [[0.0; MAX_ROWS]; MAX_ROWS],
            factor: BlockFactor::EMPTY,
            coordinate: None,
            impulses: input.warm.for_kind(input.joint.kind()),
            applied: JointVelocities::ZERO,
            load: ImpulseLoad::default(),
            total: ImpulseLoad::default(),
        })
    }

    /// Computes the rows and their coupling at the current poses.
    fn linearise(&mut self, bodies: &[StepBody], motions: &[BodyMotion], states: &[BodyState]) {
        self.frames = self.bodies.map(|body| frame_of(&bodies[body as usize], &states[body as usize]));
        self.mass = JointMass {
            inverse_mass: self.bodies.map(|body| motions[body as usize].inverse_mass),
            inverse_inertia: self.bodies.map(|body| motions[body as usize].inverse_inertia_now(&states[body as usize])),
        };
        let constraints = self.joint.constraints(self.bodies, [&self.frames[0], &self.frames[1]]);
        self.count = constraints.equations.len();
        self.rows = constraints.equations.into_iter().chain(constraints.coordinate).collect();
        self.responses = self.rows.iter().map(|row| self.mass.response(row)).collect();
        for i in 0..self.rows.len() {
            for j in 0..=i {
                self.coupling[i][j] = self.responses[j].rate(&self.rows[i]);
                self.coupling[j][i] = self.coupling[i][j];
            }
        }
        self.factor = BlockFactor::new(&self.coupling, self.count);
        self.coordinate = (self.rows.len() > self.count).then(|| self.couple_coordinate(constraints.gaps));
    }

    fn couple_coordinate(&self, gaps: [f64; 2]) -> CoordinateRow {
        let coupling = self.coupling[self.count];
        let weights = self.factor.solve(&coupling);
        let own = coupling[self.count];
        let left = own - (0..self.count).map(|i| coupling[i] * weights[i]).sum::<f64>();
        let is_free = left > BlockFactor::TOLERANCE * own && left.is_normal();
        CoordinateRow { gaps, weights, mass: if is_free { 1.0 / left } else { 0.0 } }
    }

    fn gather(&self, states: &[BodyState]) -> JointVelocities {
        let states = self.bodies.map(|body| &states[body as usize]);
        JointVelocities { linear: states.map(BodyState::velocity), angular: states.map(BodyState::angular_velocity) }
    }

    fn scatter(&self, velocities: &JointVelocities, states: &mut [BodyState]) {
        for side in (0..2).filter(|side| self.is_movable[*side]) {
            let state = &mut states[self.bodies[side] as usize];
            state.set_velocities(velocities.linear[side], velocities.angular[side]);
        }
    }

    /// Replaces the impulses of the sub-step before by the same impulses along the current rows.
    fn warm_start(&mut self, states: &mut [BodyState], h: f64) {
        self.drop_stale_impulses(h);
        let old = std::mem::replace(&mut self.applied, JointVelocities::ZERO);
        self.load = ImpulseLoad::default();
        let mut impulses = self.impulses.equations;
        if self.coordinate.is_some() {
            impulses[self.count] = self.impulses.along_coordinate();
        }
        for (i, row) in self.rows.iter().enumerate() {
            self.applied.add(&self.responses[i], impulses[i]);
            self.load.add(row, impulses[i]);
        }
        let mut velocities = self.gather(states);
        velocities.add(&self.applied, 1.0);
        velocities.add(&old, -1.0);
        self.scatter(&velocities, states);
    }

    /// Sets the impulses of rows to 0 that the joint no longer has, and bounds the impulse of the motor.
    fn drop_stale_impulses(&mut self, h: f64) {
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

    /// Solves the joint alone.
    fn solve(&mut self, states: &mut [BodyState], rule: &JointRule) {
        self.drive = CoordinateDrive::Free;
        let goals = self.goals(states, rule);
        let changes = self.factor.solve(&goals).map(|change| change * (-1.0 / (1.0 + rule.compliance)));
        self.apply(&changes, states);
        self.solve_coordinate(states, rule);
    }

    /// Returns the number of rows that the system solves.
    fn active_count(&self) -> usize {
        if self.drive == CoordinateDrive::Free { self.count } else { self.rows.len() }
    }

    /// Chooses whether the coordinate is an equation, from the impulses: a motor below its bound, a limit that pushes.
    /// Returns whether the choice changes.
    fn choose_drive(&mut self, h: f64) -> bool {
        let most = self.joint.motor().map_or(0.0, |motor| motor.max_force * h);
        let drive = if self.coordinate.is_none() {
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

    /// Computes J·v + bias + Γ·λ of the active rows, which their impulses shall bring to 0.
    fn goals(&mut self, states: &[BodyState], rule: &JointRule) -> RowNumbers {
        let velocities = self.gather(states);
        let mut goals = [0.0; MAX_ROWS];
        for (goal, row) in goals.iter_mut().zip(&self.rows[..self.active_count()]) {
            *goal = velocities.rate(row);
        }
        if let (Some(coordinate), true) = (&self.coordinate, self.active_count() > self.count) {
            goals[self.count] += match (self.drive, self.joint.motor()) {
                (CoordinateDrive::Limit(side), _) => {
                    let (bias, compliance) = rule.limit_bias(coordinate.gaps[side]);
                    let spring = compliance * self.impulses.limits[side] / coordinate.mass.max(f64::MIN_POSITIVE);
                    (bias + spring) * LIMIT_SIGNS[side]
                }
                (_, Some(motor)) => -motor.velocity,
                _ => 0.0,
            };
        }
        if rule.is_soft {
            self.add_springs(&mut goals, &velocities, rule);
        }
        goals
    }

    /// Adds the bias of the equations, their springs and their second-order changes.
    fn add_springs(&mut self, goals: &mut RowNumbers, velocities: &JointVelocities, rule: &JointRule) {
        let bias_rate = self.bias_rate(rule);
        for i in 0..self.count {
            let spring: f64 = (0..self.count).map(|j| self.coupling[i][j] * self.impulses.equations[j]).sum();
            goals[i] += self.rows[i].error * bias_rate + spring * rule.compliance;
        }
        if rule.is_second_order {
            for (goal, curvature) in goals.iter_mut().zip(self.curvatures(velocities, rule.h)) {
                *goal += curvature / rule.h;
            }
        }
    }

    /// Applies changes of the impulses of the active rows.
    fn apply(&mut self, changes: &RowNumbers, states: &mut [BodyState]) {
        let mut velocities = self.gather(states);
        for i in 0..self.active_count() {
            if i < self.count {
                self.impulses.equations[i] += changes[i];
            } else if let CoordinateDrive::Limit(side) = self.drive {
                self.impulses.limits[side] += changes[i] * LIMIT_SIGNS[side];
            } else {
                self.impulses.motor += changes[i];
            }
            self.load.add(&self.rows[i], changes[i]);
            self.applied.add(&self.responses[i], changes[i]);
            velocities.add(&self.responses[i], changes[i]);
        }
        self.scatter(&velocities, states);
    }

    /// Solves the motor and the limits within their bounds. Returns whether the system has to be solved again: the
    /// impulse of a coordinate that is no equation changes, or an equation leaves its bounds.
    fn solve_coordinate(&mut self, states: &mut [BodyState], rule: &JointRule) -> bool {
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

    /// Computes the coupling J M⁻¹J′ᵀ with another joint through the movable bodies that both have.
    fn coupling_with(&self, other: &Self) -> RowMatrix {
        let mut coupling = [[0.0; MAX_ROWS]; MAX_ROWS];
        for (side, other_side) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if self.bodies[side] != other.bodies[other_side] || !self.is_movable[side] {
                continue;
            }
            let sign = [-1.0, 1.0][side];
            for (i, row) in self.rows[..self.active_count()].iter().enumerate() {
                for (j, response) in other.responses[..other.active_count()].iter().enumerate() {
                    let linear = row.linear.dot(response.linear[other_side]) * sign;
                    coupling[i][j] += linear + row.angular[side].dot(response.angular[other_side]);
                }
            }
        }
        coupling
    }

    /// Returns the rate at which the errors of the equations decay. One rate for all rows keeps the direction of the
    /// correction.
    fn bias_rate(&self, rule: &JointRule) -> f64 {
        let largest = self.rows[..self.count].iter().map(|row| row.error.abs()).fold(0.0, f64::max);
        let rate = rule.softness.bias_rate;
        if largest * rate > rule.max_push_speed { rule.max_push_speed / largest } else { rate }
    }

    /// Computes the second-order changes of the equations within the sub-step.
    fn curvatures(&mut self, velocities: &JointVelocities, h: f64) -> SmallVec<[f64; MAX_ROWS]> {
        for side in 0..2 {
            self.frames[side].velocity = velocities.linear[side];
            self.frames[side].angular_velocity = velocities.angular[side];
        }
        self.joint.curvatures(&self.rows[..self.count], [&self.frames[0], &self.frames[1]], h)
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

    fn add_total(&mut self) {
        self.total.force += self.load.force;
        self.total.torque += self.load.torque;
    }
}

/// Reports whether a distance from a limit is finite; a joint without limit has an infinite one.
fn is_limit(gap: f64) -> bool {
    gap.is_finite()
}

/// Returns the frame of a body at its current pose.
fn frame_of(body: &StepBody, state: &BodyState) -> JointFrame {
    let rotation = Mat3::from_quat((state.rotation() * body.rotation).normalize());
    JointFrame {
        velocity: state.velocity(),
        angular_velocity: state.angular_velocity(),
        ..JointFrame::at_rest(body.centre + state.displacement(), rotation)
    }
}

/// All joints of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct JointSet {
    /// `None` for a joint without movable body.
    blocks: Vec<Option<JointBlock>>,
    system: JointSystem,
    /// Right-hand sides and solutions of the system.
    numbers: Vec<RowNumbers>,
}

impl JointSet {
    /// Prepares the joints of a step at the poses of its start.
    pub fn build(&mut self, joints: &[StepJoint], bodies: &[StepBody], motions: &[BodyMotion], states: &[BodyState]) {
        self.blocks.clear();
        self.blocks.extend(joints.iter().map(|joint| JointBlock::new(joint, motions)));
        self.system.build(self.blocks.iter().map(|block| {
            block
                .as_ref()
                .map_or([None; 2], |block| from_fn(|side| block.is_movable[side].then_some(block.bodies[side])))
        }));
        self.numbers.clear();
        self.numbers.resize(joints.len(), [0.0; MAX_ROWS]);
        self.linearise(bodies, motions, states);
    }

    /// Computes the rows of all joints at the current poses.
    pub fn linearise(&mut self, bodies: &[StepBody], motions: &[BodyMotion], states: &[BodyState]) {
        self.blocks.iter_mut().flatten().for_each(|block| block.linearise(bodies, motions, states));
    }

    /// Applies the impulses of the sub-step before along the current rows.
    pub fn warm_start(&mut self, states: &mut [BodyState], sub: &SubStep) {
        self.blocks.iter_mut().flatten().for_each(|block| block.warm_start(states, sub.h));
    }

    /// Solves all joints with springs.
    pub fn solve(&mut self, states: &mut [BodyState], sub: &SubStep) {
        self.run(states, &self.rule(sub, true));
        self.sweep(states, &self.sweep_rule(sub, true));
    }

    /// Solves all joints without springs.
    pub fn relax(&mut self, states: &mut [BodyState], sub: &SubStep) {
        self.run(states, &self.rule(sub, false));
        self.sweep(states, &self.sweep_rule(sub, false));
    }

    fn factor(&mut self, compliance: f64) {
        let blocks = &self.blocks;
        let block = |joint: u32| blocks[joint as usize].as_ref();
        self.system.factor(
            |joint| block(joint).map_or((0, EMPTY_MATRIX), |block| (block.active_count(), block.coupling)),
            |a, b| block(a).zip(block(b)).map_or(EMPTY_MATRIX, |(a, b)| a.coupling_with(b)),
            compliance,
        );
    }

    /// Solves the system and the joints beyond it. Each pass repeats the system with the motors and limits that the pass
    /// before has found to act.
    fn run(&mut self, states: &mut [BodyState], rule: &JointRule) {
        for block in self.blocks.iter_mut().flatten() {
            block.choose_drive(rule.h);
        }
        for _ in 0..PASSES {
            self.factor(if rule.is_soft { rule.compliance } else { PROXIMAL });
            self.solve_system(states, rule);
            let mut is_changed = false;
            for (joint, block) in self.blocks.iter_mut().enumerate() {
                let Some(block) = block else { continue };
                if self.system.contains(joint) {
                    is_changed |= block.solve_coordinate(states, rule);
                }
            }
            if !is_changed {
                return;
            }
        }
        self.factor(if rule.is_soft { rule.compliance } else { PROXIMAL });
        self.solve_system(states, rule);
    }

    /// Solves the active rows of all joints of the system.
    fn solve_system(&mut self, states: &mut [BodyState], rule: &JointRule) {
        let Self { blocks, system, numbers, .. } = self;
        for (joint, (block, numbers)) in blocks.iter_mut().zip(numbers.iter_mut()).enumerate() {
            if let Some(block) = block.as_mut().filter(|_| system.contains(joint)) {
                *numbers = block.goals(states, rule).map(|goal| -goal);
            }
        }
        system.solve(numbers);
        for (joint, (block, numbers)) in blocks.iter_mut().zip(numbers.iter()).enumerate() {
            if let Some(block) = block.as_mut().filter(|_| system.contains(joint)) {
                block.apply(numbers, states);
            }
        }
    }

    /// Solves the joints beyond the system one after the other, forward and backward.
    fn sweep(&mut self, states: &mut [BodyState], rule: &JointRule) {
        let system = &self.system;
        let mut blocks: Vec<&mut JointBlock> = (self.blocks.iter_mut().enumerate())
            .filter(|(joint, _)| !system.contains(*joint))
            .filter_map(|(_, block)| block.as_mut())
            .collect();
        for _ in 0..SWEEPS {
            blocks.iter_mut().for_each(|block| block.solve(states, rule));
            blocks.iter_mut().rev().for_each(|block| block.solve(states, rule));
        }
    }

    /// Returns the rule of the system.
    fn rule(&self, sub: &SubStep, is_soft: bool) -> JointRule {
        JointRule::new(sub.joint_softness, sub, is_soft, true)
    }

    /// Returns the rule of joints beyond the system: their springs are softer, because sweeps do not converge within a
    /// sub-step, and second-order terms of velocities that have not converged would add energy.
    fn sweep_rule(&self, sub: &SubStep, is_soft: bool) -> JointRule {
        JointRule::new(sub.joint_sweep_softness, sub, is_soft, false)
    }

    /// Ends a sub-step: adds its loads to those of the step.
    pub fn add_totals(&mut self) {
        self.blocks.iter_mut().flatten().for_each(JointBlock::add_total);
    }

    /// Writes impulses, loads and tracked coordinates to the joints; `bodies` are those at the end of the step.
    pub fn store(&self, joints: &mut [StepJoint], bodies: &[StepBody], dt: f64) {
        for (joint, block) in joints.iter_mut().zip(&self.blocks) {
            let [a, b] = joint.bodies.map(|body| frame_of(&bodies[body as usize], &BodyState::REST));
            joint.joint.track([&a, &b]);
            let finite = |vector: Vec3| if vector.is_finite() { vector } else { Vec3::ZERO };
            (joint.warm, joint.load) = match block {
                None => (JointWarmStart::for_new_joint(joint.joint.kind()), JointLoad::default()),
                Some(block) => {
                    let (force, torque) = (finite(block.total.force / dt), finite(block.total.torque / dt));
                    (block.impulses, JointLoad { force, torque })
                }
            };
        }
    }
}
