//! Families of cells: the cells that came from the same cell.
//!
//! In: refinement and coarsening. Out: the siblings of a cell, without a walk in the map. Cost: O(siblings) a change.

use super::NONE;
use smallvec::SmallVec;

/// The cells that one cell became.
#[derive(Debug, Clone, Default)]
struct Family {
    /// Cells of the family that are not refined themselves.
    cells: SmallVec<[u32; 8]>,
    /// Number of refined cells.
    refined: u32,
    /// The family of the cell.
    parent: u32,
}

/// All families that came into being since registration began.
#[derive(Debug, Clone, Default)]
pub(super) struct Families {
    siblings: Vec<Family>,
    free: Vec<u32>,
    /// Family by number of cell; [`NONE`] if it is unknown.
    of: Vec<u32>,
}

/// The known siblings of a cell.
pub(super) enum Siblings<'a> {
    /// All of them, itself included, none refined.
    All(&'a [u32]),
    /// Some are refined.
    Uneven,
    /// The cell existed when registration began.
    Unknown,
}

impl Families {
    /// Notes that a cell became others; one of them may have its number.
    pub fn split(&mut self, cell: u32, after: &[u32]) {
        let parent = self.family_of(cell);
        if let Some(family) = self.siblings.get_mut(parent as usize) {
            family.cells.retain(|other| *other != cell);
            family.refined += 1;
        }
        let family = Family { cells: SmallVec::from_slice(after), refined: 0, parent };
        let number = self.free.pop().unwrap_or(self.siblings.len() as u32);
        if number as usize == self.siblings.len() {
            self.siblings.push(family);
        } else {
            self.siblings[number as usize] = family;
        }
        after.iter().for_each(|&cell| self.set(cell, number));
    }

    /// Notes that siblings became one cell; it may have the number of one of them.
    pub fn join(&mut self, before: &[u32], cell: u32) {
        let number = self.family_of(before[0]);
        let mut parent = NONE;
        if let Some(family) = self.siblings.get_mut(number as usize) {
            parent = family.parent;
            self.free.push(number);
        }
        before.iter().for_each(|&cell| self.set(cell, NONE));
        if let Some(family) = self.siblings.get_mut(parent as usize) {
            family.cells.push(cell);
            family.refined -= 1;
        }
        self.set(cell, parent);
    }

    /// Returns the siblings of a cell.
    pub fn siblings(&self, cell: u32) -> Siblings<'_> {
        match self.siblings.get(self.family_of(cell) as usize) {
            None => Siblings::Unknown,
            Some(family) if family.refined > 0 => Siblings::Uneven,
            Some(family) => Siblings::All(&family.cells),
        }
    }

    fn family_of(&self, cell: u32) -> u32 {
        self.of.get(cell as usize).copied().unwrap_or(NONE)
    }

    fn set(&mut self, cell: u32, family: u32) {
        if cell as usize >= self.of.len() {
            self.of.resize(cell as usize + 1, NONE);
        }
        self.of[cell as usize] = family;
    }
}
