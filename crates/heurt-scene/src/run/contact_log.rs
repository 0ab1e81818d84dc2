//! Contact log: the contacts of a run as intervals of time, and the begins and ends of each step.
//!
//! In: the world after each step. Out: [`ContactLog`]: an interval for each time that two bodies touch, with the
//! deepest separation and the impulse in it.
//! Guarantees: pairs in the order of the bodies, the same for any number of threads. Memory: at most [`MAX_INTERVALS`]
//! intervals are kept; further ones are counted.

use heurt_geometry::Vec3;
use heurt_world::{BodyContact, BodyId, ContactState, Kind, Response, SolvedContact, World};
use std::collections::{BTreeMap, BTreeSet};

/// Number of intervals that are kept: some 10 MB.
const MAX_INTERVALS: usize = 100_000;

/// Two bodies by their ids, the body that was added to the world first in front.
pub type PairId = [BodyId; 2];

/// An interval of time in which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactInterval {
    /// The bodies, the body that was added to the world first in front.
    pub pair: PairId,
    /// Begin, in seconds of the run.
    pub from: f64,
    /// End, in seconds of the run; `None` while they touch.
    pub to: Option<f64>,
    /// The greatest depth at the end of a step, in metres; 0 if they only touch.
    pub deepest: f64,
    /// Sum of normal impulses, in N·s.
    pub impulse: f64,
}

/// The begin or the end of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactEvent {
    /// The bodies, the body that was added to the world first in front.
    pub pair: PairId,
    /// True at the begin.
    pub is_begin: bool,
    /// In seconds of the run.
    pub time: f64,
    /// Point and normal at the begin, if they are known.
    pub place: Option<(Vec3, Vec3)>,
    /// Normal impulse in N·s: of the step in which the bodies came to touch, or of the whole contact at its end.
    pub impulse: f64,
}

/// The contacts of a run.
#[derive(Debug, Default)]
pub struct ContactLog {
    ended: Vec<ContactInterval>,
    open: BTreeMap<PairId, ContactInterval>,
    /// Number of intervals beyond [`MAX_INTERVALS`].
    dropped: usize,
    /// Numbers of begins and ends.
    counts: [usize; 2],
}

/// Pairs that began to be in contact in a step, and pairs that ended it, in the order of the bodies.
struct ContactChanges {
    begun: Vec<PairId>,
    ended: Vec<PairId>,
}

impl ContactChanges {
    /// The changes that the world reports.
    fn of_events(world: &World) -> Self {
        Self { begun: world.events().begun.clone(), ended: world.events().ended.clone() }
    }
}

impl ContactLog {
    /// Adds the state after a step, which began at `begun` in the time of the run. Returns the begins, then the ends,
    /// in the order of the bodies.
    pub fn step(&mut self, world: &World, begun: f64) -> Vec<ContactEvent> {
        let now = world.time();
        let ContactChanges { begun: new, ended } = match world.settings().response {
            Response::None => ContactChanges::of_events(world),
            _ => self.find_changes(world),
        };
        let mut events = Vec::with_capacity(new.len() + ended.len());
        for pair in &new {
            let touch = touch_of(world, pair);
            let solved = solved_of(world, pair);
            let first = solved.and_then(|contact| contact.points.first()).map(|point| &point.motion);
            let impact = touch.and_then(|touch| touch.impact.as_ref()).map(|impact| impact.time);
            let from = impact.or(first.and_then(|motion| motion.time)).map_or(now, |time| begun + time);
            let place = touch.and_then(|touch| place_of(world, touch));
            let place = place.or(first.map(|motion| (motion.point, motion.normal)));
            let interval = ContactInterval { pair: *pair, from, to: None, deepest: 0.0, impulse: 0.0 };
            self.open.insert(*pair, interval);
            let impulse = solved.map_or(0.0, SolvedContact::impulse);
            events.push(ContactEvent { pair: *pair, is_begin: true, time: from, place, impulse });
        }
        self.counts[0] += new.len();
        self.counts[1] += ended.len();
        self.add_state(world);
        let begun_now: BTreeSet<PairId> = new.into_iter().collect();
        for pair in ended {
            let Some(interval) = self.open.remove(&pair) else { continue };
            // Bodies that begin to touch within the step and are disjoint at its end touch at one time only.
            let is_disjoint = touch_of(world, &pair).is_none_or(|touch| touch.contact.is_none());
            let to = if begun_now.contains(&pair) && is_disjoint { interval.from } else { now };
            self.keep(ContactInterval { to: Some(to), ..interval });
            let impulse = interval.impulse;
            events.push(ContactEvent { pair, is_begin: false, time: to, place: None, impulse });
        }
        events
    }

    /// Adds depths and impulses of a step to the open intervals.
    fn add_state(&mut self, world: &World) {
        for touch in world.contacts() {
            if let (Some(interval), Some(contact)) = (self.open.get_mut(&[touch.a, touch.b]), &touch.contact) {
                interval.deepest = interval.deepest.max(-contact.separation);
            }
        }
        for contact in world.solved_contacts() {
            if let Some(interval) = self.open.get_mut(&[contact.a, contact.b]) {
                interval.impulse += contact.impulse();
            }
        }
    }

    /// The changes in a world with a response: bodies are in contact if they touch, or if they pushed each other in the
    /// step. Bodies at rest on each other stay in contact, even if a rounding error separates them as the step ends.
    fn find_changes(&self, world: &World) -> ContactChanges {
        let pushed = world.solved_contacts().iter().filter(|contact| contact.impulse() != 0.0);
        let is_at_rest = |contact: &&SolvedContact| {
            contact.points.iter().any(|point| point.motion.approach == ContactState::Resting)
        };
        let resting = pushed.clone().filter(is_at_rest).map(|contact| [contact.a, contact.b]);
        let touching = world.contacts().iter().filter(|touch| touch.contact.is_some());
        let present: BTreeSet<PairId> = touching.map(|touch| [touch.a, touch.b]).chain(resting).collect();
        let touched = world.contacts().iter().map(|touch| [touch.a, touch.b]);
        let met: BTreeSet<PairId> = touched.chain(pushed.map(|contact| [contact.a, contact.b])).collect();
        let is_static = |id: BodyId| world.body(id).is_some_and(|body| matches!(body.kind, Kind::Static));
        let open = self.open.keys().filter(|[a, b]| !(is_static(*a) && is_static(*b)));
        let begun: Vec<PairId> = met.iter().filter(|pair| !self.open.contains_key(*pair)).copied().collect();
        let mut ended: Vec<PairId> = open.chain(&begun).filter(|pair| !present.contains(*pair)).copied().collect();
        ended.sort_unstable();
        ContactChanges { begun, ended }
    }

    /// Adds a pair of static bodies, which touches throughout the run. Returns the begin.
    pub fn add_static(&mut self, pair: PairId, depth: f64, place: Option<(Vec3, Vec3)>) -> ContactEvent {
        let interval = ContactInterval { pair, from: 0.0, to: None, deepest: depth.max(0.0), impulse: 0.0 };
        self.open.insert(pair, interval);
        ContactEvent { pair, is_begin: true, time: 0.0, place, impulse: 0.0 }
    }

    /// Returns the numbers of begins and ends.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// Returns the number of contacts whose intervals were dropped.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    fn keep(&mut self, interval: ContactInterval) {
        match self.ended.len() < MAX_INTERVALS {
            true => self.ended.push(interval),
            false => self.dropped += 1,
        }
    }

    /// Returns all intervals, ended and open ones, by the time at which they began.
    pub fn intervals(&self) -> Vec<ContactInterval> {
        let mut all: Vec<ContactInterval> = self.ended.iter().chain(self.open.values()).copied().collect();
        all.sort_by(|x, y| x.from.total_cmp(&y.from).then(x.pair.cmp(&y.pair)));
        all
    }
}

/// Finds the contact of a pair; contacts are in the order of their pairs.
fn touch_of<'w>(world: &'w World, pair: &PairId) -> Option<&'w BodyContact> {
    let number = world.contacts().binary_search_by_key(pair, |touch| [touch.a, touch.b]).ok()?;
    world.contacts().get(number)
}

/// Finds the solved contact of a pair.
fn solved_of<'w>(world: &'w World, pair: &PairId) -> Option<&'w SolvedContact> {
    let number = world.solved_contacts().binary_search_by_key(pair, |contact| [contact.a, contact.b]).ok()?;
    world.solved_contacts().get(number)
}

/// Returns the point and the normal of a contact: of the impact within the step, else of the first contact point.
fn place_of(world: &World, touch: &BodyContact) -> Option<(Vec3, Vec3)> {
    if let Some(impact) = &touch.impact {
        return Some((impact.point, impact.normal.unwrap_or(Vec3::ZERO)));
    }
    world.contact_motions(touch).first().map(|met| (met.point, met.normal))
}
