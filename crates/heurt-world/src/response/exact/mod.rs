//! A step with exact response: pieces between impacts, each with the forces of resting contacts.
//!
//! In: the parts of a world, the length of the step. Out: bodies at its end, contacts as they then are, solved contacts
//! with their impulses, impacts within the step.
//! Method: S1's loop. A piece begins with the contacts of the bodies as they are placed: impacts change velocities
//! ([`solve_impacts`]), then forces keep gaps open over the rest of the step ([`solve_step_impulses`]). Bodies fly so
//! until the first impact of two that did not touch (continuous detection), where the next piece begins. Pieces are
//! shorter where a body turns fast that joints hold, or that touches another one (`piece_length`).
//! Guarantees: a bounded number of pieces. Beyond it bodies do not rebound until the step ends, and the report has the
//! time without rebounds: a sequence of impacts without end (Zeno) ends in rest.
//! Not guaranteed: a second contact between two bodies that already touch keeps its gap open, without a rebound, and
//! may overlap by a small share of their thickness (`held_depth`). Two bodies pass through each other if they have
//! impacts without progress, and no contact at their impact: coordinates are then so large that the rounding of the
//! motion exceeds the gap.

mod end;
pub(crate) mod impacts;
pub(crate) mod motion;
pub(crate) mod problem;
pub(crate) mod projection;

use crate::body::{Body, Kind};
use crate::contact::BodyContact;
use crate::error::WorldError;
use crate::response::assignment::{Assignment, BodySolver};
use crate::response::candidates::{
    are_gaps_linear, bodies_of, gap_of, is_touching, respond_to_each_other, touching_gap,
};
use crate::response::exact::end::end_piece_of_joints;
use crate::response::exact::impacts::{
    ContactForce, JointImpulses, LastingPoint, ResponseLog, SHORTEST_REBOUND, apply_step_impulses, closing_bound,
    gap_velocity, solve_closing, solve_impacts, solve_step_impulses,
};
use crate::response::exact::motion::{compute_forced_motion, state_at};
use crate::response::exact::problem::{
    IslandBuilder, IslandJoints, JointLevel, SHARE_BEFORE_MOTION, point_contact, rigid_body,
};
use crate::response::exact::projection::project_penetrations;
use crate::response::held_depth::end_before_overlap;
use crate::response::parts::{ResponseParts, StepFault, find_pairs_of_motions, search_candidates};
use crate::response::piece_length::piece_length;
use crate::response::solved::SolvedPoint;
use crate::response::step_impacts::{StepImpact, StepImpacts, overlapping_pairs, search_pairs_without_response};
use crate::response::surface_motion::{SurfaceMotions, follow_scripts, next_key};
use crate::response::swing_rate::{find_swing_rate, is_much_shorter, limit_by_swing};
use crate::response::{Response, ResponseState};
use crate::settings::{Detection, Settings};
use crate::state::view::WorldView;
use crate::step::impact::{Side, rigid_impact, velocity_at_impact};
use crate::step::pairs::PairState;
use crate::step::soft_impact::soft_impact;
use crate::step::step_motion::StepMotion;
use crate::step::step_plan::move_boxes_along;
use heurt_broad::Pair;
use heurt_geometry::{Pose, Vec3};
use heurt_query::{Contact, ContactPoint};
use heurt_rigid::RigidBody;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Impacts of one step at which the step goes back to their time. Twelve boxes that land in a heap take some ten.
pub(crate) const MAX_IMPACTS: u32 = 32;

/// Rebounds of one pair in one step: a ball that comes to rest takes no more, as short flights are rest.
const MAX_REBOUNDS: usize = 8;

/// A flight of two touching bodies that lasts less than this share of the step is rest.
const SHORTEST_FLIGHT: f64 = 0.0625;

/// Pieces of a step after which overlaps end no piece any more.
const MAX_SHORT_PIECES: u32 = 96;

/// Progress below this share of the step is none.
const NO_PROGRESS: f64 = 1e-9;

/// Change of the direction of an angular velocity in a flight above which the flight is made to end with its impact,
/// in radians. Up to it the energy at the impact is off by a millionth.
const LARGEST_TUMBLE: f64 = 1e-3;

/// Length of a flight that shall end with its impact, as a multiple of the time of the impact: the second search finds
/// it a little earlier or later.
const BEYOND_IMPACT: f64 = 1.005;

/// Shorter flights of a piece until one ends with its impact.
const MAX_FLIGHTS: u32 = 3;

/// Two touching bodies in a piece of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TouchState {
    /// They do not touch, and would rebound from each other.
    Apart,
    /// Forces keep the gaps between them open.
    Held,
    /// They leave each other; from this time of the piece on they may meet again and rebound, in seconds.
    Leaving(f64),
}

/// The results of a step for the bodies that are solved exactly.
pub(crate) struct ExactStep {
    /// The boxes that changed.
    pub moved: usize,
    /// The first impact of each pair that did not touch before.
    pub impacts: StepImpacts,
}

/// Takes a step of the bodies that are solved exactly, and of all that no impulse moves. The candidates are those of
/// the exact bodies; with `only`, no other pairs are searched. The caller finds those at the end if they need room
/// (`Settings::needs_room`).
pub(crate) fn step_exact(
    parts: &mut ResponseParts<'_>,
    assignment: &Assignment,
    only: Option<&Assignment>,
) -> Result<ExactStep, StepFault> {
    let (begin, dt) = (parts.view.time, parts.dt);
    let before = parts.response.candidates.contacts.iter();
    let touched: Vec<Pair> = before.filter(|touch| is_touching(parts.view, touch)).map(pair_of).collect();
    let overlapping = overlapping_pairs(parts);
    project_penetrations(parts.view, &mut parts.response.candidates.contacts, parts.settings);
    let (mut elapsed, mut moved, mut pieces) = (0.0, 0, 0);
    let mut impacts = StepImpacts::default();
    let (mut rebounds, mut calm): (Vec<Pair>, Vec<Pair>) = Default::default();
    loop {
        let left = dt - elapsed;
        let can_shorten = pieces < MAX_SHORT_PIECES;
        let context = PieceContext { calm: &calm, overlapping: &overlapping, known: &impacts, can_shorten };
        let piece = advance_piece(parts, assignment, only, [elapsed, left], &context)?;
        pieces += 1;
        moved = moved.max(piece.moved);
        let advanced = piece.impact.map_or(piece.length, |first| first.impact.time.min(piece.length));
        impacts.extend(piece.others, elapsed);
        if let Some(first) = piece.impact {
            parts.response.report.impacts += 1;
            rebounds.push(first.pair);
            let count = rebounds.iter().filter(|pair| **pair == first.pair).count();
            if advanced <= NO_PROGRESS * dt && count > 1 || count >= MAX_REBOUNDS {
                calm.push(first.pair);
            }
            if !touched.contains(&first.pair) {
                impacts.add(first, elapsed);
            }
        }
        elapsed += advanced;
        if piece.impact.is_none() && piece.length >= left || elapsed >= dt {
            break;
        }
        if parts.response.report.impacts >= MAX_IMPACTS {
            parts.response.report.calm_time = dt - elapsed;
        }
    }
    parts.view.time = begin + dt;
    Ok(ExactStep { moved, impacts })
}

/// The result of a piece.
struct Piece {
    /// The boxes that changed.
    moved: usize,
    /// The longest that the piece may last, in seconds.
    length: f64,
    /// The first impact, from the begin of the piece; none if there is none in its length.
    impact: Option<StepImpact>,
    /// Impacts of pairs on which no response acts, until then.
    others: StepImpacts,
}

/// The results of earlier pieces, as a piece needs them.
struct PieceContext<'a> {
    /// Pairs that do not rebound any more.
    calm: &'a [Pair],
    /// Pairs that overlapped as the step began, sorted.
    overlapping: &'a [Pair],
    known: &'a StepImpacts,
    /// Whether it may end before overlaps and with keys of scripts.
    can_shorten: bool,
}

/// Takes a piece of a step, of which `left` seconds are left after `elapsed`.
fn advance_piece(
    parts: &mut ResponseParts<'_>,
    assignment: &Assignment,
    only: Option<&Assignment>,
    [elapsed, left]: [f64; 2],
    &PieceContext { calm, overlapping, known, can_shorten }: &PieceContext<'_>,
) -> Result<Piece, StepFault> {
    let rest = left;
    let settings = parts.settings;
    if elapsed > 0.0 {
        follow_scripts(parts.view, left);
    }
    let touches = std::mem::take(&mut parts.response.candidates.contacts);
    parts.response.candidates.are_current = false;
    let mut forces = vec![ContactForce::default(); parts.view.bodies.slots().len()];
    let TouchResponse { states, unsolved, length: left, lasting, joint_impulses } =
        respond(parts, &touches, assignment, [elapsed, left], (calm, can_shorten), &mut forces);
    if let Some(places) = unsolved.filter(|_| settings.response == Response::Auto) {
        return Err(StepFault::Unsolved(places));
    }
    parts.response.report.work = parts.response.work.spent();
    let excess = || parts.response.work.take_excess(parts.dt);
    if let Some(places) = (settings.response == Response::Auto).then(excess).flatten() {
        return Err(StepFault::OverBudget(places));
    }
    let held = TouchStates { touches: &touches, states: &states, calm };
    let planned = left;
    let (mut left, mut flown) = (left, fly_until_impact(parts, assignment, &forces, &held, left)?);
    // A flight keeps the energy of a tumbling body at its end, so it shall end with the impact.
    for _ in 0..if tumbles(parts, assignment, left) { MAX_FLIGHTS } else { 0 } {
        let shorter = flown.impact.map(|first| (first.impact.time * BEYOND_IMPACT).max(NO_PROGRESS * parts.dt));
        let Some(shorter) = shorter.filter(|shorter| *shorter < 0.99 * left) else { break };
        left = shorter;
        flown = fly_until_impact(parts, assignment, &forces, &held, left)?;
    }
    let Flown { moved, impact } = flown;
    if let Some(StepImpact { pair, .. }) = impact.filter(|first| !assignment.is_exact_pair(first.pair.a, first.pair.b))
    {
        return Err(StepFault::Met(pair));
    }
    let met = impact.map_or(left, |first| first.impact.time.min(left));
    let until = match settings.detection {
        Detection::Continuous if can_shorten => end_before_overlap(parts, assignment, &held, met),
        _ => met,
    };
    let impact = impact.filter(|_| until == met);
    let others = match settings.detection {
        Detection::Continuous => search_pairs_without_response(parts, overlapping, [until, left], |pair| {
            // The soft step has searched the pairs of its bodies.
            !known.contain(pair) && [pair.a, pair.b].iter().all(|at| assignment.of(*at) != BodySolver::Soft)
        }),
        Detection::Discrete => StepImpacts::default(),
    };
    apply_until(parts, assignment, &forces, until, left);
    note_lasting(parts, lasting, &joint_impulses, until / planned);
    parts.response.joints.project(parts.view, assignment);
    let length = if impact.is_some() { left } else { until };
    if impact.is_some() || length < rest || !settings.needs_room() {
        search_candidates(parts, only);
    }
    if !joint_impulses.is_empty() {
        let unsolved = end_piece_of_joints(parts, assignment, (&held, &forces), [elapsed + until, until, planned]);
        if let Some(places) = unsolved.filter(|_| settings.response == Response::Auto) {
            return Err(StepFault::Unsolved(places));
        }
    }
    Ok(Piece { moved, length, impact, others })
}

/// The states of the touches of a piece.
pub(crate) struct TouchStates<'a> {
    pub touches: &'a [BodyContact],
    pub states: &'a [TouchState],
    /// Pairs that do not rebound any more.
    calm: &'a [Pair],
}

/// The bodies that moved in a piece, and its first impact.
struct Flown {
    moved: usize,
    impact: Option<StepImpact>,
}

/// Plans the flights of all bodies over `left` seconds, and finds the first impact.
fn fly_until_impact(
    parts: &mut ResponseParts<'_>,
    assignment: &Assignment,
    forces: &[ContactForce],
    held: &TouchStates<'_>,
    left: f64,
) -> Result<Flown, StepFault> {
    let settings = parts.settings;
    let fly = |(place, force): (usize, &ContactForce)| match parts.view.bodies.at(place as u32) {
        Some((_, body)) if !is_advanced(assignment, place) => Ok(StepMotion::still(body.pose)),
        Some((id, body)) => compute_forced_motion(body, force, settings.gravity, parts.view.time, left)
            .map_err(|source| WorldError::Flight { id, source }),
        None => Ok(StepMotion::still(Pose::IDENTITY)),
    };
    let motions: Result<Vec<StepMotion>, WorldError> =
        forces.par_iter().enumerate().with_min_len(64).map(fly).collect();
    parts.plan.keep_all_motions(motions?);
    let moved = move_boxes_along(parts.view, settings, left, parts.plan)?;
    find_pairs_of_motions(parts, left)?;
    let impact = match settings.detection {
        Detection::Continuous => first_impact(parts, assignment, held, left),
        Detection::Discrete => None,
    };
    Ok(Flown { moved, impact })
}

/// Reports whether the angular velocity of a body that the exact solver moves changes its direction in a flight of
/// `left` seconds, so that its energy in between differs from that at the ends.
fn tumbles(parts: &ResponseParts<'_>, assignment: &Assignment, left: f64) -> bool {
    parts.view.bodies.iter().any(|(id, body)| match &body.kind {
        Kind::Dynamic(mass) if assignment.of(id.index) == BodySolver::Exact => {
            let momentum = mass.inertia_at(&body.pose) * body.angular_velocity;
            body.angular_velocity.cross(momentum).length() * left > LARGEST_TUMBLE * momentum.length()
        }
        _ => false,
    })
}

/// The response at the start of a piece.
struct TouchResponse {
    /// The state of each touch.
    states: Vec<TouchState>,
    /// The places of an island that was not solved.
    unsolved: Option<Vec<u32>>,
    /// The longest that the piece may last, in seconds.
    length: f64,
    /// Impulses of contacts and joints that act as forces over this length.
    lasting: Vec<LastingPoint>,
    joint_impulses: Vec<JointImpulses>,
}

/// Notes the share of the lasting impulses that has acted.
fn note_lasting(
    parts: &mut ResponseParts<'_>,
    lasting: Vec<LastingPoint>,
    joint_impulses: &[JointImpulses],
    share: f64,
) {
    let ResponseState { solved, joints, .. } = &mut *parts.response;
    let before_motion = (share / SHARE_BEFORE_MOTION).min(1.0);
    for LastingPoint { a, b, point, is_before_motion } in lasting {
        let share = if is_before_motion { before_motion } else { share };
        let (impulse, friction_impulse) = (point.impulse * share, point.friction_impulse * share);
        solved.add(a, b, SolvedPoint { impulse, friction_impulse, ..point });
    }
    joints.add_loads(joint_impulses, parts.dt / before_motion);
    joints.add_spring_work(joint_impulses, before_motion);
}

/// Solves impacts and forces.
fn respond(
    parts: &mut ResponseParts<'_>,
    touches: &[BodyContact],
    assignment: &Assignment,
    [elapsed, left]: [f64; 2],
    (calm, can_shorten): (&[Pair], bool),
    forces: &mut [ContactForce],
) -> TouchResponse {
    let ResponseParts { settings, view, response, dt, .. } = parts;
    let gravity = settings.gravity;
    let report_impacts = response.report.impacts;
    let gaps: Vec<f64> = touches.iter().map(|touch| gap_of(view, touch)).collect();
    let ResponseState { solved, report, joints, work, problem, .. } = &mut **response;
    let options = settings.solve_options();
    let mut log = ResponseLog {
        touches,
        solved,
        report,
        work,
        problem,
        assignment,
        elapsed,
        dt: *dt,
        options,
        unsolved: None,
        lasting: Vec::new(),
    };
    let is_closed = |number: usize, _: &BodyContact, point: &ContactPoint| point.separation <= gaps[number];
    let all_surfaces = SurfaceMotions::of_touches(view, gravity, touches, left);
    let at_once = IslandJoints { table: joints, assignment, level: JointLevel::Velocity { dt: left } };
    let builder = island_builder(view, settings, touches, &all_surfaces, (left, at_once));
    let mut islands = builder.build(is_closed);
    solve_impacts(&mut islands, settings, &mut view.bodies, &mut log);
    let length = piece_length(view, settings, joints, touches, assignment, [left, *dt]);
    let mut length = next_key(view, touches, length).filter(|_| can_shorten).unwrap_or(length);
    if can_shorten {
        length = limit_by_swing(length, joints.swing_rate, [left, *dt]);
    }
    let rebounds = settings.detection == Detection::Continuous && report_impacts < MAX_IMPACTS;
    let rest = left;
    // Impulses that show faster swings than those of the last piece are solved once more.
    let mut is_first = can_shorten;
    loop {
        let shorter = (length < left).then(|| SurfaceMotions::of_touches(view, gravity, touches, length));
        let surfaces = shorter.as_ref().unwrap_or(&all_surfaces);
        let (left, levels) = (length, [JointLevel::Velocity { dt: length }, JointLevel::Step { dt: length }]);
        let [at_once, over_piece] = levels.map(|level| IslandJoints { table: joints, assignment, level });
        let builder = island_builder(view, settings, touches, surfaces, (left, at_once));
        let all = builder.build(|number, _, _| gaps[number].is_finite());
        let mut closing = vec![0.0; touches.len()];
        for island in &all {
            let bound = closing_bound(&island.problem);
            island.points.iter().for_each(|at| closing[at.touch as usize] = bound);
        }
        let states = find_states(
            view,
            settings,
            touches,
            surfaces,
            &TouchInput { gaps: &gaps, closing: &closing, left, dt: *dt, calm, rebounds },
        );
        let is_linear: Vec<bool> = touches.iter().map(|touch| is_linear(view, touch, left)).collect();
        // Only points that touch are known of bodies that rotate fast.
        let is_held = |number: usize, _: &BodyContact, point: &ContactPoint| {
            states[number] == TouchState::Held && (is_linear[number] || point.separation <= gaps[number])
        };
        let mut islands = builder.build(is_held);
        solve_closing(&mut islands, left, &mut view.bodies, &mut log);
        let builder = island_builder(view, settings, touches, surfaces, (left, over_piece));
        let mut islands = builder.build(is_held);
        let solutions = solve_step_impulses(&builder, &mut islands, left, &options);
        joints.swing_rate = find_swing_rate(&view.bodies, joints, &islands, &solutions, left);
        let next = limit_by_swing(length, joints.swing_rate, [rest, *dt]);
        if std::mem::take(&mut is_first) && is_much_shorter(next, length) {
            length = next;
            continue;
        }
        let impulses = apply_step_impulses(&islands, solutions, left, &mut view.bodies, forces, &mut log);
        return TouchResponse {
            states,
            unsolved: log.unsolved,
            length,
            lasting: log.lasting,
            joint_impulses: impulses,
        };
    }
}

pub(crate) fn island_builder<'a>(
    view: &'a WorldView,
    settings: &Settings,
    touches: &'a [BodyContact],
    surfaces: &'a SurfaceMotions,
    (dt, joints): (f64, IslandJoints<'a>),
) -> IslandBuilder<'a> {
    IslandBuilder { bodies: &view.bodies, gravity: settings.gravity, touches, surfaces, dt, joints: Some(joints) }
}

/// The input of the states of all touches.
struct TouchInput<'a> {
    /// The gaps up to which bodies touch, in metres.
    gaps: &'a [f64],
    /// Bounds of the acceleration with which gaps close, in m/s².
    closing: &'a [f64],
    /// The length of the piece, and of the whole step, in seconds.
    left: f64,
    dt: f64,
    /// Pairs that do not rebound any more.
    calm: &'a [Pair],
    /// Whether pairs rebound.
    rebounds: bool,
}

/// Decides the state of each touch.
fn find_states(
    view: &WorldView,
    settings: &Settings,
    touches: &[BodyContact],
    surfaces: &SurfaceMotions,
    &TouchInput { gaps, closing, left, dt, calm, rebounds }: &TouchInput<'_>,
) -> Vec<TouchState> {
    // With `Auto`, candidates cover the motion of the step. Without this rule, bodies that do not rebound would only
    // close as the step ends, and the time of their impact would be lost.
    let goes_back = settings.detection == Detection::Continuous && settings.needs_room();
    let threshold = settings.restitution_threshold_in_force();
    let state = |number: usize| {
        let limits = TouchLimits { gap: gaps[number], closing: closing[number], threshold, left, dt, goes_back };
        let state = state_of(view, &touches[number], surfaces, &limits);
        let has_response = gaps[number] != f64::NEG_INFINITY;
        // In discrete detection a pair that would rebound closes first, and rebounds in the next step.
        let is_open = |contact: &Contact| contact.separation > gaps[number];
        let closes_first = state == TouchState::Apart && touches[number].contact.as_ref().is_some_and(is_open);
        match settings.detection {
            _ if !has_response => state,
            Detection::Continuous if rebounds && !calm.contains(&pair_of(&touches[number])) => state,
            Detection::Discrete if closes_first => state,
            _ => TouchState::Held,
        }
    };
    (0..touches.len()).map(state).collect()
}

/// The numbers that decide the state of a touch.
struct TouchLimits {
    /// The gap up to which the bodies touch, in metres.
    gap: f64,
    /// Bounds the acceleration with which gaps close, in m/s².
    closing: f64,
    /// The speed of approach below which they do not rebound, in m/s.
    threshold: f64,
    /// The rest of the step, and the whole step, in seconds.
    left: f64,
    dt: f64,
    /// Whether the step goes back to the times of all impacts that are faster than free fall in a step.
    goes_back: bool,
}

/// Decides whether forces act between two bodies. They do unless the bodies would rebound at an impact within the step,
/// which the step goes back to. Bodies that touch leave each other if all points that touch open fast.
fn state_of(view: &WorldView, touch: &BodyContact, surfaces: &SurfaceMotions, limits: &TouchLimits) -> TouchState {
    let &TouchLimits { gap, closing, threshold, left, dt, goes_back } = limits;
    let Some([a, b]) = bodies_of(view, touch).filter(|[a, b]| respond_to_each_other(a, b)) else {
        return TouchState::Apart;
    };
    let Some(contact) = &touch.contact else { return TouchState::Apart };
    let states = [a, b].map(|body| rigid_body(body, Vec3::ZERO));
    let speeds = contact.points.iter().map(|point| {
        let row = point_contact([0, 1], [a, b], point);
        let state_of = |side: usize| match surfaces.at([touch.a, touch.b][side].index, [a, b][side], point, side) {
            Some(velocity) => RigidBody { velocity: velocity.start, ..RigidBody::FIXED },
            None => states[side],
        };
        (point.separation, gap_velocity(&[state_of(0), state_of(1)], &row))
    });
    let speeds: SmallVec<[(f64, (f64, f64)); 4]> = speeds.collect();
    // A flight at this speed lasts `SHORTEST_FLIGHT` of the step.
    let slow = 0.5 * closing * SHORTEST_FLIGHT * dt;
    let closed = speeds.iter().filter(|(separation, _)| *separation <= gap);
    let leaving = closed.map(|(_, (speed, rounding))| if *speed > rounding.max(slow) { *speed } else { 0.0 });
    let slowest = leaving.fold(f64::INFINITY, f64::min);
    if slowest > 0.0 && slowest.is_finite() {
        return TouchState::Leaving(4.0 * gap / slowest);
    }
    // A gap that closes under the bound has this speed then, also if it opens before; at most the speed at the end.
    let at_impact = |(gap, speed): (f64, f64)| {
        let fallen = (speed * speed + 2.0 * closing * gap.max(0.0)).sqrt();
        fallen.min(closing * left - speed).max(0.0)
    };
    let fastest = speeds.iter().map(|(gap, (speed, _))| at_impact((*gap, *speed))).fold(0.0, f64::max);
    if goes_back && contact.separation > gap && fastest > closing * dt {
        return TouchState::Apart;
    }
    let rebound = if fastest < threshold { 0.0 } else { 2.0 * a.restitution.max(b.restitution) * fastest };
    if slowest == 0.0 || rebound <= SHORTEST_REBOUND * closing * dt { TouchState::Held } else { TouchState::Apart }
}

/// Finds the first impact of bodies that do not touch, one of which is dynamic.
fn first_impact(
    parts: &ResponseParts<'_>,
    assignment: &Assignment,
    &TouchStates { touches, states, calm }: &TouchStates<'_>,
    left: f64,
) -> Option<StepImpact> {
    let find = |state: &PairState| {
        let pair = state.pair;
        let is_relevant = assignment.is_exact_pair(pair.a, pair.b)
            || parts.may_meet && assignment.is_pair_of_two_solvers(pair.a, pair.b);
        if !is_relevant {
            return None;
        }
        let ((id_a, a), (id_b, b)) = parts.view.bodies.at(pair.a).zip(parts.view.bodies.at(pair.b))?;
        if !respond_to_each_other(a, b) || parts.response.joints.separates(pair) {
            return None;
        }
        let known = touches.binary_search_by_key(&(id_a, id_b), |touch| (touch.a, touch.b));
        // Vertices that fly far off round by more than the gap of the bodies: an impact that leaves no contact to solve
        // would be found again without end.
        if known.is_err() && calm.contains(&pair) {
            return None;
        }
        let from = match known.map_or(TouchState::Apart, |at| states[at]) {
            TouchState::Held => return None,
            TouchState::Apart => 0.0,
            TouchState::Leaving(time) if time < left => time,
            TouchState::Leaving(_) => return None,
        };
        let side = |at: u32, body| Side { body, flight: parts.plan.motions.of(at), swept: parts.swept.get(at) };
        let (a, b) = (side(pair.a, a), side(pair.b, b));
        let found = if a.body.is_soft() || b.body.is_soft() {
            soft_impact(a, b, left, None)
        } else {
            rigid_impact(a, b, [from, left], Some(0.25 * touching_gap(a.body, b.body)), None)
        };
        let impact = found.ok().flatten()?;
        Some(StepImpact { pair, impact, velocity: velocity_at_impact([a, b], &impact, left) })
    };
    let found: Vec<Option<StepImpact>> = parts.pairs.states().par_iter().with_min_len(16).map(find).collect();
    // The first of equal times, in the order of pairs.
    found.into_iter().flatten().min_by(|a, b| a.impact.time.total_cmp(&b.impact.time))
}

/// Moves bodies along their motions to a time of the piece.
fn apply_until(parts: &mut ResponseParts<'_>, assignment: &Assignment, forces: &[ContactForce], until: f64, left: f64) {
    let time = parts.view.time;
    let plan = &*parts.plan;
    let slots = parts.view.bodies.slots_mut().par_iter_mut().zip(forces).enumerate().with_min_len(64);
    slots.for_each(|(place, (slot, force))| {
        let moves = |body: &&mut Body| !matches!(body.kind, Kind::Static) && is_advanced(assignment, place);
        let Some(body) = slot.body.as_mut().filter(moves) else { return };
        let end = state_at(body, plan.motions.of(place as u32), force, until, left);
        plan.deform_until(place, body, time, [until, left]);
        (body.pose, body.velocity, body.angular_velocity) = end;
    });
    parts.view.time = time + until;
}

/// Reports whether the exact solver advances the body at a place: it does not sleep, and no soft step moves it.
fn is_advanced(assignment: &Assignment, place: usize) -> bool {
    matches!(assignment.of(place as u32), BodySolver::Exact | BodySolver::Fixed)
}

pub(crate) fn is_linear(view: &WorldView, touch: &BodyContact, dt: f64) -> bool {
    bodies_of(view, touch).is_some_and(|[a, b]| are_gaps_linear(a, b, dt))
}

pub(crate) fn pair_of(touch: &BodyContact) -> Pair {
    Pair { a: touch.a.index, b: touch.b.index }
}
