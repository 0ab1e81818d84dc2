//! Impacts within a step with a response, and the search for those of pairs on which no response acts: a sensor and any
//! body, two bodies of which none is dynamic.
//!
//! In: bodies and their motions, from the start of a piece of the step. Out: the first impact of each pair.
//! Method: the solvers search the pairs that they answer themselves. All others are searched here: along the motions of
//! the exact step, or from the start to the end of a soft step.
//! Guarantees: as without a response, no contact of such a pair is missed and no time is late. In a soft step this
//! holds for bodies that go evenly from their pose at its start to that at its end.
//! Not guaranteed: that a sensor which the exact solver moves flies freely, as the search for the bodies of soft steps
//! assumes: a joint may lead it elsewhere; that a body turns by less than half a turn in a soft step.
//! Cost: one search for each such pair whose boxes meet and piece of the step; nothing if no body but dynamic ones
//! moves and there is no sensor.

use crate::body::{Body, BodyId, Kind};
use crate::contact::BodyContact;
use crate::error::WorldError;
use crate::response::assignment::{Assignment, BodySolver};
use crate::response::candidates::respond_to_each_other;
use crate::response::exact::problem::is_dynamic;
use crate::response::parts::{ResponseParts, find_pairs_of_motions};
use crate::response::soft::BodyEnd;
use crate::settings::Detection;
use crate::state::view::WorldView;
use crate::step::impact::{Side, velocity_at_impact};
use crate::step::pairs::PairState;
use crate::step::soft_impact::find_impact;
use crate::step::step_motion::{StepMotion, compute_motion};
use crate::step::step_plan::move_boxes_of;
use heurt_broad::Pair;
use heurt_geometry::{Pose, Vec3};
use heurt_query::Impact;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// An impact within a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepImpact {
    pub pair: Pair,
    /// Times from the start of the step, or of a piece of it.
    pub impact: Impact,
    /// Velocity of B relative to A.
    pub velocity: Vec3,
}

/// The first impacts of pairs that did not touch as the step began.
#[derive(Debug, Default)]
pub(crate) struct StepImpacts {
    found: BTreeMap<Pair, StepImpact>,
    /// Pairs that may have touched.
    unknown: Vec<Pair>,
}

impl StepImpacts {
    /// Adds an impact, `elapsed` seconds after the start of the step, unless the pair has an earlier one.
    pub(crate) fn add(&mut self, found: StepImpact, elapsed: f64) {
        if self.found.contains_key(&found.pair) {
            return;
        }
        let Impact { time, time_upper, .. } = found.impact;
        let [time, time_upper] = match elapsed {
            0.0 => [time, time_upper],
            // Sums are rounded.
            _ => [(elapsed + time).next_down(), (elapsed + time_upper).next_up()],
        };
        self.found.insert(found.pair, StepImpact { impact: Impact { time, time_upper, ..found.impact }, ..found });
    }

    /// Adds all that was found in a later piece of the step.
    pub(crate) fn extend(&mut self, later: Self, elapsed: f64) {
        later.found.into_values().for_each(|found| self.add(found, elapsed));
        self.unknown.extend(later.unknown);
    }

    /// Reports whether the impact of a pair is known.
    pub(crate) fn contain(&self, pair: Pair) -> bool {
        self.found.contains_key(&pair)
    }

    /// Adds the impacts to the contacts of the step.
    pub(crate) fn insert(&self, parts: &mut ResponseParts<'_>) {
        let contacts = &mut parts.contacts.found.contacts;
        let known = contacts.len();
        for &StepImpact { pair, impact, velocity } in self.found.values() {
            let Some([a, b]) = parts.view.bodies.ids(pair) else { continue };
            let (impact, impact_velocity) = (Some(impact), velocity);
            match contacts[..known].binary_search_by_key(&(a, b), |touch| (touch.a, touch.b)) {
                Ok(at) => (contacts[at].impact, contacts[at].impact_velocity) = (impact, impact_velocity),
                Err(_) => contacts.push(BodyContact { a, b, contact: None, impact, impact_velocity }),
            }
        }
        contacts.sort_by_key(|touch| (touch.a, touch.b));
        let unknown: Vec<[BodyId; 2]> = self.unknown.iter().filter_map(|pair| parts.view.bodies.ids(*pair)).collect();
        parts.contacts.add_unproven(unknown);
    }
}

/// Lists the pairs that overlap as the step begins: their motion is not searched.
pub(crate) fn overlapping_pairs(parts: &ResponseParts<'_>) -> Vec<Pair> {
    if parts.settings.detection == Detection::Continuous { parts.pairs.overlapping() } else { Vec::new() }
}

/// Searches the pairs on which no response acts, up to `until` in a piece of `length` seconds whose motions the plan
/// keeps; `overlapping` are pairs that need no search.
pub(crate) fn search_pairs_without_response(
    parts: &ResponseParts<'_>,
    overlapping: &[Pair],
    [until, length]: [f64; 2],
    is_searched: impl Fn(Pair) -> bool + Sync,
) -> StepImpacts {
    let search = |state: &PairState| {
        let pair = state.pair;
        let (a, b) = unanswered_bodies(parts.view, pair)?;
        if !is_searched(pair) || parts.response.joints.separates(pair) || overlapping.binary_search(&pair).is_ok() {
            return None;
        }
        let side = |at: u32, body| Side { body, flight: parts.plan.motions.of(at), swept: parts.swept.get(at) };
        let sides = [side(pair.a, a), side(pair.b, b)];
        let found = find_impact(sides, length, None);
        let found = found.map(|impact| impact.filter(|impact| impact.time <= until)).transpose()?;
        Some(match found {
            Ok(impact) => Ok(StepImpact { pair, impact, velocity: velocity_at_impact(sides, &impact, length) }),
            Err(_) => Err(pair),
        })
    };
    let searched: Vec<Result<StepImpact, Pair>> =
        parts.pairs.states().par_iter().with_min_len(16).filter_map(search).collect();
    let mut impacts = StepImpacts::default();
    for found in searched {
        match found {
            Ok(impact) => _ = impacts.found.insert(impact.pair, impact),
            Err(pair) => impacts.unknown.push(pair),
        }
    }
    impacts
}

/// Searches the pairs without a response that have a body of soft steps, or all of them if no exact step follows.
/// Bodies are as the step begins; `ends` are the states of the bodies that soft steps move.
pub(crate) fn search_soft_step(
    parts: &mut ResponseParts<'_>,
    assignment: &Assignment,
    overlapping: &[Pair],
    ends: &[Option<BodyEnd>],
) -> Result<StepImpacts, WorldError> {
    if parts.settings.detection != Detection::Continuous {
        return Ok(StepImpacts::default());
    }
    let is_whole = assignment.count(BodySolver::Exact) == 0;
    let has_sensor = parts.view.bodies.iter().any(|(_, body)| body.is_sensor);
    let may_meet = |body: &Body| !matches!(body.kind, Kind::Static) && (has_sensor || is_whole && !is_dynamic(body));
    let movers: Vec<u32> =
        parts.view.bodies.iter().filter(|(_, body)| may_meet(body)).map(|(id, _)| id.index).collect();
    if movers.is_empty() {
        return Ok(StepImpacts::default());
    }
    let (gravity, time, dt) = (parts.settings.gravity, parts.view.time, parts.dt);
    let motion_of = |(place, end): (usize, &Option<BodyEnd>)| match parts.view.bodies.at(place as u32) {
        Some((id, body)) if may_meet(body) => {
            let motion = match (is_dynamic(body), end) {
                (true, Some(end)) => end.motion_from(body, dt),
                (true, None) if assignment.of(place as u32) == BodySolver::Asleep => Ok(StepMotion::still(body.pose)),
                _ => compute_motion(body, gravity, time, dt),
            };
            motion.map_err(|source| WorldError::Flight { id, source })
        }
        Some((_, body)) => Ok(StepMotion::still(body.pose)),
        None => Ok(StepMotion::still(Pose::IDENTITY)),
    };
    let motions: Result<Vec<StepMotion>, WorldError> =
        ends.par_iter().enumerate().with_min_len(64).map(motion_of).collect();
    parts.plan.keep_all_motions(motions?);
    move_boxes_of(parts.view, parts.settings, dt, parts.plan, &movers)?;
    find_pairs_of_motions(parts, dt)?;
    let is_soft = |place: u32| assignment.of(place) == BodySolver::Soft;
    let is_searched = |pair: Pair| is_whole || is_soft(pair.a) || is_soft(pair.b);
    Ok(search_pairs_without_response(parts, overlapping, [dt, dt], is_searched))
}

/// The bodies of a pair on which no response acts.
fn unanswered_bodies(view: &WorldView, pair: Pair) -> Option<(&Body, &Body)> {
    let ((_, a), (_, b)) = view.bodies.at(pair.a).zip(view.bodies.at(pair.b))?;
    (!respond_to_each_other(a, b)).then_some((a, b))
}
