//! Boxes by their place: which boxes may overlap another one.
//!
//! In: boxes with numbers, in metres. Out: the numbers of boxes near a box.
//! Method: a grid of [`CELL`] metres; boxes of many cells are in a list of their own. Guarantees: each box that
//! overlaps is named, once or several times, in the same order on each run. Not guaranteed: that each named one
//! overlaps.
//! Cost: a query reads the cells of its box and the list of wide boxes.

use heurt_geometry::Vec2;
use std::collections::HashMap;

/// The side of a cell, in metres: the length of a ramp of one level.
const CELL: f64 = 40.0;
/// The most cells that a box is listed in: more are a wide box.
const MAX_CELLS: i64 = 64;

/// Boxes by the cells in which they are.
#[derive(Default)]
pub(super) struct BoxGrid {
    cells: HashMap<[i64; 2], Vec<usize>>,
    wide: Vec<usize>,
    count: usize,
}

impl BoxGrid {
    /// Makes the grid of boxes, numbered from 0.
    pub(super) fn new(boxes: impl Iterator<Item = [Vec2; 2]>) -> Self {
        let mut grid = Self::default();
        boxes.for_each(|bounds| grid.push(bounds));
        grid
    }

    /// Adds a box with the next number.
    pub(super) fn push(&mut self, bounds: [Vec2; 2]) {
        match cells_of(bounds) {
            Some(cells) => cells.for_each(|cell| self.cells.entry(cell).or_default().push(self.count)),
            None => self.wide.push(self.count),
        }
        self.count += 1;
    }

    /// Reports whether `is_hit` holds for one of the boxes near a box.
    pub(super) fn any_near(&self, bounds: [Vec2; 2], mut is_hit: impl FnMut(usize) -> bool) -> bool {
        match cells_of(bounds) {
            Some(mut cells) => {
                cells.any(|cell| self.cells.get(&cell).is_some_and(|numbers| numbers.iter().any(|&one| is_hit(one))))
                    || self.wide.iter().any(|&one| is_hit(one))
            }
            None => (0..self.count).any(is_hit),
        }
    }
}

/// Lists the cells of a box; `None` if they are many. An empty box has none.
fn cells_of([low, high]: [Vec2; 2]) -> Option<impl Iterator<Item = [i64; 2]>> {
    let place = |x: f64| libm::floor(x / CELL) as i64;
    let [[left, bottom], [right, top]] = [low, high].map(|corner| [place(corner.x), place(corner.y)]);
    let count = |from: i64, to: i64| to.saturating_sub(from).saturating_add(1).max(0);
    let is_few = count(left, right).saturating_mul(count(bottom, top)) <= MAX_CELLS;
    is_few.then(|| (left..=right).flat_map(move |x| (bottom..=top).map(move |y| [x, y])))
}

#[cfg(test)]
mod tests {
    use super::BoxGrid;
    use heurt_geometry::Vec2;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<[Vec2; 2]>> {
        let side = prop_oneof![0.0..30.0_f64, 0.0..1000.0_f64];
        let one = (-500.0..500.0_f64, -500.0..500.0_f64, side.clone(), side);
        let one = one.prop_map(|(x, y, width, height)| [Vec2::new(x, y), Vec2::new(x + width, y + height)]);
        prop::collection::vec(one, 1..60)
    }

    proptest! {
        #[test]
        fn each_box_that_overlaps_is_named(boxes in boxes()) {
            let grid = BoxGrid::new(boxes.iter().copied());
            for &[low, high] in &boxes {
                let mut named = vec![false; boxes.len()];
                grid.any_near([low, high], |number| {
                    named[number] = true;
                    false
                });
                for (number, other) in boxes.iter().enumerate() {
                    let overlap = low.cmple(other[1]).all() && other[0].cmple(high).all();
                    prop_assert!(named[number] || !overlap, "{number}");
                }
            }
        }
    }

    #[test]
    fn a_query_reads_its_surroundings_alone() {
        let at = |number: usize| [Vec2::new(100.0 * number as f64, 0.0), Vec2::new(100.0 * number as f64 + 5.0, 5.0)];
        let grid = BoxGrid::new((0..10_000).map(at));
        let mut count = 0;
        assert!(!grid.any_near(at(5_000), |_| {
            count += 1;
            false
        }));
        assert_eq!(count, 1);
        assert!(!BoxGrid::new([[Vec2::INFINITY, Vec2::NEG_INFINITY]].into_iter()).any_near(at(0), |_| true));
        let whole = [Vec2::splat(f64::MIN), Vec2::splat(f64::MAX)];
        assert!(BoxGrid::new([whole].into_iter()).any_near(at(3), |number| number == 0));
    }
}
