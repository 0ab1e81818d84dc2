//! Slots: the tree's data of its objects, in its own order.
//!
//! In: ids that come and go. Out: slots, small numbers that stay until the next renumbering, and their entries.

use crate::broad_phase::ProxyId;
use crate::broad_phase::common::proxies::{ProxyRecord, STATIC, make_room};
use heurt_bvh::Aabb32;

/// No slot.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// Structure that holds an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Nowhere,
    Moving,
    Static,
    Flat,
}

/// Data that each step reads: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct SlotEntry {
    /// Its box.
    pub now: Aabb32,
    pub fat: Aabb32,
    pub id: ProxyId,
    /// The step in which its fat box was made.
    pub drawn: u32,
    /// Its index in that structure.
    pub place: u32,
    pub home: Home,
}

/// Data that is read only for objects that leave their fat box, or are found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    /// The middle of its box when its fat box was made.
    pub middle: [f32; 3],
    pub group: u32,
    pub mask: u32,
    pub is_static: bool,
}

impl Rest {
    pub fn take_filter(&mut self, record: &ProxyRecord) {
        (self.group, self.mask, self.is_static) = (record.group, record.mask, record.has(STATIC));
    }

    /// Reports whether the filters meet.
    #[inline(always)]
    pub fn meets(&self, other: &Self) -> bool {
        (self.group & other.mask != 0) & (other.group & self.mask != 0) & !(self.is_static & other.is_static)
    }
}

/// All slots.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    of_id: Vec<u32>,
    pub entries: Vec<SlotEntry>,
    pub rests: Vec<Rest>,
    free: Vec<u32>,
    /// Slots of the objects removed in this step; their candidates are still to end.
    leaving: Vec<u32>,
}

impl Slots {
    pub fn bytes(&self) -> usize {
        let numbers = self.of_id.capacity() + self.free.capacity() + self.leaving.capacity();
        numbers * 4 + self.entries.capacity() * size_of::<SlotEntry>() + self.rests.capacity() * size_of::<Rest>()
    }

    #[inline(always)]
    pub fn of(&self, id: ProxyId) -> u32 {
        self.of_id.get(id as usize).copied().unwrap_or(NO_SLOT)
    }

    pub fn clear(&mut self) {
        self.of_id.clear();
        self.entries.clear();
        self.rests.clear();
        self.free.clear();
        self.leaving.clear();
    }

    /// Assigns a slot to an id. The number of ids is `end`.
    pub fn give(&mut self, id: ProxyId, end: usize) -> u32 {
        self.of_id.resize(end.max(self.of_id.len()), NO_SLOT);
        let nothing = Aabb32::EMPTY;
        let entry = SlotEntry { now: nothing, fat: nothing, id, drawn: 0, place: 0, home: Home::Nowhere };
        let rest = Rest { middle: [0.0; 3], group: 0, mask: 0, is_static: false };
        let slot = if let Some(slot) = self.free.pop() {
            (self.entries[slot as usize], self.rests[slot as usize]) = (entry, rest);
            slot
        } else {
            let count = self.entries.len() + 1;
            make_room(&mut self.entries, count);
            make_room(&mut self.rests, count);
            self.entries.push(entry);
            self.rests.push(rest);
            self.entries.len() as u32 - 1
        };
        self.of_id[id as usize] = slot;
        slot
    }

    /// Marks the object of a slot as removed; it is in no structure any more.
    pub fn leave(&mut self, slot: u32) {
        let entry = &mut self.entries[slot as usize];
        entry.now = Aabb32::EMPTY;
        self.of_id[entry.id as usize] = NO_SLOT;
        self.leaving.push(slot);
    }

    /// Returns the slots of the objects removed in this step.
    pub fn leaving(&self) -> &[u32] {
        &self.leaving
    }

    /// Frees the slots of removed objects.
    pub fn end_step(&mut self) {
        self.free.append(&mut self.leaving);
    }

    /// Numbers slots in the given order, those of removed objects after them; returns the new number of each old one.
    /// Rare enough to allocate its memory each time.
    pub fn renumber(&mut self, order: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut new = vec![NO_SLOT; self.entries.len()];
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut rests = Vec::with_capacity(self.rests.len());
        for old in order.chain(self.leaving.iter().copied()) {
            new[old as usize] = entries.len() as u32;
            entries.push(self.entries[old as usize]);
            rests.push(self.rests[old as usize]);
        }
        (self.entries, self.rests) = (entries, rests);
        self.free.clear();
        for slot in &mut self.leaving {
            *slot = new[*slot as usize];
        }
        for (slot, entry) in self.entries.iter().enumerate() {
            if entry.home != Home::Nowhere {
                self.of_id[entry.id as usize] = slot as u32;
            }
        }
        new
    }
}
