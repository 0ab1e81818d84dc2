//! Fans of boundary faces around a corner of a grid.
//!
//! In: the eight cells around a corner as a pattern of bits, and the edges at which pairs are exchanged. Out: the
//! number of the fan of each face at the corner.
//! Method: 12 faces between the cells and 6 edges meet at a corner. Two boundary faces at an edge are neighbours. Four
//! boundary faces at an edge alternate; the two faces of a cell of the set are neighbours, and after an exchange the
//! two faces of an empty cell. Each face has two edges at the corner, so fans are cycles.
//! Guarantees: a fan with a vertex of its own is a disc, so that no vertex is shared by two fans.

/// Exchanges at the edges of a corner: bit 2·axis + side; side 1 leads up.
pub(super) type Exchanges = u8;

/// The fan of each face, at digit 4·axis + u + 2·v for the cells at (u, v) on the axes after it; only boundary faces
/// have one.
pub(super) struct CornerFans {
    fan: [u8; 12],
    /// The number of fans, at most 4.
    pub count: u8,
}

/// Returns the number of the face across an axis that a cell has at the corner.
pub(super) fn face_of(axis: usize, cell: usize) -> usize {
    4 * axis + (cell >> ((axis + 1) % 3) & 1) + 2 * (cell >> ((axis + 2) % 3) & 1)
}

/// Returns the cells around an edge, in cyclic order; neighbours differ on the first axis across, then on the second.
pub(super) fn cells_around(axis: usize, side: usize) -> [usize; 4] {
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[at_u, at_v]| side << axis | at_u << u | at_v << v)
}

impl CornerFans {
    pub fn new(pattern: u8, exchanges: Exchanges) -> Self {
        let is_full = |cell: usize| pattern >> cell & 1 == 1;
        let mut fan: [u8; 12] = std::array::from_fn(|face| face as u8);
        let mut unite = |a: usize, b: usize| {
            let (kept, dropped) = (fan[a].min(fan[b]), fan[a].max(fan[b]));
            fan.iter_mut().filter(|fan| **fan == dropped).for_each(|fan| *fan = kept);
        };
        let mut is_boundary = [false; 12];
        for (axis, side) in (0..6).map(|k| (k / 2, k % 2)) {
            let cells = cells_around(axis, side);
            // The face between a cell and the next.
            let faces: [usize; 4] = std::array::from_fn(|k| face_of((axis + 1 + k % 2) % 3, cells[k]));
            let differs: [bool; 4] = std::array::from_fn(|k| is_full(cells[k]) != is_full(cells[(k + 1) % 4]));
            (0..4).for_each(|k| is_boundary[faces[k]] |= differs[k]);
            if differs == [true; 4] {
                let keeps_full = exchanges >> (2 * axis + side) & 1 == 0;
                for k in (0..4).filter(|&k| is_full(cells[k]) == keeps_full) {
                    unite(faces[k], faces[(k + 3) % 4]);
                }
            } else if let Some(first) = differs.iter().position(|&differs| differs) {
                let last = differs.iter().rposition(|&differs| differs).unwrap_or(first);
                unite(faces[first], faces[last]);
            }
        }
        // Consecutive numbers.
        let (mut numbers, mut count) = ([0; 12], 0);
        for face in (0..12).filter(|&face| is_boundary[face]) {
            if usize::from(fan[face]) == face {
                (numbers[face], count) = (count, count + 1);
            }
        }
        Self { fan: fan.map(|fan| numbers[usize::from(fan)]), count }
    }

    /// Returns the fan of a boundary face.
    pub fn of(&self, face: usize) -> u32 {
        u32::from(self.fan[face])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_boundary_face_has_two_edges_in_its_fan() {
        for pattern in 0..=u8::MAX {
            for exchanges in 0..64 {
                let fans = CornerFans::new(pattern, exchanges);
                assert!(fans.count <= 4 && (fans.count == 0) == matches!(pattern, 0 | 255));
            }
        }
        assert_eq!(CornerFans::new(0b1000_0001, 0).count, 2, "two cells that share a corner");
        assert_eq!(CornerFans::new(0b0000_1001, 0).count, 2, "two cells that share an edge");
        assert_eq!(CornerFans::new(0b0000_1001, 0b01_0000).count, 1, "exchanged at the edge");
        assert_eq!(CornerFans::new(0b0110_1001, 0).count, 4, "a chessboard");
    }
}
