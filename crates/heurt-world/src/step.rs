//! One step: bodies fly, boxes follow, pairs are proposed, each is proved or dismissed, and what changed is told.
//!
//! Method: S0 §2.3–2.6, S4 §1.1. All that a step will do is worked out before anything is changed, so that a fault leaves the world
//! as it was. Pairs remember where their search ended (`PairCache`). Under a deadline pairs that touched come first, and what
//! is left when time is over is told as unproven: their boxes meet, so they may touch, and nobody else can.

use crate::body::{Body, BodyId, Kind};
use crate::flight::{Flight, flight};
use crate::narrow::{Detection, Touch, contact_of, impact_of};
use crate::soft_impact::{Side, Untold, is_soft, soft_impact};
use crate::view::Slot;
use crate::world::{World, WorldError, grown};
use heurt_broad::{Move, Pair};
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_query::{Impact, PairCache};
use heurt_shape::ShapeRef;
use rayon::prelude::*;

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
    /// Whether they overlapped when they were last looked at: then nothing is asked of the way.
    pub is_overlapping: bool,
}

impl PairState {
    pub(crate) fn new(pair: Pair, is_overlapping: bool) -> Self {
        Self { pair, cache: PairCache::default(), is_overlapping }
    }
}

/// What came of a pair.
enum Found {
    Nothing,
    Touch(Box<Touch>),
    /// Numbers that are out of range: they may touch.
    Unknown,
}

/// What becomes of a body in a step.
pub(crate) struct Next {
    pub flight: Flight,
    bounds: Aabb,
    /// Of a soft body.
    pub vertices: Option<Vec<Vec3>>,
}

/// A step, in seconds.
const LONGEST: f64 = 1e100;

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
        if !(dt > 0.0 && dt <= LONGEST) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a time above 0 and up to 1e100 s" });
        }
        let now = || watch.clock.map_or(0.0, |clock| clock());
        let begun = now();
        let nexts = self.nexts(dt)?;
        let moves: Vec<Move> = nexts
            .iter()
            .zip(0..)
            .filter_map(|(next, id)| next.as_ref().map(|next| Move { id, bounds: next.bounds }))
            .collect();
        self.now.boxes.update(&moves)?;
        self.follow_soft_ways(&nexts);
        let flights = self.commit(nexts, dt);
        let flown = now();
        self.now.boxes.step();
        self.follow_pairs();
        self.follow_rigid_ways(&flights, dt);
        let proposed = now();
        let until = watch.deadline.map_or(f64::INFINITY, |deadline| begun + deadline);
        let touches = self.narrow(&flights, dt, &|| now() < until);
        let decided = now();
        self.tell(touches);
        self.publish();
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
        let next = |index: usize| self.next(index as u32, dt);
        // Of several faults that of the first body is told, whichever was found first.
        let nexts: Vec<_> = (0..self.now.slots.len()).into_par_iter().with_min_len(64).map(next).collect();
        nexts.into_iter().collect()
    }

    fn next(&self, index: u32, dt: f64) -> Result<Option<Next>, WorldError> {
        let Some((id, body)) = self.now.at(index) else { return Ok(None) };
        if matches!(body.kind, Kind::Static) {
            return Ok(None);
        }
        let refuse = |source| WorldError::Flight { id, source };
        let flight = flight(body, self.settings.gravity, self.now.time, dt).map_err(refuse)?;
        let vertices = match &body.kind {
            Kind::Soft(deformation) => Some(deformation.vertices(self.now.time + dt)),
            _ => None,
        };
        if let Some(vertex) = vertices.iter().flatten().position(|v| !is_near(v)) {
            return Err(WorldError::Deform { id, vertex });
        }
        let shape = ShapeRef::from(&body.shape);
        let mut bounds = match &vertices {
            Some(vertices) => Aabb::from_points(vertices.iter().map(|v| flight.end.place(*v))),
            None => shape.placed_bounds(&flight.end),
        };
        if self.settings.detection == Detection::Continuous {
            for (number, leg) in flight.legs.iter().enumerate() {
                let next = flight.legs.get(number + 1);
                let (until, end) = next.map_or((dt, &flight.end), |next| (next.begun, &next.pose));
                bounds = bounds.union(swept(shape, [&leg.pose, end], &leg.motion, until - leg.begun));
            }
        }
        Ok(Some(Next { flight, bounds: grown(&bounds, self.settings.margin), vertices }))
    }

    /// Moves the bodies, and gives what they did, by place.
    fn commit(&mut self, nexts: Vec<Option<Next>>, dt: f64) -> Vec<Flight> {
        let move_one = |(slot, next): (&mut Slot, Option<Next>)| {
            let Some(body) = &mut slot.body else { return Flight::still(Pose::IDENTITY) };
            let Some(Next { flight, vertices, .. }) = next else { return Flight::still(body.pose) };
            (body.pose, body.velocity, body.angular_velocity) = (flight.end, flight.velocity, flight.angular_velocity);
            if let Some((vertices, mesh)) = vertices.zip(slot.own_mesh()) {
                // As many as before and within range, which is all that a mesh asks.
                mesh.deform(&vertices).expect("vertices were checked");
            }
            flight
        };
        let flights = self.now.slots.par_iter_mut().zip(nexts).with_min_len(64).map(move_one).collect();
        self.now.step += 1;
        self.now.time += dt;
        flights
    }

    /// Keeps what pairs remember that go on, and takes in those that begin.
    fn follow_pairs(&mut self) {
        let mut before = std::mem::take(&mut self.states).into_iter().peekable();
        let follow = |&pair: &Pair| {
            while before.next_if(|state| state.pair < pair).is_some() {}
            let known = before.next_if(|state| state.pair == pair);
            known.unwrap_or_else(|| PairState::new(pair, false))
        };
        self.states = self.now.boxes.pairs().iter().map(follow).collect();
    }

    /// Decides pairs, those that overlapped first, as long as `goes_on` says.
    fn narrow(&mut self, flights: &[Flight], dt: f64, goes_on: &(dyn Fn() -> bool + Sync)) -> Vec<Touch> {
        let mut states = std::mem::take(&mut self.states);
        states.sort_by_key(|state| !state.is_overlapping);
        let (mut touches, mut unproven, mut decided) = (Vec::new(), Vec::new(), 0);
        for block in states.chunks_mut(BLOCK) {
            if !goes_on() {
                break;
            }
            decided += block.len();
            let of_share = |share: &mut [PairState]| -> Vec<(Pair, Found)> {
                share.iter_mut().map(|state| (state.pair, self.decide(state, flights, dt))).collect()
            };
            let found: Vec<_> = block.par_chunks_mut(SHARE).map(of_share).collect();
            for (pair, found) in found.into_iter().flatten() {
                match found {
                    Found::Nothing => {}
                    Found::Touch(touch) => touches.push(*touch),
                    Found::Unknown => unproven.push(pair),
                }
            }
        }
        for state in &mut states[decided..] {
            // What they do next is looked at, however they stood.
            state.is_overlapping = false;
            unproven.push(state.pair);
        }
        let ids = |pair: Pair| Some([self.now.at(pair.a)?.0, self.now.at(pair.b)?.0]);
        let mut unproven: Vec<[BodyId; 2]> = unproven.into_iter().filter_map(ids).collect();
        unproven.sort_unstable();
        states.sort_unstable_by_key(|state| state.pair);
        touches.sort_unstable_by_key(|touch| (touch.a, touch.b));
        (self.states, self.unproven) = (states, unproven);
        touches
    }

    fn decide(&self, state: &mut PairState, flights: &[Flight], dt: f64) -> Found {
        let Some(((id_a, a), (id_b, b))) = self.now.at(state.pair.a).zip(self.now.at(state.pair.b)) else {
            return Found::Nothing;
        };
        let contact = contact_of(a, b, self.settings.margin, &mut state.cache);
        let overlaps = contact.as_ref().is_some_and(|contact| contact.separation <= 0.0);
        let was_apart = !std::mem::replace(&mut state.is_overlapping, overlaps);
        let impact = match self.settings.detection == Detection::Continuous && was_apart {
            true => self.impact((state.pair.a, a), (state.pair.b, b), flights, dt),
            false => Ok(None),
        };
        match (contact, impact) {
            (None, Ok(None)) => Found::Nothing,
            (None, Err(_)) => Found::Unknown,
            (contact, impact) => {
                Found::Touch(Box::new(Touch { a: id_a, b: id_b, contact, impact: impact.unwrap_or_default() }))
            }
        }
    }

    /// When two bodies came to touch that were apart as the step began.
    fn impact(
        &self,
        (at_a, a): (u32, &Body),
        (at_b, b): (u32, &Body),
        flights: &[Flight],
        dt: f64,
    ) -> Result<Option<Impact>, Untold> {
        let flight = |at: u32| &flights[at as usize];
        if !is_soft(a) && !is_soft(b) {
            return impact_of((a, flight(at_a)), (b, flight(at_b)), dt);
        }
        let side = |at: u32, body| Side { body, flight: flight(at), way: self.ways[at as usize].as_ref() };
        soft_impact(side(at_a, a), side(at_b, b), dt)
    }

    /// Compares with what touched before. Who touched on the way only begins and ends at once; those that were left out go on as they
    /// were.
    fn tell(&mut self, touches: Vec<Touch>) {
        let of = |touches: &[Touch], rests: bool| -> Vec<[BodyId; 2]> {
            let chosen = touches.iter().filter(|touch| touch.contact.is_some() == rests);
            chosen.map(|touch| [touch.a, touch.b]).collect()
        };
        let (before, now, passing) = (std::mem::take(&mut self.resting), of(&touches, true), of(&touches, false));
        let is_open = |pair: &[BodyId; 2]| self.unproven.binary_search(pair).is_ok();
        let is_new = |pair: &&[BodyId; 2]| before.binary_search(pair).is_err();
        let is_over = |pair: &&[BodyId; 2]| now.binary_search(pair).is_err() && !is_open(pair);
        let mut begun: Vec<_> = now.iter().filter(is_new).chain(&passing).copied().collect();
        let mut ended: Vec<_> = before.iter().filter(is_over).chain(&passing).copied().collect();
        let persisting = now.len() - now.iter().filter(is_new).count();
        begun.sort_unstable();
        ended.sort_unstable();
        let kept = before.iter().filter(|pair| now.binary_search(pair).is_err() && is_open(pair)).copied();
        let mut resting: Vec<_> = now.iter().copied().chain(kept).collect();
        resting.sort_unstable();
        self.events = Events { begun, ended, persisting };
        (self.resting, self.touches) = (resting, touches);
    }
}

/// Soft vertices beyond this have squares beyond the range of numbers.
const FARTHEST: f64 = 1e150;

/// Tells whether squares of the coordinates are numbers.
fn is_near(v: &Vec3) -> bool {
    v.is_finite() && v.abs().max_element() <= FARTHEST
}

/// A box about what a shape sweeps between two poses: paths bend, and poses on the way are rounded.
pub(crate) fn swept(shape: ShapeRef<'_>, [start, end]: [&Pose; 2], motion: &Motion, dt: f64) -> Aabb {
    let ends = shape.placed_bounds(start).union(shape.placed_bounds(end));
    let pivot = start.place(motion.pivot());
    let from_axis = (ends.min - pivot).abs().max((ends.max - pivot).abs()).length();
    let farthest = ends.min.abs().max(ends.max.abs()).max_element() + start.span() + motion.pivot().length();
    let turned = 1.0 + motion.angular_velocity().length() * dt;
    let room = 256.0 * f64::EPSILON * (farthest + motion.velocity().length() * dt) * turned;
    let by = motion.bend(from_axis, dt) + room;
    Aabb { min: ends.min - by, max: ends.max + by }
}
