//! Index of walls: a grid of squares, each with the walls that may meet it.
//!
//! In: segments. Out: the segments that may meet a box. Method: squares of the mean length of walls, in a table sorted
//! by square; a wall is listed in each square that its box meets, long walls piece by piece.
//! Guarantees: no segment that meets the box is left out; each may come several times. Cost: O(squares of the box).

use heurt_geometry::Vec2;

/// The largest number of pieces that a wall is listed by: longer walls are in a list of their own.
const MAX_SQUARES: f64 = 4096.0;

/// Walls by squares of a grid.
#[derive(Debug, Clone)]
pub(crate) struct WallIndex {
    side: f64,
    /// Squares and walls, sorted.
    entries: Vec<((i64, i64), u32)>,
    /// Walls that are in too many squares to be listed.
    long: Vec<u32>,
}

impl WallIndex {
    pub(crate) fn new(walls: &[[Vec2; 2]]) -> Self {
        let total: f64 = walls.iter().map(|[a, b]| a.distance(*b)).sum();
        let side = (total / walls.len().max(1) as f64).clamp(1.0, 64.0);
        let mut index = Self { side, entries: Vec::new(), long: Vec::new() };
        for (number, &[a, b]) in walls.iter().enumerate() {
            let pieces = (a.distance(b) / side).ceil().max(1.0);
            if pieces.is_nan() || pieces > MAX_SQUARES {
                index.long.push(number as u32);
                continue;
            }
            for piece in 0..pieces as u32 {
                let at = |k: f64| a + (b - a) * (k / pieces);
                let (from, to) = (at(f64::from(piece)), at(f64::from(piece) + 1.0));
                // A margin for the rounding of the pieces' ends.
                let margin = Vec2::splat(1e-9 * side);
                index.squares([from.min(to) - margin, from.max(to) + margin], |square, entries| {
                    entries.push((square, number as u32));
                });
            }
        }
        index.entries.sort_unstable();
        index.entries.dedup();
        index
    }

    fn squares(&mut self, [low, high]: [Vec2; 2], mut visit: impl FnMut((i64, i64), &mut Vec<((i64, i64), u32)>)) {
        let (low, high) = (low / self.side, high / self.side);
        for x in low.x.floor() as i64..=high.x.floor() as i64 {
            for y in low.y.floor() as i64..=high.y.floor() as i64 {
                visit((x, y), &mut self.entries);
            }
        }
    }

    /// Counts the walls listed in the squares of a box, each as often as it is listed there. Cost: O(columns · log n).
    pub(crate) fn count_in(&self, [low, high]: [Vec2; 2]) -> usize {
        let (low, high) = (low / self.side, high / self.side);
        let at = |x: i64, y: f64| self.entries.partition_point(|&(square, _)| square < (x, y.floor() as i64));
        let column = |x: i64| at(x, high.y + 1.0) - at(x, low.y);
        (low.x.floor() as i64..=high.x.floor() as i64).map(column).sum()
    }

    /// Calls `visit` with the walls that may meet a box; some of them several times.
    pub(crate) fn for_each_in(&self, [low, high]: [Vec2; 2], mut visit: impl FnMut(u32)) {
        self.long.iter().for_each(|&wall| visit(wall));
        let (low, high) = (low / self.side, high / self.side);
        if !low.is_finite() || !high.is_finite() {
            return;
        }
        let [first, last] = [low.y.floor() as i64, high.y.floor() as i64];
        let (mut x, end) = (low.x.floor() as i64, high.x.floor() as i64);
        while x <= end {
            let from = self.entries.partition_point(|&(square, _)| square < (x, first));
            let Some(&((column, _), _)) = self.entries.get(from) else { return };
            if column > x {
                // No wall is listed in between.
                x = column;
                continue;
            }
            self.entries[from..]
                .iter()
                .take_while(|&&(square, _)| square <= (x, last))
                .for_each(|&(_, wall)| visit(wall));
            x += 1;
        }
    }
}
