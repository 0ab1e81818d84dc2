//! Families of cells: the cells that came from the same cell, and the particles in each of these refined cells.
//!
//! In: refinement and coarsening; particles that enter, leave or change cells. Out: the siblings of a cell, without a
//! walk in the map; the number of particles in the cell of a coarser level that contains a cell.
//! Method: a family counts the particles of its whole subtree. A particle that changes its cell is counted from both
//! cells up to the first family that they have in common. A particle registered at a coarser level counts from the
//! refined cell of that level upwards.
//! Cost: O(siblings) a change of cells; O(levels) a crossing, and O(1) between siblings; O(levels) a count.

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
    /// The level of the cell.
    level: u8,
    /// Particles in the cell, in all its pieces together.
    particles: u32,
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
    /// Notes that a cell of a level, with a number of particles, became others; one of them may have its number.
    pub fn split(&mut self, cell: u32, after: &[u32], level: u8, particles: u32) {
        let parent = self.family_of(cell);
        if let Some(family) = self.siblings.get_mut(parent as usize) {
            family.cells.retain(|other| *other != cell);
            family.refined += 1;
        }
        let family = Family { cells: SmallVec::from_slice(after), refined: 0, parent, level, particles };
        let number = self.free.pop().unwrap_or(self.siblings.len() as u32);
        if number as usize == self.siblings.len() {
            self.siblings.push(family);
        } else {
            self.siblings[number as usize] = family;
        }
        // Entities that are still registered in the cell count as in its pieces.
        self.set(cell, number);
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
        // Entities that are still registered in the pieces count as in the cell.
        before.iter().for_each(|&cell| self.set(cell, parent));
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

    /// Counts a particle that enters a cell, registered at the level `finest` at most.
    pub fn enter(&mut self, cell: u32, finest: u8) {
        self.for_each_above(cell, finest, |family| family.particles += 1);
    }

    /// Counts a particle that leaves a cell, registered at the level `finest` at most.
    pub fn leave(&mut self, cell: u32, finest: u8) {
        self.for_each_above(cell, finest, |family| family.particles = family.particles.saturating_sub(1));
    }

    /// Counts a particle that goes from a cell to another.
    pub fn cross(&mut self, from: u32, to: u32) {
        let [mut a, mut b] = [from, to].map(|cell| self.family_of(cell));
        let level = |families: &Self, number: u32| families.siblings.get(number as usize).map(|family| family.level);
        while a != b {
            // The finer family is left first; none is above all others.
            let [level_a, level_b] = [a, b].map(|number| level(self, number));
            if level_a >= level_b
                && let Some(family) = self.siblings.get_mut(a as usize)
            {
                family.particles = family.particles.saturating_sub(1);
                a = family.parent;
            }
            if level_b >= level_a
                && let Some(family) = self.siblings.get_mut(b as usize)
            {
                family.particles += 1;
                b = family.parent;
            }
        }
    }

    /// Returns the number of particles in the cell of a coarser level that contains a cell; `None` if that cell was
    /// refined before registration began.
    pub fn particles_above(&self, cell: u32, level: u8) -> Option<u32> {
        let mut family = self.siblings.get(self.family_of(cell) as usize)?;
        while family.level > level {
            family = self.siblings.get(family.parent as usize)?;
        }
        (family.level == level).then_some(family.particles)
    }

    fn for_each_above(&mut self, cell: u32, finest: u8, mut count: impl FnMut(&mut Family)) {
        let mut number = self.family_of(cell);
        while let Some(family) = self.siblings.get_mut(number as usize) {
            if family.level <= finest {
                count(family);
            }
            number = family.parent;
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
