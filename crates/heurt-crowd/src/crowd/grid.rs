//! Grid: the places of agents in squares of a metre, wherever in the plane they are.
//!
//! In: places by slot. Out: the slots whose places may be within a distance of a place.
//! Method: the squares of the plane are wound onto a torus with nearly as many squares as agents: places whose squares
//! are a multiple of its width from each other share one. Places are sorted by square (counting sort), row by row, so
//! that a row of squares is one range.
//! Guarantees: all slots within the distance, each once; further ones are among them. Cost: O(agents) to build, for any
//! size of the floor; O(squares and agents within the distance) to search.

use heurt_geometry::Vec2;

/// The squares of a row from negative coordinates on: floors reach less far than 2³¹ m.
const ORIGIN: f64 = 2_147_483_648.0;

/// Distances are searched this much further, so that rounding leaves none out.
const SLACK: f64 = 1.0 + 1e-9;

/// The least squares of a row, as power of two: a torus of a few agents would be searched as a whole.
const LEAST_BITS: u32 = 5;

/// A place and its slot.
pub(super) type PlacedSlot = (Vec2, u32);

/// Places by square.
#[derive(Debug, Clone, Default)]
pub(super) struct PlaceGrid {
    /// Squares of a row as power of two.
    bits: u32,
    /// By square: its first entry; the number of entries at the end.
    starts: Vec<u32>,
    entries: Vec<PlacedSlot>,
    /// By slot.
    squares: Vec<u32>,
}

impl PlaceGrid {
    /// Sorts places by square.
    pub fn update(&mut self, places: &[Vec2]) {
        self.bits = (places.len().max(1).ilog2() / 2 + 1).max(LEAST_BITS);
        let (bits, mask) = (self.bits, self.mask());
        self.squares.clear();
        self.squares.extend(places.iter().map(|&place| square(bits, mask, square_of(place))));
        self.starts.clear();
        self.starts.resize((1 << (2 * bits)) + 1, 0);
        for &square in &self.squares {
            self.starts[square as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.entries.clear();
        self.entries.resize(places.len(), (Vec2::ZERO, 0));
        // From the last on: starts go back from the ends of squares, and slots of a square keep their order.
        for (slot, (&square, &place)) in self.squares.iter().zip(places).enumerate().rev() {
            let start = &mut self.starts[square as usize];
            *start -= 1;
            self.entries[*start as usize] = (place, slot as u32);
        }
    }

    /// Hands ranges with all entries within `reach` metres of a place to `visit`, each entry once.
    pub fn for_each_range(&self, place: Vec2, reach: f64, mut visit: impl FnMut(&[PlacedSlot])) {
        let reach = Vec2::splat(reach * SLACK);
        let ([left, bottom], [right, top]) = (square_of(place - reach), square_of(place + reach));
        let (bits, mask) = (self.bits, self.mask());
        if right - left >= mask || top - bottom >= mask {
            return visit(&self.entries);
        }
        let range = |from: i64, to: i64| {
            let (first, last) = (from as usize, to as usize);
            &self.entries[self.starts[first] as usize..self.starts[last + 1] as usize]
        };
        for row in bottom..=top {
            let row = (row & mask) << bits;
            let (left, right) = (left & mask, right & mask);
            if left <= right {
                visit(range(row | left, row | right));
            } else {
                visit(range(row | left, row | mask));
                visit(range(row, row | right));
            }
        }
    }

    fn mask(&self) -> i64 {
        (1 << self.bits) - 1
    }
}

/// Returns the column and the row of the square of a place.
fn square_of(place: Vec2) -> [i64; 2] {
    // Casts round down, since all is positive.
    (place + ORIGIN).to_array().map(|x| x as i64)
}

fn square(bits: u32, mask: i64, [column, row]: [i64; 2]) -> u32 {
    ((row & mask) << bits | column & mask) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    #[test]
    fn ranges_have_all_places_within_reach_once() {
        let mut random = SplitMix64::new(7);
        for (count, side) in [(1, 5.0), (40, 5.0), (300, 30.0), (2000, 4000.0), (3000, 20.0)] {
            let places: Vec<Vec2> = (0..count)
                .map(|_| Vec2::new(random.between(-side, side), random.between(-0.5 * side, 1e4 + side)))
                .collect();
            let mut grid = PlaceGrid::default();
            grid.update(&places);
            for reach in [0.0, 0.3, 1.0, 4.9, 60.0] {
                let middle = places[count / 2];
                let mut found = Vec::new();
                grid.for_each_range(middle, reach, |entries| found.extend_from_slice(entries));
                assert!(found.iter().all(|&(place, slot)| places[slot as usize] == place));
                let mut slots: Vec<u32> = found.iter().map(|&(_, slot)| slot).collect();
                slots.sort_unstable();
                assert!(slots.windows(2).all(|pair| pair[0] < pair[1]), "each once");
                for (slot, place) in places.iter().enumerate() {
                    let is_near = place.distance(middle) <= reach;
                    assert!(!is_near || slots.binary_search(&(slot as u32)).is_ok(), "{count} places, {reach} m");
                }
            }
        }
    }
}
