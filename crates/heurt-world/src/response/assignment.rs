//! Assignment of each dynamic body to a solver for one step: exact, soft, or none while it sleeps.
//!
//! In: bodies, the contacts within the motion of the step, joints. Out: the solver of each body, by place.
//! Method: islands are the dynamic bodies that are awake and that contacts or joints connect (union-find). A contact
//! that is still open connects too, if it lies within the motion of the step at the speeds of its start. Bodies that
//! meet although they were of two islands, after an impact, are linked and the step is taken again (`respond`).
//! [`Response::Auto`] solves an island exactly if it is small, if its masses differ much, if meshes hold each other
//! (`interlocking`), or if one of its bodies is precise ([`Body::is_precise`]).
//! Cost: nearly linear in bodies, contacts and joints.

use crate::body::{Body, BodyId, Kind};
use crate::contact::BodyContact;
use crate::response::Response;
use crate::response::candidates::respond_to_each_other;
use crate::response::exact::problem::is_dynamic;
use crate::response::interlocking::are_interlocked;
use crate::response::joints::JointTable;
use crate::response::sleep::SleepTable;
use crate::state::bodies::{Bodies, Slot};
use heurt_broad::Pair;
use heurt_query::ContactPoint;
use heurt_rigid::soft_step::Islands;
use std::collections::{BTreeMap, BTreeSet};

/// Dynamic bodies of a small island: a heap of 32 boxes takes some tens of milliseconds a step.
const SMALL_ISLAND: usize = 32;
/// Dynamic bodies in all small islands together, above which none counts as small: each of them may have an impact at
/// which the whole step goes back to its time.
const SMALL_ISLANDS: usize = 64;
/// The ratio of the largest to the smallest mass of an island above which it is solved exactly: the springs of soft
/// steps are made for less.
const LARGEST_MASS_RATIO: f64 = 100.0;
/// The same for an island with joints, which soft steps let open under less.
const LARGEST_JOINTED_RATIO: f64 = 10.0;
/// Dynamic bodies of an island that is solved exactly because of its masses, of a precise body or of meshes that hold
/// each other: its step takes some hundreds of milliseconds.
const DEMANDING_ISLAND: usize = 128;

/// Restitution of an impact above which an island of up to [`DEMANDING_ISLAND`] bodies is solved exactly, within the
/// budget of the step: a rack of balls that meet at once keeps its energy then, of which soft steps lose much.
const ELASTIC: f64 = 0.9;

/// Dynamic bodies of all islands together that are solved exactly for these reasons; islands with a precise body come
/// first.
const DEMANDING_ISLANDS: usize = 256;

/// The solver of a body in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodySolver {
    /// No impulse does.
    Fixed,
    /// Nothing: it sleeps.
    Asleep,
    /// The exact solver.
    Exact,
    /// The soft step.
    Soft,
}

/// The solvers of all bodies, by place.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    solvers: Vec<BodySolver>,
    /// Whether a body is of an island that needs the exact solver; empty where all islands get one solver.
    needs_exact: Vec<bool>,
    /// Whether a body is of an island that soft steps would let open, for its joints between masses that differ much or
    /// for meshes that hold each other: an approximate exact solution is better.
    is_only_exact: Vec<bool>,
}

/// The input of an assignment.
pub(crate) struct AssignmentInput<'a> {
    pub bodies: &'a Bodies,
    /// Contacts within the motion of the step.
    pub touches: &'a [BodyContact],
    pub joints: &'a JointTable,
    pub sleep: &'a SleepTable,
    /// Further pairs of bodies that are of one island.
    pub links: &'a [Pair],
    pub unsolved: &'a UnsolvedBodies,
    /// The speed of approach below which bodies do not rebound, in m/s.
    pub threshold: f64,
}

/// Steps for which bodies are left to soft steps after the exact solver did not solve their island: a second at 60
/// steps in a second.
const UNSOLVED_STEPS: u32 = 60;

/// Bodies of islands that the exact solver did not solve, and the number of steps for which soft steps move them.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnsolvedBodies {
    /// By place.
    bodies: BTreeMap<u32, UnsolvedBody>,
}

/// A body that is left to soft steps.
#[derive(Debug, Clone, Copy)]
struct UnsolvedBody {
    steps: u32,
    reason: UnsolvedReason,
}

/// The reason why an island is left to soft steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsolvedReason {
    /// The solver ended with a residual that is too large.
    Approximate,
    /// The solves exceeded the budget of the step.
    Budget,
}

impl UnsolvedBodies {
    /// Adds the bodies of an island.
    pub(crate) fn add(&mut self, places: Vec<u32>, reason: UnsolvedReason) {
        let body = UnsolvedBody { steps: UNSOLVED_STEPS, reason };
        self.bodies.extend(places.into_iter().map(|place| (place, body)));
    }

    /// Reports whether the solver ended with a residual that is too large for a body.
    fn is_approximate(&self, place: u32) -> bool {
        self.bodies.get(&place).is_some_and(|body| body.reason == UnsolvedReason::Approximate)
    }

    /// Counts the bodies of islands that exceeded the budget.
    pub(crate) fn count_over_budget(&self) -> usize {
        self.bodies.values().filter(|body| body.reason == UnsolvedReason::Budget).count()
    }

    fn contain(&self, place: u32) -> bool {
        self.bodies.contains_key(&place)
    }

    /// Counts a step.
    pub(crate) fn pass_step(&mut self) {
        self.bodies.retain(|_, body| {
            body.steps -= 1;
            body.steps > 0
        });
    }
}

/// The reason why an island needs the exact solver; a precise body comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    Precise,
    ExtremeMasses,
    /// Joints between masses that differ by more than soft steps hold, or meshes that hold each other.
    Linkage,
    /// Bodies that rebound almost without loss.
    Elastic,
}

impl Assignment {
    /// Assigns each body.
    pub(crate) fn new(response: Response, input: &AssignmentInput<'_>) -> Self {
        let has_one = matches!(response, Response::SoftStep | Response::Penalty);
        let usual = if has_one { BodySolver::Soft } else { BodySolver::Exact };
        let slots = input.bodies.slots().iter().enumerate();
        let solver = |(place, slot): (usize, &Slot)| match &slot.body {
            Some(body) if is_dynamic(body) && input.sleep.is_asleep(place) => BodySolver::Asleep,
            Some(body) if is_dynamic(body) => usual,
            _ => BodySolver::Fixed,
        };
        let mut assignment =
            Self { solvers: slots.map(solver).collect(), needs_exact: Vec::new(), is_only_exact: Vec::new() };
        if response == Response::Auto {
            assignment.choose(input);
        }
        assignment
    }

    /// Assigns islands that shall not be solved exactly to soft steps.
    fn choose(&mut self, input: &AssignmentInput<'_>) {
        let awake: Vec<bool> = self.solvers.iter().map(|solver| *solver == BodySolver::Exact).collect();
        let responding = input.touches.iter().filter(|touch| {
            let bodies = input.bodies.get(touch.a).zip(input.bodies.get(touch.b));
            bodies.is_some_and(|(a, b)| respond_to_each_other(a, b))
        });
        let links = responding.map(|touch| [touch.a.index, touch.b.index]).chain(input.joints.places());
        let links = links.chain(input.links.iter().map(|pair| [pair.a, pair.b]));
        let islands = Islands::find(&awake, links).lists;
        let body_at = |place: &u32| input.bodies.at(*place).map(|(_, body)| body);
        let held: BTreeSet<u32> = input.joints.places().flatten().collect();
        let elastic: BTreeSet<u32> = input
            .touches
            .iter()
            .filter(|touch| rebounds_fully(touch, input))
            .flat_map(|touch| [touch.a.index, touch.b.index])
            .collect();
        self.is_only_exact = vec![false; self.solvers.len()];
        let is_awake = |id: BodyId| awake.get(id.index()).copied().unwrap_or(false);
        let interlocked: BTreeSet<u32> = input
            .touches
            .iter()
            .filter(|touch| (is_awake(touch.a) || is_awake(touch.b)) && holds_mesh(touch, input))
            .flat_map(|touch| [touch.a.index, touch.b.index])
            .collect();
        let demand_of = |island: Vec<u32>| {
            let bodies: Vec<&Body> = island.iter().filter_map(body_at).collect();
            let has = |places: &BTreeSet<u32>| island.iter().any(|place| places.contains(place));
            let is_linkage = has(&interlocked) || has(&held) && has_extreme_masses(&bodies, LARGEST_JOINTED_RATIO);
            let demand = if has_precise_body(&bodies) {
                Some(Demand::Precise)
            } else if is_linkage {
                Some(Demand::Linkage)
            } else if has_extreme_masses(&bodies, LARGEST_MASS_RATIO) {
                Some(Demand::ExtremeMasses)
            } else {
                (bodies.len() > 1 && has(&elastic)).then_some(Demand::Elastic)
            };
            if is_linkage {
                island.iter().for_each(|place| self.is_only_exact[*place as usize] = true);
            }
            (island, demand)
        };
        let islands: Vec<(Vec<u32>, Option<Demand>)> = islands.into_iter().map(demand_of).collect();
        self.needs_exact = vec![false; self.solvers.len()];
        let needs_exact = |demand: &Option<Demand>| demand.is_some_and(|demand| demand != Demand::Elastic);
        for (island, _) in islands.iter().filter(|(_, demand)| needs_exact(demand)) {
            island.iter().for_each(|place| self.needs_exact[*place as usize] = true);
        }
        let is_unsolved = |island: &[u32]| island.iter().any(|place| input.unsolved.contain(*place));
        let is_approximate = |island: &[u32]| island.iter().any(|place| input.unsolved.is_approximate(*place));
        let small: usize = islands.iter().map(|(island, _)| island.len()).filter(|len| *len <= SMALL_ISLAND).sum();
        let is_small = |island: &[u32]| island.len() <= SMALL_ISLAND && small <= SMALL_ISLANDS && !is_unsolved(island);
        let others: Vec<_> = islands.into_iter().filter(|(island, _)| !is_small(island)).collect();
        let mut room = DEMANDING_ISLANDS;
        let mut is_exact = vec![false; others.len()];
        for first in [Demand::Precise, Demand::Linkage, Demand::ExtremeMasses, Demand::Elastic] {
            for ((island, demand), is_exact) in others.iter().zip(&mut is_exact) {
                let is_refused = if first == Demand::Elastic { is_unsolved(island) } else { is_approximate(island) };
                let fits = island.len() <= DEMANDING_ISLAND.min(room) && !is_refused;
                if fits && *demand == Some(first) {
                    *is_exact = true;
                    room -= island.len();
                }
            }
        }
        for ((island, _), _) in others.iter().zip(is_exact).filter(|(_, is_exact)| !is_exact) {
            island.iter().for_each(|place| self.solvers[*place as usize] = BodySolver::Soft);
        }
    }

    /// Returns the solver of the body at a place.
    pub(crate) fn of(&self, place: u32) -> BodySolver {
        self.solvers.get(place as usize).copied().unwrap_or(BodySolver::Fixed)
    }

    /// Reports whether the body at a place is of an island that needs the exact solver.
    pub(crate) fn needs_exact(&self, place: u32) -> bool {
        self.needs_exact.get(place as usize).copied().unwrap_or(false)
    }

    /// Reports whether an approximate exact solution is better than soft steps for the body at a place.
    pub(crate) fn is_only_exact(&self, place: u32) -> bool {
        self.is_only_exact.get(place as usize).copied().unwrap_or(false)
    }

    /// Counts the bodies of a solver.
    pub(crate) fn count(&self, solver: BodySolver) -> usize {
        self.solvers.iter().filter(|known| **known == solver).count()
    }

    /// Reports whether the exact solver moves one of two bodies and nothing else moves the second.
    pub(crate) fn is_exact_pair(&self, a: u32, b: u32) -> bool {
        self.is_pair_of(BodySolver::Exact, a, b)
    }

    /// Reports whether the soft step moves one of two bodies and nothing else moves the second. A body that sleeps is
    /// fixed for it.
    pub(crate) fn is_soft_pair(&self, a: u32, b: u32) -> bool {
        self.is_pair_of(BodySolver::Soft, a, b)
            || matches!(
                (self.of(a), self.of(b)),
                (BodySolver::Soft, BodySolver::Asleep) | (BodySolver::Asleep, BodySolver::Soft)
            )
    }

    /// Reports whether the exact solver moves one of two bodies and the second sleeps or is moved by soft steps.
    pub(crate) fn is_pair_of_two_solvers(&self, a: u32, b: u32) -> bool {
        let pair = [self.of(a), self.of(b)];
        pair.contains(&BodySolver::Exact) && [BodySolver::Soft, BodySolver::Asleep].iter().any(|of| pair.contains(of))
    }

    fn is_pair_of(&self, solver: BodySolver, a: u32, b: u32) -> bool {
        let pair = [self.of(a), self.of(b)];
        pair.contains(&solver) && pair.iter().all(|known| [solver, BodySolver::Fixed].contains(known))
    }
}

/// Reports whether two bodies approach each other at a contact and rebound almost without loss.
fn rebounds_fully(touch: &BodyContact, input: &AssignmentInput<'_>) -> bool {
    let Some((a, b)) = input.bodies.get(touch.a).zip(input.bodies.get(touch.b)) else { return false };
    let is_elastic = a.restitution.max(b.restitution) > ELASTIC && respond_to_each_other(a, b);
    let approaches =
        |at: &ContactPoint| at.normal.dot(b.velocity_at(at.point) - a.velocity_at(at.point)) < -input.threshold;
    is_elastic && touch.contact.as_ref().is_some_and(|contact| contact.points.iter().any(approaches))
}

/// Reports whether two meshes hold each other at a contact.
fn holds_mesh(touch: &BodyContact, input: &AssignmentInput<'_>) -> bool {
    let Some((a, b)) = input.bodies.get(touch.a).zip(input.bodies.get(touch.b)) else { return false };
    respond_to_each_other(a, b) && touch.contact.as_ref().is_some_and(|contact| are_interlocked([a, b], contact))
}

fn has_precise_body(bodies: &[&Body]) -> bool {
    bodies.iter().any(|body| body.is_precise)
}

/// Reports whether the masses of an island differ by more than a ratio.
fn has_extreme_masses(bodies: &[&Body], most_ratio: f64) -> bool {
    let masses = bodies.iter().filter_map(|body| match &body.kind {
        Kind::Dynamic(mass) => Some(mass.mass),
        _ => None,
    });
    let (least, most) = masses.fold((f64::INFINITY, 0.0f64), |(least, most), mass| (least.min(mass), most.max(mass)));
    most > most_ratio * least
}
