//! Neighbour searches: for the few objects that left their fat boxes, for all objects at once, in a region, along a
//! ray.
//!
//! In: trees, list, slots. Out: pairs of slots whose fat boxes may overlap and whose filters meet, each once.

use super::slots::{Home, Slots};
use super::wide_tree::WideTree;
use super::{Tree, walk};
use crate::broad_phase::common::box_list::FlatBoxes;
use crate::broad_phase::{Pair, ProxyId};
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa};
use heurt_bvh::{Aabb32, RayQuery};

/// Structures to search, and the output.
pub(crate) struct TreeSearch<'a> {
    pub moving: &'a WideTree,
    pub fixed: &'a WideTree,
    pub flat: &'a FlatBoxes,
    pub slots: &'a Slots,
    pub now: u32,
    pub stack: &'a mut Vec<u32>,
    pub found: &'a mut Vec<Pair>,
}

/// Selection of the structures to search.
#[derive(Clone, Copy)]
struct Where {
    moving: bool,
    fixed: bool,
    flat: bool,
    /// Whether an object that is also searching, and has the lesser slot, reports the pair.
    all_search: bool,
}

impl TreeSearch<'_> {
    /// Searches the neighbours of an object; returns the number of visited nodes.
    #[inline(always)]
    fn of<I: LanesFor<8>>(&mut self, isa: I, slot: u32, places: Where) -> u64 {
        let (entry, rest) = (&self.slots.entries[slot as usize], &self.slots.rests[slot as usize]);
        let found = &mut *self.found;
        let mut visit = |other: u32| {
            let searches = places.all_search && self.slots.entries[other as usize].drawn == self.now;
            if other != slot && !(searches && other < slot) && rest.meets(&self.slots.rests[other as usize]) {
                found.push(Pair::new(slot, other));
            }
        };
        let mut nodes = 0;
        if places.moving {
            nodes += walk::overlapping(isa, self.moving, &entry.fat, self.stack, &mut visit);
        }
        if places.fixed {
            nodes += walk::overlapping(isa, self.fixed, &entry.fat, self.stack, &mut visit);
        }
        if places.flat {
            nodes += self.flat.overlapping(isa, 0, &entry.fat, &mut visit);
        }
        nodes
    }
}

/// Searches the fresh objects against all.
pub(crate) struct Fresh<'a> {
    pub search: TreeSearch<'a>,
    pub fresh: &'a [u32],
}

impl Kernel for Fresh<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(mut self, isa: I) -> u64 {
        let mut nodes = 0;
        for &slot in self.fresh {
            let fixed = self.search.slots.entries[slot as usize].home != Home::Static;
            nodes += self.search.of(isa, slot, Where { moving: true, fixed, flat: true, all_search: true });
        }
        nodes
    }
}

/// Searches all pairs: the moving tree with itself, moving objects in the static tree, the list with all.
pub(crate) struct Join<'a> {
    pub search: TreeSearch<'a>,
    pub pairs: &'a mut Vec<(u32, u32)>,
}

impl Kernel for Join<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> u64 {
        let Self { mut search, pairs } = self;
        let (slots, flat) = (search.slots, search.flat);
        let found = &mut *search.found;
        let mut nodes = walk::join_self(isa, search.moving, pairs, |one, other| {
            if slots.rests[one as usize].meets(&slots.rests[other as usize]) {
                found.push(Pair::new(one, other));
            }
        });
        if search.fixed.len() > 0 {
            for slot in 0..slots.entries.len() {
                if slots.entries[slot].home == Home::Moving {
                    let places = Where { moving: false, fixed: true, flat: false, all_search: false };
                    nodes += search.of(isa, slot as u32, places);
                }
            }
        }
        for (place, &slot) in flat.ids().iter().enumerate() {
            nodes += search.of(isa, slot, Where { moving: true, fixed: true, flat: false, all_search: false });
            let (bounds, found) = (flat.get(place), &mut *search.found);
            nodes += flat.overlapping(isa, place + 1, &bounds, |other| {
                if slots.rests[slot as usize].meets(&slots.rests[other as usize]) {
                    found.push(Pair::new(slot, other));
                }
            });
        }
        nodes
    }
}

/// Finds the objects that may be in a region.
pub(crate) struct RegionVisitor<'a> {
    pub tree: &'a Tree,
    pub region: Aabb32,
    pub visit: &'a mut dyn FnMut(ProxyId),
}

impl Kernel for RegionVisitor<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let (entries, visit) = (&self.tree.slots.entries, self.visit);
        let mut take = |slot: u32| visit(entries[slot as usize].id);
        let mut stack = vec![];
        for tree in [&self.tree.moving, &self.tree.fixed] {
            walk::overlapping(isa, tree, &self.region, &mut stack, &mut take);
        }
        self.tree.flat.overlapping(isa, 0, &self.region, &mut take);
    }
}

/// Finds the objects that a ray may meet.
pub(crate) struct AlongRay<'a> {
    pub tree: &'a Tree,
    pub ray: RayQuery,
    pub visit: &'a mut dyn FnMut(ProxyId),
}

impl Kernel for AlongRay<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        let (entries, visit) = (&self.tree.slots.entries, self.visit);
        let mut take = |slot: u32| visit(entries[slot as usize].id);
        for tree in [&self.tree.moving, &self.tree.fixed] {
            walk::along(isa, tree, &self.ray, &mut take);
        }
        // Unbounded boxes are left to the exact test.
        self.tree.flat.ids().iter().for_each(|&slot| take(slot));
    }
}
