//! A set of boxes that grows and shrinks, with box queries: a logarithmic sequence of static trees.
//!
//! In: boxes that are inserted with a number and a version. Out: the entries whose boxes meet a query box.
//! Method: Bentley and Saxe, "Decomposable searching problems" (1980). New entries go to a list; a full list becomes
//! a tree, and trees of similar size are merged. An entry is dead once its number has another version; merging
//! drops it.
//! Guarantees: the same order in every run. Cost: O(log² n) amortised an insertion, O(log n) trees a query.

use heurt_geometry::Aabb;

use crate::tree_query::BoxTree;

/// Entries in the list. Scanning them costs as much as one more tree.
const WAITING: usize = 64;

/// An entry: a number, its version, and its box.
pub(crate) type BoxEntry = (u32, u32, Aabb);

/// Static trees of growing sizes.
#[derive(Default)]
pub(crate) struct LiveBoxes {
    waiting: Vec<BoxEntry>,
    trees: Vec<(Vec<BoxEntry>, BoxTree)>,
}

impl LiveBoxes {
    /// Builds the set of `entries`.
    pub(crate) fn new(entries: Vec<BoxEntry>) -> Self {
        let tree = tree_of(&entries);
        Self { waiting: Vec::new(), trees: vec![(entries, tree)] }
    }

    /// Inserts an entry; `is_alive` decides which old ones are kept when trees are merged.
    pub(crate) fn insert(&mut self, entry: BoxEntry, is_alive: impl Fn(&BoxEntry) -> bool) {
        self.waiting.push(entry);
        if self.waiting.len() < WAITING {
            return;
        }
        let mut merged: Vec<BoxEntry> = self.waiting.drain(..).filter(&is_alive).collect();
        while let Some((entries, _)) = self.trees.last() {
            if entries.len() > 2 * merged.len().max(WAITING) {
                break;
            }
            if let Some((entries, _)) = self.trees.pop() {
                merged.extend(entries.into_iter().filter(&is_alive));
            }
        }
        let tree = tree_of(&merged);
        self.trees.push((merged, tree));
    }

    /// Collects the numbers of the living entries whose boxes meet `query`.
    pub(crate) fn meeting(&self, query: &Aabb, is_alive: impl Fn(&BoxEntry) -> bool, found: &mut Vec<u32>) {
        let mut near = Vec::new();
        for (entries, tree) in &self.trees {
            near.clear();
            tree.meeting(query, &mut near);
            let alive = near.iter().map(|&place| &entries[place as usize]).filter(|entry| is_alive(entry));
            found.extend(alive.map(|entry| entry.0));
        }
        let waiting = self.waiting.iter().filter(|entry| entry.2.overlaps(query) && is_alive(entry));
        found.extend(waiting.map(|entry| entry.0));
    }
}

fn tree_of(entries: &[BoxEntry]) -> BoxTree {
    BoxTree::new(entries.iter().map(|entry| entry.2).collect())
}
