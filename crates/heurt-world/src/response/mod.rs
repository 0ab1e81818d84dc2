//! Response to contacts: how a step of a world changes velocities where bodies meet.
//!
//! In: bodies, their contacts as the step begins, free accelerations. Out: motions of the dynamic bodies, and the
//! contacts that were solved, each with its impulse ([`SolvedContact`]).
//! Method: S1's loop. `assignment` chooses the solver of each body. `exact` solves complementarity problems and goes
//! back to the time of each impact. `soft` takes sub-steps with soft constraints. `respond` runs both. Both read
//! contacts found at the end of the step before (`candidates`), which are found again if the caller changed bodies
//! since.
//! Guarantees: no NaN in a state; the same bits for any number of threads.

pub(crate) mod assignment;
pub(crate) mod candidates;
pub(crate) mod energy_bound;
pub(crate) mod exact;
pub(crate) mod held_depth;
mod interlocking;
pub(crate) mod joints;
pub(crate) mod parts;
pub(crate) mod piece_length;
pub(crate) mod respond;
pub(crate) mod sleep;
pub(crate) mod soft;
pub(crate) mod solved;
pub(crate) mod spring_rest;
pub(crate) mod springs;
pub(crate) mod step_impacts;
pub(crate) mod step_problem;
pub(crate) mod surface_motion;
mod swing_rate;
pub(crate) mod warm_start;
pub(crate) mod work_budget;

use crate::response::assignment::UnsolvedBodies;
use crate::response::candidates::Candidates;
use crate::response::joints::JointTable;
use crate::response::sleep::SleepTable;
use crate::response::solved::SolvedContacts;
use crate::response::step_problem::KeptProblem;
use crate::response::work_budget::StepWork;
use crate::state::memory_report::bytes_of_list;

/// How bodies respond to contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Response {
    /// They do not: contacts are found and reported, and bodies fly through each other.
    #[default]
    None,
    /// The complementarity problem of each island is solved exactly, or with a certified residual. In continuous
    /// detection a step goes back to the time of each impact.
    ImpulseLcp,
    /// Sub-steps of soft constraints: fast, for many bodies.
    SoftStep,
    /// Each island (bodies that contacts or joints connect) by itself. `ImpulseLcp` solves islands of at most 32
    /// dynamic bodies, as long as these islands have at most 64 bodies together. It solves islands of at most 128
    /// bodies whose masses differ by more than 100 : 1 (10 : 1 with joints), that have a precise body, meshes that hold
    /// each other (a pin in an eye), or an impact of a restitution above 0.9. `SoftStep` solves all others, and islands
    /// that the exact solver does not solve. Islands that are only small or rebound have a budget of work in each step.
    Auto,
    /// Springs and dampers at contact points, in sub-steps that follow from their stiffness: the method that all others
    /// are measured against. Bodies sink into each other and creep; there are no joints.
    Penalty,
}

impl Response {
    /// All responses.
    pub const ALL: [Self; 5] = [Self::None, Self::ImpulseLcp, Self::SoftStep, Self::Auto, Self::Penalty];

    /// Returns its name, as scenes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ImpulseLcp => "impulse-lcp",
            Self::SoftStep => "soft-step",
            Self::Auto => "auto",
            Self::Penalty => "penalty",
        }
    }
}

/// Impacts of one moment that share bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactRule {
    /// All at once: one complementarity problem.
    #[default]
    AtOnce,
    /// One at a time, the fastest approach first: Newton's cradle.
    InSequence,
}

impl ImpactRule {
    /// Both rules.
    pub const ALL: [Self; 2] = [Self::AtOnce, Self::InSequence];

    /// Returns its name, as scenes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AtOnce => "at-once",
            Self::InSequence => "in-sequence",
        }
    }
}

/// Counts of the response of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ResponseReport {
    /// Dynamic bodies that were solved exactly.
    pub exact: u32,
    /// Dynamic bodies that soft steps moved.
    pub soft: u32,
    /// Impacts at which the step went back to their time.
    pub impacts: u32,
    /// Islands solved, over all pieces of the step.
    pub islands: u32,
    /// Contact points solved, over all pieces of the step.
    pub contacts: u32,
    /// Islands whose contacts and joints were solved only approximately; their impulses add no energy.
    pub approximate: u32,
    /// The largest residual, in m/s.
    pub residual: f64,
    /// The largest change of momentum by a solve, beyond what fixed bodies took, in N·s: rounding errors.
    pub momentum_error: f64,
    /// Seconds at the end of the step in which bodies did not rebound: a bound of impacts in one step was reached.
    pub calm_time: f64,
    /// Dynamic bodies that sleep at the end of the step.
    pub asleep: u32,
    /// Dynamic bodies that soft steps moved because exact solves exceeded their budget, in this step or in the second
    /// before.
    pub over_budget: u32,
    /// Work of the exact solves, over all pieces of the step and all attempts at it: the sum of iterations times
    /// unknowns.
    pub work: u64,
}

/// The state of the response between steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseState {
    pub candidates: Candidates,
    pub solved: SolvedContacts,
    pub report: ResponseReport,
    pub joints: JointTable,
    pub sleep: SleepTable,
    pub unsolved: UnsolvedBodies,
    pub work: StepWork,
    pub problem: KeptProblem,
}

impl ResponseState {
    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.candidates.contacts) + self.solved.bytes() + self.sleep.bytes()
    }
}
