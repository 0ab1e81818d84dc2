//! Motion of bodies within a sub-step: velocities from forces, poses from velocities, the gyroscopic term.
//!
//! In: bodies at the start of a step. Out: their velocities and displacements, sub-step by sub-step.
//! Method: semi-implicit Euler for translations; exact parabolas for bodies without impulse. Rotations use the Lie
//! midpoint rule: in body axes m = (L₀ + L₁)/2 with L₁ = L₀ + h·m × J⁻¹m, found by Newton iteration; the rotation is
//! multiplied by the Cayley transform of h·J⁻¹m. A body whose inertia is a multiple of the identity needs no iteration.
//! Guarantees: |L| is kept to rounding, also if the iteration stops early, so that no spin gains energy beyond
//! |L|²/(2·J_min). In free flight the energy is kept to rounding if the iteration converges.
//! Not guaranteed: the inverse inertia that contacts see is the inverse at the start of the step.
//!
//! Impulses of the last sub-step are kept per body as a change of velocity ([`BodyMotion::warm`]): anchors and inertia
//! of contacts do not change within a step, so this change is exactly the warm start of the next sub-step, without a
//! sweep over the contacts. Joints follow the rotation of the bodies and correct their share of the change.

use super::input::StepBody;
use heurt_geometry::{Mat3, Quat, Vec3};

/// Velocity, angular velocity, displacement since the start of the step, rotation since the start of the step (x, y, z,
/// w), and padding to two cache lines.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct BodyState(pub [f64; 16]);

impl BodyState {
    /// A body at rest at its place.
    pub const REST: Self = {
        let mut numbers = [0.0; 16];
        numbers[12] = 1.0;
        Self(numbers)
    };

    fn vector(&self, at: usize) -> Vec3 {
        Vec3::new(self.0[at], self.0[at + 1], self.0[at + 2])
    }

    fn set_vector(&mut self, at: usize, value: Vec3) {
        self.0[at] = value.x;
        self.0[at + 1] = value.y;
        self.0[at + 2] = value.z;
    }

    pub fn velocity(&self) -> Vec3 {
        self.vector(0)
    }

    pub fn angular_velocity(&self) -> Vec3 {
        self.vector(3)
    }

    pub fn displacement(&self) -> Vec3 {
        self.vector(6)
    }

    /// Returns the rotation since the start of the step.
    pub fn rotation(&self) -> Quat {
        Quat::from_xyzw(self.0[9], self.0[10], self.0[11], self.0[12])
    }

    pub fn set_velocities(&mut self, velocity: Vec3, angular_velocity: Vec3) {
        self.set_vector(0, velocity);
        self.set_vector(3, angular_velocity);
    }

    fn set_rotation(&mut self, rotation: Quat) {
        self.0[9..13].copy_from_slice(&rotation.to_array());
    }
}

/// Constants of a body during a step, and what it remembers between sub-steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BodyMotion {
    pub is_movable: bool,
    /// Along each axis of the world, in 1/kg: 0 along locked axes.
    pub inverse_mass: Vec3,
    /// In world axes at the start of the step: xx, xy, xz, yy, yz, zz.
    pub inverse_inertia: [f64; 6],
    acceleration: Vec3,
    angular_acceleration: Vec3,
    linear_decay: f64,
    angular_decay: f64,
    angular_mask: Vec3,
    /// Inertia and its inverse in body axes, and the rotation at the start; `None` if no gyroscopic term acts.
    gyroscope: Option<Gyroscope>,
    /// Velocities before the impulses of the sub-step.
    before: [Vec3; 2],
    /// Change of the velocities by the impulses of the last sub-step.
    warm: [Vec3; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Gyroscope {
    inertia: Mat3,
    inverse: Mat3,
    rotation: Quat,
}

impl BodyMotion {
    /// Prepares a body for sub-steps of `sub_step` seconds.
    pub fn new(body: &StepBody, sub_step: f64) -> Self {
        let is_movable = body.is_movable();
        let mask =
            |locked: [bool; 3]| Vec3::from_array(locked.map(|locked| if locked && is_movable { 0.0 } else { 1.0 }));
        let linear_mask = mask(body.locked.translation);
        let angular_mask = mask(body.locked.rotation);
        let inverse = inverse_inertia_in_world(body, angular_mask);
        let moves = if body.inverse_mass > 0.0 { linear_mask } else { Vec3::ZERO };
        Self {
            is_movable,
            inverse_mass: linear_mask * body.inverse_mass,
            inverse_inertia: [
                inverse.x_axis.x,
                inverse.x_axis.y,
                inverse.x_axis.z,
                inverse.y_axis.y,
                inverse.y_axis.z,
                inverse.z_axis.z,
            ],
            acceleration: body.acceleration * moves,
            angular_acceleration: inverse * body.torque,
            linear_decay: if is_movable { 1.0 / (1.0 + sub_step * body.linear_damping) } else { 1.0 },
            angular_decay: if is_movable { 1.0 / (1.0 + sub_step * body.angular_damping) } else { 1.0 },
            angular_mask,
            gyroscope: gyroscope(body, angular_mask),
            before: [Vec3::ZERO; 2],
            warm: [Vec3::ZERO; 2],
        }
    }

    /// Returns the state at the start of a step: velocities along locked axes are 0.
    pub fn initial_state(&self, body: &StepBody) -> BodyState {
        let mut state = BodyState::REST;
        let free = self.inverse_mass.cmpgt(Vec3::ZERO);
        let locked = |axis: usize| self.is_movable && body.locked.translation[axis] && !free.test(axis);
        let keep = Vec3::from_array([0, 1, 2].map(|axis| if locked(axis) { 0.0 } else { 1.0 }));
        // Adding 0 turns −0 into +0, so that a write of an unchanged velocity never changes a bit.
        state.set_velocities(body.velocity * keep + 0.0, body.angular_velocity * self.angular_mask + 0.0);
        state
    }

    /// Integrates the velocities over a sub-step of `h` seconds and adds the warm start.
    pub fn integrate_velocities(&mut self, state: &mut BodyState, h: f64) {
        if !self.is_movable {
            return;
        }
        let velocity = state.velocity() * self.linear_decay + self.acceleration * h;
        let rate = state.angular_velocity() * self.angular_decay + self.angular_acceleration * h;
        self.before = [velocity, rate];
        state.set_velocities(velocity + self.warm[0], rate + self.warm[1]);
    }

    /// Integrates the pose over a sub-step of `h` seconds; the gyroscopic term changes the angular velocity.
    pub fn integrate_pose(&mut self, state: &mut BodyState, h: f64) {
        let rate = state.angular_velocity();
        // A body without impulse in this sub-step flies on an exact parabola; the first-order rule would lose v·h/2 of
        // the height of a throw. A body with contacts moves by the velocity that the sweep has solved for.
        let velocity = state.velocity();
        let is_free = self.is_movable && velocity == self.before[0];
        let mean = if is_free { velocity - self.acceleration * (0.5 * h) } else { velocity };
        state.set_vector(6, state.displacement() + mean * h);
        if rate == Vec3::ZERO {
            return;
        }
        match &self.gyroscope {
            None => state.set_rotation(rotate(state.rotation(), rate, h)),
            Some(gyroscope) => {
                let (rotation, new_rate) = gyroscope.advance(state.rotation(), rate, h);
                state.set_rotation(rotation);
                state.set_vector(3, new_rate);
                self.before[1] += new_rate - rate;
            }
        }
    }

    /// Computes the inverse inertia in world axes at the current rotation. A body with locked rotations keeps the
    /// inverse of the start of the step, as a round body does.
    pub fn inverse_inertia_now(&self, state: &BodyState) -> Mat3 {
        if let Some(gyroscope) = &self.gyroscope {
            let rotation = Mat3::from_quat(state.rotation() * gyroscope.rotation);
            return rotation * gyroscope.inverse * rotation.transpose();
        }
        let [xx, xy, xz, yy, yz, zz] = self.inverse_inertia;
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
    }

    /// Computes a·M·b for velocities or accelerations a and b, with the inertia at the current rotation: the inverse of
    /// [`Self::inverse_inertia_now`]. Axes that no impulse moves count 0.
    pub fn energy_product(&self, state: &BodyState, a: [Vec3; 2], b: [Vec3; 2]) -> f64 {
        let mass = Vec3::from_array(self.inverse_mass.to_array().map(|x| if x > 0.0 { 1.0 / x } else { 0.0 }));
        let linear = (mass * a[0]).dot(b[0]);
        let inverse = self.inverse_inertia_now(state);
        let mask = Mat3::from_diagonal(self.angular_mask);
        let inertia = (mask * inverse * mask + Mat3::from_diagonal(Vec3::ONE - self.angular_mask)).inverse();
        let angular = (inertia * (a[1] * self.angular_mask)).dot(b[1] * self.angular_mask);
        // A body that no impulse rotates has no inverse.
        if inertia.is_finite() { linear + angular } else { linear }
    }

    /// Returns the acceleration and the angular acceleration by forces other than those of contacts and joints.
    pub fn free_accelerations(&self) -> [Vec3; 2] {
        [self.acceleration, self.angular_acceleration]
    }

    /// Remembers what the impulses of the sub-step have changed.
    pub fn remember_impulses(&mut self, state: &BodyState) {
        if self.is_movable {
            self.warm = [state.velocity() - self.before[0], state.angular_velocity() - self.before[1]];
        }
    }
}

/// Multiplies a rotation with the Cayley transform of `h·rate`, as quaternion (1, h·rate/2), normalised. A rate whose
/// square overflows has no useful direction: the rotation is kept.
fn rotate(rotation: Quat, rate: Vec3, h: f64) -> Quat {
    let half = rate * (0.5 * h);
    let product = Quat::from_xyzw(half.x, half.y, half.z, 1.0) * rotation;
    if product.length_squared().is_finite() { product.normalize() } else { rotation }
}

/// Computes the inverse inertia in world axes. Locked axes are taken out before the inversion, because a body that
/// cannot rotate around one axis has a smaller inertia around the two free axes.
fn inverse_inertia_in_world(body: &StepBody, angular_mask: Vec3) -> Mat3 {
    if body.inverse_inertia == Mat3::ZERO {
        return Mat3::ZERO;
    }
    let rotation = Mat3::from_quat(body.rotation);
    if angular_mask == Vec3::ONE {
        return rotation * body.inverse_inertia * rotation.transpose();
    }
    let mask = Mat3::from_diagonal(angular_mask);
    let inertia = mask * (rotation * body.inertia * rotation.transpose()) * mask;
    let inverse = (inertia + Mat3::from_diagonal(Vec3::ONE - angular_mask)).inverse();
    if inverse.is_finite() { mask * inverse * mask } else { Mat3::ZERO }
}

/// Returns the data of the gyroscopic term, if one acts: the inertia is no multiple of the identity (to 1e-12, a few
/// thousand rounding errors) and no rotation is locked.
fn gyroscope(body: &StepBody, angular_mask: Vec3) -> Option<Gyroscope> {
    let inertia = body.inertia;
    let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
    let difference = inertia - Mat3::from_diagonal(Vec3::splat(mean));
    let is_round = difference.to_cols_array().iter().all(|x| x.abs() <= 1e-12 * mean);
    let is_free = angular_mask == Vec3::ONE && body.inverse_inertia != Mat3::ZERO && inertia != Mat3::ZERO;
    (is_free && !is_round).then_some(Gyroscope { inertia, inverse: body.inverse_inertia, rotation: body.rotation })
}

impl Gyroscope {
    /// Simple iterations of the midpoint equation. 8: the error shrinks by the factor h·|ω|/2, which is 1/500 at 2
    /// rad/s and four sub-steps, so that slow bodies reach rounding within 6.
    const SIMPLE_STEPS: usize = 8;
    /// Newton steps after them, for fast bodies. 4: the error squares in each.
    const NEWTON_STEPS: usize = 4;
    /// Square of the relative change at which the iteration ends: rounding.
    const TOLERANCE_SQ: f64 = 1e-31;

    /// Advances a free rotation by `h` seconds. In: rotation since the start of the step, angular velocity in world
    /// axes. Out: both after the sub-step.
    fn advance(&self, since_start: Quat, rate: Vec3, h: f64) -> (Quat, Vec3) {
        let rotation = since_start * self.rotation;
        let momentum = self.inertia * (rotation.conjugate() * rate);
        let middle = self.middle_momentum(momentum, h);
        let middle_rate = rotation * (self.inverse * middle);
        let after = 2.0 * middle - momentum;
        // The rule keeps |L|; the scale removes what an unfinished iteration leaves.
        let scale = momentum.length() / after.length();
        let after = if scale.is_finite() { after * scale } else { momentum };
        let since_start = rotate(since_start, middle_rate, h);
        let rotation = since_start * self.rotation;
        (since_start, rotation * (self.inverse * after))
    }

    /// Solves m = L₀ + (h/2)·m × J⁻¹m.
    fn middle_momentum(&self, start: Vec3, h: f64) -> Vec3 {
        let half = 0.5 * h;
        let limit = Self::TOLERANCE_SQ * start.length_squared();
        let mut middle = start;
        for _ in 0..Self::SIMPLE_STEPS {
            let next = start + middle.cross(self.inverse * middle) * half;
            let change = next - middle;
            middle = next;
            if change.length_squared() <= limit {
                return middle;
            }
        }
        let middle = self.newton(start, half, limit);
        // The middle of two vectors of equal length is no longer than they are: anything longer is no solution.
        let is_plausible = middle.length_squared() <= start.length_squared() * (1.0 + 1e-9);
        if is_plausible { middle } else { start }
    }

    fn newton(&self, start: Vec3, half: f64, limit: f64) -> Vec3 {
        let mut middle = start;
        for _ in 0..Self::NEWTON_STEPS {
            let rate = self.inverse * middle;
            let residual = middle - start - middle.cross(rate) * half;
            if residual.length_squared() <= limit {
                break;
            }
            let jacobian = Mat3::IDENTITY - (skew(middle) * self.inverse - skew(rate)) * half;
            let next = middle - jacobian.inverse() * residual;
            if !next.is_finite() {
                break;
            }
            middle = next;
        }
        middle
    }
}

/// Returns the matrix of v ×.
fn skew(v: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, v.z, -v.y), Vec3::new(-v.z, 0.0, v.x), Vec3::new(v.y, -v.x, 0.0))
}
