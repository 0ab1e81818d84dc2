//! Adaptive resolution: refines and coarsens cells by a criterion.
//!
//! In: a criterion. Out: the cells refined and coarsened. Method: S4 §6.1: density, or any other criterion. Only cells
//! whose present list changed since the last call are tested, and cells that refining and coarsening bring.
//! Guarantees: at most as many changes as allowed; the rest stays for the next call. Each call ends, even if a
//! criterion makes a cell too coarse and too fine at the same time: coarsened cells are not refined before the next
//! call. [`Density`] has a gap between its two bounds (hysteresis) and does not oscillate.
//! Cost: O(cells tested), and the changes.

use super::environment::Environment;
use super::geometry::Geometry;
use super::lists::Roll;
use super::siblings::Siblings;
use super::{CellChange, EntityId, RegistrationError};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Data of a cell for a criterion.
#[derive(Debug, Clone, Copy)]
pub struct CellFacts<'a> {
    /// Its number.
    pub cell: u32,
    /// Its level.
    pub level: u8,
    /// The entities present in it: particles first.
    pub present: &'a [EntityId],
    /// How many of the present entities are particles.
    pub particles: usize,
    /// The entities present in its neighbours and not in it.
    pub neighbours: &'a [EntityId],
}

/// Criterion for refining and coarsening cells.
pub trait Criterion {
    /// Reports whether to refine a cell.
    fn is_too_coarse(&mut self, cell: &CellFacts<'_>) -> bool;

    /// Reports whether some pieces of a cell may become one again; the last call has all of them. The cell should not
    /// be too coarse then. If a piece alone is refused, any set with this piece has to be refused: pieces are tested
    /// one by one first.
    fn is_too_fine(&mut self, pieces: &[CellFacts<'_>]) -> bool;
}

/// Criterion that refines cells with many particles, and coarsens cells with few.
///
/// Edges and triangles do not count (S4 §8.3.3). They cost more in fine cells, and if they push particles away their
/// cells become coarse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Density {
    /// Cells with more particles than this are refined.
    pub most: usize,
    /// Pieces become one again when they have no more particles than this together. The greater the gap below `most`,
    /// the calmer the map; it is taken as `most` if it is larger.
    pub least: usize,
    /// The finest level: cells of this level are not refined.
    pub finest: u8,
}

impl Criterion for Density {
    fn is_too_coarse(&mut self, cell: &CellFacts<'_>) -> bool {
        cell.level < self.finest && cell.particles > self.most
    }

    fn is_too_fine(&mut self, pieces: &[CellFacts<'_>]) -> bool {
        let least = self.least.min(self.most);
        pieces.iter().map(|piece| piece.particles).sum::<usize>() <= least
    }
}

/// The changes of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Adapted {
    /// All changes, in order.
    pub changes: Vec<CellChange>,
    /// Cells that the criterion reports as too coarse but that could not be refined: too fine, or of a shape without a
    /// scheme.
    pub refused: Vec<u32>,
    /// The changes allowed did not suffice; the rest stays for the next call.
    pub is_cut_short: bool,
}

impl<const D: usize, G: Geometry<D>> Environment<D, G> {
    /// Refines and coarsens cells whose entities changed since the last call, by the criterion, with at most
    /// `most_changes` changes. A cell that has been coarsened is refined at the next call at the earliest.
    pub fn adapt(&mut self, criterion: &mut impl Criterion, most_changes: usize) -> Adapted {
        let mut adapted = Adapted::default();
        // Cells that were coarsened, and the coarsened cells that the criterion reports as too coarse.
        let (mut coarsened, mut waiting) = (BTreeSet::<u32>::new(), Vec::new());
        let mut place = 0;
        while let Some(&cell) = self.lists.changed.get(place) {
            if adapted.changes.len() >= most_changes {
                adapted.is_cut_short = true;
                break;
            }
            place += 1;
            self.lists.unnote(cell);
            if self.dart(cell).is_none() {
                continue;
            }
            if criterion.is_too_coarse(&self.facts(cell)) {
                if coarsened.contains(&cell) {
                    waiting.push(cell);
                    continue;
                }
                match self.refine(cell) {
                    Ok(change) => adapted.changes.push(change),
                    Err(_) => adapted.refused.push(cell),
                }
            } else if self.lists.cell(cell).level > 0 && criterion.is_too_fine(&[self.facts(cell)]) {
                // The cell alone has to be sparse before its siblings are tested.
                if let Some(change) = self.coarsen_if(cell, criterion) {
                    change.before.iter().for_each(|cell| _ = coarsened.remove(cell));
                    coarsened.extend(&change.after);
                    adapted.changes.push(change);
                }
            }
        }
        self.lists.changed.drain(..place);
        waiting.into_iter().for_each(|cell| self.lists.note(cell));
        adapted
    }

    /// Makes the next [`adapt`](Self::adapt) test every cell: for criteria that depend on more than the entities
    /// present. Cost: O(cells).
    pub fn test_all(&mut self) {
        let cells: Vec<u32> = self.cells().collect();
        for cell in cells {
            self.lists.note(cell);
        }
    }

    /// Returns the data of a cell for a criterion.
    ///
    /// # Errors
    /// [`RegistrationError::NoCell`].
    pub fn cell_facts(&self, cell: u32) -> Result<CellFacts<'_>, RegistrationError> {
        self.check_cell(cell).map(|_| self.facts(cell))
    }

    fn facts(&self, cell: u32) -> CellFacts<'_> {
        let entry = self.lists.cell(cell);
        let [present, neighbours] = [&entry.present, &entry.neighbours].map(Roll::all);
        CellFacts { cell, level: entry.level, present, particles: entry.present.particles().len(), neighbours }
    }

    /// Coarsens the cell and its siblings, if they are of one level and the criterion allows it.
    fn coarsen_if(&mut self, cell: u32, criterion: &mut impl Criterion) -> Option<CellChange> {
        let level = self.lists.cell(cell).level;
        let unknown: SmallVec<[u32; 8]>;
        let cells = match self.siblings.siblings(cell) {
            Siblings::All(cells) => cells,
            Siblings::Uneven => return None,
            Siblings::Unknown => {
                let family = self.map.family(self.dart(cell)?).ok()?;
                unknown = family.into_iter().map(|dart| self.cell_at(dart)).collect();
                &unknown
            }
        };
        // Usually one sibling alone is not too fine, and the rest need not be tested.
        let may_go = |&piece: &u32| {
            self.lists.cell(piece).level == level && (piece == cell || criterion.is_too_fine(&[self.facts(piece)]))
        };
        if !cells.iter().all(may_go) {
            return None;
        }
        let may_coarsen = {
            let pieces: SmallVec<[CellFacts<'_>; 8]> = cells.iter().map(|&piece| self.facts(piece)).collect();
            criterion.is_too_fine(&pieces)
        };
        if may_coarsen { self.coarsen(cell).ok() } else { None }
    }
}
