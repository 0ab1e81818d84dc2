//! One step: bodies fly, boxes follow, pairs are proposed, each is proved or dismissed, and what changed is told.
//!
//! Method: S0 §2.3–2.6, S4 §1.1. All that a step will do is worked out before anything is changed, so that a fault leaves the world
//! as it was. Pairs remember where their search ended (`PairCache`). Under a deadline pairs that touched come first, and what
//! is left when time is over is told as unproven: their boxes meet, so they may touch, and nobody else can.

use crate::body::{BodyId, Kind};
use crate::flight::{Flight, flight};
use crate::narrow::{Detection, Moving, Touch, contact_of, impact_of};
use crate::world::{World, WorldError, grown};
use heurt_broad::{Move, Pair};
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_query::PairCache;
use heurt_shape::{Shape, ShapeRef};
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

/// Who measures time, and when it is over.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Seconds since some moment; without it no time is measured and no deadline kept.
    pub clock: Option<&'a (dyn Fn() -> f64 + Sync)>,
    /// Seconds that a step may take.
    pub deadline: Option<f64>,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("clock", &self.clock.is_some()).field("deadline", &self.deadline).finish()
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
    /// Pairs that a deadline left undecided.
    pub unproven: usize,
    /// By stage, where a clock was given.
    pub seconds: [f64; STAGES.len()],
}

/// What a pair of bodies whose boxes meet remembers.
#[derive(Debug, Clone)]
pub(crate) struct PairState {
    pub pair: Pair,
    cache: PairCache,
    is_touching: bool,
}

impl PairState {
    /// Of two that touch.
    pub(crate) fn of_touch(touch: &Touch) -> Self {
        Self { pair: Pair::new(touch.a.index, touch.b.index), cache: PairCache::default(), is_touching: true }
    }
}

/// What becomes of a body in a step.
struct Next {
    flight: Flight,
    bounds: Aabb,
    /// Of a soft body.
    vertices: Option<Vec<Vec3>>,
}

/// Where a body was and what it did.
struct Done {
    start: Pose,
    flight: Flight,
}

/// Pairs that one thread takes at a time.
const SHARE: usize = 16;
/// Pairs between two looks at the clock.
const BLOCK: usize = 128;

impl World {
    /// Takes a step of `dt` seconds: bodies fly and boxes follow; pairs are proposed; each is proved or dismissed; what changed is told.
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        self.step_watched(dt, &Watch::default())
    }

    /// [`World::step`] under a watch, which tells how long stages take and may end the step early.
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step_watched(&mut self, dt: f64, watch: &Watch<'_>) -> Result<StepReport, WorldError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a finite time above 0" });
        }
        let now = || watch.clock.map_or(0.0, |clock| clock());
        let begun = now();
        let nexts = self.nexts(dt)?;
        let moves: Vec<Move> = nexts
            .iter()
            .zip(0..)
            .filter_map(|(next, id)| next.as_ref().map(|next| Move { id, bounds: next.bounds }))
            .collect();
        self.broad.update(&moves)?;
        let done = self.commit(nexts, dt);
        let flown = now();
        self.broad.step();
        self.follow_pairs();
        let proposed = now();
        let until = watch.deadline.map_or(f64::INFINITY, |deadline| begun + deadline);
        let touches = self.narrow(&done, dt, &|| now() < until);
        let decided = now();
        self.tell(touches);
        let mut report = StepReport {
            moved: moves.len(),
            pairs: self.states.len(),
            touching: self.touches.len(),
            points: self.touches.iter().filter_map(|t| t.contact.as_ref()).map(|contact| contact.points.len()).sum(),
            unproven: self.unproven.len(),
            seconds: [0.0; STAGES.len()],
        };
        let moments = [begun, flown, proposed, decided, now()];
        report.seconds.iter_mut().zip(moments.windows(2)).for_each(|(spent, ends)| *spent = ends[1] - ends[0]);
        Ok(report)
    }

    /// What becomes of each body that may move; by place.
    fn nexts(&self, dt: f64) -> Result<Vec<Option<Next>>, WorldError> {
        let next = |index: usize| -> Result<Option<Next>, WorldError> {
            let Some((id, body)) = self.at(index as u32) else { return Ok(None) };
            if matches!(body.kind, Kind::Static) {
                return Ok(None);
            }
            let refuse = |source| WorldError::Flight { id, source };
            let flight = flight(body, self.settings.gravity, self.time, dt).map_err(refuse)?;
            let is_continuous = self.settings.detection == Detection::Continuous;
            let vertices = match &body.kind {
                Kind::Soft(deformation) => Some(deformation.vertices(self.time + dt)),
                _ => None,
            };
            let mut bounds = match &vertices {
                Some(vertices) => Aabb::from_points(vertices.iter().map(|v| flight.end.place(*v))),
                None => ShapeRef::from(&body.shape).placed_bounds(&flight.end),
            };
            if is_continuous {
                let start = ShapeRef::from(&body.shape).placed_bounds(&body.pose);
                bounds = swept(&start.union(bounds), &body.pose, &flight.motion, dt);
            }
            Ok(Some(Next { flight, bounds: grown(&bounds, self.settings.margin), vertices }))
        };
        (0..self.slots.len()).into_par_iter().with_min_len(64).map(next).collect()
    }

    /// Moves the bodies.
    fn commit(&mut self, nexts: Vec<Option<Next>>, dt: f64) -> Vec<Done> {
        let still = |pose: Pose| Flight {
            motion: Motion::STILL,
            end: pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        };
        let move_one = |(slot, next): (&mut crate::world::Slot, Option<Next>)| {
            let Some(body) = &mut slot.body else {
                return Done { start: Pose::IDENTITY, flight: still(Pose::IDENTITY) };
            };
            let start = body.pose;
            let Some(Next { flight, vertices, .. }) = next else { return Done { start, flight: still(start) } };
            (body.pose, body.velocity, body.angular_velocity) = (flight.end, flight.velocity, flight.angular_velocity);
            if let (Some(vertices), Shape::Mesh(mesh)) = (vertices, &mut body.shape) {
                // The broad phase took their box, so that they are finite, and there are as many as before.
                let moved = Arc::make_mut(mesh).deform(&vertices);
                debug_assert!(moved.is_ok(), "{moved:?}");
            }
            Done { start, flight }
        };
        let done = self.slots.par_iter_mut().zip(nexts).with_min_len(64).map(move_one).collect();
        self.step += 1;
        self.time += dt;
        done
    }

    /// Keeps what pairs remember that go on, and takes in those that begin.
    fn follow_pairs(&mut self) {
        let mut before = std::mem::take(&mut self.states).into_iter().peekable();
        let follow = |&pair: &Pair| {
            while before.next_if(|state| state.pair < pair).is_some() {}
            let known = before.next_if(|state| state.pair == pair);
            known.unwrap_or(PairState { pair, cache: PairCache::default(), is_touching: false })
        };
        self.states = self.broad.pairs().iter().map(follow).collect();
    }

    /// Decides pairs, those that touched first, as long as `goes_on` says.
    fn narrow(&mut self, done: &[Done], dt: f64, goes_on: &(dyn Fn() -> bool + Sync)) -> Vec<Touch> {
        let mut states = std::mem::take(&mut self.states);
        states.sort_by_key(|state| !state.is_touching);
        let (mut touches, mut decided) = (Vec::new(), 0);
        for block in states.chunks_mut(BLOCK) {
            if !goes_on() {
                break;
            }
            decided += block.len();
            let of_share = |share: &mut [PairState]| -> Vec<Touch> {
                share.iter_mut().filter_map(|state| self.decide(state, done, dt)).collect()
            };
            let found: Vec<Vec<Touch>> = block.par_chunks_mut(SHARE).map(of_share).collect();
            touches.extend(found.into_iter().flatten());
        }
        let ids = |state: &PairState| Some([self.at(state.pair.a)?.0, self.at(state.pair.b)?.0]);
        let mut unproven: Vec<[BodyId; 2]> = states[decided..].iter().filter_map(ids).collect();
        unproven.sort_unstable();
        states.sort_unstable_by_key(|state| state.pair);
        touches.sort_unstable_by_key(|touch| (touch.a, touch.b));
        (self.states, self.unproven) = (states, unproven);
        touches
    }

    fn decide(&self, state: &mut PairState, done: &[Done], dt: f64) -> Option<Touch> {
        let ((id_a, a), (id_b, b)) = (self.at(state.pair.a)?, self.at(state.pair.b)?);
        let contact = contact_of(a, b, self.settings.margin, &mut state.cache);
        let was_apart = !std::mem::replace(&mut state.is_touching, contact.is_some());
        let is_continuous = self.settings.detection == Detection::Continuous && was_apart;
        let impact = is_continuous.then(|| {
            let moving = |body, index: u32| {
                let done = &done[index as usize];
                Moving { body, start: &done.start, flight: &done.flight }
            };
            impact_of(moving(a, state.pair.a), moving(b, state.pair.b), dt)
        });
        let impact = impact.flatten();
        (contact.is_some() || impact.is_some()).then_some(Touch { a: id_a, b: id_b, contact, impact })
    }

    /// Compares with what touched before. Who touched on the way only begins and ends at once.
    fn tell(&mut self, touches: Vec<Touch>) {
        let resting = |touches: &[Touch]| -> Vec<[BodyId; 2]> {
            touches.iter().filter(|touch| touch.contact.is_some()).map(|touch| [touch.a, touch.b]).collect()
        };
        let (before, now) = (resting(&self.touches), resting(&touches));
        let is_new = |pair: &[BodyId; 2]| before.binary_search(pair).is_err();
        // Nothing is known of those that a deadline left out.
        let is_over =
            |pair: &[BodyId; 2]| now.binary_search(pair).is_err() && self.unproven.binary_search(pair).is_err();
        let passing = touches.iter().filter(|touch| touch.contact.is_none()).map(|touch| [touch.a, touch.b]);
        let passing: Vec<[BodyId; 2]> = passing.collect();
        let mut begun: Vec<_> =
            now.iter().copied().filter(|pair| is_new(pair)).chain(passing.iter().copied()).collect();
        let mut ended: Vec<_> = before.iter().copied().filter(|pair| is_over(pair)).chain(passing).collect();
        begun.sort_unstable();
        ended.sort_unstable();
        self.events = Events { persisting: now.len() - now.iter().filter(|pair| is_new(pair)).count(), begun, ended };
        self.touches = touches;
    }
}

/// A box about what a body sweeps that is within `ends` at both ends of the step: arcs leave their chords by at most ω²R·dt²/8.
fn swept(ends: &Aabb, start: &Pose, motion: &Motion, dt: f64) -> Aabb {
    let rate = motion.angular_velocity().length();
    if rate == 0.0 {
        return *ends;
    }
    let pivot = start.place(motion.pivot());
    let reach = (ends.min - pivot).abs().max((ends.max - pivot).abs()).length();
    let bend = rate * rate * reach * dt * dt * (0.125 * (1.0 + 1e-9));
    Aabb { min: ends.min - bend, max: ends.max + bend }
}
