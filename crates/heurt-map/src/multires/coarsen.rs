//! Coarsening: the pieces of a cell become the cell again.
//!
//! In: a dart of one of them. Out: the cell, and representatives of the removed darts.
//! Method: S4 §6.3 and §6.3.1: only the pieces of one cell are merged. The edges, in 3D the faces, that refinement put
//! between them are removed: their label is their level. Then, in 3D, the faces around the cell are merged if the
//! volume beyond is not as fine; then the edges, if no face next to them is.
//! Guarantees: works from any level; neighbours may be of any level, and finer neighbours keep the vertices, edges and
//! faces that they need. Undoing all refinement in any order restores the original links. Cost: O(darts of the pieces),
//! and of the neighbours' faces and the edges' rings.

use super::MultiresError;
use super::implicit::{Coarsened, ImplicitMap};
use crate::{CombinatorialMap, Dart};

impl<const D: usize> ImplicitMap<D> {
    /// Merges the finest cell of `dart` (face in 2D, volume in 3D) with its siblings, the cells that came from the same
    /// one.
    ///
    /// # Errors
    /// A dart that is not live or of the boundary, a cell of level 0, a sibling refined further.
    pub fn coarsen(&mut self, dart: Dart) -> Result<Coarsened, MultiresError> {
        self.map.check_inner(dart)?;
        let level = self.level_of(dart);
        let Some(below) = level.checked_sub(1) else { return Err(MultiresError::LevelZero { dart }) };
        let family = self.family_darts(dart, level);
        if let Some(&finer) = family.iter().find(|&&dart| self.wall_level(dart) > level) {
            return Err(MultiresError::ChildRefined { dart, finer });
        }
        let cell = self.oldest(&family);
        let mut replaced = Vec::new();
        if D == 3 {
            self.drop_walls(&family, level, cell, &mut replaced);
        }
        let own: Vec<Dart> = family.into_iter().filter(|&dart| self.map.is_live(dart)).collect();
        let gone = self.idle_edges(&own, level);
        for &dart in &gone {
            // The middle triangle has no old dart: its neighbour across the edge has.
            let across = self.stand_in(self.map.phi2(dart), below, cell);
            replaced.push((dart, self.stand_in(dart, below, across)));
        }
        let mut seeds = self.drop_edges(&gone);
        for &dart in &own {
            if self.map.is_live(dart) && self.level(dart) <= below {
                seeds.extend(self.uncut_line(dart, level, &mut replaced));
            }
        }
        seeds.extend(own);
        seeds.retain(|&dart| self.map.is_live(dart));
        self.map.settle(&seeds);
        replaced.sort_unstable();
        Ok(Coarsened { level: below, cell, replaced })
    }

    /// Returns a dart of each cell that [`coarsen`](Self::coarsen) would merge with the cell of `dart`, including this
    /// cell; none if the cell is of level 0. Cells that are refined further are given by one of their pieces.
    ///
    /// # Errors
    /// A dart that is not live or of the boundary.
    pub fn family(&mut self, dart: Dart) -> Result<Vec<Dart>, MultiresError> {
        self.map.check_inner(dart)?;
        let level = self.level_of(dart);
        if level == 0 {
            return Ok(Vec::new());
        }
        let darts = self.family_darts(dart, level);
        let mut walker = std::mem::take(&mut self.walker);
        walker.begin(&self.map);
        let mut cells: Vec<Dart> =
            darts.into_iter().filter(|&dart| !walker.extend(&self.map, Self::CELL, dart).is_empty()).collect();
        self.walker = walker;
        cells.sort_unstable();
        Ok(cells)
    }

    /// Returns the level at which the wall between two cells came in: the edge in 2D, the face in 3D.
    pub(crate) fn wall_level(&self, dart: Dart) -> u8 {
        if D == 2 { self.line(dart) } else { self.plane(dart) }
    }

    /// Returns the darts of all cells that are reached from a cell through walls of its level.
    fn family_darts(&mut self, dart: Dart, level: u8) -> Vec<Dart> {
        let mut walker = std::mem::take(&mut self.walker);
        walker.begin(&self.map);
        let mut darts = walker.extend(&self.map, Self::CELL, dart).to_vec();
        let mut place = 0;
        while let Some(&dart) = darts.get(place) {
            if self.wall_level(dart) == level {
                let other = if D == 2 { self.map.phi2(dart) } else { self.map.phi3(dart) };
                darts.extend_from_slice(walker.extend(&self.map, Self::CELL, other));
            }
            place += 1;
        }
        self.walker = walker;
        darts
    }

    /// Removes the faces between the pieces of a volume.
    fn drop_walls(&mut self, family: &[Dart], level: u8, cell: Dart, replaced: &mut Vec<(Dart, Dart)>) {
        let mut links: Vec<[Dart; 2]> = Vec::new();
        for &dart in family.iter().filter(|&&dart| self.plane(dart) != level) {
            let mut it = self.map.phi2(dart);
            if self.plane(it) == level {
                while self.plane(it) == level {
                    it = self.map.phi2(self.map.phi3(it));
                }
                links.push([dart, it]);
            }
        }
        for &[dart, other] in &links {
            self.map.link2(dart, other);
        }
        for &dart in family {
            if self.plane(dart) == level {
                replaced.push((dart, cell));
                self.free_dart(dart);
            }
        }
    }

    /// Returns the darts, ascending, of the edges that a level put into the faces of a cell and that no neighbour
    /// needs; all of the cell's own in 2D.
    fn idle_edges(&self, own: &[Dart], level: u8) -> Vec<Dart> {
        let mut idle: Vec<Dart> = Vec::new();
        for &dart in own.iter().filter(|&&dart| self.line(dart) == level) {
            let other = self.map.phi2(dart);
            let [beyond, beyond_other] = [dart, other].map(|dart| self.map.phi3(dart));
            if D == 2 {
                idle.push(dart);
            } else if self.map.phi2(beyond) == beyond_other {
                idle.extend([dart, other, beyond, beyond_other]);
            }
        }
        idle.sort_unstable();
        idle.dedup();
        idle
    }
}
