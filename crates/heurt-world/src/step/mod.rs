//! One simulation step: bodies move, boxes follow, pairs are proposed, each is proved or dismissed, events are listed.
//!
//! Method: S0 §2.3–2.6, S4 §1.1. A step is computed before anything is changed, so that a fault leaves the world as it
//! was. Each pair has a cache of its last search (`PairCache`). Deadlines are in `deadline`.

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
use crate::step::deadline::{DeadlineQueue, StepOptions};
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

/// A stage of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Computes motions and swept boxes.
    Fly,
    /// Finds the pairs of boxes that meet.
    Broad,
    /// Finds the contacts of these pairs.
    Narrow,
    /// Lists the changes.
    Events,
}

/// All stages, in order.
pub const STAGES: [Stage; 4] = [Stage::Fly, Stage::Broad, Stage::Narrow, Stage::Events];

impl Stage {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fly => "fly",
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Events => "events",
        }
    }
}

/// The changes of a step, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// Touch now and did not.
    pub begun: Vec<[BodyId; 2]>,
    /// Touched and do not any more, bodies that were removed included.
    pub ended: Vec<[BodyId; 2]>,
    /// Touched and touch.
    pub persisting: usize,
}

/// Counts and times of a step.
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
    /// Pairs that may touch: a deadline left them undecided, or no bound decides their motion.
    pub unproven: usize,
    /// The unproven pairs that the deadline left out or cut short.
    pub cut: usize,
    /// Seconds of each stage, if a clock was given.
    pub seconds: [f64; STAGES.len()],
}

/// A pair of bodies whose boxes meet, with its cache.
#[derive(Debug, Clone)]
pub(crate) struct PairState {
    pub pair: Pair,
    cache: PairCache,
    /// Whether they overlapped in the last step: then the motion in between is not searched.
    pub is_overlapping: bool,
    pub search: SearchProgress,
}

/// Progress of the last step with a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchProgress {
    /// To the end.
    Whole,
    /// The time ended during its search.
    Cut,
    /// The time ended before its search.
    LeftOut,
}

impl PairState {
    pub(crate) fn new(pair: Pair, is_overlapping: bool) -> Self {
        Self { pair, cache: PairCache::default(), is_overlapping, search: SearchProgress::Whole }
    }
}

/// The results of some pairs, in their order.
#[derive(Debug, Default)]
pub(crate) struct PairResults {
    pub touches: Vec<BodyContact>,
    /// Numbers that are out of range: they may touch.
    unknown: Vec<Pair>,
    points: usize,
}

impl PairResults {
    /// Takes over the results of other pairs.
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
/// Shares that are decided before their results are gathered: more would take as much memory again.
const SHARES: usize = 512;
/// Memory is prefetched in `PARTS` parts, each `AHEAD` pairs before the next part.
const PARTS: usize = 4;
const AHEAD: usize = 2;

impl World {
    /// Takes a step of `dt` seconds: moves bodies and boxes, finds pairs of boxes that meet, proves or dismisses each,
    /// and lists the changes.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::Z * -10.0, ..Settings::default() })?;
    /// let stone = Convex::sphere(0.1)?;
    /// let mass = Mass::of_density(&stone.clone().into(), 2500.0)?;
    /// let stone = world.insert(Body::dynamic(stone, Pose::IDENTITY, mass))?;
    /// world.step(0.5)?;
    /// let height = world.body(stone).expect("it is there").pose.translation().z;
    /// assert!((height + 1.25).abs() < 1e-12, "g·t²/2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        self.step_with(dt, &StepOptions::default())
    }

    /// [`World::step`] by a clock, which measures the stages and may end the search for contacts early. Pairs left out
    /// or cut short are listed in [`World::unproven`].
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, StepOptions, World};
    /// let mut world = World::new(Settings::default())?;
    /// for x in [0.0, 0.5] {
    ///     world.insert(Body::kinematic(Convex::sphere(0.5)?, Pose::from_translation(Vec3::X * x)?))?;
    /// }
    /// let begun = std::time::Instant::now();
    /// let clock = || begun.elapsed().as_secs_f64();
    /// let report = world.step_with(0.01, &StepOptions { clock: Some(&clock), deadline: Some(0.0) })?;
    /// assert_eq!((report.touching, report.unproven), (0, 1), "no time for the one pair");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step_with(&mut self, dt: f64, options: &StepOptions<'_>) -> Result<StepReport, WorldError> {
        if !(dt > 0.0 && dt <= LONGEST_STEP) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a time above 0 and up to 1e100 s" });
        }
        let mut plan = std::mem::take(&mut self.plan);
        let report = self.run_stages(&mut plan, dt, options);
        plan.clear();
        self.plan = plan;
        report
    }

    fn run_stages(
        &mut self,
        plan: &mut StepPlan,
        dt: f64,
        options: &StepOptions<'_>,
    ) -> Result<StepReport, WorldError> {
        let now = || options.clock.map_or(0.0, |clock| clock());
        let begun = now();
        let moved = self.move_boxes(plan, dt)?;
        let flown = now();
        self.find_pairs()?;
        self.follow_soft_ways(plan, dt);
        self.take_back_meshes();
        self.keep_flights(&mut plan.flights, dt);
        self.apply_motion(plan, dt);
        self.follow_pairs();
        self.follow_rigid_ways(&plan.flights, dt);
        Ok(self.finish_step(moved, Some((&plan.flights, dt)), options, [begun, flown, now()]))
    }

    /// Decides the pairs that were proposed, and lists the changes; the moments are the ends of the stages before.
    fn finish_step(
        &mut self,
        moved: usize,
        way: Option<MovedBodies<'_>>,
        options: &StepOptions<'_>,
        [begun, flown, proposed]: [f64; 3],
    ) -> StepReport {
        let now = || options.clock.map_or(0.0, |clock| clock());
        let (points, searched) = self.narrow_with(way, options, begun);
        let decided = now();
        self.update_events();
        self.publish();
        let end = now();
        self.note_closing(searched, end);
        self.report(moved, points, [begun, flown, proposed, decided, end])
    }

    /// Moves bodies to given poses and finds the contacts there: pairs, contacts and events as in a step, with the
    /// caches of the pairs. No time passes, no velocity changes, and no contact in between is found.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// // Poses come from elsewhere: a planner, a tracker, another engine.
    /// let mut world = World::new(Settings::default())?;
    /// let table = world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let cup = world.insert(Body::kinematic(Convex::cylinder(0.04, 0.05)?, Pose::from_translation(Vec3::Z)?))?;
    /// world.detect(&[(cup, Pose::from_translation(Vec3::Z * 0.05)?)])?;
    /// let touch = &world.touches()[0];
    /// assert_eq!((touch.a, touch.b), (table, cup));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`], [`WorldError::Crowded`], [`WorldError::Broad`]; the world is
    /// then as it was.
    pub fn detect(&mut self, poses: &[(BodyId, Pose)]) -> Result<StepReport, WorldError> {
        self.detect_with(poses, &StepOptions::default())
    }

    /// [`World::detect`] by a clock, as [`World::step_with`].
    ///
    /// # Errors
    /// As [`World::detect`].
    pub fn detect_with(
        &mut self,
        poses: &[(BodyId, Pose)],
        options: &StepOptions<'_>,
    ) -> Result<StepReport, WorldError> {
        let now = || options.clock.map_or(0.0, |clock| clock());
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
        Ok(self.finish_step(poses.len(), None, options, [begun, placed, now()]))
    }

    /// Computes the boxes of bodies at new poses.
    fn boxes_at(&self, poses: &[(BodyId, Pose)]) -> Result<Vec<Move>, WorldError> {
        let go = |&(id, pose): &(BodyId, Pose)| {
            let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
            near(&pose)?;
            Ok(Move { id: id.index, bounds: grown(&body.shape.bounds_at(&pose), self.settings.margin) })
        };
        let moves: Vec<Result<Move, WorldError>> = poses.par_iter().with_min_len(64).map(go).collect();
        moves.into_iter().collect()
    }

    /// Finds the contacts of the bodies as they are placed: pairs, contacts and events as in a step. No step is counted
    /// and no time passes; it finds the overlaps at the beginning of a run.
    ///
    /// # Errors
    /// [`WorldError::Crowded`]; the world is then as it was.
    pub fn refresh_contacts(&mut self) -> Result<StepReport, WorldError> {
        self.find_pairs()?;
        self.last_step = 0.0;
        self.follow_pairs();
        Ok(self.finish_step(0, None, &StepOptions::default(), [0.0; 3]))
    }

    /// Returns counts, and the time of each stage.
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
    fn apply_motion(&mut self, plan: &StepPlan, dt: f64) {
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
                // As many as before and within range, as a mesh requires.
                Arc::make_mut(mesh).deform(vertices).expect("vertices were checked");
            }
        };
        slots.par_iter_mut().enumerate().with_min_len(64).for_each(move_one);
        self.now.slots = slots;
        self.now.step += 1;
        self.now.time += dt;
        self.last_step = dt;
    }

    /// Keeps the caches of pairs that go on, and adds pairs that begin.
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

    /// Decides all pairs, or the waiting ones until the time is over. Returns the number of contact points.
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
                    self.prefetch(isa, states, at);
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

    /// Prefetches the memory of the pairs after one: first the bodies of a pair, then, as its turn comes nearer, the
    /// fields of their shapes.
    #[inline(always)]
    fn prefetch(&self, isa: impl Isa, states: &[PairState], at: usize) {
        for part in 0..PARTS {
            let Some(state) = states.get(at + AHEAD * (PARTS - part)) else { continue };
            for place in [state.pair.a, state.pair.b] {
                let Some(slot) = self.now.slots.get(place as usize) else { continue };
                match (&slot.body, part) {
                    (_, 0) => isa.prefetch(slot),
                    (Some(body), part) => body.shape.prefetch(isa, part - 1),
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
        // If no time passes, there is no motion to search.
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

    /// The surfaces swept by a body, if they are known.
    fn way(&self, at: u32) -> Option<&SweptSurfaces> {
        self.ways.get(at as usize)?.as_deref()
    }

    /// Finds when two bodies came to touch that were disjoint as the step began.
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

    /// Compares the contacts with those before. A contact within the step only begins and ends at once; it only ends if
    /// the bodies were within the margin before. Pairs that were left out go on as they were.
    fn update_events(&mut self) {
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

/// The items of a sorted list that are not in another.
fn without(list: &[[BodyId; 2]], other: &[[BodyId; 2]]) -> Vec<[BodyId; 2]> {
    let mut rest = other.iter().peekable();
    let is_new = |pair: &&[BodyId; 2]| {
        while rest.next_if(|before| before < pair).is_some() {}
        rest.peek() != Some(pair)
    };
    list.iter().filter(is_new).copied().collect()
}
