//! List of boxes in blocks of eight, tested as a whole: for brute force, and for boxes that fit no other structure.
//!
//! In: boxes in the coordinates of a frame, with ids. Out: the ids of the boxes that may overlap a box. Cost: n / 8
//! tests.

use super::lanes::{Eight, VACANT, lane, overlaps, set_lane};
use crate::broad_phase::ProxyId;
use heurt_bvh::Aabb32;
use heurt_bvh::simd::LanesFor;

/// The list.
#[derive(Debug, Default)]
pub(crate) struct FlatBoxes {
    blocks: Vec<Eight>,
    ids: Vec<ProxyId>,
}

impl FlatBoxes {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn ids(&self) -> &[ProxyId] {
        &self.ids
    }

    /// Renumbers the ids of the boxes.
    pub fn renumber(&mut self, new: &[u32]) {
        self.ids.iter_mut().for_each(|id| *id = new[*id as usize]);
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.ids.clear();
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Eight>() + self.ids.capacity() * size_of::<ProxyId>()
    }

    /// Adds a box and returns its index.
    pub fn push(&mut self, id: ProxyId, bounds: &Aabb32) -> usize {
        let place = self.ids.len();
        if place.is_multiple_of(8) {
            self.blocks.push(VACANT);
        }
        self.ids.push(id);
        self.set(place, bounds);
        place
    }

    pub fn set(&mut self, place: usize, bounds: &Aabb32) {
        set_lane(&mut self.blocks[place / 8], place % 8, bounds);
    }

    pub fn get(&self, place: usize) -> Aabb32 {
        lane(&self.blocks[place / 8], place % 8)
    }

    /// Removes the box at index `place`; returns the id that moved there from the end, if any.
    pub fn swap_remove(&mut self, place: usize) -> Option<ProxyId> {
        let last = self.ids.len() - 1;
        let bounds = self.get(last);
        self.set(place, &bounds);
        self.ids.swap_remove(place);
        if last.is_multiple_of(8) {
            self.blocks.pop();
        }
        self.ids.get(place).copied()
    }

    /// Visits the boxes from index `place` on that may overlap `other`; returns the number of tests.
    #[inline(always)]
    pub fn overlapping<I: LanesFor<8>>(&self, isa: I, from: usize, other: &Aabb32, visit: impl FnMut(ProxyId)) -> u64 {
        self.overlapping_within(isa, from, self.blocks.len(), other, visit)
    }

    #[inline(always)]
    fn overlapping_within<I: LanesFor<8>>(
        &self,
        isa: I,
        from: usize,
        count: usize,
        other: &Aabb32,
        mut visit: impl FnMut(ProxyId),
    ) -> u64 {
        let first = from / 8;
        let blocks = &self.blocks[first.min(self.blocks.len())..];
        let blocks = &blocks[..count.min(blocks.len())];
        let ids = &self.ids[(first * 8).min(self.ids.len())..];
        // Masks out lanes before `from`, in its own block only.
        let mut wanted = 0xffu32 << (from % 8);
        for (eight, ids) in blocks.iter().zip(ids.chunks(8)) {
            let mut bits = overlaps(isa, eight, other) & wanted;
            wanted = u32::MAX;
            while bits != 0 {
                if let Some(&id) = ids.get(bits.trailing_zeros() as usize) {
                    visit(id);
                }
                bits &= bits - 1;
            }
        }
        blocks.len() as u64
    }

    /// Visits the same in a list ordered by starts along x: stops at boxes that start beyond `other`.
    #[inline(always)]
    pub fn overlapping_until<I: LanesFor<8>>(
        &self,
        isa: I,
        from: usize,
        other: &Aabb32,
        visit: impl FnMut(ProxyId),
    ) -> u64 {
        let rest = &self.blocks[(from / 8).min(self.blocks.len())..];
        let count = rest.iter().take_while(|eight| eight.min[0][0] <= other.max[0]).count();
        self.overlapping_within(isa, from, count, other, visit)
    }
}
