//! Triangle blocks of single leaves, made on demand: queries on a deforming body mostly reach few leaves.
//!
//! In: the number of a leaf, and a function that makes its block. Out: the block, the same for all queries until the
//! body moves again.
//! Method: blocks requested before a move are mostly requested again after it. They are refilled together, which takes
//! half as long as single refills between queries. After some moves all blocks are discarded, so their number does not
//! grow without bound.
//! Cost: a move takes time in proportion to the made blocks and a 64th of the leaves; memory is in proportion to the
//! requested groups of 64 leaves.

use crate::TriBlock;
use std::array::from_fn;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// All blocks are discarded after this number of moves.
const REMEMBERED: u32 = 16;
/// Leaves in a group: the bits of a word.
const GROUP: usize = u64::BITS as usize;

/// Blocks by leaf ordinal, if they are made.
#[derive(Debug, Default)]
pub(crate) struct LeafBlocks {
    groups: OnceLock<Box<[OnceLock<Box<Group>>]>>,
    /// Moves since all blocks were discarded.
    moves: u32,
}

/// The blocks of consecutive leaves.
#[derive(Debug)]
struct Group {
    blocks: [OnceLock<TriBlock>; GROUP],
    /// Bit k: block k may be made.
    made: AtomicU64,
}

impl Clone for LeafBlocks {
    /// Returns an empty store: a copy makes its own blocks.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LeafBlocks {
    /// Returns the block of a leaf, if it is made.
    #[inline(always)]
    pub fn get(&self, ordinal: u32) -> Option<&TriBlock> {
        let group = self.groups.get()?.get(ordinal as usize / GROUP)?.get()?;
        group.blocks[ordinal as usize % GROUP].get()
    }

    /// Returns the block of a leaf, of `leaves` leaves; calls `make` if it does not exist yet.
    ///
    /// # Panics
    /// If the leaf is out of range.
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

    /// Updates the blocks after a move with the same leaves: `fill` refills each made block. If it cannot, all blocks
    /// are discarded.
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

    /// Returns the block of a leaf, if it is made.
    pub fn get_mut(&mut self, ordinal: u32) -> Option<&mut TriBlock> {
        let group = self.groups.get_mut()?.get_mut(ordinal as usize / GROUP)?.get_mut()?;
        group.blocks[ordinal as usize % GROUP].get_mut()
    }

    /// Discards all blocks.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        let groups = self.groups.get().map_or(&[][..], |groups| groups);
        size_of_val(groups) + groups.iter().filter(|group| group.get().is_some()).count() * size_of::<Group>()
    }
}
