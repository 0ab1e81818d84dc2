//! Numbers of cells, cached at their darts, and values over them.
//!
//! In: a map and its edits. Out: dense numbers; arrays over them that follow the edits.
//! Method: S4 §3.1.2: a cell's embedding has one address that all its darts hold. After an edit, the orbits of the
//! darts it touched are walked once for each kind that is numbered: an orbit keeps the least number it holds that no
//! orbit before it took, a new piece gets a new number, and a number without darts is given back.
//! Guarantees: reading is one array access. Cost: 4 bytes a dart and 4 a cell for each kind.

use crate::map::Map;
use crate::{CombinatorialMap, Dart, Orbit};

/// The number of a dart without a cell.
pub const NO_CELL: u32 = u32::MAX;

/// The numbers of the cells of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellIds {
    of: Vec<u32>,
    /// A dart of each number, not of the boundary; [`NO_CELL`] if the number is free.
    dart: Vec<u32>,
    free: Vec<u32>,
}

impl CellIds {
    pub(crate) fn with_darts(count: usize) -> Self {
        Self { of: vec![NO_CELL; count], dart: Vec::new(), free: Vec::new() }
    }

    /// Takes the number of each dart, and a dart for each number, [`NO_CELL`] if it is free.
    pub(crate) fn from_parts(of: Vec<u32>, dart: Vec<u32>) -> Self {
        let free = (0..dart.len() as u32).rev().filter(|&id| dart[id as usize] == NO_CELL).collect();
        Self { of, dart, free }
    }

    /// Returns the number of the cell of `dart`; [`NO_CELL`] if it has none.
    #[inline(always)]
    pub fn of(&self, dart: Dart) -> u32 {
        self.of.get(dart.index()).copied().unwrap_or(NO_CELL)
    }

    /// Returns a dart of the cell with that number, not of the boundary.
    #[inline]
    pub fn dart(&self, id: u32) -> Option<Dart> {
        self.dart.get(id as usize).filter(|&&dart| dart != NO_CELL).map(|&dart| Dart(dart))
    }

    /// Returns a bound above all numbers; some numbers below it may be free.
    #[inline]
    pub fn bound(&self) -> usize {
        self.dart.len()
    }

    /// Returns the number of cells.
    #[inline]
    pub fn count(&self) -> usize {
        self.dart.len() - self.free.len()
    }

    /// Returns the cells: number and a dart, ascending. The traverser of all cells of a kind.
    pub fn cells(&self) -> impl Iterator<Item = (u32, Dart)> + '_ {
        (0..self.dart.len() as u32).filter_map(|id| Some((id, self.dart(id)?)))
    }

    /// Returns the bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        4 * (self.of.capacity() + self.dart.capacity() + self.free.capacity())
    }

    pub(crate) fn add_dart(&mut self) {
        self.of.push(NO_CELL);
    }

    pub(crate) fn add_cell(&mut self, first: Dart, darts: &[Dart]) -> u32 {
        let id = self.free.pop().unwrap_or(self.dart.len() as u32);
        if id as usize == self.dart.len() {
            self.dart.push(first.0);
        }
        self.set(id, first, darts);
        id
    }

    fn set(&mut self, id: u32, first: Dart, darts: &[Dart]) {
        self.dart[id as usize] = first.0;
        for dart in darts {
            self.of[dart.index()] = id;
        }
    }

    /// Removes a dart from its cell, and returns its previous number.
    pub(crate) fn leave(&mut self, dart: Dart) -> u32 {
        std::mem::replace(&mut self.of[dart.index()], NO_CELL)
    }

    /// Frees a number if its dart has left, and reports whether it did.
    fn vacate(&mut self, id: u32) -> bool {
        let gone = self.dart(id).is_some_and(|dart| self.of(dart) != id);
        if gone {
            self.dart[id as usize] = NO_CELL;
            self.free.push(id);
        }
        gone
    }
}

/// A change of the numbers of one kind of cell by an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdChange {
    /// A cell came from nothing.
    Made {
        /// The kind.
        orbit: Orbit,
        /// Its number.
        id: u32,
    },
    /// A piece of a cell became a cell of its own.
    Split {
        /// The kind.
        orbit: Orbit,
        /// The number of the divided cell.
        from: u32,
        /// Its number.
        id: u32,
    },
    /// A cell became part of another. Its number is free after the edit.
    Merged {
        /// The kind.
        orbit: Orbit,
        /// The number of the cell that stays.
        into: u32,
        /// The number of the cell that is now part of it.
        id: u32,
    },
    /// A cell is gone.
    Gone {
        /// The kind.
        orbit: Orbit,
        /// Its number.
        id: u32,
    },
}

/// Logged changes that have not been taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    pub is_on: bool,
    pub changes: Vec<IdChange>,
    /// Numbers that darts left during the current edit.
    pub vacated: Vec<(Orbit, u32)>,
}

impl Change {
    fn report_change(&mut self, change: IdChange) {
        if self.is_on {
            self.changes.push(change);
        }
    }
}

/// A value for each cell of one kind, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<T> {
    orbit: Orbit,
    values: Vec<T>,
}

impl<T: Clone> Attribute<T> {
    /// Gives every cell of a kind the same value. Cells without numbers have none: enable them first.
    ///
    /// ```
    /// use heurt_map::{Attribute, CombinatorialMap, Map2, Orbit};
    /// let map = Map2::grid(2, 2)?;
    /// let mut visits = Attribute::new(&map, Orbit::Face, 0);
    /// for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
    ///     if let Some(count) = visits.at_mut(&map, dart) {
    ///         *count += 1;
    ///     }
    /// }
    /// assert_eq!(visits.values(), [4; 4], "each square has four darts");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(map: &impl CombinatorialMap, orbit: Orbit, value: T) -> Self {
        Self { orbit, values: vec![value; map.cell_ids(orbit).map_or(0, CellIds::bound)] }
    }

    /// Takes values by number.
    pub fn from_values(orbit: Orbit, values: Vec<T>) -> Self {
        Self { orbit, values }
    }

    /// Returns the kind of cell.
    pub fn orbit(&self) -> Orbit {
        self.orbit
    }

    /// Returns the values, by number.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the values, by number, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Returns the value of the cell of a dart.
    #[inline]
    pub fn at(&self, map: &impl CombinatorialMap, dart: Dart) -> Option<&T> {
        self.values.get(map.id(self.orbit, dart) as usize)
    }

    /// Returns the value of the cell of a dart, to be changed.
    #[inline]
    pub fn at_mut(&mut self, map: &impl CombinatorialMap, dart: Dart) -> Option<&mut T> {
        self.values.get_mut(map.id(self.orbit, dart) as usize)
    }

    /// Follows edits: a cell that was made gets `made()`, a piece `split(whole)`, and a merged cell
    /// `merge(into, part)`.
    pub fn follow(
        &mut self,
        changes: &[IdChange],
        mut made: impl FnMut() -> T,
        mut split: impl FnMut(&mut T) -> T,
        mut merge: impl FnMut(&mut T, &T),
    ) {
        for &change in changes {
            match change {
                IdChange::Made { orbit, id } if orbit == self.orbit => {
                    let value = made();
                    self.put(id, value);
                }
                IdChange::Split { orbit, from, id } if orbit == self.orbit => {
                    let value = self.values.get_mut(from as usize).map_or_else(&mut made, &mut split);
                    self.put(id, value);
                }
                IdChange::Merged { orbit, into, id } if orbit == self.orbit => {
                    if let Ok([into, part]) = self.values.get_disjoint_mut([into as usize, id as usize]) {
                        merge(into, part);
                    }
                }
                _ => {}
            }
        }
    }

    fn put(&mut self, id: u32, value: T) {
        if id as usize >= self.values.len() {
            self.values.resize(id as usize + 1, value.clone());
        }
        self.values[id as usize] = value;
    }
}

impl<const D: usize> Map<D> {
    /// Updates the numbers after an edit: `seeds` has a dart of every orbit, of any kind, that may have changed; darts
    /// that the edit removed are noted already.
    pub(crate) fn settle(&mut self, seeds: &[Dart]) {
        for orbit in Orbit::ALL {
            if let Some(mut ids) = self.ids[orbit.place()].take() {
                self.settle_orbit(&mut ids, orbit, seeds);
                self.ids[orbit.place()] = Some(ids);
            }
        }
        self.log.vacated.clear();
    }

    fn settle_orbit(&mut self, ids: &mut CellIds, orbit: Orbit, seeds: &[Dart]) {
        let mut walker = std::mem::take(&mut self.walker);
        let mut taken: Vec<u32> = Vec::new();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        walker.begin(self);
        for &seed in seeds {
            let cell = walker.extend(self, orbit, seed);
            if !cell.is_empty() {
                self.settle_cell(ids, orbit, cell, &mut taken, &mut merged);
            }
        }
        self.walker = walker;
        for (into, id) in merged {
            if ids.vacate(id) {
                self.log.report_change(IdChange::Merged { orbit, into, id });
            }
        }
        let vacated = std::mem::take(&mut self.log.vacated);
        for &(_, id) in vacated.iter().filter(|&&(kind, _)| kind == orbit) {
            if ids.vacate(id) {
                self.log.report_change(IdChange::Gone { orbit, id });
            }
        }
        self.log.vacated = vacated;
    }

    /// Sets the number of one orbit.
    fn settle_cell(
        &mut self,
        ids: &mut CellIds,
        orbit: Orbit,
        cell: &[Dart],
        taken: &mut Vec<u32>,
        merged: &mut Vec<(u32, u32)>,
    ) {
        let mut held: Vec<u32> = cell.iter().map(|&dart| ids.of(dart)).filter(|&id| id != NO_CELL).collect();
        held.sort_unstable();
        held.dedup();
        if !self.is_cell(orbit, cell[0]) {
            for &dart in cell {
                let id = ids.leave(dart);
                self.log.vacated.push((orbit, id));
            }
            return;
        }
        let first = cell.iter().copied().find(|&dart| !self.is_boundary(dart)).unwrap_or(cell[0]);
        let id = match held.iter().copied().find(|id| !taken.contains(id)) {
            Some(id) => {
                ids.set(id, first, cell);
                id
            }
            None => {
                let id = ids.add_cell(first, cell);
                self.log.report_change(match held.first() {
                    Some(&from) => IdChange::Split { orbit, from, id },
                    None => IdChange::Made { orbit, id },
                });
                id
            }
        };
        taken.push(id);
        merged.extend(held.into_iter().filter(|&other| other != id).map(|other| (id, other)));
    }
}
