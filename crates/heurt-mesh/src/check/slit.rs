//! Slits among the borders of a mesh: borders whose sides run against each other within a width.
//!
//! In: the borders of a mesh and a width. Out: for a border, whether almost all of it is a side of a slit.
//! Method: the flat norm of a chain (Federer and Fleming 1960), in balls. With a weight φ that falls from 1 at the
//! centre of a ball to 0 at its surface, the sum of φ times the directed length of the border is by Stokes at most the
//! gradient of φ times the area of the gap in the ball. Two sides of a slit cancel; teeth of a saw cancel, too, and
//! leave the line on which they are. A ball has twice the width of the slit as its radius, and its sum is at most
//! the sum at a straight slit of that width. Each border has one direction, as the mesh may be inconsistently oriented;
//! two borders are compared in both directions. Borders are cut into pieces of a quarter of the width, and pieces of
//! one border in one cell of a grid count together.
//! Guarantees: the same in every run; a border that takes more than [`MAX_PIECES`] or [`MAX_VISITS`] is no slit.
//! Not guaranteed: a gap narrower than a cell between teeth is not seen.
//! Cost: O(b log b) for b pieces, and for each cell of a long border the cells in its ball, some hundreds for a curve.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use heurt_geometry::Vec3;

use crate::TriMesh;

/// Pieces of all borders of a mesh, at most: 120 m of border at a width of 0.5 mm.
const MAX_PIECES: usize = 1 << 20;
/// Cells in balls that are examined for one mesh, at most: some tenths of a second.
const MAX_VISITS: u64 = 1 << 26;

/// Width of a slit as a share of the radius of a ball.
const WIDTH: f64 = 0.5;
/// Side of a cell of the grid as a share of the radius.
const CELL: f64 = 0.125;
/// The sum at a straight slit of the full width as a share of the radius: 1 − (1 − w²)^(3/2), times the 4/3 of a line.
const LARGEST_SUM: f64 = 4.0 / 3.0 * (1.0 - 0.649_519_052_838_329);

/// The pieces of one border in one cell.
#[derive(Debug, Clone, Copy)]
struct BorderCell {
    border: u32,
    /// The mean place of the pieces.
    centre: Vec3,
    /// The sum of the directed lengths.
    along: Vec3,
    /// The sum of the lengths.
    length: f64,
}

/// A piece of a border: its cell, the border, its middle and its direction with its length.
type BorderPiece = ([i64; 3], u32, Vec3, Vec3);

/// The borders of a mesh, in the cells of a grid.
pub(super) struct Slits {
    /// The side of a cell. All lengths below are in cells.
    side: f64,
    /// The radius of a ball.
    radius: f64,
    /// By bucket, which is as large as a ball, then by border.
    cells: Vec<BorderCell>,
    buckets: HashMap<[i64; 3], Range<usize>>,
    /// By border, its cells, ascending.
    cells_of: Vec<Vec<usize>>,
    /// The number of a border by its first two vertices.
    numbers: HashMap<[u32; 2], u32>,
    visits: Cell<u64>,
}

impl Slits {
    /// Sorts the borders, each a row of vertices, into cells; `width` is the largest width of a slit. `None` if they
    /// are too long for this width.
    pub(super) fn new(mesh: &TriMesh, borders: &[(&[u32], bool)], width: f64) -> Option<Self> {
        let radius = width / WIDTH;
        let side = radius * CELL;
        let (base, scale) = (mesh.bounds().min, side.recip());
        let is_in_range = ((mesh.bounds().max - base) * scale).is_finite();
        if side <= 0.0 || side.is_nan() || !is_in_range {
            return None;
        }
        // In units of cells: neither squares nor sums overflow.
        let ends = |edge: [u32; 2]| edge.map(|vertex| (mesh.vertices()[vertex as usize] - base) * scale);
        let count_of = |[a, b]: [Vec3; 2]| (b - a).length().ceil().max(1.0);
        let edges = || borders.iter().flat_map(|&(vertices, is_loop)| edges_of(vertices, is_loop));
        let total: f64 = edges().map(|edge| count_of(ends(edge))).sum();
        if total > MAX_PIECES as f64 {
            return None;
        }
        let mut pieces: Vec<BorderPiece> = Vec::with_capacity(total as usize);
        for (border, &(vertices, is_loop)) in (0..).zip(borders) {
            for edge in edges_of(vertices, is_loop) {
                let [a, b] = ends(edge);
                let count = count_of([a, b]);
                let step = (b - a) / count;
                pieces.extend((0..count as usize).map(|k| {
                    let middle = a + step * (k as f64 + 0.5);
                    (middle.to_array().map(|x| x.floor() as i64), border, middle, step)
                }));
            }
        }
        let first = |&(vertices, _): &(&[u32], bool)| vertices.first_chunk().copied();
        let numbers = (0..).zip(borders).filter_map(|(number, border)| Some((first(border)?, number))).collect();
        Some(Self { numbers, ..Self::of_pieces(pieces, borders.len(), side) })
    }

    /// Joins pieces, in units of cells of this side, by cell and border.
    fn of_pieces(mut pieces: Vec<BorderPiece>, borders: usize, side: f64) -> Self {
        let radius = CELL.recip();
        let bucket_of = |cell: [i64; 3]| cell.map(|x| x.div_euclid(radius as i64));
        // A stable sort: sums run along the borders.
        pieces.sort_by_key(|&(cell, border, ..)| (bucket_of(cell), border, cell));
        let (mut cells, mut buckets) = (Vec::new(), HashMap::<[i64; 3], Range<usize>>::new());
        let mut cells_of = vec![Vec::new(); borders];
        for group in pieces.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (cell, border, ..) = group[0];
            let mut sum = BorderCell { border, centre: Vec3::ZERO, along: Vec3::ZERO, length: 0.0 };
            for &(_, _, middle, step) in group {
                sum.centre += middle / group.len() as f64;
                sum.along += step;
                sum.length += step.length();
            }
            let at = cells.len();
            buckets.entry(bucket_of(cell)).or_insert(at..at).end = at + 1;
            cells_of[border as usize].push(at);
            cells.push(sum);
        }
        Self { side, radius, cells, buckets, cells_of, numbers: HashMap::new(), visits: Cell::new(0) }
    }

    /// Tests whether a border is a side of slits, all but a length of `lone`; not if that takes too much work.
    pub(super) fn is_slit(&self, vertices: &[u32], lone: f64) -> bool {
        let number = vertices.first_chunk().and_then(|first| self.numbers.get(first));
        let Some(&border) = number else { return false };
        let mut left = lone / self.side;
        let mut sums: Vec<(u32, Vec3)> = Vec::new();
        for &at in &self.cells_of[border as usize] {
            if self.visits.get() > MAX_VISITS {
                return false;
            }
            sums.clear();
            if self.sum_around(&self.cells[at], &mut sums) > LARGEST_SUM * self.radius {
                left -= self.cells[at].length;
                if left < 0.0 {
                    return false;
                }
            }
        }
        true
    }

    /// Computes the length of the weighted sum in the ball around the centre of a cell. Each other border is turned so
    /// that the sum is shorter.
    fn sum_around(&self, of: &BorderCell, sums: &mut Vec<(u32, Vec3)>) -> f64 {
        let home = of.centre.to_array().map(|x| (x / self.radius).floor() as i64);
        let offsets = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
        for offset in offsets {
            let key = [0, 1, 2].map(|axis| home[axis].saturating_add(offset[axis]));
            let Some(range) = self.buckets.get(&key) else { continue };
            self.visits.set(self.visits.get() + range.len() as u64);
            for cell in &self.cells[range.clone()] {
                let weight = 1.0 - (cell.centre - of.centre).length_squared() / (self.radius * self.radius);
                if weight <= 0.0 {
                    continue;
                }
                match sums.last_mut() {
                    Some((border, sum)) if *border == cell.border => *sum += cell.along * weight,
                    _ => sums.push((cell.border, cell.along * weight)),
                }
            }
        }
        sums.sort_by_key(|&(border, _)| (border != of.border, border));
        let mut total = Vec3::ZERO;
        for group in sums.chunk_by(|a, b| a.0 == b.0) {
            let sum: Vec3 = group.iter().map(|(_, along)| *along).sum();
            let is_own = group[0].0 == of.border;
            total += if is_own || total.dot(sum) <= 0.0 { sum } else { -sum };
        }
        total.length()
    }
}

/// Lists the edges of a row of vertices.
fn edges_of(vertices: &[u32], is_loop: bool) -> impl Iterator<Item = [u32; 2]> {
    let back = if is_loop { vertices.last().zip(vertices.first()) } else { None };
    vertices.windows(2).map(|pair| [pair[0], pair[1]]).chain(back.map(|(&last, &first)| [last, first]))
}
