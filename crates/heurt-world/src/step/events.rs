//! Contacts of the last step, and the changes that it made: contacts that began, go on and ended.
//!
//! In: results of the pairs of a step, the pairs in contact before. Out: [`Events`], and pairs that may have touched.
//! Method: merges of sorted lists of pairs. Cost: linear in the contacts.

use crate::body::BodyId;
use crate::contact::BodyContact;
use crate::state::bodies::Bodies;
use crate::state::memory_report::bytes_of_list;
use crate::step::pairs::PairResults;
use heurt_query::ContactPoint;

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

/// The contacts of a step, to which an error puts them back.
pub(crate) struct FoundContacts {
    contacts: Vec<BodyContact>,
    points: usize,
    interrupted: Vec<[BodyId; 2]>,
    unproven: Vec<[BodyId; 2]>,
}

/// The contacts of the last step, and its changes.
#[derive(Debug, Default)]
pub(crate) struct ContactSet {
    /// The contacts, in the order of pairs.
    pub found: PairResults,
    /// The pairs that a deadline left out or cut short, sorted.
    pub interrupted: Vec<[BodyId; 2]>,
    unproven: Vec<[BodyId; 2]>,
    /// The pairs in contact after the last step.
    touching_pairs: Vec<[BodyId; 2]>,
    events: Events,
}

impl ContactSet {
    /// Returns the contacts, in the order of pairs.
    pub(crate) fn contacts(&self) -> &[BodyContact] {
        &self.found.contacts
    }

    /// Returns the pairs that may have touched, sorted.
    pub(crate) fn unproven(&self) -> &[[BodyId; 2]] {
        &self.unproven
    }

    /// Returns the pairs in contact after the last step.
    pub(crate) fn touching_pairs(&self) -> &[[BodyId; 2]] {
        &self.touching_pairs
    }

    /// Returns the changes of the last step.
    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Takes the contacts of the last step out, before those of the next are found.
    pub(crate) fn take_found(&mut self) -> FoundContacts {
        let points = self.found.points;
        FoundContacts {
            contacts: std::mem::take(&mut self.found.contacts),
            points,
            interrupted: self.interrupted.clone(),
            unproven: self.unproven.clone(),
        }
    }

    /// Puts contacts back after a step that failed.
    pub(crate) fn put_back(&mut self, found: FoundContacts) {
        (self.found.contacts, self.found.points) = (found.contacts, found.points);
        (self.interrupted, self.unproven) = (found.interrupted, found.unproven);
    }

    /// Clears the results of the last step, before those of the next are found.
    pub(crate) fn clear_results(&mut self) {
        self.found.contacts.clear();
        self.found.points = 0;
        self.interrupted.clear();
    }

    /// Lists the pairs that may have touched.
    pub(crate) fn update_unproven(&mut self, bodies: &Bodies) {
        let unknown = std::mem::take(&mut self.found.unknown);
        self.unproven.clone_from(&self.interrupted);
        if !unknown.is_empty() {
            self.unproven.extend(unknown.into_iter().filter_map(|pair| bodies.ids(pair)));
            self.unproven.sort_unstable();
        }
    }

    /// Adds pairs that may have touched.
    pub(crate) fn add_unproven(&mut self, pairs: Vec<[BodyId; 2]>) {
        if !pairs.is_empty() {
            self.unproven.extend(pairs);
            self.unproven.sort_unstable();
            self.unproven.dedup();
        }
    }

    /// Compares the contacts with those before. A contact within the step only begins and ends at once; it only ends if
    /// the bodies were within the margin before. Pairs that were left out go on as they were.
    pub(crate) fn update_events(&mut self) {
        let of = |rests: bool| {
            let chosen = self.found.contacts.iter().filter(move |touch| touch.contact.is_some() == rests);
            chosen.map(|touch| [touch.a, touch.b])
        };
        let (before, now) = (&self.touching_pairs, of(true).collect::<Vec<_>>());
        let passing = without(&of(false).collect::<Vec<_>>(), before);
        let is_open = |pair: &[BodyId; 2]| self.interrupted.binary_search(pair).is_ok();
        let begun = without(&now, before);
        let (open, over): (Vec<_>, Vec<_>) = without(before, &now).into_iter().partition(is_open);
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
        self.touching_pairs = joined(now, &open);
    }

    /// Replaces all contacts and pairs in contact by those of another step, without changes.
    pub(crate) fn restore(&mut self, contacts: Vec<BodyContact>, touching_pairs: Vec<[BodyId; 2]>) {
        let found = PairResults { contacts, ..PairResults::default() };
        *self = Self { found, touching_pairs, ..Self::default() };
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        let points = |touch: &BodyContact| {
            let contact = touch.contact.as_ref().filter(|contact| contact.points.spilled());
            contact.map_or(0, |contact| contact.points.capacity() * size_of::<ContactPoint>())
        };
        let pairs = [&self.interrupted, &self.unproven, &self.touching_pairs, &self.events.begun, &self.events.ended];
        let points = self.found.contacts.iter().map(points).sum::<usize>();
        self.found.bytes() + points + pairs.into_iter().map(bytes_of_list).sum::<usize>()
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
