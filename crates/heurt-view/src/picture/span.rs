//! Spans of a triangle: the columns of a row whose samples it covers.
//!
//! In: the corners of a triangle on the screen, a row, a window of columns. Out: a range of columns that holds all
//! covered samples of that row.
//! Method: a sample is covered if three edge functions (Pineda 1988) have no negative sign there. Along a row each of
//! them is monotone, its rounding included, so each one covers the columns on one side of a boundary. The boundary is
//! computed from the line of the edge. One evaluation next to it shows whether it is too narrow; a search by halves
//! finds the boundary then.
//! Guarantees: no covered sample is left out. Not guaranteed: that the outermost samples are covered; the edge
//! functions decide.
//! Cost: constant for a row, unless corners are off the screen by so much that the boundary is lost in rounding.

use super::raster::Corner;
use std::ops::Range;

/// A side of a triangle, and the weight of the corner opposite.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    from: [f64; 2],
    run: [f64; 2],
    scale: f64,
}

/// The sides of a triangle; their weights are those of the corners a, b, c.
pub(super) fn sides([a, b, c]: &[Corner; 3]) -> Option<[Side; 3]> {
    let area = Side::new(a, b, 1.0).at_row(f64::from(c[1])).weight(f64::from(c[0]));
    let inverse = 1.0 / area;
    (area != 0.0).then(|| [Side::new(b, c, inverse), Side::new(c, a, inverse), Side::new(a, b, inverse)])
}

impl Side {
    /// Makes a side. It starts at the same end for both triangles at an edge, so that no sample between them is missed.
    fn new(a: &Corner, b: &Corner, scale: f64) -> Self {
        let is_ordered = (a[0], a[1]) <= (b[0], b[1]);
        let (from, to) = if is_ordered { (a, b) } else { (b, a) };
        let [x, y] = [f64::from(from[0]), f64::from(from[1])];
        let run = [f64::from(to[0]) - x, f64::from(to[1]) - y];
        Self { from: [x, y], run, scale: if is_ordered { scale } else { -scale } }
    }

    /// Returns the side as one row sees it.
    #[inline(always)]
    pub(super) fn at_row(&self, y: f64) -> RowSide {
        RowSide { x: self.from[0], constant: self.run[0] * (y - self.from[1]), fall: self.run[1], scale: self.scale }
    }
}

/// The weight of a corner along a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSide {
    x: f64,
    constant: f64,
    fall: f64,
    scale: f64,
}

impl RowSide {
    /// Computes the weight at a column: the signed area of the sample and the side, as a share of the triangle.
    #[inline(always)]
    pub(super) fn weight(&self, x: f64) -> f64 {
        (self.constant - self.fall * (x - self.x)) * self.scale
    }

    /// Narrows a range of columns to those whose weight is not negative; a column more may remain.
    #[inline(always)]
    fn narrow(&self, columns: Range<usize>) -> Range<usize> {
        let Range { start, end } = columns;
        let is_covered = |column: usize| self.weight(column as f64 + 0.5) >= 0.0;
        if self.fall == 0.0 {
            return if is_covered(start) { start..end } else { start..start };
        }
        let boundary = self.x + self.constant / self.fall - 0.5;
        let clamp = |column: f64| (column.max(0.0) as usize).clamp(start, end);
        if (self.fall > 0.0) == (self.scale > 0.0) {
            let guess = clamp(boundary.floor() + 1.0);
            let is_short = guess < end && is_covered(guess);
            start..if is_short { guess + first_where(end - guess, |column| !is_covered(guess + column)) } else { guess }
        } else {
            let guess = clamp(boundary.ceil());
            let is_short = guess > start && is_covered(guess - 1);
            (if is_short { start + first_where(guess - start, |column| is_covered(start + column)) } else { guess })
                ..end
        }
    }
}

/// Returns the range of columns of a row that holds all covered samples.
#[inline(always)]
pub(super) fn span(sides: &[RowSide; 3], columns: Range<usize>) -> Range<usize> {
    sides.iter().fold(columns, |columns, side| if columns.is_empty() { columns } else { side.narrow(columns) })
}

/// Returns the first of `count` numbers for which a monotone condition is met; `count` if there is none.
pub(super) fn first_where(count: usize, is_met: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_met(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
