//! A list of boxes, eight to a block, asked as a whole: brute force, and what does not fit elsewhere.
//!
//! In: boxes in the coordinates of a frame, with ids. Out: the ids of those that may overlap a box. Cost: n / 8 tests.

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

    /// Gives the boxes other ids.
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

    /// Adds a box; gives its place.
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

    /// Takes out the box at `place`; gives the id that has moved there from the end, if one has.
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

    /// Visits those from place `from` on that may overlap `other`; gives the number of tests.
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
        // Those before `from`, in its own block only.
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

    /// The same for a list in the order of starts along x: it ends where boxes start beyond `other`.
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
