//! Contacts of pairs whose boxes meet.
//!
//! In: bodies as the step ends, their motions, pairs in order. Out: contacts and impacts in the order of pairs, the
//! same for any number of threads.
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact within the step is
//! missed and no time is late: bodies fly as `step_motion` states, vertices of soft ones straight (`soft_impact`,
//! `soft_advance`).
//! Not guaranteed: two half-spaces, one of which turns, are only tested as the step ends.
//! Cost: one search a pair; each has a cache of its last search (`PairCache`).

use crate::body::{Body, BodyId};
use crate::contact::BodyContact;
use crate::response::assignment::Assignment;
use crate::response::candidates::{approach_bound, respond_to_each_other, touching_gap};
use crate::response::joints::JointTable;
use crate::response::sleep::SleepTable;
use crate::settings::{Detection, Settings};
use crate::state::view::WorldView;
use crate::step::impact::{SearchEnd, Side, poll_rarely, velocity_at_impact};
use crate::step::pairs::{PairResults, PairState, SearchProgress, UndecidedPair};
use crate::step::soft_impact::find_impact;
use crate::step::step_plan::StepMotions;
use crate::step::swept::SweptTable;
use heurt_bvh::simd::{Avx2, Isa};
use heurt_geometry::Vec3;
use heurt_query::{Budget, Budgeted, Contact, ContactOptions, PairCache};
use rayon::prelude::*;

/// Pairs that one thread takes at a time.
const SHARE: usize = 128;
/// Shares that are decided before their results are gathered: more would take as much memory again.
const SHARES: usize = 512;
/// Memory is prefetched in `PARTS` parts, each `AHEAD` pairs before the next part.
const PARTS: usize = 4;
const AHEAD: usize = 2;

/// The motions of bodies whose boxes meet others, and their duration in seconds.
#[derive(Clone, Copy)]
pub(crate) struct MovedBodies<'a> {
    pub motions: &'a StepMotions,
    pub dt: f64,
}

/// The operands of the search for contacts, which it does not change.
#[derive(Clone, Copy)]
pub(crate) struct NarrowPhase<'a> {
    pub view: &'a WorldView,
    pub settings: &'a Settings,
    pub swept: &'a SweptTable,
    /// `None` if no time passes.
    pub moved: Option<MovedBodies<'a>>,
    pub margin: PairMargin,
    pub joints: &'a JointTable,
    /// Contacts of pairs that need no search; `None` if all are searched.
    pub known: Option<KnownContacts<'a>>,
    /// With it, pairs that are not solved exactly are left out.
    pub only: Option<&'a Assignment>,
}

/// Contacts of the step before, which still hold for pairs of bodies that sleep or stay.
#[derive(Clone, Copy)]
pub(crate) struct KnownContacts<'a> {
    pub sleep: &'a SleepTable,
    /// In the order of pairs.
    pub contacts: &'a [BodyContact],
}

impl<'a> KnownContacts<'a> {
    /// Returns the contact of a pair that still holds.
    fn of_pair(&self, a: BodyId, b: BodyId) -> Option<&'a BodyContact> {
        if !self.sleep.is_asleep(a.index()) || !self.sleep.is_asleep(b.index()) {
            return None;
        }
        let at = self.contacts.binary_search_by_key(&(a, b), |known| (known.a, known.b)).ok()?;
        Some(&self.contacts[at])
    }
}

/// The distance up to which contacts are found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PairMargin {
    /// The same for all pairs, in metres.
    Fixed(f64),
    /// The distance by which the bodies of a pair may come nearer in the next step.
    Approach {
        /// At least this, in metres.
        least: f64,
        /// In m/s².
        gravity: Vec3,
        /// Length of the next step, in seconds.
        dt: f64,
    },
}

impl PairMargin {
    fn of(self, a: &Body, b: &Body) -> f64 {
        match self {
            Self::Fixed(margin) => margin,
            Self::Approach { least, gravity, dt } if respond_to_each_other(a, b) => {
                approach_bound(a, b, gravity, dt).max(touching_gap(a, b)).max(least)
            }
            Self::Approach { least, .. } => least,
        }
    }
}

impl NarrowPhase<'_> {
    /// Finds the contacts of all pairs, in their order; `shares` are the results of each thread, whose memory is
    /// reused.
    pub(crate) fn find_contacts(
        &self,
        states: &mut [PairState],
        shares: &mut Vec<PairResults>,
        into: &mut PairResults,
    ) {
        let decide = |(states, into): (&mut [PairState], &mut PairResults)| {
            let isa = Avx2::detect();
            for at in 0..states.len() {
                if let Some(isa) = isa {
                    self.prefetch(isa, states, at);
                }
                self.decide(&mut states[at], None, into);
            }
        };
        for states in states.chunks_mut(SHARE * SHARES) {
            let count = states.len().div_ceil(SHARE);
            shares.resize_with(shares.len().max(count), PairResults::default);
            states.par_chunks_mut(SHARE).zip(&mut shares[..count]).for_each(decide);
            shares[..count].iter_mut().for_each(|one| into.take(one));
        }
    }

    /// Prefetches the memory of the pairs after one: first the bodies of a pair, then, as its turn comes nearer, the
    /// fields of their shapes.
    #[inline(always)]
    fn prefetch(&self, isa: impl Isa, states: &[PairState], at: usize) {
        let slots = self.view.bodies.slots();
        for part in 0..PARTS {
            let Some(state) = states.get(at + AHEAD * (PARTS - part)) else { continue };
            for place in [state.pair.a, state.pair.b] {
                let Some(slot) = slots.get(place as usize) else { continue };
                match (&slot.body, part) {
                    (_, 0) => isa.prefetch(slot),
                    (Some(body), part) => body.shape.prefetch(isa, part - 1),
                    (None, _) => {}
                }
            }
        }
    }

    /// Finds the contact of a pair and, in continuous detection, its first impact, until the time is over.
    pub(crate) fn decide(&self, state: &mut PairState, until: SearchEnd<'_>, into: &mut PairResults) {
        state.search = SearchProgress::Whole;
        let bodies = &self.view.bodies;
        let is_left_out = self.only.is_some_and(|only| !only.is_exact_pair(state.pair.a, state.pair.b));
        if is_left_out || self.joints.separates(state.pair) {
            return;
        }
        let Some(((id_a, a), (id_b, b))) = bodies.at(state.pair.a).zip(bodies.at(state.pair.b)) else { return };
        if let Some(known) = self.known.and_then(|known| known.of_pair(id_a, id_b)) {
            into.points += known.contact.as_ref().map_or(0, |contact| contact.points.len());
            into.contacts.push(known.clone());
            return;
        }
        let (contact, mut was_interrupted) = match contact_of(a, b, self.margin.of(a, b), &mut state.cache, until) {
            Budgeted::Complete(contact) => (contact, false),
            Budgeted::Partial(contact) => (contact, true),
        };
        let overlaps = contact.as_ref().is_some_and(|contact| contact.separation <= 0.0);
        let was_disjoint = !std::mem::replace(&mut state.is_overlapping, overlaps);
        let flown = self.moved.filter(|_| self.settings.detection == Detection::Continuous && was_disjoint);
        // If no time passes, there is no motion to search.
        was_interrupted |= flown.is_some() && until.is_some_and(|goes_on| !goes_on());
        let impact = match flown {
            Some(flown) if !was_interrupted => {
                let sides = [(state.pair.a, a), (state.pair.b, b)].map(|at| self.side(at, flown));
                find_impact(sides, flown.dt, until)
            }
            _ => Ok(None),
        };
        if was_interrupted || impact == Err(UndecidedPair::Interrupted) {
            state.search = SearchProgress::Interrupted;
        }
        match (contact, impact) {
            (None, Ok(None)) => {}
            (None, Err(UndecidedPair::Interrupted)) => {}
            (None, Err(UndecidedPair::Unable)) => into.unknown.push(state.pair),
            (contact, impact) => {
                if impact == Err(UndecidedPair::Unable) {
                    into.unknown.push(state.pair);
                }
                into.points += contact.as_ref().map_or(0, |contact| contact.points.len());
                let impact = impact.unwrap_or_default();
                let velocity = impact.as_ref().zip(flown).map(|(impact, moved)| {
                    let sides = [(state.pair.a, a), (state.pair.b, b)].map(|at| self.side(at, moved));
                    velocity_at_impact(sides, impact, moved.dt)
                });
                let impact_velocity = velocity.unwrap_or_default();
                into.contacts.push(BodyContact { a: id_a, b: id_b, contact, impact, impact_velocity });
            }
        }
    }

    /// A body with its motion in the step.
    fn side<'a>(&'a self, (at, body): (u32, &'a Body), moved: MovedBodies<'a>) -> Side<'a> {
        Side { body, flight: moved.motions.of(at), swept: self.swept.get(at) }
    }
}

/// Finds the contact of two bodies as the step ends, if they come within the margin. Cut if the time is over, with the
/// contacts found by then.
fn contact_of(
    a: &Body,
    b: &Body,
    margin: f64,
    cache: &mut PairCache,
    until: SearchEnd<'_>,
) -> Budgeted<Option<Contact>, Option<Contact>> {
    let Some(goes_on) = until else {
        return Budgeted::Complete(cache.contact_manifold(&a.shape, &a.pose, &b.shape, &b.pose, margin));
    };
    let is_over = poll_rarely(goes_on);
    let budget = Budget { work: None, is_over: Some(&is_over) };
    let options = ContactOptions { max_distance: margin, budget };
    cache.contact_manifold_with(&a.shape, &a.pose, &b.shape, &b.pose, &options).outcome
}
