//! The rows of a joint in the soft step, and their impulses.
//!
//! In: a joint, poses and velocities of its bodies. Out: coupling matrix, left sides of the rows, changed velocities.
//! Method: J·v + bias + Γ·λ, with a spring Γ in proportion to the coupling matrix of the joint.

use super::coordinate::{CoordinateDrive, CoordinateRow, LIMIT_SIGNS};
use super::factor::{BlockFactor, EMPTY_MATRIX, MAX_ROWS, RowMatrix, RowNumbers};
use super::step_joint::{JointWarmStart, MAX_COORDINATES, StepJoint};
use crate::joint::{
    Joint, JointCoordinate, JointFrame, JointKind, JointLoad, RowShape, SpringStep, compare_directions,
};
use crate::problem::ConstraintRow;
use crate::soft_step::input::StepBody;
use crate::soft_step::motion::{BodyMotion, BodyState};
use crate::soft_step::settings::Softness;
use crate::soft_step::sweep::SubStep;
use heurt_geometry::{Mat3, Vec3};
use smallvec::SmallVec;
use std::array::from_fn;

/// Velocities of the bodies of a joint, or their changes: A and B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct JointVelocities {
    pub linear: [Vec3; 2],
    pub angular: [Vec3; 2],
}

impl JointVelocities {
    const ZERO: Self = Self { linear: [Vec3::ZERO; 2], angular: [Vec3::ZERO; 2] };

    /// Adds a multiple of a change.
    pub fn add(&mut self, change: &Self, factor: f64) {
        for side in 0..2 {
            self.linear[side] += change.linear[side] * factor;
            self.angular[side] += change.angular[side] * factor;
        }
    }

    /// Computes J·v.
    pub fn rate(&self, row: &ConstraintRow) -> f64 {
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
    /// Returns the inverse masses that bodies would have without locked axes.
    fn without_locks(bodies: [&StepBody; 2], frames: &[JointFrame; 2]) -> Self {
        let inertia = |side: usize| {
            let rotation = frames[side].rotation;
            rotation * bodies[side].inverse_inertia * rotation.transpose()
        };
        Self {
            inverse_mass: bodies.map(|body| Vec3::splat(body.inverse_mass)),
            inverse_inertia: [inertia(0), inertia(1)],
        }
    }

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
pub(super) struct ImpulseLoad {
    force: Vec3,
    torque: Vec3,
}

impl ImpulseLoad {
    /// Adds the impulse of a row, as [`Joint::load`] counts it.
    pub fn add(&mut self, row: &ConstraintRow, impulse: f64) {
        if row.linear == Vec3::ZERO {
            self.torque += row.angular[1] * impulse;
        } else {
            self.force += row.linear * impulse;
        }
    }
}

/// Rotation of a body in a sub-step up to which the second-order changes of the equations count in full, in radians;
/// beyond it they count in inverse proportion. 0.15: the velocities before the solution predict them too roughly for
/// faster bodies. A chain of 26 kg that cracks like a whip at two sub-steps would gain 900 J; it gains 2 J with this
/// bound.
const FULL_ANGLE: f64 = 0.15;
/// Rotation of the direction of a distance joint in a sub-step up to which its second-order change counts in full;
/// beyond it, it counts in inverse proportion to the third power. 0.3: a ball on a rod keeps its energy to 0.02 %. With
/// 0.4, a chain of 40 balls whose last one moves across at 30 m/s would gain 1.5 %; with the first power, balls on rods
/// of 0.1 m would gain energy without bound from 50 m/s on.
const FULL_TURN: f64 = 0.3;
/// Iterations that find the second-order change of a distance joint for velocities that satisfy its equation. 2: the
/// velocities of the warm start contain twice the inward velocity of a turn, which alone gives a ball of 1 kg at 12 m/s
/// on a rod of 0.1 m 7 % of energy.
const TURN_STEPS: usize = 2;

/// Second-order changes of the equations of a joint.
type BlockCurvatures = SmallVec<[f64; MAX_ROWS]>;

/// A joint during a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JointBlock {
    pub joint: Joint,
    pub bodies: [u32; 2],
    pub is_movable: [bool; 2],
    frames: [JointFrame; 2],
    /// The equations, then the coordinates.
    pub rows: SmallVec<[ConstraintRow; MAX_ROWS]>,
    /// M⁻¹Jᵀ of each row.
    pub responses: SmallVec<[JointVelocities; MAX_ROWS]>,
    /// J M⁻¹Jᵀ of the rows.
    pub coupling: RowMatrix,
    /// The coupling matrix, with the diagonal that it would have without locked axes: the scale of the compliance and
    /// of pivots. A row that acts along a locked axis has a coupling that can be as small as the square of an angle.
    pub spring: RowMatrix,
    /// Number of equations.
    pub count: usize,
    /// Whether the coordinates are equations too, in this sweep.
    pub drives: [CoordinateDrive; MAX_COORDINATES],
    /// Whether springs, friction or several coordinates act.
    pub has_forces: bool,
    /// Whether the second-order terms are left out in this sub-step.
    pub is_first_order: bool,
    /// The rows of the spring and of the position motor in this sub-step.
    pub springs: [Option<SpringStep>; 2],
    /// The rate of the first coordinate before the sub-step.
    pub rate_before: f64,
    /// Work of the springs in the step, in J.
    pub spring_work: f64,
    /// Factor of the coupling matrix of the equations.
    pub factor: BlockFactor,
    pub coordinates: SmallVec<[CoordinateRow; MAX_COORDINATES]>,
    /// Impulses of the sub-step.
    pub impulses: JointWarmStart,
    /// Changes of velocity by the impulses of the sub-step.
    pub applied: JointVelocities,
    pub load: ImpulseLoad,
    /// Load of the sub-steps before, in this step.
    total: ImpulseLoad,
}

/// The rule of a sweep.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointRule {
    pub softness: Softness,
    /// Whether the spring acts: a soft sweep. Else the relaxation.
    pub is_soft: bool,
    /// Whether the equations hold at the end of the sub-step to second order.
    pub is_second_order: bool,
    /// Share of the coupling matrix of a joint that its spring adds to the diagonal.
    pub compliance: f64,
    pub h: f64,
    pub max_push_speed: f64,
}

impl JointRule {
    pub fn new(softness: Softness, sub: &SubStep, is_soft: bool, is_second_order: bool) -> Self {
        let compliance = if is_soft { softness.impulse_scale / softness.mass_scale } else { 0.0 };
        let SubStep { h, max_push_speed, .. } = *sub;
        Self { softness, is_soft, is_second_order, compliance, h, max_push_speed }
    }
}

impl JointBlock {
    /// Returns `None` if no body is movable.
    pub fn new(input: &StepJoint, motions: &[BodyMotion]) -> Option<Self> {
        let is_movable = input.bodies.map(|body| motions[body as usize].is_movable);
        let is_joint = is_movable != [false; 2];
        is_joint.then(|| Self {
            joint: input.joint,
            bodies: input.bodies,
            is_movable,
            frames: [JointFrame::WORLD; 2],
            rows: SmallVec::new(),
            count: 0,
            drives: [CoordinateDrive::Free; MAX_COORDINATES],
            is_first_order: false,
            has_forces: input.joint.kind() == JointKind::Ball
                || input.joint.friction() > 0.0
                || !input.joint.spring_laws().is_empty(),
            springs: [None; 2],
            rate_before: 0.0,
            spring_work: 0.0,
            responses: SmallVec::new(),
            coupling: EMPTY_MATRIX,
            spring: EMPTY_MATRIX,
            factor: BlockFactor::EMPTY,
            coordinates: SmallVec::new(),
            impulses: input.warm.for_kind(input.joint.kind()),
            applied: JointVelocities::ZERO,
            load: ImpulseLoad::default(),
            total: ImpulseLoad::default(),
        })
    }

    /// Computes the rows and their coupling at the current poses.
    pub fn linearise(&mut self, bodies: &[StepBody], motions: &[BodyMotion], states: &[BodyState]) {
        self.is_first_order = false;
        self.frames = self.bodies.map(|body| frame_of(&bodies[body as usize], &states[body as usize]));
        let mass = JointMass {
            inverse_mass: self.bodies.map(|body| motions[body as usize].inverse_mass),
            inverse_inertia: self.bodies.map(|body| motions[body as usize].inverse_inertia_now(&states[body as usize])),
        };
        let constraints = self.joint.constraints(self.bodies, [&self.frames[0], &self.frames[1]]);
        self.count = constraints.equations.len();
        let coordinates = constraints.coordinates.iter().map(|coordinate| coordinate.row);
        self.rows = constraints.equations.into_iter().chain(coordinates).collect();
        self.responses = self.rows.iter().map(|row| mass.response(row)).collect();
        for i in 0..self.rows.len() {
            for j in 0..=i {
                self.coupling[i][j] = self.responses[j].rate(&self.rows[i]);
                self.coupling[j][i] = self.coupling[i][j];
            }
        }
        self.spring = self.coupling;
        let scale = JointMass::without_locks(self.bodies.map(|body| &bodies[body as usize]), &self.frames);
        for (i, row) in self.rows.iter().enumerate() {
            self.spring[i][i] = self.spring[i][i].max(scale.response(row).rate(row));
        }
        self.factor = BlockFactor::new(&self.coupling, self.count, &self.spring);
        let coordinates = constraints.coordinates.iter().enumerate();
        self.coordinates = coordinates.map(|(number, coordinate)| self.couple_coordinate(number, coordinate)).collect();
    }

    pub fn gather(&self, states: &[BodyState]) -> JointVelocities {
        let states = self.bodies.map(|body| &states[body as usize]);
        JointVelocities { linear: states.map(BodyState::velocity), angular: states.map(BodyState::angular_velocity) }
    }

    /// Computes the rates of the equations.
    pub fn rates(&self, states: &[BodyState]) -> RowNumbers {
        let velocities = self.gather(states);
        let mut rates = [0.0; MAX_ROWS];
        for (rate, row) in rates.iter_mut().zip(&self.rows[..self.count]) {
            *rate = velocities.rate(row);
        }
        rates
    }

    pub fn scatter(&self, velocities: &JointVelocities, states: &mut [BodyState]) {
        for side in (0..2).filter(|side| self.is_movable[*side]) {
            let state = &mut states[self.bodies[side] as usize];
            state.set_velocities(velocities.linear[side], velocities.angular[side]);
        }
    }

    /// Replaces the impulses of the sub-step before by the same impulses along the current rows.
    pub fn warm_start(&mut self, states: &mut [BodyState], h: f64) {
        self.drop_stale_impulses(h);
        let old = std::mem::replace(&mut self.applied, JointVelocities::ZERO);
        self.load = ImpulseLoad::default();
        let mut impulses = self.impulses.equations;
        for coordinate in &self.coordinates {
            impulses[coordinate.row] = self.impulses.coordinates[coordinate.number].sum();
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

    /// Solves the joint alone.
    pub fn solve(&mut self, states: &mut [BodyState], rule: &JointRule) {
        self.drives = [CoordinateDrive::Free; MAX_COORDINATES];
        let goals = self.goals(states, rule);
        let factor = BlockFactor::new(&self.with_compliance(rule.compliance), self.count, &self.spring);
        let changes = factor.solve(&goals).map(|change| -change);
        self.apply(&changes, states);
        self.solve_coordinate(states, rule);
    }

    /// Returns the coupling matrix with the compliance of springs.
    pub fn with_compliance(&self, compliance: f64) -> RowMatrix {
        if !self.has_forces {
            return from_fn(|i| from_fn(|j| self.coupling[i][j] + self.spring[i][j] * compliance));
        }
        // The joint spring softens the equations only. The row of a coordinate that is no equation is empty.
        let mut matrix = EMPTY_MATRIX;
        for i in (0..self.rows.len()).filter(|row| self.is_active(*row)) {
            for j in (0..self.rows.len()).filter(|row| self.is_active(*row)) {
                let is_equation = i < self.count && j < self.count;
                matrix[i][j] = self.coupling[i][j] + if is_equation { self.spring[i][j] * compliance } else { 0.0 };
            }
            if let Some(CoordinateDrive::Soft { compliance, .. }) = self.drive_of(i) {
                matrix[i][i] += compliance;
            }
        }
        matrix
    }

    /// Returns how the coordinate of a row enters the system; `None` for an equation.
    fn drive_of(&self, row: usize) -> Option<CoordinateDrive> {
        row.checked_sub(self.count).map(|number| self.drives[number])
    }

    /// Reports whether the system solves a row.
    fn is_active(&self, row: usize) -> bool {
        self.drive_of(row) != Some(CoordinateDrive::Free)
    }

    /// Returns the number of rows that the system solves.
    pub fn active_count(&self) -> usize {
        let is_driven = self.coordinates.iter().any(|coordinate| self.is_active(coordinate.row));
        if is_driven { self.rows.len() } else { self.count }
    }

    /// Computes J·v + bias + Γ·λ of the active rows, which their impulses shall bring to 0.
    pub fn goals(&mut self, states: &[BodyState], rule: &JointRule) -> RowNumbers {
        let velocities = self.gather(states);
        let mut goals = [0.0; MAX_ROWS];
        for (goal, row) in goals.iter_mut().zip(&self.rows[..self.active_count()]) {
            *goal = velocities.rate(row);
        }
        for coordinate in self.coordinates.iter().filter(|_| self.active_count() > self.count) {
            let impulses = &self.impulses.coordinates[coordinate.number];
            let goal = &mut goals[coordinate.row];
            *goal += match (self.drives[coordinate.number], self.joint.motor()) {
                (CoordinateDrive::Limit(side), _) => {
                    let (bias, compliance) = rule.limit_bias(coordinate.gaps[side]);
                    let spring = compliance * impulses.limits[side] / coordinate.mass.max(f64::MIN_POSITIVE);
                    (bias + spring) * LIMIT_SIGNS[side]
                }
                (CoordinateDrive::Held(rate), _) => -rate,
                (CoordinateDrive::Soft { compliance, target }, _) => compliance * impulses.sum() - target,
                (CoordinateDrive::Free, _) => -*goal,
                (CoordinateDrive::Motor, Some(motor)) => -motor.velocity,
                (CoordinateDrive::Motor, None) => 0.0,
            };
        }
        if rule.is_soft {
            self.add_springs(&mut goals, &velocities, rule);
        }
        goals
    }

    /// Adds the bias of the equations, their springs and their second-order changes.
    fn add_springs(&mut self, goals: &mut RowNumbers, velocities: &JointVelocities, rule: &JointRule) {
        let curvatures =
            if rule.is_second_order { self.curvatures(velocities, rule.h) } else { BlockCurvatures::new() };
        let share = match (self.is_first_order, curvatures.is_empty()) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            (false, false) => self.second_order_share(velocities, rule.h),
        };
        for (goal, curvature) in goals.iter_mut().zip(&curvatures) {
            *goal += curvature * share / rule.h;
        }
        let left = curvatures.iter().map(|curvature| curvature.abs() * (1.0 - share) / rule.h).fold(0.0, f64::max);
        let bias_rate = self.bias_rate(rule, left);
        let impulses = &self.impulses.equations[..self.count];
        for ((goal, row), spring) in goals.iter_mut().zip(&self.rows[..self.count]).zip(&self.spring) {
            let spring: f64 = spring.iter().zip(impulses).map(|(a, b)| a * b).sum();
            *goal += row.error * bias_rate + spring * rule.compliance;
        }
    }

    /// Applies changes of the impulses of the active rows.
    pub fn apply(&mut self, changes: &RowNumbers, states: &mut [BodyState]) {
        let mut velocities = self.gather(states);
        for (i, &change) in changes.iter().enumerate().take(self.active_count()) {
            if i < self.count {
                self.impulses.equations[i] += change;
            } else {
                let impulses = &mut self.impulses.coordinates[i - self.count];
                match self.drives[i - self.count] {
                    CoordinateDrive::Limit(side) => impulses.limits[side] += change * LIMIT_SIGNS[side],
                    CoordinateDrive::Motor => impulses.motor += change,
                    CoordinateDrive::Free => continue,
                    CoordinateDrive::Held(_) | CoordinateDrive::Soft { .. } => impulses.pending += change,
                }
            }
            self.load.add(&self.rows[i], change);
            self.applied.add(&self.responses[i], change);
            velocities.add(&self.responses[i], change);
        }
        self.scatter(&velocities, states);
    }

    /// Computes the coupling J M⁻¹J′ᵀ with another joint through the movable bodies that both have.
    pub fn coupling_with(&self, other: &Self) -> RowMatrix {
        let mut coupling = EMPTY_MATRIX;
        for (side, other_side) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if self.bodies[side] != other.bodies[other_side] || !self.is_movable[side] {
                continue;
            }
            let sign = [-1.0, 1.0][side];
            for (i, row) in self.rows[..self.active_count()].iter().enumerate().filter(|(i, _)| self.is_active(*i)) {
                let responses = other.responses[..other.active_count()].iter().enumerate();
                for (j, response) in responses.filter(|(j, _)| other.is_active(*j)) {
                    let linear = row.linear.dot(response.linear[other_side]) * sign;
                    coupling[i][j] += linear + row.angular[side].dot(response.angular[other_side]);
                }
            }
        }
        coupling
    }

    /// Returns the rate at which the errors of the equations decay. One rate for all rows keeps the direction of the
    /// correction. Its speed is bounded, except for the speed `drift` at which errors grow.
    fn bias_rate(&self, rule: &JointRule, drift: f64) -> f64 {
        let largest = self.rows[..self.count].iter().map(|row| row.error.abs()).fold(0.0, f64::max);
        let (rate, bound) = (rule.softness.bias_rate, rule.max_push_speed + drift);
        if largest * rate > bound { bound / largest } else { rate }
    }

    /// Computes the second-order changes of the equations within the sub-step; those of a distance joint at velocities
    /// that satisfy its equation.
    fn curvatures(&mut self, velocities: &JointVelocities, h: f64) -> BlockCurvatures {
        let mut curvatures = self.curvatures_at(velocities, h);
        if self.joint.kind() != JointKind::Distance || self.coupling[0][0] <= 0.0 {
            return curvatures;
        }
        for _ in 0..TURN_STEPS {
            // A distance joint with limits or a spring has no equation.
            let [curvature] = curvatures[..] else { break };
            let mut solved = *velocities;
            let goal = velocities.rate(&self.rows[0]) + curvature / h;
            solved.add(&self.responses[0], -goal / self.coupling[0][0]);
            curvatures = self.curvatures_at(&solved, h);
        }
        curvatures
    }

    fn curvatures_at(&mut self, velocities: &JointVelocities, h: f64) -> BlockCurvatures {
        for side in 0..2 {
            self.frames[side].velocity = velocities.linear[side];
            self.frames[side].angular_velocity = velocities.angular[side];
        }
        self.joint.curvatures(&self.rows[..self.count], [&self.frames[0], &self.frames[1]], h)
    }

    /// Computes the values of the coordinates after `h` seconds at the given velocities; `None` where the joint turns
    /// too far for an estimate.
    pub(super) fn coordinates_after(&self, velocities: &JointVelocities, h: f64) -> Option<SmallVec<[Option<f64>; 3]>> {
        let frames: [JointFrame; 2] = from_fn(|side| JointFrame {
            velocity: velocities.linear[side],
            angular_velocity: velocities.angular[side],
            ..self.frames[side]
        });
        if self.joint.turns_far([&frames[0], &frames[1]], h) {
            return None;
        }
        let ends = frames.map(|frame| frame.after(h));
        let later = self.joint.constraints(self.bodies, [&ends[0], &ends[1]]).coordinates;
        // Beyond the axis the gradient of the swing has turned around.
        let value = |(row, later): (&ConstraintRow, &JointCoordinate)| {
            let is_kept = compare_directions(&RowShape::of_row(row), &RowShape::of_row(&later.row))?;
            Some(if is_kept { later.value } else { -later.value })
        };
        Some(self.rows[self.count..].iter().zip(&later).map(value).collect())
    }

    /// Returns the share of the second-order changes that counts, from the rotations of the bodies and of the offset of
    /// the anchors in a sub-step.
    fn second_order_share(&self, velocities: &JointVelocities, h: f64) -> f64 {
        let share = |angle: f64, full: f64| if angle > full { full / angle } else { 1.0 };
        let angle = velocities.angular.iter().map(|rate| rate.length() * h).fold(0.0, f64::max);
        share(angle, FULL_ANGLE).min(share(self.turn(velocities, h), FULL_TURN).powi(3))
    }

    /// Returns the rotation of the offset between the anchors of a distance joint in a sub-step, in radians; 0 for
    /// other kinds, whose directions rotate with a body.
    fn turn(&self, velocities: &JointVelocities, h: f64) -> f64 {
        if self.joint.kind() != JointKind::Distance {
            return 0.0;
        }
        let anchors = self.joint.anchors([&self.frames[0], &self.frames[1]]);
        let [a, b] = from_fn(|side| {
            velocities.linear[side] + velocities.angular[side].cross(anchors[side] - self.frames[side].centre)
        });
        let offset = anchors[1] - anchors[0];
        offset.cross(b - a).length() * h / offset.length_squared().max(f64::MIN_POSITIVE)
    }

    pub fn add_total(&mut self, states: &[BodyState]) {
        self.add_spring_work(states);
        self.total.force += self.load.force;
        self.total.torque += self.load.torque;
    }

    /// Computes the mean load over a step of `dt` seconds. A load that is not finite counts as 0.
    pub fn mean_load(&self, dt: f64) -> JointLoad {
        let mean = |impulse: Vec3| if (impulse / dt).is_finite() { impulse / dt } else { Vec3::ZERO };
        JointLoad { force: mean(self.total.force), torque: mean(self.total.torque) }
    }
}

/// Returns the frame of a body at its current pose.
pub(super) fn frame_of(body: &StepBody, state: &BodyState) -> JointFrame {
    let rotation = Mat3::from_quat((state.rotation() * body.rotation).normalize());
    JointFrame {
        velocity: state.velocity(),
        angular_velocity: state.angular_velocity(),
        ..JointFrame::at_rest(body.centre + state.displacement(), rotation)
    }
}
