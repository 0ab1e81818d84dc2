//! The triangles of single leaves, made as queries come to them: of a body that deforms, most come to a few.
//!
//! In: the number of a leaf, and how its block is made. Out: the block, the same for all queries until the body moves
//! again.
//! Method: what was requested before a move is mostly asked for after it, and is made again at once, which takes half
//! as long as one by one between queries. After some moves all is forgotten, so that it does not become more and more.
//! Cost: of a move, in proportion to those that were made and a 64th of the leaves; memory in proportion to the groups
//! of 64 leaves that were asked for.

use crate::TriBlock;
use std::array::from_fn;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// All is forgotten at every so many-th move.
const REMEMBERED: u32 = 16;
/// Leaves in a group: the bits of a word.
const GROUP: usize = u64::BITS as usize;

/// Blocks by leaf ordinal, as far as they are made.
#[derive(Debug, Default)]
pub(crate) struct LeafBlocks {
    groups: OnceLock<Box<[OnceLock<Box<Group>>]>>,
    /// Moves since all was forgotten.
    moves: u32,
}

/// The blocks of leaves that come one after the other.
#[derive(Debug)]
struct Group {
    blocks: [OnceLock<TriBlock>; GROUP],
    /// Bit k: block k may be made.
    made: AtomicU64,
}

impl Clone for LeafBlocks {
    /// A copy makes its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LeafBlocks {
    /// The block of a leaf, if it is made.
    #[inline(always)]
    pub fn get(&self, ordinal: u32) -> Option<&TriBlock> {
        let group = self.groups.get()?.get(ordinal as usize / GROUP)?.get()?;
        group.blocks[ordinal as usize % GROUP].get()
    }

    /// The block of a leaf, of so many `leaves`; `make` makes it where it is not there yet.
    ///
    /// # Panics
    /// For a leaf beyond.
    pub fn get_or_make(&self, leaves: usize, ordinal: u32, make: impl FnOnce() -> TriBlock) -> &TriBlock {
        let groups = self.groups.get_or_init(|| (0..leaves.div_ceil(GROUP)).map(|_| OnceLock::new()).collect());
        let (group, leaf) = (ordinal as usize / GROUP, ordinal as usize % GROUP);
        let group = groups[group]
            .get_or_init(|| Box::new(Group { blocks: from_fn(|_| OnceLock::new()), made: AtomicU64::new(0) }));
        group.blocks[leaf].get_or_init(|| {
            group.made.fetch_or(1 << leaf, Ordering::Relaxed);
            make()
        })
    }

    /// The body has moved, but has the same leaves: `fill` fills the block of each that is made again. Where it cannot,
    /// all is forgotten.
    pub fn follow(&mut self, mut fill: impl FnMut(u32, &mut TriBlock) -> bool) {
        self.moves += 1;
        if self.moves >= REMEMBERED {
            return self.forget();
        }
        for (first, group) in (0..).step_by(GROUP).zip(self.groups.get_mut().into_iter().flatten()) {
            let Some(Group { blocks, made }) = group.get_mut().map(Box::as_mut) else { continue };
            let mut left = *made.get_mut();
            while left != 0 {
                let leaf = left.trailing_zeros();
                if let Some(block) = blocks[leaf as usize].get_mut()
                    && !fill(first + leaf, block)
                {
                    return self.forget();
                }
                left &= left - 1;
            }
        }
    }

    /// The block of a leaf, if it is made.
    pub fn get_mut(&mut self, ordinal: u32) -> Option<&mut TriBlock> {
        let group = self.groups.get_mut()?.get_mut(ordinal as usize / GROUP)?.get_mut()?;
        group.blocks[ordinal as usize % GROUP].get_mut()
    }

    /// Forgets all.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        let groups = self.groups.get().map_or(&[][..], |groups| groups);
        size_of_val(groups) + groups.iter().filter(|group| group.get().is_some()).count() * size_of::<Group>()
    }
}
