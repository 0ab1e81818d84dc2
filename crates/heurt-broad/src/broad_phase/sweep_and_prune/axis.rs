//! One sorted list: the ends of all intervals along one axis.
//!
//! In: ends with new places. Out: the list in order again, and those whose intervals began to overlap. Method: insertion
//! (S0 §6.1.2) of those ends only that have a new place, to the left or to the right, so that a list at rest is only
//! looked through. An end is two numbers: place, side and id in one, whose order is that of the list; and where its box is
//! along the other two axes, so that most exchanges are judged without a look elsewhere. Starts go before ends of the same
//! place, so that intervals that touch overlap.

use super::super::{Pair, ProxyId};
use heurt_bvh::Aabb32;
use std::array::from_fn;

/// The start or the end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    /// The place, in bits whose order is that of the numbers; 1 for the greater end; the id.
    pub key: u64,
    /// Where the box is along the other axes ([`Cells::across`]).
    pub across: u64,
}

/// Of `key`.
const SIDE: u64 = 1 << 31;
/// The highest bit of each quarter of `across`.
const GUARDS: u64 = 0x8000_8000_8000_8000;
/// Of a quarter.
const LAST_CELL: u64 = 0x7fff;
/// Beyond the bits of all places.
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

    /// The two ends of who arrives as number `n`: beyond all others, and apart from those who arrive too.
    pub fn arriving(id: ProxyId, n: usize) -> [Self; 2] {
        [0, SIDE].map(|side| Self { key: (BEYOND + n as u64) << 32 | side | u64::from(id), across: 0 })
    }
}

/// How many can arrive at once.
pub(super) const MOST_ARRIVALS: usize = 1 << 20;

/// A room cut into cells along each axis, for a first look at boxes. What lies outside counts to the cells at the walls: the
/// map keeps order, so that boxes that overlap do so in cells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
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
    fn cell(&self, k: usize, x: f32) -> u64 {
        // A NaN (unbounded, in a flat room) goes to cell 0, as all others do there.
        (((x - self.low[k]) * self.cells[k]) as i32).clamp(0, LAST_CELL as i32) as u64
    }

    /// The cells that a box goes from and to; the latter counted from the far wall.
    #[inline(always)]
    pub fn cells(&self, bounds: &Aabb32) -> Cells {
        let far = |k: usize| (LAST_CELL - self.cell(k, bounds.max[k])) as u16;
        Cells { from: from_fn(|k| self.cell(k, bounds.min[k]) as u16), far: from_fn(far) }
    }
}

/// The cells of a room that a box is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells {
    from: [u16; 3],
    far: [u16; 3],
}

impl Cells {
    pub const NONE: Self = Self { from: [0; 3], far: [0; 3] };

    /// Those along the two axes other than `axis`.
    #[inline(always)]
    fn across(&self, axis: usize) -> u64 {
        let (u, v) = ([1, 2, 0][axis], [2, 0, 1][axis]);
        let two = |cells: &[u16; 3]| u64::from(cells[u]) | u64::from(cells[v]) << 16;
        two(&self.from) | two(&self.far) << 32
    }

    /// An end of the box of `id` on the list of an axis.
    #[inline(always)]
    pub fn end(&self, bounds: &Aabb32, axis: usize, id: ProxyId, is_greater: bool) -> End {
        let place = if is_greater { bounds.max[axis] } else { bounds.min[axis] };
        // −0 and 0 are the same place.
        let bits = (place + 0.0).to_bits();
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        let side = if is_greater { SIDE } else { 0 };
        End { key: u64::from(ordered) << 32 | side | u64::from(id), across: self.across(axis) }
    }
}

/// What overlaps a box across an axis starts, in each quarter, no later than this.
#[inline(always)]
fn reach(across: u64) -> u64 {
    // 0x7fff less an end counted from the far wall is the end, and the same of a start is a start counted so.
    !across.rotate_left(32) | GUARDS
}

/// A list was too far from sorted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooManySwaps;

/// Some of the ids: a byte each, which is quicker to look at than a bit.
#[derive(Debug, Default)]
pub(super) struct Marks {
    of: Vec<u8>,
    pub count: usize,
}

impl Marks {
    /// Forgets all; ids are below `end`.
    pub fn clear(&mut self, end: usize) {
        self.of.clear();
        self.of.resize(end, 0);
        self.count = 0;
    }

    pub fn set(&mut self, id: ProxyId) {
        self.of[id as usize] = 1;
        self.count += 1;
    }

    #[inline(always)]
    pub fn has(&self, id: ProxyId) -> bool {
        self.of[id as usize] != 0
    }

    /// The place of the first marked end from `from` on, or behind the last.
    #[inline(always)]
    fn next(&self, ends: &[End], from: usize) -> usize {
        let rest = &ends[from.min(ends.len())..];
        // Most are not: one branch for four.
        let is_free = |four: &&[End]| four.iter().fold(0, |any, end| any | self.of[end.id() as usize]) == 0;
        let free = 4 * rest.chunks_exact(4).take_while(is_free).count();
        from + free + rest[free..].iter().take_while(|end| !self.has(end.id())).count()
    }

    pub fn bytes(&self) -> usize {
        self.of.capacity()
    }
}

/// Puts the ends of all who are marked to the places that `place` gives. Leaves in `met` pairs of which the intervals began to
/// overlap: all but those who are apart across the axis, and maybe some of these. `swaps` counts all exchanges.
#[inline(always)]
pub(super) fn mend(
    ends: &mut [End],
    marks: &Marks,
    limit: u64,
    swaps: &mut u64,
    place: impl Fn(ProxyId, bool) -> End,
    met: &mut Vec<Pair>,
) -> Result<(), TooManySwaps> {
    let (mut done, mut i) = (0, marks.next(ends, 0));
    // Each turn goes on by one, or puts a marked end to its place on the right for good.
    while i < ends.len() {
        let (id, is_greater) = (ends[i].id(), ends[i].is_greater());
        let j = put(ends, i, place(id, is_greater), marks, met);
        done += i.abs_diff(j) as u64;
        i = marks.next(ends, i + usize::from(j <= i));
        if done > limit {
            *swaps += done;
            return Err(TooManySwaps);
        }
    }
    *swaps += done;
    Ok(())
}

/// Puts the end at place `i`, now `end`, where it belongs, and tells where that is. A start that goes left meets ends, an end that
/// goes right meets starts; who goes the other way only parts from others.
#[inline(always)]
fn put(ends: &mut [End], i: usize, end: End, marks: &Marks, met: &mut Vec<Pair>) -> usize {
    let left = ends[..i].iter().rev().take_while(|other| other.key > end.key).count();
    if left > 0 {
        let j = i - left;
        if !end.is_greater() {
            meet(end, &ends[j..i], marks, met);
        }
        ends.copy_within(j..i, j + 1);
        ends[j] = end;
        return j;
    }
    let j = i + ends[i + 1..].iter().take_while(|other| other.key < end.key).count();
    if end.is_greater() {
        meet(end, &ends[i + 1..j + 1], marks, met);
    }
    ends.copy_within(i + 1..j + 1, i);
    ends[j] = end;
    j
}

/// Leaves in `met` those of the other side of whom the box may overlap that of `end` across the axis. Who is marked may be on this
/// list with the cells of before.
#[inline(always)]
fn meet(end: End, passed: &[End], marks: &Marks, met: &mut Vec<Pair>) {
    let reach = reach(end.across);
    // In numbers, since half of all are of the other side: a branch on that would be mispredicted.
    let may_meet = |other: &End| {
        let is_near = u64::from((reach - other.across) & GUARDS == GUARDS);
        ((other.key ^ end.key) / SIDE) & 1 & (is_near | u64::from(marks.of[other.id() as usize]))
    };
    for few in passed.chunks(8) {
        if few.iter().fold(0, |any, other| any | may_meet(other)) != 0 {
            met.extend(few.iter().filter(|other| may_meet(other) != 0).map(|other| Pair::new(end.id(), other.id())));
        }
    }
}
