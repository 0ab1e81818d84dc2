//! Sweeps over a batch of contacts: warm start, soft solve, relaxation, restitution.
//!
//! In: a prepared batch and the states of the bodies. Out: new velocities of its bodies; accumulated impulses.
//! Method: "TGS soft" of Box2D v3. The normal rows by Gauss–Seidel on the coupling of the block; then friction, so that
//! no slip is left when the poses are integrated. The separation of a point uses the exact rotation since the start of the
//! step: with D the rotation and U = Dᵀn − n, the anchor r contributes U·r = (U·n)(r·n) + (U × n)·(r × n).

use super::batch::ContactBatch;
use super::lanes::{LANES, Wide, WideVec};
use super::motion::BodyState;

/// Numbers of a sub-step that all constraints share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SubStep {
    /// Length of the sub-step, in seconds.
    pub h: f64,
    pub max_push_speed: f64,
    pub restitution_threshold: f64,
}

/// The sweeps of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// Applies the impulses of the previous step.
    WarmStart,
    /// Solves with soft constraints. The last sweep of a sub-step adds the impulses to the totals.
    Solve {
        /// Whether this sweep is the last of the sub-step.
        is_last: bool,
    },
    /// Solves without bias.
    Relax {
        /// Whether this sweep is the last of the sub-step.
        is_last: bool,
    },
    /// Gives approaching points their speed of separation.
    Restitution,
}

/// Velocities of the bodies of a batch: A and B, linear and angular.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WidePair {
    pub linear: [WideVec; 2],
    pub angular: [WideVec; 2],
}

impl WidePair {
    pub const ZERO: Self = Self { linear: [WideVec::ZERO; 2], angular: [WideVec::ZERO; 2] };

    #[inline(always)]
    fn gather(states: &[BodyState], bodies: &[[u32; LANES]; 2]) -> Self {
        let mut pair = Self::ZERO;
        for side in 0..2 {
            let lanes = select_states(states, &bodies[side]);
            pair.linear[side] = gather_vector(lanes, 0);
            pair.angular[side] = gather_vector(lanes, 3);
        }
        pair
    }

    /// Writes the velocities of all lanes.
    #[inline(always)]
    pub fn scatter(&self, states: &mut [BodyState], bodies: &[[u32; LANES]; 2]) {
        for side in 0..2 {
            let (v, w) = (&self.linear[side], &self.angular[side]);
            for lane in 0..LANES {
                let state = &mut states[bodies[side][lane] as usize].0;
                state[0] = v.x.0[lane];
                state[1] = v.y.0[lane];
                state[2] = v.z.0[lane];
                state[3] = w.x.0[lane];
                state[4] = w.y.0[lane];
                state[5] = w.z.0[lane];
            }
        }
    }
}

#[inline(always)]
fn select_states<'a>(states: &'a [BodyState], bodies: &[u32; LANES]) -> [&'a BodyState; LANES] {
    [&states[bodies[0] as usize], &states[bodies[1] as usize], &states[bodies[2] as usize], &states[bodies[3] as usize]]
}

#[inline(always)]
fn gather(lanes: [&BodyState; LANES], at: usize) -> Wide {
    Wide([lanes[0].0[at], lanes[1].0[at], lanes[2].0[at], lanes[3].0[at]])
}

#[inline(always)]
fn gather_vector(lanes: [&BodyState; LANES], at: usize) -> WideVec {
    WideVec::new(gather(lanes, at), gather(lanes, at + 1), gather(lanes, at + 2))
}

impl<const N: usize> ContactBatch<N> {
    /// Runs a sweep and returns the new velocities.
    #[inline(always)]
    pub fn sweep(&mut self, states: &[BodyState], sweep: Sweep, sub: &SubStep) -> WidePair {
        match sweep {
            Sweep::WarmStart => self.warm_start(states),
            Sweep::Solve { is_last } => self.solve::<true>(states, sub, is_last),
            Sweep::Relax { is_last } => self.solve::<false>(states, sub, is_last),
            Sweep::Restitution => self.restore(states, sub),
        }
    }

    /// Applies an impulse along the normal, and angular impulses that its rows sum up to.
    #[inline(always)]
    fn apply(&self, pair: &mut WidePair, impulse: WideVec, angular: [WideVec; 2]) {
        pair.linear[0] = pair.linear[0] - impulse.component_mul(self.inverse_mass[0]);
        pair.angular[0] = pair.angular[0] - self.inverse_inertia[0].mul_vec(angular[0]);
        pair.linear[1] = pair.linear[1] + impulse.component_mul(self.inverse_mass[1]);
        pair.angular[1] = pair.angular[1] + self.inverse_inertia[1].mul_vec(angular[1]);
    }

    /// Applies normal impulses of the points.
    #[inline(always)]
    fn apply_normal(&self, pair: &mut WidePair, impulses: &[Wide; N]) {
        let mut sum = impulses[0];
        let mut angular = [0, 1].map(|side| self.points[0].turn[side].scale(impulses[0]));
        for i in 1..N {
            sum += impulses[i];
            for side in 0..2 {
                angular[side] = angular[side] + self.points[i].turn[side].scale(impulses[i]);
            }
        }
        self.apply(pair, self.normal.scale(sum), angular);
    }

    /// Applies impulses along the two tangents and around the normal.
    #[inline(always)]
    fn apply_friction(&self, pair: &mut WidePair, along: [Wide; 2], twist: Wide) {
        let second = self.normal.cross(self.tangent);
        let impulse = self.tangent.scale(along[0]) + second.scale(along[1]);
        let around = self.normal.scale(twist);
        let angular = [0, 1].map(|side| self.arms[side].cross(impulse) + around);
        self.apply(pair, impulse, angular);
    }

    #[inline(always)]
    fn warm_start(&mut self, states: &[BodyState]) -> WidePair {
        let mut pair = WidePair::gather(states, &self.bodies);
        if self.is_bouncy {
            let speeds = self.normal_speeds(&pair);
            for (point, speed) in self.points.iter_mut().zip(speeds) {
                point.approach = speed.min(Wide::ZERO);
            }
        }
        let mut impulses = [Wide::ZERO; N];
        for (impulse, point) in impulses.iter_mut().zip(&self.points) {
            *impulse = point.impulse;
        }
        self.apply_normal(&mut pair, &impulses);
        self.apply_friction(&mut pair, self.tangent_impulse, self.twist_impulse);
        pair
    }

    /// Computes the gap velocities of the points.
    #[inline(always)]
    fn normal_speeds(&self, pair: &WidePair) -> [Wide; N] {
        let along = self.normal.dot(pair.linear[1] - pair.linear[0]);
        let mut speeds = [along; N];
        for (speed, point) in speeds.iter_mut().zip(&self.points) {
            *speed += point.turn[1].dot(pair.angular[1]) - point.turn[0].dot(pair.angular[0]);
        }
        speeds
    }

    /// Computes the separations of the points after the motion of the bodies.
    #[inline(always)]
    fn separations(&self, states: &[BodyState]) -> [Wide; N] {
        let n = self.normal;
        let lanes = [0, 1].map(|side| select_states(states, &self.bodies[side]));
        let along = n.dot(gather_vector(lanes[1], 6) - gather_vector(lanes[0], 6));
        let change = lanes.map(|lanes| {
            let u = gather_vector(lanes, 9);
            let crossed = u.cross(n);
            let half = u.cross(crossed) - crossed.scale(gather(lanes, 12));
            half + half
        });
        let height = change.map(|change| change.dot(n));
        let turn = change.map(|change| change.cross(n));
        let mut separations = [along; N];
        for (separation, point) in separations.iter_mut().zip(&self.points) {
            *separation += point.separation + (turn[1].dot(point.turn[1]) + height[1] * point.height[1])
                - (turn[0].dot(point.turn[0]) + height[0] * point.height[0]);
        }
        separations
    }

    #[inline(always)]
    fn solve<const SOFT: bool>(&mut self, states: &[BodyState], sub: &SubStep, is_last: bool) -> WidePair {
        let separations = self.separations(states);
        let mut pair = WidePair::gather(states, &self.bodies);
        let mut speeds = self.normal_speeds(&pair);
        if SOFT && self.is_bouncy {
            self.record_approach(&speeds);
        }
        let (inverse_h, one) = (Wide::splat(1.0 / sub.h), Wide::splat(1.0));
        let push = Wide::splat(-sub.max_push_speed);
        let mut changes = [Wide::ZERO; N];
        for i in 0..N {
            let separation = separations[i];
            let old = self.points[i].impulse;
            let open = speeds[i] + separation * inverse_h;
            let closed = if SOFT {
                let bias = (separation * self.bias_rate).max(push);
                (speeds[i] + bias) * self.mass_scale
            } else {
                speeds[i]
            };
            let goal = separation.select_positive(open, closed);
            let mut impulse = old - goal * self.coupling[i][i];
            if SOFT {
                let kept = separation.select_positive(one, one - self.impulse_scale);
                impulse = old * kept - goal * self.coupling[i][i];
            }
            let new = impulse.max(Wide::ZERO);
            changes[i] = new - old;
            self.points[i].impulse = new;
            for j in i + 1..N {
                speeds[j] += self.coupling[i][j] * changes[i];
            }
        }
        self.apply_normal(&mut pair, &changes);
        self.solve_friction(&mut pair);
        if is_last {
            self.add_totals();
        }
        pair
    }

    #[inline(always)]
    fn solve_friction(&mut self, pair: &mut WidePair) {
        let second = self.normal.cross(self.tangent);
        let at = |side: usize| pair.linear[side] + pair.angular[side].cross(self.arms[side]);
        let slip = at(1) - at(0);
        let speed = [self.tangent.dot(slip), second.dot(slip)];
        let spin = self.normal.dot(pair.angular[1] - pair.angular[0]);
        let (mut load, mut lever_load) = (self.points[0].impulse, self.points[0].impulse * self.points[0].lever);
        for point in &self.points[1..] {
            load += point.impulse;
            lever_load += point.impulse * point.lever;
        }
        let (limit, twist_limit) = (load * self.friction, lever_load * self.friction);
        let mass = &self.tangent_mass;
        let old = self.tangent_impulse;
        let mut new =
            [old[0] - (mass[0] * speed[0] + mass[1] * speed[1]), old[1] - (mass[1] * speed[0] + mass[2] * speed[1])];
        let length = (new[0] * new[0] + new[1] * new[1]).sqrt();
        let scale = (length - limit).select_positive(limit.divide_or_zero(length), Wide::splat(1.0));
        new = [new[0] * scale, new[1] * scale];
        let old_twist = self.twist_impulse;
        let twist = (old_twist - self.twist_mass * spin).max(-twist_limit).min(twist_limit);
        self.tangent_impulse = new;
        self.twist_impulse = twist;
        self.apply_friction(pair, [new[0] - old[0], new[1] - old[1]], twist - old_twist);
    }

    #[inline(always)]
    fn record_approach(&mut self, speeds: &[Wide; N]) {
        for (point, speed) in self.points.iter_mut().zip(speeds) {
            let acts = point.impulse + point.total;
            point.approach = acts.select_positive(point.approach, point.approach.min(*speed));
        }
    }

    #[inline(always)]
    fn add_totals(&mut self) {
        for point in &mut self.points {
            point.total += point.impulse;
        }
        for (total, impulse) in self.tangent_total.iter_mut().zip(self.tangent_impulse) {
            *total += impulse;
        }
        self.twist_total += self.twist_impulse;
    }

    /// Sweeps of a block in the restitution pass. 32: the four corners of a box converge to equal impulses, so that a
    /// box that falls flat gets no spin beyond 1e-6 of its speed.
    const RESTITUTION_SWEEPS: usize = 32;

    #[inline(always)]
    fn restore(&mut self, states: &[BodyState], sub: &SubStep) -> WidePair {
        let mut pair = WidePair::gather(states, &self.bodies);
        if !self.is_bouncy {
            return pair;
        }
        let mut speeds = self.normal_speeds(&pair);
        let threshold = Wide::splat(-sub.restitution_threshold);
        let mut changes = [Wide::ZERO; N];
        for _ in 0..Self::RESTITUTION_SWEEPS {
            for i in 0..N {
                let point = &self.points[i];
                let goal = speeds[i] + self.restitution * point.approach;
                let old = changes[i];
                let lowest = -point.impulse;
                let wanted = (old - goal * self.coupling[i][i]).max(lowest);
                // Only points that bounce and have had an impulse; the others keep theirs.
                let acts = (threshold - point.approach).select_positive(point.total, Wide::ZERO);
                let acts = self.restitution.select_positive(acts, Wide::ZERO);
                changes[i] = acts.select_positive(wanted, old);
                let change = changes[i] - old;
                for j in 0..N {
                    if j != i {
                        speeds[j] += self.coupling[i.min(j)][i.max(j)] * change;
                    }
                }
                speeds[i] += change.divide_or_zero(self.coupling[i][i]);
            }
        }
        for (point, change) in self.points.iter_mut().zip(changes) {
            // The warm start of the next step shall not hold the impulse of a bounce.
            point.total += change;
        }
        self.apply_normal(&mut pair, &changes);
        pair
    }
}
