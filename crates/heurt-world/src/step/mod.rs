//! One step: bodies fly, boxes follow, pairs are proposed, each is proved or dismissed, and what changed is reported.
//!
//! Method: S0 §2.3–2.6, S4 §1.1. All that a step will do is worked out before anything is changed, so that a fault
//! leaves the world as it was. Pairs remember where their search ended (`PairCache`). What a deadline does is in
//! `deadline`.

pub(crate) mod deadline;
pub(crate) mod narrow;
pub(crate) mod pair_limit;
pub(crate) mod soft_advance;
pub(crate) mod soft_impact;
pub(crate) mod step_motion;
pub(crate) mod step_plan;

use crate::body::{Body, BodyId, Kind};
use crate::contact::velocity_at_impact;
use crate::state::view::Slot;
use crate::step::deadline::{DeadlineQueue, TimeLimit};
use crate::step::narrow::{BodyContact, Detection, SearchEnd, contact_of, impact_of};
use crate::step::soft_impact::{Side, SweptSurfaces, UndecidedPair, is_soft, soft_impact};
use crate::step::step_plan::{AT_ONCE, MovedBodies, StepPlan};
use crate::world::{World, WorldError, grown, near};
use heurt_broad::{Move, Pair};
use heurt_bvh::simd::{Avx2, Isa};
use heurt_geometry::Pose;
use heurt_query::budget::Budgeted;
use heurt_query::{Impact, PairCache};
use heurt_shape::Shape;
use rayon::prelude::*;
use std::sync::Arc;

/// What a step consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Where bodies fly, what boxes they sweep.
    Fly,
    /// Which boxes meet.
    Broad,
    /// Which bodies touch.
    Narrow,
    /// What changed.
    Events,
}

/// All stages, in order.
pub const STAGES: [Stage; 4] = [Stage::Fly, Stage::Broad, Stage::Narrow, Stage::Events];

impl Stage {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fly => "fly",
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Events => "events",
        }
    }
}

/// What changed with a step, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Touch now and did not.
    pub begun: Vec<[BodyId; 2]>,
    /// Touched and do not any more, bodies that were removed included.
    pub ended: Vec<[BodyId; 2]>,
    /// Touched and touch.
    pub persisting: usize,
}

/// What a step did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// Boxes that changed.
    pub moved: usize,
    /// Pairs whose boxes meet.
    pub pairs: usize,
    /// Pairs that touch.
    pub touching: usize,
    /// Contact points of them.
    pub points: usize,
    /// Pairs that may touch: a deadline left them undecided, or nobody can tell what they did on the way.
    pub unproven: usize,
    /// Those of them that the deadline left out or cut short.
    pub cut: usize,
    /// By stage, where a clock was given.
    pub seconds: [f64; STAGES.len()],
}

/// What a pair of bodies whose boxes meet remembers.
#[derive(Debug, Clone)]
pub(crate) struct PairState {
    pub pair: Pair,
    cache: PairCache,
    /// Whether they overlapped when they were last looked at: then nothing is asked of the way.
    pub is_overlapping: bool,
    pub search: SearchProgress,
}

/// How far the last step came with a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchProgress {
    /// To the end.
    Whole,
    /// Time ended while it was looked at.
    Cut,
    /// Time ended before.
    LeftOut,
}

impl PairState {
    pub(crate) fn new(pair: Pair, is_overlapping: bool) -> Self {
        Self { pair, cache: PairCache::default(), is_overlapping, search: SearchProgress::Whole }
    }
}

/// What came of some pairs, in their order.
#[derive(Debug, Default)]
pub(crate) struct PairResults {
    pub touches: Vec<BodyContact>,
    /// Numbers that are out of range: they may touch.
    unknown: Vec<Pair>,
    points: usize,
}

impl PairResults {
    /// Takes over what came of others.
    pub fn take(&mut self, other: &mut Self) {
        self.touches.append(&mut other.touches);
        self.unknown.append(&mut other.unknown);
        self.points += std::mem::take(&mut other.points);
    }

    /// Room that is kept for the next step.
    pub(crate) fn bytes(&self) -> usize {
        self.touches.capacity() * size_of::<BodyContact>() + self.unknown.capacity() * size_of::<Pair>()
    }
}

/// The longest step, in seconds.
pub const LONGEST_STEP: f64 = 1e100;

/// Pairs that one thread takes at a time.
const SHARE: usize = 128;
/// Shares that are decided before what came of them is gathered: of more, it would take as much room again.
const SHARES: usize = 512;
/// Memory is requested in so many parts, each so many pairs before the next one.
const PARTS: usize = 4;
const AHEAD: usize = 2;

impl World {
    /// Takes a step of `dt` seconds: bodies fly and boxes follow; pairs are proposed; each is proved or dismissed; what
    /// changed is reported.
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        self.step_within_limit(dt, &TimeLimit::default())
    }

    /// [`World::step`] under a watch, which tells how long stages take and may end the step early.
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step_within_limit(&mut self, dt: f64, watch: &TimeLimit<'_>) -> Result<StepReport, WorldError> {
        if !(dt > 0.0 && dt <= LONGEST_STEP) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a time above 0 and up to 1e100 s" });
        }
        let mut plan = std::mem::take(&mut self.plan);
        let report = self.run_stages(&mut plan, dt, watch);
        plan.clear();
        self.plan = plan;
        report
    }

    fn run_stages(&mut self, plan: &mut StepPlan, dt: f64, watch: &TimeLimit<'_>) -> Result<StepReport, WorldError> {
        let now = || watch.clock.map_or(0.0, |clock| clock());
        let begun = now();
        let moved = self.move_boxes(plan, dt)?;
        let flown = now();
        self.find_pairs()?;
        self.follow_soft_ways(plan, dt);
        self.take_back_meshes();
        self.keep_flights(&mut plan.flights, dt);
        self.commit(plan, dt);
        self.follow_pairs();
        self.follow_rigid_ways(&plan.flights, dt);
        Ok(self.decide_and_tell(moved, Some((&plan.flights, dt)), watch, [begun, flown, now()]))
    }

    /// Decides the pairs that were proposed, and reports what changed; `moments` are the ends of the stages before.
    fn decide_and_tell(
        &mut self,
        moved: usize,
        way: Option<MovedBodies<'_>>,
        watch: &TimeLimit<'_>,
        [begun, flown, proposed]: [f64; 3],
    ) -> StepReport {
        let now = || watch.clock.map_or(0.0, |clock| clock());
        let (points, searched) = self.narrow_watched(way, watch, begun);
        let decided = now();
        self.tell();
        self.publish();
        let end = now();
        self.note_closing(searched, end);
        self.report(moved, points, [begun, flown, proposed, decided, end])
    }

    /// Brings bodies to poses that were worked out elsewhere, and finds who touches there: pairs, contacts and events
    /// as in a step, in which pairs go on remembering. No time passes, no velocity changes, and nothing on the way is
    /// looked at.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`], [`WorldError::Crowded`], [`WorldError::Broad`]; the world is
    /// then as it was.
    pub fn detect(&mut self, poses: &[(BodyId, Pose)]) -> Result<StepReport, WorldError> {
        self.detect_within_limit(poses, &TimeLimit::default())
    }

    /// [`World::detect`] under a watch.
    ///
    /// # Errors
    /// As [`World::detect`].
    pub fn detect_within_limit(
        &mut self,
        poses: &[(BodyId, Pose)],
        watch: &TimeLimit<'_>,
    ) -> Result<StepReport, WorldError> {
        let now = || watch.clock.map_or(0.0, |clock| clock());
        let begun = now();
        for some in poses.chunks(AT_ONCE) {
            let done = self.boxes_at(some).and_then(|moves| Ok(self.now.boxes.update(&moves)?));
            if let Err(error) = done {
                self.put_boxes_back()?;
                return Err(error);
            }
        }
        let placed = now();
        self.find_pairs()?;
        for &(id, pose) in poses {
            if let Some(body) = &mut self.now.slots[id.index()].body {
                body.pose = pose;
            }
        }
        self.now.step += 1;
        self.last_step = 0.0;
        self.follow_pairs();
        Ok(self.decide_and_tell(poses.len(), None, watch, [begun, placed, now()]))
    }

    /// Boxes of bodies that are to stand elsewhere.
    fn boxes_at(&self, poses: &[(BodyId, Pose)]) -> Result<Vec<Move>, WorldError> {
        let go = |&(id, pose): &(BodyId, Pose)| {
            let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
            near(&pose)?;
            Ok(Move { id: id.index, bounds: grown(&body.shape.bounds_at(&pose), self.settings.margin) })
        };
        let moves: Vec<Result<Move, WorldError>> = poses.par_iter().with_min_len(64).map(go).collect();
        moves.into_iter().collect()
    }

    /// Finds who touches as the bodies are placed: pairs, contacts and events as in a step. No step is counted and no
    /// time passes; who overlaps already as a run begins is known so.
    ///
    /// # Errors
    /// [`WorldError::Crowded`]; the world is then as it was.
    pub fn refresh_contacts(&mut self) -> Result<StepReport, WorldError> {
        self.find_pairs()?;
        self.last_step = 0.0;
        self.follow_pairs();
        Ok(self.decide_and_tell(0, None, &TimeLimit::default(), [0.0; 3]))
    }

    /// What was done, and how long each stage took.
    fn report(&self, moved: usize, points: usize, moments: [f64; STAGES.len() + 1]) -> StepReport {
        let mut report = StepReport {
            moved,
            pairs: self.states.len(),
            touching: self.touches.len(),
            points,
            unproven: self.unproven.len(),
            cut: self.cut.len(),
            seconds: [0.0; STAGES.len()],
        };
        report.seconds.iter_mut().zip(moments.windows(2)).for_each(|(spent, ends)| *spent = ends[1] - ends[0]);
        report
    }

    /// Moves the bodies.
    fn commit(&mut self, plan: &StepPlan, dt: f64) {
        let mut slots = std::mem::take(&mut self.now.slots);
        let move_one = |(place, slot): (usize, &mut Slot)| {
            let Some(body) = slot.body.as_mut().filter(|body| !matches!(body.kind, Kind::Static)) else { return };
            let end = match plan.flights.get(place) {
                Some(flight) => flight.state_at_end(),
                None => self.flight_of(body, dt).state_at_end(),
            };
            (body.pose, body.velocity, body.angular_velocity) = end;
            let vertices = if is_soft(body) { plan.vertices(place) } else { None };
            if let (Some(vertices), Shape::Mesh(mesh)) = (vertices, &mut body.shape) {
                // As many as before and within range, which is all that a mesh asks.
                Arc::make_mut(mesh).deform(vertices).expect("vertices were checked");
            }
        };
        slots.par_iter_mut().enumerate().with_min_len(64).for_each(move_one);
        self.now.slots = slots;
        self.now.step += 1;
        self.now.time += dt;
        self.last_step = dt;
    }

    /// Keeps what pairs remember that go on, and takes in those that begin.
    fn follow_pairs(&mut self) {
        if !self.forgotten.is_empty() {
            let mut states = std::mem::take(&mut self.states);
            states.retain(|state| self.remembers(state));
            self.states = states;
            self.forgotten.clear();
        }
        let pairs = self.now.boxes.pairs();
        if self.states.iter().map(|state| state.pair).eq(pairs.iter().copied()) {
            return;
        }
        self.states_before.clear();
        std::mem::swap(&mut self.states, &mut self.states_before);
        let mut before = self.states_before.iter().peekable();
        self.states.extend(pairs.iter().map(|&pair| {
            while before.next_if(|state| state.pair < pair).is_some() {}
            let known = before.next_if(|state| state.pair == pair);
            known.cloned().unwrap_or_else(|| PairState::new(pair, false))
        }));
    }

    /// Decides pairs: all of them, or those that wait as long as time is not over. Gives how many points there are.
    pub(crate) fn narrow(&mut self, way: Option<MovedBodies<'_>>, in_time: Option<DeadlineQueue<'_>>) -> usize {
        let mut states = std::mem::take(&mut self.states);
        let (mut shares, mut touches) = (std::mem::take(&mut self.shares), std::mem::take(&mut self.touches));
        let mut cut = std::mem::take(&mut self.cut);
        touches.clear();
        cut.clear();
        let mut told = PairResults { touches, ..PairResults::default() };
        match in_time {
            None => self.decide_all(&mut states, way, &mut shares, &mut told),
            Some(in_time) => {
                self.decide_in_time(&mut states, way, in_time, &mut shares, &mut told);
                self.list_left_out(&mut states, &mut cut);
            }
        }
        let PairResults { touches, unknown, points } = told;
        self.unproven.clone_from(&cut);
        if !unknown.is_empty() {
            self.unproven.extend(unknown.iter().filter_map(|pair| self.now.names(*pair)));
            self.unproven.sort_unstable();
        }
        (self.states, self.shares, self.touches, self.cut) = (states, shares, touches, cut);
        points
    }

    /// Decides all pairs, in their order.
    fn decide_all(
        &self,
        states: &mut [PairState],
        way: Option<MovedBodies<'_>>,
        shares: &mut Vec<PairResults>,
        told: &mut PairResults,
    ) {
        let decide = |(states, into): (&mut [PairState], &mut PairResults)| {
            let isa = Avx2::detect();
            for at in 0..states.len() {
                if let Some(isa) = isa {
                    self.expect(isa, states, at);
                }
                self.decide(&mut states[at], way, None, into);
            }
        };
        for states in states.chunks_mut(SHARE * SHARES) {
            let count = states.len().div_ceil(SHARE);
            shares.resize_with(shares.len().max(count), PairResults::default);
            states.par_chunks_mut(SHARE).zip(&mut shares[..count]).for_each(decide);
            shares[..count].iter_mut().for_each(|one| told.take(one));
        }
    }

    /// Asks the processor for what the pairs after one will read: the bodies of a pair some way ahead, then, as it
    /// comes nearer, what their shapes hold.
    #[inline(always)]
    fn expect(&self, isa: impl Isa, states: &[PairState], at: usize) {
        for part in 0..PARTS {
            let Some(state) = states.get(at + AHEAD * (PARTS - part)) else { continue };
            for place in [state.pair.a, state.pair.b] {
                let Some(slot) = self.now.slots.get(place as usize) else { continue };
                match (&slot.body, part) {
                    (_, 0) => isa.expect(slot),
                    (Some(body), part) => body.shape.expect(isa, part - 1),
                    (None, _) => {}
                }
            }
        }
    }

    pub(crate) fn decide(
        &self,
        state: &mut PairState,
        way: Option<MovedBodies<'_>>,
        until: SearchEnd<'_>,
        into: &mut PairResults,
    ) {
        state.search = SearchProgress::Whole;
        let Some(((id_a, a), (id_b, b))) = self.now.at(state.pair.a).zip(self.now.at(state.pair.b)) else { return };
        let (contact, mut is_cut) = match contact_of(a, b, self.settings.margin, &mut state.cache, until) {
            Budgeted::Complete(contact) => (contact, false),
            Budgeted::Cut(contact) => (contact, true),
        };
        let overlaps = contact.as_ref().is_some_and(|contact| contact.separation <= 0.0);
        let was_apart = !std::mem::replace(&mut state.is_overlapping, overlaps);
        let flown = way.filter(|_| self.settings.detection == Detection::Continuous && was_apart);
        // Without time nobody can tell what they did on the way.
        is_cut |= flown.is_some() && until.is_some_and(|goes_on| !goes_on());
        let impact = match flown {
            Some(flown) if !is_cut => self.impact((state.pair.a, a), (state.pair.b, b), flown, until),
            _ => Ok(None),
        };
        if is_cut || impact == Err(UndecidedPair::Cut) {
            state.search = SearchProgress::Cut;
        }
        match (contact, impact) {
            (None, Ok(None)) => {}
            (None, Err(UndecidedPair::Cut)) => {}
            (None, Err(UndecidedPair::Unable)) => into.unknown.push(state.pair),
            (contact, impact) => {
                if impact == Err(UndecidedPair::Unable) {
                    into.unknown.push(state.pair);
                }
                into.points += contact.as_ref().map_or(0, |contact| contact.points.len());
                let impact = impact.unwrap_or_default();
                let velocity = impact.as_ref().zip(flown).map(|(impact, (flights, dt))| {
                    let side = |at: u32, body| Side { body, flight: flights.of(at), way: self.way(at) };
                    velocity_at_impact([side(state.pair.a, a), side(state.pair.b, b)], impact, dt)
                });
                let impact_velocity = velocity.unwrap_or_default();
                into.touches.push(BodyContact { a: id_a, b: id_b, contact, impact, impact_velocity });
            }
        }
    }

    /// What a body sweeps, if that is known.
    fn way(&self, at: u32) -> Option<&SweptSurfaces> {
        self.ways.get(at as usize)?.as_deref()
    }

    /// When two bodies came to touch that were apart as the step began.
    fn impact(
        &self,
        (at_a, a): (u32, &Body),
        (at_b, b): (u32, &Body),
        (flights, dt): MovedBodies<'_>,
        until: SearchEnd<'_>,
    ) -> Result<Option<Impact>, UndecidedPair> {
        let flight = |at: u32| flights.of(at);
        if !is_soft(a) && !is_soft(b) {
            return impact_of((a, flight(at_a)), (b, flight(at_b)), dt, until);
        }
        let side = |at: u32, body| Side { body, flight: flight(at), way: self.way(at) };
        soft_impact(side(at_a, a), side(at_b, b), dt, until)
    }

    /// Compares with what touched before. Who touched on the way only begins and ends at once, and only ends where it
    /// was within the margin before; those that were left out go on as they were.
    fn tell(&mut self) {
        let of = |rests: bool| {
            let chosen = self.touches.iter().filter(move |touch| touch.contact.is_some() == rests);
            chosen.map(|touch| [touch.a, touch.b])
        };
        let (before, now) = (std::mem::take(&mut self.resting), of(true).collect::<Vec<_>>());
        let passing = without(&of(false).collect::<Vec<_>>(), &before);
        let is_open = |pair: &[BodyId; 2]| self.cut.binary_search(pair).is_ok();
        let begun = without(&now, &before);
        let (open, over): (Vec<_>, Vec<_>) = without(&before, &now).into_iter().partition(is_open);
        let persisting = now.len() - begun.len();
        let joined = |some: Vec<[BodyId; 2]>, more: &[[BodyId; 2]]| {
            let mut all = some;
            if !more.is_empty() {
                all.extend(more);
                all.sort_unstable();
            }
            all
        };
        self.events = Events { begun: joined(begun, &passing), ended: joined(over, &passing), persisting };
        self.resting = joined(now, &open);
    }
}

/// Those of a sorted list that are not in another.
fn without(list: &[[BodyId; 2]], other: &[[BodyId; 2]]) -> Vec<[BodyId; 2]> {
    let mut rest = other.iter().peekable();
    let is_new = |pair: &&[BodyId; 2]| {
        while rest.next_if(|before| before < pair).is_some() {}
        rest.peek() != Some(pair)
    };
    list.iter().filter(is_new).copied().collect()
}
