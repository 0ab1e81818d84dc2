//! Dynamic R-tree of boxes with eight children a node and all leaves on one level.
//!
//! In: boxes in the coordinates of a frame, by slot, and a table of positions by slot that the tree maintains. Out:
//! slots of the objects that may overlap a box or meet a ray. Method: an R-tree: insertion follows the least growth of
//! half the surface (the SAH's measure), a full node is split along the axis with the least measure; a removal leaves a
//! gap. Nodes in struct-of-arrays form are tested eight children at a time (S0 §4.5.3, §4.5.9).
//! Its objects are boxes, so it is no part of [`PointIndex`](crate::PointIndex).
//! Guarantees: conservative, deterministic; nothing recurses. Cost: insertion O(log n), refit O(nodes above what
//! moved).

use super::slots::SlotEntry;
use crate::broad_phase::Fault;
use crate::broad_phase::common::lanes::{Eight, VACANT, lane, set_lane};
use heurt_bvh::Aabb32;
use std::array::from_fn;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;
/// Maximum number of levels.
const LEVELS: usize = 32;
/// Minimum number of children of each half of a split node.
const LEAST: usize = 4;

/// Eight children: nodes, or objects on level 0.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct WideNode {
    pub boxes: Eight,
    pub children: [u32; 8],
    pub parent: u32,
    pub lane: u8,
    pub count: u8,
    pub level: u8,
    is_dirty: bool,
}

impl WideNode {
    fn new(level: u8) -> Self {
        Self { boxes: VACANT, children: [NONE; 8], parent: NONE, lane: 0, count: 0, level, is_dirty: false }
    }

    /// Returns the mask of the lanes in use.
    #[inline(always)]
    pub fn used(&self) -> u32 {
        (1 << self.count) - 1
    }

    pub fn bounds(&self) -> Aabb32 {
        let mut all = Aabb32::EMPTY;
        for k in 0..3 {
            for lane in 0..8 {
                let (min, max) = (self.boxes.min[k][lane], self.boxes.max[k][lane]);
                all.min[k] = if min < all.min[k] { min } else { all.min[k] };
                all.max[k] = if max > all.max[k] { max } else { all.max[k] };
            }
        }
        all
    }
}

/// Returns half the surface, to which the probability of a visit is proportional.
#[inline(always)]
fn measure(bounds: &Aabb32) -> f32 {
    let e: [f32; 3] = from_fn(|k| bounds.max[k] - bounds.min[k]);
    e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
}

/// The tree.
#[derive(Debug)]
pub(crate) struct WideTree {
    pub nodes: Vec<WideNode>,
    pub root: u32,
    free: Vec<u32>,
    count: usize,
    dirty: Vec<Vec<u32>>,
    /// The measure of all nodes when the tree was packed.
    pub built_measure: f32,
}

impl Default for WideTree {
    fn default() -> Self {
        let dirty = vec![vec![]; LEVELS];
        Self { nodes: vec![], root: NONE, free: vec![], count: 0, dirty, built_measure: 0.0 }
    }
}

impl WideTree {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> usize {
        let lists = self.free.capacity() + self.dirty.iter().map(Vec::capacity).sum::<usize>();
        self.nodes.capacity() * size_of::<WideNode>() + lists * 4 + LEVELS * size_of::<Vec<u32>>()
    }

    /// Returns the box of all objects.
    pub fn bounds(&self) -> Aabb32 {
        if self.root == NONE { Aabb32::EMPTY } else { self.nodes[self.root as usize].bounds() }
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.free.clear();
        self.dirty.iter_mut().for_each(Vec::clear);
        (self.root, self.count, self.built_measure) = (NONE, 0, 0.0);
    }

    /// Packs objects in the given order, eight to a leaf, and leaves eight to a node.
    pub fn pack(&mut self, order: impl ExactSizeIterator<Item = u32>, entries: &mut [SlotEntry]) {
        self.clear();
        self.count = order.len();
        if self.count == 0 {
            return;
        }
        self.nodes.reserve(self.count / 6 + 8);
        let mut order = order.peekable();
        while order.peek().is_some() {
            let mut node = WideNode::new(0);
            let at = self.nodes.len() as u32;
            for slot in order.by_ref().take(8) {
                let entry = &mut entries[slot as usize];
                set_lane(&mut node.boxes, usize::from(node.count), &entry.fat);
                node.children[usize::from(node.count)] = slot;
                entry.place = at * 8 + u32::from(node.count);
                node.count += 1;
            }
            self.nodes.push(node);
        }
        let mut from = 0;
        for level in 1..LEVELS as u8 {
            let to = self.nodes.len();
            if to - from == 1 {
                break;
            }
            for first in (from..to).step_by(8) {
                let mut node = WideNode::new(level);
                let at = self.nodes.len() as u32;
                for child in first..(first + 8).min(to) {
                    let lane = node.count;
                    set_lane(&mut node.boxes, usize::from(lane), &self.nodes[child].bounds());
                    node.children[usize::from(lane)] = child as u32;
                    (self.nodes[child].parent, self.nodes[child].lane) = (at, lane);
                    node.count += 1;
                }
                self.nodes.push(node);
            }
            from = to;
        }
        self.root = self.nodes.len() as u32 - 1;
        self.built_measure = self.measure();
    }

    /// Returns the sum of the measures of all nodes except the root.
    pub fn measure(&self) -> f32 {
        let mut sums = [0.0f32; 8];
        for node in self.nodes.iter().filter(|node| node.level > 0 && node.count > 0) {
            let (min, max) = (&node.boxes.min, &node.boxes.max);
            for lane in 0..8 {
                let e: [f32; 3] = from_fn(|k| max[k][lane] - min[k][lane]);
                let area = e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
                sums[lane] += if lane < usize::from(node.count) { area } else { 0.0 };
            }
        }
        sums.iter().sum()
    }

    /// Reports whether a box may stay in the leaf of its object: it meets the boxes already there.
    pub fn is_at_home(&self, place: u32, fat: &Aabb32) -> bool {
        let leaf = &self.nodes[place as usize / 8];
        if leaf.parent == NONE {
            return true;
        }
        let home = lane(&self.nodes[leaf.parent as usize].boxes, usize::from(leaf.lane));
        crate::broad_phase::common::lanes::overlap32(&home, fat)
    }

    /// Sets the box of the object at `place`; [`WideTree::refit`] must follow.
    #[inline(always)]
    pub fn set(&mut self, place: u32, fat: &Aabb32) {
        let node = &mut self.nodes[place as usize / 8];
        set_lane(&mut node.boxes, place as usize % 8, fat);
        self.mark_dirty(place / 8);
    }

    #[inline(always)]
    fn mark_dirty(&mut self, at: u32) {
        let node = &mut self.nodes[at as usize];
        if !node.is_dirty {
            node.is_dirty = true;
            self.dirty[usize::from(node.level)].push(at);
        }
    }

    /// Updates the boxes above all moved objects.
    pub fn refit(&mut self) {
        for level in 0..LEVELS {
            let mut dirty = std::mem::take(&mut self.dirty[level]);
            for &at in &dirty {
                let node = &mut self.nodes[at as usize];
                if !node.is_dirty || usize::from(node.level) != level {
                    continue;
                }
                node.is_dirty = false;
                let (parent, place, bounds) = (node.parent, usize::from(node.lane), node.bounds());
                if parent != NONE && lane(&self.nodes[parent as usize].boxes, place) != bounds {
                    set_lane(&mut self.nodes[parent as usize].boxes, place, &bounds);
                    self.mark_dirty(parent);
                }
            }
            dirty.clear();
            self.dirty[level] = dirty;
        }
    }

    fn take_node(&mut self, level: u8) -> u32 {
        let node = WideNode::new(level);
        if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            at
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        }
    }

    /// Inserts an object whose fat box is in its entry.
    pub fn insert(&mut self, slot: u32, entries: &mut [SlotEntry]) {
        let fat = entries[slot as usize].fat;
        self.count += 1;
        if self.root == NONE {
            self.root = self.take_node(0);
        }
        let mut at = self.root;
        while self.nodes[at as usize].level > 0 {
            let node = &mut self.nodes[at as usize];
            let best = least_growth(node, &fat);
            let grown = lane(&node.boxes, best).merged(&fat);
            set_lane(&mut node.boxes, best, &grown);
            at = node.children[best];
        }
        self.add_child(at, slot, &fat, entries);
    }

    /// Adds a child to a node that may be full, splitting upwards as needed.
    fn add_child(&mut self, at: u32, child: u32, bounds: &Aabb32, entries: &mut [SlotEntry]) {
        let (mut at, mut child, mut bounds) = (at, child, *bounds);
        for _ in 0..LEVELS {
            if self.nodes[at as usize].count < 8 {
                self.put(at, child, &bounds, entries);
                return;
            }
            let sibling = self.split(at, child, &bounds, entries);
            if at == self.root {
                let level = self.nodes[at as usize].level + 1;
                self.root = self.take_node(level);
                let (one, other) = (self.nodes[at as usize].bounds(), self.nodes[sibling as usize].bounds());
                self.put(self.root, at, &one, entries);
                self.put(self.root, sibling, &other, entries);
                return;
            }
            let (parent, place) = (self.nodes[at as usize].parent, usize::from(self.nodes[at as usize].lane));
            let left = self.nodes[at as usize].bounds();
            set_lane(&mut self.nodes[parent as usize].boxes, place, &left);
            (child, bounds, at) = (sibling, self.nodes[sibling as usize].bounds(), parent);
        }
    }

    /// Writes a child into a node with a free lane.
    fn put(&mut self, at: u32, child: u32, bounds: &Aabb32, entries: &mut [SlotEntry]) {
        let node = &mut self.nodes[at as usize];
        let place = node.count;
        set_lane(&mut node.boxes, usize::from(place), bounds);
        node.children[usize::from(place)] = child;
        node.count += 1;
        let is_leaf = node.level == 0;
        self.record_location(is_leaf, at, place, child, entries);
    }

    fn record_location(&mut self, is_leaf: bool, at: u32, place: u8, child: u32, entries: &mut [SlotEntry]) {
        if is_leaf {
            entries[child as usize].place = at * 8 + u32::from(place);
        } else {
            let child = &mut self.nodes[child as usize];
            (child.parent, child.lane) = (at, place);
        }
    }

    /// Distributes the eight children of a node and one more between it and a new node; returns the new node.
    fn split(&mut self, at: u32, child: u32, bounds: &Aabb32, entries: &mut [SlotEntry]) -> u32 {
        let node = &self.nodes[at as usize];
        let (level, parent, place, dirty) = (node.level, node.parent, node.lane, node.is_dirty);
        let all: [(Aabb32, u32); 9] =
            from_fn(|i| if i < 8 { (lane(&node.boxes, i), node.children[i]) } else { (*bounds, child) });
        let (all, cut) = best_split(all);
        let sibling = self.take_node(level);
        self.nodes[at as usize] = WideNode { parent, lane: place, is_dirty: dirty, ..WideNode::new(level) };
        for (i, (bounds, child)) in all.iter().enumerate() {
            self.put(if i < cut { at } else { sibling }, *child, bounds, entries);
        }
        sibling
    }

    /// Removes the object at `place`; [`WideTree::refit`] must follow.
    pub fn remove(&mut self, place: u32, entries: &mut [SlotEntry]) {
        self.count -= 1;
        let (mut at, mut hole) = (place / 8, place as usize % 8);
        for _ in 0..LEVELS {
            let node = &mut self.nodes[at as usize];
            let last = usize::from(node.count) - 1;
            let (bounds, child) = (lane(&node.boxes, last), node.children[last]);
            set_lane(&mut node.boxes, last, &Aabb32::EMPTY);
            node.children[last] = NONE;
            node.count -= 1;
            let (is_leaf, is_empty, parent, in_parent) =
                (node.level == 0, node.count == 0, node.parent, usize::from(node.lane));
            if hole != last {
                set_lane(&mut node.boxes, hole, &bounds);
                node.children[hole] = child;
                self.record_location(is_leaf, at, hole as u8, child, entries);
            }
            if !is_empty {
                self.mark_dirty(at);
                break;
            }
            self.nodes[at as usize].is_dirty = false;
            self.free.push(at);
            if parent == NONE {
                self.root = NONE;
                return;
            }
            (at, hole) = (parent, in_parent);
        }
        self.shorten();
    }

    /// Replaces a root that has a single child by that child.
    fn shorten(&mut self) {
        while self.nodes[self.root as usize].level > 0 && self.nodes[self.root as usize].count == 1 {
            let old = self.root;
            self.root = self.nodes[old as usize].children[0];
            let node = &mut self.nodes[old as usize];
            (node.count, node.is_dirty) = (0, false);
            self.free.push(old);
            (self.nodes[self.root as usize].parent, self.nodes[self.root as usize].lane) = (NONE, 0);
        }
    }

    /// Returns the slots of all objects, leaf by leaf.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        let leaves = self.nodes.iter().filter(|node| node.level == 0);
        leaves.flat_map(|node| node.children[..usize::from(node.count)].iter().copied())
    }

    /// Visits the boxes of the children of all nodes, parents before their children.
    pub fn for_each_box(&self, mut visit: impl FnMut(&Aabb32)) {
        let mut pending = vec![self.root];
        while let Some(node) = pending.pop().and_then(|at| self.nodes.get(at as usize)) {
            let count = usize::from(node.count);
            (0..count).for_each(|place| visit(&lane(&node.boxes, place)));
            if node.level > 0 {
                pending.extend(node.children[..count].iter().rev());
            }
        }
    }

    /// Renumbers the slots of the objects.
    pub fn renumber(&mut self, new: &[u32]) {
        for node in self.nodes.iter_mut().filter(|node| node.level == 0) {
            let count = usize::from(node.count);
            node.children[..count].iter_mut().for_each(|slot| *slot = new[*slot as usize]);
        }
    }

    /// Checks links, boxes and places of everything below the root.
    pub fn faults(&self, entries: &[SlotEntry], faults: &mut Vec<Fault>) {
        let mut objects = 0;
        let mut stack = if self.root == NONE { vec![] } else { vec![self.root] };
        let mut seen = 0;
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            let mut fault = |what| faults.push(Fault::Structure { at, what });
            seen += 1;
            if seen > self.nodes.len() {
                return fault("nodes form a cycle");
            }
            if node.count == 0 || node.is_dirty {
                fault("a node is empty, or was not refitted");
            }
            for i in 0..usize::from(node.count) {
                let (bounds, child) = (lane(&node.boxes, i), node.children[i]);
                if node.level == 0 {
                    objects += 1;
                    let entry = &entries[child as usize];
                    if entry.place != at * 8 + i as u32 || entry.fat != bounds {
                        faults.push(Fault::Misplaced { id: entry.id, what: "its leaf holds another box" });
                    }
                    continue;
                }
                let below = &self.nodes[child as usize];
                if below.parent != at || usize::from(below.lane) != i || below.level + 1 != node.level {
                    faults.push(Fault::Structure { at: child, what: "a node does not know its parent" });
                }
                if below.bounds() != bounds {
                    faults.push(Fault::Structure { at: child, what: "a node's box is not that of its children" });
                }
                stack.push(child);
            }
        }
        if objects != self.count {
            faults.push(Fault::Structure { at: self.root, what: "the count of objects is wrong" });
        }
    }
}

/// Returns the lane of the child that grows least by including `bounds`; of equal ones the smallest.
fn least_growth(node: &WideNode, bounds: &Aabb32) -> usize {
    let cost = |i: usize| {
        let old = lane(&node.boxes, i);
        let size = measure(&old);
        (measure(&old.merged(bounds)) - size, size)
    };
    let mut best = (0, cost(0));
    for i in 1..usize::from(node.count) {
        let next = cost(i);
        if next < best.1 {
            best = (i, next);
        }
    }
    best.0
}

/// Orders nine boxes along the axis, and cuts them at the position, where the halves are smallest.
fn best_split(all: [(Aabb32, u32); 9]) -> ([(Aabb32, u32); 9], usize) {
    let mut best = (f32::INFINITY, all, LEAST);
    for k in 0..3 {
        let mut sorted = all;
        sorted.sort_by(|x, y| (x.0.min[k] + x.0.max[k]).total_cmp(&(y.0.min[k] + y.0.max[k])));
        for cut in LEAST..=9 - LEAST {
            let bound = |part: &[(Aabb32, u32)]| part.iter().fold(Aabb32::EMPTY, |all, (one, _)| all.merged(one));
            let (left, right) = sorted.split_at(cut);
            let cost = measure(&bound(left)) + measure(&bound(right));
            if cost < best.0 {
                best = (cost, sorted, cut);
            }
        }
    }
    (best.1, best.2)
}
