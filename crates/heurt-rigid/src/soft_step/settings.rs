//! Settings of the soft step, and the coefficients of a soft constraint.
//!
//! In: stiffness in Hz, damping ratio, length of a sub-step. Out: bias rate, mass scale and impulse scale.
//! Method: implicit Euler step of a damped spring, E. Catto, "Soft constraints", GDC 2011, and Box2D v3.

/// Settings of [`SoftStep`](super::SoftStep).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftStepSettings {
    /// Number of sub-steps of a step. 4: at 60 steps a second a sub-step is 4.2 ms, so that a contact spring of 50 Hz
    /// has 5 sub-steps in a period. The stiffness of a stack grows with the square of this number.
    pub sub_steps: u32,
    /// Stiffness of contacts, in Hz. 50: the springs of a stack of 20 boxes must not buckle under its weight. For boxes
    /// of side a, Greenhill's bound q·L³/(k·a) < 7.84 gives 8.7 at 30 Hz and 3.1 at 50 Hz. The solver limits the value
    /// to a quarter of the rate of sub-steps, where a spring still has 4 sub-steps in a period.
    pub contact_stiffness: f64,
    /// Damping ratio of contacts. 10: an overlap is pushed out without a bounce, by 15 times its depth per second. In a
    /// deep heap one relaxation leaves a share of the speed of the push, and the heap vibrates: a pyramid of 24 layers
    /// comes to rest in 2 s at 10. A stack of 20 at 8 sub-steps and 120 Hz leans by 1 mm in 60 s at 12.
    pub contact_damping: f64,
    /// Factor of the stiffness for contacts with bodies that no impulse moves. 2: the ground carries a whole stack. It
    /// acts from 8 sub-steps of 1/60 s on, because of the limit of the stiffness.
    pub static_stiffness_factor: f64,
    /// Stiffness of joints, in Hz. 600: a cantilever of five boxes of 1 m in all sags by 0.6 mm. The joints of an
    /// assembly are solved at once, so that any stiffness is stable.
    pub joint_stiffness: f64,
    /// Damping ratio of joints. 2: overdamped, so that errors of anchors decay without oscillation; at 600 Hz a
    /// sub-step of 1/240 s removes 80 % of an error.
    pub joint_damping: f64,
    /// Bound of the speed at which an overlap is pushed out, or an error of a joint is removed, in m/s or rad/s. 3: a
    /// deep overlap (a body spawned inside another) is removed within a few steps without an explosion.
    pub max_push_speed: f64,
    /// Share of the friction impulses that decays in each sub-step, 0 to 1. 0: a box on a slope does not creep. 0.1
    /// damps the slow sway of walls of boxes, which come to rest then, but a box on a slope of 30° creeps by 3 mm/s. A
    /// world that puts slow islands to sleep can afford it.
    pub friction_decay: f64,
    /// Contacts that approach slower than this do not bounce, in m/s. 1: the speed of a fall from 5 cm.
    pub restitution_threshold: f64,
    /// Sweeps without bias after each sub-step, at least 1, for each [`SoftStepSettings::LAYERS`] layers of the deepest
    /// heap. 1: removes the velocity that the spring of the sub-step has added, and solves friction.
    pub relax_iterations: u32,
    /// Whether large steps use the rayon pool. The result has the same bits with and without it.
    pub parallel: bool,
}

impl Default for SoftStepSettings {
    fn default() -> Self {
        Self {
            sub_steps: 4,
            contact_stiffness: 50.0,
            contact_damping: 10.0,
            static_stiffness_factor: 2.0,
            joint_stiffness: 600.0,
            joint_damping: 2.0,
            max_push_speed: 3.0,
            friction_decay: 0.0,
            restitution_threshold: 1.0,
            relax_iterations: 1,
            parallel: true,
        }
    }
}

impl SoftStepSettings {
    /// Limit of the sub-steps of a step, against hangs: 1000 sub-steps take 250 times the usual time.
    pub const MAX_SUB_STEPS: u32 = 1000;

    /// Layers of a heap for which a relaxation suffices. 25: a pyramid of 24 layers comes to rest with one sweep; a
    /// wall of 100 layers with 4 comes to rest in 4 s, with fewer it sways until it falls.
    pub const LAYERS: u32 = 25;
    /// Largest multiple of the relaxations. 8: heaps above 200 layers are not made stiffer.
    pub const MAX_RELAXATION_FACTOR: u32 = 8;

    /// Reports whether each number is finite and in its range.
    pub fn is_valid(&self) -> bool {
        let positive = [self.contact_stiffness, self.static_stiffness_factor, self.joint_stiffness];
        let at_least_zero = [self.contact_damping, self.joint_damping, self.max_push_speed, self.restitution_threshold];
        positive.iter().all(|x| x.is_finite() && *x > 0.0)
            && at_least_zero.iter().all(|x| x.is_finite() && *x >= 0.0)
            && (0.0..=1.0).contains(&self.friction_decay)
            && (1..=Self::MAX_SUB_STEPS).contains(&self.sub_steps)
            && (1..=Self::MAX_SUB_STEPS).contains(&self.relax_iterations)
    }
}

/// Coefficients of a soft constraint for one length of a sub-step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Softness {
    /// Velocity of the correction per error, in 1/s.
    pub bias_rate: f64,
    /// Factor of the effective mass.
    pub mass_scale: f64,
    /// Share of the impulse that the spring gives back.
    pub impulse_scale: f64,
}

impl Softness {
    /// Computes the coefficients of a spring of `stiffness` Hz, limited to a quarter of the rate of sub-steps.
    pub fn new(stiffness: f64, damping_ratio: f64, sub_step: f64) -> Self {
        Self::without_limit(stiffness.min(0.25 / sub_step), damping_ratio, sub_step)
    }

    /// Computes the coefficients of a spring of `stiffness` Hz.
    pub fn without_limit(stiffness: f64, damping_ratio: f64, sub_step: f64) -> Self {
        let omega = 2.0 * std::f64::consts::PI * stiffness;
        let a1 = 2.0 * damping_ratio + sub_step * omega;
        let a2 = sub_step * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}
