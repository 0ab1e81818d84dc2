//! Engine common to all kinds of broad phase: checks, filters, pairs, queries on boxes that changed since the last
//! step.
//!
//! In: a [`Method`], which finds pairs. Out: a [`BroadPhase`]. A query between an update and the next step uses the
//! structure for unchanged boxes, and tests each changed box: exact at any time.

use super::proxies::{CHANGED, PRESENT, Proxies, ProxyRecord};
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::methods::sweep::sweep_pairs;
use crate::broad_phase::{
    BroadPhase, BroadPhaseError, BroadPhaseKind, BroadPhaseStats, Fault, Filter, MAX_PROXIES, Move, Pair, PairChanges,
    ProxyId, Ray, RayHit, StepWork,
};
use heurt_geometry::{Aabb, Draw, DrawSink};
use std::fmt::Debug;

/// A pair-finding method.
pub(crate) trait Method: Debug + Send + Sync {
    /// Its kind, if [`BroadPhaseKind::create`] creates it.
    const KIND: Option<BroadPhaseKind>;
    /// Ids must be below this.
    const END: ProxyId = MAX_PROXIES;

    /// Updates structure and pair list for `proxies.changed()`, which is not empty.
    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork);

    /// Visits at least all objects that were in `region` at the last step, each once.
    fn near_box(&self, proxies: &Proxies, _region: &Aabb, visit: &mut dyn FnMut(ProxyId)) {
        proxies.ids().for_each(visit);
    }

    /// Visits at least all objects that `ray` met at the last step, each once.
    fn near_ray(&self, proxies: &Proxies, _ray: &Ray, visit: &mut dyn FnMut(ProxyId)) {
        proxies.ids().for_each(visit);
    }

    /// Draws the structure as it is since the last step.
    fn draw(&self, proxies: &Proxies, sink: &mut dyn DrawSink);

    /// Checks the structure, which is up to date.
    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>);

    /// Returns the memory on the heap, in bytes.
    fn bytes(&self) -> usize;

    /// Returns the number of candidate pairs, if the method keeps any.
    fn candidates(&self) -> Option<usize> {
        None
    }
}

/// A broad phase by a method.
#[derive(Debug, Default)]
pub(crate) struct Engine<M> {
    proxies: Proxies,
    book: PairBook,
    method: M,
    work: StepWork,
}

impl<M: Method> Engine<M> {
    /// Creates an engine without objects, with the given method.
    pub fn over(method: M) -> Self {
        Self { proxies: Proxies::default(), book: PairBook::default(), method, work: StepWork::default() }
    }

    /// Calls `take` with the unchanged objects that `near` visits and with all present objects that changed since the
    /// step.
    fn collect(&self, near: impl FnOnce(&mut dyn FnMut(ProxyId)), mut take: impl FnMut(ProxyId, &ProxyRecord)) {
        near(&mut |id| {
            let record = self.proxies.record(id);
            if record.flags & (PRESENT | CHANGED) == PRESENT {
                take(id, record);
            }
        });
        for &id in self.proxies.changed() {
            if let Some(record) = self.proxies.get(id) {
                take(id, record);
            }
        }
    }
}

impl<M: Method> Draw for Engine<M> {
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.method.draw(&self.proxies, sink);
    }
}

impl<M: Method> BroadPhase for Engine<M> {
    fn kind(&self) -> Option<BroadPhaseKind> {
        M::KIND
    }

    fn insert(&mut self, id: ProxyId, bounds: &Aabb, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.insert(id, bounds, filter, M::END)
    }

    fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError> {
        self.proxies.remove(id)
    }

    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        self.proxies.set_filter(id, filter)
    }

    fn update(&mut self, moves: &[Move]) -> Result<(), BroadPhaseError> {
        self.proxies.update(moves)
    }

    fn step(&mut self) -> PairChanges<'_> {
        self.book.begin_step();
        self.work = StepWork { changed: self.proxies.changed().len() as u64, ..StepWork::default() };
        if !self.proxies.changed().is_empty() {
            self.method.step(&mut self.proxies, &mut self.book, &mut self.work);
            self.proxies.end_step();
        }
        self.book.changes()
    }

    fn pairs(&self) -> &[Pair] {
        self.book.pairs()
    }

    fn proxy(&self, id: ProxyId) -> Option<(Aabb, Filter)> {
        self.proxies.get(id).map(|record| (record.bounds, record.filter()))
    }

    fn query_box(&self, region: &Aabb, mask: u32, found: &mut Vec<ProxyId>) -> Result<(), BroadPhaseError> {
        if region.min.is_nan() || region.max.is_nan() {
            return Err(BroadPhaseError::BadRegion { bounds: *region });
        }
        found.clear();
        if region.is_empty() {
            return Ok(());
        }
        self.collect(
            |visit| self.method.near_box(&self.proxies, region, visit),
            |id, record| {
                if record.group & mask != 0 && record.bounds.overlaps(region) {
                    found.push(id);
                }
            },
        );
        found.sort_unstable();
        Ok(())
    }

    fn query_ray(&self, ray: &Ray, mask: u32, found: &mut Vec<RayHit>) -> Result<(), BroadPhaseError> {
        let Ray { origin, direction, max_t } = *ray;
        if !origin.is_finite()
            || !direction.is_finite()
            || direction.abs().max_element() == 0.0
            || max_t < 0.0
            || max_t.is_nan()
        {
            return Err(BroadPhaseError::BadRay { origin, direction, max_t });
        }
        found.clear();
        self.collect(
            |visit| self.method.near_ray(&self.proxies, ray, visit),
            |id, record| {
                if let Some(entry) = (record.group & mask != 0).then(|| ray.entry(&record.bounds)).flatten() {
                    found.push(RayHit { id, t: entry });
                }
            },
        );
        found.sort_unstable_by(|x, y| x.t.total_cmp(&y.t).then(x.id.cmp(&y.id)));
        Ok(())
    }

    fn validate(&self) -> Vec<Fault> {
        let mut faults = vec![];
        if self.proxies.changed().is_empty() {
            let right = sweep_pairs(&self.proxies);
            let listed = self.book.pairs();
            faults
                .extend(listed.iter().filter(|pair| right.binary_search(pair).is_err()).map(|&p| Fault::FalsePair(p)));
            faults.extend(
                right.iter().filter(|pair| listed.binary_search(pair).is_err()).map(|&p| Fault::MissingPair(p)),
            );
            if let Some(at) = listed.windows(2).position(|two| two[0] >= two[1]) {
                faults.push(Fault::Structure { at: at as u32, what: "the pairs are not sorted" });
            }
            self.method.faults(&self.proxies, &mut faults);
        }
        faults
    }

    fn stats(&self) -> BroadPhaseStats {
        BroadPhaseStats {
            kind: M::KIND,
            proxies: self.proxies.len(),
            statics: self.proxies.statics(),
            pairs: self.book.pairs().len(),
            candidates: self.method.candidates().unwrap_or(self.book.pairs().len()),
            bytes: self.proxies.bytes() + self.book.bytes() + self.method.bytes(),
            work: self.work,
        }
    }
}
