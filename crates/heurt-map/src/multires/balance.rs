//! Balanced refinement: neighbouring cells differ by at most one level.
//!
//! In: a dart of a cell. Out: all refined cells, coarser neighbours first.
//! Method: ours (S4 requires no balance: any cell may be refined at any time). A cell is refined after its neighbours,
//! across an edge in 2D and a face in 3D, are as fine as it is; the same holds for each neighbour.
//! Guarantees: if neighbours differed by at most one level before, they do so afterwards. Coarsening keeps this if
//! [`hanging`](super::ImplicitMap::hanging) returns nothing for each cell of the family. Cost: the cost of the
//! refinements; the cells on the stack have ever lower levels, so that there are at most as many as levels.

use super::MultiresError;
use super::implicit::{ImplicitMap, Refined};
use crate::{CombinatorialMap, Dart};

impl<const D: usize> ImplicitMap<D> {
    /// Refines the finest cell of `dart`, and before it all cells that would be more than one level coarser next to it.
    /// Appends the refined cells to `done`, in order, the cell itself last.
    ///
    /// # Errors
    /// As [`refine`](Self::refine), for any of the cells; cells that are in `done` by then stay refined.
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

    /// Returns a dart of a cell of lower level next to the cell of `dart`.
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
