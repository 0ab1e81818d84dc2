//! Joints of a soft step: RATTLE steps whose linear systems are solved directly.
//!
//! In: joints with warm impulses, states of the bodies. Out: new velocities; impulses and loads of the joints.
//! Method: a sub-step is a step of RATTLE (Andersen 1983) with the springs of "TGS soft". The soft sweep solves J·v =
//! −b·C − (C(q ⊕ v·h) − C(q) − J·v·h)/h with the rows J of the current poses, so that the error C at the end of the
//! sub-step is right to second order. Its last term comes from the velocities before the solution: an assembly is
//! solved again while the term changes, and without the term if it does not settle. The relaxation solves J·v = 0 with
//! the rows of the new poses.
//! Both sweeps solve (J M⁻¹Jᵀ + Γ)·Δλ = −residual for the joints of all assemblies at once (`system.rs`), where Γ is
//! the compliance of the springs. Gauss–Seidel sweeps would stretch a falling chain of 20 boxes by 25 mm where the
//! direct solution leaves 12 mm, and would not converge for stiff springs. Joints of a hub with too many neighbours are
//! solved by sweeps, with the softness of contacts. Motors and limits: `coordinate.rs`; springs and friction:
//! `forces.rs`.
//! Warm start: the bodies keep the change of velocity of the last sub-step ([`BodyMotion`]). The rows of joints rotate
//! within a step, and old rows would do work on a swinging body: a pendulum of 1 kg and 1 m would gain 10 J in 10 s. A
//! joint therefore replaces its share of this change by the change that the same impulses give with the current rows.
//! Joints use the inverse inertia at the current rotation. With the inverse of the start of the step, a spinning box on
//! a ball joint would gain energy without bound.
//! Guarantees: equal and opposite impulses; the same bits for any number of threads, because one thread solves all
//! joints in order.
//! Cost: linear in the joints of chains and trees; up to five times as much for bodies that turn fast.

mod block;
mod coordinate;
mod factor;
mod forces;
mod graph;
mod step_joint;
mod system;

use super::input::StepBody;
use super::memory::bytes_of;
use super::motion::{BodyMotion, BodyState};
use super::sweep::SubStep;
use crate::joint::{JointKind, JointLoad};
use block::{JointBlock, JointRule, frame_of};
use coordinate::CoordinateDrive;
use factor::{EMPTY_MATRIX, MAX_ROWS, RowNumbers};
use std::array::from_fn;
use step_joint::MAX_COORDINATES;
use system::JointSystem;

pub(super) use step_joint::check_joints;
pub use step_joint::{JointWarmStart, StepJoint};

/// Damping of the relaxation, as a share of the coupling matrix of a joint. 1e-9: redundant rows of closed loops leave
/// pivots of rounding errors, which would give impulses of any size. The fixed point of the sweeps does not change.
const PROXIMAL: f64 = 1e-9;
/// Passes of a sweep over the system and over motors and limits. 2: the first finds which motors and limits act, the
/// second corrects the joints next to them. The choice of the sub-step before holds in most sub-steps.
const PASSES: usize = 2;
/// Solutions of an assembly with second-order terms in a sub-step, each at the velocities of the solution before, while
/// what is left of the equations halves each time. 4: a sixteenth is left at most. Beyond them, an assembly is solved
/// without these terms: it loses energy, where terms of velocities that do not converge would make it. Arms of many
/// times the radius of a body do so.
const REPEATS: usize = 4;
/// Largest rest of an equation at the velocities of its solution, in m/s or rad/s. 1 mm/s: a joint opens by 4 µm in a
/// sub-step.
const LARGEST_REST: f64 = 1e-3;
/// Sweeps in each direction over the joints beyond the system. 4: a hub of 10 kg with 40 balls of 0.5 kg opens by 6 mm
/// when it starts to spin at 3 rad/s.
const SWEEPS: usize = 4;

/// Change of the rate of an equation by contacts above which joints are solved again, in m/s or rad/s. 1 mm/s: a joint
/// opens by 4 µm in a sub-step.
const LARGEST_DISTURBANCE: f64 = 1e-3;

/// All joints of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct JointSet {
    /// `None` for a joint without movable body.
    blocks: Vec<Option<JointBlock>>,
    system: JointSystem,
    /// Whether each assembly is solved in the next pass.
    marked: Vec<bool>,
    /// Whether each assembly is solved in this pass, and in this run.
    in_pass: Vec<bool>,
    in_run: Vec<bool>,
    /// Right-hand sides and solutions of the system.
    numbers: Vec<RowNumbers>,
    /// Whether contacts act on each assembly.
    is_touched: Vec<bool>,
    /// The rates of the equations of each joint after the last solution.
    rates: Vec<RowNumbers>,
}

impl JointSet {
    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        let lists = [&self.marked, &self.in_pass, &self.in_run, &self.is_touched];
        let of_assemblies: usize = lists.into_iter().map(bytes_of).sum();
        let of_joints = bytes_of(&self.blocks) + bytes_of(&self.numbers) + bytes_of(&self.rates);
        of_joints + of_assemblies + self.system.bytes()
    }

    /// Prepares the joints of a step at the poses of its start. `touched` are the bodies that have contacts.
    pub fn build(
        &mut self,
        joints: &[StepJoint],
        bodies: &[StepBody],
        motions: &[BodyMotion],
        states: &[BodyState],
        touched: impl Iterator<Item = u32>,
    ) {
        self.blocks.clear();
        self.blocks.extend(joints.iter().map(|joint| JointBlock::new(joint, motions)));
        self.system.build(self.blocks.iter().map(|block| {
            block
                .as_ref()
                .map_or([None; 2], |block| from_fn(|side| block.is_movable[side].then_some(block.bodies[side])))
        }));
        self.numbers.clear();
        self.numbers.resize(joints.len(), [0.0; MAX_ROWS]);
        self.rates.clear();
        self.rates.resize(joints.len(), [0.0; MAX_ROWS]);
        self.note_touched(bodies.len(), touched);
        self.linearise(bodies, motions, states);
    }

    /// Notes on which assemblies contacts act.
    fn note_touched(&mut self, bodies: usize, touched: impl Iterator<Item = u32>) {
        self.is_touched.clear();
        if self.blocks.is_empty() {
            return;
        }
        let mut has_contact = vec![false; bodies];
        touched.for_each(|body| has_contact[body as usize] = true);
        self.is_touched.resize(self.system.assembly_count(), false);
        for (joint, block) in self.blocks.iter().enumerate() {
            let Some(block) = block.as_ref().filter(|_| self.system.contains(joint)) else { continue };
            let touches = (0..2).any(|side| block.is_movable[side] && has_contact[block.bodies[side] as usize]);
            self.is_touched[self.system.assembly(joint)] |= touches;
        }
    }

    /// Computes the rows of all joints at the current poses.
    pub fn linearise(&mut self, bodies: &[StepBody], motions: &[BodyMotion], states: &[BodyState]) {
        self.blocks.iter_mut().flatten().for_each(|block| block.linearise(bodies, motions, states));
    }

    /// Prepares the springs of a sub-step at its start, before velocities change.
    pub fn prepare_springs(&mut self, states: &[BodyState], sub: &SubStep) {
        self.blocks.iter_mut().flatten().for_each(|block| block.prepare_springs(states, sub.h));
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

    /// Solves the assemblies again that contacts have disturbed since. Returns whether there were any.
    pub fn settle(&mut self, states: &mut [BodyState], sub: &SubStep, is_soft: bool) -> bool {
        self.mark_disturbed(states);
        let is_disturbed = self.marked.contains(&true);
        if is_disturbed {
            self.run_marked(states, &self.rule(sub, is_soft));
        }
        is_disturbed
    }

    fn mark_disturbed(&mut self, states: &[BodyState]) {
        self.marked.clear();
        self.marked.resize(self.system.assembly_count(), false);
        for (joint, (block, rates)) in self.blocks.iter().zip(&self.rates).enumerate() {
            let Some(block) = block.as_ref() else { continue };
            let assembly = self.system.assembly(joint);
            if self.is_touched[assembly] && !self.marked[assembly] && self.system.contains(joint) {
                let now = block.rates(states);
                let is_large = |(a, b): (&f64, &f64)| (a - b).abs() > LARGEST_DISTURBANCE;
                self.marked[assembly] = now.iter().zip(rates).any(is_large);
            }
        }
    }

    /// Keeps the rates that a run has left of the equations on which contacts act.
    fn keep_rates(&mut self, states: &[BodyState]) {
        let Self { blocks, rates, system, is_touched, in_run, .. } = self;
        let is_kept = |joint: usize| is_touched[system.assembly(joint)] && in_run[system.assembly(joint)];
        for (joint, (block, rates)) in blocks.iter().zip(rates).enumerate() {
            if let Some(block) = block.as_ref().filter(|_| is_kept(joint)) {
                *rates = block.rates(states);
            }
        }
    }

    fn factor(&mut self, compliance: f64) {
        let blocks = &self.blocks;
        let block = |joint: u32| blocks[joint as usize].as_ref();
        self.system.factor(
            &self.marked,
            |joint, matrix, scale| {
                let Some(block) = block(joint) else { return 0 };
                (*matrix, *scale) = (block.with_compliance(compliance), block.spring);
                block.active_count()
            },
            |a, b| block(a).zip(block(b)).map_or(EMPTY_MATRIX, |(a, b)| a.coupling_with(b)),
        );
    }

    /// Solves the system, then motors and limits. Each pass repeats the system with the motors and limits that the pass
    /// before has found to act. The last solution keeps their impulses, so that they stay within their bounds.
    fn run(&mut self, states: &mut [BodyState], rule: &JointRule) {
        self.marked.clear();
        self.marked.resize(self.system.assembly_count(), true);
        self.run_marked(states, rule);
    }

    fn run_marked(&mut self, states: &mut [BodyState], rule: &JointRule) {
        for (joint, block) in self.blocks.iter_mut().enumerate() {
            if let Some(block) = block.as_mut().filter(|_| self.marked[self.system.assembly(joint)]) {
                block.choose_drives(states, rule);
            }
        }
        self.in_run.clone_from(&self.marked);
        self.solve_marked(states, rule);
        self.keep_rates(states);
    }

    fn solve_marked(&mut self, states: &mut [BodyState], rule: &JointRule) {
        for _ in 0..PASSES {
            self.solve_system(states, rule);
            self.settle_second_order(states, rule);
            std::mem::swap(&mut self.marked, &mut self.in_pass);
            self.marked.clear();
            self.marked.resize(self.in_pass.len(), false);
            for (joint, block) in self.blocks.iter_mut().enumerate() {
                let assembly = self.system.assembly(joint);
                let is_solved = self.in_pass[assembly] && self.system.contains(joint);
                if let Some(block) = block.as_mut().filter(|_| is_solved) {
                    self.marked[assembly] |= block.solve_coordinate(states, rule);
                }
            }
            if !self.marked.contains(&true) {
                return;
            }
        }
        for (joint, block) in self.blocks.iter_mut().enumerate() {
            if let Some(block) = block.as_mut().filter(|_| self.marked[self.system.assembly(joint)]) {
                block.drives = [CoordinateDrive::Free; MAX_COORDINATES];
            }
        }
        self.solve_system(states, rule);
    }

    /// Repeats the solution of the marked assemblies while their second-order terms change with the velocities, and
    /// leaves these terms out where they do not settle.
    fn settle_second_order(&mut self, states: &mut [BodyState], rule: &JointRule) {
        if !(rule.is_soft && rule.is_second_order) {
            return;
        }
        let solved = self.marked.clone();
        let mut rests = self.find_rests(&solved, states, rule);
        for repeat in 1..=REPEATS {
            self.marked = rests.iter().map(|rest| *rest > LARGEST_REST).collect();
            if !self.marked.contains(&true) {
                break;
            }
            self.solve_system(states, rule);
            let left = self.find_rests(&solved, states, rule);
            let most = |before: f64| if repeat == REPEATS { LARGEST_REST } else { 0.5 * before };
            let settles = |(left, before): (&f64, &f64)| left.is_finite() && *left <= most(*before);
            let unsettled = left.iter().zip(&rests).map(|both| !settles(both));
            self.marked =
                self.marked.iter().zip(unsettled).map(|(is_marked, is_unsettled)| *is_marked && is_unsettled).collect();
            rests = left;
            if self.marked.contains(&true) {
                self.leave_second_order();
                self.solve_system(states, rule);
                rests = self.find_rests(&solved, states, rule);
            }
        }
        self.marked = solved;
    }

    /// Leaves the second-order terms of the marked assemblies out until the sub-step ends.
    fn leave_second_order(&mut self) {
        for (joint, block) in self.blocks.iter_mut().enumerate() {
            if let Some(block) = block.as_mut().filter(|_| self.marked[self.system.assembly(joint)]) {
                block.is_first_order = true;
            }
        }
    }

    /// Finds what is left of the equations of each solved assembly with second-order terms at the current velocities,
    /// in m/s or rad/s; 0 for others. A distance joint finds its terms by itself (`JointBlock::curvatures`).
    fn find_rests(&mut self, solved: &[bool], states: &[BodyState], rule: &JointRule) -> Vec<f64> {
        let mut rests = vec![0.0_f64; solved.len()];
        for (joint, block) in self.blocks.iter_mut().enumerate() {
            let assembly = self.system.assembly(joint);
            let is_solved = solved[assembly] && self.system.contains(joint);
            let has_terms =
                |block: &&mut JointBlock| !block.is_first_order && block.joint.kind() != JointKind::Distance;
            if let Some(block) = block.as_mut().filter(|block| is_solved && has_terms(block)) {
                let goals = block.goals(states, rule);
                // A rest that is no number does not settle.
                let amount = |goal: &f64| if goal.is_nan() { f64::INFINITY } else { goal.abs() };
                rests[assembly] = goals[..block.count].iter().map(amount).fold(rests[assembly], f64::max);
            }
        }
        rests
    }

    /// Solves the active rows of the marked assemblies.
    fn solve_system(&mut self, states: &mut [BodyState], rule: &JointRule) {
        self.factor(if rule.is_soft { rule.compliance } else { PROXIMAL });
        let Self { blocks, system, marked, numbers, .. } = self;
        let is_solved = |joint: usize| marked[system.assembly(joint)] && system.contains(joint);
        for (joint, (block, numbers)) in blocks.iter_mut().zip(numbers.iter_mut()).enumerate() {
            if let Some(block) = block.as_mut().filter(|_| is_solved(joint)) {
                *numbers = block.goals(states, rule).map(|goal| -goal);
            }
        }
        system.solve(marked, numbers);
        for (joint, (block, numbers)) in blocks.iter_mut().zip(numbers.iter()).enumerate() {
            if let Some(block) = block.as_mut().filter(|_| is_solved(joint)) {
                block.apply(numbers, states);
            }
        }
    }

    /// Solves the joints beyond the system in sequence, forward and backward.
    fn sweep(&mut self, states: &mut [BodyState], rule: &JointRule) {
        let system = &self.system;
        if system.contains_all() {
            return;
        }
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
    pub fn add_totals(&mut self, states: &[BodyState]) {
        self.blocks.iter_mut().flatten().for_each(|block| block.add_total(states));
    }

    /// Writes impulses, loads and tracked coordinates to the joints; `bodies` are those at the end of the step.
    pub fn store(&self, joints: &mut [StepJoint], bodies: &[StepBody], dt: f64) {
        for (joint, block) in joints.iter_mut().zip(&self.blocks) {
            let [a, b] = joint.bodies.map(|body| frame_of(&bodies[body as usize], &BodyState::REST));
            joint.joint.track([&a, &b]);
            (joint.warm, joint.load, joint.spring_work) = match block {
                None => (JointWarmStart::for_new_joint(joint.joint.kind()), JointLoad::default(), 0.0),
                Some(block) => (block.impulses.or_new(), block.mean_load(dt), block.finite_work()),
            };
        }
    }
}
