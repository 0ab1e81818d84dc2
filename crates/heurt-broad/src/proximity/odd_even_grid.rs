//! Odd–even grid: one point a cell, sorted along each axis by passes of swaps; neighbours in a ring of cells.
//!
//! In: points, and the number of axes that count (2: x and y, or 3). Out: for each point the points in the cells around
//! its own; the share of true neighbours that these miss.
//! Method: the neighbour grid of S4 §2.3. The matrix is the smallest square or cube with a cell for each point. A pass
//! compares each cell with the next cell along each axis, first from even places, then from odd places, and swaps two
//! points in the wrong order. Cells without a point count as beyond all points. Points may move between passes:
//! [`OddEvenGrid::set_points`] keeps the cells.
//! Guarantees: same calls, same cells. Each cell holds one point or none; a pass without a swap means that each line of
//! cells is sorted along its axis. Not guaranteed: neighbours. Two near points may be many cells from one another;
//! [`OddEvenGrid::missed`] counts such pairs. [`PointIndex`] misses none; this grid is no part of it for that reason.
//! Cost: O(cells) a pass and O(1) a ring; 28 bytes a point and 4 a cell.

use super::{PointIndex, PointProximity, ProximityEntry, ProximityError, take};
use heurt_geometry::Vec3;

/// No point.
const VACANT: u32 = u32::MAX;

/// The grid.
#[derive(Debug, Clone)]
pub struct OddEvenGrid {
    points: Vec<Vec3>,
    /// Cells along x, y and z.
    dims: [usize; 3],
    /// The point in each cell.
    cells: Vec<u32>,
    /// The cell of each point.
    cell_of: Vec<u32>,
}

/// True neighbours, and how many a ring of cells misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MissedNeighbours {
    /// Ordered pairs of points within the radius.
    pub pairs: u64,
    /// Pairs of which the second point is not in the ring of the first.
    pub missed: u64,
}

impl MissedNeighbours {
    /// Returns the share of missed pairs, from 0 to 1; 0 without pairs.
    pub fn share(self) -> f64 {
        if self.pairs == 0 { 0.0 } else { self.missed as f64 / self.pairs as f64 }
    }
}

impl OddEvenGrid {
    /// Puts points into cells in the order given, without sorting.
    ///
    /// ```
    /// use heurt_broad::OddEvenGrid;
    /// use heurt_geometry::Vec3;
    /// let points: Vec<Vec3> = (0..9).rev().map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
    /// let mut grid = OddEvenGrid::new(&points, false)?;
    /// while grid.pass() > 0 {}
    /// let mut ring = Vec::new();
    /// grid.ring(4, 1, &mut ring); // The point in the middle.
    /// assert_eq!(ring, [0, 1, 2, 3, 5, 6, 7, 8]);
    /// assert_eq!(grid.missed(1.0, 1)?.missed, 0);
    /// # Ok::<(), heurt_broad::ProximityError>(())
    /// ```
    ///
    /// # Errors
    /// [`ProximityError`] for the first point that is not finite, or for too many.
    pub fn new(points: &[Vec3], is_spatial: bool) -> Result<Self, ProximityError> {
        take(points, &mut Vec::<ProximityEntry>::new())?;
        let fits = |side: &usize| side.pow(if is_spatial { 3 } else { 2 }) >= points.len();
        let side = (1..).find(fits).unwrap_or(1);
        let dims = [side, side, if is_spatial { side } else { 1 }];
        let mut cells = vec![VACANT; dims.iter().product()];
        for (cell, point) in cells.iter_mut().zip(0..points.len() as u32) {
            *cell = point;
        }
        Ok(Self { points: points.to_vec(), dims, cells, cell_of: (0..points.len() as u32).collect() })
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Reports whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Moves the points, whose cells stay as they are.
    ///
    /// # Errors
    /// [`ProximityError::NotFinite`]; the points then stay where they are. Points beyond the number of the grid are
    /// ignored, and missing ones stay.
    pub fn set_points(&mut self, points: &[Vec3]) -> Result<(), ProximityError> {
        if let Some(point) = points.iter().position(|at| !at.is_finite()) {
            return Err(ProximityError::NotFinite { point, position: points[point] });
        }
        self.points.iter_mut().zip(points).for_each(|(old, &new)| *old = new);
        Ok(())
    }

    /// Makes one pass along each axis: even places, then odd places. Returns the number of swaps.
    pub fn pass(&mut self) -> u64 {
        let mut swaps = 0;
        for axis in 0..3 {
            for parity in 0..2 {
                swaps += self.half_pass(axis, parity);
            }
        }
        swaps
    }

    /// Compares the cells at places of a parity with the next cells along an axis.
    fn half_pass(&mut self, axis: usize, parity: usize) -> u64 {
        let step = [1, self.dims[0], self.dims[0] * self.dims[1]][axis];
        let mut swaps = 0;
        for cell in 0..self.cells.len() {
            let place = cell / step % self.dims[axis];
            if place % 2 == parity && place + 1 < self.dims[axis] && self.is_after(axis, cell, cell + step) {
                self.cells.swap(cell, cell + step);
                for cell in [cell, cell + step] {
                    if self.cells[cell] != VACANT {
                        self.cell_of[self.cells[cell] as usize] = cell as u32;
                    }
                }
                swaps += 1;
            }
        }
        swaps
    }

    /// Reports whether the point of a cell comes after the point of the next: by the axis, then by the further axes and
    /// its number, so that equal coordinates have an order.
    fn is_after(&self, axis: usize, cell: usize, next: usize) -> bool {
        match (self.cells[cell], self.cells[next]) {
            (_, VACANT) => false,
            (VACANT, _) => true,
            (a, b) => {
                let [p, q] = [a, b].map(|point| self.points[point as usize].to_array());
                let by = |axis: usize| p[axis % 3].total_cmp(&q[axis % 3]);
                by(axis).then(by(axis + 1)).then(by(axis + 2)).then(a.cmp(&b)).is_gt()
            }
        }
    }

    /// Writes to `found` the points at most `ring` cells from the cell of a point along each axis, sorted and
    /// without itself; none for a number without a point. A ring of 1 is the Moore neighbourhood.
    pub fn ring(&self, point: u32, ring: usize, found: &mut Vec<u32>) {
        found.clear();
        let Some(&cell) = self.cell_of.get(point as usize) else { return };
        let [nx, ny, _] = self.dims;
        let place = [cell as usize % nx, cell as usize / nx % ny, cell as usize / nx / ny];
        let [xs, ys, zs] = [0, 1, 2]
            .map(|axis| place[axis].saturating_sub(ring)..=place[axis].saturating_add(ring).min(self.dims[axis] - 1));
        for z in zs {
            for y in ys.clone() {
                let row = nx * (y + ny * z);
                let cells = &self.cells[row + xs.start()..=row + xs.end()];
                found.extend(cells.iter().copied().filter(|&other| other != VACANT && other != point));
            }
        }
        found.sort_unstable();
    }

    /// Counts the pairs of points within a radius, and those of which the ring of the first misses the second. Only
    /// the axes of the grid count. Cost: as [`PointIndex`].
    ///
    /// # Errors
    /// [`ProximityError::BadCellSize`] for a radius that is not a positive length.
    pub fn missed(&self, radius: f64, ring: usize) -> Result<MissedNeighbours, ProximityError> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(ProximityError::BadCellSize { cell_size: radius });
        }
        let is_spatial = self.dims[2] > 1;
        let flat = |point: &Vec3| if is_spatial { *point } else { Vec3::new(point.x, point.y, 0.0) };
        let points: Vec<Vec3> = self.points.iter().map(flat).collect();
        let exact = PointIndex::with_radius(&points, radius)?;
        let (mut near, mut found, mut missed) = (Vec::new(), Vec::new(), MissedNeighbours::default());
        for (number, &point) in (0..).zip(&points) {
            exact.within(point, radius, &mut near);
            self.ring(number, ring, &mut found);
            for other in near.iter().filter(|&&other| other != number) {
                missed.pairs += 1;
                missed.missed += u64::from(found.binary_search(other).is_err());
            }
        }
        Ok(missed)
    }
}
