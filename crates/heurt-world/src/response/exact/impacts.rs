//! Impulses of impacts and of resting contacts.
//!
//! In: islands of touching bodies. Out: bodies with the velocities after the impacts; forces over the rest of the step.
//! Method: S1, in three solves, and a fourth one of bodies with joints after their motion ([`end_coasting`]). 1. Points
//! that touch and come nearer get impulses ([`Level::Impact`]); a rebound that would last less than an eighth of the
//! step does not happen, so that a sequence of rebounds ends in rest. 2. Points that would close within the step get
//! impulses after which they close as it ends. 3. Forces over the rest of the step keep all gaps open
//! ([`Level::Step`]). Bodies fly along parabolas, so that a gap changes by the mean of its first and its last velocity:
//! both are at least −gap/duration after 2 and 3.

use crate::body::BodyId;
use crate::contact::{BodyContact, ContactMotion};
use crate::response::assignment::Assignment;
use crate::response::energy_bound::bound_energy;
use crate::response::exact::problem::{ExactIsland, IslandBuilder, PointRef, SHARE_BEFORE_MOTION, set_velocities};
use crate::response::joints::JointId;
use crate::response::solved::{SolvedContacts, SolvedPoint};
use crate::response::step_problem::KeptProblem;
use crate::response::work_budget::StepWork;
use crate::response::{ImpactRule, ResponseReport};
use crate::settings::Settings;
use crate::state::bodies::Bodies;
use heurt_geometry::Vec3;
use heurt_rigid::{
    ConstraintRow, ContactProblem, ContactSolver, ContactState, ImpulseLcp, Level, Outcome, PointContact, RigidBody,
    SequentialImpacts, Solution, SolveOptions, kinetic_energy,
};
use rayon::prelude::*;
use std::ops::Range;

/// Shortest rebound, as a share of the step: eight rebounds of a pair at most begin in a step.
pub(crate) const SHORTEST_REBOUND: f64 = 0.125;

/// Solves of an island with joints after the first one: the error falls by a factor of the angle of a step each time.
const JOINT_SOLVES: u32 = 8;

/// Kinetic energy after the solves of joints, as a multiple of the energy after the first one, above which the first
/// one counts.
const MOST_ENERGY: f64 = 1.02;

/// Error of a joint at the end of a step with which the solves end, in metres or radians.
const JOINT_TOLERANCE: f64 = 1e-10;

/// Rounding error of a gap velocity, as a share of the speeds of both points.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The force and the torque that contacts apply to a body over the rest of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ContactForce {
    /// In N.
    pub force: Vec3,
    /// Around the centre of mass, in N·m.
    pub torque: Vec3,
    /// The start of a body that coasts: it has the velocities of the middle of the step from the start on, without
    /// force and torque. Bodies with joints coast, since joints hold at the end of a step at constant velocities.
    pub coasts_from: Option<CoastStart>,
}

/// The start of a body that coasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoastStart {
    /// The velocity of the centre of mass, in m/s, and the angular velocity, in rad/s, before.
    pub velocities: [Vec3; 2],
    /// Seconds for which the forces act that give it its new velocities.
    pub acting: f64,
}

/// The results of a step, to which each piece adds its own.
pub(crate) struct ResponseLog<'a> {
    pub touches: &'a [BodyContact],
    pub solved: &'a mut SolvedContacts,
    pub report: &'a mut ResponseReport,
    pub work: &'a mut StepWork,
    pub problem: &'a mut KeptProblem,
    pub assignment: &'a Assignment,
    /// Time since the step began, in seconds.
    pub elapsed: f64,
    /// Length of the whole step, in seconds.
    pub dt: f64,
    pub options: SolveOptions,
    /// The places of an island that was not solved, if there was one.
    pub unsolved: Option<Vec<u32>>,
    /// Impulses of the forces over the piece: if it ends early, a share of them has acted.
    pub lasting: Vec<LastingPoint>,
}

/// A point on which a force acts over a piece.
pub(crate) struct LastingPoint {
    pub a: BodyId,
    pub b: BodyId,
    pub point: SolvedPoint,
    /// Whether the force acts over the first half only, before the motion of bodies with joints.
    pub is_before_motion: bool,
}

/// When impulses act.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ImpulseTime {
    AtOnce,
    /// As forces over the piece.
    Lasting,
}

/// The gap velocity of a contact, and its rounding error.
pub(crate) fn gap_velocity(bodies: &[RigidBody], contact: &PointContact) -> (f64, f64) {
    let [a, b] = [0, 1].map(|k| bodies[contact.bodies[k] as usize].velocity_at(contact.arms[k]));
    (contact.normal.dot(b - a), ROUNDING * (a.length() + b.length()))
}

/// Bounds the acceleration with which contacts of an island may close: bodies pass on the forces on each other.
pub(crate) fn closing_bound(problem: &ContactProblem) -> f64 {
    let at = |contact: &PointContact, side: usize| {
        let body = &problem.bodies[contact.bodies[side] as usize];
        body.acceleration.length() + body.angular_acceleration.cross(contact.arms[side]).length()
    };
    problem.contacts.iter().flat_map(|contact| [at(contact, 0), at(contact, 1)]).fold(0.0, f64::max)
}

/// Solves the impacts of all islands and sets the velocities of their bodies.
pub(crate) fn solve_impacts(
    islands: &mut [ExactIsland],
    settings: &Settings,
    bodies: &mut Bodies,
    log: &mut ResponseLog,
) {
    let (dt, options) = (log.dt, log.options);
    let threshold = settings.restitution_threshold_in_force();
    let solve = |island: &mut ExactIsland| {
        let problem = &mut island.problem;
        let is_hit = |contact: &PointContact| {
            let (speed, rounding) = gap_velocity(&problem.bodies, contact);
            speed < -rounding
        };
        // Joints keep the velocities that the last step left; only an impact disturbs them.
        if !problem.contacts.iter().any(is_hit) {
            return None;
        }
        let closing = closing_bound(problem);
        for number in 0..problem.contacts.len() {
            let contact = &problem.contacts[number];
            let (speed, _) = gap_velocity(&problem.bodies, contact);
            let is_short = 2.0 * contact.restitution * -speed < SHORTEST_REBOUND * dt * closing;
            if is_short || -speed < threshold {
                problem.contacts[number].restitution = 0.0;
            }
        }
        let solution = match settings.impact_rule {
            ImpactRule::AtOnce => ImpulseLcp::default().solve(problem, Level::Impact, &options),
            ImpactRule::InSequence => SequentialImpacts.solve(problem, Level::Impact, &options),
        };
        Some(bound_energy(problem, Level::Impact, solution.ok()?))
    };
    let solutions: Vec<Option<Solution>> = islands.par_iter_mut().map(solve).collect();
    let solved = islands.iter().zip(&solutions).filter(|(_, solution)| solution.is_some());
    log.problem.keep(Level::Impact, solved.map(|(island, _)| island), bodies);
    apply_solutions(islands, solutions, bodies, log);
}

/// Solves the impulses after which no gap closes before `duration` seconds, and sets the velocities of the bodies.
pub(crate) fn solve_closing(islands: &mut [ExactIsland], duration: f64, bodies: &mut Bodies, log: &mut ResponseLog) {
    let options = log.options;
    let solve = |island: &mut ExactIsland| {
        let mut problem = island.problem.clone();
        let closes = |contact: &PointContact| {
            let (speed, rounding) = gap_velocity(&problem.bodies, contact);
            speed < -contact.gap.max(0.0) / duration - rounding
        };
        if !problem.contacts.iter().any(closes) {
            return None;
        }
        for contact in &mut problem.contacts {
            (contact.gap, contact.restitution) = (contact.gap.max(0.0), 0.0);
        }
        for body in &mut problem.bodies {
            (body.acceleration, body.angular_acceleration) = (Vec3::ZERO, Vec3::ZERO);
        }
        let level = Level::Step { dt: duration };
        let solution = ImpulseLcp::default().solve(&problem, level, &options).ok()?;
        Some(bound_energy(&problem, level, solution))
    };
    let solutions: Vec<Option<Solution>> = islands.par_iter_mut().map(solve).collect();
    apply_solutions(islands, solutions, bodies, log);
}

fn apply_solutions(
    islands: &mut [ExactIsland],
    solutions: Vec<Option<Solution>>,
    bodies: &mut Bodies,
    log: &mut ResponseLog,
) {
    for (island, solution) in islands.iter_mut().zip(solutions) {
        let Some(solution) = solution else { continue };
        log.record(island, &solution, ImpulseTime::AtOnce);
        apply_impulses(&mut island.problem, &solution);
        for (place, state) in island.places.iter().zip(&island.problem.bodies) {
            if !state.is_movable() {
                continue;
            }
            if let Some(body) = &mut bodies.slots_mut()[*place as usize].body {
                set_velocities(body, state);
            }
        }
    }
}

/// Solves the impulses over the next `duration` seconds that keep gaps open and joints together: those of joints until
/// they hold as the step ends, as in the SHAKE scheme (Ryckaert, Ciccotti and Berendsen 1977), whose impulses keep
/// momentum and angular momentum.
pub(crate) fn solve_step_impulses(
    builder: &IslandBuilder<'_>,
    islands: &mut [ExactIsland],
    duration: f64,
    options: &SolveOptions,
) -> Vec<Option<Solution>> {
    let level = Level::Step { dt: duration };
    let solve = |island: &mut ExactIsland| {
        for contact in &mut island.problem.contacts {
            // Penetration is removed without velocity, elsewhere.
            contact.gap = contact.gap.max(0.0);
            contact.restitution = 0.0;
        }
        let mut solution = ImpulseLcp::default().solve(&island.problem, level, options).ok()?;
        let mut iterations = solution.iterations;
        let energy =
            |island: &ExactIsland, solution: &Solution| kinetic_energy(&island.problem.bodies_after(solution, level));
        let (first, mut last_error) = (solution.clone(), f64::INFINITY);
        for _ in 0..if island.joints.is_empty() { 0 } else { JOINT_SOLVES } {
            let after = island.problem.bodies_after(&solution, level);
            let error = builder.aim_joints(island, &after, duration);
            // Bodies that turn far, or joints that contradict each other, may have no solution: the last one stays.
            if error <= JOINT_TOLERANCE || error >= 4.0 * last_error {
                break;
            }
            last_error = error;
            let next = ImpulseLcp::default().solve(&island.problem, level, options).ok()?;
            iterations += next.iterations;
            if next.outcome != Outcome::Solved && solution.outcome == Outcome::Solved {
                break;
            }
            solution = next;
        }
        // Iterations that do not converge add energy.
        if !island.joints.is_empty() && energy(island, &solution) > MOST_ENERGY * energy(island, &first) {
            solution = first;
        }
        Some(bound_energy(&island.problem, level, Solution { iterations, ..solution }))
    };
    islands.par_iter_mut().map(solve).collect()
}

/// Sets the forces over the next `duration` seconds, by place of the body; 0 for bodies without contact. Bodies of
/// islands with joints get their velocities of the middle at once; `end_coasting` adds what acts after their motion.
pub(crate) fn apply_step_impulses(
    islands: &[ExactIsland],
    solutions: Vec<Option<Solution>>,
    duration: f64,
    bodies: &mut Bodies,
    forces: &mut [ContactForce],
    log: &mut ResponseLog,
) -> Vec<JointImpulses> {
    let mut impulses = Vec::new();
    let solved = islands.iter().zip(&solutions).filter(|(_, solution)| solution.is_some());
    log.problem.keep(Level::Step { dt: duration }, solved.map(|(island, _)| island), bodies);
    for (island, solution) in islands.iter().zip(solutions) {
        let Some(solution) = solution else { continue };
        log.record(island, &solution, ImpulseTime::Lasting);
        if !island.joints.is_empty() {
            let after = island.problem.bodies_after(&solution, Level::Step { dt: duration });
            for (place, state) in island.places.iter().zip(&after).filter(|(_, state)| state.is_movable()) {
                if let Some(body) = &mut bodies.slots_mut()[*place as usize].body {
                    let velocities = [body.velocity_at(body.centre_of_mass()), body.angular_velocity];
                    let acting = SHARE_BEFORE_MOTION * duration;
                    forces[*place as usize].coasts_from = Some(CoastStart { velocities, acting });
                    set_velocities(body, state);
                }
            }
            impulses.extend(joint_impulses(island, &after, &solution));
            continue;
        }
        for (number, contact) in island.problem.contacts.iter().enumerate() {
            let impulse = contact.normal * solution.normal[number] + solution.tangential[number];
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                let force = &mut forces[island.places[contact.bodies[side] as usize] as usize];
                let push = impulse * (sign / duration);
                force.force += push;
                force.torque += contact.arms[side].cross(push);
            }
        }
    }
    impulses
}

/// The rows of a joint in a step, and their impulses.
pub(crate) struct JointImpulses {
    pub joint: JointId,
    pub rows: Vec<ConstraintRow>,
    pub impulses: Vec<f64>,
    /// Work of the spring and of the position motor, in J: at the rates before, and by their change.
    pub spring_work: [f64; 2],
}

/// Computes the work of soft rows on the bodies of an island: their impulses times the rates before, and times half of
/// their change. The sum is the change of the kinetic energy; a share of the impulses has the second part by its
/// square.
fn work_of_springs(island: &ExactIsland, after: &[RigidBody], solution: &Solution, rows: Range<usize>) -> [f64; 2] {
    let rate = |row: &ConstraintRow, bodies: &[RigidBody]| {
        let [a, b] = row.bodies.map(|body| &bodies[body as usize]);
        let angular = row.angular[0].dot(a.angular_velocity) + row.angular[1].dot(b.angular_velocity);
        row.linear.dot(b.velocity - a.velocity) + angular
    };
    let both = island.problem.rows[rows.clone()].iter().zip(&solution.rows[rows]);
    let mut work = [0.0; 2];
    for (row, impulse) in both.filter(|(row, _)| row.compliance > 0.0) {
        let before = rate(row, &island.problem.bodies);
        work[0] += impulse * before;
        work[1] += 0.5 * impulse * (rate(row, after) - before);
    }
    work
}

/// Returns the impulses of the joints of an island, whose bodies have the velocities `after` then.
fn joint_impulses<'a>(
    island: &'a ExactIsland,
    after: &'a [RigidBody],
    solution: &'a Solution,
) -> impl Iterator<Item = JointImpulses> + 'a {
    island.joints.iter().map(move |(joint, rows)| JointImpulses {
        joint: *joint,
        rows: island.problem.rows[rows.clone()].to_vec(),
        impulses: solution.rows[rows.clone()].to_vec(),
        spring_work: work_of_springs(island, after, solution, rows.clone()),
    })
}

/// The result of [`end_coasting`].
pub(crate) struct EndedCoasting {
    /// The impulses of joints.
    pub joints: Vec<JointImpulses>,
    /// The places of the bodies of solved islands, ascending.
    pub places: Vec<u32>,
}

/// Solves the forces that act on islands for `acting` seconds after their motion, so that the velocities of joints and
/// of closed contacts hold where the bodies are, and no gap closes before another piece of `planned` seconds ends.
pub(crate) fn end_coasting(
    islands: &mut [ExactIsland],
    [acting, planned]: [f64; 2],
    bodies: &mut Bodies,
    log: &mut ResponseLog,
) -> EndedCoasting {
    let options = log.options;
    // A piece that ended before its middle has no forces left; what moves the bodies out of their joints goes.
    let level = if acting > 0.0 { Level::Step { dt: acting } } else { Level::Impact };
    let solve = |island: &mut ExactIsland| {
        for contact in &mut island.problem.contacts {
            // The velocity may close it in the time for which forces act, of which the next piece has more.
            (contact.gap, contact.restitution) = (contact.gap.max(0.0) * (acting / planned), 0.0);
        }
        let solution = ImpulseLcp::default().solve(&island.problem, level, &options).ok()?;
        Some(bound_energy(&island.problem, level, solution))
    };
    let solutions: Vec<Option<Solution>> = islands.par_iter_mut().map(solve).collect();
    let mut ended = EndedCoasting { joints: Vec::new(), places: Vec::new() };
    for (island, solution) in islands.iter().zip(&solutions) {
        let Some(solution) = solution else { continue };
        ended.joints.extend(joint_impulses(island, &island.problem.bodies_after(solution, level), solution));
        ended.places.extend(&island.places);
    }
    ended.places.sort_unstable();
    if acting > 0.0 {
        for body in islands.iter_mut().flat_map(|island| &mut island.problem.bodies) {
            body.velocity += body.acceleration * acting;
            body.angular_velocity += body.angular_acceleration * acting;
        }
    }
    apply_solutions(islands, solutions, bodies, log);
    ended
}

fn apply_impulses(problem: &mut ContactProblem, solution: &Solution) {
    for (number, contact) in problem.contacts.iter().enumerate() {
        let impulse = contact.normal * solution.normal[number] + solution.tangential[number];
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            problem.bodies[contact.bodies[side] as usize].apply_impulse(impulse * sign, contact.arms[side]);
        }
    }
    for (row, impulse) in problem.rows.iter().zip(&solution.rows) {
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let body = &mut problem.bodies[row.bodies[side] as usize];
            body.velocity += row.linear * (impulse * sign * body.inverse_mass);
            body.apply_angular_impulse(row.angular[side] * *impulse);
        }
    }
}

impl ResponseLog<'_> {
    /// Records the impulses of a solved island; velocities are those before.
    fn record(&mut self, island: &ExactIsland, solution: &Solution, time: ImpulseTime) {
        self.report.islands += 1;
        if solution.outcome != Outcome::Solved {
            self.report.approximate += 1;
            if !island.places.iter().any(|place| self.assignment.is_only_exact(*place)) {
                self.unsolved.get_or_insert_with(|| island.places.clone());
            }
        }
        let bodies = island.places.iter().zip(&island.problem.bodies);
        let movable = bodies.filter(|(_, body)| body.is_movable()).map(|(place, _)| *place);
        let has_budget = !movable.clone().any(|place| self.assignment.needs_exact(place));
        let unknowns = 3 * island.problem.contacts.len() + island.problem.rows.len();
        self.work.add(has_budget.then_some(movable), solution.iterations, unknowns);
        self.report.contacts += island.points.len() as u32;
        self.report.residual = self.report.residual.max(solution.residual);
        self.report.momentum_error = self.report.momentum_error.max(solution.momentum_error);
        for (number, (at, contact)) in island.points.iter().zip(&island.problem.contacts).enumerate() {
            let touch = &self.touches[at.touch as usize];
            let Some(point) = point_of(touch, *at) else { continue };
            if solution.normal[number] == 0.0 && contact.gap > 0.0 {
                // It did not close.
                continue;
            }
            let bodies = contact.bodies.map(|body| &island.problem.bodies[body as usize]);
            let (normal_velocity, _) = gap_velocity(&island.problem.bodies, contact);
            let motion = ContactMotion {
                point: point.point,
                normal: point.normal,
                separation: point.separation,
                normal_velocity,
                approach: ContactState::of_bodies(bodies, contact.normal, contact.arms, self.dt),
                time: Some(self.elapsed).filter(|elapsed| *elapsed > 0.0),
            };
            let solved = SolvedPoint {
                motion,
                features: point.features,
                impulse: solution.normal[number],
                friction_impulse: solution.tangential[number],
                warm_normal: 0.0,
                warm_tangent: Vec3::ZERO,
            };
            match time {
                ImpulseTime::AtOnce => self.solved.add(touch.a, touch.b, solved),
                ImpulseTime::Lasting => {
                    let is_before_motion = !island.joints.is_empty();
                    self.lasting.push(LastingPoint { a: touch.a, b: touch.b, point: solved, is_before_motion });
                }
            }
        }
    }
}

fn point_of(touch: &BodyContact, at: PointRef) -> Option<&heurt_query::ContactPoint> {
    touch.contact.as_ref()?.points.get(at.point as usize)
}
