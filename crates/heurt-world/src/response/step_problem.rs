//! The contact problem of a step: all islands of the last solve as one problem.
//!
//! In: the islands of the exact solver as it solves them; or contacts and joints as a step ends. Out: one
//! [`StepProblem`].
//! Method: islands share no body that impulses move, so their problems are appended; bodies that no impulse moves are
//! shared where they are alike.
//! Guarantees: an island alone keeps its order of bodies, contacts and rows, and so the bits of its solution.
//! Cost: nearly linear in contacts and joints.

use crate::body::BodyId;
use crate::contact::BodyContact;
use crate::response::assignment::{Assignment, AssignmentInput, UnsolvedBodies};
use crate::response::candidates::{bodies_of, respond_to_each_other};
use crate::response::exact::problem::{ExactIsland, IslandBuilder, IslandJoints, JointLevel, WORLD};
use crate::response::sleep::SleepTable;
use crate::response::surface_motion::SurfaceMotions;
use crate::response::{Response, ResponseState};
use crate::settings::Settings;
use crate::state::bodies::Bodies;
use crate::state::view::WorldView;
use heurt_query::ContactPoint;
use heurt_rigid::{ConstraintRow, ContactProblem, Level, PointContact, RigidBody, StatedProblem};
use std::collections::BTreeMap;

/// How the numbers of a [`StepProblem`] were obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemOrigin {
    /// The exact solver solved these islands in the last step.
    Solved,
    /// Contacts and joints as the last step ended, for a step to come.
    Contacts,
}

/// The contact problem of a step of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct StepProblem {
    /// Impulses of impacts, or of a step or a piece of it.
    pub level: Level,
    /// Bodies, contact points and rows of joints.
    pub problem: ContactProblem,
    /// The body of the world behind each body of the problem; `None` for the world itself, which holds joints. A body
    /// may be there more than once: a turntable has another motion at each contact.
    pub bodies: Vec<Option<BodyId>>,
    /// How it was obtained.
    pub origin: ProblemOrigin,
}

impl StepProblem {
    /// Adds names of the bodies, as a file holds them.
    pub fn with_names(self, name: impl Fn(BodyId) -> String) -> StatedProblem {
        let Self { level, problem, bodies, .. } = self;
        let names = bodies.into_iter().map(|body| body.map_or_else(|| "world".to_owned(), &name)).collect();
        StatedProblem { level, names, problem }
    }
}

/// The problems that the exact solver solves in a step, if they are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptProblem {
    pub is_kept: bool,
    last: Option<StepProblem>,
}

impl KeptProblem {
    /// Forgets the problem of the step before.
    pub(crate) fn clear(&mut self) {
        self.last = None;
    }

    /// Returns whether problems are kept, without a problem.
    pub(crate) fn without_problem(self) -> Self {
        Self { last: None, ..self }
    }

    /// Keeps the islands of a solve, unless there is no unknown in them.
    pub(crate) fn keep<'a>(&mut self, level: Level, islands: impl Iterator<Item = &'a ExactIsland>, bodies: &Bodies) {
        if !self.is_kept {
            return;
        }
        let joined = join_islands(level, islands, bodies, ProblemOrigin::Solved);
        if joined.problem.unknown_count() > 0 {
            self.last = Some(joined);
        }
    }
}

/// Returns the problem that the exact solver solved last in the last step, if it moved all bodies that are awake.
pub(crate) fn solved_problem(response: &ResponseState) -> Option<StepProblem> {
    response.problem.last.clone().filter(|_| response.report.soft == 0)
}

/// Builds the problem of a step of `dt` seconds from contacts and joints as they are. Gaps of bodies that overlap are
/// negative, and each contact has its restitution.
pub(crate) fn build_problem(
    view: &WorldView,
    settings: &Settings,
    response: &ResponseState,
    touches: &[BodyContact],
    dt: f64,
) -> StepProblem {
    let (joints, sleep) = (&response.joints, &SleepTable::default());
    let gravity = settings.gravity;
    let surfaces = SurfaceMotions::of_touches(view, gravity, touches, dt);
    let unsolved = UnsolvedBodies::default();
    let threshold = settings.restitution_threshold_in_force();
    let bodies = &view.bodies;
    let input = AssignmentInput { bodies, touches, joints, sleep, links: &[], unsolved: &unsolved, threshold };
    let assignment = Assignment::new(Response::ImpulseLcp, &input);
    let joints = IslandJoints { table: joints, assignment: &assignment, level: JointLevel::Step { dt } };
    let builder = IslandBuilder { bodies, gravity, touches, surfaces: &surfaces, dt, joints: Some(joints) };
    let is_finite = |point: &ContactPoint| point.normal.is_finite() && point.separation.is_finite();
    let islands = builder.build(|_, touch, point| {
        bodies_of(view, touch).is_some_and(|[a, b]| respond_to_each_other(a, b)) && is_finite(point)
    });
    join_islands(Level::Step { dt }, islands.iter(), bodies, ProblemOrigin::Contacts)
}

/// Appends the problems of islands.
fn join_islands<'a>(
    level: Level,
    islands: impl Iterator<Item = &'a ExactIsland>,
    bodies: &Bodies,
    origin: ProblemOrigin,
) -> StepProblem {
    let mut joined = StepProblem { level, problem: ContactProblem::default(), bodies: Vec::new(), origin };
    let mut fixed: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for island in islands {
        let mut add = |(place, body): (&u32, &RigidBody)| {
            let known = fixed.get(place).into_iter().flatten().copied();
            let mut alike = known.filter(|index| joined.problem.bodies[*index as usize] == *body);
            if let Some(index) = alike.next() {
                return index;
            }
            let index = joined.bodies.len() as u32;
            if !body.is_movable() {
                fixed.entry(*place).or_default().push(index);
            }
            joined.problem.bodies.push(*body);
            let id = Some(*place).filter(|place| *place != WORLD).and_then(|place| bodies.at(place));
            joined.bodies.push(id.map(|(id, _)| id));
            index
        };
        let index: Vec<u32> = island.places.iter().zip(&island.problem.bodies).map(&mut add).collect();
        let moved = |bodies: [u32; 2]| bodies.map(|body| index[body as usize]);
        let ContactProblem { contacts, rows, .. } = &island.problem;
        let contacts = contacts.iter().map(|contact| PointContact { bodies: moved(contact.bodies), ..*contact });
        joined.problem.contacts.extend(contacts);
        let rows = rows.iter().map(|row| ConstraintRow { bodies: moved(row.bodies), ..*row });
        joined.problem.rows.extend(rows);
    }
    joined
}
