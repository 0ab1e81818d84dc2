//! Refining so that neighbouring cells differ by one level at most.
//!
//! In: a dart of a cell. Out: all that was refined, coarser neighbours first.
//! Method: ours (S4 asks for no balance: any cell may be refined at any time). A cell waits until those next to it,
//! across an edge in 2D and a face in 3D, are as fine as it is; each of them likewise.
//! Guarantees: where neighbours differed by one level at most, they do so afterwards. Coarsening keeps this where
//! [`hanging`](super::ImplicitMap::hanging) finds nothing at any cell of the family. Cost: that of what is refined; the
//! cells that wait are of ever lower level, so that there are at most as many as levels.

use super::MultiresError;
use super::implicit::{ImplicitMap, Refined};
use crate::{CombinatorialMap, Dart};

impl<const D: usize> ImplicitMap<D> {
    /// Refines the finest cell of `dart`, and before it what would be more than one level coarser next to it. Appends
    /// to `done` what was refined, in order, the cell itself last.
    ///
    /// # Errors
    /// As [`refine`](Self::refine), of any of the cells; those that are in `done` by then stay refined.
    pub fn refine_balanced(&mut self, dart: Dart, done: &mut Vec<Refined>) -> Result<(), MultiresError> {
        self.map.check_inner(dart)?;
        let mut waiting = vec![dart];
        while let Some(&dart) = waiting.last() {
            match self.coarser_neighbour(dart) {
                Some(coarser) => waiting.push(coarser),
                None => {
                    done.push(self.refine(dart)?);
                    waiting.pop();
                }
            }
        }
        Ok(())
    }

    /// A dart of a cell next to that of `dart`, of lower level.
    fn coarser_neighbour(&mut self, dart: Dart) -> Option<Dart> {
        let level = self.level_of(dart);
        let mut walker = std::mem::take(&mut self.walker);
        let walls: Vec<Dart> = walker
            .orbit(&self.map, Self::CELL, dart)
            .iter()
            .copied()
            // Across a wall of its own level there are siblings, which are not coarser.
            .filter(|&dart| self.wall_level(dart) < level)
            .filter(|&dart| D == 2 || self.map.face_darts(dart).all(|other| dart <= other))
            .map(|dart| if D == 2 { self.map.phi2(dart) } else { self.map.phi3(dart) })
            .filter(|&dart| !self.map.is_boundary(dart))
            .collect();
        self.walker = walker;
        walls.into_iter().find(|&dart| self.level_of(dart) < level)
    }
}
