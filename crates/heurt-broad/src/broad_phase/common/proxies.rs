//! Objects of a broad phase: box and filter of each in one cache line, and the list of objects that changed since the
//! last step.
//!
//! In: insertions, updates, removals, validated before any change. Out: records by id, and the list of ids that
//! changed, each once, in the order of the first change.

use crate::broad_phase::{BroadPhaseError, Filter, Mobility, Move, ProxyId};
use heurt_geometry::Aabb;

/// The object exists now.
pub(crate) const PRESENT: u32 = 1;
/// It is static.
pub(crate) const STATIC: u32 = 2;
/// It existed after the last step.
pub(crate) const KNOWN: u32 = 4;
/// It is in the list of changes.
pub(crate) const CHANGED: u32 = 8;
/// Its filter differs from the filter after the last step, so all its pairs must be tested again.
pub(crate) const RENEWED: u32 = 16;

/// An object: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct ProxyRecord {
    pub bounds: Aabb,
    pub group: u32,
    pub mask: u32,
    pub flags: u32,
}

const NOBODY: ProxyRecord = ProxyRecord { bounds: Aabb::EMPTY, group: 0, mask: 0, flags: 0 };

impl ProxyRecord {
    #[inline(always)]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Reports whether the filters meet; false for a removed object.
    #[inline(always)]
    pub fn meets(&self, other: &Self) -> bool {
        let both = self.flags & other.flags;
        let wanted = (self.group & other.mask != 0) & (other.group & self.mask != 0);
        wanted & (both & (PRESENT | STATIC) == PRESENT)
    }

    /// Reports whether two objects are a pair: the definition used by every kind.
    #[inline(always)]
    pub fn pairs_with(&self, other: &Self) -> bool {
        self.meets(other) & overlap(&self.bounds, &other.bounds)
    }

    pub fn filter(&self) -> Filter {
        let mobility = if self.has(STATIC) { Mobility::Static } else { Mobility::Moving };
        Filter { group: self.group, mask: self.mask, mobility }
    }

    fn set_filter(&mut self, filter: Filter) {
        let fixed = if filter.mobility == Mobility::Static { STATIC } else { 0 };
        (self.group, self.mask, self.flags) = (filter.group, filter.mask, self.flags & !STATIC | fixed);
    }
}

/// `Aabb::overlaps` without a branch, which would be mispredicted every other time.
#[inline(always)]
pub(crate) fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (a.min.x <= b.max.x)
        & (b.min.x <= a.max.x)
        & (a.min.y <= b.max.y)
        & (b.min.y <= a.max.y)
        & (a.min.z <= b.max.z)
        & (b.min.z <= a.max.z)
}

#[inline(always)]
fn is_box(bounds: &Aabb) -> bool {
    // For ordered numbers the difference is at least 0; for equal infinities it is `NaN`.
    let edges = bounds.max - bounds.min;
    (edges.x >= 0.0) & (edges.y >= 0.0) & (edges.z >= 0.0)
}

/// Reserves room for `count` entries, and an eighth more if a list must grow: records are large, and doubling is rarely
/// needed.
pub(crate) fn make_room<T>(list: &mut Vec<T>, count: usize) {
    if count > list.capacity() {
        list.reserve_exact(count - list.len() + count / 8);
    }
}

/// Empties a list that is filled in every step, and frees capacity that the last step, of `taken` entries, did not
/// need. Peaks rarely repeat in the next step.
pub(crate) fn empty<T>(list: &mut Vec<T>, taken: usize) {
    let taken = taken.max(256);
    list.clear();
    if list.capacity() > 4 * taken {
        list.shrink_to(2 * taken);
    }
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    records: Vec<ProxyRecord>,
    changed: Vec<ProxyId>,
    present: usize,
    statics: usize,
    /// The filter of all objects ever inserted, if there is only one.
    filter: Option<Filter>,
    /// Whether there has been a second filter.
    differ: bool,
}

impl Proxies {
    /// Returns the record of an id below [`Proxies::end`].
    #[inline(always)]
    pub fn record(&self, id: ProxyId) -> &ProxyRecord {
        &self.records[id as usize]
    }

    #[inline(always)]
    pub fn records(&self) -> &[ProxyRecord] {
        &self.records
    }

    /// Returns the upper bound of ids.
    pub fn end(&self) -> usize {
        self.records.len()
    }

    pub fn len(&self) -> usize {
        self.present
    }

    pub fn statics(&self) -> usize {
        self.statics
    }

    /// Reports whether all filters provably meet: all are equal, and the filter meets itself.
    pub fn all_meet(&self) -> bool {
        !self.differ && self.filter.is_none_or(|filter| filter.meets(&filter))
    }

    fn note_filter(&mut self, filter: Filter) {
        self.differ |= *self.filter.get_or_insert(filter) != filter;
    }

    /// Returns the ids of the objects that changed since the last step.
    pub fn changed(&self) -> &[ProxyId] {
        &self.changed
    }

    pub fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<ProxyRecord>() + self.changed.capacity() * size_of::<ProxyId>()
    }

    /// Returns the ids of all objects, ascending.
    pub fn ids(&self) -> impl Iterator<Item = ProxyId> + '_ {
        self.records.iter().enumerate().filter(|(_, record)| record.has(PRESENT)).map(|(id, _)| id as u32)
    }

    pub fn get(&self, id: ProxyId) -> Option<&ProxyRecord> {
        self.records.get(id as usize).filter(|record| record.has(PRESENT))
    }

    pub fn insert(&mut self, id: ProxyId, bounds: &Aabb, filter: Filter, end: u32) -> Result<(), BroadPhaseError> {
        if id >= end {
            return Err(BroadPhaseError::IdTooLarge { id, end });
        }
        if self.get(id).is_some() {
            return Err(BroadPhaseError::Taken { id });
        }
        if !is_box(bounds) {
            return Err(BroadPhaseError::BadBox { id, bounds: *bounds });
        }
        if self.records.len() <= id as usize {
            make_room(&mut self.records, id as usize + 1);
            self.records.resize(id as usize + 1, NOBODY);
        }
        let record = &mut self.records[id as usize];
        if record.has(KNOWN) && record.filter() != filter {
            record.flags |= RENEWED;
        }
        record.bounds = *bounds;
        record.set_filter(filter);
        record.flags |= PRESENT;
        self.present += 1;
        self.statics += usize::from(record.has(STATIC));
        self.note_filter(filter);
        self.note_change(id);
        Ok(())
    }

    pub fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError> {
        self.get(id).ok_or(BroadPhaseError::Unknown { id })?;
        let record = &mut self.records[id as usize];
        record.flags &= !PRESENT;
        self.present -= 1;
        self.statics -= usize::from(record.has(STATIC));
        self.note_change(id);
        Ok(())
    }

    pub fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError> {
        let old = self.get(id).ok_or(BroadPhaseError::Unknown { id })?.filter();
        if old != filter {
            let record = &mut self.records[id as usize];
            let was = record.has(STATIC);
            record.set_filter(filter);
            record.flags |= RENEWED;
            self.statics = self.statics + usize::from(record.has(STATIC)) - usize::from(was);
            self.note_filter(filter);
            self.note_change(id);
        }
        Ok(())
    }

    pub fn update(&mut self, moves: &[Move]) -> Result<(), BroadPhaseError> {
        for Move { id, bounds } in moves {
            self.get(*id).ok_or(BroadPhaseError::Unknown { id: *id })?;
            if !is_box(bounds) {
                return Err(BroadPhaseError::BadBox { id: *id, bounds: *bounds });
            }
        }
        let mut count = self.changed.len();
        make_room(&mut self.changed, count + moves.len());
        self.changed.resize(count + moves.len(), 0);
        for Move { id, bounds } in moves {
            let record = &mut self.records[*id as usize];
            if record.bounds == *bounds {
                continue;
            }
            record.bounds = *bounds;
            // Branch-free: if this id is on the list already, the next one overwrites the slot.
            self.changed[count] = *id;
            count += usize::from(!record.has(CHANGED));
            record.flags |= CHANGED;
        }
        self.changed.truncate(count);
        Ok(())
    }

    fn note_change(&mut self, id: ProxyId) {
        let record = &mut self.records[id as usize];
        if !record.has(CHANGED) {
            record.flags |= CHANGED;
            self.changed.push(id);
        }
    }

    /// Makes the current state the state after the last step.
    pub fn end_step(&mut self) {
        for &id in &self.changed {
            let record = &mut self.records[id as usize];
            let known = if record.has(PRESENT) { KNOWN } else { 0 };
            record.flags = record.flags & (PRESENT | STATIC) | known;
        }
        self.changed.clear();
    }
}
