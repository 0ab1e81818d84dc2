//! Sorted list of the ends of all intervals along one axis.
//!
//! In: ends with new positions. Out: the sorted list, and the pairs of intervals that began to overlap.
//! Method: insertion sort (S0 §6.1.2) of only the ends with new positions, one after another, to the left or to the
//! right: a list at rest is not even traversed. An end is two numbers. The key combines position, side and id, defines
//! the order of the list, and is used to search it. The second number holds the cells of its box along both cross axes,
//! so most exchanges are decided without further memory accesses. Both are in separate lists. Exchanges are counted and
//! tested several at a time, without a branch on each. Starts go before ends of the same position, so intervals that
//! touch overlap.

use crate::broad_phase::common::proxies::make_room;
use crate::broad_phase::{Pair, ProxyId};
use heurt_bvh::Aabb32;
use std::array::from_fn;
use std::hint::select_unpredictable;

/// The start or the end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The position, in bits of the same order as the numbers; 1 for the greater end; the id.
    pub key: u64,
    /// Cells of the box along both cross axes ([`Cells::across`]).
    pub across: u32,
}

/// Bit of `key` that marks a greater end.
const SIDE: u64 = 1 << 31;
/// The highest bit of each quarter of `across`.
const GUARDS: u32 = 0x8080_8080;
/// Highest cell number, which fills a quarter of `across`.
const LAST_CELL: u32 = 0x7f;
/// Position beyond the bits of all positions.
const BEYOND: u64 = 0xff80_0001;

impl End {
    #[inline(always)]
    pub fn id(self) -> ProxyId {
        (self.key & (SIDE - 1)) as u32
    }

    #[inline(always)]
    pub fn is_greater(self) -> bool {
        self.key & SIDE != 0
    }

    /// Returns the keys of arriving object number `n`: beyond all other keys, and distinct from other arriving objects.
    pub fn arriving(id: ProxyId, n: usize) -> [u64; 2] {
        [0, SIDE].map(|side| (BEYOND + n as u64) << 32 | side | u64::from(id))
    }
}

/// Maximum number of objects that can arrive at once.
pub(crate) const MAX_ARRIVALS: usize = 1 << 20;

/// A room divided into cells along each axis, for a coarse test of boxes. Boxes outside count as in the border cells.
/// The map is monotone, so overlapping boxes overlap in cells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Room {
    low: [f32; 3],
    cells: [f32; 3],
}

impl Room {
    pub fn new(bounds: &Aabb32) -> Self {
        let cells = |k: usize| {
            let cells = LAST_CELL as f32 / (bounds.max[k] - bounds.min[k]);
            if cells.is_finite() && cells > 0.0 { cells } else { 0.0 }
        };
        Self { low: from_fn(|k| if bounds.min[k].is_finite() { bounds.min[k] } else { 0.0 }), cells: from_fn(cells) }
    }

    #[inline(always)]
    fn cell(&self, k: usize, x: f32) -> u32 {
        // A NaN (unbounded, in a flat room) goes to cell 0, as all others do there.
        (((x - self.low[k]) * self.cells[k]) as i32).clamp(0, LAST_CELL as i32) as u32
    }

    /// Returns the first and the last cell of a box; the last cell is counted from the far wall.
    #[inline(always)]
    pub fn cells(&self, bounds: &Aabb32) -> Cells {
        let far = |k: usize| (LAST_CELL - self.cell(k, bounds.max[k])) as u8;
        Cells { from: from_fn(|k| self.cell(k, bounds.min[k]) as u8), far: from_fn(far) }
    }
}

/// The range of cells of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cells {
    from: [u8; 3],
    far: [u8; 3],
}

impl Cells {
    /// Returns the cells along both axes other than `axis`.
    #[inline(always)]
    pub fn across(&self, axis: usize) -> u32 {
        let (u, v) = ([1, 2, 0][axis], [2, 0, 1][axis]);
        u32::from_le_bytes([self.from[u], self.from[v], self.far[u], self.far[v]])
    }

    /// Returns an end of the box of `id` on the list of an axis.
    #[inline(always)]
    pub fn end(&self, bounds: &Aabb32, axis: usize, id: ProxyId, is_greater: bool) -> End {
        End { key: keys(bounds, axis, id)[usize::from(is_greater)], across: self.across(axis) }
    }
}

/// Returns the keys of both ends of the box of `id` along an axis.
#[inline(always)]
pub(crate) fn keys(bounds: &Aabb32, axis: usize, id: ProxyId) -> [u64; 2] {
    let key = |place: f32, side: u64| {
        // −0 and 0 are the same position.
        let bits = (place + 0.0).to_bits();
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        u64::from(ordered) << 32 | side | u64::from(id)
    };
    [key(bounds.min[axis], 0), key(bounds.max[axis], SIDE)]
}

/// Returns upper limits: the cells of any box that overlaps this box across the axis are, in each quarter, at most
/// this.
#[inline(always)]
fn reach(across: u32) -> u32 {
    // 0x7f minus an end counted from the far wall is the end; 0x7f minus a start is a start counted from there.
    !across.rotate_left(16) | GUARDS
}

/// A list was too far from sorted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TooManySwaps;

/// An end that gets a new position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shift {
    /// Its present key on the list.
    pub was: u64,
    /// Its new key and cells.
    pub end: End,
    /// Its approximate index on the list.
    pub at: u32,
}

/// Number of ends that are searched or tested together.
const FEW: usize = 8;

/// A sorted list of ends.
#[derive(Debug, Default)]
pub(crate) struct Axis {
    keys: Vec<u64>,
    across: Vec<u32>,
}

impl Axis {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn ends(&self) -> impl DoubleEndedIterator<Item = End> + ExactSizeIterator + '_ {
        self.keys.iter().zip(&self.across).map(|(&key, &across)| End { key, across })
    }

    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.across.capacity() * size_of::<u32>()
    }

    /// Appends the ends of `count` arriving objects, beyond all others.
    pub fn extend(&mut self, count: usize, arriving: impl Iterator<Item = u64>) {
        let end = self.len() + 2 * count;
        make_room(&mut self.keys, end);
        make_room(&mut self.across, end);
        self.keys.extend(arriving);
        self.across.resize(self.keys.len(), 0);
    }

    /// Removes the ends of some objects.
    pub fn leave_out(&mut self, is_gone: impl Fn(ProxyId) -> bool) {
        let mut kept = 0;
        for place in 0..self.keys.len() {
            let end = End { key: self.keys[place], across: self.across[place] };
            (self.keys[kept], self.across[kept]) = (end.key, end.across);
            kept += usize::from(!is_gone(end.id()));
        }
        self.keys.truncate(kept);
        self.across.truncate(kept);
    }

    /// Rebuilds the list from `count` boxes, in any order; `across` returns the cells of an id's box across the axis.
    pub fn sort_anew(&mut self, count: usize, keys: impl Iterator<Item = [u64; 2]>, across: impl Fn(ProxyId) -> u32) {
        self.keys.clear();
        self.across.clear();
        make_room(&mut self.keys, 2 * count);
        make_room(&mut self.across, 2 * count);
        self.keys.extend(keys.flatten());
        self.keys.sort_unstable();
        self.across.extend(self.keys.iter().map(|&key| across(End { key, across: 0 }.id())));
    }

    /// Moves ends to their new positions. Appends to `met` the pairs whose intervals began to overlap, except those
    /// disjoint across the axis. `swaps` counts all exchanges.
    #[inline(always)]
    pub fn mend(
        &mut self,
        shifts: &mut [Shift],
        limit: u64,
        swaps: &mut u64,
        met: &mut Vec<Pair>,
    ) -> Result<(), TooManySwaps> {
        self.find(shifts);
        let mut done = 0;
        for shift in shifts {
            let from = self.place(shift.was, shift.at as usize);
            let to = self.put(from, shift.end, met);
            done += from.abs_diff(to) as u64;
            if done > limit {
                break;
            }
        }
        *swaps += done;
        if done > limit { Err(TooManySwaps) } else { Ok(()) }
    }

    /// Finds the indices of ends, and stores the new cells of their boxes across the axis, by which exchanges are
    /// tested.
    #[inline(always)]
    fn find(&mut self, shifts: &mut [Shift]) {
        let (several, rest) = shifts.as_chunks_mut::<FEW>();
        for few in several {
            let found = places(&self.keys, few.each_ref().map(|shift| shift.was));
            few.iter_mut().zip(found).for_each(|(shift, at)| self.note(shift, at));
        }
        for shift in rest {
            let [at] = places(&self.keys, [shift.was]);
            self.note(shift, at);
        }
    }

    #[inline(always)]
    fn note(&mut self, shift: &mut Shift, at: usize) {
        shift.at = at as u32;
        self.across[at] = shift.end.across;
    }

    /// Returns the present index of a key that was at `before` some exchanges ago.
    #[inline(always)]
    fn place(&self, key: u64, before: usize) -> usize {
        let mut at = before;
        while self.keys[at] < key {
            at += 1;
        }
        while self.keys[at] > key {
            at -= 1;
        }
        at
    }

    /// Moves the end at index `from`, now `end`, to its sorted index, and returns that. A start that moves left meets
    /// ends, an end that moves right meets starts; moves in the opposite direction only separate intervals.
    #[inline(always)]
    fn put(&mut self, from: usize, end: End, met: &mut Vec<Pair>) -> usize {
        let Self { keys, across } = self;
        let to = if end.key < keys[from] {
            let to = from - greater_behind(&keys[..from], end.key);
            if !end.is_greater() {
                meet(end, &keys[to..from], &across[to..from], met);
            }
            keys.copy_within(to..from, to + 1);
            across.copy_within(to..from, to + 1);
            to
        } else {
            let to = from + less_ahead(&keys[from + 1..], end.key);
            if end.is_greater() {
                meet(end, &keys[from + 1..to + 1], &across[from + 1..to + 1], met);
            }
            keys.copy_within(from + 1..to + 1, from);
            across.copy_within(from + 1..to + 1, from);
            to
        };
        (keys[to], across[to]) = (end.key, end.across);
        to
    }
}

/// Returns the indices of keys that are on a sorted list: branch-free binary searches, interleaved, so that none
/// depends on another.
#[inline(always)]
fn places<const N: usize>(keys: &[u64], wanted: [u64; N]) -> [usize; N] {
    let (mut at, mut length) = ([0; N], keys.len());
    while length > 1 {
        let half = length / 2;
        for (at, wanted) in at.iter_mut().zip(wanted) {
            *at += select_unpredictable(keys[*at + half] <= wanted, half, 0);
        }
        length -= half;
    }
    at
}

/// Counts the keys at the end of a sorted list that are greater.
#[inline(always)]
fn greater_behind(keys: &[u64], key: u64) -> usize {
    let count = |few: &[u64]| few.iter().fold(0, |count, other| count + u64::from(*other > key));
    let (rest, several) = keys.as_rchunks::<FEW>();
    let mut passed = 0;
    for few in several.iter().rev() {
        let greater = count(few);
        passed += greater as usize;
        if greater < FEW as u64 {
            return passed;
        }
    }
    passed + count(rest) as usize
}

/// Counts the keys at the beginning of a sorted list that are less.
#[inline(always)]
fn less_ahead(keys: &[u64], key: u64) -> usize {
    let count = |few: &[u64]| few.iter().fold(0, |count, other| count + u64::from(*other < key));
    let (several, rest) = keys.as_chunks::<FEW>();
    let mut passed = 0;
    for few in several {
        let less = count(few);
        passed += less as usize;
        if less < FEW as u64 {
            return passed;
        }
    }
    passed + count(rest) as usize
}

/// Appends to `met` the pairs with ends of the opposite side whose boxes may overlap the box of `end` across the axis.
#[inline(always)]
fn meet(end: End, keys: &[u64], across: &[u32], met: &mut Vec<Pair>) {
    let reach = reach(end.across);
    // Computed with numbers, since half of all ends are of the opposite side: a branch on that would be mispredicted.
    let may_meet = |key: u64, across: u32| {
        let separated = !(reach - across) & GUARDS;
        // The side is the highest bit of the lower half.
        u32::from(separated | !(key ^ end.key) as u32 & SIDE as u32 == 0)
    };
    for (keys, across) in keys.chunks(FEW).zip(across.chunks(FEW)) {
        let any = keys.iter().zip(across).fold(0, |any, (&key, &across)| any | may_meet(key, across));
        if any == 0 {
            continue;
        }
        for (&key, &across) in keys.iter().zip(across) {
            if may_meet(key, across) != 0 {
                met.push(Pair::new(end.id(), End { key, across: 0 }.id()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, BEYOND, Cells, End, MAX_ARRIVALS, Room, SIDE, Shift, greater_behind, keys, less_ahead, places};
    use heurt_bvh::Aabb32;
    use heurt_testkit::number::random::Random;

    /// From the least to the greatest; zeros of both signs are the same position.
    const PLACES: [f32; 15] = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0 - f32::EPSILON,
        -1.0,
        -f32::MIN_POSITIVE,
        -1e-45,
        -0.0,
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        1.0 + f32::EPSILON,
        1e30,
        f32::MAX,
        f32::INFINITY,
    ];

    fn at(place: f32, id: u32) -> [u64; 2] {
        keys(&Aabb32 { min: [0.0, place, 0.0], max: [0.0, place, 0.0] }, 1, id)
    }

    #[test]
    fn keys_are_ordered_by_place_then_side_then_id() {
        for (x, y) in PLACES.iter().flat_map(|&x| PLACES.map(|y| (x, y))) {
            for (i, j) in [(0, 0), (0, 1), (7, 3), (0x7fff_fffe, 5), (5, 0x7fff_fffe)] {
                for (side, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let right = x.partial_cmp(&y).expect("numbers").then(side.cmp(&other)).then(i.cmp(&j));
                    let (a, b) = (at(x, i)[side], at(y, j)[other]);
                    assert_eq!(a.cmp(&b), right, "{x} of {i}, side {side}; {y} of {j}, side {other}");
                    let end = End { key: a, across: 0 };
                    assert_eq!((end.id(), end.is_greater()), (i, side == 1));
                }
            }
        }
    }

    #[test]
    fn who_arrives_is_beyond_all_places() {
        let [_, last] = at(f32::INFINITY, 0x7fff_fffe);
        let first = End::arriving(0, 0);
        assert!(last < first[0] && first[0] < first[1] && BEYOND + (MAX_ARRIVALS as u64) < 1 << 32);
        let arriving: Vec<u64> = (0..100).flat_map(|n| End::arriving(500 - n as u32, n)).collect();
        assert!(arriving.is_sorted() && arriving.iter().all(|key| key & SIDE == 0 || *key > last));
    }

    /// Returns sorted ends of boxes, many of them at the same positions.
    fn list(random: &mut Random, count: u32) -> Vec<u64> {
        let place = |random: &mut Random| PLACES[random.whole(0, PLACES.len() as i64 - 1) as usize];
        let mut list: Vec<u64> = (0..count).flat_map(|id| at(place(random), id)).collect();
        list.sort_unstable();
        list
    }

    #[test]
    fn searches_agree_with_counting() {
        let mut random = Random::new(1);
        for count in (1..40).chain([100, 333]) {
            let list = list(&mut random, count);
            for (right, &key) in list.iter().enumerate() {
                assert_eq!(places(&list, [key]), [right]);
                let several: [usize; 8] = std::array::from_fn(|k| (right * 5 + k * k) % list.len());
                assert_eq!(places(&list, several.map(|place| list[place])), several);
            }
            for key in list.iter().flat_map(|&key| [key - 1, key, key + 1]).chain([0, u64::MAX]) {
                assert_eq!(greater_behind(&list, key), list.iter().filter(|&&other| other > key).count());
                assert_eq!(less_ahead(&list, key), list.iter().filter(|&&other| other < key).count());
            }
        }
        assert_eq!((greater_behind(&[], 3), less_ahead(&[], 3)), (0, 0));
    }

    /// A mended list equals a sorted one, and pairs that begin to overlap are among the reported pairs.
    #[test]
    fn a_mended_list_is_that_sorted_anew() {
        let mut random = Random::new(2);
        let place = |random: &mut Random| match random.whole(0, 3) {
            0 => PLACES[random.whole(0, PLACES.len() as i64 - 1) as usize],
            _ => random.whole(-6, 6) as f32,
        };
        let interval = |random: &mut Random| {
            let (x, y) = (place(random), place(random));
            Aabb32 { min: [0.0, x.min(y), 0.0], max: [0.0, x.max(y), 0.0] }
        };
        let cells = Room::default().cells(&Aabb32 { min: [0.0; 3], max: [0.0; 3] });
        let across = Cells::across(&cells, 1);
        for round in 0..300 {
            let count = random.whole(1, 40) as usize;
            let mut boxes: Vec<Aabb32> = (0..count).map(|_| interval(&mut random)).collect();
            let sorted = |boxes: &[Aabb32]| {
                let mut axis = Axis::default();
                axis.sort_anew(count, boxes.iter().zip(0..).map(|(bounds, id)| keys(bounds, 1, id)), |_| across);
                axis
            };
            let mut axis = sorted(&boxes);
            let before = boxes.clone();
            let mut shifts = Vec::new();
            for (bounds, id) in boxes.iter_mut().zip(0..) {
                if random.one_in(2) {
                    let was = keys(bounds, 1, id);
                    *bounds = interval(&mut random);
                    let ends = [false, true].map(|is_greater| cells.end(bounds, 1, id, is_greater));
                    shifts.extend(was.into_iter().zip(ends).map(|(was, end)| Shift { was, end, at: 0 }));
                }
            }
            let (mut swaps, mut met) = (0, Vec::new());
            axis.mend(&mut shifts, u64::MAX, &mut swaps, &mut met).expect("no limit");
            assert!(axis.ends().eq(sorted(&boxes).ends()), "round {round}");
            let overlap = |boxes: &[Aabb32], i: usize, j: usize| {
                boxes[i].min[1] <= boxes[j].max[1] && boxes[j].min[1] <= boxes[i].max[1]
            };
            for (i, j) in (0..count).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let begins = overlap(&boxes, i, j) && !overlap(&before, i, j);
                let is_reported = met.iter().any(|pair| pair.a as usize == j && pair.b as usize == i);
                assert!(!begins || is_reported, "round {round}: {i} and {j} meet");
            }
        }
    }
}
