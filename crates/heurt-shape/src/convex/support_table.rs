//! The few corners of a hull that can be the farthest along a direction, listed for cells of directions.
//!
//! In: corners, who neighbours whom, their box. Out: [`SupportTable`].
//! Method: directions, measured in half extents of the box, are points of an octahedron, which unfolds to a square (Meyer et al.,
//! On Floating-Point Normal Vectors, 2010) of k × k cells. A corner that is the farthest along some direction of a cell has no neighbour that
//! is farther along all four directions at the corners of the cell. Cells are quartered; what a cell cannot have its quarters cannot.
//! Guarantees: the list of a direction's cell has all corners that are the farthest along it, whatever roundings do to the cell.
//! Cost: lists have about four corners where corners are spread like those of a ball, and more where many lie in one facet.

use crate::lists::Lists;
use heurt_geometry::{Aabb, Vec3};

/// Lists are filled up to a multiple of this.
pub(super) const GROUP: usize = 4;

/// How many cells there are for a corner, at least.
const CELLS_PER_CORNER: usize = 2;

/// A half extent counts for at least this share of the longest.
const FLATTEST: f64 = 1.0 / (1u64 << 40) as f64;

/// How much farther a neighbour has to be, as a share of the way to it: more than roundings of a direction, or of its cell, can turn.
const SURELY: f64 = 1e-9;

/// Corners by cells of directions.
#[derive(Debug, Clone)]
pub(super) struct SupportTable {
    /// Half extents of the box, as shares of the longest.
    extents: Vec3,
    /// How many cells there are along a side of the square.
    side: u32,
    corners: Lists,
}

impl SupportTable {
    /// Of more than one corner.
    pub(super) fn new(corners: &[Vec3], neighbours: &Lists, bounds: &Aabb) -> Self {
        let half = bounds.half_extents();
        let extents = (half / half.max_element()).max(Vec3::splat(FLATTEST));
        // Ways to neighbours, the longest coordinate of each 1.
        let ways = |corner: u32| {
            let way = move |&other: &u32| {
                let way = (corners[other as usize] - corners[corner as usize]) / half.max_element() / extents;
                way / way.abs().max_element()
            };
            neighbours.of(corner).iter().map(way).collect::<Vec<_>>()
        };
        let ways: Vec<Vec<Vec3>> = (0..corners.len() as u32).map(ways).collect();
        let may_be_farthest = |corner: u32, cell: &[Vec3; 4]| {
            let is_surely_farther = |way: &Vec3| cell.iter().all(|direction| way.dot(*direction) > SURELY);
            !ways[corner as usize].iter().any(is_surely_farther)
        };
        let mut side = 1;
        let mut lists: Vec<Vec<u32>> = vec![(0..corners.len() as u32).collect()];
        while ((side * side) as usize) < CELLS_PER_CORNER * corners.len() {
            side *= 2;
            let quarter = |number: u32| {
                let (row, column) = (number / side, number % side);
                let cell = corners_of_cell(row, column, side);
                let whole = &lists[(row / 2 * (side / 2) + column / 2) as usize];
                whole.iter().copied().filter(|&corner| may_be_farthest(corner, &cell)).collect()
            };
            lists = (0..side * side).map(quarter).collect();
        }
        for list in &mut lists {
            let last = list.last().copied().unwrap_or(0);
            list.resize(list.len().next_multiple_of(GROUP), last);
        }
        Self { extents, side, corners: Lists::side_by_side(&lists) }
    }

    /// The corners that can be the farthest along `direction` (any length), some perhaps more than once: a multiple of [`GROUP`].
    #[inline(always)]
    pub(super) fn corners_along(&self, direction: Vec3) -> &[u32] {
        self.corners.of(self.cell(direction))
    }

    #[inline(always)]
    fn cell(&self, direction: Vec3) -> u32 {
        let scaled = direction * self.extents;
        let size = scaled.abs();
        let inverse = 1.0 / (size.x + size.y + size.z);
        let (x, y) = (scaled.x * inverse, scaled.y * inverse);
        let (folded_x, folded_y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
        let (x, y) = if scaled.z < 0.0 { (folded_x, folded_y) } else { (x, y) };
        // What is not a number counts as 0.
        let place = |x: f64| (((x + 1.0) * f64::from(self.side) * 0.5) as u32).min(self.side - 1);
        place(y) * self.side + place(x)
    }
}

/// The directions at the corners of a cell.
fn corners_of_cell(row: u32, column: u32, side: u32) -> [Vec3; 4] {
    let at = |place: u32| f64::from(2 * place) / f64::from(side) - 1.0;
    [[row, column], [row, column + 1], [row + 1, column], [row + 1, column + 1]].map(|[row, column]| {
        let (x, y) = (at(column), at(row));
        match 1.0 - x.abs() - y.abs() {
            z if z < 0.0 => Vec3::new((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y), z),
            z => Vec3::new(x, y, z),
        }
    })
}
