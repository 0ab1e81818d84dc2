//! The energetic bound of the pass of restitution.
//!
//! In: velocities of an island before the pass (v₀) and after it (v₁), bodies at the start of the step. Out: velocities
//! v₀ + s·(v₁ − v₀) and the share s of the impulses of the pass that each body keeps.
//! Method: Newton's rule at each point gains energy if a body is hit at several points. The kinetic energy of an island
//! is a convex parabola in s; s is the largest number within [0, 1] at which it is at most the larger of the energy
//! before the pass and of that at the start of the step plus the work of the free accelerations and torques. Energies
//! are relative to the rigid motion of the body without mass that the island touches, because a racket does work.
//! Guarantees: islands do not affect each other; equal and opposite impulses stay so; the same bits for any number of
//! threads. Islands whose energy is within the bound keep every bit.
//! Not guaranteed: the bound of an island that touches bodies without mass of different motions; it is not guarded.
//! Work of motors counts only as far as it is left before the pass.
//! Cost: nothing but a copy of the velocities if no point bounces; else linear in bodies, manifolds and joints.

use super::input::StepBody;
use super::island::Islands;
use super::memory::bytes_of;
use super::motion::{BodyMotion, BodyState};
use heurt_geometry::{Quat, Vec3};

/// Relative excess of energy that is rounding.
const TOLERANCE: f64 = 1e-9;

/// The input of the bound.
pub(super) struct BounceInput<'a> {
    /// At the start of the step.
    pub bodies: &'a [StepBody],
    pub motions: &'a [BodyMotion],
    pub dt: f64,
}

/// Velocities before the pass of restitution.
#[derive(Debug, Clone, Default)]
pub(super) struct BounceBound {
    before: Vec<[Vec3; 2]>,
}

/// The rigid motion to which the energies of an island are relative.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reference {
    World,
    Body(u32),
    Several,
}

/// Energies of an island: E(s) = `start` + `slope`·s + `curve`·s², and the energy that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct IslandEnergy {
    start: f64,
    slope: f64,
    curve: f64,
    reference: f64,
}

impl BounceBound {
    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        bytes_of(&self.before)
    }

    /// Remembers the velocities before the pass.
    pub fn remember(&mut self, states: &[BodyState]) {
        self.before.clear();
        self.before.extend(states.iter().map(velocities));
    }

    /// Bounds the energy of each island. Returns the share of the impulses of the pass that each body keeps, or `None`
    /// if all keep them in full. `pairs` are the bodies of contacts and joints.
    pub fn apply(
        &self,
        states: &mut [BodyState],
        pairs: impl Iterator<Item = [u32; 2]> + Clone,
        input: &BounceInput,
    ) -> Option<Vec<f64>> {
        if states.iter().zip(&self.before).all(|(state, before)| velocities(state) == *before) {
            return None;
        }
        let movable: Vec<bool> = input.motions.iter().map(|motion| motion.is_movable).collect();
        let islands = Islands::find(&movable, pairs.clone());
        let references = references(&islands, pairs, input.bodies);
        let mut shares: Option<Vec<f64>> = None;
        for (list, reference) in islands.lists.iter().zip(references) {
            let share = self.share(list, reference, states, input);
            if share == 1.0 {
                continue;
            }
            let shares = shares.get_or_insert_with(|| vec![1.0; states.len()]);
            for &body in list {
                shares[body as usize] = share;
                let before = self.before[body as usize];
                let after = velocities(&states[body as usize]);
                let [linear, angular] = [0, 1].map(|k| before[k] + (after[k] - before[k]) * share);
                states[body as usize].set_velocities(linear, angular);
            }
        }
        shares
    }

    /// Returns the share of the impulses that an island keeps.
    fn share(&self, list: &[u32], reference: Reference, states: &[BodyState], input: &BounceInput) -> f64 {
        let is_same = |body: &u32| velocities(&states[*body as usize]) == self.before[*body as usize];
        if reference == Reference::Several || list.iter().all(is_same) {
            return 1.0;
        }
        let mut energy = IslandEnergy::default();
        for &body in list {
            let at = body as usize;
            let (start, motion, state) = (&input.bodies[at], &input.motions[at], &states[at]);
            // Velocities of the reference at the places of the start and of the end of the step.
            let carried = match reference {
                Reference::Body(index) => {
                    let carrier = &input.bodies[index as usize];
                    let rate = carrier.angular_velocity;
                    let moved = state.displacement() - carrier.velocity * input.dt;
                    let arm = start.centre - carrier.centre;
                    [arm, arm + moved].map(|arm| [carrier.velocity + rate.cross(arm), rate])
                }
                _ => [[Vec3::ZERO; 2]; 2],
            };
            let relative =
                |[linear, angular]: [Vec3; 2], end: usize| [linear - carried[end][0], angular - carried[end][1]];
            let before = relative(self.before[at], 1);
            let [after, old] = [velocities(state), self.before[at]];
            let change = [after[0] - old[0], after[1] - old[1]];
            energy.start += 0.5 * motion.energy_product(state, before, before);
            energy.slope += motion.energy_product(state, before, change);
            energy.curve += 0.5 * motion.energy_product(state, change, change);
            let rest = motion.initial_state(start);
            let first = relative(velocities(&rest), 0);
            let path = [
                state.displacement() - carried[0][0] * input.dt,
                rotation_vector(state.rotation()) - carried[0][1] * input.dt,
            ];
            energy.reference += 0.5 * motion.energy_product(&rest, first, first);
            energy.reference += motion.energy_product(&rest, motion.free_accelerations(), path);
        }
        energy.share()
    }
}

impl IslandEnergy {
    fn share(&self) -> f64 {
        let bound = self.start.max(self.reference);
        if self.start + self.slope + self.curve <= bound * (1.0 + TOLERANCE) {
            return 1.0;
        }
        let left = bound - self.start;
        let root = (self.slope * self.slope + 4.0 * self.curve * left).sqrt();
        // The larger root of curve·s² + slope·s = left, without cancellation.
        let share =
            if self.slope > 0.0 { 2.0 * left / (self.slope + root) } else { (root - self.slope) / (2.0 * self.curve) };
        // Numbers that have overflowed are an error of the step.
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
    }
}

fn velocities(state: &BodyState) -> [Vec3; 2] {
    [state.velocity(), state.angular_velocity()]
}

/// Returns the rotation as axis times angle, up to half a turn.
fn rotation_vector(rotation: Quat) -> Vec3 {
    let [x, y, z, w] = rotation.to_array();
    let axis = Vec3::new(x, y, z) * if w < 0.0 { -1.0 } else { 1.0 };
    let sine = axis.length();
    if sine > 0.0 { axis * (2.0 * libm::atan2(sine, w.abs()) / sine) } else { Vec3::ZERO }
}

/// Finds the rigid motion of the bodies without mass that each island touches.
fn references(islands: &Islands, pairs: impl Iterator<Item = [u32; 2]>, bodies: &[StepBody]) -> Vec<Reference> {
    let mut found: Vec<Option<Reference>> = vec![None; islands.lists.len()];
    let island_of = |body: u32| islands.of_body[body as usize];
    for [a, b] in pairs {
        let (island, fixed) = match (island_of(a), island_of(b)) {
            (Islands::NONE, Islands::NONE) => continue,
            (island, Islands::NONE) => (island, b),
            (Islands::NONE, island) => (island, a),
            _ => continue,
        };
        let body = &bodies[fixed as usize];
        let is_at_rest = body.velocity == Vec3::ZERO && body.angular_velocity == Vec3::ZERO;
        let reference = if is_at_rest { Reference::World } else { Reference::Body(fixed) };
        let entry = found[island as usize].get_or_insert(reference);
        if !is_same_motion(*entry, reference, bodies) {
            *entry = Reference::Several;
        }
    }
    found.into_iter().map(|reference| reference.unwrap_or(Reference::World)).collect()
}

fn is_same_motion(a: Reference, b: Reference, bodies: &[StepBody]) -> bool {
    match (a, b) {
        (Reference::Body(a), Reference::Body(b)) => {
            let [a, b] = [a, b].map(|body| &bodies[body as usize]);
            let carried = a.velocity + a.angular_velocity.cross(b.centre - a.centre);
            a.angular_velocity == b.angular_velocity && carried == b.velocity
        }
        _ => a == b,
    }
}
