//! Neighbour grid: a regular grid with the points of each cell.
//!
//! Method: S4 §2.3, with the cells of §2.4: points are sorted by cell at every step, by counting, so that the points of
//! a row of cells are contiguous and a query reads a few runs. Difference from the source: the grid of S4 §2.3 has one
//! point a cell, is sorted by halves, and may miss neighbours; this grid misses none.
//! Guarantees: see the [module above](super). The map from coordinates to cells is monotone, rounding included. There
//! are at most 8 cells a point and 4,096 more: for a wider spread of points, cells are larger than requested.
//! Cost: O(n + cells) to build; O(cells and points in the ball's box) a query, best with cells approximately as large
//! as the radius.

use super::ball::{Ball, BallSearch, Nearest};
use super::{Neighbour, PointProximity, ProximityEntry, ProximityError};
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Vec3};

/// The grid.
#[derive(Debug, Clone)]
pub struct NeighbourGrid {
    /// The requested cell size, in metres.
    cell_size: f64,
    bounds: Aabb,
    inverse: f64,
    dims: [u32; 3],
    last: Vec3,
    /// Start of the entries of each cell, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<ProximityEntry>,
    unsorted: Vec<ProximityEntry>,
}

/// A range of cells, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CellSpan {
    low: [u32; 3],
    high: [u32; 3],
}

impl Draw for NeighbourGrid {
    /// Draws each cell that holds points.
    fn draw(&self, sink: &mut dyn DrawSink) {
        let [nx, ny, _] = self.dims.map(|n| n as usize);
        let filled = self.starts.windows(2).enumerate().filter(|(_, ends)| ends[0] < ends[1]);
        for (cell, _) in filled {
            let at = [cell % nx, cell / nx % ny, cell / (nx * ny)].map(|x| x as f64);
            let corner = |at: Vec3| self.bounds.min + if self.inverse > 0.0 { at / self.inverse } else { Vec3::ZERO };
            let at = Vec3::from_array(at);
            sink.draw_box(&Aabb { min: corner(at), max: corner(at + Vec3::ONE) }, Meaning::BroadPhase);
        }
    }
}

impl NeighbourGrid {
    /// Sorts points, in metres, into cells of `cell_size` metres.
    ///
    /// # Errors
    /// [`ProximityError`] for a cell size that is not a positive length, or for the first offending point.
    pub fn new(points: &[Vec3], cell_size: f64) -> Result<Self, ProximityError> {
        if !(cell_size > 0.0 && cell_size.is_finite() && (1.0 / cell_size).is_finite()) {
            return Err(ProximityError::BadCellSize { cell_size });
        }
        let mut grid = Self {
            cell_size,
            bounds: Aabb::EMPTY,
            inverse: 0.0,
            dims: [1; 3],
            last: Vec3::ZERO,
            starts: Vec::new(),
            entries: Vec::new(),
            unsorted: Vec::new(),
        };
        grid.rebuild(points)?;
        Ok(grid)
    }

    /// Fits the grid to the points.
    fn lay(&mut self) {
        self.bounds = Aabb::from_points(self.unsorted.iter().map(|entry| entry.at));
        let extent = if self.bounds.is_empty() { Vec3::ZERO } else { self.bounds.max - self.bounds.min };
        let most = (8 * self.unsorted.len() + 4096) as f64;
        let mut size = self.cell_size;
        let sides = |size: f64| (extent / size).ceil().max(Vec3::ONE);
        let count = |size: f64| sides(size).x * sides(size).y * sides(size).z;
        // In steps of a quarter from 1e-308 to 1e308: approximately 6,400 iterations at most.
        while count(size) > most && size < f64::MAX / 2.0 {
            size *= 1.25;
        }
        self.inverse = 1.0 / size.min(f64::MAX);
        // An extent beyond f64 is infinite, and one cell along each axis is a grid too.
        let sides = if count(size) <= most { sides(size) } else { Vec3::ONE };
        (self.dims, self.last) = (sides.to_array().map(|n| n as u32), sides - Vec3::ONE);
    }

    /// Returns the cell of a point along each axis, clamped for points outside.
    #[inline(always)]
    fn cell(&self, point: Vec3) -> [u32; 3] {
        let local = (point - self.bounds.min) * self.inverse;
        local.max(Vec3::ZERO).min(self.last).to_array().map(|x| x as u32)
    }

    #[inline(always)]
    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        x as usize + self.dims[0] as usize * (y as usize + self.dims[1] as usize * z as usize)
    }

    /// Returns the cells of every point that may be found within `radius`.
    #[inline(always)]
    pub(super) fn range(&self, centre: Vec3, radius: f64) -> CellSpan {
        // A distance may be rounded down to the radius, and so may the corners here.
        let reach = radius * (1.0 + 1e-15);
        let low = self.cell((centre - reach).map(f64::next_down));
        CellSpan { low, high: self.cell((centre + reach).map(f64::next_up)) }
    }

    /// Passes to a search the entries of all cells in a range, row by row.
    #[inline(always)]
    pub(super) fn feed(&self, CellSpan { low, high }: CellSpan, search: &mut impl BallSearch) {
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let (begin, end) = (self.index([low[0], y, z]), self.index([high[0], y, z]) + 1);
                search.take(&self.entries[self.starts[begin] as usize..self.starts[end] as usize]);
            }
        }
    }
}

impl PointProximity for NeighbourGrid {
    fn rebuild(&mut self, points: &[Vec3]) -> Result<(), ProximityError> {
        super::take(points, &mut self.unsorted)?;
        self.lay();
        let cells = self.dims.iter().map(|&n| n as usize).product::<usize>();
        self.starts.clear();
        self.starts.resize(cells + 1, 0);
        // Counted, summed, and then filled from the end of each cell down, which leaves the start of each cell.
        for entry in &self.unsorted {
            let cell = self.index(self.cell(entry.at));
            self.starts[cell] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.clone_from(&self.unsorted);
        for entry in self.unsorted.iter().rev() {
            let cell = self.index(self.cell(entry.at));
            self.starts[cell] -= 1;
            self.entries[self.starts[cell] as usize] = *entry;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn within(&self, point: Vec3, radius: f64, found: &mut Vec<u32>) {
        found.clear();
        if let Some(mut ball) = Ball::new(point, radius, found) {
            self.feed(self.range(point, radius), &mut ball);
            found.sort_unstable();
        }
    }

    fn nearest(&self, point: Vec3, k: usize) -> Vec<Neighbour> {
        self.nearest_by(point, k, |range, search| self.feed(range, search))
    }
}

impl NeighbourGrid {
    /// Returns the nearest of all points that `feed` passes to a search for a range of cells.
    pub(super) fn nearest_by(&self, point: Vec3, k: usize, feed: impl Fn(CellSpan, &mut Nearest)) -> Vec<Neighbour> {
        let k = k.min(self.entries.len());
        if k == 0 || !point.is_finite() {
            return Vec::new();
        }
        let whole = CellSpan { low: [0; 3], high: self.dims.map(|n| n - 1) };
        let border = (self.bounds.min - point).max(point - self.bounds.max).max_element().max(0.0);
        let mut beyond = 1.0 / self.inverse;
        let mut reach = border + beyond;
        // The box grows to the k-th distance found, or twice as far beyond the border, until it holds all cells.
        loop {
            let range = self.range(point, reach);
            let mut search = Nearest::new(point, k);
            feed(range, &mut search);
            if search.limit() <= reach || range == whole {
                return search.sorted();
            }
            beyond *= 2.0;
            reach = if search.limit().is_finite() { search.limit() } else { border + beyond };
        }
    }
}
