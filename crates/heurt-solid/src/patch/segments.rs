//! Numbers of segments of Bézier pieces: classes by union-find, greedy doubling.
//!
//! In: the pieces of all patches, a tolerance and a bound of rounding in metres. Out: a power of two for each column of
//! pieces along u and each row of pieces along v.
//! Method: all pieces of a column have one number along u, all pieces of a row one number along v. Borders of pieces
//! with the same two ends, in either order, have one number, too: union-find joins their classes. A border that is one
//! point joins nothing. All classes begin with one segment. For each piece, the pieces with the largest bound first,
//! the class of the larger term of the bound (M_uu / m² or M_vv / n²; the mixed term shrinks alike with both) is
//! doubled until the bound meets the tolerance. Cones with their apex (a linear patch with a border that is one point:
//! the end of a cylinder, a sector of a disc) have a bound of their own (`SecondDerivatives::of_cone`).
//! Guarantees: every piece meets the tolerance, unless a number reaches 2³⁰: the triangles exceed every limit then. A
//! number never shrinks, so that no piece is visited twice. Two borders that are the same curve have the same number.
//! Cost: O(pieces · log(pieces)), and a bound of second derivatives each.

use super::bezier::SecondDerivatives;
use super::tessellation::{GridStep, PieceGrid};
use heurt_geometry::Vec3;
use heurt_mesh::DisjointSets;
use std::collections::HashMap;

/// The largest level: 2³⁰ segments are beyond every limit of triangles.
const MAX_LEVEL: u32 = 30;

/// The numbers of segments of all columns and rows of pieces, each a power of two.
pub(super) struct SegmentNumbers {
    /// The class of each column and row: a patch's columns come before its rows.
    class_of: Vec<usize>,
    /// The index of the first column of each patch.
    first: Vec<usize>,
    /// The numbers of pieces of each patch.
    pieces: Vec<[usize; 2]>,
    /// The binary logarithms, by class.
    levels: Vec<u32>,
}

/// A piece whose bound is not met by one square.
struct OpenPiece {
    classes: [usize; 2],
    bound: SecondDerivatives,
}

impl SegmentNumbers {
    /// Chooses the numbers, and returns the largest bound of the distance with them.
    pub(super) fn choose(grids: &[PieceGrid], tolerance: f64, rounding: f64) -> (Self, f64) {
        let mut numbers = Self::one_each(grids);
        let meets = |deviation: f64| deviation + rounding <= tolerance;
        let mut largest = 0.0_f64;
        let mut open: Vec<OpenPiece> = Vec::new();
        for (patch, grid) in grids.iter().enumerate() {
            let [rows, columns] = grid.pieces;
            let cone_axis = [0, 1].into_iter().find(|&axis| grid.is_cone(axis));
            for at in (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])) {
                let piece = grid.piece(at);
                let of_cone = |bound: SecondDerivatives| cone_axis.map_or(bound, |axis| bound.of_cone(axis));
                let cheap = of_cone(piece.second_derivatives_at_once()).deviation([1.0, 1.0]);
                if meets(cheap) {
                    largest = largest.max(cheap);
                } else {
                    let classes = [0, 1].map(|axis| numbers.class_of[numbers.index(patch, axis, at[axis])]);
                    open.push(OpenPiece { classes, bound: of_cone(piece.second_derivatives()) });
                }
            }
        }
        let at_first = |piece: &OpenPiece| piece.bound.deviation([1.0, 1.0]);
        open.sort_by(|a, b| at_first(b).total_cmp(&at_first(a)));
        for piece in &open {
            while !meets(piece.bound.deviation(numbers.legs(piece.classes))) {
                let class = numbers.larger_term(piece);
                if numbers.levels[class] == MAX_LEVEL {
                    break;
                }
                numbers.levels[class] += 1;
            }
        }
        let with_numbers = open.iter().map(|piece| piece.bound.deviation(numbers.legs(piece.classes)));
        largest = with_numbers.fold(largest, f64::max);
        (numbers, largest + rounding)
    }

    /// Creates the classes, with one segment each.
    fn one_each(grids: &[PieceGrid]) -> Self {
        let pieces: Vec<[usize; 2]> = grids.iter().map(|grid| grid.pieces).collect();
        let mut first = Vec::with_capacity(pieces.len());
        let mut count = 0;
        for [rows, columns] in &pieces {
            first.push(count);
            count += rows + columns;
        }
        let mut numbers = Self { class_of: Vec::new(), first, pieces, levels: vec![0; count] };
        let mut sets = DisjointSets::new(count);
        let mut border_of: HashMap<[[u64; 3]; 2], usize> = HashMap::new();
        for (patch, grid) in grids.iter().enumerate() {
            for (axis, piece, ends) in borders(grid) {
                let index = numbers.index(patch, axis, piece);
                let known = *border_of.entry(ends).or_insert(index);
                sets.unite(known as u32, index as u32);
            }
        }
        numbers.class_of = (0..count as u32).map(|index| sets.find(index) as usize).collect();
        numbers
    }

    /// Returns the index of a column (axis 0) or row (axis 1) of pieces of a patch.
    fn index(&self, patch: usize, axis: usize, piece: usize) -> usize {
        self.first[patch] + axis * self.pieces[patch][0] + piece
    }

    /// Returns the legs of the squares of a piece in its parameters.
    fn legs(&self, classes: [usize; 2]) -> [f64; 2] {
        classes.map(|class| 1.0 / (1_u64 << self.levels[class]) as f64)
    }

    /// Returns the class with the larger term, of equal terms the class with fewer segments.
    fn larger_term(&self, piece: &OpenPiece) -> usize {
        let [u, v] = piece.classes;
        let [share_u, share_v] = piece.bound.shares(self.legs(piece.classes));
        if share_u > share_v || (share_u == share_v && self.levels[u] <= self.levels[v]) { u } else { v }
    }

    /// Returns the numbers of segments of the columns and rows of a patch.
    pub(super) fn of_patch(&self, patch: usize) -> [Vec<usize>; 2] {
        let number = |index: usize| 1_usize << self.levels[self.class_of[index]];
        [0, 1].map(|axis| (0..self.pieces[patch][axis]).map(|k| number(self.index(patch, axis, k))).collect())
    }

    /// Counts the triangles of all patches; `u64::MAX` if there are more.
    pub(super) fn triangles(&self) -> u64 {
        let squares = |patch: usize| {
            let [rows, columns] = self.of_patch(patch).map(|numbers| numbers.iter().map(|&n| n as u64).sum::<u64>());
            rows.saturating_mul(columns)
        };
        (0..self.pieces.len()).map(squares).fold(0, u64::saturating_add).saturating_mul(2)
    }

    /// Returns the least and the largest number.
    pub(super) fn range(&self) -> [u32; 2] {
        let levels = || self.class_of.iter().map(|&class| self.levels[class]);
        [levels().min(), levels().max()].map(|level| 1 << level.unwrap_or(0))
    }
}

/// Lists the borders of pieces on the border of a patch that are not points: the axis along which they run, the index
/// of the piece along it, and the bits of both ends, ascending.
fn borders(grid: &PieceGrid) -> Vec<(usize, usize, [[u64; 3]; 2])> {
    let steps = grid.pieces.map(|pieces| GridStep::list(&vec![1; pieces]));
    let mut found = Vec::new();
    for end in [0, 1] {
        let u = steps[0][end * grid.pieces[0]];
        let v = [steps[1][end * grid.pieces[1]]];
        let lines = [steps[0].iter().map(|&u| grid.row(u, &v)[0]).collect::<Vec<Vec3>>(), grid.row(u, &steps[1])];
        for (axis, line) in lines.iter().enumerate().filter(|&(axis, _)| !grid.is_point(1 - axis, end)) {
            for (piece, ends) in line.windows(2).enumerate() {
                let mut bits = [ends[0], ends[1]].map(|point| point.to_array().map(f64::to_bits));
                bits.sort_unstable();
                found.push((axis, piece, bits));
            }
        }
    }
    found
}
