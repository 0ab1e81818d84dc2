//! The loop of a soft step: sub-steps of velocities, sweeps and poses.
//!
//! In: bodies, manifolds, joints, length of the step. Out: new bodies, impulses of points and joints.
//! Method: see [`soft_step`](super).

use super::batch_list::{ContactSet, Members, Order, PrepareContext};
use super::bounce::{BounceBound, BounceInput};
use super::input::{StepBody, StepError, StepManifold, check_bodies, check_manifolds};
use super::island::Islands;
use super::joints::{JointSet, StepJoint, check_joints};
use super::memory::bytes_of;
use super::motion::{BodyMotion, BodyState};
use super::settings::{SoftStepSettings, Softness};
use super::sweep::{SubStep, Sweep};
use rayon::prelude::*;

/// Bodies below which they move on one thread. 2048: 160 µs of work at the measured 80 ns of a pose.
const MIN_PARALLEL_BODIES: usize = 2048;
/// Bodies of a task.
const BODY_TASK: usize = 512;

/// Further rounds of joints and contacts in a sweep, where contacts disturb joints. 16: a ragdoll of 68 kg that falls
/// opens its joints by less than 1 mm; after 4 rounds it gains up to 11 J in a step.
const MAX_ROUNDS: u32 = 16;

/// The soft-step solver. It owns memory that is reused from step to step; it has no other state.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::soft_step::{SoftStep, SoftStepSettings, StepBody, StepManifold, StepPoint};
///
/// // A ball of radius 1 m lies on the ground: after a step it carries its weight, 9.81 N for 1/60 s.
/// let mut ball = StepBody::movable(Vec3::new(0.0, 0.0, 1.0), 1.0, Mat3::from_diagonal(Vec3::splat(0.4)));
/// ball.acceleration = Vec3::new(0.0, 0.0, -9.81);
/// let mut bodies = [StepBody::FIXED, ball];
/// let point = StepPoint { anchors: [Vec3::ZERO, Vec3::new(0.0, 0.0, -1.0)], ..StepPoint::default() };
/// let mut manifolds = [StepManifold {
///     bodies: [0, 1],
///     normal: Vec3::Z,
///     is_round: true,
///     points: [point].into_iter().collect(),
///     friction: 0.5,
///     restitution: 0.0,
/// }];
/// let mut solver = SoftStep::new(SoftStepSettings::default());
/// solver.step(&mut bodies, &mut manifolds, 1.0 / 60.0)?;
/// assert!(bodies[1].velocity.length() < 1e-6);
/// assert!((manifolds[0].points[0].normal_impulse - 9.81 / 60.0).abs() < 1e-6);
/// # Ok::<(), heurt_rigid::soft_step::StepError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SoftStep {
    settings: SoftStepSettings,
    motions: Vec<BodyMotion>,
    /// One for each body, and one at rest for lanes without block.
    states: Vec<BodyState>,
    contacts: ContactSet,
    /// Contacts of islands with joints.
    jointed: ContactSet,
    joints: JointSet,
    bounce_bound: BounceBound,
}

impl SoftStep {
    /// Creates a solver.
    pub fn new(settings: SoftStepSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Sets the speed of approach below which contacts do not bounce, in m/s.
    pub fn set_restitution_threshold(&mut self, threshold: f64) {
        self.settings.restitution_threshold = threshold;
    }

    /// Returns the settings.
    pub fn settings(&self) -> &SoftStepSettings {
        &self.settings
    }

    /// Returns the bytes of memory that the solver keeps for the next step.
    pub fn bytes(&self) -> usize {
        bytes_of(&self.motions)
            + bytes_of(&self.states)
            + self.contacts.bytes()
            + self.jointed.bytes()
            + self.joints.bytes()
            + self.bounce_bound.bytes()
    }

    /// Advances bodies by `dt` seconds, and writes impulses to the points of the manifolds.
    ///
    /// # Errors
    /// [`StepError`] for numbers out of range, or if a body overflows. Nothing is modified then.
    pub fn step(&mut self, bodies: &mut [StepBody], manifolds: &mut [StepManifold], dt: f64) -> Result<(), StepError> {
        self.step_with_joints(bodies, manifolds, &mut [], dt)
    }

    /// Advances bodies by `dt` seconds, and writes impulses to the points of the manifolds and to the joints.
    ///
    /// Keep the joints from step to step: they hold the warm impulses and the turns of hinges.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::soft_step::{SoftStep, SoftStepSettings, StepBody, StepJoint};
    /// use heurt_rigid::{Joint, JointFrame};
    ///
    /// // A weight of 2 kg hangs on a hook.
    /// let mut weight = StepBody::movable(Vec3::new(0.0, 0.0, -1.0), 2.0, Mat3::from_diagonal(Vec3::splat(0.1)));
    /// weight.acceleration = Vec3::new(0.0, 0.0, -9.81);
    /// let frames = [&JointFrame::WORLD, &JointFrame::at_rest(weight.centre, Mat3::IDENTITY)];
    /// let hook = Joint::ball([None, Some(1)], frames, Vec3::ZERO)?.breaking_at(50.0)?;
    /// let mut bodies = [StepBody::FIXED, weight];
    /// let mut joints = [StepJoint::new([0, 1], hook)];
    /// let mut solver = SoftStep::new(SoftStepSettings::default());
    /// for _ in 0..60 {
    ///     solver.step_with_joints(&mut bodies, &mut [], &mut joints, 1.0 / 60.0)?;
    /// }
    /// assert!((joints[0].load.force - Vec3::Z * 19.62).length() < 1e-6);
    /// assert!(!joints[0].joint.is_broken_by(&joints[0].load));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`StepError`] for numbers out of range, or if a body overflows. Nothing is modified then.
    pub fn step_with_joints(
        &mut self,
        bodies: &mut [StepBody],
        manifolds: &mut [StepManifold],
        joints: &mut [StepJoint],
        dt: f64,
    ) -> Result<(), StepError> {
        self.check(bodies, manifolds, joints, dt)?;
        let sub = self.prepare(bodies, manifolds, joints, dt);
        for index in 0..self.settings.sub_steps {
            self.advance(bodies, &sub, index == 0);
        }
        if self.contacts.is_bouncy || self.jointed.is_bouncy {
            self.bounce(bodies, manifolds, joints, &sub, dt);
        }
        self.check_result(bodies.len())?;
        self.contacts.store(manifolds);
        self.jointed.store(manifolds);
        self.store_bodies(bodies);
        self.joints.store(joints, bodies, dt);
        Ok(())
    }

    fn check(
        &self,
        bodies: &[StepBody],
        manifolds: &[StepManifold],
        joints: &[StepJoint],
        dt: f64,
    ) -> Result<(), StepError> {
        if !self.settings.is_valid() {
            return Err(StepError::Settings);
        }
        if !(dt.is_finite() && dt > 0.0 && (dt / f64::from(self.settings.sub_steps)).is_normal()) {
            return Err(StepError::TimeStep);
        }
        check_bodies(bodies)?;
        check_manifolds(manifolds, bodies.len())?;
        check_joints(joints, bodies.len())
    }

    fn prepare(&mut self, bodies: &[StepBody], manifolds: &[StepManifold], joints: &[StepJoint], dt: f64) -> SubStep {
        let settings = &self.settings;
        let h = dt / f64::from(settings.sub_steps);
        self.motions.clear();
        self.motions.extend(bodies.iter().map(|body| BodyMotion::new(body, h)));
        self.states.clear();
        self.states.extend(self.motions.iter().zip(bodies).map(|(motion, body)| motion.initial_state(body)));
        self.states.push(BodyState::REST);
        let softness = |factor: f64| Softness::new(settings.contact_stiffness * factor, settings.contact_damping, h);
        let has_joints = find_jointed_bodies(&self.motions, manifolds, joints);
        let context = |are_jointed| PrepareContext {
            manifolds,
            members: Members { has_joints: &has_joints, are_jointed },
            motions: &self.motions,
            softness: [softness(1.0), softness(settings.static_stiffness_factor)],
            parallel: settings.parallel,
        };
        self.contacts.build(&context(false));
        if !joints.is_empty() || !self.jointed.is_empty() {
            self.jointed.build(&context(true));
        }
        let touched = manifolds.iter().flat_map(|manifold| manifold.bodies);
        self.joints.build(joints, bodies, &self.motions, &self.states, touched);
        SubStep {
            h,
            max_push_speed: settings.max_push_speed,
            friction_keep: 1.0 - settings.friction_decay,
            restitution_threshold: settings.restitution_threshold,
            joint_softness: Softness::without_limit(settings.joint_stiffness, settings.joint_damping, h),
            joint_sweep_softness: Softness::new(settings.joint_stiffness, settings.joint_damping, h),
        }
    }

    /// Advances all bodies by a sub-step. `bodies` are those at the start of the step.
    fn advance(&mut self, bodies: &[StepBody], sub: &SubStep, is_first: bool) {
        let h = sub.h;
        self.joints.prepare_springs(&self.states, sub);
        self.for_each_body(|motion, state| motion.integrate_velocities(state, h));
        self.joints.warm_start(&mut self.states, sub);
        if is_first {
            self.sweep(Sweep::WarmStart, Order::FromGround, sub);
        }
        let layers = self.contacts.layers().max(self.jointed.layers());
        let relaxations = self.settings.relax_iterations
            * layers.div_ceil(SoftStepSettings::LAYERS).clamp(1, SoftStepSettings::MAX_RELAXATION_FACTOR);
        self.joints.solve(&mut self.states, sub);
        self.sweep(Sweep::Solve, Order::FromTop, sub);
        let is_disturbed = self.settle(Sweep::Solve, sub);
        self.for_each_body(|motion, state| motion.integrate_pose(state, h));
        self.joints.linearise(bodies, &self.motions, &self.states);
        for index in 0..relaxations {
            self.joints.relax(&mut self.states, sub);
            let order = if index % 2 == 0 { Order::FromTop } else { Order::FromGround };
            let is_last = index + 1 == relaxations;
            if is_disturbed && is_last {
                let further = Sweep::Relax { is_last: false };
                self.sweep_jointed(further, order, sub);
                self.settle(further, sub);
                self.joints.relax(&mut self.states, sub);
            }
            self.sweep(Sweep::Relax { is_last }, order, sub);
        }
        self.joints.add_totals(&self.states);
        self.for_each_body(|motion, state| motion.remember_impulses(state));
    }

    /// Repeats a sweep over joints and the contacts of their islands, until contacts disturb joints no more. Returns
    /// whether they did.
    fn settle(&mut self, sweep: Sweep, sub: &SubStep) -> bool {
        for round in 0..MAX_ROUNDS {
            if !self.joints.settle(&mut self.states, sub, sweep == Sweep::Solve) {
                return round > 0;
            }
            self.sweep_jointed(sweep, Order::FromTop, sub);
        }
        true
    }

    /// Gives approaching points their speed of separation, without gain of energy.
    fn bounce(
        &mut self,
        bodies: &[StepBody],
        manifolds: &[StepManifold],
        joints: &[StepJoint],
        sub: &SubStep,
        dt: f64,
    ) {
        self.bounce_bound.remember(&self.states[..bodies.len()]);
        self.sweep(Sweep::Restitution, Order::FromGround, sub);
        let contacts = manifolds.iter().filter(|manifold| !manifold.points.is_empty()).map(|manifold| manifold.bodies);
        let pairs = contacts.chain(joints.iter().map(|joint| joint.bodies));
        let input = BounceInput { bodies, motions: &self.motions, dt };
        if let Some(shares) = self.bounce_bound.apply(&mut self.states[..bodies.len()], pairs, &input) {
            self.contacts.scale_bounces(&shares);
            self.jointed.scale_bounces(&shares);
        }
    }

    fn sweep(&mut self, sweep: Sweep, order: Order, sub: &SubStep) {
        self.contacts.sweep(&mut self.states, sweep, order, sub, self.settings.parallel);
        self.sweep_jointed(sweep, order, sub);
    }

    fn sweep_jointed(&mut self, sweep: Sweep, order: Order, sub: &SubStep) {
        self.jointed.sweep(&mut self.states, sweep, order, sub, self.settings.parallel);
    }

    fn for_each_body(&mut self, f: impl Fn(&mut BodyMotion, &mut BodyState) + Sync) {
        if self.settings.parallel && self.motions.len() >= MIN_PARALLEL_BODIES {
            let motions = self.motions.par_iter_mut().with_min_len(BODY_TASK);
            motions.zip(self.states.par_iter_mut()).for_each(|(motion, state)| f(motion, state));
        } else {
            self.motions.iter_mut().zip(&mut self.states).for_each(|(motion, state)| f(motion, state));
        }
    }

    /// Tests that no state has overflowed.
    fn check_result(&self, count: usize) -> Result<(), StepError> {
        let overflows = |state: &BodyState| !state.0.iter().all(|x| x.is_finite());
        let states = || self.states.iter().take(count).zip(&self.motions);
        // A movable body is the cause, even if the error has spread to a static one.
        let movable = states().position(|(state, motion)| motion.is_movable && overflows(state));
        match movable.or_else(|| states().position(|(state, _)| overflows(state))) {
            Some(index) => Err(StepError::Overflow(index)),
            None => Ok(()),
        }
    }

    fn store_bodies(&self, bodies: &mut [StepBody]) {
        for (body, state) in bodies.iter_mut().zip(&self.states) {
            body.centre += state.displacement();
            body.velocity = state.velocity();
            body.angular_velocity = state.angular_velocity();
            body.rotation = (state.rotation() * body.rotation).normalize();
        }
    }
}

/// Returns whether each body is of an island with joints; an empty list without joints.
fn find_jointed_bodies(motions: &[BodyMotion], manifolds: &[StepManifold], joints: &[StepJoint]) -> Vec<bool> {
    if joints.is_empty() {
        return Vec::new();
    }
    let movable: Vec<bool> = motions.iter().map(|motion| motion.is_movable).collect();
    let links = manifolds.iter().map(|manifold| manifold.bodies).chain(joints.iter().map(|joint| joint.bodies));
    let islands = Islands::find(&movable, links);
    let mut is_jointed = vec![false; islands.lists.len()];
    for island in joints.iter().flat_map(|joint| joint.bodies).map(|body| islands.of_body[body as usize]) {
        if let Some(is_jointed) = is_jointed.get_mut(island as usize) {
            *is_jointed = true;
        }
    }
    islands.of_body.iter().map(|island| is_jointed.get(*island as usize).copied().unwrap_or(false)).collect()
}
