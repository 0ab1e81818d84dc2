//! Springs, friction, motors and limits along the coordinates of a joint, solved together.
//!
//! In: the row of a coordinate, the mass m along it, the forces along it. Out: their impulses at the rate u that they
//! leave, and how the coordinate enters the system.
//! Method: each impulse is a function of u that does not rise: c/γ − u/γ of a spring, within the bounds of its force;
//! one bound on each side of the target of friction, of a motor or of a limit, and anything between at the target. So
//! m·(u − u₀) − Σλ(u) rises, and its root lies at a corner of the functions or between two of them, where all are
//! linear. At a corner with a jump the coordinate is an equation of the system; between corners it is a soft equation
//! with the compliances in parallel.
//! The relaxation keeps the impulses of springs: they belong to the poses before it.
//! Guarantees: the root, for any numbers of forces and any stiffness; impulses within their bounds.
//! Cost: quadratic in the forces along a coordinate, at most six.

use super::block::{JointBlock, JointRule, JointVelocities};
use super::coordinate::{CoordinateDrive, CoordinateRow, LIMIT_SIGNS, is_limit};
use super::step_joint::CoordinateImpulses;
use crate::joint::{NEAR_TWIST_LIMIT, StepShare};
use crate::soft_step::motion::BodyState;
use smallvec::SmallVec;

/// The origin of a force.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ForceSource {
    Motor,
    Limit(usize),
    Spring(usize),
    Friction,
}

/// A force along a coordinate: the impulse (target − rate)/compliance within its bounds; with the compliance 0 a bound
/// on each side of the target.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CoordinateForce {
    source: ForceSource,
    target: f64,
    compliance: f64,
    bounds: [f64; 2],
}

/// The sides from which a jump is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
enum JumpSide {
    Below,
    Above,
}

impl CoordinateForce {
    fn is_jump(&self) -> bool {
        self.compliance == 0.0
    }

    /// Computes the impulse at a rate; at a jump the value on one side.
    fn impulse(&self, rate: f64, side: JumpSide) -> f64 {
        let [low, high] = self.bounds;
        if !self.is_jump() {
            return ((self.target - rate) / self.compliance).clamp(low, high);
        }
        let is_below = rate < self.target || rate == self.target && side == JumpSide::Below;
        if is_below { high } else { low }
    }

    /// Reports whether the impulse changes with the rate there.
    fn is_linear_at(&self, rate: f64) -> bool {
        let impulse = (self.target - rate) / self.compliance;
        !self.is_jump() && self.bounds[0] < impulse && impulse < self.bounds[1]
    }

    /// Returns the rates at which the function has corners.
    fn corners(&self) -> SmallVec<[f64; 2]> {
        if self.is_jump() {
            return SmallVec::from_slice(&[self.target]);
        }
        self.bounds.iter().map(|bound| self.target - self.compliance * bound).filter(|rate| rate.is_finite()).collect()
    }
}

/// The forces along a coordinate.
struct CoordinateForces {
    forces: SmallVec<[CoordinateForce; 6]>,
    /// Impulses that do not change.
    constant: f64,
    mass: f64,
    /// The rate without all impulses.
    free: f64,
}

impl CoordinateForces {
    /// Returns the root: the rate that the impulses leave, and whether it lies at a corner.
    fn find_rate(&self) -> (f64, bool) {
        let mut corners: SmallVec<[f64; 12]> = self.forces.iter().flat_map(CoordinateForce::corners).collect();
        corners.sort_by(f64::total_cmp);
        let excess = |rate: f64, side: JumpSide| {
            let sum: f64 = self.forces.iter().map(|force| force.impulse(rate, side)).sum();
            self.mass * (rate - self.free) - self.constant - sum
        };
        let mut last = f64::NEG_INFINITY;
        for corner in corners {
            if excess(corner, JumpSide::Below) > 0.0 {
                return (self.solve_between(last, corner), false);
            }
            if excess(corner, JumpSide::Above) >= 0.0 {
                return (corner, true);
            }
            last = corner;
        }
        (self.solve_between(last, f64::INFINITY), false)
    }

    /// Solves the linear equation between two corners.
    fn solve_between(&self, low: f64, high: f64) -> f64 {
        let sample = match (low.is_finite(), high.is_finite()) {
            (true, true) => 0.5 * (low + high),
            (true, false) => low + low.abs() + 1.0,
            (false, true) => high - high.abs() - 1.0,
            (false, false) => self.free,
        };
        let [slope, sum] = self.linear_at(sample);
        let rate = (self.mass * self.free + self.constant + sum) / (self.mass + slope);
        rate.clamp(low, high)
    }

    /// Returns the sums of 1/compliance and of the impulses at the rate 0 of the linear functions around a rate.
    fn linear_at(&self, rate: f64) -> [f64; 2] {
        self.forces.iter().fold([0.0; 2], |[slope, sum], force| {
            if force.is_linear_at(rate) {
                [slope + 1.0 / force.compliance, sum + force.target / force.compliance]
            } else {
                [slope, sum + force.impulse(rate, JumpSide::Above)]
            }
        })
    }

    /// Shares the impulses out at the root, and returns how the coordinate enters the system.
    fn share_out(&self, old: &CoordinateImpulses) -> Option<(CoordinateImpulses, CoordinateDrive)> {
        let (rate, is_corner) = self.find_rate();
        let mut impulses = CoordinateImpulses { pending: 0.0, ..*old };
        let is_held = |force: &CoordinateForce| is_corner && force.is_jump() && force.target == rate;
        let mut left = self.mass * (rate - self.free) - self.constant;
        for force in self.forces.iter().filter(|force| !is_held(force)) {
            let impulse = force.impulse(rate, JumpSide::Above);
            left -= impulse;
            set_impulse(&mut impulses, force.source, impulse);
        }
        let mut holds = false;
        for force in self.forces.iter().filter(|force| is_held(force)) {
            let impulse = left.clamp(force.bounds[0], force.bounds[1]);
            left -= impulse;
            holds = true;
            set_impulse(&mut impulses, force.source, impulse);
        }
        let [slope, sum] = self.linear_at(rate);
        if !holds && left != 0.0 {
            // The quotient by a small compliance has lost digits: the sum is exact again.
            for force in self.forces.iter().filter(|force| force.is_linear_at(rate)) {
                let impulse = force.impulse(rate, JumpSide::Above) + left / (force.compliance * slope);
                set_impulse(&mut impulses, force.source, impulse.clamp(force.bounds[0], force.bounds[1]));
            }
        }
        let drive = if holds {
            CoordinateDrive::Held(rate)
        } else if slope > 0.0 {
            CoordinateDrive::Soft { compliance: 1.0 / slope, target: (self.constant + sum) / slope }
        } else {
            CoordinateDrive::Free
        };
        impulses.sum().is_finite().then_some((impulses, drive))
    }
}

/// Writes an impulse along the coordinate to its place.
fn set_impulse(impulses: &mut CoordinateImpulses, source: ForceSource, impulse: f64) {
    match source {
        ForceSource::Motor => impulses.motor = impulse,
        ForceSource::Limit(side) => impulses.limits[side] = (impulse * LIMIT_SIGNS[side]).max(0.0),
        ForceSource::Spring(at) => impulses.springs[at] = impulse,
        ForceSource::Friction => impulses.friction = impulse,
    }
}

impl JointBlock {
    /// Computes the soft rows of springs for a sub-step, at its start.
    pub(super) fn prepare_springs(&mut self, states: &[BodyState], h: f64) {
        self.springs = [None; 2];
        let Some(coordinate) = self.coordinates.first().filter(|coordinate| coordinate.mass > 0.0) else { return };
        let laws = self.joint.spring_laws();
        if laws.is_empty() {
            return;
        }
        let rate = self.gather(states).rate(&self.rows[coordinate.row]);
        for (spring, law) in self.springs.iter_mut().zip(&laws) {
            *spring = law.step(coordinate.value, rate, coordinate.mass, h, StepShare::Whole);
        }
        self.rate_before = rate;
    }

    /// Computes the work of the springs in the sub-step that ends.
    pub(super) fn add_spring_work(&mut self, states: &[BodyState]) {
        let [spring, motor] = self.impulses.coordinates[0].springs;
        let Some(coordinate) = self.coordinates.first().filter(|_| self.springs != [None; 2]) else { return };
        let rate = self.gather(states).rate(&self.rows[coordinate.row]);
        self.spring_work += (spring + motor) * 0.5 * (self.rate_before + rate);
    }

    /// Returns the work of the springs in the step, in J; 0 if it is not finite.
    pub(super) fn finite_work(&self) -> f64 {
        if self.spring_work.is_finite() { self.spring_work } else { 0.0 }
    }

    /// Chooses how the coordinates enter the system, from the velocities.
    pub(super) fn choose_by_forces(&mut self, states: &[BodyState], rule: &JointRule) {
        let velocities = self.gather(states);
        self.bend_coordinates(&velocities, rule);
        for coordinate in self.coordinates.clone() {
            let solved = self.solve_coordinate_forces(&coordinate, &velocities, rule);
            self.drives[coordinate.number] = solved.map_or(CoordinateDrive::Free, |(_, drive)| drive);
        }
    }

    /// Computes the second-order changes of swing and twist of a ball joint in the sub-step, as rates: a body that
    /// slides along its cone keeps its speed. The relaxation has none.
    fn bend_coordinates(&mut self, velocities: &JointVelocities, rule: &JointRule) {
        let is_bounded = self.joint.cone().is_some() || self.joint.twist_limits().is_some();
        if !is_bounded {
            return;
        }
        let ends = if rule.is_soft { self.coordinates_after(velocities, rule.h) } else { None };
        for coordinate in &mut self.coordinates {
            let rate = velocities.rate(&self.rows[coordinate.row]);
            let is_near = coordinate.gaps.iter().all(|gap| *gap >= -NEAR_TWIST_LIMIT);
            let end = ends.as_ref().filter(|_| is_near).and_then(|ends| *ends.get(coordinate.number)?);
            coordinate.curvature = end.map_or(0.0, |end| (end - coordinate.value) / rule.h - rate);
        }
    }

    /// Solves the forces along all coordinates. Returns whether the system has to be solved again.
    pub(super) fn solve_forces(&mut self, states: &mut [BodyState], rule: &JointRule) -> bool {
        let mut velocities = self.gather(states);
        let mut is_changed = false;
        for coordinate in self.coordinates.clone() {
            let Some((impulses, drive)) = self.solve_coordinate_forces(&coordinate, &velocities, rule) else {
                continue;
            };
            let known = &mut self.impulses.coordinates[coordinate.number];
            let change = impulses.sum() - known.sum();
            *known = impulses;
            let old = std::mem::replace(&mut self.drives[coordinate.number], drive);
            is_changed |= old != drive || old == CoordinateDrive::Free && change != 0.0;
            self.push(&coordinate, change, &mut velocities);
        }
        self.scatter(&velocities, states);
        is_changed
    }

    fn solve_coordinate_forces(
        &self,
        coordinate: &CoordinateRow,
        velocities: &JointVelocities,
        rule: &JointRule,
    ) -> Option<(CoordinateImpulses, CoordinateDrive)> {
        if coordinate.mass <= 0.0 {
            return None;
        }
        let old = &self.impulses.coordinates[coordinate.number];
        let rate = velocities.rate(&self.rows[coordinate.row]);
        let mut all = CoordinateForces {
            forces: SmallVec::new(),
            constant: 0.0,
            mass: coordinate.mass,
            free: rate - old.sum() / coordinate.mass,
        };
        let mut add = |source, target, compliance, bounds| {
            all.forces.push(CoordinateForce { source, target, compliance, bounds });
        };
        if let Some(motor) = self.joint.motor() {
            let most = motor.max_force * rule.h;
            add(ForceSource::Motor, motor.velocity, 0.0, [-most, most]);
        }
        for (side, gap) in coordinate.gaps.into_iter().enumerate().filter(|(_, gap)| is_limit(*gap)) {
            let (bias, compliance) = rule.limit_bias(gap);
            let bias = bias + coordinate.curvature * LIMIT_SIGNS[side];
            let bounds = [[0.0, f64::INFINITY], [f64::NEG_INFINITY, 0.0]][side];
            add(ForceSource::Limit(side), -bias * LIMIT_SIGNS[side], compliance / coordinate.mass, bounds);
        }
        if coordinate.friction > 0.0 {
            let most = coordinate.friction * rule.h;
            add(ForceSource::Friction, 0.0, 0.0, [-most, most]);
        }
        let laws = self.joint.spring_laws();
        for (at, (spring, law)) in self.springs.iter().zip(&laws).enumerate() {
            if let Some(spring) = spring.filter(|_| rule.is_soft) {
                let most = law.max_force * rule.h;
                add(ForceSource::Spring(at), spring.target, spring.compliance, [-most, most]);
            }
        }
        if !rule.is_soft {
            all.constant = old.springs[0] + old.springs[1];
        }
        all.share_out(old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    /// Reports whether two forces without bound push to two rates.
    fn has_contradiction(forces: &[CoordinateForce]) -> bool {
        let hard = || forces.iter().filter(|force| force.is_jump());
        hard()
            .filter(|up| up.bounds[1] == f64::INFINITY)
            .any(|up| hard().any(|down| down.bounds[0] == f64::NEG_INFINITY && down.target < up.target))
    }

    #[test]
    fn the_root_balances_any_forces() {
        let mut random = SplitMix64::new(7);
        for round in 0..20_000 {
            let mut forces = SmallVec::new();
            for number in 0..random.below(6) {
                let (target, most) = (random.between(-1.0, 1.0), random.between(0.0, 2.0));
                let compliance = [0.0, random.between(1e-3, 2.0), 1e-9, 1e6][random.below(4)];
                let bounds = [[-most, most], [0.0, f64::INFINITY], [f64::NEG_INFINITY, 0.0]][random.below(3)];
                let source = [
                    ForceSource::Motor,
                    ForceSource::Limit(0),
                    ForceSource::Limit(1),
                    ForceSource::Friction,
                    ForceSource::Spring(0),
                    ForceSource::Spring(1),
                ][number];
                let bounds = match source {
                    ForceSource::Limit(side) => [[0.0, f64::INFINITY], [f64::NEG_INFINITY, 0.0]][side],
                    _ => bounds,
                };
                forces.push(CoordinateForce { source, target, compliance, bounds });
            }
            let (mass, free) = (random.between(0.1, 3.0), random.between(-2.0, 2.0));
            let all = CoordinateForces { forces, constant: 0.0, mass, free };
            let Some((impulses, _)) = all.share_out(&CoordinateImpulses::default()) else {
                assert!(has_contradiction(&all.forces), "round {round}: {:?}", all.forces);
                continue;
            };
            let rate = free + impulses.sum() / mass;
            // Two hard forces against each other cancel, and leave the rounding of the larger one.
            let CoordinateImpulses { motor, limits, springs, friction, .. } = impulses;
            let all_impulses = [motor, friction, limits[0], limits[1], springs[0], springs[1]];
            let largest = all_impulses.iter().fold(0.0_f64, |most, impulse| most.max(impulse.abs()));
            let rounding = 4.0 * f64::EPSILON * largest / mass;
            for force in &all.forces {
                let found = match force.source {
                    ForceSource::Motor => impulses.motor,
                    ForceSource::Limit(side) => impulses.limits[side] * LIMIT_SIGNS[side],
                    ForceSource::Spring(at) => impulses.springs[at],
                    ForceSource::Friction => impulses.friction,
                };
                let [low, high] = force.bounds;
                assert!((low..=high).contains(&found), "round {round}: {found} {force:?}");
                // The error of the law, as an error of the rate.
                let wanted = force.target - force.compliance * found;
                let error = if found > low && rate > wanted { rate - wanted } else { 0.0 }
                    + if found < high && rate < wanted { wanted - rate } else { 0.0 };
                assert!(
                    error <= 1e-9 * (1.0 + force.compliance) + rounding,
                    "round {round}: {rate} {wanted} {force:?}"
                );
            }
        }
    }
}
