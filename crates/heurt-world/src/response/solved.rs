//! Contacts that the response solved in the last step, with their impulses, in the order of pairs.
//!
//! A point that was solved several times in one step, at an impact and at rest after it, has the sum of its impulses
//! and the motion of the first time. If its normal has turned since then, the tangential impulse has the rest of the
//! whole impulse, so that momentum adds up.

use crate::body::BodyId;
use crate::contact::ContactMotion;
use crate::state::memory_report::bytes_of_list;
use heurt_geometry::Vec3;
use heurt_query::Feature;
use smallvec::SmallVec;

/// A contact point that the response solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolvedPoint {
    /// Place and motion before the response.
    pub motion: ContactMotion,
    /// The features of A and of B that touch.
    pub features: [Feature; 2],
    /// Normal impulse on B along the normal, in N·s, summed over the step.
    pub impulse: f64,
    /// Tangential impulse on B, in N·s, summed over the step.
    pub friction_impulse: Vec3,
    /// Normal and tangential impulse of the last sub-step, which start the next solve.
    pub(crate) warm_normal: f64,
    pub(crate) warm_tangent: Vec3,
}

/// The solved points of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedContact {
    /// The body with the lower place.
    pub a: BodyId,
    /// The body with the higher place.
    pub b: BodyId,
    /// The points.
    pub points: SmallVec<[SolvedPoint; 4]>,
}

impl SolvedContact {
    /// Returns the normal impulse of all points, in N·s.
    pub fn impulse(&self) -> f64 {
        self.points.iter().map(|point| point.impulse).sum()
    }
}

/// All solved contacts of a step, in the order of pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct SolvedContacts {
    contacts: Vec<SolvedContact>,
}

impl SolvedContacts {
    /// Returns the contacts.
    pub(crate) fn contacts(&self) -> &[SolvedContact] {
        &self.contacts
    }

    /// Returns the contact of a pair.
    pub(crate) fn get(&self, a: BodyId, b: BodyId) -> Option<&SolvedContact> {
        let at = self.contacts.binary_search_by_key(&(a, b), |contact| (contact.a, contact.b)).ok()?;
        Some(&self.contacts[at])
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.contacts)
    }

    /// Adds the contacts of an earlier step that fulfil a condition, for pairs that have none.
    pub(crate) fn keep(&mut self, earlier: Self, condition: impl Fn(&SolvedContact) -> bool) {
        let known = self.contacts.len();
        self.contacts.extend(earlier.contacts.into_iter().filter(condition));
        if self.contacts.len() > known {
            self.contacts.sort_by_key(|contact| (contact.a, contact.b));
            self.contacts.dedup_by_key(|contact| (contact.a, contact.b));
        }
    }

    /// Adds a solved point of a pair that is not before the last pair.
    pub(crate) fn push(&mut self, a: BodyId, b: BodyId, point: SolvedPoint) {
        match self.contacts.last_mut().filter(|last| (last.a, last.b) == (a, b)) {
            Some(last) => last.points.push(point),
            None => self.contacts.push(SolvedContact { a, b, points: SmallVec::from_iter([point]) }),
        }
    }

    /// Adds solved points: to a point of the same features, else as a new point.
    pub(crate) fn add(&mut self, a: BodyId, b: BodyId, point: SolvedPoint) {
        let at = match self.contacts.binary_search_by_key(&(a, b), |contact| (contact.a, contact.b)) {
            Ok(at) => at,
            Err(at) => {
                self.contacts.insert(at, SolvedContact { a, b, points: SmallVec::new() });
                at
            }
        };
        let points = &mut self.contacts[at].points;
        match points.iter_mut().find(|known| known.features == point.features) {
            Some(known) => {
                let turned = point.motion.normal - known.motion.normal;
                known.impulse += point.impulse;
                known.friction_impulse += point.friction_impulse + turned * point.impulse;
            }
            None => points.push(point),
        }
    }
}
