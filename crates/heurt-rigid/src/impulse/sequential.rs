//! Sequential impacts: one contact after another, the deepest approach first.
//!
//! In: a contact problem at `Level::Impact`. Out: the sum of the impulses of single impacts.
//! Method: the contact with the most negative ḋ gets the impact of S1 for a single contact, together with all rows of
//! joints; velocities change; the next contact follows. Among equal approaches the least index is first. This is the
//! rule of Newton's cradle: five equal balls give (0, 0, 0, 0, 1), and not the result of simultaneous impacts. Rows are
//! solved before the first impact.
//! Guarantees: at most `max_iterations` impacts; then one simultaneous impact with ε = 0 ends all approaches.
//! The residual reported is the fastest approach that is left, or the residual of the rows if it is larger.
//! Not guaranteed: independence of the order of contacts that tie. Cost: contacts times impacts.

use super::impulse_lcp::{ImpulseLcp, check_request, complete};
use crate::problem::{ContactProblem, ProblemError};
use crate::solver::{ContactSolver, Level, Solution, SolveMethod, SolveOptions};
use heurt_geometry::Vec3;

/// Approach speeds below this share of the largest initial approach have ended: 4 roundings of a chain of impacts.
const ENDED: f64 = 1e-14;

/// The solver `sequential-impacts`, for [`Level::Impact`]; other levels go to [`ImpulseLcp`].
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::{ContactProblem, ContactSolver, Level, PointContact, RigidBody, SequentialImpacts, SolveOptions};
/// let mut bodies = vec![RigidBody { inverse_mass: 1.0, ..RigidBody::FIXED }; 5];
/// bodies[0].velocity = Vec3::X;
/// let contact = PointContact { normal: Vec3::X, restitution: 1.0, ..PointContact::default() };
/// let contacts = (0..4).map(|i| PointContact { bodies: [i, i + 1], ..contact }).collect();
/// let problem = ContactProblem { bodies, contacts, rows: vec![] };
/// let solution = SequentialImpacts.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
/// let after = problem.bodies_after(&solution, Level::Impact);
/// assert_eq!(after.iter().map(|ball| ball.velocity.x).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 0.0, 1.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SequentialImpacts;

impl ContactSolver for SequentialImpacts {
    fn name(&self) -> &'static str {
        "sequential-impacts"
    }

    fn solve(&self, problem: &ContactProblem, level: Level, options: &SolveOptions) -> Result<Solution, ProblemError> {
        check_request(problem, level, options)?;
        if level != Level::Impact {
            return ImpulseLcp::default().solve(problem, level, options);
        }
        let mut run = ImpactSequence::new(problem);
        if !problem.rows.is_empty() {
            run.strike(&[], options)?;
        }
        let scale = run.current.gap_velocities().iter().fold(0.0f64, |scale, rate| scale.max(-rate));
        while run.sum.iterations < options.max_iterations {
            let Some(contact) = run.deepest(ENDED * scale) else {
                break;
            };
            run.strike(&[contact], options)?;
        }
        if run.deepest(ENDED * scale).is_some() {
            run.current.contacts.iter_mut().for_each(|contact| contact.restitution = 0.0);
            let all: Vec<usize> = (0..problem.contacts.len()).collect();
            run.strike(&all, options)?;
        }
        run.sum.residual = run.worst_approach().max(run.last_residual);
        run.sum.method = SolveMethod::Sequential;
        complete(problem, level, run.sum)
    }
}

/// The bodies between two impacts, and the sum of the impulses.
struct ImpactSequence {
    current: ContactProblem,
    sum: Solution,
    /// The residual of the last impact, which has all rows.
    last_residual: f64,
}

impl ImpactSequence {
    fn new(problem: &ContactProblem) -> Self {
        let sum = Solution {
            normal: vec![0.0; problem.contacts.len()],
            tangential: vec![Vec3::ZERO; problem.contacts.len()],
            rows: vec![0.0; problem.rows.len()],
            outcome: crate::solver::Outcome::Solved,
            ..Solution::default()
        };
        Self { current: problem.clone(), sum, last_residual: 0.0 }
    }

    /// Finds the contact of the fastest approach above a speed. A contact that no impulse moves is left out.
    fn deepest(&self, above: f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (index, rate) in self.current.gap_velocities().into_iter().enumerate() {
            let bodies = self.current.contacts[index].bodies;
            let movable = bodies.iter().any(|&body| self.current.bodies[body as usize].is_movable());
            if movable && rate < -above && best.is_none_or(|(_, least)| rate < least) {
                best = Some((index, rate));
            }
        }
        best.map(|(index, _)| index)
    }

    fn worst_approach(&self) -> f64 {
        self.deepest(0.0).map_or(0.0, |index| -self.current.gap_velocities()[index])
    }

    /// Solves the impact of some contacts with all rows, and adds its impulses.
    fn strike(&mut self, contacts: &[usize], options: &SolveOptions) -> Result<(), ProblemError> {
        let mut single = self.current.clone();
        single.contacts = contacts.iter().map(|&index| self.current.contacts[index]).collect();
        for (row, used) in single.rows.iter_mut().zip(&self.sum.rows) {
            row.bounds = row.bounds.map(|bound| bound - used);
        }
        let solution = ImpulseLcp::default().solve(&single, Level::Impact, options)?;
        self.last_residual = solution.residual;
        self.current.bodies = single.bodies_after(&solution, Level::Impact);
        for (place, &index) in contacts.iter().enumerate() {
            self.sum.normal[index] += solution.normal[place];
            self.sum.tangential[index] += solution.tangential[place];
        }
        self.sum.rows.iter_mut().zip(&solution.rows).for_each(|(sum, row)| *sum += row);
        self.sum.iterations += 1;
        if solution.outcome != crate::solver::Outcome::Solved {
            self.sum.outcome = solution.outcome;
        }
        Ok(())
    }
}
