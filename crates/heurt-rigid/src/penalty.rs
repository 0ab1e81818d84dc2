//! Penalty method: springs and dampers at overlapping contact points, integrated explicitly. The baseline that S1 and
//! S0 §2.2 name, to be measured against exact solvers.
//!
//! In: a contact problem. Out: the impulses that the springs transmit in the time of the problem, with their residual.
//! Method: a contact with gap d < 0 pushes with f = max(0, −k·d − c·ḋ), c = 2ζ·√(k/K). K is the diagonal entry of A,
//! so that ζ is the damping ratio of the contact alone. ζ follows from the restitution ([`restitution_of`]). Friction
//! is a damper c along the tangent, limited to µ·f. Rows of joints are springs, too, within their bounds. Velocities
//! and gaps are advanced by semi-implicit Euler steps; arms and normals stay.
//! Guarantees: no NaN: a run that diverges returns no impulse and [`Outcome::Approximate`]. Impulses are equal and
//! opposite.
//! Not guaranteed: gaps and energy. A spring sinks by m·g/k, several springs at one body are stiffer than the damping
//! ratio assumes, and steps above 2·√(m/k) diverge.
//! Cost: contacts × sub-steps.

use crate::body::RigidBody;
use crate::impulse::{check_request, complete, evaluate_residual};
use crate::problem::operator::RowDirections;
use crate::problem::{ConstraintRow, ContactProblem, PointContact, ProblemError};
use crate::solver::{CERTIFIED_RESIDUAL, ContactSolver, Level, Outcome, Solution, SolveMethod, SolveOptions};
use heurt_geometry::Vec3;

/// The solver `penalty`.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_rigid::{ContactProblem, ContactSolver, Level, Penalty, PointContact, RigidBody, SolveOptions};
/// // A ball of 1 kg lies 1 mm deep in the floor: at 9,810 N/m the spring carries its weight.
/// let ball = RigidBody { inverse_mass: 1.0, acceleration: Vec3::Z * -9.81, ..RigidBody::FIXED };
/// let contact = PointContact { normal: Vec3::Z, gap: -1e-3, ..PointContact::default() };
/// let problem = ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] };
/// let solver = Penalty { stiffness: 9810.0, ..Penalty::default() };
/// let solution = solver.solve(&problem, Level::Step { dt: 0.01 }, &SolveOptions::default())?;
/// assert!((solution.normal[0] - 0.0981).abs() < 1e-12);
/// // Impulses without overlap at the end of the step would be larger: the gap must close by 1 mm.
/// assert!(solution.residual > 0.09);
/// # Ok::<(), heurt_rigid::ProblemError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// Stiffness of contacts in N/m, of joint rows in N/m and N·m/rad. 1e5: a body of 1 kg sinks by 0.1 mm.
    pub stiffness: f64,
    /// Sub-steps of a time step. 64: at 60 steps a second a sub-step of 0.26 ms, 1/24 of the period of 1 kg at 1e5 N/m.
    pub sub_steps: u32,
}

impl Default for Penalty {
    fn default() -> Self {
        Self { stiffness: 1e5, sub_steps: 64 }
    }
}

/// Periods of the slowest spring after which an impact ends.
const IMPACT_PERIODS: f64 = 4.0;
/// Sub-steps of a period of the stiffest spring in an impact.
const STEPS_PER_PERIOD: f64 = 64.0;

impl ContactSolver for Penalty {
    fn name(&self) -> &'static str {
        "penalty"
    }

    fn solve(&self, problem: &ContactProblem, level: Level, options: &SolveOptions) -> Result<Solution, ProblemError> {
        check_request(problem, level, options)?;
        let mut run = SpringRun::new(problem, self.stiffness);
        let steps = match level {
            Level::Force => {
                run.push(1.0);
                1
            }
            Level::Step { dt } => {
                let steps = self.sub_steps.clamp(1, MAX_STEPS);
                (0..steps).for_each(|_| run.advance(dt / f64::from(steps), true));
                steps
            }
            Level::Impact => run.collide(),
        };
        let springs = finish(problem, level, options, run.sum, steps);
        if springs == Err(ProblemError::Overflow) {
            return finish(problem, level, options, no_impulse(problem), steps);
        }
        springs
    }
}

/// Computes the residual, the energies and the outcome of impulses.
fn finish(
    problem: &ContactProblem,
    level: Level,
    options: &SolveOptions,
    mut solution: Solution,
    steps: u32,
) -> Result<Solution, ProblemError> {
    solution.residual = evaluate_residual(problem, level, options.friction, &solution)?;
    solution.iterations = steps;
    let is_solved = solution.residual <= CERTIFIED_RESIDUAL;
    solution.outcome = if is_solved { Outcome::Solved } else { Outcome::Approximate };
    solution.method = SolveMethod::Springs;
    complete(problem, level, solution)
}

/// Bound of the sub-steps of a solve, against hangs: 0.1 s for a contact.
const MAX_STEPS: u32 = 1_000_000;

fn no_impulse(problem: &ContactProblem) -> Solution {
    Solution {
        normal: vec![0.0; problem.contacts.len()],
        tangential: vec![Vec3::ZERO; problem.contacts.len()],
        rows: vec![0.0; problem.rows.len()],
        ..Solution::default()
    }
}

/// A spring and a damper.
#[derive(Debug, Clone, Copy)]
struct Spring {
    stiffness: f64,
    /// In N·s/m; 0 if no impulse moves either body.
    damping: f64,
    /// Angular frequency of the contact alone, in rad/s; 0 if no impulse moves either body.
    frequency: f64,
}

impl Spring {
    /// The spring of a row whose diagonal entry of A is `inverse_mass`.
    fn new(stiffness: f64, restitution: f64, inverse_mass: f64) -> Self {
        if inverse_mass <= 0.0 {
            return Self { stiffness, damping: 0.0, frequency: 0.0 };
        }
        let damping = 2.0 * penalty_damping_ratio(restitution) * (stiffness / inverse_mass).sqrt();
        Self { stiffness, damping, frequency: (stiffness * inverse_mass).sqrt() }
    }
}

/// Computes the damping ratio of a spring that gives back a share of the speed, by bisection: 1, which gives back
/// e⁻² = 0.135, for all smaller shares.
///
/// ```
/// use heurt_rigid::penalty_damping_ratio;
/// assert!(penalty_damping_ratio(1.0) < 1e-9);
/// assert!((penalty_damping_ratio(0.5) - 0.2553).abs() < 1e-3);
/// assert_eq!(penalty_damping_ratio(0.0), 1.0);
/// ```
pub fn penalty_damping_ratio(restitution: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // 50 halvings: to rounding.
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if restitution_of(middle) > restitution {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The share of the speed that a damped spring gives back which never pulls, for a damping ratio below 1 (T. Schwager
/// and T. Pöschel, "Coefficient of restitution and linear-dashpot model revisited", 2007).
fn restitution_of(ratio: f64) -> f64 {
    let frequency = (1.0 - ratio * ratio).sqrt();
    let phase = libm::atan2(2.0 * ratio * frequency, frequency * frequency - ratio * ratio);
    libm::exp(-ratio / frequency * (std::f64::consts::PI - phase))
}

/// Bodies and gaps during a solve, and the sum of the impulses.
struct SpringRun<'a> {
    problem: &'a ContactProblem,
    bodies: Vec<RigidBody>,
    gaps: Vec<f64>,
    errors: Vec<f64>,
    contact_springs: Vec<Spring>,
    row_springs: Vec<Spring>,
    sum: Solution,
}

impl<'a> SpringRun<'a> {
    fn new(problem: &'a ContactProblem, stiffness: f64) -> Self {
        let inverse_mass = |row: &RowDirections| problem.pair_entry(row, row);
        let of_contact = |contact: &PointContact| {
            let row = RowDirections::of_contact(contact, contact.normal);
            Spring::new(stiffness, contact.restitution, inverse_mass(&row))
        };
        Self {
            problem,
            bodies: problem.bodies.clone(),
            gaps: problem.contacts.iter().map(|contact| contact.gap).collect(),
            errors: problem.rows.iter().map(|row| row.error).collect(),
            contact_springs: problem.contacts.iter().map(of_contact).collect(),
            row_springs: problem
                .rows
                .iter()
                .map(|row| Spring::new(stiffness, 0.0, inverse_mass(&RowDirections::of_row(row))))
                .collect(),
            sum: no_impulse(problem),
        }
    }

    /// Lets springs act until no contact is compressed any more, for a bounded time. Returns the number of sub-steps.
    fn collide(&mut self) -> u32 {
        let springs = self.contact_springs.iter().chain(&self.row_springs).map(|spring| spring.frequency);
        let springs: Vec<f64> = springs.filter(|frequency| *frequency > 0.0).collect();
        let fastest = springs.iter().copied().fold(0.0, f64::max);
        let slowest = springs.iter().copied().fold(f64::INFINITY, f64::min);
        if fastest == 0.0 {
            return 0;
        }
        self.gaps.iter_mut().for_each(|gap| *gap = 0.0);
        let step = std::f64::consts::TAU / (fastest * STEPS_PER_PERIOD);
        let steps = (IMPACT_PERIODS * STEPS_PER_PERIOD * fastest / slowest).min(f64::from(MAX_STEPS)) as u32;
        for count in 0..steps {
            let is_over = self.problem.contacts.iter().zip(&self.gaps).all(|(contact, gap)| {
                *gap >= 0.0 && contact.normal.dot(relative_velocity(&self.bodies, contact)) >= 0.0
            });
            if is_over {
                return count;
            }
            self.advance(step, false);
        }
        steps
    }

    /// Advances velocities and gaps by `h` seconds, with the accelerations of free flight if `flies`.
    fn advance(&mut self, h: f64, flies: bool) {
        // Forces first: a damper that sees the velocity gained in this sub-step would carry a share of the weight.
        self.push(h);
        if flies {
            for body in &mut self.bodies {
                body.velocity += body.acceleration * h;
                body.angular_velocity += body.angular_acceleration * h;
            }
        }
        for (contact, gap) in self.problem.contacts.iter().zip(&mut self.gaps) {
            *gap += contact.normal.dot(relative_velocity(&self.bodies, contact)) * h;
        }
        for (row, error) in self.problem.rows.iter().zip(&mut self.errors) {
            *error += (row_rate(&self.bodies, row) - row.target) * h;
        }
    }

    /// Applies the forces of all springs for `h` seconds, from the velocities before them.
    fn push(&mut self, h: f64) {
        let before = self.bodies.clone();
        for (index, contact) in self.problem.contacts.iter().enumerate() {
            let (spring, gap) = (self.contact_springs[index], self.gaps[index]);
            if gap >= 0.0 {
                continue;
            }
            let velocity = relative_velocity(&before, contact);
            let rate = contact.normal.dot(velocity);
            let normal = (-spring.stiffness * gap - spring.damping * rate).max(0.0) * h;
            let slip = velocity - contact.normal * rate;
            let limit = contact.friction * normal;
            let wanted = slip * (-spring.damping * h);
            let length = wanted.length();
            let tangential = if length > limit { wanted * (limit / length) } else { wanted };
            let impulse = contact.normal * normal + tangential;
            let [a, b] = contact.bodies.map(|body| body as usize);
            self.bodies[a].apply_impulse(-impulse, contact.arms[0]);
            self.bodies[b].apply_impulse(impulse, contact.arms[1]);
            self.sum.normal[index] += normal;
            self.sum.tangential[index] += tangential;
        }
        for (index, row) in self.problem.rows.iter().enumerate() {
            let spring = self.row_springs[index];
            let force = -spring.stiffness * self.errors[index] - spring.damping * (row_rate(&before, row) - row.target);
            let known = self.sum.rows[index];
            let directions = RowDirections::of_row(row);
            let wanted = if row.compliance > 0.0 {
                // The row has a spring of its own: its impulse is solved for the bodies as they move.
                let own = self.problem.pair_entry(&directions, &directions) + row.compliance;
                known + (row.target - row_rate(&before, row) - row.compliance * known) / own
            } else {
                known + force * h
            };
            let impulse = wanted.clamp(row.bounds[0], row.bounds[1]) - known;
            for side in 0..2 {
                let body = &mut self.bodies[row.bodies[side] as usize];
                body.velocity += directions.linear[side] * (impulse * body.inverse_mass);
                body.apply_angular_impulse(directions.angular[side] * impulse);
            }
            self.sum.rows[index] += impulse;
        }
    }
}

/// The velocity of B relative to A at a contact.
fn relative_velocity(bodies: &[RigidBody], contact: &PointContact) -> Vec3 {
    let [a, b] = contact.bodies.map(|body| &bodies[body as usize]);
    b.velocity_at(contact.arms[1]) - a.velocity_at(contact.arms[0])
}

fn row_rate(bodies: &[RigidBody], row: &ConstraintRow) -> f64 {
    RowDirections::of_row(row).evaluate(|body| {
        let body = &bodies[body as usize];
        [body.velocity, body.angular_velocity]
    })
}
